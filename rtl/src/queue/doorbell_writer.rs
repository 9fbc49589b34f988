//! `DoorbellWriter`: informs the GPU. Rings a queue's doorbell when the packet's header is in memory.
//!
//! **Purpose.** Last write of an XTQ put before its event. Merges doorbells that wait.
//!
//! ```text
//!                    +----------------+
//!   job           -->|                |--> doorbell  (8 bytes)
//!   header_done   -->| DoorbellWriter |--> completion
//!   doorbell_done -->|                |--> header_fail, doorbell_fail, count_doorbell
//!   queue_open    -->|                |--> queue
//!                    +----------------+
//! ```
//!
//! **Contract.** Jobs in order; one completion a job, in order. The doorbell request is valid in the cycle of its
//! header's acknowledgement if no other is. While another doorbell is valid, it waits, and the next job to the same
//! address whose header is acknowledged replaces its value. Every job completes when the doorbell that covers it is
//! acknowledged, so no doorbell is lost and an idle block has rung the last id. A header that failed gives
//! MEMORY_ERROR/HEADER and no doorbell, a doorbell that failed MEMORY_ERROR/DOORBELL for all it covers that came
//! without an error. Both fail the queue, the one when its acknowledgement is taken (`header_fail`), the other with the
//! completion (`doorbell_fail`). A job whose header is acknowledged and that finds `queue_open` of `queue` low (same
//! cycle) rings no doorbell: MEMORY_ERROR/DOORBELL if its header is in memory, as the packet is published but not
//! announced; BAD_QUEUE_INDEX if its header failed. A job that came with an error, because its slot was filled, keeps
//! that if its header is in memory, rung or not: the packet does nothing. It asks in the cycle in which it goes to a
//! doorbell; what is under way then is rung. A job that is `written` and does not `ring` keeps its outcome after its
//! header's acknowledgement.
//!
//! **Internals.** `ring_q` is the doorbell on the port; `spare_q` the one after it, which takes further jobs
//! (`spare_count_q` so many). The number of jobs a doorbell covers goes to `covers` with it. Jobs past their header
//! wait in `waiting`; the first `left_q` of those that ring are covered by acknowledged doorbells.

use crate::bundle::{PulseOut, StreamIn, StreamOut};
use crate::codes::status_codes::StatusCodes;
use crate::leaf::{Fifo, RamFifo, Reg};
use crate::queue::ack_fifo::AckFifo;
use crate::queue::queue_key::QueueKey;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::WriteRequest;
use xtq_types::queue::{Completion, DoorbellJob};

/// Writes doorbells.
#[block]
pub struct DoorbellWriter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From the header writer, one a message.
    pub job: StreamIn<DoorbellJob>,
    /// A header word is acknowledged (pulse).
    pub header_done: Signal<In, Bit>,
    /// It failed.
    pub header_error: Signal<In, Bit>,
    /// Doorbell to memory.
    pub doorbell: StreamOut<WriteRequest>,
    /// A doorbell is acknowledged (pulse).
    pub doorbell_done: Signal<In, Bit>,
    /// It failed.
    pub doorbell_error: Signal<In, Bit>,
    /// To the completer, one a message.
    pub completion: StreamOut<Completion>,
    /// To the queue admission: queue of the job at the head, {context, index}.
    pub queue: Signal<Out, Bits<8>>,
    /// It is open, in the same cycle.
    pub queue_open: Signal<In, Bit>,
    /// Queue of which a header word failed: {context, index}.
    pub header_fail: PulseOut<Bits<8>>,
    /// Queue of which a doorbell failed: {context, index}.
    pub doorbell_fail: PulseOut<Bits<8>>,
    /// A doorbell was written (pulse).
    pub count_doorbell: Signal<Out, Bit>,

    jobs: RamFifo<DoorbellJob, 7>,
    header_acks: AckFifo<8, 9>,
    waiting: RamFifo<DoorbellJob, 8>,
    covers: Fifo<Bits<8>, 7, 8>,
    doorbell_acks: Fifo<Bit, 7, 8>,
    ring_q: Reg<DoorbellJob>,
    ring_valid_q: Reg<Bit>,
    spare_q: Reg<DoorbellJob>,
    spare_count_q: Reg<Bits<8>>,
    ring_count_q: Reg<Bits<8>>,
    left_q: Reg<Bits<8>>,
    failed_q: Reg<Bit>,

    head: Signal<Local, DoorbellJob>,
    written: Signal<Local, Bit>,
    rings: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    spare_full: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    shown: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    front: Signal<Local, DoorbellJob>,
    able: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    covered: Signal<Local, Bit>,
    first: Signal<Local, DoorbellJob>,
    ready_to_go: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    broken: Signal<Local, Bit>,
    head_key: QueueKey,
    first_key: QueueKey,
    address: Signal<Local, Bits<64>>,
    lane: Signal<Local, Bits<3>>,
    strobe_shift: Signal<Local, Bits<6>>,
    data_shift: Signal<Local, Bits<9>>,
    line: Signal<Local, Bits<64>>,
    value: Signal<Local, Bits<64>>,
    codes: StatusCodes,
}

