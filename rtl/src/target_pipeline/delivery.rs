//! From admission to memory: bytes, atomics, and the way of a message into its queue.

use super::TargetPipeline;
use xtq_kernel::kernel;

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize>
    TargetPipeline<C, P, N, I, T>
{
    /// Bytes to memory.
    pub(super) fn bytes(&mut self) {
        connect!(self.admission.job => self.rewrite.job);
        connect!(self.bodies.read => self.rewrite.body);
        connect!(self.rewrite.beat => self.cut.beat);
        self.parting.note.data.next = self.admission.note.val();
        self.parting.note_slot.next = self.admission.info_slot.val();
        self.parting.note.valid.next = self.admission.write_info.val();
        self.scatter.note.data.next = self.admission.iovec_note.val();
        self.scatter.note_slot.next = self.admission.info_slot.val();
        self.scatter.note.valid.next = self.admission.write_info.val();
        connect!(self.cut.cut => self.parting.beat);
        connect!(self.parting.plain => self.scatter.beat);
        self.parting.scatter_quiet.next = self.scatter.quiet.val();
        self.parting.quiet.next = self.payload.quiet.val();
        connect!(self.scatter.request => self.read_port.scatter_list_request);
        connect!(self.read_port.scatter_list_result => self.scatter.result);
        connect!(self.scatter.placed => self.payload.beat);
        connect!(self.payload.payload => self.parting.plain_write);
        self.payload.payload_done.next = self.parting.plain_write_done.val();
        self.payload.payload_error.next = self.write_port.payload_error.val();
        connect!(self.parting.write => self.write_port.payload);
        self.parting.write_done.next = self.write_port.payload_done.val();
    }

    /// Atomics. The fork has waited for the puts before them.
    pub(super) fn atomic_messages(&mut self) {
        connect!(self.parting.job => self.atomics.job);
        connect!(self.parting.operand => self.atomics.beat);
        self.atomics.settled.next = true;
        self.parting.busy.next = self.atomics.busy.val();
        connect!(self.atomics.request => self.read_port.update_request);
        connect!(self.read_port.update_result => self.atomics.result);
        connect!(self.atomics.write => self.parting.unit_write);
        self.atomics.write_done.next = self.parting.unit_write_done.val();
        self.atomics.write_error.next = self.write_port.payload_error.val();
        connect!(self.atomics.reply => self.old);
        connect!(self.atomics.done => self.parting.unit_done);
        connect!(self.payload.done => self.parting.plain_done);
    }

    /// One message after the other: slot, header, doorbell, event.
    pub(super) fn queue_writes(&mut self) {
        connect!(self.admission.record => self.enqueuer.record);
        connect!(self.parting.enqueue_done => self.enqueuer.done);
        connect!(self.parting.header_done => self.header.done);
        self.enqueuer.payload_waiting.next = self.header.payload_waiting.val();
        connect!(self.queues.opened => self.enqueuer.opened);
        self.enqueuer.opened_write.next = self.queues.opened_write.val();
        self.enqueuer.opened_read.next = self.queues.opened_read.val();
        connect!(self.enqueuer.enqueue => self.write_port.enqueue);
        connect!(self.enqueuer.atomic => self.write_port.atomic);
        self.enqueuer.atomic_done.next = self.write_port.atomic_done.val();
        self.enqueuer.atomic_error.next = self.write_port.atomic_error.val();
        connect!(self.read_port.atomic_result => self.enqueuer.atomic_result);
        connect!(self.enqueuer.read => self.read_port.enqueue_request);
        connect!(self.read_port.enqueue_result => self.enqueuer.read_result);
        connect!(self.enqueuer.header => self.header.job);
        self.header.enqueue_done.next = self.write_port.enqueue_done.val();
        self.header.enqueue_error.next = self.write_port.enqueue_error.val();
        connect!(self.header.header => self.write_port.header);
        connect!(self.header.repair => self.write_port.repair);
        self.header.repair_done.next = self.write_port.repair_done.val();
        self.header.repair_error.next = self.write_port.repair_error.val();
        connect!(self.header.ring_job => self.doorbell.job);
        self.doorbell.header_done.next = self.write_port.header_done.val();
        self.doorbell.header_error.next = self.write_port.header_error.val();
        connect!(self.doorbell.doorbell => self.write_port.doorbell);
        self.doorbell.doorbell_done.next = self.write_port.doorbell_done.val();
        self.doorbell.doorbell_error.next = self.write_port.doorbell_error.val();
        connect!(self.doorbell.completion => self.completer.completion);
        self.completer.node.next = self.node.val();
        connect!(self.completer.event_write => self.merge.held_write);
        self.completer.event_write_done.next = self.merge.held_done.val();
        self.completer.event_write_error.next = self.write_port.event_write_error.val();
        self.merge.held_context.next = self.completer.post_context.val();
        self.merge.held_post.next = self.completer.post.val();
        connect!(self.completer.visible => self.merge.held_visible);
        connect!(self.own_event => self.merge.own);
        self.merge.reserving.next = self.places.reserving.val();
        self.merge.losing.next = self.places.losing.val();
        self.merge.room.next = self.rings.room.val();
        self.merge.undecided.next = self.matching.undecided.val();
        connect!(self.merge.event_write => self.write_port.event_write);
        self.merge.event_write_done.next = self.write_port.event_write_done.val();
        self.merge.event_write_error.next = self.write_port.event_write_error.val();
        self.rings.post_context.next = self.merge.post_context.val();
        self.completer.post_address.next = self.rings.post_address.val();
        self.completer.post_dropped.next = self.rings.post_dropped.val();
        self.merge.post_address.next = self.rings.post_address.val();
        self.merge.post_dropped.next = self.rings.post_dropped.val();
        self.rings.post.next = self.merge.post.val();
        connect!(self.completer.unreserve => self.rings.unreserve);
        connect!(self.merge.visible => self.rings.visible);
        connect!(self.completer.ack => self.answers.first);
        connect!(self.parser.refusal => self.answers.second);
        connect!(self.answers.read => self.ack);
    }
}
