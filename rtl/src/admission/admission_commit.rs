//! `AdmissionCommit`: everything that a decision changes, at one edge.
//!
//! **Purpose.** Turns a decision into commits: portal entry, message slot, place in the event ring. So a message that
//! is refused leaves no trace but its event, and no two parts of a decision can fall apart.
//!
//! ```text
//!   finish, stray, aborting, can -->+-----------------+--> go, delivered, opening
//!   first, status, length        -->| AdmissionCommit |--> commit, commit_*
//!   entry, usable, offset, left  -->|                 |--> disabling, place, tells_unlink, tells_free, counted
//!   wants_event, room_now, *_flow-->|                 |--> reserve, lost, give_back, decided, stop
//!   enabled_now, lists, result   -->+-----------------+--> outcome
//! ```
//!
//! **Contract.** Combinational. `go`: what is asked for (`finish`, `stray`, `aborting`) happens at this edge;
//! `opening`: with it, a message is decided about that takes a slot. Exhaustion (buffer, queue, event ring, open
//! messages) disables an entry with flow control. If the host or the completer disabled it since it was read
//! (`enabled_now`), the message ends as if it had come later: PT_DISABLED without an event. A message that is delivered
//! is not concerned. A reply has no portal entry (not `usable`): it changes none. With `lists` the lists have decided
//! about the buffer already, and it is too late to take that back: the entry keeps the offset, or is gone. What they
//! disabled is reported, and what can still be exhausted, the queue, disables the portal entry (`stop`), unless it was
//! disabled since. FLOWCTRL_DISABLE of the entry that matched takes PT_DISABLED away. Of the places that
//! [`MatchStage`](crate::lists::match_stage::MatchStage) holds those that the message does not need are given back
//! (`give_back`).
//!
//! **Internals.** An ordinary message takes an ordinary place in the event ring; the one that disables the entry takes
//! the place that the ring keeps for that. If there is none the event is lost. The status comes late: what places a
//! message takes and misses is worked out with an ordinary event of its own and without, beside the status, which only
//! chooses.

use crate::admission::event_places::EventPlaces;
use crate::codes::status_codes::StatusCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResult;
use xtq_types::pipe::PortalEntry;

/// What a decision changes.
#[block]
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
    /// The lists have decided about the message.
    pub lists: Signal<In, Bit>,
    /// With `lists`: what.
    pub result: Signal<In, MatchResult>,
    /// It asks for events.
    pub wants_event: Signal<In, Bit>,
    /// There is a place for an ordinary event.
    pub room_now: Signal<In, Bit>,
    /// There is a place for the event of a disabled entry.
    pub room_flow_now: Signal<In, Bit>,
    /// Offset that the message uses.
    pub offset: Signal<In, Bits<64>>,
    /// Bytes left after it.
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
    /// Events of the message for which there is none.
    pub lost: Signal<Out, Bits<2>>,
    /// The message says that its match entry is unlinked.
    pub tells_unlink: Signal<Out, Bit>,
    /// It says that the entry's buffer is free.
    pub tells_free: Signal<Out, Bit>,
    /// It counts.
    pub counted: Signal<Out, Bit>,
    /// Places that are held for the message and not needed.
    pub give_back: Signal<Out, Bits<2>>,
    /// A result of the lists is taken.
    pub decided: Signal<Out, Bit>,
    /// Disable the portal entry of the lists.
    pub stop: Signal<Out, Bit>,
    /// The lists have disabled it.
    pub mark: Signal<Out, Bit>,
    codes: StatusCodes,
    exhausted: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    gone: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    wants_place: Signal<Local, Bit>,
    ordinary: Signal<Local, Bit>,
    unlinks: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
    silent: Signal<Local, Bit>,
    options: Signal<Local, Bits<20>>,
    held: Signal<Local, Bits<2>>,
    handle: Signal<Local, Bits<16>>,
    /// Its events, with an ordinary one of its own and without.
    with_own: EventPlaces,
    without_own: EventPlaces,
    /// Those missed without, and one more if its own is, if the message disables the entry.
    missed_flow: Signal<Local, Bits<2>>,
    flow_place: Signal<Local, Bit>,
    missed: Signal<Local, Bits<2>>,
}

