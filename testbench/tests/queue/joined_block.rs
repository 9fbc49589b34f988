//! The four blocks, wired as in the target.

use rust_hdl::prelude::*;
use xtq_rtl::queue::doorbell_writer::DoorbellWriter;
use xtq_rtl::queue::enqueuer::Enqueuer;
use xtq_rtl::queue::header_writer::HeaderWriter;
use xtq_rtl::queue::queue_admission::QueueAdmission;
use xtq_types::memory::*;
use xtq_types::queue::*;

/// The queue manager as it stands in the target.
#[derive(Clone, Debug, LogicBlock)]
pub struct QueueManager {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub admit: Signal<In, QueueInfo>,
    pub admit_context: Signal<In, Bits<2>>,
    pub admit_valid: Signal<In, Bit>,
    pub admit_ready: Signal<Out, Bit>,
    pub admitted: Signal<Out, Bit>,
    pub admit_status: Signal<Out, Bits<8>>,
    pub admit_access: Signal<Out, Bits<8>>,
    pub invalidate: Signal<In, Bits<8>>,
    pub invalidate_valid: Signal<In, Bit>,
    pub invalidate_ready: Signal<Out, Bit>,
    pub admission_read: Signal<Out, ReadRequest>,
    pub admission_read_valid: Signal<Out, Bit>,
    pub admission_read_ready: Signal<In, Bit>,
    pub admission_read_result: Signal<In, ReadResult>,
    pub admission_read_result_valid: Signal<In, Bit>,
    pub record: Signal<In, MessageRecord>,
    pub record_valid: Signal<In, Bit>,
    pub record_ready: Signal<Out, Bit>,
    pub done: Signal<In, PayloadDone>,
    pub done_valid: Signal<In, Bit>,
    pub done_ready: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<8>>,
    pub packet_there: Signal<In, Bit>,
    pub packet: Signal<In, Bits<512>>,
    pub queue: Signal<In, QueueInfo>,
    pub enqueue: Signal<Out, WriteRequest>,
    pub enqueue_valid: Signal<Out, Bit>,
    pub enqueue_ready: Signal<In, Bit>,
    pub enqueue_done: Signal<In, Bit>,
    pub enqueue_error: Signal<In, Bit>,
    pub atomic: Signal<Out, WriteRequest>,
    pub atomic_valid: Signal<Out, Bit>,
    pub atomic_ready: Signal<In, Bit>,
    pub atomic_done: Signal<In, Bit>,
    pub atomic_error: Signal<In, Bit>,
    pub atomic_result: Signal<In, ReadResult>,
    pub atomic_result_valid: Signal<In, Bit>,
    pub enqueue_read: Signal<Out, ReadRequest>,
    pub enqueue_read_valid: Signal<Out, Bit>,
    pub enqueue_read_ready: Signal<In, Bit>,
    pub enqueue_read_result: Signal<In, ReadResult>,
    pub enqueue_read_result_valid: Signal<In, Bit>,
    pub header: Signal<Out, WriteRequest>,
    pub header_valid: Signal<Out, Bit>,
    pub header_ready: Signal<In, Bit>,
    pub header_done: Signal<In, Bit>,
    pub header_error: Signal<In, Bit>,
    pub repair: Signal<Out, WriteRequest>,
    pub repair_valid: Signal<Out, Bit>,
    pub repair_ready: Signal<In, Bit>,
    pub repair_done: Signal<In, Bit>,
    pub repair_error: Signal<In, Bit>,
    pub doorbell: Signal<Out, WriteRequest>,
    pub doorbell_valid: Signal<Out, Bit>,
    pub doorbell_ready: Signal<In, Bit>,
    pub doorbell_done: Signal<In, Bit>,
    pub doorbell_error: Signal<In, Bit>,
    pub completion: Signal<Out, Completion>,
    pub completion_valid: Signal<Out, Bit>,
    pub completion_ready: Signal<In, Bit>,
    admission: QueueAdmission,
    enqueuer: Enqueuer,
    headers: HeaderWriter,
    doorbells: DoorbellWriter,
}

