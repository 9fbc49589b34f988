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
//!   enabled,   -->|              |--> pending
//!   timeout       +--------------+
//! ```
//!
//! **Contract.** 16 messages of each context, so that one context takes no place of another. `store` (pulse) writes `new_message` for `source` into `store_index` (`free_index`, the highest free place of its context, to open; `index` to go
//! on); `close` (pulse) frees `index`. Both take effect at the edge. `orphan`, `orphan_source` and `pending` are those of [`OrphanMessages`].
//!
//! **Internals.** A place is {context 2, number 4}. 64 registers of valid and source are compared with `source` at once; at most one is its, so the number is an OR of those that hit, not a
//! choice. A [`LutRam`] has the rest, [`Highest`] finds the free place.

use crate::leaf::{Highest, LutRam, Reg};
use crate::orphan_messages::OrphanMessages;
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
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub timeout: Signal<In, Bits<5>>,
    /// There is an orphan.
    pub orphan: Signal<Out, Bit>,
    /// Its source.
    pub orphan_source: Signal<Out, Bits<26>>,
    /// There are orphans.
    pub pending: Signal<Out, Bit>,
    /// {valid 1, source node 16, source context 8} of each place.
    owner_q: Vec<Reg<Bits<25>>>,
    /// A bit for each place; the places of each context.
    place: Vec<Constant<Bits<64>>>,
    own: Vec<Constant<Bits<64>>>,
    rest: LutRam<OpenMessage, 6>,
    vacancy: Highest,
    orphans: OrphanMessages,
    owner: Signal<Local, Bits<2>>,
    wanted: Signal<Local, Bits<25>>,
    equal: Signal<Local, Bits<64>>,
    used: Signal<Local, Bits<64>>,
    hits: Signal<Local, Bits<64>>,
    here: Signal<Local, Bits<16>>,
    taken: Signal<Local, Bits<16>>,
    vacant: Signal<Local, Bits<16>>,
    at: Signal<Local, Bits<6>>,
    lowest: Signal<Local, Bits<6>>,
    one: Signal<Local, Bits<64>>,
    stores: Signal<Local, Bits<64>>,
    closes: Signal<Local, Bits<64>>,
    top: Constant<Bits<25>>,
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
            timeout: Signal::default(),
            orphan: Signal::default(),
            orphan_source: Signal::default(),
            pending: Signal::default(),
            owner_q: vec![Reg::default(); 64],
            place: (0..64)
                .map(|i| Constant::new((1u64 << i).to_bits()))
                .collect(),
            own: (0..4)
                .map(|context| Constant::new((0xFFFFu64 << (16 * context)).to_bits()))
                .collect(),
            rest: LutRam::default(),
            vacancy: Highest::default(),
            orphans: OrphanMessages::default(),
            owner: Signal::default(),
            wanted: Signal::default(),
            equal: Signal::default(),
            used: Signal::default(),
            hits: Signal::default(),
            here: Signal::default(),
            taken: Signal::default(),
            vacant: Signal::default(),
            at: Signal::default(),
            lowest: Signal::default(),
            one: Signal::default(),
            stores: Signal::default(),
            closes: Signal::default(),
            top: Constant::new((1u64 << 24).to_bits()),
        }
    }
}

impl Logic for OpenMessages {
    #[hdl_gen]
    fn update(&mut self) {
        // The place of the source: one at most, of its context.
        self.owner.next = self.source.val().get_bits::<2>(0);
        self.wanted.next = bit_cast::<25, 24>(self.source.val().get_bits::<24>(2));
        self.wanted.next = self.wanted.val() | self.top.val();
        self.equal.next = 0.into();
        self.used.next = 0.into();
        for i in 0..64 {
            if self.owner_q[i].q.val() == self.wanted.val() {
                self.equal.next = self.equal.val() | self.place[i].val();
            }
            if self.owner_q[i].q.val().get_bit(24) {
                self.used.next = self.used.val() | self.place[i].val();
            }
        }
        self.hits.next = self.equal.val() & self.own[0].val();
        self.here.next = self.equal.val().get_bits::<16>(0);
        self.taken.next = self.used.val().get_bits::<16>(0);
        self.lowest.next = 0.into();
        match self.owner.val().index() {
            1 => {
                self.hits.next = self.equal.val() & self.own[1].val();
                self.here.next = self.equal.val().get_bits::<16>(16);
                self.taken.next = self.used.val().get_bits::<16>(16);
                self.lowest.next = 16.into();
            }
            2 => {
                self.hits.next = self.equal.val() & self.own[2].val();
                self.here.next = self.equal.val().get_bits::<16>(32);
                self.taken.next = self.used.val().get_bits::<16>(32);
                self.lowest.next = 32.into();
            }
            3 => {
                self.hits.next = self.equal.val() & self.own[3].val();
                self.here.next = self.equal.val().get_bits::<16>(48);
                self.taken.next = self.used.val().get_bits::<16>(48);
                self.lowest.next = 48.into();
            }
            _ => {
                self.lowest.next = 0.into();
            }
        }
        self.at.next = self.lowest.val();
        if (self.here.val() & 0xAAAA).any() {
            self.at.next = self.at.val() | 1;
        }
        if (self.here.val() & 0xCCCC).any() {
            self.at.next = self.at.val() | 2;
        }
        if (self.here.val() & 0xF0F0).any() {
            self.at.next = self.at.val() | 4;
        }
        if (self.here.val() & 0xFF00).any() {
            self.at.next = self.at.val() | 8;
        }
        self.vacant.next = !self.taken.val();
        self.vacancy.bits.next = bit_cast::<64, 16>(self.vacant.val());

        // Opened, advanced, closed.
        self.one.next = 1.into();
        self.stores.next = 0.into();
        if self.store.val() {
            self.stores.next = self.one.val() << self.store_index.val();
        }
        self.closes.next = 0.into();
        if self.close.val() {
            self.closes.next = self.hits.val();
        }
        for i in 0..64 {
            self.owner_q[i].clk.next = self.clk.val();
            self.owner_q[i].rst.next = self.rst.val();
            self.owner_q[i].en.next = self.stores.val().get_bit(i) | self.closes.val().get_bit(i);
            self.owner_q[i].d.next = self.wanted.val();
            if self.close.val() {
                self.owner_q[i].d.next = 0.into();
            }
        }
        self.rest.clk.next = self.clk.val();
        self.rest.write_addr.next = self.store_index.val();
        self.rest.write_data.next = self.new_message.val();
        self.rest.write_en.next = self.store.val();
        self.rest.read_addr.next = self.at.val();

        // Those that nothing more will come for.
        self.orphans.clk.next = self.clk.val();
        self.orphans.rst.next = self.rst.val();
        self.orphans.used.next = self.used.val();
        self.orphans.stores.next = self.stores.val();
        self.orphans.closes.next = self.closes.val();
        self.orphans.source.next = self.source.val();
        self.orphans.store.next = self.store.val();
        self.orphans.store_index.next = self.store_index.val();
        self.orphans.close.next = self.close.val();
        self.orphans.enabled.next = self.enabled.val();
        self.orphans.timeout.next = self.timeout.val();
        self.orphan.next = self.orphans.orphan.val();
        self.orphan_source.next = self.orphans.orphan_source.val();
        self.pending.next = self.orphans.pending.val();

        self.hit.next = self.here.val().any();
        self.index.next = self.at.val();
        self.message.next = self.rest.read_data.val();
        self.free.next = self.vacancy.some.val();
        self.free_index.next = self.lowest.val() | self.vacancy.index.val();
    }
}
