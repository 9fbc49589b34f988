//! `TriggerRequests`: takes a request, decides about it, and follows it until it is done.
//!
//! **Purpose.** The side of the [`TriggerEngine`](super::TriggerEngine) that is asked to post an operation or to cancel
//! what is pending. It knows owner and value of every counter; the lists are elsewhere.
//!
//! ```text
//!   request_*        +-----------------+--> answer_valid, answer
//!   request_valid -->|                 |--> take_place, take_context
//!   request_ready <--| TriggerRequests |--> mark, cancel, due, counter, threshold, place
//!   place_free,   -->|                 |--> posting, busy
//!   place_last,      |                 |<-- done
//!   free_place       |                 |
//!   change_*      -->|                 |--> rearm, again_taken, rearm_write, kept
//!   again_*       -->|                 |--> ended_valid, ended
//!                    +-----------------+    (ended_ready)
//! ```
//!
//! **Contract.** One request at a time; `request_ready` is low from the cycle after the handshake until two cycles
//! after the end. The order point is the handshake in cycle *n*: changes taken before it count, those of cycle *n* and
//! later come after it. In cycle *n + 2* either a refusal is on `answer`, in the order of
//! [`counter_status`](xtq_types::counter::counter_status), or `mark` says that the request goes to the lists: a post
//! has its place (`take_place`) and its answer then, a cancellation is answered with `done`. `due`: the threshold is
//! reached. What is after `mark` stays until `done`. `posting` is high for a post from cycle *n + 1* to the cycle after
//! `done`, and `busy` then names its context. The last place of a context is for a post that is `due` and does not
//! re-arm.
//!
//! *Re-arming.* What [`RearmQueue`](super::RearmQueue) has on offer is a post without an answer, in its place; it and
//! requests come in turn. Its order point is the cycle of `rearm`. It ends for good, with `ended` instead of `mark`, if
//! its counter has another owner or none, or was cancelled or allocated since it was posted, or if its threshold does
//! not fit. `busy` does not tell of it. `rearm_write`: how `place` waits is `kept`.
//!
//! **Internals.** A table of the sums, written by the changes and read by the requests, [`CounterOwners`] and a
//! [`ThresholdCompare`]. A table says which of all allocations and cancellations was the last of a counter, of their
//! numbers below 2^32. One that is allocated in the cycle in which a cancellation is to be written goes first.

use super::ThresholdCompare;
use crate::bundle::{PulseIn, PulseOut, StreamOut};
use crate::codes::counter_codes::{CounterChangeCodes, CounterStatusCodes};
use crate::leaf::{Delay, Ram, Reg};
use crate::triggers::counter_owners::CounterOwners;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::Rearm;

/// Where the request is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Idle,
    Compare,
    Decide,
    Listed,
    Settle,
    End,
}

