//! The event of a message: its place in the ring, what it says, its write.

use super::{Completer, Part};
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

#[kernel]
impl Completer {
    /// The place in the event ring.
    pub(super) fn place(&mut self) {
        self.post_context.next = self.found.val().context;
        self.post.next = self.posts.val();
        self.told.next = self.posts.val() & self.comm.val() & !self.outcome.disabled.val();
        // Nothing is at hand after reset.
        self.told_source.next = 0.into();
        self.told_message.next = 0.into();
        if self.posts.val() {
            self.told_source.next = self.at_hand.val().source_node;
            self.told_message.next = self.at_hand.val().message_id;
        }
        self.unreserve.valid.next = self.step.val()
            & self.comm.val()
            & self.reserved.val()
            & !self.wants_event.val()
            & !self.passes.val();
        self.unreserve.data.next = self.found.val().context;
        self.contexts.write.data.next = self.found.val().context;
        self.contexts.write.valid.next = self.posts.val();
        self.contexts.read.ready.next = self.event_write_done.val();
        self.visible.data.next = self.contexts.read.data.val();
        self.visible.valid.next = self.event_write_done.val() & self.contexts.read.valid.val();
        self.event_failed.data.next = self.contexts.read.data.val();
        self.event_failed.valid.next = self.event_write_done.val()
            & self.event_write_error.val()
            & self.contexts.read.valid.val();
    }

    /// The event.
    pub(super) fn event(&mut self) {
        self.landed.next = self.at_hand.val().start;
        self.used.next = self.at_hand.val().offset;
        self.entry_start.next = self.landed.val() - self.used.val();
        self.zero.next = 0.into();
        self.delivered_length.next = 0.into();
        self.delivered_offset.next = 0.into();
        if self.outcome.ok.val() {
            self.delivered_length.next = self.at_hand.val().delivered_length;
            self.delivered_offset.next = self.at_hand.val().offset;
        }
        self.record.next.kind = self.outcome.kind.val();
        self.record.next.status = self.outcome.told.val();
        self.record.next.access = self.found.val().access;
        self.record.next.ni_fail = self.outcome.ni_fail.val();
        self.record.next.source_node = self.at_hand.val().source_node;
        self.record.next.portal_index = self.at_hand.val().portal_index;
        self.record.next.user_id = self.at_hand.val().user_id;
        self.record.next.queue_index = self.at_hand.val().queue_index;
        self.record.next.source_context = self.at_hand.val().source_context;
        self.record.next.dropped = self.post_dropped.val();
        self.record.next.match_bits = self.at_hand.val().match_bits;
        self.record.next.header_data = self.at_hand.val().header_data;
        self.record.next.start = self.at_hand.val().start;
        self.record.next.requested_length = self.at_hand.val().message_length;
        self.record.next.delivered_length = self.delivered_length.val();
        self.record.next.remote_offset = self.at_hand.val().remote_offset;
        self.record.next.packet_id = self.found.val().packet_id;
        if self.at_hand.val().lists == 1 {
            if self.at_hand.val().xtq == 1 {
                self.record.next.remote_offset = self.at_hand.val().user_pointer;
            } else {
                self.record.next.queue_index = bit_cast::<16, 1>(self.at_hand.val().list);
                self.record.next.packet_id = self.at_hand.val().user_pointer;
            }
        }
        if !self.comm.val() {
            self.record.next.kind = self.outcome.auto_unlink.val();
            if self.part_q.q.val() == Part::Free {
                self.record.next.kind = self.outcome.auto_free.val();
            }
            self.record.next.status = self.outcome.success.val();
            self.record.next.access = 0.into();
            self.record.next.ni_fail = self.outcome.no_fail.val();
            self.record.next.packet_id = self.at_hand.val().user_pointer;
            self.record.next.source_node = 0.into();
            self.record.next.source_context = 0.into();
            self.record.next.user_id = 0.into();
            self.record.next.queue_index = 0.into();
            self.record.next.match_bits = 0.into();
            self.record.next.header_data = 0.into();
            self.record.next.remote_offset = 0.into();
            self.record.next.requested_length = 0.into();
            self.record.next.delivered_length = 0.into();
            self.record.next.start = 0.into();
            if self.part_q.q.val() == Part::Free {
                self.record.next.start = self.entry_start.val();
            }
        }
        self.write.next.first = 1.into();
        self.write.next.last = 1.into();
        self.write.next.atomic = 0.into();
        self.write.next.context = self.found.val().context;
        self.write.next.length = 0.into();
        self.write.next.address = self.post_address.val();
        self.write.next.strobe = !self.zero.val();
        self.write.next.data = self.record.val().into();
        self.event_q.d.next = self.write.val();
        self.event_q.en.next = self.posts.val();
        self.event_valid_q.d.next = self.posts.val();
        self.event_valid_q.en.next = !self.event_valid_q.q.val() | self.event_write.ready.val();
        self.event_write.data.next = self.event_q.q.val();
        self.event_write.valid.next = self.event_valid_q.q.val();
    }
}
