//! `Initiator`: the half of the NIC that sends.
//!
//! **Purpose.** Joins the blocks of the initiator (`docs/initiator.md`). Nothing is decided here.
//!
//! ```text
//!                     +-----------+--> tx                          packets
//!   command_cfg_*  -->|           |<-> command, gather, *_list, table_write   host memory
//!   answer         -->| Initiator |--> own_event, invalidate
//!   list_*         -->|           |--> list_command
//!   get, old, reply -->|          |--> replied, reply_target
//!   target_count   -->+-----------+--> trace_*
//! ```
//!
//! **Contract.** That of its blocks. Commands of a context in order; a put's header leaves seven cycles after its command is taken, if nothing is before it.
//!
//! **Internals.** The blocks and wires. Old bytes of atomics wait in a queue for the packetiser (`docs/atomics.md`). Replies that have come wait in a queue with room for those of all messages, so that the target pipeline never waits for what the initiator tells.

use crate::commands::command_ring::CommandRing;
use crate::commands::command_stage::CommandStage;
use crate::commands::md_table::MdTable;
use crate::leaf::{Junction, RamFifo};
use crate::lookup::table_writer::TableWriter;
use crate::memory::gather_unit::GatherUnit;
use crate::memory::iovec::iovec_gather::IovecGather;
use crate::messages::initiator_completer::InitiatorCompleter;
use crate::messages::message_table::MessageTable;
use crate::messages::reply_unit::ReplyUnit;
use crate::network::packetiser::Packetiser;
use crate::network::send_arbiter::SendArbiter;
use crate::triggers::counter_unit::CounterUnit;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchCommand;
use xtq_types::pipe::{MessageInfo, ReplyEnd, ReplyOutcome, WriteRequest};
use xtq_types::send::{
    BurstRequest, BurstResult, CounterCount, OwnEvent, PackedBeat, ReplyTarget, SentNote, TxBeat,
};
use xtq_types::wire_header::WireHeader;

