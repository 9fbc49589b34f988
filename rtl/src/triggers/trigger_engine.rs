//! `TriggerEngine`: commands that wait for a counter, and fire when it has reached their threshold.
//!
//! **Purpose.** Triggered operations as Portals 4 has them: a command is posted with a counter and a threshold and
//! fires, once or each time a period later, when success + failure of the counter is at least that. It does not count
//! ([`CounterBank`](crate::triggers::counter_bank::CounterBank) does) and does not look into a command.
//!
//! ```text
//!   request_cancel, _context -->+---------------+--> answer_valid, answer
//!   request_counter, _threshold |               |
//!   request_period, _command -->|               |--> fire_command, fire_context, fire_rearms
//!   request_valid            -->|               |--> fire_valid, fire_waits, rearm
//!   request_ready            <--| TriggerEngine |<-- fire_ready, fire_pass
//!   update_counter, _context -->|               |
//!   update_change, _sum      -->|               |<-- occupied_context
//!   update_valid             -->|               |--> occupied
//!   update_ready             <--|               |
//!                               +---------------+
//! ```
//!
//! **Contract.** *Order.* Requests and updates have the order of their handshakes; a request comes before the update of
//! the same cycle. Commands fire in the order in which their thresholds are reached, of those reached by one update in
//! posting order whatever their thresholds, each once; what is reached when it is posted (or has threshold 0) fires at
//! once. What is reached fires whatever happens to the counter afterwards. In this order the commands of a context are
//! offered; those of different contexts in turn. A cancellation, and an update FREE, remove what is pending on the
//! counter and nothing that is reached.
//!
//! *Requests.* One at a time. A post is answered in the second cycle after its handshake: NOT_ALLOCATED, NOT_OWNER or
//! NO_SPACE and nothing is stored, or OK. A cancellation is refused in the same cycle or answered OK when it is done.
//! Each operation takes a place from its post until its command has left or it is cancelled. Each context has a quarter
//! of the `2^S` places, so NO_SPACE is never the doing of another. The last of them is for what fires at once: a
//! consumer that posts nothing of a context with a bit in `fire_waits` never meets NO_SPACE for such a post.
//!
//! *Re-arming.* A command that was posted with a period waits again when it has left, with threshold + period: as if
//! posted in the cycle of `rearm`, in the place that it has kept. It never takes the last place, and is not in
//! `fire_waits` when it has fired. It ends if its counter is cancelled or freed, also if it has fired and not left
//! (then it leaves once), and if the sum has more than 64 bits. Leaving to `rearm` takes 6 cycles if no request is in
//! between; requests and re-arming come in turn.
//!
//! *Updates* are those of the counter bank: the first for a counter is ALLOC, the last FREE. One a cycle, while fewer
//! than 28 wait for the lists; `update_ready` does not depend on `fire_ready`. An update that reaches nothing pending
//! is done with in two cycles. One that fires takes 3 + 2 *n* cycles of the lists, *n* the entries that are looked at
//! (at most `2^S / 4`). Those of the same counter in the 4 + 2 *n* cycles after it are compared with what it has fired
//! too, and take 3 each. ALLOC takes 3, FREE of *n* entries 3 + 2 *n*, a post 5. `update_ready` comes back after at
//! most four of these.
//!
//! *Fire.* From the update to `fire_valid` 6 cycles if the lists are idle and the oldest entry is reached; two more for
//! each entry in front of it. The consumer may stall for as long as it likes, and meanwhile post, cancel and count: all
//! places fit into the queues of what has fired, so nothing waits for it. With `fire_pass` instead of `fire_ready` it
//! says that the command cannot go now: then that of another context takes its place if there is one, and it comes
//! again; in the cycle after nothing is on offer. `fire_waits` has the bit of a context from the handshake of its post
//! until that is in its list, and while a command of it has fired and not left. There is nothing that the user must
//! guarantee against a deadlock; a chain of commands that post commands ends with NO_SPACE.
//!
//! **Internals.** Lists in posting order, one a counter. Cost: a post 5 cycles, always; a firing looks at the entries
//! in front of the last descent of the thresholds, at those that fire, and at one more. A program that posts in the
//! order of its thresholds pays for what fires only; the worst is the whole list a firing. Lists sorted by threshold
//! have that worst case at each post instead, and what one update fires must be sorted back into posting order, with
//! sequence numbers that wrap. Here the order is in the lists, and nothing counts.
//!
//! ```text
//!   updates --> TriggerFilter --> WorkQueue --> TriggerLists --> TriggerStore --> fire
//!                    ^  (floor)       ^ mark        |                ^   | left
//!                    +----------------|-------------+         place, |   v
//!                                     |                      command | RearmQueue
//!   requests ---------------> TriggerRequests -----------------------+   | again
//!                                     ^----------------------------------+
//!
//!   cycle   0        1         2          3     4         5        6
//!           update | compare | hit, job | Row | compare | Decide | fire
//! ```