/// Requests on `2^A` counters (`N` = `2^A`) for `2^S` places.
#[block]
pub struct TriggerRequests<const A: usize, const N: usize, const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// There is a request.
    pub request_valid: Signal<In, Bit>,
    /// It is taken.
    pub request_ready: Signal<Out, Bit>,
    /// Cancel all that is pending on the counter; else post.
    pub request_cancel: Signal<In, Bit>,
    /// Context that asks.
    pub request_context: Signal<In, Bits<2>>,
    /// Counter.
    pub request_counter: Signal<In, Bits<A>>,
    /// Post: success + failure at which it fires.
    pub request_threshold: Signal<In, Bits<64>>,
    /// Post: added to the threshold each time that it has left; 0: it waits once.
    pub request_period: Signal<In, Bits<16>>,
    /// How the request ended, refused, posted or carried out:
    /// [`counter_status`](xtq_types::counter::counter_status).
    pub answer: PulseOut<Bits<3>>,

    /// What has changed, [`counter_change`](xtq_types::counter::counter_change), of a change that is taken.
    pub change: PulseIn<Bits<2>>,
    /// Counter.
    pub change_counter: Signal<In, Bits<A>>,
    /// Its owner.
    pub change_context: Signal<In, Bits<2>>,
    /// Its success + failure.
    pub change_sum: Signal<In, Bits<65>>,

    /// From RearmQueue: an operation is to wait again.
    pub again_valid: Signal<In, Bit>,
    /// Its place.
    pub again_place: Signal<In, Bits<S>>,
    /// Its counter.
    pub again_counter: Signal<In, Bits<A>>,
    /// How it has waited.
    pub again: Signal<In, Rearm>,
    /// At what it fires next.
    pub next_threshold: Signal<In, Bits<64>>,
    /// That has more than 64 bits.
    pub past: Signal<In, Bit>,
    /// It is decided about (pulse).
    pub again_taken: Signal<Out, Bit>,
    /// It waits again from here, if it does (pulse); a request is not taken.
    pub rearm: Signal<Out, Bit>,
    /// How the operation in `place` waits is to be kept (pulse).
    pub rearm_write: Signal<Out, Bit>,
    /// How.
    pub kept: Signal<Out, Rearm>,
    /// To TriggerStore: the place of one that does not wait again, of `take_context`.
    pub ended: StreamOut<Bits<S>>,

    /// `free_place` is free, and `request_context` may take it.
    pub place_free: Signal<In, Bit>,
    /// It is the last one of `request_context`.
    pub place_last: Signal<In, Bit>,
    /// The next free place.
    pub free_place: Signal<In, Bits<S>>,
    /// It is taken (pulse).
    pub take_place: Signal<Out, Bit>,
    /// Context that takes it.
    pub take_context: Signal<Out, Bits<2>>,

    /// The request goes to the lists (pulse).
    pub mark: Signal<Out, Bit>,
    /// It is to cancel.
    pub cancel: Signal<Out, Bit>,
    /// Post: it fires at once. From the cycle after `mark`.
    pub due: Signal<Out, Bit>,
    /// Its counter.
    pub counter: Signal<Out, Bits<A>>,
    /// Post: its threshold.
    pub threshold: Signal<Out, Bits<64>>,
    /// Post: its place.
    pub place: Signal<Out, Bits<S>>,
    /// Post: it will wait again.
    pub rearms: Signal<Out, Bit>,
    /// The lists have carried it out (pulse).
    pub done: Signal<In, Bit>,
    /// A post is on its way to the list of `counter`.
    pub posting: Signal<Out, Bit>,
    /// One bit per context: its post is on its way.
    pub busy: Signal<Out, Bits<4>>,

    state_q: Reg<State>,
    cancel_q: Reg<Bit>,
    context_q: Reg<Bits<2>>,
    counter_q: Reg<Bits<A>>,
    threshold_q: Reg<Bits<64>>,
    period_q: Reg<Bits<16>>,
    /// It is no request: an operation is to wait again.
    again_q: Reg<Bit>,
    /// The last was one, and nothing has been taken since.
    turn_q: Reg<Bit>,
    /// Its threshold does not fit.
    past_q: Reg<Bit>,
    /// Last ALLOC or cancellation of the counter.
    generation_q: Delay<Bits<32>>,
    /// It is not that of the posting.
    stale_q: Delay<Bit>,
    /// The number of the next ALLOC or cancellation.
    stamp_q: Reg<Bits<32>>,
    /// A cancellation is not in the table.
    cancels_q: Reg<Bit>,
    place_q: Reg<Bits<S>>,
    place_free_q: Reg<Bit>,
    place_last_q: Reg<Bit>,
    allocated_q: Reg<Bit>,
    owner_q: Reg<Bits<2>>,
    due_q: Reg<Bit>,
    sums: Ram<Bits<65>, A>,
    generations: Ram<Bits<32>, A>,
    owners: CounterOwners<A, N>,
    compare: ThresholdCompare,
    changes: CounterChangeCodes,
    statuses: CounterStatusCodes,
    idle: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    takes_again: Signal<Local, Bit>,
    asked: Signal<Local, Bits<A>>,
    allocates: Signal<Local, Bit>,
    cancelled: Signal<Local, Bit>,
    posted: Signal<Local, Bit>,
    made: Signal<Local, Rearm>,
    generation: Signal<Local, Bits<32>>,
    status: Signal<Local, Bits<3>>,
    full: Signal<Local, Bit>,
    one: Signal<Local, Bits<4>>,
    good: Signal<Local, Bit>,
}