/// The initiator.
#[block]
pub struct Initiator<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// A bit a context: its commands are executed.
    pub context_enabled: Signal<In, Bits<4>>,
    /// User ids, context 0 lowest.
    pub user_ids: Signal<In, Bits<128>>,
    /// Messages of a context that may be under way at once.
    pub message_limit: Signal<In, Bits<7>>,
    /// Window of the command rings: write.
    pub command_cfg_write: Signal<In, Bit>,
    /// Window of the command rings: word.
    pub command_cfg_addr: Signal<In, Bits<4>>,
    /// Window of the command rings: data.
    pub command_cfg_data: Signal<In, Bits<32>>,
    /// Command ring word to read.
    pub command_status_addr: Signal<In, Bits<5>>,
    /// The word, one cycle later.
    pub command_status_data: Signal<Out, Bits<32>>,
    /// Window of the lookup tables: write.
    pub table_cfg_write: Signal<In, Bit>,
    /// Window of the lookup tables: word.
    pub table_cfg_addr: Signal<In, Bits<6>>,
    /// Window of the lookup tables: data.
    pub table_cfg_data: Signal<In, Bits<32>>,
    /// To ReadPort: a command.
    pub command_request: Signal<Out, BurstRequest>,
    /// `command_request` is valid.
    pub command_request_valid: Signal<Out, Bit>,
    /// It was taken.
    pub command_request_ready: Signal<In, Bit>,
    /// Half of it.
    pub command_result: Signal<In, BurstResult>,
    /// Pulse.
    pub command_result_valid: Signal<In, Bit>,
    /// To ReadPort: bytes of messages.
    pub gather_request: Signal<Out, BurstRequest>,
    /// `gather_request` is valid.
    pub gather_request_valid: Signal<Out, Bit>,
    /// It was taken.
    pub gather_request_ready: Signal<In, Bit>,
    /// A line of them.
    pub gather_result: Signal<In, BurstResult>,
    /// Pulse.
    pub gather_result_valid: Signal<In, Bit>,
    /// To ReadPort: lines of lists of pieces to add up.
    pub sum_list_request: Signal<Out, BurstRequest>,
    /// `sum_list_request` is valid.
    pub sum_list_request_valid: Signal<Out, Bit>,
    /// It was taken.
    pub sum_list_request_ready: Signal<In, Bit>,
    /// A line of them.
    pub sum_list_result: Signal<In, BurstResult>,
    /// Pulse.
    pub sum_list_result_valid: Signal<In, Bit>,
    /// To ReadPort: lines of lists of pieces of messages.
    pub gather_list_request: Signal<Out, BurstRequest>,
    /// `gather_list_request` is valid.
    pub gather_list_request_valid: Signal<Out, Bit>,
    /// It was taken.
    pub gather_list_request_ready: Signal<In, Bit>,
    /// A line of them.
    pub gather_list_result: Signal<In, BurstResult>,
    /// Pulse.
    pub gather_list_result_valid: Signal<In, Bit>,
    /// To WritePort: a table entry.
    pub table_write: Signal<Out, WriteRequest>,
    /// `table_write` is valid.
    pub table_write_valid: Signal<Out, Bit>,
    /// It was taken.
    pub table_write_ready: Signal<In, Bit>,
    /// It is acknowledged (pulse).
    pub table_write_done: Signal<In, Bit>,
    /// With `table_write_done`: it failed.
    pub table_write_error: Signal<In, Bit>,
    /// To Invalidator: table entry that changed.
    pub invalidate: Signal<Out, Bits<20>>,
    /// `invalidate` is valid.
    pub invalidate_valid: Signal<Out, Bit>,
    /// It was taken.
    pub invalidate_ready: Signal<In, Bit>,
    /// It is forgotten (pulse).
    pub invalidated: Signal<In, Bit>,
    /// To EventMerge: an event.
    pub own_event: Signal<Out, OwnEvent>,
    /// `own_event` is valid.
    pub own_event_valid: Signal<Out, Bit>,
    /// It was taken.
    pub own_event_ready: Signal<In, Bit>,
    /// From PortalTable, a bit an entry {context 2, entry 4}: it is a single buffer.
    pub single: Signal<In, Bits<64>>,
    /// To ListUnit: what is done to lists.
    pub list_command: Signal<Out, MatchCommand>,
    /// `list_command` is valid.
    pub list_command_valid: Signal<Out, Bit>,
    /// It is done.
    pub list_command_ready: Signal<In, Bit>,
    /// From ListUnit: all that follows from it is told (pulse).
    pub list_done: Signal<In, Bit>,
    /// With `list_done`: whose.
    pub list_context: Signal<In, Bits<2>>,
    /// With `list_done`: how it ended.
    pub list_status: Signal<In, Bits<8>>,
    /// From ListUnit: an event.
    pub list_event: Signal<In, OwnEvent>,
    /// `list_event` is valid.
    pub list_event_valid: Signal<In, Bit>,
    /// It is taken.
    pub list_event_ready: Signal<Out, Bit>,
    /// From ListUnit: what a command counts.
    pub list_count: Signal<In, CounterCount>,
    /// `list_count` is valid.
    pub list_count_valid: Signal<In, Bit>,
    /// It is taken.
    pub list_count_ready: Signal<Out, Bit>,
    /// From TargetPipeline: what a message that came counts.
    pub target_count: Signal<In, CounterCount>,
    /// `target_count` is valid.
    pub target_count_valid: Signal<In, Bit>,
    /// It is taken.
    pub target_count_ready: Signal<Out, Bit>,
    /// From ReceiveSplitter: an acknowledgement.
    pub answer: Signal<In, WireHeader>,
    /// `answer` is valid.
    pub answer_valid: Signal<In, Bit>,
    /// It was taken.
    pub answer_ready: Signal<Out, Bit>,
    /// From the target pipeline: old bytes of atomics, in the order of their messages.
    pub old: Signal<In, PackedBeat>,
    /// `old` is valid.
    pub old_valid: Signal<In, Bit>,
    /// There is room for it.
    pub old_ready: Signal<Out, Bit>,
    /// From the target pipeline: a GET or fetch that is to be answered.
    pub get: Signal<In, MessageInfo>,
    /// With `get`: what became of it.
    pub get_outcome: Signal<In, ReplyOutcome>,
    /// `get` is valid.
    pub get_valid: Signal<In, Bit>,
    /// There is room for it.
    pub get_ready: Signal<Out, Bit>,
    /// To the target pipeline: a GET or fetch that was answered.
    pub replied: Signal<Out, MessageInfo>,
    /// With `replied`: what became of it.
    pub replied_outcome: Signal<Out, ReplyOutcome>,
    /// `replied` is valid.
    pub replied_valid: Signal<Out, Bit>,
    /// It is told.
    pub replied_ready: Signal<In, Bit>,
    /// From the target pipeline: the reply to a message of this node is in memory, or failed.
    pub reply: Signal<In, ReplyEnd>,
    /// `reply` is valid.
    pub reply_valid: Signal<In, Bit>,
    /// It is taken.
    pub reply_ready: Signal<Out, Bit>,
    /// From the target pipeline: place that a reply names.
    pub reply_place: Signal<In, Bits<8>>,
    /// What the reply is held against, one cycle later.
    pub reply_target: Signal<Out, ReplyTarget>,
    /// The reply to the message of `reply_place` is taken (pulse).
    pub reply_claim: Signal<In, Bit>,
    /// To TxArbiter: packets.
    pub tx: Signal<Out, TxBeat>,
    /// `tx` is valid.
    pub tx_valid: Signal<Out, Bit>,
    /// It was taken.
    pub tx_ready: Signal<In, Bit>,
    /// To Registers: an impossible doorbell of a command ring: context.
    pub bad_tail: Signal<Out, Bits<2>>,
    /// `bad_tail` is valid (pulse).
    pub bad_tail_valid: Signal<Out, Bit>,
    /// To Registers: what a message sends could not be read: context.
    pub gather_failed: Signal<Out, Bits<2>>,
    /// `gather_failed` is valid (pulse).
    pub gather_failed_valid: Signal<Out, Bit>,
    /// To Registers: an acknowledgement that nobody waits for (pulse).
    pub count_stray: Signal<Out, Bit>,
    /// A command was taken from a ring in the cycle before (pulse).
    pub trace_take: Signal<Out, Bit>,
    /// Its context.
    pub trace_take_context: Signal<Out, Bits<2>>,
    /// A message begins (pulse).
    pub trace_open: Signal<Out, Bit>,
    /// Its generation and place, the `initiator_handle` of its packets.
    pub trace_open_handle: Signal<Out, Bits<16>>,
    /// A command waits or is executed, or something is told.
    pub busy: Signal<Out, Bit>,
    ring: CommandRing<C>,
    stage: CommandStage,
    descriptors: MdTable,
    messages: MessageTable<C>,
    pieces: IovecGather,
    gather: GatherUnit,
    packetiser: Packetiser,
    replies: ReplyUnit,
    sends: SendArbiter,
    old_bytes: RamFifo<PackedBeat, 11>,
    came: RamFifo<ReplyEnd, 8>,
    gone: RamFifo<SentNote, 8>,
    of_reply: Signal<Local, Bit>,
    tables: TableWriter,
    completer: InitiatorCompleter,
    counters: CounterUnit,
    events: Junction<OwnEvent>,
    own_counts: Junction<CounterCount>,
    all_counts: Junction<CounterCount>,
    choice: Signal<Local, Bits<2>>,
    place: Signal<Local, Bits<8>>,
}

