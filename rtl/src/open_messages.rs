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
//! on); `close` (pulse) frees `index`. Both take effect at the edge. A message whose context was not enabled in one cycle since it was opened is an *orphan*, for
//! ever; so is one that was not stored for some time, between `2^timeout` and `2^(timeout + 1)` cycles (0: any time is right). `orphan` names the source of one, the one in the highest place first, from three cycles behind that (later by a cycle for each cycle with `close` before) until it is closed. If it was named for two cycles or more the next one follows at
//! once. `pending`, from the next cycle on: there are orphans, named or not.
//!
//! **Internals.** A place is {context 2, number 4}. 64 registers of valid and source are compared with `source` at once; at most one is its, so the number is an OR of those that hit, not a
//! choice. [`LutRam`]s have the rest, and the sources of orphans. A bit a place marks orphans. [`Highest`] finds the free place, and one of the orphans that are not named; what it finds is one register ahead of the one that is named. So neither waits for the
//! comparison of all places; whether the one that is named is closed is a comparison of its own.

use crate::leaf::{Highest, LutRam, Reg};
use crate::message_timer::MessageTimer;
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
    marks_q: Reg<Bits<64>>,
    /// Not stored since the last tick.
    aged_q: Reg<Bits<64>>,
    timer: MessageTimer,
    /// {some 1, place 6}: the next orphan, unless it was closed or named one cycle ago.
    next_q: Reg<Bits<7>>,
    /// {some 1, source 26}, and the place's bit: the orphan that is named.
    orphan_q: Reg<Bits<27>>,
    named_q: Reg<Bits<64>>,
    /// A bit for each place; the places of each context.
    place: Vec<Constant<Bits<64>>>,
    own: Vec<Constant<Bits<64>>>,
    rest: LutRam<OpenMessage, 6>,
    sources: LutRam<Bits<26>, 6>,
    vacancy: Highest,
    orphans: Highest,
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
    off: Signal<Local, Bits<64>>,
    late: Signal<Local, Bits<64>>,
    aged: Signal<Local, Bits<64>>,
    every: Constant<Bits<64>>,
    stays: Signal<Local, Bits<64>>,
    waiting: Signal<Local, Bits<64>>,
    found: Signal<Local, Bits<7>>,
    next: Signal<Local, Bits<6>>,
    gone: Signal<Local, Bit>,
    orphan_now: Signal<Local, Bits<27>>,
    named_now: Signal<Local, Bits<64>>,
    is_found: Constant<Bits<7>>,
    is_orphan: Constant<Bits<27>>,
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
            marks_q: Reg::default(),
            aged_q: Reg::default(),
            timer: MessageTimer::default(),
            next_q: Reg::default(),
            orphan_q: Reg::default(),
            named_q: Reg::default(),
            place: (0..64)
                .map(|i| Constant::new((1u64 << i).to_bits()))
                .collect(),
            own: (0..4)
                .map(|context| Constant::new((0xFFFFu64 << (16 * context)).to_bits()))
                .collect(),
            rest: LutRam::default(),
            sources: LutRam::default(),
            vacancy: Highest::default(),
            orphans: Highest::default(),
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
            off: Signal::default(),
            late: Signal::default(),
            aged: Signal::default(),
            every: Constant::new(u64::MAX.to_bits()),
            stays: Signal::default(),
            waiting: Signal::default(),
            found: Signal::default(),
            next: Signal::default(),
            gone: Signal::default(),
            orphan_now: Signal::default(),
            named_now: Signal::default(),
            is_found: Constant::new((1u64 << 6).to_bits()),
            is_orphan: Constant::new((1u64 << 26).to_bits()),
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
        self.sources.clk.next = self.clk.val();
        self.sources.write_addr.next = self.store_index.val();
        self.sources.write_data.next = self.source.val();
        self.sources.write_en.next = self.store.val();

        // Orphans: marked until they are closed.
        self.off.next = 0.into();
        if !self.enabled.val().get_bit(0) {
            self.off.next = self.off.val() | self.own[0].val();
        }
        if !self.enabled.val().get_bit(1) {
            self.off.next = self.off.val() | self.own[1].val();
        }
        if !self.enabled.val().get_bit(2) {
            self.off.next = self.off.val() | self.own[2].val();
        }
        if !self.enabled.val().get_bit(3) {
            self.off.next = self.off.val() | self.own[3].val();
        }
        // Those for which nothing has come since the tick before this one.
        self.timer.clk.next = self.clk.val();
        self.timer.rst.next = self.rst.val();
        self.timer.period.next = self.timeout.val();
        self.timer.running.next = self.used.val().any();
        self.late.next = 0.into();
        self.aged.next = self.aged_q.q.val();
        if self.timer.tick.val() {
            self.late.next = self.aged_q.q.val() & !self.stores.val();
            self.aged.next = self.every.val();
        }
        self.aged_q.clk.next = self.clk.val();
        self.aged_q.rst.next = self.rst.val();
        self.aged_q.en.next = true;
        self.aged_q.d.next = self.aged.val() & !self.stores.val();
        self.stays.next = self.used.val() & !self.closes.val();
        self.marks_q.clk.next = self.clk.val();
        self.marks_q.rst.next = self.rst.val();
        self.marks_q.en.next = true;
        self.marks_q.d.next =
            self.stays.val() & (self.marks_q.q.val() | self.off.val() | self.late.val());
        self.waiting.next = self.marks_q.q.val() & !self.named_q.q.val();
        self.orphans.bits.next = self.waiting.val();
        self.found.next = 0.into();
        if self.orphans.some.val() {
            self.found.next = bit_cast::<7, 6>(self.orphans.index.val()) | self.is_found.val();
        }
        self.next_q.clk.next = self.clk.val();
        self.next_q.rst.next = self.rst.val();
        self.next_q.en.next = true;
        self.next_q.d.next = self.found.val();

        // The one that is named, and the next one. If another message is closed at this edge it may be that one.
        self.gone.next = self.close.val()
            & (self.source.val() == self.orphan_q.q.val().get_bits::<26>(0))
            & self.orphan_q.q.val().get_bit(26);
        self.next.next = self.next_q.q.val().get_bits::<6>(0);
        self.sources.read_addr.next = self.next.val();
        self.orphan_now.next = 0.into();
        self.named_now.next = 0.into();
        if self.next_q.q.val().get_bit(6)
            & self.waiting.val().get_bit(self.next.val().index())
            & (self.gone.val() | !self.close.val())
        {
            self.orphan_now.next =
                bit_cast::<27, 26>(self.sources.read_data.val()) | self.is_orphan.val();
            self.named_now.next = self.one.val() << self.next.val();
        }
        self.orphan_q.clk.next = self.clk.val();
        self.orphan_q.rst.next = self.rst.val();
        self.orphan_q.en.next = self.gone.val() | !self.orphan_q.q.val().get_bit(26);
        self.orphan_q.d.next = self.orphan_now.val();
        self.named_q.clk.next = self.clk.val();
        self.named_q.rst.next = self.rst.val();
        self.named_q.en.next = self.orphan_q.en.val();
        self.named_q.d.next = self.named_now.val();
        self.pending.next = self.marks_q.q.val().any();
        self.orphan.next = self.orphan_q.q.val().get_bit(26);
        self.orphan_source.next = self.orphan_q.q.val().get_bits::<26>(0);

        self.hit.next = self.here.val().any();
        self.index.next = self.at.val();
        self.message.next = self.rest.read_data.val();
        self.free.next = self.vacancy.some.val();
        self.free_index.next = self.lowest.val() | self.vacancy.index.val();
    }
}