#[kernel]
impl<const A: usize, const N: usize, const S: usize> Logic for TriggerRequests<A, N, S> {
    fn update(&mut self) {
        self.idle.next = self.state_q.q.val() == State::Idle;
        // What waits again comes in turn with requests.
        self.takes_again.next = self.idle.val() & self.again_valid.val() & !self.turn_q.q.val();
        self.take.next = self.idle.val() & (self.request_valid.val() | self.takes_again.val());
        self.request_ready.next = self.idle.val() & !self.takes_again.val();
        self.turn_q.d.next = self.takes_again.val();
        self.turn_q.en.next = self.idle.val();
        self.rearm.next = self.takes_again.val();
        self.again_q.d.next = self.takes_again.val();
        self.again_q.en.next = self.take.val();
        self.past_q.d.next = self.past.val();
        self.past_q.en.next = self.take.val();
        self.cancel_q.d.next = self.request_cancel.val();
        self.context_q.d.next = self.request_context.val();
        self.asked.next = self.request_counter.val();
        self.threshold_q.d.next = self.request_threshold.val();
        self.period_q.d.next = self.request_period.val();
        self.place_q.d.next = self.free_place.val();
        if self.takes_again.val() {
            self.cancel_q.d.next = false;
            self.context_q.d.next = self.again.val().context;
            self.asked.next = self.again_counter.val();
            self.threshold_q.d.next = self.next_threshold.val();
            self.period_q.d.next = self.again.val().period;
            self.place_q.d.next = self.again_place.val();
        }
        self.cancel_q.en.next = self.take.val();
        self.context_q.en.next = self.take.val();
        self.counter_q.d.next = self.asked.val();
        self.counter_q.en.next = self.take.val();
        self.threshold_q.en.next = self.take.val();
        self.period_q.en.next = self.take.val();
        self.place_q.en.next = self.take.val();
        self.place_free_q.d.next = self.place_free.val();
        self.place_free_q.en.next = self.take.val();
        self.place_last_q.d.next = self.place_last.val();
        self.place_last_q.en.next = self.take.val();
        self.cancel.next = self.cancel_q.q.val();
        self.counter.next = self.counter_q.q.val();
        self.threshold.next = self.threshold_q.q.val();
        self.place.next = self.place_q.q.val();
        self.rearms.next = self.period_q.q.val().any();

        // The counter as the changes before this cycle have left it.
        self.sums.write_addr.next = self.change_counter.val();
        self.sums.write_data.next = self.change_sum.val();
        self.sums.write_en.next = self.change.valid.val();
        self.owners.set.next = self.change.valid.val();
        self.owners.set_counter.next = self.change_counter.val();
        self.owners.set_context.next = self.change_context.val();
        self.owners.set_allocated.next = self.change.data.val() != self.changes.free.val();
        self.sums.read_addr.next = self.asked.val();
        self.owners.counter.next = self.asked.val();
        self.allocated_q.d.next = self.owners.allocated.val();
        self.allocated_q.en.next = self.take.val();
        self.owner_q.d.next = self.owners.owner.val();
        self.owner_q.en.next = self.take.val();
        self.compare.sum.next = self.sums.read_data.val();
        self.compare.threshold.next = self.threshold_q.q.val();

        // The last ALLOC or cancellation of the counter, likewise.
        self.allocates.next =
            self.change.valid.val() & (self.change.data.val() == self.changes.alloc.val());
        self.cancelled.next = self.cancels_q.q.val() & !self.allocates.val();
        self.generations.write_addr.next = self.counter_q.q.val();
        if self.allocates.val() {
            self.generations.write_addr.next = self.change_counter.val();
        }
        self.generations.write_data.next = self.stamp_q.q.val();
        self.generations.write_en.next = self.allocates.val() | self.cancelled.val();
        self.stamp_q.d.next = self.stamp_q.q.val() + 1;
        self.stamp_q.en.next = self.allocates.val() | self.cancelled.val();
        self.generations.read_addr.next = self.asked.val();
        self.generation.next = self.again.val().generation;
        self.generation_q.d.next = self.generations.read_data.val();
        self.stale_q.d.next = self.generations.read_data.val() != self.generation.val();
        self.made.next.context = self.context_q.q.val();
        self.made.next.threshold = self.threshold_q.q.val();
        self.made.next.period = self.period_q.q.val();
        self.made.next.generation = self.generation_q.q.val();
        self.kept.next = self.made.val();

        // The last place is for what fires at once, and only once.
        self.full.next = !self.place_free_q.q.val()
            | (self.place_last_q.q.val()
                & (!self.compare.reached.val() | self.period_q.q.val().any()));
        self.status.next = self.statuses.ok.val();
        if !self.allocated_q.q.val() {
            self.status.next = self.statuses.not_allocated.val();
        } else if self.owner_q.q.val() != self.context_q.q.val() {
            self.status.next = self.statuses.not_owner.val();
        } else if self.again_q.q.val() {
            if self.stale_q.q.val() | self.past_q.q.val() {
                self.status.next = self.statuses.not_allocated.val();
            }
        } else if !self.cancel_q.q.val() & self.full.val() {
            self.status.next = self.statuses.no_space.val();
        }
        self.good.next = self.status.val() == self.statuses.ok.val();

        self.answer.data.next = self.statuses.ok.val();
        self.answer.valid.next = false;
        self.mark.next = false;
        self.take_place.next = false;
        self.take_context.next = self.context_q.q.val();
        self.due_q.d.next = self.compare.reached.val();
        self.due_q.en.next = false;
        self.due.next = self.due_q.q.val();
        self.posted.next = self.good.val() & !self.cancel_q.q.val();
        self.again_taken.next = false;
        self.rearm_write.next = false;
        self.ended.data.next = self.place_q.q.val();
        self.ended.valid.next = false;
        self.cancels_q.d.next = false;
        self.cancels_q.en.next = self.cancelled.val();
        self.posting.next = !self.idle.val() & !self.cancel_q.q.val();
        self.one.next = 1.into();
        self.busy.next = 0.into();
        if !self.idle.val() & !self.cancel_q.q.val() & !self.again_q.q.val() {
            self.busy.next = self.one.val() << self.context_q.q.val();
        }
        self.state_q.d.next = State::Idle;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Idle => {
                self.state_q.d.next = State::Compare;
                self.state_q.en.next = self.take.val();
            }
            State::Compare => {
                self.state_q.d.next = State::Decide;
            }
            State::Decide => {
                self.answer.data.next = self.status.val();
                self.answer.valid.next =
                    (!self.good.val() | !self.cancel_q.q.val()) & !self.again_q.q.val();
                self.mark.next = self.good.val();
                self.take_place.next = self.posted.val() & !self.again_q.q.val();
                self.rearm_write.next = self.posted.val() & self.period_q.q.val().any();
                self.again_taken.next = self.again_q.q.val();
                self.cancels_q.d.next = self.good.val() & self.cancel_q.q.val();
                self.cancels_q.en.next = true;
                self.due_q.en.next = true;
                if self.good.val() {
                    self.state_q.d.next = State::Listed;
                } else if self.again_q.q.val() {
                    self.state_q.d.next = State::End;
                }
            }
            State::Listed => {
                self.answer.valid.next = self.done.val() & self.cancel_q.q.val();
                self.state_q.d.next = State::Settle;
                self.state_q.en.next = self.done.val();
            }
            State::Settle => {
                // Not before a cancellation is in the table.
                self.state_q.en.next = !self.cancels_q.q.val();
            }
            State::End => {
                self.ended.valid.next = true;
                self.state_q.en.next = self.ended.ready.val();
            }
            _ => {}
        }
    }
}
