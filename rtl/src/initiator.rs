//! `Initiator`: the half of the NIC that sends.
//!
//! **Purpose.** Joins the blocks of the initiator (`docs/initiator.md`). Nothing is decided here.
//!
//! ```text
//!                     +-----------+--> tx, reply_tx                packets of messages, of replies
//!   command_cfg_*  -->|           |<-> command, *gather, *_list, table_write   host memory
//!   answer         -->| Initiator |--> own_event, invalidate
//!   list_*         -->|           |--> list_command
//!   get, old, reply -->|          |--> replied, reply_target
//!   target_count   -->+-----------+--> trace_*
//! ```
//!
//! **Contract.** That of its blocks. Commands of a context in order; a put's header leaves seven cycles after its
//! command is taken, if nothing is before it.
//!
//! **Internals.** The blocks and wires. Messages of commands and replies have gather units and packetisers of their
//! own, so that neither waits for the other (`docs/nic.md`, two classes). Old bytes of atomics wait in a queue for the
//! packetiser of replies (`docs/atomics.md`). Replies that have come wait in a queue with room for those of all
//! messages, so that the target pipeline never waits for what the initiator reports.

use crate::bundle::{PulseIn, PulseOut, ReadBackIn, StreamIn, StreamOut, WindowIn};
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
use crate::triggers::counter_unit::CounterUnit;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::CounterCount;
use xtq_types::matching::MatchCommand;
use xtq_types::memory::{BurstRequest, BurstResult, WriteRequest};
use xtq_types::pipe::{MessageInfo, ReplyEnd, ReplyOutcome};
use xtq_types::send::{OwnEvent, PackedBeat, ReplyTarget, SentNote, TxBeat};
use xtq_types::wire_header::WireHeader;

