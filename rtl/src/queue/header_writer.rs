//! `HeaderWriter`: publishes a packet. Writes its header word when everything else of the message is in memory.
//!
//! **Purpose.** The join of the two ways to memory: the message's bytes (payload writer) and the slot's body and write index (enqueuer). The
//! header word turns the slot from INVALID into a packet, so it goes last.
//!
//! ```text
//!                    +--------------+
//!   job           -->|              |--> header  (4 bytes)
//!   done          -->|              |--> repair  (60 bytes)
//!   enqueue_done  -->| HeaderWriter |--> ring_job
//!   repair_done   -->|              |--> slot_fail, payload_waiting
//!   queue_open    -->|              |--> queue
//!                    +--------------+
//! ```
//!
//! **Contract.** Jobs in order. `header` is valid in the cycle in which the last acknowledgement comes; one job a cycle. A slot write
//! that failed gives MEMORY_ERROR/SLOT, an index write MEMORY_ERROR/INDEX: the queue has failed (`slot_fail`), nothing is published. A payload that failed gives MEMORY_ERROR/PAYLOAD,
//! one of wrong length BAD_LENGTH, an atomic that is refused OP_VIOLATION; its slot, already reserved, is repaired: zeros into bytes 4..63, then header word 3, a barrier-AND without dependencies.
//! A job that publishes and finds `queue_open` of `queue` low (same cycle) has neither: BAD_QUEUE_INDEX, whatever else went wrong. A
//! header word once offered stays; a repair once begun ends, and its header word is subject to the test again. In a `shared` queue others would
//! wait at such a slot for ever: if it was written without error it is repaired all the same, but no doorbell rung (`written` without `ring`).
//! `payload_waiting` is high while a job that was accepted has still to take its `done`.
//!
//! **Internals.** Jobs wait in a FIFO; acknowledgements (`enqueue_done`) in an [`AckFifo`], which holds 256: those of the 127 jobs behind the head
//! and of the one that waits for a place. `Gather` counts what the job at the head needs; `Publish` writes the header;
//! `Repair` and `Repaired` are on the way of a failed payload and of a shared queue that failed (`filling_q`). `waiting_q` counts jobs that need a `done`.

use crate::codes::status_codes::StatusCodes;
use crate::leaf::{AckFifo, Delay, Fifo, RamFifo, Reg};
use crate::queue::queue_key::QueueKey;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::{DoorbellJob, HeaderJob, PayloadDone, WriteRequest};

/// States of [`HeaderWriter`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum HeaderState {
    /// Collect the acknowledgements of the job at the head.
    Gather,
    /// Write the header word and hand the job on.
    Publish,
    /// Write zeros into the slot's body.
    Repair,
    /// Wait for their acknowledgement.
    Repaired,
}

/// Writes header words.
#[block]
pub struct HeaderWriter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From the enqueuer, one a message.
    pub job: Signal<In, HeaderJob>,
    /// `job` is valid.
    pub job_valid: Signal<In, Bit>,
    /// It was taken.
    pub job_ready: Signal<Out, Bit>,
    /// From the payload writer.
    pub done: Signal<In, PayloadDone>,
    /// `done` is valid.
    pub done_valid: Signal<In, Bit>,
    /// It was taken.
    pub done_ready: Signal<Out, Bit>,
    /// A write of the enqueuer is acknowledged (pulse).
    pub enqueue_done: Signal<In, Bit>,
    /// It failed.
    pub enqueue_error: Signal<In, Bit>,
    /// Header word to memory.
    pub header: Signal<Out, WriteRequest>,
    /// `header` is valid.
    pub header_valid: Signal<Out, Bit>,
    /// It was taken.
    pub header_ready: Signal<In, Bit>,
    /// Zeros to memory.
    pub repair: Signal<Out, WriteRequest>,
    /// `repair` is valid.
    pub repair_valid: Signal<Out, Bit>,
    /// It was taken.
    pub repair_ready: Signal<In, Bit>,
    /// The repair is acknowledged (pulse).
    pub repair_done: Signal<In, Bit>,
    /// It failed.
    pub repair_error: Signal<In, Bit>,
    /// To the doorbell writer, one a message.
    pub ring_job: Signal<Out, DoorbellJob>,
    /// `ring_job` is valid.
    pub ring_job_valid: Signal<Out, Bit>,
    /// It was taken.
    pub ring_job_ready: Signal<In, Bit>,
    /// To the queue admission: queue of the job at the head, {context, index}.
    pub queue: Signal<Out, Bits<8>>,
    /// It is open, in the same cycle.
    pub queue_open: Signal<In, Bit>,
    /// Queue that has failed: {context, index}.
    pub slot_fail: Signal<Out, Bits<8>>,
    /// `slot_fail` is valid (pulse).
    pub slot_fail_valid: Signal<Out, Bit>,
    /// An accepted job has still to take its `done`.
    pub payload_waiting: Signal<Out, Bit>,

    jobs: RamFifo<HeaderJob, 7>,
    acks: AckFifo<8, 9>,
    state_q: Reg<HeaderState>,
    waiting_q: Reg<Bits<9>>,
    paid_q: Delay<Bit>,
    payload_failed_q: Delay<Bit>,
    payload_bad_q: Delay<Bit>,
    refused_q: Delay<Bit>,
    acked_q: Delay<Bits<2>>,
    slot_failed_q: Delay<Bit>,
    index_failed_q: Delay<Bit>,
    offered_q: Delay<Bit>,
    filling_q: Delay<Bit>,
    rings: Fifo<DoorbellJob, 1, 2>,

    head: Signal<Local, HeaderJob>,
    active: Signal<Local, Bit>,
    take_done: Signal<Local, Bit>,
    paid: Signal<Local, Bit>,
    payload_failed: Signal<Local, Bit>,
    payload_bad: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    take_ack: Signal<Local, Bit>,
    acked: Signal<Local, Bits<2>>,
    slot_failed: Signal<Local, Bit>,
    index_failed: Signal<Local, Bit>,
    broken: Signal<Local, Bit>,
    spoiled: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
    fill: Signal<Local, Bit>,
    filling: Signal<Local, Bit>,
    written: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    offer: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    ring: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    status: Signal<Local, Bits<8>>,
    access: Signal<Local, Bits<8>>,
    grow: Signal<Local, Bit>,
    key: QueueKey,
    codes: StatusCodes,
}

