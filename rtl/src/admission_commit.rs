//! `AdmissionCommit`: everything that a decision changes, at one edge.
//!
//! **Purpose.** Turns a decision into commits: portal entry, message slot, place in the event ring. So a message that is refused
//! leaves no trace but its event, and no two parts of a decision can fall apart.
//!
//! ```text
//!   finish, stray, aborting, can -->+-----------------+--> go, delivered, opening
//!   first, status, length        -->| AdmissionCommit |--> commit, commit_*
//!   entry, usable, offset, left  -->|                 |--> disabling, place
//!   wants_event, room_now, *_flow-->|                 |--> reserve, lost
//!   enabled_now                  -->+-----------------+--> outcome
//! ```
//!
//! **Contract.** Combinational. `go`: what is asked for (`finish`, `stray`, `aborting`) happens at this edge; `opening`: with it, a message is decided about
//! that takes a slot. Exhaustion (buffer, queue, event ring, open messages) disables an entry with flow control. If the host or the completer disabled it since it was
//! read (`enabled_now`), the message ends as if it had come later: PT_DISABLED without an event. A message that is delivered is not concerned.
//!
//! **Internals.** An ordinary message takes an ordinary place in the event ring; the one that disables the entry takes the place that
//! the ring keeps for that. If there is none the event is lost.

use crate::status_codes::StatusCodes;
use crate::types::pipe::PortalEntry;
use rust_hdl::prelude::*;

/// What a decision changes.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct AdmissionCommit {
    /// The message or packet is decided about.
    pub finish: Signal<In, Bit>,
    /// The packet is to be discarded.
    pub stray: Signal<In, Bit>,
    /// The open message is to be ended.
    pub aborting: Signal<In, Bit>,
    /// Everything that this needs has room.
    pub can: Signal<In, Bit>,
    /// First packet of its message.
    pub first: Signal<In, Bit>,
    /// With `finish`: outcome.
    pub status: Signal<In, Bits<8>>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Portal entry.
    pub entry: Signal<In, PortalEntry>,
    /// It is enabled in this cycle.
    pub enabled_now: Signal<In, Bit>,
    /// It exists and was enabled.
    pub usable: Signal<In, Bit>,
    /// It asks for events.
    pub wants_event: Signal<In, Bit>,
    /// There is a place for an ordinary event.
    pub room_now: Signal<In, Bit>,
    /// There is a place for the event of a disabled entry.
    pub room_flow_now: Signal<In, Bit>,
    /// Offset that the message uses.
    pub offset: Signal<In, Bits<64>>,
    /// Bytes left behind it.
    pub left: Signal<In, Bits<64>>,
    /// It happens.
    pub go: Signal<Out, Bit>,
    /// Outcome that counts.
    pub outcome: Signal<Out, Bits<8>>,
    /// Outcome is OK.
    pub delivered: Signal<Out, Bit>,
    /// A message takes a slot.
    pub opening: Signal<Out, Bit>,
    /// Write the portal entry.
    pub commit: Signal<Out, Bit>,
    /// New local offset.
    pub commit_offset: Signal<Out, Bits<64>>,
    /// New room.
    pub commit_remaining: Signal<Out, Bits<64>>,
    /// The entry is disabled.
    pub disabling: Signal<Out, Bit>,
    /// The message holds a place in the event ring.
    pub place: Signal<Out, Bit>,
    /// It is reserved now.
    pub reserve: Signal<Out, Bit>,
    /// There is none, the event is lost.
    pub lost: Signal<Out, Bit>,
    codes: StatusCodes,
    exhausted: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    gone: Signal<Local, Bit>,
    wants_place: Signal<Local, Bit>,
}

impl Logic for AdmissionCommit {
    #[hdl_gen]
    fn update(&mut self) {
        self.go.next =
            (self.finish.val() | self.stray.val() | self.aborting.val()) & self.can.val();
        self.opening.next = self.go.val() & self.finish.val() & self.first.val();
        self.delivered.next = !self.status.val().any();
        self.exhausted.next = (self.status.val() == self.codes.queue_full.val())
            | (self.status.val() == self.codes.buffer_too_small.val())
            | (self.status.val() == self.codes.no_message_slot.val())
            | (self.status.val() == self.codes.pt_disabled.val());
        self.flow.next =
            self.usable.val() & (self.entry.val().flow_control == 1) & self.exhausted.val();
        self.disabling.next = self.flow.val() & self.enabled_now.val();
        self.gone.next = self.flow.val() & !self.enabled_now.val();
        self.outcome.next = self.status.val();
        if self.gone.val() {
            self.outcome.next = self.codes.pt_disabled.val();
        }

        self.wants_place.next = self.usable.val() & self.wants_event.val() & !self.gone.val();
        self.place.next = self.wants_place.val() & self.room_now.val();
        if self.disabling.val() {
            self.place.next = self.room_flow_now.val();
        }
        self.reserve.next = self.opening.val() & self.place.val();
        self.lost.next = self.opening.val() & self.wants_place.val() & !self.place.val();

        self.commit.next = self.opening.val() & (self.delivered.val() | self.disabling.val());
        self.commit_offset.next = self.entry.val().offset;
        self.commit_remaining.next = self.entry.val().remaining;
        if self.delivered.val() {
            self.commit_offset.next = self.offset.val() + bit_cast::<64, 32>(self.length.val());
            self.commit_remaining.next = self.left.val();
        }
    }
}