/// The initiator of a NIC with `C` contexts, `2^A` counters and `2^S` triggered operations, see [`CounterUnit`], and
/// `2^D` memory descriptors, see [`MdTable`]; room for `2^W - 1` messages that are to be answered, see [`ReplyUnit`].
#[block]
pub struct Initiator<
    const C: usize = 4,
    const A: usize = 8,
    const N: usize = 256,
    const S: usize = 9,
    const L: usize = 10,
    const D: usize = 8,
    const M: usize = 256,
    const W: usize = 10,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// One bit per context: its commands are executed.
    pub context_enabled: Signal<In, Bits<4>>,
    /// User ids, context 0 lowest.
    pub user_ids: Signal<In, Bits<128>>,
    /// Messages of a context that may wait for an answer at once.
    pub message_limit: Signal<In, Bits<7>>,
    /// Window of the command rings.
    pub command_cfg: WindowIn<4>,
    /// Command ring word to read.
    pub command_status: ReadBackIn<5>,
    /// Window of the lookup tables.
    pub table_cfg: WindowIn<6>,
    /// To ReadPort: a command.
    pub command_request: StreamOut<BurstRequest>,
    /// Half of it.
    pub command_result: PulseIn<BurstResult>,
    /// To ReadPort: bytes of messages.
    pub gather_request: StreamOut<BurstRequest>,
    /// A line of them.
    pub gather_result: PulseIn<BurstResult>,
    /// To ReadPort: bytes of replies.
    pub reply_gather_request: StreamOut<BurstRequest>,
    /// A line of them.
    pub reply_gather_result: PulseIn<BurstResult>,
    /// To ReadPort: lines of lists of pieces to add up.
    pub sum_list_request: StreamOut<BurstRequest>,
    /// A line of them.
    pub sum_list_result: PulseIn<BurstResult>,
    /// To ReadPort: lines of lists of pieces of messages.
    pub gather_list_request: StreamOut<BurstRequest>,
    /// A line of them.
    pub gather_list_result: PulseIn<BurstResult>,
    /// To ReadPort: lines of lists of pieces of replies.
    pub reply_list_request: StreamOut<BurstRequest>,
    /// A line of them.
    pub reply_list_result: PulseIn<BurstResult>,
    /// To WritePort: a table entry.
    pub table_write: StreamOut<WriteRequest>,
    /// It is acknowledged (pulse).
    pub table_write_done: Signal<In, Bit>,
    /// With `table_write_done`: it failed.
    pub table_write_error: Signal<In, Bit>,
    /// To Invalidator: table entry that changed.
    pub invalidate: StreamOut<Bits<20>>,
    /// It is forgotten (pulse).
    pub invalidated: Signal<In, Bit>,
    /// To EventMerge: an event.
    pub own_event: StreamOut<OwnEvent>,
    /// From PortalTable, one bit per entry {context 2, entry 4}: it is a single buffer.
    pub single: Signal<In, Bits<64>>,
    /// To ListUnit: what is done to lists. It is taken when it is done.
    pub list_command: StreamOut<MatchCommand>,
    /// From ListUnit: all that follows from it is reported (pulse).
    pub list_done: Signal<In, Bit>,
    /// With `list_done`: whose.
    pub list_context: Signal<In, Bits<2>>,
    /// With `list_done`: how it ended.
    pub list_status: Signal<In, Bits<8>>,
    /// From ListUnit: an event.
    pub list_event: StreamIn<OwnEvent>,
    /// From Registers: what a store to CT_INC counts.
    pub stored_count: StreamIn<CounterCount>,
    /// From ListUnit: what a command counts.
    pub list_count: StreamIn<CounterCount>,
    /// From TargetPipeline: what a message that came counts.
    pub target_count: StreamIn<CounterCount>,
    /// From ReceiveSplitter: an acknowledgement.
    pub answer: StreamIn<WireHeader>,
    /// From the target pipeline: old bytes of atomics, in the order of their messages.
    pub old: StreamIn<PackedBeat>,
    /// From the target pipeline: a GET or fetch that is to be answered.
    pub get: StreamIn<MessageInfo>,
    /// With `get`: what became of it.
    pub get_outcome: Signal<In, ReplyOutcome>,
    /// To the target pipeline: a GET or fetch that was answered. It is taken when it is reported.
    pub replied: StreamOut<MessageInfo>,
    /// With `replied`: what became of it.
    pub replied_outcome: Signal<Out, ReplyOutcome>,
    /// From the target pipeline: the reply to a message of this node is in memory, or failed.
    pub reply: StreamIn<ReplyEnd>,
    /// From the target pipeline: place that a reply names.
    pub reply_place: Signal<In, Bits<8>>,
    /// What the reply is held against, one cycle later.
    pub reply_target: Signal<Out, ReplyTarget>,
    /// The reply to the message of `reply_place` is taken (pulse).
    pub reply_claim: Signal<In, Bit>,
    /// To the network: packets of messages.
    pub tx: StreamOut<TxBeat>,
    /// To TxArbiter: packets of replies.
    pub reply_tx: StreamOut<TxBeat>,
    /// To Registers: an impossible doorbell of a command ring: context.
    pub bad_tail: PulseOut<Bits<2>>,
    /// To Registers: what a message sends could not be read: context.
    pub gather_failed: PulseOut<Bits<2>>,
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
    /// A command waits or is executed, or something is reported.
    pub busy: Signal<Out, Bit>,
    ring: CommandRing<C>,
    stage: CommandStage<A>,
    descriptors: MdTable<D, M>,
    messages: MessageTable<C>,
    pieces: IovecGather,
    gather: GatherUnit,
    packetiser: Packetiser,
    no_old: Signal<Local, PackedBeat>,
    replies: ReplyUnit<W>,
    reply_pieces: IovecGather,
    reply_gather: GatherUnit,
    reply_packetiser: Packetiser,
    old_bytes: RamFifo<PackedBeat, 11>,
    came: RamFifo<ReplyEnd, 8>,
    gone: RamFifo<SentNote, 8>,
    tables: TableWriter,
    completer: InitiatorCompleter,
    counters: CounterUnit<A, N, S, L>,
    events: Junction<OwnEvent>,
    own_counts: Junction<CounterCount>,
    local_counts: Junction<CounterCount>,
    all_counts: Junction<CounterCount>,
    choice: Signal<Local, Bits<2>>,
    place: Signal<Local, Bits<8>>,
}