mod fired_queues;
mod list_table;
mod place_shares;
mod rearm_queue;
mod threshold_compare;
mod trigger_filter;
mod trigger_lists;
mod trigger_requests;
mod trigger_store;
mod work_queue;

pub use fired_queues::FiredQueues;
pub use list_table::ListTable;
pub use place_shares::PlaceShares;
pub use rearm_queue::RearmQueue;
pub use threshold_compare::ThresholdCompare;
pub use trigger_filter::TriggerFilter;
pub use trigger_lists::TriggerLists;
pub use trigger_requests::TriggerRequests;
pub use trigger_store::TriggerStore;
pub use work_queue::WorkQueue;

use crate::bundle::PulseOut;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `2^S` commands, a quarter for each context, that wait for `2^A` counters; `N` = `2^A`, `L` = `S + 1`.
#[block]
pub struct TriggerEngine<const A: usize, const N: usize, const S: usize, const L: usize> {
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
    /// Post: success + failure at which the command fires.
    pub request_threshold: Signal<In, Bits<64>>,
    /// Post: added to the threshold each time that the command has left, and it waits again; 0: it fires once.
    pub request_period: Signal<In, Bits<16>>,
    /// Post: the command, 128 bytes.
    pub request_command: Signal<In, Bits<1024>>,
    /// How the request ended, refused, posted or carried out:
    /// [`counter_status`](xtq_types::counter::counter_status).
    pub answer: PulseOut<Bits<3>>,

    /// From CounterBank: a counter has changed.
    pub update_valid: Signal<In, Bit>,
    /// It is taken.
    pub update_ready: Signal<Out, Bit>,
    /// Counter.
    pub update_counter: Signal<In, Bits<A>>,
    /// Its owner.
    pub update_context: Signal<In, Bits<2>>,
    /// What has changed, [`counter_change`](xtq_types::counter::counter_change).
    pub update_change: Signal<In, Bits<2>>,
    /// success + failure.
    pub update_sum: Signal<In, Bits<65>>,

    /// A command has fired.
    pub fire_valid: Signal<Out, Bit>,
    /// It is taken.
    pub fire_ready: Signal<In, Bit>,
    /// It cannot go now, another context's may; not with `fire_ready`.
    pub fire_pass: Signal<In, Bit>,
    /// The command, 128 bytes.
    pub fire_command: Signal<Out, Bits<1024>>,
    /// Context that posted it.
    pub fire_context: Signal<Out, Bits<2>>,
    /// It will wait again.
    pub fire_rearms: Signal<Out, Bit>,
    /// One bit per context: a command of it that fires once has fired and is not taken, or a post is on its way.
    pub fire_waits: Signal<Out, Bits<4>>,
    /// The command that has left first waits again from here on, or ends for good (pulse).
    pub rearm: Signal<Out, Bit>,
    /// Context whose places are asked for.
    pub occupied_context: Signal<In, Bits<2>>,
    /// Its places that are not free: pending, or fired and not taken, or to wait again; 0 to 2^S / 4; same
    /// cycle.
    pub occupied: Signal<Out, Bits<L>>,

    filter: TriggerFilter<A>,
    requests: TriggerRequests<A, N, S>,
    work: WorkQueue<A>,
    lists: TriggerLists<A, S>,
    store: TriggerStore<S, L>,
    again: RearmQueue<A, S>,
    change: Signal<Local, Bit>,
    post: Signal<Local, Bit>,
}