#[kernel]
impl Logic for HeaderWriter {
    fn update(&mut self) {
        self.jobs.write.next = self.job.val();
        self.jobs.write_valid.next = self.job_valid.val();
        self.job_ready.next = self.jobs.write_ready.val();
        self.head.next = self.jobs.read.val();
        self.active.next =
            self.jobs.read_valid.val() & (self.state_q.q.val() == HeaderState::Gather);

        // The payload's acknowledgement.
        self.take_done.next =
            self.active.val() & (self.head.val().wait_payload == 1) & !self.paid_q.q.val();
        self.done_ready.next = self.take_done.val();
        self.paid.next = self.paid_q.q.val() | (self.head.val().wait_payload == 0);
        self.payload_failed.next = self.payload_failed_q.q.val();
        self.payload_bad.next = self.payload_bad_q.q.val();
        self.refused.next = self.refused_q.q.val();
        if self.take_done.val() & self.done_valid.val() {
            self.paid.next = true;
            self.payload_failed.next = self.done.val().error == 1;
            self.payload_bad.next = self.done.val().bad == 1;
            self.refused.next = self.done.val().refused == 1;
        }

        // The enqueuer's acknowledgements.
        self.acks.done.next = self.enqueue_done.val();
        self.acks.error.next = self.enqueue_error.val();
        self.take_ack.next = self.active.val()
            & self.acks.ack.val()
            & (self.acked_q.q.val() < self.head.val().writes);
        self.acks.take.next = self.take_ack.val();
        self.acked.next = self.acked_q.q.val();
        self.slot_failed.next = self.slot_failed_q.q.val();
        self.index_failed.next = self.index_failed_q.q.val();
        if self.take_ack.val() {
            self.acked.next = self.acked_q.q.val() + 1;
            if self.acked_q.q.val().any() {
                self.index_failed.next = self.acks.ack_error.val();
            } else {
                self.slot_failed.next = self.acks.ack_error.val();
            }
        }

        // The queue is asked in every cycle until the header word is offered or a slot is filled because it was closed.
        self.key.owner.next = self.head.val().context;
        self.key.index.next = self.head.val().queue_index;
        self.queue.next = self.key.key.val();
        self.closed.next = (self.head.val().publish == 1)
            & (self.filling_q.q.val() | (!self.queue_open.val() & !self.offered_q.q.val()));

        // Complete: publish, repair or pass on.
        self.broken.next = self.slot_failed.val() | self.index_failed.val();
        self.spoiled.next = self.payload_failed.val() | self.payload_bad.val();
        self.complete.next =
            self.active.val() & self.paid.val() & (self.acked.val() == self.head.val().writes);
        self.ring.next = (self.head.val().publish == 1) & !self.broken.val() & !self.closed.val();
        self.fill.next = self.closed.val() & (self.head.val().shared == 1) & !self.broken.val();
        self.written.next = self.ring.val() | self.fill.val();
        self.room.next =
            self.rings.write_ready.val() & (self.header_ready.val() | !self.written.val());
        self.filling.next = self.filling_q.q.val();
        self.offer.next = false;
        self.finish.next = false;
        self.state_q.en.next = false;
        self.state_q.d.next = HeaderState::Gather;
        self.repair_valid.next = false;
        match self.state_q.q.val() {
            HeaderState::Gather => {
                if (self.ring.val() & self.spoiled.val()) | self.fill.val() {
                    self.filling.next = self.complete.val() & self.fill.val();
                    self.state_q.en.next = self.complete.val();
                    self.state_q.d.next = HeaderState::Repair;
                } else {
                    self.offer.next = self.complete.val();
                    self.finish.next = self.complete.val() & self.room.val();
                }
            }
            HeaderState::Repair => {
                self.repair_valid.next = true;
                self.state_q.en.next = self.repair_ready.val();
                self.state_q.d.next = HeaderState::Repaired;
            }
            HeaderState::Repaired => {
                self.state_q.en.next = self.repair_done.val();
                self.state_q.d.next = HeaderState::Publish;
                self.slot_failed.next = self.repair_done.val() & self.repair_error.val();
            }
            HeaderState::Publish => {
                self.offer.next = true;
                self.finish.next = self.room.val();
                self.state_q.en.next = self.room.val();
            }
            _ => {}
        }
        self.jobs.read_ready.next = self.finish.val();

        // What is known of the job at the head; forgotten when it goes.
        self.paid_q.d.next = self.paid.val() & !self.finish.val() & self.jobs.read_valid.val();
        self.payload_failed_q.d.next = self.payload_failed.val() & !self.finish.val();
        self.payload_bad_q.d.next = self.payload_bad.val() & !self.finish.val();
        self.refused_q.d.next = self.refused.val() & !self.finish.val();
        self.slot_failed_q.d.next = self.slot_failed.val() & !self.finish.val();
        self.index_failed_q.d.next = self.index_failed.val() & !self.finish.val();
        self.filling_q.d.next = self.filling.val() & !self.finish.val();
        self.acked_q.d.next = self.acked.val();
        if self.finish.val() {
            self.acked_q.d.next = 0.into();
        }
        self.grow.next =
            self.job_valid.val() & self.jobs.write_ready.val() & (self.job.val().wait_payload == 1);
        self.waiting_q.en.next = self.grow.val() ^ (self.take_done.val() & self.done_valid.val());
        self.waiting_q.d.next = self.waiting_q.q.val() - 1;
        if self.grow.val() {
            self.waiting_q.d.next = self.waiting_q.q.val() + 1;
        }
        self.payload_waiting.next = self.waiting_q.q.val().any();

        // The outcome.
        self.status.next = self.head.val().status;
        self.access.next = self.head.val().access;
        if self.head.val().status == 0 {
            if self.payload_bad.val() {
                self.status.next = self.codes.bad_length.val();
            }
            if self.refused.val() {
                self.status.next = self.codes.op_violation.val();
            }
            if self.payload_failed.val() {
                self.status.next = self.codes.memory_error.val();
                self.access.next = self.codes.payload_access.val();
            }
            if self.index_failed.val() {
                self.status.next = self.codes.memory_error.val();
                self.access.next = self.codes.index_access.val();
            }
            if self.slot_failed.val() {
                self.status.next = self.codes.memory_error.val();
                self.access.next = self.codes.slot_access.val();
            }
            if self.closed.val() {
                self.status.next = self.codes.bad_queue_index.val();
                self.access.next = self.codes.none.val();
            }
        }
        self.slot_fail.next = self.key.key.val();
        self.slot_fail_valid.next = self.finish.val()
            & (self.head.val().publish == 1)
            & self.broken.val()
            & !self.closed.val();

        self.word.next = self.head.val().header;
        if self.spoiled.val() | self.filling_q.q.val() {
            self.word.next = 3.into();
        }
        self.header_valid.next =
            self.offer.val() & self.written.val() & self.rings.write_ready.val();
        self.offered_q.d.next = self.header_valid.val() & !self.header_ready.val();
        self.header.next.first = 1.into();
        self.header.next.last = 1.into();
        self.header.next.atomic = 0.into();
        self.header.next.context = self.head.val().context;
        self.header.next.length = 0.into();
        self.header.next.address = self.head.val().slot_address;
        self.header.next.strobe = 15.into();
        self.header.next.data = bit_cast::<512, 32>(self.word.val());

        self.repair.next.first = 1.into();
        self.repair.next.last = 1.into();
        self.repair.next.atomic = 0.into();
        self.repair.next.context = self.head.val().context;
        self.repair.next.length = 0.into();
        self.repair.next.address = self.head.val().slot_address;
        self.repair.next.strobe = bits::<64>(0xFFFF_FFFF_FFFF_FFF0_u64);
        self.repair.next.data = 0.into();

        self.rings.write_valid.next = self.finish.val();
        self.rings.write.next.slot = self.head.val().slot;
        self.rings.write.next.context = self.head.val().context;
        self.rings.write.next.status = self.status.val();
        self.rings.write.next.access = self.access.val();
        self.rings.write.next.written = self.written.val().into();
        self.rings.write.next.ring = self.ring.val().into();
        self.rings.write.next.queue_index = self.head.val().queue_index;
        self.rings.write.next.doorbell_address = self.head.val().doorbell_address;
        self.rings.write.next.doorbell_value = self.head.val().doorbell_value;
        self.rings.write.next.packet_id = self.head.val().packet_id;
        self.ring_job.next = self.rings.read.val();
        self.ring_job_valid.next = self.rings.read_valid.val();
        self.rings.read_ready.next = self.ring_job_ready.val();
    }
}
