//! The event that is reported: what it says, and whether its process wants it.

use super::{InitiatorCompleter, Told};
use xtq_kernel::kernel;

#[kernel]
impl InitiatorCompleter {
    /// What the event says.
    pub(super) fn event(&mut self) {
        self.kept.next = self.note_q.q.val();
        self.kept_context.next = self.kept.val().context;
        self.options.next = self.md.val().options;
        self.events.next = self.options.val().get_bit(14);
        self.record.next.kind = self.codes.send_event.val();
        self.record.next.status = self.codes.ok.val();
        self.record.next.access = self.codes.none.val();
        self.record.next.ni_fail = self.codes.ni_ok.val();
        self.record.next.source_node = self.kept.val().target_node;
        self.record.next.portal_index = self.kept.val().portal_index;
        self.record.next.user_id = 0.into();
        self.record.next.queue_index = 0.into();
        self.record.next.source_context = self.kept.val().target_context;
        self.record.next.dropped = 0.into();
        self.record.next.match_bits = 0.into();
        self.record.next.header_data = 0.into();
        self.record.next.start = 0.into();
        self.record.next.requested_length = self.kept.val().length;
        self.record.next.delivered_length = self.kept.val().length;
        self.record.next.remote_offset = 0.into();
        self.record.next.packet_id = self.kept.val().user_pointer;
        self.landed.next = self.reply_q.q.val();
        self.is_get.next = self.kept.val().operation == self.codes.get.val();
        self.wanted.next = false;
        self.context_q.d.next = self.kept_context.val();
        match self.told_q.q.val() {
            Told::Sent => {
                self.wanted.next = self.events.val()
                    & !self.options.val().get_bit(5)
                    & !self.options.val().get_bit(7)
                    & !self.is_get.val();
                if self.failed_q.q.val() {
                    self.wanted.next = self.events.val();
                    self.record.next.status = self.codes.memory_error.val();
                    self.record.next.access = self.codes.payload.val();
                    self.record.next.ni_fail = self.codes.segv.val();
                    self.record.next.delivered_length = 0.into();
                }
            }
            Told::Answer => {
                self.record.next.kind = self.codes.ack_event.val();
                self.record.next.status = self.at_hand.val().operation;
                self.record.next.ni_fail = self.at_hand.val().ni_fail;
                self.record.next.delivered_length = self.at_hand.val().message_length;
                self.record.next.remote_offset = self.at_hand.val().remote_offset;
                self.wanted.next = self.events.val()
                    & (self.at_hand.val().ack_request == 0)
                    & (self.kept.val().ack_request == 1)
                    & (!self.options.val().get_bit(5)
                        | (self.at_hand.val().ni_fail != self.codes.ni_ok.val()));
            }
            Told::Reply => {
                self.record.next.kind = self.codes.reply_event.val();
                self.record.next.status = self.landed.val().status;
                self.record.next.access = self.landed.val().access;
                self.record.next.ni_fail = self.landed.val().ni_fail;
                self.record.next.delivered_length = self.landed.val().delivered_length;
                self.record.next.remote_offset = self.landed.val().offset;
                self.wanted.next = self.events.val()
                    & (!self.options.val().get_bit(5)
                        | (self.landed.val().ni_fail != self.codes.ni_ok.val()));
            }
            _ => {
                self.wanted.next = true;
                self.context_q.d.next = self.command.val().context;
                self.record.next.kind = self.codes.command_event.val();
                self.record.next.status = self.command.val().status;
                self.record.next.access = self.command.val().operation;
                self.record.next.source_node = 0.into();
                self.record.next.source_context = 0.into();
                self.record.next.portal_index = 0.into();
                self.record.next.start = self.command.val().success;
                self.record.next.remote_offset = self.command.val().failure;
                self.record.next.requested_length = 0.into();
                self.record.next.delivered_length = 0.into();
                self.record.next.packet_id = self.command.val().user_pointer;
            }
        }
        self.event_q.d.next = self.record.val();
        self.event_q.en.next = self.deciding.val();
        self.context_q.en.next = self.deciding.val();
        self.posts_q.d.next = self.wanted.val();
        self.posts_q.en.next = self.deciding.val();
        self.memory_error.valid.next =
            self.deciding.val() & (self.told_q.q.val() == Told::Sent) & self.failed_q.q.val();
        self.memory_error.data.next = self.kept_context.val();
    }
}
