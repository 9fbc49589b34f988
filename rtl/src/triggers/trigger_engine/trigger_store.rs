//! `TriggerStore`: the commands of triggered operations, and those that have fired, in order for each context.
//!
//! **Purpose.** Holds 128 bytes for each place; what fires leaves from here. It does not know counters or thresholds.
//!
//! ```text
//!   write, command, owner   -->+--------------+--> place_valid, place_last, place
//!   take_place              -->|              |
//!   fired_valid, fired,     -->| TriggerStore |--> fire_valid, fire_command, fire_context, fire_rearms
//!   fired_context, _rearms     |              |<-- fire_ready, fire_pass
//!   dropped_valid, dropped  -->|              |--> fire_waits
//!   dropped_context         -->|              |--> dropped_ready
//!   ended_valid, ended      -->|              |--> ended_ready
//!   ended_context           -->|              |--> left_valid, left
//!   occupied_context        -->|              |--> occupied
//!                              +--------------+
//! ```
//!
//! **Contract.** `write` stores a command in `place`, which stays free until `take_place`; only with `place_valid`.
//! `fired` can come in any cycle, for each taken place once; its command is on `fire` in the next cycle if nothing
//! waits before it. Those of a context leave in the order of firing, those of different contexts in turn; one that
//! meets `fire_pass` lets another context go first. What is after one that is taken or passed comes two cycles later,
//! or three if it has fired before. `dropped` frees a place unfired; it waits in the cycle after that in which a fired
//! command is taken. What fires with `fired_rearms` keeps its place when it leaves and is on `left` in the cycle after;
//! such a place comes back with `ended`, which waits for both others. Each context has at most a quarter of the places;
//! `place_last`: it has all of them but one. A place that becomes free counts for its context in the next cycle and can
//! be taken in the one after; what others do never makes `place_valid` fall. `occupied`: places of a context, taken and
//! not yet free.
//!
//! **Internals.** The fired places wait in [`FiredQueues`] that hold all of them, so that nobody waits for the
//! consumer. The output register of the memory is the one of `fire`: while a command waits its place is read again and
//! again. What is done with it comes late, as it depends on the command; so that goes to a register first, and the
//! queues learn it in the next cycle.

use super::{FiredQueues, PlaceShares};
use crate::bundle::{PulseIn, PulseOut, StreamIn};
use crate::leaf::{Delay, NumberPool, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// `2^S` commands of 128 bytes; `L` = `S + 1`.
#[block]
pub struct TriggerStore<const S: usize, const L: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// Next free place, if there is one and `owner` may take it.
    pub place: PulseOut<Bits<S>>,
    /// It is the last one that `owner` may take.
    pub place_last: Signal<Out, Bit>,
    /// It is taken (pulse).
    pub take_place: Signal<In, Bit>,
    /// Context that takes it.
    pub take_context: Signal<In, Bits<2>>,
    /// Write the command into `place` (pulse).
    pub write: Signal<In, Bit>,
    /// Command, 128 bytes.
    pub command: Signal<In, Bits<1024>>,
    /// Context that posts it.
    pub owner: Signal<In, Bits<2>>,

    /// From TriggerLists: the place of an operation that fires.
    pub fired: PulseIn<Bits<S>>,
    /// Context that posted it.
    pub fired_context: Signal<In, Bits<2>>,
    /// It will wait again.
    pub fired_rearms: Signal<In, Bit>,
    /// To RearmQueue: the place of a command that has left and waits again.
    pub left: PulseOut<Bits<S>>,
    /// From TriggerRequests: the place of an operation that waits no more.
    pub ended: StreamIn<Bits<S>>,
    /// Context that posted it.
    pub ended_context: Signal<In, Bits<2>>,
    /// From TriggerLists: the place of an operation that is cancelled.
    pub dropped: StreamIn<Bits<S>>,
    /// Context that posted it.
    pub dropped_context: Signal<In, Bits<2>>,

    /// There is a fired command.
    pub fire_valid: Signal<Out, Bit>,
    /// It is taken.
    pub fire_ready: Signal<In, Bit>,
    /// It cannot be taken now; not with `fire_ready`.
    pub fire_pass: Signal<In, Bit>,
    /// Command, 128 bytes.
    pub fire_command: Signal<Out, Bits<1024>>,
    /// Context that posted it.
    pub fire_context: Signal<Out, Bits<2>>,
    /// It will wait again.
    pub fire_rearms: Signal<Out, Bit>,
    /// One bit per context: a command that does not wait again has fired and is not taken.
    pub fire_waits: Signal<Out, Bits<4>>,
    /// Context whose places are asked for.
    pub occupied_context: Signal<In, Bits<2>>,
    /// Its places that are not free, 0 to 2^S / 4.
    pub occupied: Signal<Out, Bits<L>>,

    commands: Ram<Bits<1024>, S>,
    free: NumberPool<S, L>,
    shares: PlaceShares<L>,
    queues: FiredQueues<S>,
    leaves_q: Delay<Bit>,
    passes_q: Delay<Bit>,
    offers: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    back: Signal<Local, Bit>,
    rearms: Signal<Local, Bit>,
}