#[kernel]
impl Logic for DoorbellWriter {
    fn update(&mut self) {
        connect!(self.job => self.jobs.write);
        self.head.next = self.jobs.read.data.val();
        self.written.next = self.head.val().written == 1;
        self.rings.next = self.head.val().ring == 1;

        // The header's acknowledgement, and whether the queue is open still.
        self.header_acks.done.next = self.header_done.val();
        self.header_acks.error.next = self.header_error.val();
        self.head_key.owner.next = self.head.val().context;
        self.head_key.index.next = self.head.val().queue_index;
        self.queue.next = self.head_key.key.val();
        self.lost.next = self.header_acks.ack_error.val() | !self.queue_open.val();

        // Where the head's doorbell can go: to the port, after the one there, or into the one that waits after it.
        self.shown.next = self.ring_valid_q.q.val();
        self.spare_full.next = self.spare_count_q.q.val().any();
        self.offered.next = self.jobs.read.valid.val()
            & self.rings.val()
            & self.header_acks.ack.val()
            & !self.lost.val()
            & self.waiting.write.ready.val();
        self.doorbell.valid.next =
            (self.shown.val() | self.offered.val()) & self.covers.write.ready.val();
        self.accepted.next = self.doorbell.valid.val() & self.doorbell.ready.val();
        self.same.next = (self.spare_q.q.val().doorbell_address
            == self.head.val().doorbell_address)
            & (self.spare_q.q.val().context == self.head.val().context)
            & !self.spare_count_q.q.val().all();
        self.able.next = self.covers.write.ready.val();
        if self.shown.val() {
            self.able.next = self.accepted.val() | !self.spare_full.val() | self.same.val();
        }
        self.take.next = self.jobs.read.valid.val()
            & self.waiting.write.ready.val()
            & (!self.written.val()
                | (self.header_acks.ack.val()
                    & (!self.rings.val() | self.lost.val() | self.able.val())));
        self.jobs.read.ready.next = self.take.val();
        self.header_acks.take.next = self.take.val() & self.written.val();
        self.covered.next = self.take.val() & self.rings.val() & !self.lost.val();

        self.waiting.write.valid.next = self.take.val();
        self.waiting.write.data.next = self.head.val();
        if self.rings.val() & self.lost.val() {
            self.waiting.write.data.next.ring = 0.into();
            if self.header_acks.ack_error.val() {
                self.waiting.write.data.next.status = self.codes.memory_error.val();
                self.waiting.write.data.next.access = self.codes.header_access.val();
                if !self.queue_open.val() {
                    self.waiting.write.data.next.status = self.codes.bad_queue_index.val();
                    self.waiting.write.data.next.access = self.codes.none.val();
                }
            } else if self.head.val().status == 0 {
                self.waiting.write.data.next.status = self.codes.memory_error.val();
                self.waiting.write.data.next.access = self.codes.doorbell_access.val();
            }
        }
        self.header_fail.data.next = self.head_key.key.val();
        self.header_fail.valid.next = self.take.val()
            & self.rings.val()
            & self.header_acks.ack_error.val()
            & self.queue_open.val();

        // The doorbell on the port and the one after it.
        self.ring_q.en.next = self.accepted.val() | !self.shown.val();
        self.ring_q.d.next = self.head.val();
        self.ring_count_q.en.next = self.accepted.val() | !self.shown.val();
        self.ring_count_q.d.next = 1.into();
        self.ring_valid_q.en.next = self.accepted.val() | !self.shown.val();
        self.ring_valid_q.d.next = self.covered.val() & (self.shown.val() | !self.accepted.val());
        self.spare_q.en.next = false;
        self.spare_q.d.next = self.head.val();
        self.spare_count_q.en.next = false;
        self.spare_count_q.d.next = self.spare_count_q.q.val() + 1;
        if self.shown.val() & self.accepted.val() & self.spare_full.val() {
            self.ring_q.d.next = self.spare_q.q.val();
            self.ring_count_q.d.next = self.spare_count_q.q.val();
            self.ring_valid_q.d.next = true;
            self.spare_q.en.next = self.covered.val();
            self.spare_count_q.en.next = true;
            self.spare_count_q.d.next = bit_cast::<8, 1>(self.covered.val().into());
        } else if self.shown.val() & !self.accepted.val() {
            self.spare_q.en.next = self.covered.val();
            self.spare_count_q.en.next = self.covered.val();
        }
        self.front.next = self.head.val();
        self.covers.write.data.next = 1.into();
        if self.shown.val() {
            self.front.next = self.ring_q.q.val();
            self.covers.write.data.next = self.ring_count_q.q.val();
        }
        self.covers.write.valid.next = self.accepted.val();
        self.count_doorbell.next = self.accepted.val();

        self.address.next = self.front.val().doorbell_address;
        self.value.next = self.front.val().doorbell_value;
        self.lane.next = self.address.val().get_bits::<3>(3);
        self.strobe_shift.next = bit_cast::<6, 3>(self.lane.val()) << 3;
        self.data_shift.next = bit_cast::<9, 3>(self.lane.val()) << 6;
        self.line.next = self.address.val() & bits::<64>(0xFFFF_FFFF_FFFF_FFC0_u64);
        self.doorbell.data.next.first = 1.into();
        self.doorbell.data.next.last = 1.into();
        self.doorbell.data.next.atomic = 0.into();
        self.doorbell.data.next.context = self.front.val().context;
        self.doorbell.data.next.length = 0.into();
        self.doorbell.data.next.address = self.line.val();
        self.doorbell.data.next.strobe = bits::<64>(0xFF_u64) << self.strobe_shift.val();
        self.doorbell.data.next.data =
            bit_cast::<512, 64>(self.value.val()) << self.data_shift.val();

        // Completions: the first `left_q` jobs that ring are covered.
        self.doorbell_acks.write.data.next = self.doorbell_error.val();
        self.doorbell_acks.write.valid.next = self.doorbell_done.val();
        self.load.next = !self.left_q.q.val().any()
            & self.doorbell_acks.read.valid.val()
            & self.covers.read.valid.val();
        self.doorbell_acks.read.ready.next = self.load.val();
        self.covers.read.ready.next = self.load.val();
        self.first.next = self.waiting.read.data.val();
        self.ready_to_go.next = self.waiting.read.valid.val()
            & ((self.first.val().ring == 0) | self.left_q.q.val().any());
        self.go.next = self.ready_to_go.val() & self.completion.ready.val();
        self.waiting.read.ready.next = self.go.val();
        self.failed_q.en.next = self.load.val();
        self.failed_q.d.next = self.doorbell_acks.read.data.val();
        self.left_q.en.next = self.load.val() | (self.go.val() & (self.first.val().ring == 1));
        self.left_q.d.next = self.left_q.q.val() - 1;
        if self.load.val() {
            self.left_q.d.next = self.covers.read.data.val();
        }

        self.completion.valid.next = self.ready_to_go.val();
        self.completion.data.next.slot = self.first.val().slot;
        self.completion.data.next.context = self.first.val().context;
        self.completion.data.next.status = self.first.val().status;
        self.completion.data.next.access = self.first.val().access;
        self.completion.data.next.packet_id = self.first.val().packet_id;
        self.broken.next = (self.first.val().ring == 1) & self.failed_q.q.val();
        if self.broken.val() & (self.first.val().status == 0) {
            self.completion.data.next.status = self.codes.memory_error.val();
            self.completion.data.next.access = self.codes.doorbell_access.val();
        }
        self.first_key.owner.next = self.first.val().context;
        self.first_key.index.next = self.first.val().queue_index;
        self.doorbell_fail.data.next = self.first_key.key.val();
        self.doorbell_fail.valid.next = self.go.val() & self.broken.val();
    }
}
