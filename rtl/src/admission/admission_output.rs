//! `AdmissionOutput`: what admission sends on for one packet, put together.
//!
//! **Purpose.** The wiring of a decision: which field of packet, table entries and latched state goes where. No
//! decision is made here.
//!
//! ```text
//!   head, aql, entries -->+-----------------+--> job         (rewrite engine)
//!   slot, addresses ----->| AdmissionOutput |--> record      (enqueuer)
//!   decision ------------>|                 |--> info, queue, note (memories by slot)
//!                         +-----------------+
//! ```
//!
//! **Contract.** Combinational.
//!
//! **Internals.** One assignment a field. An aborted message gives a job without body and command, which makes the
//! rewrite engine end it with a beat of no bytes, and a record like that of a complete message.

use crate::codes::status_codes::StatusCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResult;
use xtq_types::pipe::{AtomicNote, IovecNote, MessageInfo, PacketHead, PortalEntry, RewriteJob};
use xtq_types::queue::{MessageRecord, QueueInfo};
use xtq_types::send::ReplyTarget;
use xtq_types::tables::{FunctionEntry, KernelEntry, QueueEntry};

/// Puts together job, record and the words by slot.
#[block]
pub struct AdmissionOutput {
    /// Packet.
    pub head: Signal<In, PacketHead>,
    /// Its AQL packet.
    pub aql: Signal<In, Bits<512>>,
    /// Agent dispatch.
    pub agent: Signal<In, Bit>,
    /// Task entry as kernel entry.
    pub kernel: Signal<In, KernelEntry>,
    /// Task entry as function entry.
    pub agent_entry: Signal<In, FunctionEntry>,
    /// Queue entry.
    pub queue: Signal<In, QueueEntry>,
    /// Queue index, low bits.
    pub queue_index: Signal<In, Bits<16>>,
    /// Portal entry.
    pub entry: Signal<In, PortalEntry>,
    /// What the lists say, for a head with `lists`.
    pub result: Signal<In, MatchResult>,
    /// The message says that its match entry is unlinked.
    pub tells_unlink: Signal<In, Bit>,
    /// It says that the entry's buffer is free.
    pub tells_free: Signal<In, Bit>,
    /// What a reply is held against.
    pub reply_target: Signal<In, ReplyTarget>,
    /// An entry took it (with `lists`).
    pub usable: Signal<In, Bit>,
    /// It counts.
    pub counted: Signal<In, Bit>,
    /// Bytes of it that are delivered.
    pub delivered_length: Signal<In, Bits<32>>,
    /// Bytes of it that are written from this packet on.
    pub left: Signal<In, Bits<32>>,
    /// Bytes of it are written.
    pub writes: Signal<In, Bit>,
    /// Context of the message: the packet's, or that of the message that is ended.
    pub owner: Signal<In, Bits<2>>,
    /// Message slot.
    pub slot: Signal<In, Bits<8>>,
    /// The message is an XTQ put.
    pub message_xtq: Signal<In, Bit>,
    /// Landing address of the message.
    pub landing: Signal<In, Bits<64>>,
    /// Offset used in the buffer.
    pub offset: Signal<In, Bits<64>>,
    /// Where this packet's body goes.
    pub address: Signal<In, Bits<64>>,
    /// Where the payload goes.
    pub payload_address: Signal<In, Bits<64>>,
    /// Rewrite two words of the arguments.
    pub patch: Signal<In, Bit>,
    /// Body beats follow.
    pub has_body: Signal<In, Bit>,
    /// Discard them.
    pub discard: Signal<In, Bit>,
    /// An open message is ended; the packet itself is not touched.
    pub aborting: Signal<In, Bit>,
    /// A place in the event ring is reserved.
    pub place: Signal<In, Bit>,
    /// The portal entry is disabled by this message.
    pub disabling: Signal<In, Bit>,
    /// Outcome so far.
    pub status: Signal<In, Bits<8>>,
    /// Memory access that failed.
    pub access: Signal<In, Bits<8>>,
    /// To the rewrite engine.
    pub job: Signal<Out, RewriteJob>,
    /// To the enqueuer.
    pub record: Signal<Out, MessageRecord>,
    /// What event and acknowledgement need.
    pub info: Signal<Out, MessageInfo>,
    /// The queue.
    pub queue_info: Signal<Out, QueueInfo>,
    /// What is done with its bytes.
    pub note: Signal<Out, AtomicNote>,
    /// Where they go.
    pub iovec_note: Signal<Out, IovecNote>,
    shown_index: Signal<Local, Bits<16>>,
    options: Signal<Local, Bits<20>>,
    handle: Signal<Local, Bits<16>>,
    delivered: Signal<Local, Bit>,
    rewrite_offset: Signal<Local, Bits<32>>,
    codes: StatusCodes,
}