#[kernel]
impl<const A: usize, const N: usize, const S: usize, const L: usize> Logic
    for TriggerEngine<A, N, S, L>
{
    fn update(&mut self) {
        // Updates.
        self.update_ready.next = self.work.room.val();
        self.change.next = self.update_valid.val() & self.work.room.val();
        self.filter.change.valid.next = self.change.val();
        self.filter.change.data.next = self.update_change.val();
        self.filter.counter.next = self.update_counter.val();
        self.filter.sum.next = self.update_sum.val();
        self.filter.posting.next = self.requests.posting.val();
        self.filter.posting_counter.next = self.requests.counter.val();
        self.filter.posting_threshold.next = self.requests.threshold.val();
        self.filter.floor_write.next = self.lists.floor_write.val();
        self.filter.floor_counter.next = self.lists.floor_counter.val();
        self.filter.floor.next = self.lists.floor.val();

        // Requests. A post that is refused has written into a free place, and no more.
        self.post.next = self.request_valid.val()
            & self.requests.request_ready.val()
            & !self.request_cancel.val()
            & self.store.place.valid.val();
        self.requests.request_valid.next = self.request_valid.val();
        self.request_ready.next = self.requests.request_ready.val();
        self.requests.request_cancel.next = self.request_cancel.val();
        self.requests.request_context.next = self.request_context.val();
        self.requests.request_counter.next = self.request_counter.val();
        self.requests.request_threshold.next = self.request_threshold.val();
        self.requests.request_period.next = self.request_period.val();
        connect!(self.requests.answer => self.answer);
        self.requests.change.valid.next = self.change.val();
        self.requests.change.data.next = self.update_change.val();
        self.requests.change_counter.next = self.update_counter.val();
        self.requests.change_context.next = self.update_context.val();
        self.requests.change_sum.next = self.update_sum.val();
        self.requests.place_free.next = self.store.place.valid.val();
        self.requests.place_last.next = self.store.place_last.val();
        self.requests.free_place.next = self.store.place.data.val();
        self.requests.done.next = self.lists.request_done.val();

        self.work.hit.next = self.filter.hit.val();
        self.work.hit_change.next = self.filter.hit_change.val();
        self.work.hit_counter.next = self.filter.hit_counter.val();
        self.work.hit_sum.next = self.filter.hit_sum.val();
        self.work.mark.next = self.requests.mark.val();
        self.work.job_taken.next = self.lists.job_taken.val();

        self.lists.job_valid.next = self.work.job_valid.val();
        self.lists.job_request.next = self.work.job_request.val();
        self.lists.job_change.next = self.work.job_change.val();
        self.lists.job_counter.next = self.work.job_counter.val();
        self.lists.job_sum.next = self.work.job_sum.val();
        self.lists.cancel.next = self.requests.cancel.val();
        self.lists.due.next = self.requests.due.val();
        self.lists.counter.next = self.requests.counter.val();
        self.lists.owner.next = self.requests.take_context.val();
        self.lists.threshold.next = self.requests.threshold.val();
        self.lists.place.next = self.requests.place.val();
        self.lists.rearms.next = self.requests.rearms.val();
        self.lists.post_write.next = self.post.val();
        self.lists.post_place.next = self.store.place.data.val();
        self.lists.post_threshold.next = self.request_threshold.val();
        self.lists.post_context.next = self.request_context.val();
        self.lists.post_rearms.next = self.request_period.val().any();
        if self.requests.rearm.val() {
            self.lists.post_write.next = true;
            self.lists.post_place.next = self.again.again_place.val();
            self.lists.post_threshold.next = self.again.next_threshold.val();
            self.lists.post_context.next = self.again.again.val().context;
            self.lists.post_rearms.next = true;
        }
        connect!(self.lists.dropped => self.store.dropped);

        self.store.take_place.next = self.requests.take_place.val();
        self.store.take_context.next = self.requests.take_context.val();
        self.store.write.next = self.post.val();
        self.store.command.next = self.request_command.val();
        self.store.owner.next = self.request_context.val();
        connect!(self.lists.fired => self.store.fired);
        self.store.fired_context.next = self.lists.fired_context.val();
        self.store.fired_rearms.next = self.lists.fired_rearms.val();
        self.store.dropped_context.next = self.lists.dropped_context.val();
        self.store.occupied_context.next = self.occupied_context.val();
        self.store.fire_ready.next = self.fire_ready.val();
        self.store.fire_pass.next = self.fire_pass.val();
        self.fire_waits.next = self.store.fire_waits.val() | self.requests.busy.val();
        self.fire_valid.next = self.store.fire_valid.val();
        self.fire_command.next = self.store.fire_command.val();
        self.fire_context.next = self.store.fire_context.val();
        self.fire_rearms.next = self.store.fire_rearms.val();
        self.occupied.next = self.store.occupied.val();

        // What has left and waits again.
        self.again.left.valid.next = self.store.left.valid.val();
        self.again.left.data.next = self.store.left.data.val();
        self.again.write.next = self.requests.rearm_write.val();
        self.again.place.next = self.requests.place.val();
        self.again.counter.next = self.requests.counter.val();
        self.again.rearm.next = self.requests.kept.val();
        self.requests.again_valid.next = self.again.again_valid.val();
        self.requests.again_place.next = self.again.again_place.val();
        self.requests.again_counter.next = self.again.again_counter.val();
        self.requests.again.next = self.again.again.val();
        self.requests.next_threshold.next = self.again.next_threshold.val();
        self.requests.past.next = self.again.past.val();
        self.again.again_taken.next = self.requests.again_taken.val();
        self.rearm.next = self.requests.rearm.val();
        connect!(self.requests.ended => self.store.ended);
        self.store.ended_context.next = self.requests.take_context.val();
    }
}