#[kernel]
impl<
    const C: usize,
    const A: usize,
    const N: usize,
    const S: usize,
    const L: usize,
    const D: usize,
    const M: usize,
    const W: usize,
> Logic for Initiator<C, A, N, S, L, D, M, W>
{
    fn update(&mut self) {
        // Commands.
        connect!(self.command_cfg => self.ring.cfg);
        connect!(self.command_status => self.ring.status);
        self.ring.enabled.next = self.context_enabled.val();
        connect!(self.ring.request => self.command_request);
        connect!(self.command_result => self.ring.result);
        self.stage.waiting.next = self.ring.waiting.val();
        self.choice.next = self.stage.choose.val();
        self.ring.choose.next = self.choice.val();
        self.stage.command.next = self.ring.command.val();
        self.ring.choose_next.next = self.stage.choose_next.val();
        self.ring.take.next = self.stage.take.val();
        connect!(self.ring.bad_tail => self.bad_tail);
        self.stage.user_ids.next = self.user_ids.val();
        self.stage.single.next = self.single.val();

        connect!(self.stage.iovec_request => self.sum_list_request);
        connect!(self.sum_list_result => self.stage.iovec_result);

        // Descriptors and messages.
        self.descriptors.lookup.data.next = self.stage.lookup.data.val();
        self.descriptors.lookup.valid.next = self.stage.lookup.valid.val();
        connect!(self.descriptors.found => self.stage.found);
        connect!(self.stage.bind_md => self.descriptors.bind_md);
        self.stage.bind_status.next = self.descriptors.bind_status.val();
        self.stage.bound.next = self.descriptors.bound.val();
        connect!(self.stage.release_md => self.descriptors.release_md);
        self.stage.release_status.next = self.descriptors.release_status.val();
        self.stage.released.next = self.descriptors.released.val();
        connect!(self.stage.hold => self.descriptors.hold);
        connect!(self.completer.unhold => self.descriptors.drop);
        self.descriptors.read.next = self.completer.read_md.val();
        self.completer.md.next = self.descriptors.read_info.val();
        self.stage.room.next = self.messages.room.val();
        self.stage.ample.next = self.messages.ample.val();
        self.messages.limit.next = self.message_limit.val();
        self.messages.open_info.next = self.stage.open.data.val();
        self.messages.open.next = self.stage.open.valid.val();
        self.stage.open_handle.next = self.messages.open_handle.val();
        self.messages.fence.data.next = self.stage.fence_context.val();
        self.messages.fence.valid.next = self.stage.fence.val();
        self.stage.epoch_clear.next = self.messages.epoch_clear.val();
        self.messages.read.next = self.completer.read.val();
        self.completer.note.next = self.messages.read_note.val();
        self.completer.generation.next = self.messages.read_generation.val();
        self.completer.note_open.next = self.messages.read_open.val();
        self.completer.note_sent.next = self.messages.read_sent.val();
        self.completer.note_answered.next = self.messages.read_answered.val();
        self.place.next = self.completer.place.val();
        self.messages.sent.data.next = self.place.val();
        self.messages.sent.valid.next = self.completer.sent_place.val();
        self.messages.answered.data.next = self.place.val();
        self.messages.answered.valid.next = self.completer.answered.val();

        // Messages to the network. Of a command no bytes are kept.
        connect!(self.stage.send => self.packetiser.job);
        connect!(self.stage.gather => self.pieces.job);
        connect!(self.pieces.request => self.gather_list_request);
        connect!(self.gather_list_result => self.pieces.result);
        connect!(self.pieces.spans => self.gather.job);
        connect!(self.gather.request => self.gather_request);
        connect!(self.gather_result => self.gather.result);
        connect!(self.gather.beat => self.packetiser.beat);
        self.no_old.next.data = 0.into();
        self.no_old.next.bytes = 0.into();
        self.no_old.next.last = 0.into();
        self.no_old.next.error = 0.into();
        self.packetiser.old.data.next = self.no_old.val();
        self.packetiser.old.valid.next = false;
        self.packetiser.node.next = self.node.val();
        connect!(self.packetiser.tx => self.tx);

        // Replies to the network.
        connect!(self.replies.send => self.reply_packetiser.job);
        connect!(self.replies.gather => self.reply_pieces.job);
        connect!(self.reply_pieces.request => self.reply_list_request);
        connect!(self.reply_list_result => self.reply_pieces.result);
        connect!(self.reply_pieces.spans => self.reply_gather.job);
        connect!(self.reply_gather.request => self.reply_gather_request);
        connect!(self.reply_gather_result => self.reply_gather.result);
        connect!(self.reply_gather.beat => self.reply_packetiser.beat);
        connect!(self.old => self.old_bytes.write);
        connect!(self.old_bytes.read => self.reply_packetiser.old);
        self.reply_packetiser.node.next = self.node.val();
        connect!(self.reply_packetiser.tx => self.reply_tx);
        connect!(self.reply_packetiser.sent => self.replies.sent);

        // GETs and fetches of others, and replies to those of this node.
        connect!(self.get => self.replies.get);
        self.replies.get_outcome.next = self.get_outcome.val();
        connect!(self.replies.replied => self.replied);
        self.replied_outcome.next = self.replies.replied_outcome.val();
        connect!(self.reply => self.came.write);
        connect!(self.came.read => self.completer.reply);
        self.messages.check.next = self.reply_place.val();
        self.reply_target.next = self.messages.reply_target.val();
        self.messages.claim.next = self.reply_claim.val();

        // Entries of lookup tables.
        connect!(self.table_cfg => self.tables.cfg);
        connect!(self.stage.register => self.tables.job);
        self.stage.registered.next = self.tables.done.val();
        self.stage.register_status.next = self.tables.status.val();
        connect!(self.tables.write => self.table_write);
        self.tables.write_done.next = self.table_write_done.val();
        self.tables.write_error.next = self.table_write_error.val();
        connect!(self.tables.invalidate => self.invalidate);
        self.tables.invalidated.next = self.invalidated.val();

        // Counters, and what waits for them.
        connect!(self.completer.count => self.own_counts.first);
        connect!(self.list_count => self.own_counts.second);
        connect!(self.own_counts.read => self.local_counts.first);
        connect!(self.stored_count => self.local_counts.second);
        connect!(self.local_counts.read => self.all_counts.first);
        connect!(self.target_count => self.all_counts.second);
        connect!(self.all_counts.read => self.counters.count);
        connect!(self.stage.act => self.counters.act);
        connect!(self.stage.request => self.counters.request);
        connect!(self.counters.answer => self.stage.acted);
        self.stage.decided.next = self.counters.decided.val();
        self.stage.decided_status.next = self.counters.decided_status.val();
        connect!(self.counters.fired => self.stage.fired);
        self.counters.fired_pass.next = self.stage.fired_pass.val();
        self.stage.fired_waits.next = self.counters.fired_waits.val();

        // Lists.
        connect!(self.stage.list_command => self.list_command);
        self.stage.list_done.next = self.list_done.val();
        self.stage.list_context.next = self.list_context.val();
        self.stage.list_status.next = self.list_status.val();

        // What is reported.
        // There is room for all messages.
        connect!(self.packetiser.sent => self.gone.write);
        connect!(self.gone.read => self.completer.sent);
        connect!(self.answer => self.completer.answer);
        connect!(self.stage.done => self.completer.done);
        connect!(self.completer.own => self.events.first);
        connect!(self.list_event => self.events.second);
        connect!(self.events.read => self.own_event);
        self.count_stray.next = self.completer.count_stray.val();
        connect!(self.completer.memory_error => self.gather_failed);

        // What happens to each command.
        self.trace_take.next = self.stage.take.val();
        self.trace_take_context.next = self.choice.val();
        self.trace_open.next = self.stage.open.valid.val();
        self.trace_open_handle.next = self.messages.open_handle.val();
        self.busy.next = self.ring.waiting.val().any()
            | self.stage.working.val()
            | self.gone.read.valid.val()
            | self.completer.working.val()
            | self.replies.busy.val()
            | self.came.read.valid.val()
            | self.counters.fired.valid.val()
            | self.counters.fired_waits.val().any();
    }
}
