//! `Enqueuer`: gives packets their place in a queue and writes the slot bodies.
//!
//! **Purpose.** Takes the messages in order; for those that are to be enqueued it reserves a packet id, writes bytes
//! 4..63 of the slot and, if the NIC owns the queue, the write index. It does not publish: the header word is the
//! header writer's.
//!
//! ```text
//!                     +----------+
//!   record         -->|          |--> slot
//!   done           -->|          |<-- packet, packet_there, queue
//!   payload_waiting-->|          |--> enqueue            (slot body, write index)
//!   claim_open     -->|          |--> claim_queue        (same cycle)
//!   opened, _write,   | Enqueuer |--> atomic  <-- atomic_done, atomic_result
//!           _read  -->|          |--> read    <-- read_result
//!                     |          |--> header
//!                     |          |--> fail               (pulse)
//!                     +----------+
//! ```
//!
//! **Contract.** `slot` is stable while a message is worked on; `packet` and `queue` are those of the `slot` of the
//! cycle before. Exclusive: the slot write is offered 3 cycles after the record (if its packet is there), the index
//! follows, then the job; a message every 6 cycles. Admission has promised the place, so there is no test. Shared:
//! takes `done` itself, only while `payload_waiting` is low, so that it is this message's; then [`IndexSwap`] reserves,
//! which asks before each of its tries whether the queue is open (`claim_open` of `claim_queue`): else BAD_QUEUE_INDEX,
//! nothing claimed and nothing written. A swap that fails makes the queue fail. An `opened` pulse comes before the
//! first record of the queue. Ring base and index address are used as if aligned (64 and 8 bytes).
//!
//! **Internals.** `write_index` and `read_index` keep a word a queue. A state machine does one 64-bit step a cycle:
//!
//! ```text
//!   Fetch -> Load -> Address -> Slot -> Index -> Job -> Fetch             exclusive
//!   Fetch -> Load -> Payload -> Claim -> Address -> Slot -> Job -> Fetch  shared
//!   Fetch -> Job -> Fetch                                                 nothing to enqueue
//! ```

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::codes::status_codes::StatusCodes;
use crate::leaf::{LutRam, Reg};
use crate::queue::index_swap::IndexSwap;
use crate::queue::queue_key::QueueKey;
use xtq_types::memory::{ReadRequest, ReadResult, WriteRequest};
use xtq_types::queue::{HeaderJob, MessageRecord, PayloadDone, QueueInfo};

/// What a message is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Fetch,
    Load,
    Payload,
    Claim,
    Address,
    Slot,
    Index,
    Job,
}

/// Reserves packet ids and writes slots.
#[block]
pub struct Enqueuer {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From admission: the messages in order.
    pub record: StreamIn<MessageRecord>,
    /// From the payload writer, shared with the header writer: a message's payload is written. It is taken here for
    /// a shared queue.
    pub done: StreamIn<PayloadDone>,
    /// From the header writer: the next `done` belongs to an earlier message.
    pub payload_waiting: Signal<In, Bit>,

    /// Message worked on.
    pub slot: Signal<Out, Bits<8>>,
    /// From the packet store: the packet of `slot` was written.
    pub packet_there: Signal<In, Bit>,
    /// From the packet store: rewritten packet, one cycle after `slot`.
    pub packet: Signal<In, Bits<512>>,
    /// Its queue, one cycle after `slot`.
    pub queue: Signal<In, QueueInfo>,

    /// To the queue admission: queue {context 2, index 6} of the message worked on.
    pub claim_queue: Signal<Out, Bits<8>>,
    /// It is open, in the same cycle.
    pub claim_open: Signal<In, Bit>,
    /// From the queue admission: a queue was opened, {context 2, index 6}.
    pub opened: PulseIn<Bits<8>>,
    /// With `opened`: its write index.
    pub opened_write: Signal<In, Bits<64>>,
    /// With `opened`: its read index.
    pub opened_read: Signal<In, Bits<64>>,

