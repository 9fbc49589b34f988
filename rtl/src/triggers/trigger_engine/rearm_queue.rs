//! `RearmQueue`: operations that have left and wait again.
//!
//! **Purpose.** Knows how each operation waits that re-arms, and gives those that have left back to
//! [`TriggerRequests`](super::TriggerRequests), with the next threshold. It does not decide whether they wait again.
//!
//! ```text
//!   write, place, counter,  -->+------------+--> again_valid, again, again_place, again_counter
//!   rearm                      | RearmQueue |--> next_threshold, past
//!   left_valid, left        -->|            |<-- again_taken
//!                              +------------+
//! ```
//!
//! **Contract.** `write` stores how the operation of a place waits. `left` can come in any cycle, once for each place
//! between two writes; what was written to it is on offer five cycles later if nothing is before it, in the order of
//! leaving. It stays while `again_valid`, until `again_taken`; the next one comes four cycles later. `next_threshold`:
//! its threshold and its period added; `past`: that is 2^64 or more. Reset empties the queue.
//!
//! **Internals.** A queue of places, and a memory that is read at its head. The sum is made in two cycles, of 16 bits
//! and of the rest.
//!
//! ```text
//!   Empty  read what the oldest place says    Low   add 16 bits
//!   High   add the carry                      Offer until it is taken
//! ```

use crate::bundle::PulseIn;
use crate::leaf::{Delay, Ram, RamFifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::Rearm;

/// What is done in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Empty,
    Low,
    High,
    Offer,
}

/// Operations in `2^S` places that wait for `2^A` counters.
#[block]
pub struct RearmQueue<const A: usize, const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// An operation that re-arms is posted, or waits again (pulse).
    pub write: Signal<In, Bit>,
    /// Its place.
    pub place: Signal<In, Bits<S>>,
    /// Its counter.
    pub counter: Signal<In, Bits<A>>,
    /// How it waits.
    pub rearm: Signal<In, Rearm>,
    /// From TriggerStore: the place of a command that has left.
    pub left: PulseIn<Bits<S>>,
    /// There is one that is to wait again.
    pub again_valid: Signal<Out, Bit>,
    /// Its place.
    pub again_place: Signal<Out, Bits<S>>,
    /// Its counter.
    pub again_counter: Signal<Out, Bits<A>>,
    /// How it has waited.
    pub again: Signal<Out, Rearm>,
    /// At what it fires next.
    pub next_threshold: Signal<Out, Bits<64>>,
    /// That has more than 64 bits.
    pub past: Signal<Out, Bit>,
    /// It is taken (pulse).
    pub again_taken: Signal<In, Bit>,

    places: RamFifo<Bits<S>, S>,
    counters: Ram<Bits<A>, S>,
    rearms: Ram<Rearm, S>,
    state_q: Reg<State>,
    low_q: Delay<Bits<17>>,
    /// Threshold at which it fires next, with a bit more.
    sum_q: Reg<Bits<65>>,
    old: Signal<Local, Bits<64>>,
    period: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<49>>,
}

#[kernel]
impl<const A: usize, const S: usize> Logic for RearmQueue<A, S> {
    fn update(&mut self) {
        self.counters.write_addr.next = self.place.val();
        self.counters.write_data.next = self.counter.val();
        self.counters.write_en.next = self.write.val();
        self.rearms.write_addr.next = self.place.val();
        self.rearms.write_data.next = self.rearm.val();
        self.rearms.write_en.next = self.write.val();

        self.places.write.data.next = self.left.data.val();
        self.places.write.valid.next = self.left.valid.val();
        self.places.read.ready.next = self.again_taken.val();
        self.counters.read_addr.next = self.places.read.data.val();
        self.rearms.read_addr.next = self.places.read.data.val();

        self.old.next = self.rearms.read_data.val().threshold;
        self.period.next = self.rearms.read_data.val().period;
        self.low_q.d.next = bit_cast::<17, 16>(self.old.val().get_bits::<16>(0))
            + bit_cast::<17, 16>(self.period.val());
        self.high.next = bit_cast::<49, 48>(self.old.val().get_bits::<48>(16))
            + bit_cast::<49, 1>(self.low_q.q.val().get_bits::<1>(16));
        self.sum_q.d.next = (bit_cast::<65, 49>(self.high.val()) << 16)
            | bit_cast::<65, 16>(self.low_q.q.val().get_bits::<16>(0));
        self.sum_q.en.next = self.state_q.q.val() == State::High;

        self.again_valid.next = self.state_q.q.val() == State::Offer;
        self.again_place.next = self.places.read.data.val();
        self.again_counter.next = self.counters.read_data.val();
        self.again.next = self.rearms.read_data.val();
        self.next_threshold.next = self.sum_q.q.val().get_bits::<64>(0);
        self.past.next = self.sum_q.q.val().get_bit(64);
        self.state_q.d.next = State::Empty;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Empty => {
                self.state_q.d.next = State::Low;
                self.state_q.en.next = self.places.read.valid.val();
            }
            State::Low => {
                self.state_q.d.next = State::High;
            }
            State::High => {
                self.state_q.d.next = State::Offer;
            }
            State::Offer => {
                self.state_q.en.next = self.again_taken.val();
            }
            _ => {}
        }
    }
}
