//! `TriggerFilter`: lets through the changes of counters that may concern a pending operation.
//!
//! **Purpose.** Takes a change in every cycle, so that counting never waits for the lists, which take several cycles
//! each time. It may let through too much, never too little.
//!
//! ```text
//!   change, counter,   +---------------+
//!   sum             -->|               |--> hit              (two cycles later)
//!   posting,        -->| TriggerFilter |--> hit_change, hit_counter, hit_sum
//!   posting_*       -->|               |
//!   floor_*         -->|               |
//!                      +---------------+
//! ```
//!
//! **Contract.** A change taken in cycle *n* is on the outputs in cycle *n + 2*. `hit` is high for every ALLOC and
//! FREE, for a new value that reaches the counter's *floor*, the lowest threshold that is pending, as it was written by
//! the end of cycle *n - 1*, and for one that reaches `posting_threshold` if `posting` names the counter in cycle *n +
//! 1*. Who inserts an operation holds `posting` from its order point + 1 until the cycle after the write of the floor;
//! removals may be written at any time. One change a cycle.
//!
//! **Internals.** A table of the floors, read in cycle *n*, and two [`ThresholdCompare`] in *n + 1*.

use super::ThresholdCompare;
use crate::bundle::PulseIn;
use crate::codes::counter_codes::CounterChangeCodes;
use crate::leaf::{Delay, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::Floor;

/// Filters the changes of `2^A` counters.
#[block]
pub struct TriggerFilter<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// What has changed, [`counter_change`](xtq_types::counter::counter_change), of a change that is taken.
    pub change: PulseIn<Bits<2>>,
    /// Counter.
    pub counter: Signal<In, Bits<A>>,
    /// Its success + failure.
    pub sum: Signal<In, Bits<65>>,
    /// An operation is on its way into a list.
    pub posting: Signal<In, Bit>,
    /// Its counter.
    pub posting_counter: Signal<In, Bits<A>>,
    /// Its threshold.
    pub posting_threshold: Signal<In, Bits<64>>,
    /// Write a floor.
    pub floor_write: Signal<In, Bit>,
    /// Its counter.
    pub floor_counter: Signal<In, Bits<A>>,
    /// Its value.
    pub floor: Signal<In, Floor>,
    /// The change of two cycles before may concern a pending operation.
    pub hit: Signal<Out, Bit>,
    /// What it changed.
    pub hit_change: Signal<Out, Bits<2>>,
    /// Its counter.
    pub hit_counter: Signal<Out, Bits<A>>,
    /// Its success + failure.
    pub hit_sum: Signal<Out, Bits<65>>,

    floors: Ram<Floor, A>,
    floor_compare: ThresholdCompare,
    posting_compare: ThresholdCompare,
    valid1_q: Delay<Bit>,
    change1_q: Delay<Bits<2>>,
    counter1_q: Delay<Bits<A>>,
    sum1_q: Delay<Bits<65>>,
    valid2_q: Delay<Bit>,
    change2_q: Delay<Bits<2>>,
    counter2_q: Delay<Bits<A>>,
    sum2_q: Delay<Bits<65>>,
    /// Something is pending on the counter.
    some2_q: Delay<Bit>,
    /// The operation that is posted is for the counter.
    posted2_q: Delay<Bit>,
    codes: CounterChangeCodes,
}

#[kernel]
impl<const A: usize> Logic for TriggerFilter<A> {
    fn update(&mut self) {
        self.floors.write_en.next = self.floor_write.val();
        self.floors.write_addr.next = self.floor_counter.val();
        self.floors.write_data.next = self.floor.val();
        self.floors.read_addr.next = self.counter.val();
        self.valid1_q.d.next = self.change.valid.val();
        self.change1_q.d.next = self.change.data.val();
        self.counter1_q.d.next = self.counter.val();
        self.sum1_q.d.next = self.sum.val();

        self.floor_compare.sum.next = self.sum1_q.q.val();
        self.floor_compare.threshold.next = self.floors.read_data.val().threshold;
        self.posting_compare.sum.next = self.sum1_q.q.val();
        self.posting_compare.threshold.next = self.posting_threshold.val();
        self.valid2_q.d.next = self.valid1_q.q.val();
        self.change2_q.d.next = self.change1_q.q.val();
        self.counter2_q.d.next = self.counter1_q.q.val();
        self.sum2_q.d.next = self.sum1_q.q.val();
        self.some2_q.d.next = self.floors.read_data.val().some == 1;
        self.posted2_q.d.next =
            self.posting.val() & (self.posting_counter.val() == self.counter1_q.q.val());

        self.hit.next = self.valid2_q.q.val()
            & ((self.change2_q.q.val() != self.codes.value.val())
                | (self.some2_q.q.val() & self.floor_compare.reached.val())
                | (self.posted2_q.q.val() & self.posting_compare.reached.val()));
        self.hit_change.next = self.change2_q.q.val();
        self.hit_counter.next = self.counter2_q.q.val();
        self.hit_sum.next = self.sum2_q.q.val();
    }
}
