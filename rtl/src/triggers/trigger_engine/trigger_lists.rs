//! `TriggerLists`: what is pending on each counter, in posting order.
//!
//! **Purpose.** Finds what a new value of a counter sets off, in posting order whatever the thresholds, without a
//! search through the whole store. It keeps no commands, only the numbers of their places.
//!
//! ```text
//!   job_valid, job_*         -->+--------------+--> job_taken, request_done
//!   cancel, due, counter,       |              |--> fired_valid, fired, fired_context
//!   owner, rearms,           -->| TriggerLists |    fired_rearms
//!   threshold, place            |              |--> dropped_valid, dropped, dropped_context
//!   post_write, post_*       -->|              |
//!                               |              |<-- dropped_ready
//!                               |              |--> floor_write, floor_counter, floor
//!                               +--------------+
//! ```
//!
//! **Contract.** Jobs are done one after the other: a post is appended, or fires if it is `due`; a new value fires all
//! that it reaches, in posting order. A cancellation and FREE drop all that is pending; ALLOC forgets what the list of
//! the counter was before reset. The first thing that fires does so three cycles after the taking of the job, each
//! further entry that is looked at takes two cycles. Cycles from the taking of a job to that of the next: a value that
//! reaches nothing 3, one that looks at *n* entries 3 + 2 *n*, a post 5 (2 if due), ALLOC 3, a cancellation or FREE of
//! *n* entries 3 + 2 *n*, and one for each cycle without `dropped_ready`. A fired place can always be given away.
//! `floor` is the lowest threshold pending on a counter, written at the end of each job that can change it. Threshold,
//! context and whether it re-arms are written for a place before its post is a job.
//!
//! **Internals.** A list a counter: `head`, `tail`, a `next` for each place. From `rise` to the tail thresholds do not
//! fall: so the walk ends at the first entry there that is not reached, and a program that posts in the order of the
//! thresholds pays only for what fires. In front of `rise` every entry is looked at. Comparisons take two cycles:
//!
//! ```text
//!   Idle   read the counter's words
//!   Row    read the head (post: the tail); compare the sum with the floor
//!   First  compare the head's threshold; nothing reached: Idle
//!   Decide reached: fire, else keep; read the next entry       <--+
//!   Look   compare its threshold                               ---+
//!   Finish write the counter's words
//! ```

use super::{ListTable, ThresholdCompare};
use crate::bundle::{PulseOut, StreamOut};
use crate::codes::counter_codes::CounterChangeCodes;
use crate::leaf::{Delay, Ram, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::Floor;

/// What is done in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Idle,
    Row,
    First,
    Decide,
    Look,
    Finish,
}