#[kernel]
impl<const C: usize> Logic for Initiator<C> {
    fn update(&mut self) {
        // Commands.
        self.ring.cfg_write.next = self.command_cfg_write.val();
        self.ring.cfg_addr.next = self.command_cfg_addr.val();
        self.ring.cfg_data.next = self.command_cfg_data.val();
        self.ring.status_addr.next = self.command_status_addr.val();
        self.command_status_data.next = self.ring.status_data.val();
        self.ring.enabled.next = self.context_enabled.val();
        self.command_request.next = self.ring.request.val();
        self.command_request_valid.next = self.ring.request_valid.val();
        self.ring.request_ready.next = self.command_request_ready.val();
        self.ring.result.next = self.command_result.val();
        self.ring.result_valid.next = self.command_result_valid.val();
        self.stage.waiting.next = self.ring.waiting.val();
        self.choice.next = self.stage.choose.val();
        self.ring.choose.next = self.choice.val();
        self.stage.command.next = self.ring.command.val();
        self.ring.take.next = self.stage.take.val();
        self.bad_tail.next = self.ring.bad_tail.val();
        self.bad_tail_valid.next = self.ring.bad_tail_valid.val();
        self.stage.user_ids.next = self.user_ids.val();
        self.stage.single.next = self.single.val();

        self.sum_list_request.next = self.stage.iovec_request.val();
        self.sum_list_request_valid.next = self.stage.iovec_request_valid.val();
        self.stage.iovec_request_ready.next = self.sum_list_request_ready.val();
        self.stage.iovec_result.next = self.sum_list_result.val();
        self.stage.iovec_result_valid.next = self.sum_list_result_valid.val();

        // Descriptors and messages.
        self.descriptors.lookup.next = self.stage.lookup.val();
        self.descriptors.lookup_valid.next = self.stage.lookup_valid.val();
        self.stage.found.next = self.descriptors.found.val();
        self.stage.found_valid.next = self.descriptors.found_valid.val();
        self.descriptors.bind_md.next = self.stage.bind_md.val();
        self.descriptors.bind_md_valid.next = self.stage.bind_md_valid.val();
        self.stage.bind_md_ready.next = self.descriptors.bind_md_ready.val();
        self.stage.bind_status.next = self.descriptors.bind_status.val();
        self.stage.bound.next = self.descriptors.bound.val();
        self.descriptors.release_md.next = self.stage.release_md.val();
        self.descriptors.release_md_valid.next = self.stage.release_md_valid.val();
        self.stage.release_md_ready.next = self.descriptors.release_md_ready.val();
        self.stage.release_status.next = self.descriptors.release_status.val();
        self.stage.released.next = self.descriptors.released.val();
        self.descriptors.hold.next = self.stage.hold.val();
        self.descriptors.hold_valid.next = self.stage.hold_valid.val();
        self.descriptors.drop.next = self.completer.unhold.val();
        self.descriptors.drop_valid.next = self.completer.unhold_valid.val();
        self.descriptors.read.next = self.completer.read_md.val();
        self.completer.md.next = self.descriptors.read_info.val();
        self.stage.room.next = self.messages.room.val();
        self.messages.limit.next = self.message_limit.val();
        self.messages.open_info.next = self.stage.open.val();
        self.messages.open.next = self.stage.open_valid.val();
        self.stage.open_handle.next = self.messages.open_handle.val();
        self.messages.fence.next = self.stage.fence_context.val();
        self.messages.fence_valid.next = self.stage.fence.val();
        self.stage.epoch_clear.next = self.messages.epoch_clear.val();
        self.messages.read.next = self.completer.read.val();
        self.completer.note.next = self.messages.read_note.val();
        self.completer.generation.next = self.messages.read_generation.val();
        self.completer.note_open.next = self.messages.read_open.val();
        self.completer.note_sent.next = self.messages.read_sent.val();
        self.completer.note_answered.next = self.messages.read_answered.val();
        self.place.next = self.completer.place.val();
        self.messages.sent.next = self.place.val();
        self.messages.sent_valid.next = self.completer.sent_place.val();
        self.messages.answered.next = self.place.val();
        self.messages.answered_valid.next = self.completer.answered.val();

        // Bytes to the network.
        self.sends.first_send.next = self.stage.send.val();
        self.sends.first_send_valid.next = self.stage.send_valid.val();
        self.stage.send_ready.next = self.sends.first_send_ready.val();
        self.sends.first_gather.next = self.stage.gather.val();
        self.sends.first_gather_valid.next = self.stage.gather_valid.val();
        self.stage.gather_ready.next = self.sends.first_gather_ready.val();
        self.sends.second_send.next = self.replies.send.val();
        self.sends.second_send_valid.next = self.replies.send_valid.val();
        self.replies.send_ready.next = self.sends.second_send_ready.val();
        self.sends.second_gather.next = self.replies.gather.val();
        self.sends.second_gather_valid.next = self.replies.gather_valid.val();
        self.replies.gather_ready.next = self.sends.second_gather_ready.val();
        self.pieces.job.next = self.sends.gather.val();
        self.pieces.job_valid.next = self.sends.gather_valid.val();
        self.sends.gather_ready.next = self.pieces.job_ready.val();
        self.gather_list_request.next = self.pieces.request.val();
        self.gather_list_request_valid.next = self.pieces.request_valid.val();
        self.pieces.request_ready.next = self.gather_list_request_ready.val();
        self.pieces.result.next = self.gather_list_result.val();
        self.pieces.result_valid.next = self.gather_list_result_valid.val();
        self.gather.job.next = self.pieces.spans.val();
        self.gather.job_valid.next = self.pieces.spans_valid.val();
        self.pieces.spans_ready.next = self.gather.job_ready.val();
        self.gather_request.next = self.gather.request.val();
        self.gather_request_valid.next = self.gather.request_valid.val();
        self.gather.request_ready.next = self.gather_request_ready.val();
        self.gather.result.next = self.gather_result.val();
        self.gather.result_valid.next = self.gather_result_valid.val();
        self.packetiser.job.next = self.sends.send.val();
        self.packetiser.job_valid.next = self.sends.send_valid.val();
        self.sends.send_ready.next = self.packetiser.job_ready.val();
        self.packetiser.beat.next = self.gather.beat.val();
        self.packetiser.beat_valid.next = self.gather.beat_valid.val();
        self.gather.beat_ready.next = self.packetiser.beat_ready.val();
        self.old_bytes.write.next = self.old.val();
        self.old_bytes.write_valid.next = self.old_valid.val();
        self.old_ready.next = self.old_bytes.write_ready.val();
        self.packetiser.old.next = self.old_bytes.read.val();
        self.packetiser.old_valid.next = self.old_bytes.read_valid.val();
        self.old_bytes.read_ready.next = self.packetiser.old_ready.val();
        self.packetiser.node.next = self.node.val();
        self.tx.next = self.packetiser.tx.val();
        self.tx_valid.next = self.packetiser.tx_valid.val();
        self.packetiser.tx_ready.next = self.tx_ready.val();

        // GETs and fetches of others, and replies to those of this node.
        self.replies.get.next = self.get.val();
        self.replies.get_outcome.next = self.get_outcome.val();
        self.replies.get_valid.next = self.get_valid.val();
        self.get_ready.next = self.replies.get_ready.val();
        self.replied.next = self.replies.replied.val();
        self.replied_outcome.next = self.replies.replied_outcome.val();
        self.replied_valid.next = self.replies.replied_valid.val();
        self.replies.replied_ready.next = self.replied_ready.val();
        self.came.write.next = self.reply.val();
        self.came.write_valid.next = self.reply_valid.val();
        self.reply_ready.next = self.came.write_ready.val();
        self.completer.reply.next = self.came.read.val();
        self.completer.reply_valid.next = self.came.read_valid.val();
        self.came.read_ready.next = self.completer.reply_ready.val();
        self.messages.check.next = self.reply_place.val();
        self.reply_target.next = self.messages.reply_target.val();
        self.messages.claim.next = self.reply_claim.val();

        // Entries of lookup tables.
        self.tables.cfg_write.next = self.table_cfg_write.val();
        self.tables.cfg_addr.next = self.table_cfg_addr.val();
        self.tables.cfg_data.next = self.table_cfg_data.val();
        self.tables.job.next = self.stage.register.val();
        self.tables.job_valid.next = self.stage.register_valid.val();
        self.stage.register_ready.next = self.tables.job_ready.val();
        self.stage.registered.next = self.tables.done.val();
        self.stage.register_status.next = self.tables.status.val();
        self.table_write.next = self.tables.write.val();
        self.table_write_valid.next = self.tables.write_valid.val();
        self.tables.write_ready.next = self.table_write_ready.val();
        self.tables.write_done.next = self.table_write_done.val();
        self.tables.write_error.next = self.table_write_error.val();
        self.invalidate.next = self.tables.invalidate.val();
        self.invalidate_valid.next = self.tables.invalidate_valid.val();
        self.tables.invalidate_ready.next = self.invalidate_ready.val();
        self.tables.invalidated.next = self.invalidated.val();

        // Counters, and what waits for them.
        self.own_counts.first.next = self.completer.count.val();
        self.own_counts.first_valid.next = self.completer.count_valid.val();
        self.completer.count_ready.next = self.own_counts.first_ready.val();
        self.own_counts.second.next = self.list_count.val();
        self.own_counts.second_valid.next = self.list_count_valid.val();
        self.list_count_ready.next = self.own_counts.second_ready.val();
        self.all_counts.first.next = self.own_counts.read.val();
        self.all_counts.first_valid.next = self.own_counts.read_valid.val();
        self.own_counts.read_ready.next = self.all_counts.first_ready.val();
        self.all_counts.second.next = self.target_count.val();
        self.all_counts.second_valid.next = self.target_count_valid.val();
        self.target_count_ready.next = self.all_counts.second_ready.val();
        self.counters.count.next = self.all_counts.read.val();
        self.counters.count_valid.next = self.all_counts.read_valid.val();
        self.all_counts.read_ready.next = self.counters.count_ready.val();
        self.counters.act.next = self.stage.act.val();
        self.counters.act_valid.next = self.stage.act_valid.val();
        self.stage.act_ready.next = self.counters.act_ready.val();
        self.counters.request.next = self.stage.request.val();
        self.counters.request_valid.next = self.stage.request_valid.val();
        self.stage.request_ready.next = self.counters.request_ready.val();
        self.stage.acted.next = self.counters.answer.val();
        self.stage.acted_valid.next = self.counters.answer_valid.val();
        self.stage.decided.next = self.counters.decided.val();
        self.stage.decided_status.next = self.counters.decided_status.val();
        self.stage.fired.next = self.counters.fired.val();
        self.stage.fired_valid.next = self.counters.fired_valid.val();
        self.counters.fired_ready.next = self.stage.fired_ready.val();
        self.counters.fired_pass.next = self.stage.fired_pass.val();
        self.stage.fired_waits.next = self.counters.fired_waits.val();

        // Lists.
        self.list_command.next = self.stage.list_command.val();
        self.list_command_valid.next = self.stage.list_command_valid.val();
        self.stage.list_command_ready.next = self.list_command_ready.val();
        self.stage.list_done.next = self.list_done.val();
        self.stage.list_context.next = self.list_context.val();
        self.stage.list_status.next = self.list_status.val();

        // What is told.
        self.of_reply.next = self.packetiser.sent.val().reply == 1;
        // There is room for all messages: a reply must not wait behind a message that cannot be told yet.
        self.gone.write.next = self.packetiser.sent.val();
        self.gone.write_valid.next = self.packetiser.sent_valid.val() & !self.of_reply.val();
        self.completer.sent.next = self.gone.read.val();
        self.completer.sent_valid.next = self.gone.read_valid.val();
        self.gone.read_ready.next = self.completer.sent_ready.val();
        self.replies.sent.next = self.packetiser.sent.val();
        self.replies.sent_valid.next = self.packetiser.sent_valid.val() & self.of_reply.val();
        self.packetiser.sent_ready.next = self.gone.write_ready.val();
        if self.of_reply.val() {
            self.packetiser.sent_ready.next = self.replies.sent_ready.val();
        }
        self.completer.answer.next = self.answer.val();
        self.completer.answer_valid.next = self.answer_valid.val();
        self.answer_ready.next = self.completer.answer_ready.val();
        self.completer.done.next = self.stage.done.val();
        self.completer.done_valid.next = self.stage.done_valid.val();
        self.stage.done_ready.next = self.completer.done_ready.val();
        self.events.first.next = self.completer.own.val();
        self.events.first_valid.next = self.completer.own_valid.val();
        self.completer.own_ready.next = self.events.first_ready.val();
        self.events.second.next = self.list_event.val();
        self.events.second_valid.next = self.list_event_valid.val();
        self.list_event_ready.next = self.events.second_ready.val();
        self.own_event.next = self.events.read.val();
        self.own_event_valid.next = self.events.read_valid.val();
        self.events.read_ready.next = self.own_event_ready.val();
        self.count_stray.next = self.completer.count_stray.val();
        self.gather_failed.next = self.completer.memory_error.val();
        self.gather_failed_valid.next = self.completer.memory_error_valid.val();

        // What happens to each command.
        self.trace_take.next = self.stage.take.val();
        self.trace_take_context.next = self.choice.val();
        self.trace_open.next = self.stage.open_valid.val();
        self.trace_open_handle.next = self.messages.open_handle.val();
        self.busy.next = self.ring.waiting.val().any()
            | self.stage.working.val()
            | self.gone.read_valid.val()
            | self.completer.working.val()
            | self.replies.busy.val()
            | self.came.read_valid.val()
            | self.counters.fired_waits.val().any();
    }
}