#[kernel]
impl Logic for AdmissionOutput {
    fn update(&mut self) {
        self.options.next = self.result.val().options;
        self.delivered.next = !self.status.val().any();

        // A plain put has no queue.
        self.shown_index.next = 0.into();
        if self.head.val().xtq == 1 {
            self.shown_index.next = self.queue_index.val();
        }

        // The list of pieces that is its buffer.
        self.iovec_note.next.pieces = 0.into();
        self.iovec_note.next.list = self.result.val().start;
        if self.head.val().lists == 1 {
            self.iovec_note.next.pieces = self.result.val().pieces;
        }
        if self.head.val().reply == 1 {
            self.iovec_note.next.pieces = self.reply_target.val().pieces;
            self.iovec_note.next.list = self.reply_target.val().address;
        }

        // By slot.
        self.info.next.xtq = self.head.val().xtq;
        self.info.next.get = self.head.val().get;
        self.info.next.atomic = self.head.val().atomic;
        self.info.next.fetch = self.head.val().fetch;
        self.info.next.reply = self.head.val().reply;
        self.info.next.lists = self.head.val().lists;
        self.handle.next = self.result.val().handle;
        self.info.next.colour = self.handle.val().get_bits::<1>(2);
        self.info.next.list = 0.into();
        self.info.next.matched = 0.into();
        self.info.next.unexpected = 0.into();
        self.info.next.header = self.result.val().header;
        self.info.next.tells_unlink = self.tells_unlink.val().into();
        self.info.next.tells_free = self.tells_free.val().into();
        self.info.next.counted = self.counted.val().into();
        self.info.next.counts_bytes = self.options.val().get_bits::<1>(15);
        self.info.next.counter = self.result.val().counter;
        self.info.next.flow_control = self.entry.val().flow_control;
        self.info.next.user_pointer = 0.into();
        self.info.next.event_success = self.entry.val().event_success;
        self.info.next.event_failure = self.entry.val().event_failure;
        self.info.next.event_reserved = self.place.val().into();
        self.info.next.portal_disabled = self.disabling.val().into();
        self.info.next.ack_request = self.head.val().ack_request;
        self.info.next.ack_silent = 0.into();
        if self.head.val().lists == 1 {
            self.info.next.list = self.result.val().list;
            self.info.next.matched = self.usable.val().into();
            self.info.next.unexpected = self.result.val().unexpected;
            self.info.next.user_pointer = self.result.val().user_ptr;
            // What ACK_DISABLE hides is reported to the sender's NIC only.
            if self.options.val().get_bit(4) & self.delivered.val() {
                self.info.next.ack_silent = 1.into();
            }
            if !self.usable.val() {
                self.info.next.list = 0.into();
                self.info.next.user_pointer = 0.into();
            }
        }
        self.info.next.portal_index = self.head.val().portal_index;
        self.info.next.source_node = self.head.val().source_node;
        self.info.next.source_context = self.head.val().source_context;
        self.info.next.user_id = self.head.val().user_id;
        self.info.next.match_bits = self.head.val().match_bits;
        self.info.next.header_data = self.head.val().header_data;
        self.info.next.remote_offset = self.head.val().remote_offset;
        self.info.next.start = self.landing.val();
        self.info.next.offset = self.offset.val();
        self.info.next.pieces = self.iovec_note.val().pieces;
        if (self.head.val().lists == 1) & !self.usable.val() {
            self.info.next.start = 0.into();
            self.info.next.offset = 0.into();
        }
        self.info.next.message_length = self.head.val().message_length;
        self.info.next.delivered_length = self.delivered_length.val();
        self.info.next.message_id = self.head.val().message_id;
        self.info.next.initiator_handle = self.head.val().initiator_handle;
        self.info.next.queue_index = self.shown_index.val();
        self.info.next.ni_fail = self.head.val().ni_fail;
        self.info.next.operation = self.head.val().operation;
        self.queue_info.next.index = self.queue_index.val();
        self.queue_info.next.doorbell_plus_one = self.queue.val().doorbell_plus_one;
        self.queue_info.next.shared = self.queue.val().shared;
        self.queue_info.next.size = self.queue.val().size;
        self.queue_info.next.ring_base = self.queue.val().ring_base;
        self.queue_info.next.write_index_address = self.queue.val().write_index_address;
        self.queue_info.next.read_index_address = self.queue.val().read_index_address;
        self.queue_info.next.doorbell_address = self.queue.val().doorbell_address;

        self.note.next.atomic = self.head.val().atomic;
        self.note.next.fetch = self.head.val().fetch;
        self.note.next.operation = self.head.val().operation;
        self.note.next.datatype = self.head.val().datatype;

        // To the rewrite engine.
        self.job.next.slot = self.slot.val();
        self.job.next.context = self.owner.val();
        self.job.next.limit = 4096.into();
        if self.left.val() < 4096 {
            self.job.next.limit = self.left.val().get_bits::<13>(0);
        }
        self.job.next.discard = self.discard.val().into();
        self.job.next.has_body = (self.has_body.val() & !self.aborting.val()).into();
        self.job.next.message_last = ((self.head.val().last == 1) | self.aborting.val()).into();
        self.job.next.command =
            ((self.head.val().xtq == 1) & (self.head.val().first == 1) & !self.aborting.val())
                .into();
        self.job.next.kernel = (!self.agent.val()).into();
        self.job.next.patch = self.patch.val().into();
        self.job.next.buffer_valid = self.kernel.val().buffer_valid;
        self.job.next.signal_valid = self.kernel.val().signal_valid;
        self.rewrite_offset.next = self.kernel.val().rewrite_offset;
        self.job.next.rewrite_offset = self.rewrite_offset.val().get_bits::<16>(0);
        self.job.next.address = self.address.val();
        self.job.next.payload_address = self.payload_address.val();
        self.job.next.target = self.kernel.val().kernel;
        self.job.next.buffer_pointer = self.kernel.val().buffer_pointer;
        self.job.next.completion_signal = self.kernel.val().completion_signal;
        if self.agent.val() {
            self.job.next.target = self.agent_entry.val().function;
            self.job.next.buffer_pointer = self.agent_entry.val().buffer_pointer;
            self.job.next.buffer_valid = self.agent_entry.val().buffer_valid;
        }
        self.job.next.aql = self.aql.val();

        // To the enqueuer.
        self.record.next.slot = self.slot.val();
        self.record.next.context = self.owner.val();
        self.record.next.xtq = self.message_xtq.val().into();
        self.record.next.has_payload =
            ((self.delivered.val() & self.writes.val()) | self.aborting.val()).into();
        self.record.next.status = self.status.val();
        self.record.next.access = self.access.val();
        if self.aborting.val() {
            self.record.next.status = self.codes.ok.val();
            self.record.next.access = self.codes.none.val();
        }
    }
}
