//! What leaves for others: acknowledgements, GETs that are to be answered, the ends of replies.

use super::Completer;
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl Completer {
    /// The acknowledgement.
    pub(super) fn acknowledgement(&mut self) {
        self.answer.next.version = self.outcome.version.val();
        self.answer.next.opcode = self.outcome.opcode.val();
        self.answer.next.ack_request = bit_cast::<8, 1>(self.at_hand.val().ack_silent);
        self.answer.next.ni_fail = self.outcome.ni_fail.val();
        self.answer.next.source_node = self.node.val();
        self.answer.next.target_node = self.at_hand.val().source_node;
        self.answer.next.source_context = bit_cast::<8, 2>(self.found.val().context);
        self.answer.next.target_context = self.at_hand.val().source_context;
        self.answer.next.portal_index = self.at_hand.val().portal_index;
        self.answer.next.user_id = 0.into();
        self.answer.next.match_bits = 0.into();
        self.answer.next.remote_offset = self.delivered_offset.val();
        self.answer.next.header_data = 0.into();
        self.answer.next.message_length = self.delivered_length.val();
        self.answer.next.packet_offset = 0.into();
        self.answer.next.message_id = self.at_hand.val().message_id;
        self.answer.next.command_length = 0.into();
        self.answer.next.sequence = 0.into();
        self.answer.next.cumulative_ack = 0.into();
        self.answer.next.initiator_handle = self.at_hand.val().initiator_handle;
        self.answer.next.operation = self.outcome.told.val();
        self.answer.next.datatype = 0.into();
        self.answer.next.header_crc = 0.into();
        self.ack_q.d.next = self.answer.val();
        self.ack_q.en.next = self.go.val() & self.wants_ack.val();
        self.ack_valid_q.d.next = self.go.val() & self.wants_ack.val();
        self.ack_valid_q.en.next = !self.ack_valid_q.q.val() | self.ack.ready.val();
    }

    /// A GET to be answered, and the end of a reply. A reply of the wrong length could not be read at its source.
    pub(super) fn gets_and_replies(&mut self) {
        self.get.data.next = self.info.val();
        self.get_outcome.next.context = self.completion.data.val().context;
        self.get_outcome.next.status = self.completion.data.val().status;
        self.get_outcome.next.access = self.completion.data.val().access;
        self.get.valid.next = self.go.val() & (self.is_get.val() | self.follows.val());
        self.waiting.up.next = self.go.val() & (self.is_get.val() | self.follows.val());
        self.waiting.down.next = self.go.val() & self.answered_q.q.val();
        // Of the rest event and count are reported.
        if self.follows.val() {
            self.get.data.next.event_success = 0.into();
            self.get.data.next.event_failure = 0.into();
            self.get.data.next.event_reserved = 0.into();
            self.get.data.next.counted = 0.into();
            self.get.data.next.portal_disabled = self.outcome.disabled.val().into();
            self.get_outcome.next.status = self.outcome.told.val();
        }
        self.ending.next.handle = self.at_hand.val().initiator_handle;
        self.ending.next.status = self.at_hand.val().operation;
        self.ending.next.access = self.found.val().access;
        self.ending.next.ni_fail = self.at_hand.val().ni_fail;
        self.ending.next.delivered_length = self.delivered_length.val();
        self.ending.next.offset = 0.into();
        if self.outcome.ok.val() {
            self.ending.next.offset = self.at_hand.val().remote_offset;
        } else {
            self.ending.next.status = self.found.val().status;
            self.ending.next.ni_fail = self.outcome.ni_fail.val();
            if self.found.val().status == self.codes.bad_length.val() {
                self.ending.next.ni_fail = self.codes.segv.val();
            }
        }
        self.reply.data.next = self.ending.val();
        self.reply.valid.next = self.decide_q.q.val() & self.is_reply.val();
        self.ack.data.next = self.ack_q.q.val();
        self.ack.valid.next = self.ack_valid_q.q.val();
    }
}