    /// To the write port: slot body, write index.
    pub enqueue: StreamOut<WriteRequest>,
    /// To the write port: compare-and-swap of a write index.
    pub atomic: StreamOut<WriteRequest>,
    /// From the write port: the swap is done (pulse).
    pub atomic_done: Signal<In, Bit>,
    /// With `atomic_done`: it failed.
    pub atomic_error: Signal<In, Bit>,
    /// From the read port: value before the swap.
    pub atomic_result: PulseIn<ReadResult>,
    /// To the read port: read of a read index.
    pub read: StreamOut<ReadRequest>,
    /// From the read port.
    pub read_result: PulseIn<ReadResult>,

    /// To the header writer: one job a message.
    pub header: StreamOut<HeaderJob>,
    /// To the queue admission: queue {context 2, index 6} that can no longer be used.
    pub fail: PulseOut<Bits<8>>,

    write_index: LutRam<Bits<64>, 8>,
    read_index: LutRam<Bits<64>, 8>,
    state_q: Reg<State>,
    record_q: Reg<MessageRecord>,
    status_q: Reg<Bits<8>>,
    access_q: Reg<Bits<8>>,
    publish_q: Reg<Bit>,
    paid_q: Reg<Bit>,
    mask_q: Reg<Bits<32>>,
    id_q: Reg<Bits<64>>,
    next_q: Reg<Bits<64>>,
    read_q: Reg<Bits<64>>,
    line_q: Reg<Bits<58>>,
    swap: IndexSwap,
    key: QueueKey,
    codes: StatusCodes,
    owner: Signal<Local, Bits<2>>,
    size: Signal<Local, Bits<32>>,
    shared: Signal<Local, Bit>,
    publishes: Signal<Local, Bit>,
    has_payload: Signal<Local, Bit>,
    payload_error: Signal<Local, Bit>,
    spoilt: Signal<Local, Bit>,
    settled: Signal<Local, Bit>,
    place: Signal<Local, Bits<32>>,
    ring_base: Signal<Local, Bits<64>>,
    slot_address: Signal<Local, Bits<64>>,
    index_address: Signal<Local, Bits<64>>,
    index_lane: Signal<Local, Bits<3>>,
    index_byte: Signal<Local, Bits<6>>,
    index_bit: Signal<Local, Bits<9>>,
}