impl Default for QueueManager {
    fn default() -> Self {
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            admit: Signal::default(),
            admit_context: Signal::default(),
            admit_valid: Signal::default(),
            admit_ready: Signal::default(),
            admitted: Signal::default(),
            admit_status: Signal::default(),
            admit_access: Signal::default(),
            invalidate: Signal::default(),
            invalidate_valid: Signal::default(),
            invalidate_ready: Signal::default(),
            admission_read: Signal::default(),
            admission_read_valid: Signal::default(),
            admission_read_ready: Signal::default(),
            admission_read_result: Signal::default(),
            admission_read_result_valid: Signal::default(),
            record: Signal::default(),
            record_valid: Signal::default(),
            record_ready: Signal::default(),
            done: Signal::default(),
            done_valid: Signal::default(),
            done_ready: Signal::default(),
            slot: Signal::default(),
            packet_there: Signal::default(),
            packet: Signal::default(),
            queue: Signal::default(),
            enqueue: Signal::default(),
            enqueue_valid: Signal::default(),
            enqueue_ready: Signal::default(),
            enqueue_done: Signal::default(),
            enqueue_error: Signal::default(),
            atomic: Signal::default(),
            atomic_valid: Signal::default(),
            atomic_ready: Signal::default(),
            atomic_done: Signal::default(),
            atomic_error: Signal::default(),
            atomic_result: Signal::default(),
            atomic_result_valid: Signal::default(),
            enqueue_read: Signal::default(),
            enqueue_read_valid: Signal::default(),
            enqueue_read_ready: Signal::default(),
            enqueue_read_result: Signal::default(),
            enqueue_read_result_valid: Signal::default(),
            header: Signal::default(),
            header_valid: Signal::default(),
            header_ready: Signal::default(),
            header_done: Signal::default(),
            header_error: Signal::default(),
            repair: Signal::default(),
            repair_valid: Signal::default(),
            repair_ready: Signal::default(),
            repair_done: Signal::default(),
            repair_error: Signal::default(),
            doorbell: Signal::default(),
            doorbell_valid: Signal::default(),
            doorbell_ready: Signal::default(),
            doorbell_done: Signal::default(),
            doorbell_error: Signal::default(),
            completion: Signal::default(),
            completion_valid: Signal::default(),
            completion_ready: Signal::default(),
            admission: QueueAdmission::new(true),
            enqueuer: Enqueuer::default(),
            headers: HeaderWriter::default(),
            doorbells: DoorbellWriter::default(),
        }
    }
}

