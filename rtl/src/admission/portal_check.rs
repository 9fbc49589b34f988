//! `PortalCheck`: may a message use its portal entry, and where does it land?
//!
//! **Purpose.** The part of admission that knows the portal entry and the event ring: what is latched of the packet and
//! its entry, the arithmetic on offset and room, and the errors that are known before the table entries are.
//!
//! ```text
//!   checking, deciding, -->+-------------+--> early                   (first error so far)
//!   sending, waiting       |             |--> usable, wants_event, room_now, room_flow_now
//!   head, entry, result -->| PortalCheck |--> kept, misaligned, left
//!   room, room_flow     -->|             |--> offset, landing, payload_address
//!   open_free, stopped  -->+-------------+
//! ```
//!
//! **Contract.** At most one of the four steps is up, in the order of
//! [`AdmissionSteps`](crate::admission::admission_steps::AdmissionSteps). In `checking` the entry and the facts are
//! latched. The outputs are those of the message from the cycle after on: for a plain put all but `payload_address`,
//! for an XTQ put `early`, `offset` and `left` after `deciding`, `landing` after `sending`, `payload_address` from
//! `waiting` on. `early` is the first error in the order NO_PORTAL, PT_DISABLED, BUFFER_TOO_SMALL, no place in the
//! event ring (flow control only: PT_DISABLED), NO_MESSAGE_SLOT. `room_now` and `room_flow_now` are those of
//! `deciding`. For a head with `lists` the answer of the lists (`result`, there from `checking` on) stands in the place
//! of the entry. What it refuses is refused with the status that says why (with NO_MESSAGE_SLOT what it drops for want
//! of a place only; what it took has one). A message without acknowledgement that ends so asks for an event, like one
//! that an entry took. An XTQ put that it takes only in part is BUFFER_TOO_SMALL; a message for a
//! portal entry that was `stopped` since ends with PT_DISABLED. A single buffer can only be written: a GET or an atomic
//! is OP_VIOLATION there, before its room is looked at. A reply has no portal entry: it is refused only if its context
//! is not `enabled` (BAD_LENGTH) or by NO_MESSAGE_SLOT. `delivered_length`: bytes of the message that are delivered.
//!
//! **Internals.** One 65-bit subtractor (room left) and one 64-bit adder (offset, then landing address, then payload
//! address) are shared by the steps. An XTQ put first rounds the local offset up to 64. Errors that depend on packet,
//! entry and answer of the lists alone are latched with them (`fixed_q`, `partial_q`).

use crate::codes::match_codes::MatchCodes;
use crate::codes::status_codes::StatusCodes;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResult;
use xtq_types::pipe::{AdmissionFacts, PacketHead, PortalEntry};

/// Portal entry, buffer and event ring of the message at hand.
#[block]
pub struct PortalCheck {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Step: latch entry and facts.
    pub checking: Signal<In, Bit>,
    /// Step: offset and room of an XTQ put.
    pub deciding: Signal<In, Bit>,
    /// Step: landing address of an XTQ put.
    pub sending: Signal<In, Bit>,
    /// Step: payload address of an XTQ put.
    pub waiting: Signal<In, Bit>,
    /// Packet.
    pub head: Signal<In, PacketHead>,
    /// Its portal entry.
    pub entry: Signal<In, PortalEntry>,
    /// What the lists say, for a head with `lists`.
    pub result: Signal<In, MatchResult>,
    /// The portal entry of the lists is stopped.
    pub stopped: Signal<In, Bit>,
    /// One bit per context: takes messages.
    pub enabled: Signal<In, Bits<4>>,
    /// There is room for another open message.
    pub open_free: Signal<In, Bit>,
    /// Event ring has a place for an ordinary event, one bit per context.
    pub room: Signal<In, Bits<4>>,
    /// Event ring has a place at all.
    pub room_flow: Signal<In, Bits<4>>,
    /// The latched entry.
    pub kept: Signal<Out, PortalEntry>,
    /// First error so far, OK if there is none.
    pub early: Signal<Out, Bits<8>>,
    /// The entry exists and was enabled.
    pub usable: Signal<Out, Bit>,
    /// It asks for events.
    pub wants_event: Signal<Out, Bit>,
    /// There is a place for an ordinary event.
    pub room_now: Signal<Out, Bit>,
    /// There is a place for the event of a disabled entry.
    pub room_flow_now: Signal<Out, Bit>,
    /// The buffer does not start at a multiple of 64.
    pub misaligned: Signal<Out, Bit>,
    /// Offset used in the buffer.
    pub offset: Signal<Out, Bits<64>>,
    /// Bytes left after the message.
    pub left: Signal<Out, Bits<64>>,
    /// Landing address.
    pub landing: Signal<Out, Bits<64>>,
    /// Where the payload goes.
    pub payload_address: Signal<Out, Bits<64>>,
    /// Bytes of the message that are delivered.
    pub delivered_length: Signal<Out, Bits<32>>,

