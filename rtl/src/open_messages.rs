//! `OpenMessages`: the messages of several packets of which more packets are to come.
//!
//! **Purpose.** A message is matched once, by its first packet; the others find here where they go. Packets of one pair
//! (source node and context, target context) come in order and a message's packets follow each other, so a pair has at most one open message.
//!
//! ```text
//!                 +--------------+
//!   source     -->|              |--> hit, index, message   (same cycle)
//!   store      -->| OpenMessages |--> free, free_index
//!   store_index-->|              |--> orphan, orphan_source
//!   close      -->|              |
//!   enabled    -->+--------------+
//! ```
//!
//! **Contract.** 16 messages of each context, so that one context takes no place of another. `store` (pulse) writes `new_message` for `source` into `store_index` (`free_index`, the highest free place of its context, to open; `index` to go
//! on); `close` (pulse) frees `index`. Both take effect at the edge. A message whose context was not enabled in one cycle since it was opened is an *orphan*, for
//! ever. `orphan` names the source of one, the one in the highest place first, from two cycles behind that until it is closed.
//!
//! **Internals.** 64 registers of valid and source, place {context 2, number 4}, compared with `source` at once, and a [`LutRam`] with the rest. A bit a place marks orphans;
//! a register holds the one that is named.

use crate::leaf::{LutRam, Reg};
use crate::types::pipe::OpenMessage;
use rust_hdl::prelude::*;

/// Content-addressed store of open messages, 16 a context.
#[derive(Clone, Debug, LogicBlock)]
pub struct OpenMessages {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Whose message: {source node 16, source context 8, target context 2}.
    pub source: Signal<In, Bits<26>>,
    /// The source has an open message.
    pub hit: Signal<Out, Bit>,
    /// Its place.
    pub index: Signal<Out, Bits<6>>,
    /// What is known of it.
    pub message: Signal<Out, OpenMessage>,
    /// The context of `source` has a free place.
    pub free: Signal<Out, Bit>,
    /// A free place.
    pub free_index: Signal<Out, Bits<6>>,
    /// Write `new_message`.
    pub store: Signal<In, Bit>,
    /// Where to.
    pub store_index: Signal<In, Bits<6>>,
    /// What.
    pub new_message: Signal<In, OpenMessage>,
    /// Free the place `index`.
    pub close: Signal<In, Bit>,
    /// A bit a context: takes messages.
    pub enabled: Signal<In, Bits<4>>,
    /// There is an orphan.
    pub orphan: Signal<Out, Bit>,
    /// Its source.
    pub orphan_source: Signal<Out, Bits<26>>,
    owner_q: Vec<Reg<Bits<27>>>,
    mark_q: Vec<Reg<Bit>>,
    orphan_q: Reg<Bits<27>>,
    number: Vec<Constant<Bits<6>>>,
    rest: LutRam<OpenMessage, 6>,
    wanted: Signal<Local, Bits<27>>,
    found: Signal<Local, Bit>,
    at: Signal<Local, Bits<6>>,
    vacant: Signal<Local, Bit>,
    vacant_at: Signal<Local, Bits<6>>,
    orphan_now: Signal<Local, Bits<27>>,
    source_context: Signal<Local, Bits<2>>,
    place: Signal<Local, Bits<6>>,
    place_context: Signal<Local, Bits<2>>,
    stays: Signal<Local, Bit>,
    top: Constant<Bits<27>>,
}

impl Default for OpenMessages {
    fn default() -> Self {
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            source: Signal::default(),
            hit: Signal::default(),
            index: Signal::default(),
            message: Signal::default(),
            free: Signal::default(),
            free_index: Signal::default(),
            store: Signal::default(),
            store_index: Signal::default(),
            new_message: Signal::default(),
            close: Signal::default(),
            enabled: Signal::default(),
            orphan: Signal::default(),
            orphan_source: Signal::default(),
            owner_q: vec![Reg::default(); 64],
            mark_q: vec![Reg::default(); 64],
            orphan_q: Reg::default(),
            number: (0..64u64).map(|i| Constant::new(i.to_bits())).collect(),
            rest: LutRam::default(),
            wanted: Signal::default(),
            found: Signal::default(),
            at: Signal::default(),
            vacant: Signal::default(),
            vacant_at: Signal::default(),
            orphan_now: Signal::default(),
            source_context: Signal::default(),
            place: Signal::default(),
            place_context: Signal::default(),
            stays: Signal::default(),
            top: Constant::new((1u64 << 26).to_bits()),
        }
    }
}

impl Logic for OpenMessages {
    #[hdl_gen]
    fn update(&mut self) {
        self.wanted.next = bit_cast::<27, 26>(self.source.val());
        self.wanted.next = self.wanted.val() | self.top.val();
        self.source_context.next = self.source.val().get_bits::<2>(0);
        self.found.next = false;
        self.at.next = 0.into();
        self.vacant.next = false;
        self.vacant_at.next = 0.into();
        for i in 0..64 {
            if self.owner_q[i].q.val() == self.wanted.val() {
                self.found.next = true;
                self.at.next = self.number[i].val();
            }
            self.place.next = self.number[i].val();
            self.place_context.next = self.place.val().get_bits::<2>(4);
            if !self.owner_q[i].q.val().get_bit(26)
                & (self.place_context.val() == self.source_context.val())
            {
                self.vacant.next = true;
                self.vacant_at.next = self.number[i].val();
            }
        }
        for i in 0..64 {
            self.owner_q[i].clk.next = self.clk.val();
            self.owner_q[i].rst.next = self.rst.val();
            self.owner_q[i].en.next = false;
            self.owner_q[i].d.next = self.wanted.val();
            if self.store.val() & (self.store_index.val() == self.number[i].val()) {
                self.owner_q[i].en.next = true;
            }
            if self.close.val() & (self.at.val() == self.number[i].val()) {
                self.owner_q[i].en.next = true;
                self.owner_q[i].d.next = 0.into();
            }
        }

        // Orphans. One that is closed at this edge is none any more.
        self.orphan_now.next = 0.into();
        for i in 0..64 {
            self.stays.next = self.owner_q[i].q.val().get_bit(26)
                & !(self.close.val() & (self.at.val() == self.number[i].val()));
            self.place_context.next = self.owner_q[i].q.val().get_bits::<2>(0);
            self.mark_q[i].clk.next = self.clk.val();
            self.mark_q[i].rst.next = self.rst.val();
            self.mark_q[i].en.next = true;
            self.mark_q[i].d.next = self.stays.val()
                & (self.mark_q[i].q.val()
                    | !self.enabled.val().get_bit(self.place_context.val().index()));
            if self.stays.val() & self.mark_q[i].q.val() {
                self.orphan_now.next = self.owner_q[i].q.val();
            }
        }
        self.orphan_q.clk.next = self.clk.val();
        self.orphan_q.rst.next = self.rst.val();
        self.orphan_q.en.next = self.close.val() | !self.orphan_q.q.val().get_bit(26);
        self.orphan_q.d.next = self.orphan_now.val();
        self.orphan.next = self.orphan_q.q.val().get_bit(26);
        self.orphan_source.next = self.orphan_q.q.val().get_bits::<26>(0);

        self.rest.clk.next = self.clk.val();
        self.rest.write_addr.next = self.store_index.val();
        self.rest.write_data.next = self.new_message.val();
        self.rest.write_en.next = self.store.val();
        self.rest.read_addr.next = self.at.val();

        self.hit.next = self.found.val();
        self.index.next = self.at.val();
        self.message.next = self.rest.read_data.val();
        self.free.next = self.vacant.val();
        self.free_index.next = self.vacant_at.val();
    }
}