#[kernel]
impl<const S: usize, const L: usize> Logic for TriggerStore<S, L> {
    fn update(&mut self) {
        self.place.data.next = self.free.number.data.val();
        self.shares.asker.next = self.owner.val();
        self.place.valid.next = self.free.number.valid.val() & self.shares.room.val();
        self.place_last.next = self.shares.last.val();
        self.free.take.next = self.take_place.val();
        self.commands.write_addr.next = self.free.number.data.val();
        self.commands.write_data.next = self.command.val();
        self.commands.write_en.next = self.write.val();

        self.leaves.next = self.leaves_q.q.val();
        self.offers.next =
            self.queues.offers.val() & !self.leaves_q.q.val() & !self.passes_q.q.val();
        self.leaves_q.d.next = self.offers.val() & self.fire_ready.val();
        self.passes_q.d.next = self.offers.val() & self.fire_pass.val();
        connect!(self.fired => self.queues.fired);
        self.queues.fired_context.next = self.fired_context.val();
        self.queues.fired_rearms.next = self.fired_rearms.val();
        self.queues.leaves.next = self.leaves.val();
        self.queues.pass.next = self.passes_q.q.val();
        self.commands.read_addr.next = self.queues.place.val();
        self.fire_valid.next = self.offers.val();
        self.fire_command.next = self.commands.read_data.val();
        self.fire_context.next = self.queues.offered_context.val();
        self.fire_rearms.next = self.queues.offered_rearms.val();
        self.fire_waits.next = self.queues.waits.val();

        // A place is free when its command leaves or is dropped; one that re-arms is kept.
        self.rearms.next = self.leaves.val() & self.queues.offered_rearms.val();
        self.left.data.next = self.queues.offered.val();
        self.left.valid.next = self.rearms.val();
        self.dropped.ready.next = !self.leaves.val();
        self.ended.ready.next = !self.leaves.val() & !self.dropped.valid.val();
        self.free.freed.data.next = self.ended.data.val();
        self.shares.back_context.next = self.ended_context.val();
        if self.dropped.valid.val() {
            self.free.freed.data.next = self.dropped.data.val();
            self.shares.back_context.next = self.dropped_context.val();
        }
        if self.leaves.val() {
            self.free.freed.data.next = self.queues.offered.val();
            self.shares.back_context.next = self.queues.offered_context.val();
        }
        self.back.next = (self.leaves.val() | self.dropped.valid.val() | self.ended.valid.val())
            & !self.rearms.val();
        self.free.freed.valid.next = self.back.val();
        self.shares.back.next = self.back.val();
        self.shares.take.next = self.take_place.val();
        self.shares.take_context.next = self.take_context.val();
        self.shares.occupied_context.next = self.occupied_context.val();
        self.occupied.next = self.shares.occupied.val();
    }
}