    entry_q: Reg<PortalEntry>,
    facts_q: Reg<AdmissionFacts>,
    /// The error that goes before all others, OK if there is none.
    fixed_q: Reg<Bits<8>>,
    /// The lists take it only in part.
    partial_q: Reg<Bit>,
    left_q: Reg<Bits<65>>,
    offset_q: Reg<Bits<64>>,
    landing_q: Reg<Bits<64>>,
    payload_q: Reg<Bits<64>>,
    room_q: Reg<Bit>,
    room_flow_q: Reg<Bit>,
    codes: StatusCodes,
    match_codes: MatchCodes,

    lists: Signal<Local, Bit>,
    is_reply: Signal<Local, Bit>,
    given: Signal<Local, PortalEntry>,
    options: Signal<Local, Bits<20>>,
    matched: Signal<Local, Bit>,
    crowded: Signal<Local, Bit>,
    unheard: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<4>>,
    ones: Signal<Local, Bits<64>>,
    owner: Signal<Local, Bits<2>>,
    portal: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<32>>,
    command_length: Signal<Local, Bits<16>>,
    offset_now: Signal<Local, Bits<64>>,
    offset_low: Signal<Local, Bits<6>>,
    start_now: Signal<Local, Bits<64>>,
    start_low: Signal<Local, Bits<6>>,
    pad: Signal<Local, Bits<6>>,
    landing_low: Signal<Local, Bits<6>>,
    facts: Signal<Local, AdmissionFacts>,
    fixed: Signal<Local, Bits<8>>,
    need_then: Signal<Local, Bits<33>>,
    pad_then: Signal<Local, Bits<6>>,
    remaining: Signal<Local, Bits<64>>,
    subtrahend: Signal<Local, Bits<65>>,
    difference: Signal<Local, Bits<65>>,
    addend: Signal<Local, Bits<64>>,
    augend: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for PortalCheck {
    fn update(&mut self) {
        // The entry: a single buffer, or what the lists found.
        self.lists.next = self.head.val().lists == 1;
        self.ones.next = 0.into();
        self.options.next = self.result.val().options;
        self.outcome.next = bit_cast::<4, 3>(self.result.val().outcome);
        self.matched.next = self.outcome.val() == self.match_codes.matched.val();
        // An entry matched, but there is no place to follow the message. If it asks for no acknowledgement nobody would
        // hear of that, so it has an event.
        self.crowded.next = (self.outcome.val() == self.match_codes.dropped.val())
            & (self.result.val().crowded == 1);
        self.unheard.next = self.crowded.val() & (self.head.val().ack_request == 0);
        self.given.next = self.entry.val();
        if self.lists.val() {
            self.given.next.enabled = 1.into();
            self.given.next.flow_control = self.result.val().flow_control;
            self.given.next.event_success = (self.matched.val()
                & !self.options.val().get_bit(8)
                & !self.options.val().get_bit(10))
            .into();
            self.given.next.event_failure =
                ((self.matched.val() | self.unheard.val()) & !self.options.val().get_bit(8)).into();
            self.given.next.start = self.result.val().start;
            self.given.next.offset = self.result.val().offset;
            self.given.next.remaining = !self.ones.val();
        }
        self.is_reply.next = self.head.val().reply == 1;
        if self.is_reply.val() {
            self.given.next.enabled = 0.into();
            self.given.next.flow_control = 0.into();
            self.given.next.event_success = 0.into();
            self.given.next.event_failure = 0.into();
        }

        // Bytes the message needs: an XTQ put first rounds the local offset up to 64.
        self.owner.next = self.head.val().context;
        self.portal.next = self.head.val().portal_index;
        self.length.next = self.head.val().message_length;
        self.command_length.next = self.head.val().command_length;
        self.start_now.next = self.given.val().start;
        self.start_low.next = self.start_now.val().get_bits::<6>(0);
        self.offset_now.next = self.given.val().offset;
        self.offset_low.next = self.offset_now.val().get_bits::<6>(0);
        self.pad.next = 0.into();
        if (self.head.val().xtq == 1) & !self.lists.val() {
            self.pad.next = !self.offset_low.val();
            self.pad.next = self.pad.val() + 1;
        }

        self.landing_low.next = 0.into();

        // What is latched first. `misaligned` is the landing's, as offsets are rounded up (by the lists those that they
        // keep).
        self.facts.next.no_portal = ((self.portal.val() >= 16) & !self.lists.val()).into();
        self.facts.next.full = (!self.open_free.val()).into();
        self.facts.next.misaligned = self.start_low.val().any().into();
        if self.lists.val() {
            self.landing_low.next = self.start_low.val() + self.offset_low.val();
            self.facts.next.misaligned = self.landing_low.val().any().into();
        }
        self.facts.next.pad = self.pad.val();
        self.facts.next.need =
            bit_cast::<33, 32>(self.length.val()) + bit_cast::<33, 6>(self.pad.val());
        self.facts_q.d.next = self.facts.val();
        self.facts_q.en.next = self.checking.val();
        self.entry_q.d.next = self.given.val();
        self.entry_q.en.next = self.checking.val();
        self.need_then.next = self.facts_q.q.val().need;
        self.pad_then.next = self.facts_q.q.val().pad;

        // One subtractor: room left. One adder: offset, then landing address, then payload address.
        self.remaining.next = self.given.val().remaining;
        self.subtrahend.next = bit_cast::<65, 32>(self.length.val());
        self.augend.next = self.start_now.val();
        self.addend.next = self.offset_now.val();
        if self.deciding.val() {
            self.remaining.next = self.entry_q.q.val().remaining;
            self.subtrahend.next = bit_cast::<65, 33>(self.need_then.val());
            self.augend.next = self.entry_q.q.val().offset;
            self.addend.next = bit_cast::<64, 6>(self.pad_then.val());
        }
        if self.sending.val() {
            self.augend.next = self.entry_q.q.val().start;
            self.addend.next = self.offset_q.q.val();
        }
        if self.waiting.val() {
            self.augend.next = self.landing_q.q.val();
            self.addend.next = bit_cast::<64, 16>(self.command_length.val());
        }
        self.difference.next = bit_cast::<65, 64>(self.remaining.val()) - self.subtrahend.val();
        self.sum.next = self.augend.val() + self.addend.val();

        self.left_q.en.next = self.checking.val() | self.deciding.val();
        self.left_q.d.next = self.difference.val();
        self.offset_q.en.next = self.checking.val() | self.deciding.val();
        self.offset_q.d.next = self.sum.val();
        if self.checking.val() {
            self.offset_q.d.next = self.offset_now.val();
        }
        self.landing_q.en.next = self.checking.val() | self.sending.val();
        self.landing_q.d.next = self.sum.val();
        self.payload_q.en.next = self.waiting.val();
        self.payload_q.d.next = self.sum.val();

        // What entry and event ring say.
        self.room_now.next = self.room_q.q.val();
        self.room_flow_now.next = self.room_flow_q.q.val();
        if self.deciding.val() {
            self.room_now.next = self.room.val().get_bit(self.owner.val().index());
            self.room_flow_now.next = self.room_flow.val().get_bit(self.owner.val().index());
        }
        self.room_q.en.next = self.deciding.val();
        self.room_q.d.next = self.room_now.val();
        self.room_flow_q.en.next = self.deciding.val();
        self.room_flow_q.d.next = self.room_flow_now.val();
        self.wants_event.next =
            (self.entry_q.q.val().event_success == 1) | (self.entry_q.q.val().event_failure == 1);
        self.usable.next =
            (self.facts_q.q.val().no_portal == 0) & (self.entry_q.q.val().enabled == 1);
        if self.lists.val() {
            self.usable.next = self.matched.val();
        }

        // The errors that are latched.
        self.fixed.next = self.codes.ok.val();
        if self.lists.val() {
            if self.outcome.val() == self.match_codes.operation.val() {
                self.fixed.next = self.codes.op_violation.val();
            }
            if self.outcome.val() == self.match_codes.permission.val() {
                self.fixed.next = self.codes.perm_violation.val();
            }
            if self.outcome.val() == self.match_codes.disabled.val() {
                self.fixed.next = self.codes.pt_disabled.val();
            }
            if self.outcome.val() == self.match_codes.dropped.val() {
                self.fixed.next = self.codes.no_match.val();
                if self.crowded.val() {
                    self.fixed.next = self.codes.no_message_slot.val();
                }
            }
            if self.outcome.val() == self.match_codes.no_portal.val() {
                self.fixed.next = self.codes.no_portal.val();
            }
        } else {
            if (self.head.val().get == 1) | (self.head.val().atomic == 1) {
                self.fixed.next = self.codes.op_violation.val();
            }
            if self.entry.val().enabled == 0 {
                self.fixed.next = self.codes.pt_disabled.val();
            }
            if self.facts.val().no_portal == 1 {
                self.fixed.next = self.codes.no_portal.val();
            }
        }
        if self.is_reply.val() {
            self.fixed.next = self.codes.ok.val();
        }
        self.fixed_q.en.next = self.checking.val();
        self.fixed_q.d.next = self.fixed.val();
        self.partial_q.en.next = self.checking.val();
        self.partial_q.d.next = (self.head.val().xtq == 1)
            & (self.result.val().mlength != self.head.val().message_length);

        // The first error: from the last to the first, each overriding the ones before it.
        self.early.next = self.codes.ok.val();
        if (self.facts_q.q.val().full == 1)
            & (self.head.val().last == 0)
            & (!self.lists.val() | self.is_reply.val())
        {
            self.early.next = self.codes.no_message_slot.val();
        }
        if self.is_reply.val() {
            if !self.enabled.val().get_bit(self.owner.val().index()) {
                self.early.next = self.codes.bad_length.val();
            }
        } else if self.lists.val() {
            if self.partial_q.q.val() {
                self.early.next = self.codes.buffer_too_small.val();
            }
            if self.stopped.val() {
                self.early.next = self.codes.pt_disabled.val();
            }
        } else {
            if (self.entry_q.q.val().flow_control == 1)
                & self.wants_event.val()
                & !self.room_now.val()
            {
                self.early.next = self.codes.pt_disabled.val();
            }
            if self.left_q.q.val().get_bit(64) {
                self.early.next = self.codes.buffer_too_small.val();
            }
        }
        if self.fixed_q.q.val().any() {
            self.early.next = self.fixed_q.q.val();
        }
        self.delivered_length.next = self.length.val();
        if self.lists.val() {
            self.delivered_length.next = self.result.val().mlength;
        }

        self.kept.next = self.entry_q.q.val();
        self.misaligned.next = self.facts_q.q.val().misaligned == 1;
        self.offset.next = self.offset_q.q.val();
        self.left.next = self.left_q.q.val().get_bits::<64>(0);
        self.landing.next = self.landing_q.q.val();
        // The queue may answer in the cycle in which the address is computed.
        self.payload_address.next = self.payload_q.q.val();
        if self.waiting.val() {
            self.payload_address.next = self.sum.val();
        }
    }
}