impl Logic for QueueManager {
    #[hdl_gen]
    fn update(&mut self) {
        self.admission.clk.next = self.clk.val();
        self.admission.rst.next = self.rst.val();
        self.enqueuer.clk.next = self.clk.val();
        self.enqueuer.rst.next = self.rst.val();
        self.headers.clk.next = self.clk.val();
        self.headers.rst.next = self.rst.val();
        self.doorbells.clk.next = self.clk.val();
        self.doorbells.rst.next = self.rst.val();
        self.admission.admit.data.next = self.admit.val();
        self.admission.admit.valid.next = self.admit_valid.val();
        self.admit_ready.next = self.admission.admit.ready.val();
        self.admission.admit_context.next = self.admit_context.val();
        self.admitted.next = self.admission.admitted.val();
        self.admit_status.next = self.admission.admit_status.val();
        self.admit_access.next = self.admission.admit_access.val();
        self.admission.invalidate.data.next = self.invalidate.val();
        self.admission.invalidate.valid.next = self.invalidate_valid.val();
        self.invalidate_ready.next = self.admission.invalidate.ready.val();
        self.admission_read.next = self.admission.read.data.val();
        self.admission_read_valid.next = self.admission.read.valid.val();
        self.admission.read.ready.next = self.admission_read_ready.val();
        self.admission.read_result.data.next = self.admission_read_result.val();
        self.admission.read_result.valid.next = self.admission_read_result_valid.val();
        self.admission.enqueue_fail.data.next = self.enqueuer.fail.data.val();
        self.admission.enqueue_fail.valid.next = self.enqueuer.fail.valid.val();
        self.admission.slot_fail.data.next = self.headers.slot_fail.data.val();
        self.admission.slot_fail.valid.next = self.headers.slot_fail.valid.val();
        self.admission.header_fail.data.next = self.doorbells.header_fail.data.val();
        self.admission.header_fail.valid.next = self.doorbells.header_fail.valid.val();
        self.admission.doorbell_fail.data.next = self.doorbells.doorbell_fail.data.val();
        self.admission.doorbell_fail.valid.next = self.doorbells.doorbell_fail.valid.val();
        self.admission.claim_queue.next = self.enqueuer.claim_queue.val();
        self.enqueuer.claim_open.next = self.admission.claim_open.val();
        self.admission.header_queue.next = self.headers.queue.val();
        self.headers.queue_open.next = self.admission.header_open.val();
        self.admission.ring_queue.next = self.doorbells.queue.val();
        self.doorbells.queue_open.next = self.admission.ring_open.val();
        self.enqueuer.opened.data.next = self.admission.opened.data.val();
        self.enqueuer.opened.valid.next = self.admission.opened.valid.val();
        self.enqueuer.opened_write.next = self.admission.opened_write.val();
        self.enqueuer.opened_read.next = self.admission.opened_read.val();
        self.enqueuer.record.data.next = self.record.val();
        self.enqueuer.record.valid.next = self.record_valid.val();
        self.record_ready.next = self.enqueuer.record.ready.val();
        self.enqueuer.payload_waiting.next = self.headers.payload_waiting.val();
        self.slot.next = self.enqueuer.slot.val();
        self.enqueuer.packet_there.next = self.packet_there.val();
        self.enqueuer.packet.next = self.packet.val();
        self.enqueuer.queue.next = self.queue.val();
        self.enqueue.next = self.enqueuer.enqueue.data.val();
        self.enqueue_valid.next = self.enqueuer.enqueue.valid.val();
        self.enqueuer.enqueue.ready.next = self.enqueue_ready.val();
        self.atomic.next = self.enqueuer.atomic.data.val();
        self.atomic_valid.next = self.enqueuer.atomic.valid.val();
        self.enqueuer.atomic.ready.next = self.atomic_ready.val();
        self.enqueuer.atomic_done.next = self.atomic_done.val();
        self.enqueuer.atomic_error.next = self.atomic_error.val();
        self.enqueuer.atomic_result.data.next = self.atomic_result.val();
        self.enqueuer.atomic_result.valid.next = self.atomic_result_valid.val();
        self.enqueue_read.next = self.enqueuer.read.data.val();
        self.enqueue_read_valid.next = self.enqueuer.read.valid.val();
        self.enqueuer.read.ready.next = self.enqueue_read_ready.val();
        self.enqueuer.read_result.data.next = self.enqueue_read_result.val();
        self.enqueuer.read_result.valid.next = self.enqueue_read_result_valid.val();
        self.headers.job.data.next = self.enqueuer.header.data.val();
        self.headers.job.valid.next = self.enqueuer.header.valid.val();
        self.enqueuer.header.ready.next = self.headers.job.ready.val();
        self.headers.enqueue_done.next = self.enqueue_done.val();
        self.headers.enqueue_error.next = self.enqueue_error.val();
        self.header.next = self.headers.header.data.val();
        self.header_valid.next = self.headers.header.valid.val();
        self.headers.header.ready.next = self.header_ready.val();
        self.repair.next = self.headers.repair.data.val();
        self.repair_valid.next = self.headers.repair.valid.val();
        self.headers.repair.ready.next = self.repair_ready.val();
        self.headers.repair_done.next = self.repair_done.val();
        self.headers.repair_error.next = self.repair_error.val();
        self.doorbells.job.data.next = self.headers.ring_job.data.val();
        self.doorbells.job.valid.next = self.headers.ring_job.valid.val();
        self.headers.ring_job.ready.next = self.doorbells.job.ready.val();
        self.doorbells.header_done.next = self.header_done.val();
        self.doorbells.header_error.next = self.header_error.val();
        self.doorbell.next = self.doorbells.doorbell.data.val();
        self.doorbell_valid.next = self.doorbells.doorbell.valid.val();
        self.doorbells.doorbell.ready.next = self.doorbell_ready.val();
        self.doorbells.doorbell_done.next = self.doorbell_done.val();
        self.doorbells.doorbell_error.next = self.doorbell_error.val();
        self.completion.next = self.doorbells.completion.data.val();
        self.completion_valid.next = self.doorbells.completion.valid.val();
        self.doorbells.completion.ready.next = self.completion_ready.val();

        // The payload's end goes to whoever waits for it.
        self.enqueuer.done.data.next = self.done.val();
        self.enqueuer.done.valid.next = self.done_valid.val();
        self.headers.done.data.next = self.done.val();
        self.headers.done.valid.next = self.done_valid.val();
        self.done_ready.next = self.enqueuer.done.ready.val() | self.headers.done.ready.val();
    }
}