#[kernel]
impl Logic for Enqueuer {
    fn update(&mut self) {
        // The message and its queue.
        self.owner.next = self.record_q.q.val().context;
        self.has_payload.next = self.record_q.q.val().has_payload == 1;
        self.key.owner.next = self.owner.val();
        self.key.index.next = self.queue.val().index;
        self.size.next = self.queue.val().size;
        self.shared.next = self.queue.val().shared == 1;
        self.publishes.next = (self.record.data.val().xtq == 1)
            & (self.record.data.val().status == self.codes.ok.val());
        self.payload_error.next = self.has_payload.val() & (self.done.data.val().error == 1);
        self.spoilt.next =
            self.payload_error.val() | (self.has_payload.val() & (self.done.data.val().bad == 1));
        self.settled.next =
            !self.has_payload.val() | (self.done.valid.val() & !self.payload_waiting.val());
        self.claim_queue.next = self.key.key.val();

        // Addresses and lanes.
        self.ring_base.next = self.queue.val().ring_base;
        self.place.next = self.id_q.q.val().get_bits::<32>(0) & self.mask_q.q.val();
        self.slot_address.next = bit_cast::<64, 58>(self.line_q.q.val()) << 6;
        self.index_address.next = self.queue.val().write_index_address;
        self.index_lane.next = self.index_address.val().get_bits::<3>(3);
        self.index_byte.next = bit_cast::<6, 3>(self.index_lane.val()) << 3;
        self.index_bit.next = bit_cast::<9, 3>(self.index_lane.val()) << 6;

        self.slot.next = self.record_q.q.val().slot;
        self.record.ready.next = false;
        self.done.ready.next = false;
        self.enqueue.valid.next = false;
        self.header.valid.next = false;
        self.fail.data.next = self.key.key.val();
        self.fail.valid.next = false;

        self.enqueue.data.next.first = 1.into();
        self.enqueue.data.next.last = 1.into();
        self.enqueue.data.next.atomic = 0.into();
        self.enqueue.data.next.context = self.owner.val();
        self.enqueue.data.next.length = 0.into();
        self.enqueue.data.next.address = self.slot_address.val();
        self.enqueue.data.next.strobe = 0xFFFF_FFFF_FFFF_FFF0_u64.into();
        self.enqueue.data.next.data = self.packet.val();

        self.header.data.next.slot = self.record_q.q.val().slot;
        self.header.data.next.context = self.owner.val();
        self.header.data.next.status = self.status_q.q.val();
        self.header.data.next.access = self.access_q.q.val();
        self.header.data.next.publish = self.publish_q.q.val().into();
        self.header.data.next.shared = self.shared.val().into();
        self.header.data.next.wait_payload = (self.has_payload.val() & !self.paid_q.q.val()).into();
        self.header.data.next.writes = 0.into();
        self.header.data.next.header = self.packet.val().get_bits::<32>(0);
        self.header.data.next.queue_index = self.queue.val().index;
        self.header.data.next.slot_address = self.slot_address.val();
        self.header.data.next.doorbell_address = self.queue.val().doorbell_address;
        self.header.data.next.doorbell_value = self.id_q.q.val();
        self.header.data.next.packet_id = 0.into();
        if self.queue.val().doorbell_plus_one == 1 {
            self.header.data.next.doorbell_value = self.next_q.q.val();
        }
        if self.publish_q.q.val() {
            self.header.data.next.packet_id = self.id_q.q.val();
            self.header.data.next.writes = 2.into();
            if self.shared.val() {
                self.header.data.next.writes = 1.into();
            }
        }

        self.record_q.d.next = self.record.data.val();
        self.record_q.en.next = false;
        self.status_q.d.next = self.record.data.val().status;
        self.status_q.en.next = false;
        self.access_q.d.next = self.record.data.val().access;
        self.access_q.en.next = false;
        self.publish_q.d.next = self.publishes.val();
        self.publish_q.en.next = false;
        self.paid_q.d.next = false;
        self.paid_q.en.next = false;
        self.mask_q.d.next = self.size.val() - 1;
        self.mask_q.en.next = false;
        self.id_q.d.next = self.write_index.read_data.val();
        self.id_q.en.next = false;
        self.next_q.d.next = self.id_q.q.val() + 1;
        self.next_q.en.next = false;
        self.read_q.d.next = self.read_index.read_data.val();
        self.read_q.en.next = false;
        self.line_q.d.next =
            self.ring_base.val().get_bits::<58>(6) + bit_cast::<58, 32>(self.place.val());
        self.line_q.en.next = false;
        self.state_q.d.next = State::Fetch;
        self.state_q.en.next = false;

        // Reservation in a shared queue.
        self.swap.start.next = false;
        self.swap.write.next = self.id_q.q.val();
        self.swap.read.next = self.read_q.q.val();
        self.swap.queue.next = self.queue.val();
        self.swap.mask.next = self.mask_q.q.val();
        self.swap.owner.next = self.owner.val();
        self.swap.open.next = self.claim_open.val();
        connect!(self.swap.atomic => self.atomic);
        self.swap.atomic_done.next = self.atomic_done.val();
        self.swap.atomic_error.next = self.atomic_error.val();
        connect!(self.atomic_result => self.swap.atomic_result);
        connect!(self.swap.read_index => self.read);
        connect!(self.read_result => self.swap.read_result);

        // The indices kept: an opened queue goes first.
        self.write_index.read_addr.next = self.key.key.val();
        self.write_index.write_addr.next = self.key.key.val();
        self.write_index.write_data.next = self.id_q.q.val() + 1;
        self.write_index.write_en.next = self.opened.valid.val();
        self.read_index.read_addr.next = self.key.key.val();
        self.read_index.write_addr.next = self.key.key.val();
        self.read_index.write_data.next = self.read_q.q.val();
        self.read_index.write_en.next = self.opened.valid.val();

        match self.state_q.q.val() {
            State::Fetch => {
                self.slot.next = self.record.data.val().slot;
                self.record.ready.next = true;
                self.record_q.en.next = true;
                self.status_q.en.next = true;
                self.access_q.en.next = true;
                self.publish_q.en.next = true;
                self.paid_q.en.next = true;
                self.state_q.d.next = State::Job;
                if self.publishes.val() {
                    self.state_q.d.next = State::Load;
                }
                self.state_q.en.next = self.record.valid.val();
            }
            State::Load => {
                self.mask_q.en.next = true;
                self.id_q.en.next = true;
                self.read_q.en.next = true;
                self.state_q.d.next = State::Address;
                if self.shared.val() {
                    self.state_q.d.next = State::Payload;
                }
                self.state_q.en.next = self.packet_there.val();
            }
            State::Payload => {
                self.done.ready.next = self.has_payload.val() & !self.payload_waiting.val();
                self.paid_q.d.next = true;
                self.paid_q.en.next = true;
                self.state_q.d.next = State::Claim;
                self.state_q.en.next = self.settled.val();
                self.swap.start.next = self.settled.val() & !self.spoilt.val();
                if self.spoilt.val() {
                    self.publish_q.d.next = false;
                    self.publish_q.en.next = self.settled.val();
                    self.status_q.en.next = self.settled.val();
                    self.access_q.en.next = self.settled.val();
                    self.status_q.d.next = self.codes.bad_length.val();
                    self.access_q.d.next = self.codes.none.val();
                    self.state_q.d.next = State::Job;
                }
                if self.payload_error.val() {
                    self.status_q.d.next = self.codes.memory_error.val();
                    self.access_q.d.next = self.codes.payload_access.val();
                }
            }
            State::Claim => {
                self.id_q.d.next = self.swap.id.val();
                self.id_q.en.next = true;
                self.read_q.d.next = self.swap.read_kept.val();
                self.read_q.en.next = true;
                self.state_q.d.next = State::Address;
                self.state_q.en.next = self.swap.finished.val();
                self.fail.valid.next = self.swap.finished.val() & self.swap.broken.val();
                if !self.swap.claimed.val() {
                    self.publish_q.d.next = false;
                    self.publish_q.en.next = self.swap.finished.val();
                    self.status_q.d.next = self.codes.memory_error.val();
                    self.status_q.en.next = self.swap.finished.val();
                    self.access_q.d.next = self.codes.index_access.val();
                    self.access_q.en.next = self.swap.finished.val();
                    self.state_q.d.next = State::Job;
                }
                if self.swap.full.val() {
                    self.status_q.d.next = self.codes.queue_full.val();
                    self.access_q.d.next = self.codes.none.val();
                }
                if self.swap.closed.val() {
                    self.status_q.d.next = self.codes.bad_queue_index.val();
                    self.access_q.d.next = self.codes.none.val();
                }
            }
            State::Address => {
                self.write_index.write_en.next = true;
                self.read_index.write_en.next = true;
                self.next_q.en.next = true;
                self.line_q.en.next = true;
                self.state_q.d.next = State::Slot;
                self.state_q.en.next = !self.opened.valid.val();
            }
            State::Slot => {
                self.enqueue.valid.next = true;
                self.state_q.d.next = State::Index;
                if self.shared.val() {
                    self.state_q.d.next = State::Job;
                }
                self.state_q.en.next = self.enqueue.ready.val();
            }
            State::Index => {
                self.enqueue.valid.next = true;
                self.enqueue.data.next.address =
                    self.index_address.val() & 0xFFFF_FFFF_FFFF_FFF8_u64;
                self.enqueue.data.next.strobe = bits::<64>(0xFF) << self.index_byte.val();
                self.enqueue.data.next.data =
                    bit_cast::<512, 64>(self.next_q.q.val()) << self.index_bit.val();
                self.state_q.d.next = State::Job;
                self.state_q.en.next = self.enqueue.ready.val();
            }
            State::Job => {
                self.header.valid.next = true;
                self.state_q.d.next = State::Fetch;
                self.state_q.en.next = self.header.ready.val();
            }
            _ => {}
        }

        if self.opened.valid.val() {
            self.write_index.write_addr.next = self.opened.data.val();
            self.write_index.write_data.next = self.opened_write.val();
            self.read_index.write_addr.next = self.opened.data.val();
            self.read_index.write_data.next = self.opened_read.val();
        }
    }
}
