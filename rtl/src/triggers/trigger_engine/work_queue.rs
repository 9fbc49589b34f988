//! `WorkQueue`: what the lists have still to do, in order.
//!
//! **Purpose.** Hits of the [`TriggerFilter`](super::TriggerFilter) come one a cycle, the lists take several cycles for
//! each. A request has its place among them.
//!
//! ```text
//!   hit, hit_*  -->+-----------+--> job_valid, job_request
//!   mark        -->| WorkQueue |--> job_change, job_counter, job_sum
//!   room        <--|           |<-- job_taken
//!                  +-----------+
//! ```
//!
//! **Contract.** What comes in a cycle is a job in the same cycle if nothing is before it, and stays until it is taken;
//! where `mark` and `hit` come together the request is the first job, the hit the next. `job_taken` comes only with
//! `job_valid`. While `room` is high a change may enter the filter; at most four entries come after its fall, and there
//! is a place for each. Reset empties it.
//!
//! **Internals.** 32 entries in three queues side by side, since their words have no common type, and a way past them.
//! `served_q`: the request of the oldest entry is done, its hit is left.

use crate::leaf::{Fifo, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// An entry besides counter and sum.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Entry {
    /// The request comes here.
    mark: Bits<1>,
    /// A change comes here, after the request if there is one.
    hit: Bits<1>,
    change: Bits<2>,
}

/// Jobs for the lists of `2^A` counters.
#[block]
pub struct WorkQueue<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From TriggerFilter: a change that may concern a pending operation (pulse).
    pub hit: Signal<In, Bit>,
    /// What it changed.
    pub hit_change: Signal<In, Bits<2>>,
    /// Its counter.
    pub hit_counter: Signal<In, Bits<A>>,
    /// Success + failure of the counter.
    pub hit_sum: Signal<In, Bits<65>>,
    /// From TriggerRequests: the request comes here (pulse).
    pub mark: Signal<In, Bit>,
    /// A change may enter the filter.
    pub room: Signal<Out, Bit>,
    /// There is a job.
    pub job_valid: Signal<Out, Bit>,
    /// It is the request; else a hit.
    pub job_request: Signal<Out, Bit>,
    /// Hit: what changed.
    pub job_change: Signal<Out, Bits<2>>,
    /// Hit: its counter.
    pub job_counter: Signal<Out, Bits<A>>,
    /// Hit: success + failure of the counter.
    pub job_sum: Signal<Out, Bits<65>>,
    /// The job is taken (pulse).
    pub job_taken: Signal<In, Bit>,

    entries: Fifo<Entry, 5, 6>,
    counters: Fifo<Bits<A>, 5, 6>,
    sums: Fifo<Bits<65>, 5, 6>,
    served_q: Reg<Bit>,
    /// Entries in the queues.
    level_q: Reg<Bits<6>>,
    waits: Signal<Local, Bit>,
    new_entry: Signal<Local, Entry>,
    entry: Signal<Local, Entry>,
    request: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    high: Signal<Local, Bits<3>>,
}

#[kernel]
impl<const A: usize> Logic for WorkQueue<A> {
    fn update(&mut self) {
        // The oldest entry: one that waits, else what comes in this cycle.
        self.new_entry.next.mark = self.mark.val().into();
        self.new_entry.next.hit = self.hit.val().into();
        self.new_entry.next.change = self.hit_change.val();
        self.waits.next = self.entries.read.valid.val();
        self.entry.next = self.new_entry.val();
        self.job_counter.next = self.hit_counter.val();
        self.job_sum.next = self.hit_sum.val();
        if self.waits.val() {
            self.entry.next = self.entries.read.data.val();
            self.job_counter.next = self.counters.read.data.val();
            self.job_sum.next = self.sums.read.data.val();
        }
        self.request.next = (self.entry.val().mark == 1) & !self.served_q.q.val();
        self.job_valid.next = self.waits.val() | self.hit.val() | self.mark.val();
        self.job_request.next = self.request.val();
        self.job_change.next = self.entry.val().change;

        // A request with a hit after it leaves the hit.
        self.served_q.d.next = self.request.val() & (self.entry.val().hit == 1);
        self.served_q.en.next = self.job_taken.val();
        self.leaves.next =
            self.job_taken.val() & !(self.request.val() & (self.entry.val().hit == 1));
        self.read.next = self.leaves.val() & self.waits.val();
        self.write.next =
            (self.hit.val() | self.mark.val()) & (self.waits.val() | !self.leaves.val());
        self.entries.write.data.next = self.new_entry.val();
        self.entries.write.valid.next = self.write.val();
        self.entries.read.ready.next = self.read.val();
        self.counters.write.data.next = self.hit_counter.val();
        self.counters.write.valid.next = self.write.val();
        self.counters.read.ready.next = self.read.val();
        self.sums.write.data.next = self.hit_sum.val();
        self.sums.write.valid.next = self.write.val();
        self.sums.read.ready.next = self.read.val();

        self.level_q.d.next = self.level_q.q.val() + 1;
        if self.read.val() {
            self.level_q.d.next = self.level_q.q.val() - 1;
        }
        self.level_q.en.next = self.write.val() ^ self.read.val();
        // Four places are kept for what is under way: 28 and more leave no room.
        self.high.next = self.level_q.q.val().get_bits::<3>(2);
        self.room.next = !self.high.val().all() & !self.level_q.q.val().get_bit(5);
    }
}
