//! `TriggerStore`: the commands of triggered operations, and those that have fired, in order.
//!
//! **Purpose.** Holds 128 bytes for each place; what fires leaves from here. It does not know counters or thresholds.
//!
//! ```text
//!   write, command, owner   -->+--------------+--> place_valid, place
//!   take_place              -->|              |
//!   fired_valid, fired      -->| TriggerStore |--> fire_valid, fire_command, fire_context
//!   dropped_valid, dropped  -->|              |<-- fire_ready
//!   dropped_context         -->|              |--> dropped_ready
//!   occupied_context        -->|              |--> occupied
//!                              +--------------+
//! ```
//!
//! **Contract.** `write` stores a command in `place`, which stays free until `take_place`; only with `place_valid`. `fired` can come in any
//! cycle, for each taken place once; its command is on `fire` in the next cycle if nothing waits before it, and leaves in the order of
//! firing, one a cycle. `dropped` frees a place unfired; it waits while a fired command leaves. Each context has at most a quarter of the
//! places. A place that becomes free counts for its context in the next cycle and can be taken in the one behind; what others do never
//! makes `place_valid` fall. `occupied`: places of a context, taken and not yet free.
//!
//! **Internals.** The fired places wait in a queue that holds all of them, so that nobody waits for the consumer. The output register of
//! the memory is the one of `fire`: while a command waits its place is read again and again.

use super::PlaceShares;
use crate::leaf::{NumberPool, Ram, RamFifo, Reg};
use rust_hdl::prelude::*;

/// A command as it is stored.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Stored {
    context: Bits<2>,
    command: Bits<1024>,
}

/// `2^S` commands of 128 bytes; `L` = `S + 1`.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct TriggerStore<const S: usize, const L: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// Next free place.
    pub place: Signal<Out, Bits<S>>,
    /// There is one, and `owner` may take it.
    pub place_valid: Signal<Out, Bit>,
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

    /// From TriggerLists: the operation in `fired` fires (pulse).
    pub fired_valid: Signal<In, Bit>,
    /// Its place.
    pub fired: Signal<In, Bits<S>>,
    /// From TriggerLists: the operation in `dropped` is cancelled.
    pub dropped_valid: Signal<In, Bit>,
    /// Its place.
    pub dropped: Signal<In, Bits<S>>,
    /// Context that posted it.
    pub dropped_context: Signal<In, Bits<2>>,
    /// It is taken.
    pub dropped_ready: Signal<Out, Bit>,

    /// There is a fired command.
    pub fire_valid: Signal<Out, Bit>,
    /// It is taken.
    pub fire_ready: Signal<In, Bit>,
    /// Command, 128 bytes.
    pub fire_command: Signal<Out, Bits<1024>>,
    /// Context that posted it.
    pub fire_context: Signal<Out, Bits<2>>,
    /// Context whose places are asked for.
    pub occupied_context: Signal<In, Bits<2>>,
    /// Its places that are not free, 0 to 2^S / 4.
    pub occupied: Signal<Out, Bits<L>>,

    commands: Ram<Stored, S>,
    free: NumberPool<S, L>,
    shares: PlaceShares<L>,
    queue: RamFifo<Bits<S>, S>,
    /// Places in `queue`.
    queued_q: Reg<Bits<L>>,
    offers_q: Reg<Bit>,
    offered_q: Reg<Bits<S>>,
    stored: Signal<Local, Stored>,
    queued: Signal<Local, Bit>,
    following: Signal<Local, Bits<S>>,
    following_valid: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    exits: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    back: Signal<Local, Bit>,
}

impl<const S: usize, const L: usize> Logic for TriggerStore<S, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.commands.clk.next = self.clk.val();
        self.free.clk.next = self.clk.val();
        self.free.rst.next = self.rst.val();
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queued_q.clk.next = self.clk.val();
        self.queued_q.rst.next = self.rst.val();
        self.offers_q.clk.next = self.clk.val();
        self.offers_q.rst.next = self.rst.val();
        self.offered_q.clk.next = self.clk.val();
        self.offered_q.rst.next = self.rst.val();
        self.shares.clk.next = self.clk.val();
        self.shares.rst.next = self.rst.val();

        self.place.next = self.free.number.val();
        self.shares.asker.next = self.owner.val();
        self.place_valid.next = self.free.number_valid.val() & self.shares.room.val();
        self.free.take.next = self.take_place.val();
        self.stored.next.context = self.owner.val();
        self.stored.next.command = self.command.val();
        self.commands.write_addr.next = self.free.number.val();
        self.commands.write_data.next = self.stored.val();
        self.commands.write_en.next = self.write.val();

        // The next command to offer: of those that wait, else the one that fires now.
        self.takes.next = !self.offers_q.q.val() | self.fire_ready.val();
        self.queued.next = self.queued_q.q.val().any();
        self.following.next = self.fired.val();
        self.following_valid.next = self.fired_valid.val();
        if self.queued.val() {
            self.following.next = self.queue.read.val();
            self.following_valid.next = self.queue.read_valid.val();
        }
        self.enters.next = self.fired_valid.val() & (self.queued.val() | !self.takes.val());
        self.exits.next = self.takes.val() & self.queue.read_valid.val();
        self.queue.write.next = self.fired.val();
        self.queue.write_valid.next = self.enters.val();
        self.queue.read_ready.next = self.takes.val();
        self.queued_q.d.next = self.queued_q.q.val() + 1;
        if self.exits.val() {
            self.queued_q.d.next = self.queued_q.q.val() - 1;
        }
        self.queued_q.en.next = self.enters.val() ^ self.exits.val();

        self.offers_q.d.next = self.following_valid.val();
        self.offers_q.en.next = self.takes.val();
        self.offered_q.d.next = self.following.val();
        self.offered_q.en.next = self.takes.val();
        self.commands.read_addr.next = self.offered_q.q.val();
        if self.takes.val() {
            self.commands.read_addr.next = self.following.val();
        }
        self.fire_valid.next = self.offers_q.q.val();
        self.fire_command.next = self.commands.read_data.val().command;
        self.fire_context.next = self.commands.read_data.val().context;

        // A place is free when its command leaves or is dropped.
        self.leaves.next = self.offers_q.q.val() & self.fire_ready.val();
        self.dropped_ready.next = !self.leaves.val();
        self.free.freed.next = self.dropped.val();
        self.shares.back_context.next = self.dropped_context.val();
        if self.leaves.val() {
            self.free.freed.next = self.offered_q.q.val();
            self.shares.back_context.next = self.commands.read_data.val().context;
        }
        self.back.next = self.leaves.val() | self.dropped_valid.val();
        self.free.freed_valid.next = self.back.val();
        self.shares.back.next = self.back.val();
        self.shares.take.next = self.take_place.val();
        self.shares.take_context.next = self.take_context.val();
        self.shares.occupied_context.next = self.occupied_context.val();
        self.occupied.next = self.shares.occupied.val();
    }
}