/// The lists of `2^A` counters with `2^S` places.
#[block]
pub struct TriggerLists<const A: usize, const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From WorkQueue: there is a job.
    pub job_valid: Signal<In, Bit>,
    /// It is the request; else a change of a counter.
    pub job_request: Signal<In, Bit>,
    /// Change: what changed, [`counter_change`](xtq_types::counter::counter_change).
    pub job_change: Signal<In, Bits<2>>,
    /// Change: counter.
    pub job_counter: Signal<In, Bits<A>>,
    /// Change: its success + failure.
    pub job_sum: Signal<In, Bits<65>>,
    /// The job is taken (pulse).
    pub job_taken: Signal<Out, Bit>,

    /// From TriggerRequests: the request is to cancel; else to post.
    pub cancel: Signal<In, Bit>,
    /// Post: it fires at once.
    pub due: Signal<In, Bit>,
    /// Its counter.
    pub counter: Signal<In, Bits<A>>,
    /// Post: the context that posts.
    pub owner: Signal<In, Bits<2>>,
    /// Post: it will wait again.
    pub rearms: Signal<In, Bit>,
    /// Post: its threshold.
    pub threshold: Signal<In, Bits<64>>,
    /// Post: its place.
    pub place: Signal<In, Bits<S>>,
    /// To TriggerRequests: the request is carried out (pulse).
    pub request_done: Signal<Out, Bit>,

    /// What belongs to a place is written (pulse).
    pub post_write: Signal<In, Bit>,
    /// Its place.
    pub post_place: Signal<In, Bits<S>>,
    /// The threshold.
    pub post_threshold: Signal<In, Bits<64>>,
    /// The context that posts.
    pub post_context: Signal<In, Bits<2>>,
    /// It will wait again.
    pub post_rearms: Signal<In, Bit>,

    /// To TriggerStore: the place of an operation that fires.
    pub fired: PulseOut<Bits<S>>,
    /// Context that posted it.
    pub fired_context: Signal<Out, Bits<2>>,
    /// It will wait again.
    pub fired_rearms: Signal<Out, Bit>,
    /// To TriggerStore: the place of an operation that is cancelled.
    pub dropped: StreamOut<Bits<S>>,
    /// Context that posted it.
    pub dropped_context: Signal<Out, Bits<2>>,

    /// To TriggerFilter: write a floor (pulse).
    pub floor_write: Signal<Out, Bit>,
    /// Its counter.
    pub floor_counter: Signal<Out, Bits<A>>,
    /// Its value.
    pub floor: Signal<Out, Floor>,

    state_q: Reg<State>,
    // The job.
    request_q: Reg<Bit>,
    post_q: Reg<Bit>,
    drop_q: Reg<Bit>,
    forget_q: Reg<Bit>,
    counter_q: Reg<Bits<A>>,
    /// Value: the sum; post: its threshold.
    limit_q: Reg<Bits<65>>,
    // The list.
    some_q: Reg<Bit>,
    head_q: Reg<Bits<S>>,
    tail_q: Reg<Bits<S>>,
    rise_q: Reg<Bits<S>>,
    /// Lowest threshold of what stays, as far as it is known.
    floor_q: Reg<Bits<64>>,
    // The walk.
    current_q: Reg<Bits<S>>,
    /// Last entry that stays.
    kept_q: Reg<Bits<S>>,
    /// There is one.
    any_kept_q: Reg<Bit>,
    /// The current entry lies after `rise`.
    rising_q: Reg<Bit>,
    /// Whose the entry is that was looked at in the cycle before: whether it re-arms, and its context.
    origin_q: Delay<Bits<3>>,

    words: ListTable<A, S>,
    nexts: Ram<Bits<S>, S>,
    thresholds: Ram<Bits<64>, S>,
    origins: Ram<Bits<3>, S>,
    limit_compare: ThresholdCompare,
    floor_compare: ThresholdCompare,
    changes: CounterChangeCodes,

    take: Signal<Local, Bit>,
    row: Signal<Local, Bits<A>>,
    entry: Signal<Local, Bits<S>>,
    new_floor: Signal<Local, Floor>,
    low_limit: Signal<Local, Bits<64>>,
    first: Signal<Local, Bits<S>>,
    at_rise: Signal<Local, Bit>,
    at_tail: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    post_rearms_bits: Signal<Local, Bits<1>>,
    whose: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const A: usize, const S: usize> Logic for TriggerLists<A, S> {
    fn update(&mut self) {
        // The job.
        self.take.next = (self.state_q.q.val() == State::Idle) & self.job_valid.val();
        self.job_taken.next = self.take.val();
        self.row.next = self.job_counter.val();
        self.limit_q.d.next = self.job_sum.val();
        self.post_q.d.next = false;
        self.drop_q.d.next = self.job_change.val() == self.changes.free.val();
        self.forget_q.d.next = self.job_change.val() == self.changes.alloc.val();
        if self.job_request.val() {
            self.row.next = self.counter.val();
            self.limit_q.d.next = bit_cast::<65, 64>(self.threshold.val());
            self.post_q.d.next = !self.cancel.val();
            self.drop_q.d.next = self.cancel.val();
            self.forget_q.d.next = false;
        }
        self.request_q.d.next = self.job_request.val();
        self.counter_q.d.next = self.row.val();
        self.request_q.en.next = self.take.val();
        self.post_q.en.next = self.take.val();
        self.drop_q.en.next = self.take.val();
        self.forget_q.en.next = self.take.val();
        self.counter_q.en.next = self.take.val();
        self.limit_q.en.next = self.take.val();

        // The words of its list.
        self.words.counter.next = self.row.val();
        self.new_floor.next.some = self.any_kept_q.q.val().into();
        self.new_floor.next.threshold = self.floor_q.q.val();
        self.words.write.next = false;
        self.words.write_counter.next = self.counter_q.q.val();
        self.words.write_head.next = self.head_q.q.val();
        self.words.write_tail.next = self.tail_q.q.val();
        self.words.write_rise.next = self.rise_q.q.val();
        self.words.write_floor.next = self.new_floor.val();
        self.floor_write.next = false;
        self.floor_counter.next = self.counter_q.q.val();
        self.floor.next = self.new_floor.val();
        self.some_q.d.next = self.words.floor.val().some == 1;
        self.some_q.en.next = false;
        self.head_q.d.next = self.words.head.val();
        self.head_q.en.next = false;
        self.tail_q.d.next = self.words.tail.val();
        self.tail_q.en.next = false;
        self.rise_q.d.next = self.words.rise.val();
        self.rise_q.en.next = false;
        self.floor_q.d.next = self.words.floor.val().threshold;
        self.floor_q.en.next = false;

        // The entry that is looked at.
        self.first.next = self.words.head.val();
        if self.post_q.q.val() {
            self.first.next = self.words.tail.val();
        }
        self.entry.next = self.current_q.q.val();
        self.thresholds.write_addr.next = self.post_place.val();
        self.thresholds.write_data.next = self.post_threshold.val();
        self.thresholds.write_en.next = self.post_write.val();
        self.post_rearms_bits.next = self.post_rearms.val().into();
        self.origins.write_addr.next = self.post_place.val();
        self.origins.write_data.next = (bit_cast::<3, 1>(self.post_rearms_bits.val()) << 2)
            | bit_cast::<3, 2>(self.post_context.val());
        self.origins.write_en.next = self.post_write.val();
        self.nexts.write_addr.next = self.kept_q.q.val();
        self.nexts.write_data.next = self.current_q.q.val();
        self.nexts.write_en.next = false;
        self.low_limit.next = self.limit_q.q.val().get_bits::<64>(0);
        self.limit_compare.sum.next = self.limit_q.q.val();
        self.limit_compare.threshold.next = self.thresholds.read_data.val();
        self.floor_compare.sum.next = bit_cast::<65, 64>(self.thresholds.read_data.val());
        self.floor_compare.threshold.next = self.floor_q.q.val();
        self.at_rise.next = self.rising_q.q.val() | (self.current_q.q.val() == self.rise_q.q.val());
        self.at_tail.next = self.current_q.q.val() == self.tail_q.q.val();
        self.leaves.next = self.drop_q.q.val() | self.limit_compare.reached.val();
        self.waits.next = self.drop_q.q.val() & !self.dropped.ready.val();
        self.current_q.d.next = self.nexts.read_data.val();
        self.current_q.en.next = false;
        self.kept_q.d.next = self.current_q.q.val();
        self.kept_q.en.next = false;
        self.any_kept_q.d.next = true;
        self.any_kept_q.en.next = false;
        self.rising_q.d.next = self.at_rise.val();
        self.rising_q.en.next = false;

        // `Decide` comes after a cycle in which the entry was read already.
        self.origin_q.d.next = self.origins.read_data.val();
        self.whose.next = self.origin_q.q.val().get_bits::<2>(0);
        self.fired.valid.next = false;
        self.fired.data.next = self.current_q.q.val();
        self.fired_context.next = self.whose.val();
        self.fired_rearms.next = self.origin_q.q.val().get_bit(2);
        self.dropped.valid.next = false;
        self.dropped.data.next = self.current_q.q.val();
        self.dropped_context.next = self.whose.val();
        self.request_done.next = false;
        self.state_q.d.next = State::Idle;
        self.state_q.en.next = true;
        match self.state_q.q.val() {
            State::Idle => {
                self.state_q.d.next = State::Row;
                self.state_q.en.next = self.take.val();
            }
            State::Row => {
                self.some_q.en.next = true;
                self.head_q.en.next = true;
                self.tail_q.en.next = true;
                self.rise_q.en.next = true;
                self.floor_q.en.next = true;
                self.entry.next = self.first.val();
                self.current_q.d.next = self.first.val();
                self.current_q.en.next = true;
                self.any_kept_q.d.next = false;
                self.any_kept_q.en.next = true;
                self.rising_q.d.next = false;
                self.rising_q.en.next = true;
                self.limit_compare.threshold.next = self.words.floor.val().threshold;
                self.fired.data.next = self.place.val();
                self.fired_context.next = self.owner.val();
                self.fired_rearms.next = self.rearms.val();
                self.state_q.d.next = State::First;
                if self.post_q.q.val() & self.due.val() {
                    self.fired.valid.next = true;
                    self.request_done.next = true;
                    self.state_q.d.next = State::Idle;
                }
                if self.forget_q.q.val() {
                    self.state_q.d.next = State::Finish;
                }
            }
            State::First => {
                self.state_q.d.next = State::Decide;
                if self.post_q.q.val() {
                    self.floor_q.d.next = self.low_limit.val();
                    self.floor_q.en.next = !self.some_q.q.val() | !self.limit_compare.reached.val();
                } else if !self.some_q.q.val() | !self.leaves.val() {
                    self.request_done.next = self.request_q.q.val();
                    self.state_q.d.next = State::Idle;
                }
            }
            State::Decide => {
                if self.post_q.q.val() {
                    self.nexts.write_addr.next = self.tail_q.q.val();
                    self.nexts.write_data.next = self.place.val();
                    self.nexts.write_en.next = self.some_q.q.val();
                    self.head_q.d.next = self.place.val();
                    self.head_q.en.next = !self.some_q.q.val();
                    self.tail_q.d.next = self.place.val();
                    self.tail_q.en.next = true;
                    self.rise_q.d.next = self.place.val();
                    self.rise_q.en.next = !self.some_q.q.val() | !self.limit_compare.reached.val();
                    self.any_kept_q.en.next = true;
                    self.state_q.d.next = State::Finish;
                } else if self.leaves.val() {
                    self.fired.valid.next = !self.drop_q.q.val();
                    self.dropped.valid.next = self.drop_q.q.val();
                    if self.waits.val() {
                        self.state_q.en.next = false;
                    } else {
                        self.entry.next = self.nexts.read_data.val();
                        self.current_q.en.next = true;
                        self.rising_q.en.next = true;
                        self.state_q.d.next = State::Look;
                        // What stays ends here, if anything does.
                        self.tail_q.d.next = self.kept_q.q.val();
                        self.rise_q.d.next = self.kept_q.q.val();
                        if self.at_tail.val() {
                            self.tail_q.en.next = true;
                            self.rise_q.en.next = true;
                            self.state_q.d.next = State::Finish;
                        }
                    }
                } else {
                    self.nexts.write_en.next = self.any_kept_q.q.val();
                    self.head_q.d.next = self.current_q.q.val();
                    self.head_q.en.next = !self.any_kept_q.q.val();
                    self.floor_q.d.next = self.thresholds.read_data.val();
                    self.floor_q.en.next =
                        !self.any_kept_q.q.val() | !self.floor_compare.reached.val();
                    self.kept_q.en.next = true;
                    self.any_kept_q.en.next = true;
                    self.entry.next = self.nexts.read_data.val();
                    self.current_q.en.next = true;
                    self.state_q.d.next = State::Look;
                    // Nothing after it is reached either.
                    self.rise_q.d.next = self.current_q.q.val();
                    if self.at_rise.val() {
                        self.rise_q.en.next = true;
                        self.state_q.d.next = State::Finish;
                    }
                }
            }
            State::Look => {
                self.state_q.d.next = State::Decide;
            }
            State::Finish => {
                self.words.write.next = true;
                self.floor_write.next = true;
                self.request_done.next = self.request_q.q.val();
            }
            _ => {}
        }
        self.nexts.read_addr.next = self.entry.val();
        self.thresholds.read_addr.next = self.entry.val();
        self.origins.read_addr.next = self.entry.val();
    }
}
