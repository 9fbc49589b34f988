//! `RingArbiter`: who takes and who loses a place of the event rings in a cycle.
//!
//! **Purpose.** Admission reserves places for the events of messages, [`EventMerge`](crate::events::event_merge) claims
//! them for events of the initiator, and [`EventRings`](crate::events::event_rings) has one port for both. The arbiter
//! chooses, keeps own events out of the cycles that belong to admission, and reports to Registers what was lost.
//!
//! ```text
//!                             +-------------+
//!   admission_*, holding   -->|             |--> reserve, lost, lost_count   (EventRings)
//!   own_*                  -->| RingArbiter |--> reserving, losing           (EventMerge)
//!   held_failed, visible   -->|             |--> event_lost, event_failed    (Registers)
//!                             +-------------+
//! ```
//!
//! **Contract.** Everything is answered in the same cycle; there is no state. `reserving` is up from the cycle in which
//! admission looks at the rings until it has decided, and when MatchStage holds places: in these cycles EventMerge
//! claims nothing, so at most one of the two reserves. `losing` is up when admission loses events or gives places back:
//! then EventMerge loses nothing, so `lost` names the context of both. `event_lost` is one pulse, however many events
//! `lost_count` says.
//!
//! **Internals.** Choices between two, each with the one that excludes the other.

use crate::bundle::{PulseIn, PulseOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// One place at a time for admission and for own events.
#[block]
pub struct RingArbiter {
    /// From Admission: context of the message that it decides about.
    pub admission_context: Signal<In, Bits<2>>,
    /// From Admission: it reserves a place (pulse).
    pub admission_reserve: Signal<In, Bit>,
    /// From Admission: it has looked at the rings and not decided.
    pub admission_hold: Signal<In, Bit>,
    /// From Admission: events that are lost now, 0 to 3.
    pub admission_lost: Signal<In, Bits<2>>,
    /// From Admission: places that it gives back now, 0 to 3.
    pub admission_give_back: Signal<In, Bits<2>>,
    /// From MatchStage: it holds places in this cycle.
    pub holding: Signal<In, Bit>,

    /// From EventMerge: context of the own event.
    pub own_context: Signal<In, Bits<2>>,
    /// From EventMerge: it claims a place (pulse), never while `reserving`.
    pub own_claim: Signal<In, Bit>,
    /// From EventMerge: it loses an event (pulse), never while `losing`.
    pub own_lost: Signal<In, Bit>,
    /// From EventMerge: the write of an own event failed, of context `visible` (pulse).
    pub own_failed: Signal<In, Bit>,
    /// From EventMerge: context of the event that is acknowledged now.
    pub visible: Signal<In, Bits<2>>,
    /// From Completer: the write of one of its events failed, of context `visible`.
    pub held_failed: PulseIn<Bits<2>>,

    /// To EventRings: the context in whose ring a place is to be held.
    pub reserve: PulseOut<Bits<2>>,
    /// To EventRings: context of `lost_count`, and of the places that admission gives back.
    pub lost: Signal<Out, Bits<2>>,
    /// To EventRings: events of context `lost` that find no room, 0 to 3.
    pub lost_count: Signal<Out, Bits<2>>,
    /// To EventMerge: places are counted on; claim none.
    pub reserving: Signal<Out, Bit>,
    /// To EventMerge: admission loses events or gives places back; lose none.
    pub losing: Signal<Out, Bit>,
    /// To Registers: the context in which events are lost.
    pub event_lost: PulseOut<Bits<2>>,
    /// To Registers: the context of an event that could not be written.
    pub event_failed: PulseOut<Bits<2>>,

    lost_context: Signal<Local, Bits<2>>,
    lost_now: Signal<Local, Bits<2>>,
}

#[kernel]
impl Logic for RingArbiter {
    fn update(&mut self) {
        // A place is taken.
        self.reserve.data.next = self.own_context.val();
        if self.admission_reserve.val() {
            self.reserve.data.next = self.admission_context.val();
        }
        self.reserve.valid.next = self.admission_reserve.val() | self.own_claim.val();
        // From its look at the event ring until it has decided, admission counts on what it saw.
        self.reserving.next =
            self.admission_reserve.val() | self.admission_hold.val() | self.holding.val();

        // An event is lost.
        self.lost_context.next = self.admission_context.val();
        self.lost_now.next = self.admission_lost.val();
        if self.own_lost.val() {
            self.lost_context.next = self.own_context.val();
            self.lost_now.next = 1.into();
        }
        self.lost.next = self.lost_context.val();
        self.lost_count.next = self.lost_now.val();
        self.losing.next = self.admission_lost.val().any() | self.admission_give_back.val().any();
        self.event_lost.data.next = self.lost_context.val();
        self.event_lost.valid.next = self.lost_now.val().any();

        // An event could not be written.
        self.event_failed.data.next = self.visible.val();
        self.event_failed.valid.next = self.held_failed.valid.val() | self.own_failed.val();
    }
}
