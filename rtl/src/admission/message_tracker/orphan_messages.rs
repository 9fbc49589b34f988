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
//! `N` of each context from context 0 on. A message whose context was not enabled in one cycle from that in which it
//! was stored first on is an *orphan*, for ever. So is one that was not stored for some time, between `2^timeout` and
//! `2^(timeout + 1)` cycles (0: any time is right). `orphan` names the source of one, the one in the highest place
//! first, from three cycles after that (later by a cycle for each cycle with `close` before) until it is closed. If it
//! was named for two cycles or more the next one follows at once. `pending`, from the next cycle on: there are orphans,
//! named or not.
//!
//! **Internals.** One bit per place marks orphans, another one those that have not gone on since the last tick of
//! [`MessageTimer`]. [`Highest`] of each context finds one that is not named; what it finds is one register ahead of
//! the one that is named. So neither waits for the comparison of all places with a source; whether the one that is
//! named is closed is a comparison of its own. A [`LutRam`] has the sources.

use crate::admission::message_tracker::highest::Highest;
use crate::admission::message_tracker::message_timer::MessageTimer;
use crate::leaf::{Delay, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Finds the orphans among `T` open messages, `N` of each of four contexts; `I` bits of place. `N` is 64 at most.
#[block]
pub struct OrphanMessages<const N: usize = 16, const I: usize = 6, const T: usize = 64> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// One bit per place: there is a message.
    pub used: Signal<In, Bits<T>>,
    /// The place that is stored at this edge.
    pub stores: Signal<In, Bits<T>>,
    /// The place that is closed at this edge.
    pub closes: Signal<In, Bits<T>>,
    /// Whose message is closed: {reply 1, source node 16, source context 8, target context 2}.
    pub source: Signal<In, Bits<27>>,
    /// One is stored.
    pub store: Signal<In, Bit>,
    /// Where.
    pub store_index: Signal<In, Bits<I>>,
    /// Whose, as `source`.
    pub store_source: Signal<In, Bits<27>>,
    /// One is closed.
    pub close: Signal<In, Bit>,
    /// One bit per context: takes messages.
    pub enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub timeout: Signal<In, Bits<5>>,
    /// There is an orphan.
    pub orphan: Signal<Out, Bit>,
    /// Its source.
    pub orphan_source: Signal<Out, Bits<27>>,
    /// There are orphans.
    pub pending: Signal<Out, Bit>,
    marks_q: Delay<Bits<T>>,
    /// Not stored since the last tick.
    aged_q: Delay<Bits<T>>,
    timer: MessageTimer,
    finders: [Highest; 4],
    sources: LutRam<Bits<27>, I>,
    /// The next orphan, unless it was closed or named one cycle ago.
    next_q: Delay<Bits<I>>,
    some_q: Delay<Bit>,
    /// {some 1, source 27}, and the place's bit: the orphan that is named.
    orphan_q: Reg<Bits<28>>,
    named_q: Reg<Bits<T>>,
    /// The places of each context.
    #[value((0..4).map(|context| Constant::new(ones(context * N..(context + 1) * N))).collect())]
    own: Vec<Constant<Bits<T>>>,
    /// Where they begin.
    #[value((0..4).map(|context| Constant::new((context * N as u64).to_bits())).collect())]
    begins: Vec<Constant<Bits<I>>>,
    one: Signal<Local, Bits<T>>,
    off: Signal<Local, Bits<T>>,
    late: Signal<Local, Bits<T>>,
    aged: Signal<Local, Bits<T>>,
    stays: Signal<Local, Bits<T>>,
    waiting: Signal<Local, Bits<T>>,
    own_waiting: Signal<Local, Bits<T>>,
    own_index: Signal<Local, Bits<6>>,
    found: Signal<Local, Bits<I>>,
    some: Signal<Local, Bit>,
    next: Signal<Local, Bits<I>>,
    gone: Signal<Local, Bit>,
    orphan_now: Signal<Local, Bits<28>>,
    named_now: Signal<Local, Bits<T>>,
    #[value(ones(0..T))]
    every: Constant<Bits<T>>,
    #[value((1u64 << 27).to_bits())]
    is_orphan: Constant<Bits<28>>,
}

/// These bits.
fn ones<const T: usize>(bits: std::ops::Range<usize>) -> Bits<T> {
    bits.fold(Bits::default(), |word, bit| word.replace_bit(bit, true))
}

#[kernel]
impl<const N: usize, const I: usize, const T: usize> Logic for OrphanMessages<N, I, T> {
    fn update(&mut self) {
        self.one.next = 1.into();
        // Marked until they are closed.
        self.off.next = 0.into();
        for i in 0..4 {
            if !self.enabled.val().get_bit(i) {
                self.off.next = self.off.val() | self.own[i].val();
            }
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
        self.found.next = 0.into();
        self.some.next = false;
        for i in 0..4 {
            self.own_waiting.next = self.waiting.val() >> self.begins[i].val();
            self.finders[i].bits.next = bit_cast::<64, N>(self.own_waiting.val().get_bits::<N>(0));
            self.own_index.next = self.finders[i].index.val();
            if self.finders[i].some.val() {
                self.some.next = true;
                self.found.next = bit_cast::<I, 6>(self.own_index.val()) | self.begins[i].val();
            }
        }
        self.next_q.d.next = self.found.val();
        self.some_q.d.next = self.some.val();

        self.sources.write_addr.next = self.store_index.val();
        self.sources.write_data.next = self.store_source.val();
        self.sources.write_en.next = self.store.val();

        // The one that is named, and the next one. If another message is closed at this edge it may be that one.
        self.gone.next = self.close.val()
            & (self.source.val() == self.orphan_q.q.val().get_bits::<27>(0))
            & self.orphan_q.q.val().get_bit(27);
        self.next.next = self.next_q.q.val();
        self.sources.read_addr.next = self.next.val();
        self.orphan_now.next = 0.into();
        self.named_now.next = 0.into();
        if self.some_q.q.val()
            & self.waiting.val().get_bit(self.next.val().index())
            & (self.gone.val() | !self.close.val())
        {
            self.orphan_now.next =
                bit_cast::<28, 27>(self.sources.read_data.val()) | self.is_orphan.val();
            self.named_now.next = self.one.val() << self.next.val();
        }
        self.orphan_q.en.next = self.gone.val() | !self.orphan_q.q.val().get_bit(27);
        self.orphan_q.d.next = self.orphan_now.val();
        self.named_q.en.next = self.orphan_q.en.val();
        self.named_q.d.next = self.named_now.val();
        self.pending.next = self.marks_q.q.val().any();
        self.orphan.next = self.orphan_q.q.val().get_bit(27);
        self.orphan_source.next = self.orphan_q.q.val().get_bits::<27>(0);
    }
}
