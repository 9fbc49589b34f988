//! `EventPlaces`: which events of a message find a place in the event ring.
//!
//! **Purpose.** A message may have up to three events at its end: its own, that its match entry is unlinked, that the
//! entry's buffer is free. They take the places that the message holds in this order, and those after it are missed.
//!
//! ```text
//!   held            -->+-------------+--> taken, missed
//!   own, unlinks,   -->| EventPlaces |
//!   frees           -->+-------------+--> tells_unlink, tells_free
//! ```
//!
//! **Contract.** Combinational. `taken` + `missed` = the events that the message has; `taken` <= `held`. The ring is
//! not asked: `held` says what there is.
//!
//! **Internals.** One event after the other.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// The places of one message's events.
#[block]
pub struct EventPlaces {
    /// Places that the message holds.
    pub held: Signal<In, Bits<2>>,
    /// It has an event of its own.
    pub own: Signal<In, Bit>,
    /// Its match entry is unlinked, and somebody wants to know.
    pub unlinks: Signal<In, Bit>,
    /// The entry's buffer is free, and somebody wants to know.
    pub frees: Signal<In, Bit>,
    /// Places that are used.
    pub taken: Signal<Out, Bits<2>>,
    /// Events without a place.
    pub missed: Signal<Out, Bits<2>>,
    /// The unlinked entry is reported.
    pub tells_unlink: Signal<Out, Bit>,
    /// The free buffer is reported.
    pub tells_free: Signal<Out, Bit>,
    used: Signal<Local, Bits<2>>,
    without: Signal<Local, Bits<2>>,
}

#[kernel]
impl Logic for EventPlaces {
    fn update(&mut self) {
        self.used.next = 0.into();
        self.without.next = 0.into();
        self.tells_unlink.next = false;
        self.tells_free.next = false;
        if self.own.val() {
            if self.held.val().any() {
                self.used.next = 1.into();
            } else {
                self.without.next = 1.into();
            }
        }
        if self.unlinks.val() {
            if self.used.val() < self.held.val() {
                self.tells_unlink.next = true;
                self.used.next = self.used.val() + 1;
            } else {
                self.without.next = self.without.val() + 1;
            }
        }
        if self.frees.val() {
            if self.used.val() < self.held.val() {
                self.tells_free.next = true;
                self.used.next = self.used.val() + 1;
            } else {
                self.without.next = self.without.val() + 1;
            }
        }
        self.taken.next = self.used.val();
        self.missed.next = self.without.val();
    }
}