#[kernel]
impl Logic for AdmissionCommit {
    fn update(&mut self) {
        self.go.next =
            (self.finish.val() | self.stray.val() | self.aborting.val()) & self.can.val();
        self.opening.next = self.go.val() & self.finish.val() & self.first.val();
        self.delivered.next = !self.status.val().any();
        self.exhausted.next = (self.status.val() == self.codes.queue_full.val())
            | (self.status.val() == self.codes.no_message_slot.val())
            | (!self.lists.val()
                & ((self.status.val() == self.codes.buffer_too_small.val())
                    | (self.status.val() == self.codes.pt_disabled.val())));
        self.flow.next =
            self.usable.val() & (self.entry.val().flow_control == 1) & self.exhausted.val();
        self.stop.next =
            self.opening.val() & self.flow.val() & self.enabled_now.val() & self.lists.val();
        self.disabling.next = self.flow.val() & self.enabled_now.val();
        self.closed.next = self.lists.val() & (self.result.val().portal_disabled == 1);
        self.mark.next = self.opening.val() & self.closed.val();
        if self.closed.val() & self.enabled_now.val() {
            self.disabling.next = true;
        }
        self.gone.next = self.flow.val() & !self.enabled_now.val();
        self.outcome.next = self.status.val();
        if self.gone.val() {
            self.outcome.next = self.codes.pt_disabled.val();
        }
        self.refused.next = self.gone.val()
            | (self.lists.val() & (self.status.val() == self.codes.pt_disabled.val()));

        // Its places: with lists they are held already, but for that of PT_DISABLED; without there is one event, and a
        // place for it or none.
        self.options.next = self.result.val().options;
        self.handle.next = self.result.val().handle;
        self.held.next = bit_cast::<2, 1>(self.room_now.val().into());
        if self.lists.val() {
            self.held.next = self.handle.val().get_bits::<2>(0);
        }
        // Of the lists also a message that no entry took may have an event.
        self.asks.next = (self.usable.val() | self.lists.val()) & self.wants_event.val();
        self.wants_place.next = self.asks.val() & !self.refused.val();
        self.ordinary.next = self.wants_place.val() & !self.disabling.val();
        self.unlinks.next = self.usable.val()
            & self.lists.val()
            & (self.result.val().auto_unlink == 1)
            & !self.options.val().get_bit(12);
        self.frees.next = self.usable.val()
            & self.lists.val()
            & (self.result.val().auto_free == 1)
            & !self.options.val().get_bit(12);
        self.with_own.held.next = self.held.val();
        self.with_own.own.next = true;
        self.with_own.unlinks.next = self.unlinks.val();
        self.with_own.frees.next = self.frees.val();
        self.without_own.held.next = self.held.val();
        self.without_own.own.next = false;
        self.without_own.unlinks.next = self.unlinks.val();
        self.without_own.frees.next = self.frees.val();
        // FLOWCTRL_DISABLE of the entry that matched.
        self.silent.next = self.lists.val() & self.options.val().get_bit(9);
        self.flow_place.next = self.room_flow_now.val() & !self.silent.val();
        self.missed_flow.next = self.without_own.missed.val();
        if !self.room_flow_now.val() & !self.silent.val() & (self.asks.val() | self.lists.val()) {
            self.missed_flow.next = self.without_own.missed.val() + 1;
        }

        // Which of these it is.
        self.counted.next = self.lists.val()
            & self.usable.val()
            & self.options.val().get_bit(13)
            & !self.refused.val()
            & !self.disabling.val();
        self.place.next = self.wants_place.val() & self.held.val().any();
        self.reserve.next =
            self.opening.val() & self.wants_place.val() & self.room_now.val() & !self.lists.val();
        self.missed.next = self.without_own.missed.val();
        self.tells_unlink.next = self.without_own.tells_unlink.val();
        self.tells_free.next = self.without_own.tells_free.val();
        if self.ordinary.val() {
            self.missed.next = self.with_own.missed.val();
            self.tells_unlink.next = self.with_own.tells_unlink.val();
            self.tells_free.next = self.with_own.tells_free.val();
        }
        if self.disabling.val() {
            self.missed.next = self.missed_flow.val();
            self.place.next = self.flow_place.val();
            self.reserve.next = self.opening.val() & self.flow_place.val();
        }
        self.lost.next = 0.into();
        self.give_back.next = 0.into();
        if self.opening.val() {
            self.lost.next = self.missed.val();
            if self.lists.val() {
                self.give_back.next = self.held.val() - self.without_own.taken.val();
                if self.ordinary.val() {
                    self.give_back.next = self.held.val() - self.with_own.taken.val();
                }
            }
        }
        self.decided.next = self.opening.val() & self.lists.val();

        self.commit.next = self.opening.val()
            & (self.delivered.val() | self.disabling.val())
            & self.usable.val()
            & !self.lists.val();
        self.commit_offset.next = self.entry.val().offset;
        self.commit_remaining.next = self.entry.val().remaining;
        if self.delivered.val() {
            self.commit_offset.next = self.offset.val() + bit_cast::<64, 32>(self.length.val());
            self.commit_remaining.next = self.left.val();
        }
    }
}
