//! What can be seen of the pipeline: counts, causes of interrupts, and what happens to each message.

use super::TargetPipeline;
use xtq_kernel::kernel;

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize>
    TargetPipeline<C, P, N, I, T>
{
    /// Counts and what the interrupt needs.
    pub(super) fn counts(&mut self) {
        self.count_packet.next = self.parser.count_packet.val();
        connect!(self.parser.drop => self.drop);
        self.drop_stray.next = self.admission.drop_stray.val();
        self.count_hit.next = self.cache.count_hit.val();
        self.count_miss.next = self.cache.count_miss.val();
        self.count_ok.next = self.completer.count_ok.val();
        self.count_late_drop.next = self.completer.count_late_drop.val();
        self.late_context.next = self.completer.post_context.val();
        self.count_failed.next = self.completer.count_failed.val();
        self.count_doorbell.next = self.doorbell.count_doorbell.val();
        connect!(self.merge.visible => self.event_visible);
        connect!(self.places.event_failed => self.event_failed);
        connect!(self.places.event_lost => self.event_lost);
        connect!(self.completer.memory_error => self.memory_failed);
    }

    /// What happens to each message.
    pub(super) fn traces(&mut self) {
        self.trace.parse.next = self.matching.passes.val();
        self.trace.parse_source.next = self.parser.head.data.val().source_node;
        self.trace.parse_message.next = self.parser.head.data.val().message_id;
        self.trace.admit.next = self.admission.write_info.val();
        self.trace.admit_slot.next = self.admission.info_slot.val();
        self.trace.admit_source.next = self.admission.info.val().source_node;
        self.trace.admit_message.next = self.admission.info.val().message_id;
        self.trace.admit_status.next = self.admission.decided.val();
        self.trace.admit_task_hit.next = self.lookup.task_hit.val();
        self.trace.admit_queue_hit.next = self.lookup.queue_hit.val();
        self.trace.rewrite.next = self.rewrite.packet.valid.val();
        self.trace.rewrite_slot.next = self.rewrite.packet_slot.val();
        self.trace.done.next = self.completer.freed.valid.val();
        self.trace.done_slot.next = self.doorbell.completion.data.val().slot;
        self.trace.done_status.next = self.doorbell.completion.data.val().status;
        self.trace.done_packet_id.next = self.doorbell.completion.data.val().packet_id;
        self.trace.tell.next = self.completer.told.val();
        self.trace.tell_context.next = self.completer.post_context.val();
        self.trace.tell_source.next = self.completer.told_source.val();
        self.trace.tell_message.next = self.completer.told_message.val();
    }
}
