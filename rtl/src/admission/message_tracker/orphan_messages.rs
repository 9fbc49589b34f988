//! `OrphanMessages`: the open messages for which no packet will be taken any more, named one after the other.
//!
//! **Purpose.** A message whose context was disabled, or whose sender stopped in the middle, has to end like any other:
//! it holds a place, and what waits for its end. Admission ends the one that is named.
//!
//! ```text
//!   used, stores, closes-->+----------------+--> orphan, orphan_source
//!   source, close, store*->| OrphanMessages |
//!   enabled, timeout    -->+----------------+--> pending
//! ```
//!
//! **Contract.** Places are those of [`OpenMessages`](crate::admission::message_tracker::open_messages::OpenMessages),
//! 16 of each context from context 0 on. A message whose context was not enabled in one cycle from that in which it was
//! stored first on is an *orphan*, for ever. So is one that was not stored for some time, between `2^timeout` and
//! `2^(timeout + 1)` cycles (0: any time is right). `orphan` names the source of one, the one in the highest place
//! first, from three cycles after that (later by a cycle for each cycle with `close` before) until it is closed. If it
//! was named for two cycles or more the next one follows at once. `pending`, from the next cycle on: there are orphans,
//! named or not.
//!
//! **Internals.** One bit per place marks orphans, another one those that have not gone on since the last tick of
//! [`MessageTimer`]. [`Highest`] finds one that is not named; what it finds is one register ahead of the one that is
//! named. So neither waits for the comparison of all places with a source; whether the one that is named is closed is a
//! comparison of its own. A [`LutRam`] has the sources.

use crate::admission::message_tracker::message_timer::MessageTimer;
use crate::leaf::{Delay, Highest, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Finds the orphans among 64 open messages.
#[block]
pub struct OrphanMessages {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// One bit per place: there is a message.
    pub used: Signal<In, Bits<64>>,
    /// The place that is stored at this edge.
    pub stores: Signal<In, Bits<64>>,
    /// The place that is closed at this edge.
    pub closes: Signal<In, Bits<64>>,
    /// Whose message is closed: {source node 16, source context 8, target context 2}.
    pub source: Signal<In, Bits<26>>,
    /// One is stored.
    pub store: Signal<In, Bit>,
    /// Where.
    pub store_index: Signal<In, Bits<6>>,
    /// Whose, as `source`.
    pub store_source: Signal<In, Bits<26>>,
    /// One is closed.
    pub close: Signal<In, Bit>,
    /// One bit per context: takes messages.
    pub enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub timeout: Signal<In, Bits<5>>,
    /// There is an orphan.
    pub orphan: Signal<Out, Bit>,
    /// Its source.
    pub orphan_source: Signal<Out, Bits<26>>,
    /// There are orphans.
    pub pending: Signal<Out, Bit>,
    marks_q: Delay<Bits<64>>,
    /// Not stored since the last tick.
    aged_q: Delay<Bits<64>>,
    timer: MessageTimer,
    finder: Highest,
    sources: LutRam<Bits<26>, 6>,
    /// {some 1, place 6}: the next orphan, unless it was closed or named one cycle ago.
    next_q: Delay<Bits<7>>,
    /// {some 1, source 26}, and the place's bit: the orphan that is named.
    orphan_q: Reg<Bits<27>>,
    named_q: Reg<Bits<64>>,
    /// The places of each context.
    #[value(
        (0..4)
            .map(|context| Constant::new((0xFFFFu64 << (16 * context)).to_bits()))
            .collect()
    )]
    own: Vec<Constant<Bits<64>>>,
    one: Signal<Local, Bits<64>>,
    off: Signal<Local, Bits<64>>,
    late: Signal<Local, Bits<64>>,
    aged: Signal<Local, Bits<64>>,
    stays: Signal<Local, Bits<64>>,
    waiting: Signal<Local, Bits<64>>,
    found: Signal<Local, Bits<7>>,
    next: Signal<Local, Bits<6>>,
    gone: Signal<Local, Bit>,
    orphan_now: Signal<Local, Bits<27>>,
    named_now: Signal<Local, Bits<64>>,
    #[value(u64::MAX.to_bits())]
    every: Constant<Bits<64>>,
    #[value((1u64 << 6).to_bits())]
    is_found: Constant<Bits<7>>,
    #[value((1u64 << 26).to_bits())]
    is_orphan: Constant<Bits<27>>,
}

#[kernel]
impl Logic for OrphanMessages {
    fn update(&mut self) {
        self.one.next = 1.into();
        // Marked until they are closed.
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
        self.timer.period.next = self.timeout.val();
        self.timer.running.next = self.used.val().any();
        self.late.next = 0.into();
        self.aged.next = self.aged_q.q.val();
        if self.timer.tick.val() {
            self.late.next = self.aged_q.q.val() & !self.stores.val();
            self.aged.next = self.every.val();
        }
        self.aged_q.d.next = self.aged.val() & !self.stores.val();
        self.stays.next = self.used.val() & !self.closes.val();
        self.marks_q.d.next = (self.stays.val() | self.stores.val())
            & (self.marks_q.q.val() | self.off.val() | self.late.val());
        self.waiting.next = self.marks_q.q.val() & !self.named_q.q.val();
        self.finder.bits.next = self.waiting.val();
        self.found.next = 0.into();
        if self.finder.some.val() {
            self.found.next = bit_cast::<7, 6>(self.finder.index.val()) | self.is_found.val();
        }
        self.next_q.d.next = self.found.val();

        self.sources.write_addr.next = self.store_index.val();
        self.sources.write_data.next = self.store_source.val();
        self.sources.write_en.next = self.store.val();

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
        self.orphan_q.en.next = self.gone.val() | !self.orphan_q.q.val().get_bit(26);
        self.orphan_q.d.next = self.orphan_now.val();
        self.named_q.en.next = self.orphan_q.en.val();
        self.named_q.d.next = self.named_now.val();
        self.pending.next = self.marks_q.q.val().any();
        self.orphan.next = self.orphan_q.q.val().get_bit(26);
        self.orphan_source.next = self.orphan_q.q.val().get_bits::<26>(0);
    }
}
