//! `HeaderWriter`: publishes a packet. Writes its header word when everything else of the message is in memory.
//!
//! **Purpose.** The join of the two ways to memory: the message's bytes (payload writer) and the slot's body and write
//! index (enqueuer). The header word turns the slot from INVALID into a packet, so it goes last.
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
//! **Contract.** Jobs in order. `header` is valid in the cycle in which the last acknowledgement comes; one job a
//! cycle. A slot write that failed gives MEMORY_ERROR/SLOT, an index write MEMORY_ERROR/INDEX: the queue has failed
//! (`slot_fail`), nothing is published. A payload that failed gives MEMORY_ERROR/PAYLOAD, one of wrong length
//! BAD_LENGTH, an atomic that is refused OP_VIOLATION; its slot, already reserved, is repaired: zeros into bytes 4..63,
//! then header word 3, a barrier-AND without dependencies. A job that publishes and finds `queue_open` of `queue` low
//! (same cycle) has neither: BAD_QUEUE_INDEX, whatever else went wrong. A header word once offered stays; a repair once
//! begun ends, and its header word is subject to the test again. In a `shared` queue others would wait at such a slot
//! for ever: if it was written without error it is repaired all the same, but no doorbell rung (`written` without
//! `ring`). `payload_waiting` is high while a job that was accepted has still to take its `done`.
//!
//! **Internals.** Jobs wait in a FIFO; acknowledgements (`enqueue_done`) in an [`AckFifo`], which holds 256: those of
//! the 127 jobs after the head and of the one that waits for a place. `Gather` counts what the job at the head needs;
//! `Publish` writes the header; `Repair` and `Repaired` are on the way of a failed payload and of a shared queue that
//! failed (`filling_q`). `waiting_q` counts jobs that need a `done`.

use crate::bundle::{PulseOut, StreamIn, StreamOut};
use crate::codes::status_codes::StatusCodes;
use crate::leaf::{Delay, Fifo, RamFifo, Reg};
use crate::queue::ack_fifo::AckFifo;
use crate::queue::queue_key::QueueKey;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::WriteRequest;
use xtq_types::queue::{DoorbellJob, HeaderJob, PayloadDone};

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
    pub job: StreamIn<HeaderJob>,
    /// From the payload writer.
    pub done: StreamIn<PayloadDone>,
    /// A write of the enqueuer is acknowledged (pulse).
    pub enqueue_done: Signal<In, Bit>,
    /// It failed.
    pub enqueue_error: Signal<In, Bit>,
    /// Header word to memory.
    pub header: StreamOut<WriteRequest>,
    /// Zeros to memory.
    pub repair: StreamOut<WriteRequest>,
    /// The repair is acknowledged (pulse).
    pub repair_done: Signal<In, Bit>,
    /// It failed.
    pub repair_error: Signal<In, Bit>,
    /// To the doorbell writer, one a message.
    pub ring_job: StreamOut<DoorbellJob>,
    /// To the queue admission: queue of the job at the head, {context, index}.
    pub queue: Signal<Out, Bits<8>>,
    /// It is open, in the same cycle.
    pub queue_open: Signal<In, Bit>,
    /// Queue that has failed: {context, index}.
    pub slot_fail: PulseOut<Bits<8>>,
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
        connect!(self.job => self.jobs.write);
        self.head.next = self.jobs.read.data.val();
        self.active.next =
            self.jobs.read.valid.val() & (self.state_q.q.val() == HeaderState::Gather);

        // The payload's acknowledgement.
        self.take_done.next =
            self.active.val() & (self.head.val().wait_payload == 1) & !self.paid_q.q.val();
        self.done.ready.next = self.take_done.val();
        self.paid.next = self.paid_q.q.val() | (self.head.val().wait_payload == 0);
        self.payload_failed.next = self.payload_failed_q.q.val();
        self.payload_bad.next = self.payload_bad_q.q.val();
        self.refused.next = self.refused_q.q.val();
        if self.take_done.val() & self.done.valid.val() {
            self.paid.next = true;
            self.payload_failed.next = self.done.data.val().error == 1;
            self.payload_bad.next = self.done.data.val().bad == 1;
            self.refused.next = self.done.data.val().refused == 1;
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
            self.rings.write.ready.val() & (self.header.ready.val() | !self.written.val());
        self.filling.next = self.filling_q.q.val();
        self.offer.next = false;
        self.finish.next = false;
        self.state_q.en.next = false;
        self.state_q.d.next = HeaderState::Gather;
        self.repair.valid.next = false;
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
                self.repair.valid.next = true;
                self.state_q.en.next = self.repair.ready.val();
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
        self.jobs.read.ready.next = self.finish.val();

        // What is known of the job at the head; forgotten when it goes.
        self.paid_q.d.next = self.paid.val() & !self.finish.val() & self.jobs.read.valid.val();
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
        self.grow.next = self.job.valid.val()
            & self.jobs.write.ready.val()
            & (self.job.data.val().wait_payload == 1);
        self.waiting_q.en.next = self.grow.val() ^ (self.take_done.val() & self.done.valid.val());
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
        self.slot_fail.data.next = self.key.key.val();
        self.slot_fail.valid.next = self.finish.val()
            & (self.head.val().publish == 1)
            & self.broken.val()
            & !self.closed.val();

        self.word.next = self.head.val().header;
        if self.spoiled.val() | self.filling_q.q.val() {
            self.word.next = 3.into();
        }
        self.header.valid.next =
            self.offer.val() & self.written.val() & self.rings.write.ready.val();
        self.offered_q.d.next = self.header.valid.val() & !self.header.ready.val();
        self.header.data.next.first = 1.into();
        self.header.data.next.last = 1.into();
        self.header.data.next.atomic = 0.into();
        self.header.data.next.context = self.head.val().context;
        self.header.data.next.length = 0.into();
        self.header.data.next.address = self.head.val().slot_address;
        self.header.data.next.strobe = 15.into();
        self.header.data.next.data = bit_cast::<512, 32>(self.word.val());

        self.repair.data.next.first = 1.into();
        self.repair.data.next.last = 1.into();
        self.repair.data.next.atomic = 0.into();
        self.repair.data.next.context = self.head.val().context;
        self.repair.data.next.length = 0.into();
        self.repair.data.next.address = self.head.val().slot_address;
        self.repair.data.next.strobe = bits::<64>(0xFFFF_FFFF_FFFF_FFF0_u64);
        self.repair.data.next.data = 0.into();

        self.rings.write.valid.next = self.finish.val();
        self.rings.write.data.next.slot = self.head.val().slot;
        self.rings.write.data.next.context = self.head.val().context;
        self.rings.write.data.next.status = self.status.val();
        self.rings.write.data.next.access = self.access.val();
        self.rings.write.data.next.written = self.written.val().into();
        self.rings.write.data.next.ring = self.ring.val().into();
        self.rings.write.data.next.queue_index = self.head.val().queue_index;
        self.rings.write.data.next.doorbell_address = self.head.val().doorbell_address;
        self.rings.write.data.next.doorbell_value = self.head.val().doorbell_value;
        self.rings.write.data.next.packet_id = self.head.val().packet_id;
        connect!(self.rings.read => self.ring_job);
    }
}
