//! `AccessRules`: what becomes of an access that is looked up: served, to wait, or to be fetched.
//!
//! **Purpose.** The rules of [`L2Bank`](super::L2Bank) in one place, as a table without state.
//!
//! ```text
//!   request, is_*       -->+-------------+--> serve, status, insert, leave, hold_*, claim
//!   hit, dirty, locks   -->|             |--> install, forget, soil, clean, used
//!   ahead, claimed      -->| AccessRules |--> touch, take_rmw, take_store, unlock, evict
//!   victim, error       -->+-------------+--> write, write_back, write_through, counts
//! ```
//!
//! **Contract.** Combinational. One of `is_new` (a request), `is_replay` (one that waited), `is_fill` (one whose line
//! has come), `is_rmw_write`, or none. What an access does is reported for the way that holds its line, for a fill the
//! way that it takes.
//! * `serve`: it is answered, with `status`. Else it waits: `insert` (a new one) with `hold_ready`, `hold_fetch` or
//!   neither.
//! * `write`: the line, as [`LineUpdate`](super::LineUpdate) makes it, goes to the data array. `write_back`: the line
//!   that is there goes to memory; `write_through`: what the access wrote does.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::l2::L2Request;

/// The decision about one access.
#[block]
pub struct AccessRules {
    /// The access.
    pub request: Signal<In, L2Request>,
    /// It is new.
    pub is_new: Signal<In, Bit>,
    /// It has waited.
    pub is_replay: Signal<In, Bit>,
    /// Its line has come.
    pub is_fill: Signal<In, Bit>,
    /// It came by the entry of `RMW_WRITE`.
    pub is_rmw_write: Signal<In, Bit>,
    /// The fetch failed.
    pub error: Signal<In, Bit>,
    /// A request that waited: it needed a fetch.
    pub missed: Signal<In, Bit>,
    /// The line is in the cache.
    pub hit: Signal<In, Bit>,
    /// The line, or the victim of a fill, is dirty.
    pub dirty: Signal<In, Bit>,
    /// The requester has locked it.
    pub mine: Signal<In, Bit>,
    /// Another thread has locked it.
    pub others: Signal<In, Bit>,
    /// It is STORE-locked.
    pub stored: Signal<In, Bit>,
    /// The set has room for an RMW lock.
    pub rmw_room: Signal<In, Bit>,
    /// The set has room for a STORE lock.
    pub store_room: Signal<In, Bit>,
    /// A fill finds a way that is not locked.
    pub victim: Signal<In, Bit>,
    /// Others wait for the line, and come first.
    pub ahead: Signal<In, Bit>,
    /// Others wait for an RMW lock in the set, and come first.
    pub claimed: Signal<In, Bit>,
    /// It is answered.
    pub serve: Signal<Out, Bit>,
    /// How, see [`status`](xtq_types::l2::status).
    pub status: Signal<Out, Bits<2>>,
    /// The answer's `hit`.
    pub was_hit: Signal<Out, Bit>,
    /// The answer's `uncached`.
    pub uncached: Signal<Out, Bit>,
    /// It is put into the queue.
    pub insert: Signal<Out, Bit>,
    /// It leaves the queue.
    pub leave: Signal<Out, Bit>,
    /// It waits for those ahead of it.
    pub hold_ready: Signal<Out, Bit>,
    /// It waits for its line to be fetched.
    pub hold_fetch: Signal<Out, Bit>,
    /// It waits for an RMW lock in the set.
    pub claim: Signal<Out, Bit>,
    /// It needs a fetch.
    pub miss: Signal<Out, Bit>,
    /// The line is installed.
    pub install: Signal<Out, Bit>,
    /// The line is dropped.
    pub forget: Signal<Out, Bit>,
    /// The line becomes dirty.
    pub soil: Signal<Out, Bit>,
    /// The line becomes clean.
    pub clean: Signal<Out, Bit>,
    /// The line is used.
    pub used: Signal<Out, Bit>,
    /// Access to the line.
    pub touch: Signal<Out, Bit>,
    /// RMW-lock the line.
    pub take_rmw: Signal<Out, Bit>,
    /// STORE-lock the line.
    pub take_store: Signal<Out, Bit>,
    /// Unlock the line.
    pub unlock: Signal<Out, Bit>,
    /// Another line goes.
    pub evict: Signal<Out, Bit>,
    /// Write the line to the data array.
    pub write: Signal<Out, Bit>,
    /// Write the line in the data array to memory.
    pub write_back: Signal<Out, Bit>,
    /// Write to memory what the access wrote.
    pub write_through: Signal<Out, Bit>,
    /// A locked store gets no lock.
    pub overflow: Signal<Out, Bit>,
    /// An access to data that was a hit.
    pub count_hit: Signal<Out, Bit>,
    /// An access to data that was a miss.
    pub count_miss: Signal<Out, Bit>,
    is_cp: Signal<Local, Bit>,
    is_known: Signal<Local, Bit>,
    is_rmw_read: Signal<Local, Bit>,
    is_locked_store: Signal<Local, Bit>,
    is_invalidate: Signal<Local, Bit>,
    is_maintenance: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    wants_store: Signal<Local, Bit>,
    no_rmw: Signal<Local, Bit>,
    looked_up: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    served: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    was_there: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AccessRules {
    fn update(&mut self) {
        // What is asked for.
        self.is_cp.next = self.request.val().cp.any();
        self.is_known.next = true;
        self.is_rmw_read.next = false;
        self.is_locked_store.next = false;
        self.is_invalidate.next = false;
        self.is_maintenance.next = false;
        self.writes.next = false;
        match self.request.val().op.index() {
            0 => self.writes.next = false,
            1 => self.writes.next = true,
            2 => {
                self.writes.next = true;
                self.is_locked_store.next = true;
            }
            3 => {
                self.is_rmw_read.next = true;
                self.is_known.next = self.is_cp.val();
            }
            4 => self.writes.next = true,
            5 => self.writes.next = true,
            6 => self.writes.next = true,
            7 => {
                self.is_maintenance.next = true;
                self.is_invalidate.next = true;
            }
            8 => self.is_maintenance.next = true,
            _ => self.is_known.next = false,
        }
        self.wants_store.next = self.is_locked_store.val() & !self.is_cp.val();
        self.no_rmw.next = self.is_rmw_read.val() & (!self.rmw_room.val() | self.claimed.val());
        self.looked_up.next = self.is_new.val() | self.is_replay.val();

        self.served.next = false;
        self.refused.next = false;
        self.status.next = 0.into();
        self.uncached.next = false;
        self.hold_ready.next = false;
        self.fetches.next = false;
        self.claim.next = false;
        self.install.next = false;
        self.forget.next = false;
        self.soil.next = false;
        self.clean.next = false;
        self.used.next = false;
        self.touch.next = false;
        self.take_rmw.next = false;
        self.take_store.next = false;
        self.unlock.next = false;
        self.evict.next = false;
        self.write.next = false;
        self.write_back.next = false;
        self.write_through.next = false;
        self.overflow.next = false;

        if self.is_rmw_write.val() {
            self.served.next = true;
            if self.hit.val() & self.mine.val() & (self.request.val().op == 9) {
                self.unlock.next = true;
                self.write.next = true;
                self.soil.next = true;
                self.used.next = true;
            } else {
                self.refused.next = true;
            }
        } else if self.is_fill.val() {
            if self.error.val() {
                self.served.next = true;
                self.status.next = 2.into();
            } else if self.no_rmw.val() {
                self.claim.next = true;
            } else if self.victim.val() | self.is_rmw_read.val() {
                self.served.next = true;
                self.install.next = true;
                self.evict.next = true;
                self.write.next = true;
                self.write_back.next = self.dirty.val();
                self.soil.next = self.writes.val();
                self.used.next = true;
                self.take_rmw.next = self.is_rmw_read.val();
                self.take_store.next = self.wants_store.val();
                self.overflow.next = self.wants_store.val() & !self.store_room.val();
            } else {
                self.served.next = true;
                self.uncached.next = true;
                self.write_through.next = self.writes.val();
                self.overflow.next = self.wants_store.val();
            }
        } else if self.looked_up.val() {
            if !self.is_known.val() {
                self.served.next = true;
                self.refused.next = true;
            } else if self.ahead.val() {
                self.hold_ready.next = true;
            } else if self.hit.val() {
                if self.others.val()
                    | (self.is_invalidate.val()
                        & (self.mine.val() | (self.stored.val() & !self.is_cp.val())))
                {
                    self.served.next = false;
                } else if self.no_rmw.val() & !self.mine.val() {
                    self.claim.next = true;
                } else {
                    self.served.next = true;
                    self.touch.next = true;
                    self.used.next = !self.is_maintenance.val();
                    self.write.next = self.writes.val();
                    self.soil.next = self.writes.val();
                    self.forget.next = self.is_invalidate.val();
                    self.clean.next = self.is_maintenance.val();
                    self.write_back.next = self.is_maintenance.val() & self.dirty.val();
                    self.take_rmw.next = self.is_rmw_read.val() & !self.mine.val();
                    self.take_store.next = self.wants_store.val();
                    self.overflow.next =
                        self.wants_store.val() & !self.stored.val() & !self.store_room.val();
                }
            } else if self.is_maintenance.val() {
                self.served.next = true;
            } else {
                self.fetches.next = true;
            }
        }

        if self.refused.val() {
            self.status.next = 1.into();
        }
        self.serve.next = self.served.val();
        self.insert.next = self.is_new.val() & !self.served.val();
        self.leave.next = (self.is_replay.val() | self.is_fill.val()) & self.served.val();
        self.hold_fetch.next = self.fetches.val();
        self.miss.next = self.fetches.val() | (self.is_new.val() & !self.hit.val());
        self.was_there.next = self.hit.val() & !self.is_fill.val() & !self.missed.val();
        self.was_hit.next = self.was_there.val();
        self.counted.next = self.served.val()
            & !self.refused.val()
            & !self.is_rmw_write.val()
            & !self.is_maintenance.val();
        self.count_hit.next = self.counted.val() & self.was_there.val();
        self.count_miss.next = self.counted.val() & !self.was_there.val();
    }
}
