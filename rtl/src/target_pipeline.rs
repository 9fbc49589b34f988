//! `TargetPipeline`: the target side of the NIC without its register interface. XTQ puts come in, tasks are in GPU queues.
//!
//! **Purpose.** Joins the blocks of the target pipeline (`docs/target-pipeline.md`). Nothing is decided here.
//!
//! ```text
//!                +----------------+
//!   rx_*      -->|                |--> ack                 acknowledgements
//!   *_cfg_*   -->|                |<-> aw, w, b, ar, r     host memory
//!   *_status_* ->| TargetPipeline |--> count_*, drop_*, event_*
//!   invalidate ->|                |--> trace_*             what happens to each message
//!   own_event -->|                |<-> table_write, gather, command   the initiator's way to memory
//!   replied   -->|                |--> get, old, reply                to and from the initiator
//!                +----------------+
//! ```
//!
//! **Contract.** At most 24 cycles from the last beat of an idle pipeline's XTQ put to its doorbell write; 8 write beats a minimum message; one beat a cycle
//! received while the writes it causes are no more. The order of writes is that of `docs/target-pipeline.md`.
//!
//! **Internals.** The blocks, a queue for message bodies, and three memories indexed by message slot.

use crate::admission::admission::Admission;
use crate::admission::portal_stop::PortalStop;
use crate::admission::portal_table::PortalTable;
use crate::atomics::atomic_fork::AtomicFork;
use crate::atomics::atomic_unit::AtomicUnit;
use crate::delivery::body_cut::BodyCut;
use crate::delivery::packet_store::PacketStore;
use crate::delivery::payload_writer::PayloadWriter;
use crate::delivery::rewrite_engine::RewriteEngine;
use crate::events::completer::Completer;
use crate::events::event_merge::EventMerge;
use crate::events::event_rings::EventRings;
use crate::leaf::{Junction, Ram, RamFifo};
use crate::lists::match_stage::MatchStage;
use crate::lookup::invalidator::Invalidator;
use crate::lookup::lookup_cache::LookupCache;
use crate::lookup::lookup_stage::LookupStage;
use crate::memory::iovec::iovec_scatter::IovecScatter;
use crate::memory::read_port::ReadPort;
use crate::memory::write_port::WritePort;
use crate::network::receive_parser::ReceiveParser;
use crate::queue::doorbell_writer::DoorbellWriter;
use crate::queue::enqueuer::Enqueuer;
use crate::queue::header_writer::HeaderWriter;
use crate::queue::queue_admission::QueueAdmission;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::{MatchRequest, MatchResult};
use xtq_types::pipe::{
    BodyBeat, HeaderOutcome, MessageInfo, QueueInfo, ReplyEnd, ReplyOutcome, WriteRequest,
};
use xtq_types::send::{BurstRequest, BurstResult, CounterCount, OwnEvent, PackedBeat, ReplyTarget};
use xtq_types::wire_header::WireHeader;

/// The target pipeline.
#[block]
pub struct TargetPipeline<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Packets from the network: bytes, lane 0 first.
    pub rx_data: Signal<In, Bits<512>>,
    /// Valid lanes.
    pub rx_keep: Signal<In, Bits<64>>,
    /// Last beat of a packet.
    pub rx_last: Signal<In, Bit>,
    /// `rx_data` is valid.
    pub rx_valid: Signal<In, Bit>,
    /// The beat is taken.
    pub rx_ready: Signal<Out, Bit>,
    /// Acknowledgement to the network, one beat.
    pub ack: Signal<Out, WireHeader>,
    /// `ack` is valid.
    pub ack_valid: Signal<Out, Bit>,
    /// It was taken.
    pub ack_ready: Signal<In, Bit>,
    /// Write address channel: id.
    pub aw_id: Signal<Out, Bits<4>>,
    /// Write address channel: addr.
    pub aw_addr: Signal<Out, Bits<64>>,
    /// Write address channel: len.
    pub aw_len: Signal<Out, Bits<8>>,
    /// Write address channel: size.
    pub aw_size: Signal<Out, Bits<3>>,
    /// Write address channel: burst.
    pub aw_burst: Signal<Out, Bits<2>>,
    /// Write address channel: user.
    pub aw_user: Signal<Out, Bits<4>>,
    /// Write address channel: atop.
    pub aw_atop: Signal<Out, Bits<6>>,
    /// Write address channel: valid.
    pub aw_valid: Signal<Out, Bit>,
    /// Write data channel: data.
    pub w_data: Signal<Out, Bits<512>>,
    /// Write data channel: strb.
    pub w_strb: Signal<Out, Bits<64>>,
    /// Write data channel: last.
    pub w_last: Signal<Out, Bit>,
    /// Write data channel: valid.
    pub w_valid: Signal<Out, Bit>,
    /// Write response channel: ready.
    pub b_ready: Signal<Out, Bit>,
    /// Read address channel: id.
    pub ar_id: Signal<Out, Bits<4>>,
    /// Read address channel: addr.
    pub ar_addr: Signal<Out, Bits<64>>,
    /// Read address channel: len.
    pub ar_len: Signal<Out, Bits<8>>,
    /// Read address channel: size.
    pub ar_size: Signal<Out, Bits<3>>,
    /// Read address channel: burst.
    pub ar_burst: Signal<Out, Bits<2>>,
    /// Read address channel: user.
    pub ar_user: Signal<Out, Bits<4>>,
    /// Read address channel: valid.
    pub ar_valid: Signal<Out, Bit>,
    /// Read data channel: ready.
    pub r_ready: Signal<Out, Bit>,
    /// Write address channel: ready.
    pub aw_ready: Signal<In, Bit>,
    /// Write data channel: ready.
    pub w_ready: Signal<In, Bit>,
    /// Write response channel: id.
    pub b_id: Signal<In, Bits<4>>,
    /// Write response channel: resp.
    pub b_resp: Signal<In, Bits<2>>,
    /// Write response channel: valid.
    pub b_valid: Signal<In, Bit>,
    /// Read address channel: ready.
    pub ar_ready: Signal<In, Bit>,
    /// Read data channel: id.
    pub r_id: Signal<In, Bits<4>>,
    /// Read data channel: data.
    pub r_data: Signal<In, Bits<512>>,
    /// Read data channel: resp.
    pub r_resp: Signal<In, Bits<2>>,
    /// Read data channel: last.
    pub r_last: Signal<In, Bit>,
    /// Read data channel: valid.
    pub r_valid: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// A bit a context: takes messages.
    pub context_enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub message_timeout: Signal<In, Bits<5>>,
    /// Window of the lookup stage: write.
    pub table_cfg_write: Signal<In, Bit>,
    /// Window of the lookup stage: word.
    pub table_cfg_addr: Signal<In, Bits<6>>,
    /// Window of the lookup stage: data.
    pub table_cfg_data: Signal<In, Bits<32>>,
    /// Window of the portal table: write.
    pub portal_cfg_write: Signal<In, Bit>,
    /// Window of the portal table: word.
    pub portal_cfg_addr: Signal<In, Bits<9>>,
    /// Window of the portal table: data.
    pub portal_cfg_data: Signal<In, Bits<32>>,
    /// Window of the event rings: write.
    pub ring_cfg_write: Signal<In, Bit>,
    /// Window of the event rings: word.
    pub ring_cfg_addr: Signal<In, Bits<4>>,
    /// Window of the event rings: data.
    pub ring_cfg_data: Signal<In, Bits<32>>,
    /// Window of the portal table: taken.
    pub portal_cfg_ready: Signal<Out, Bit>,
    /// With `portal_cfg_ready`: refused, the entry is enabled.
    pub portal_cfg_refused: Signal<Out, Bit>,
    /// Portal table word to read.
    pub portal_status_addr: Signal<In, Bits<9>>,
    /// The word, one cycle later.
    pub portal_status_data: Signal<Out, Bits<32>>,
    /// Event ring word to read.
    pub ring_status_addr: Signal<In, Bits<5>>,
    /// The word, one cycle later.
    pub ring_status_data: Signal<Out, Bits<32>>,
    /// From Registers: table entry that changed, {context, kind, index}.
    pub invalidate: Signal<In, Bits<20>>,
    /// `invalidate` is valid.
    pub invalidate_valid: Signal<In, Bit>,
    /// It was taken.
    pub invalidate_ready: Signal<Out, Bit>,
    /// It is forgotten (pulse).
    pub invalidated: Signal<Out, Bit>,
    /// From the initiator: table entry that changed.
    pub command_invalidate: Signal<In, Bits<20>>,
    /// `command_invalidate` is valid.
    pub command_invalidate_valid: Signal<In, Bit>,
    /// It was taken.
    pub command_invalidate_ready: Signal<Out, Bit>,
    /// It is forgotten (pulse).
    pub command_invalidated: Signal<Out, Bit>,
    /// From the initiator: an event.
    pub own_event: Signal<In, OwnEvent>,
    /// `own_event` is valid.
    pub own_event_valid: Signal<In, Bit>,
    /// It was taken.
    pub own_event_ready: Signal<Out, Bit>,
    /// From the initiator: a table entry.
    pub table_write: Signal<In, WriteRequest>,
    /// `table_write` is valid.
    pub table_write_valid: Signal<In, Bit>,
    /// It was taken.
    pub table_write_ready: Signal<Out, Bit>,
    /// It is acknowledged (pulse).
    pub table_write_done: Signal<Out, Bit>,
    /// With `table_write_done`: it failed.
    pub table_write_error: Signal<Out, Bit>,
    /// From the initiator: bytes of messages.
    pub gather_request: Signal<In, BurstRequest>,
    /// `gather_request` is valid.
    pub gather_request_valid: Signal<In, Bit>,
    /// It was taken.
    pub gather_request_ready: Signal<Out, Bit>,
    /// A line of them.
    pub gather_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub gather_result_valid: Signal<Out, Bit>,
    /// From the initiator: lines of lists of pieces to add up.
    pub sum_list_request: Signal<In, BurstRequest>,
    /// `sum_list_request` is valid.
    pub sum_list_request_valid: Signal<In, Bit>,
    /// It was taken.
    pub sum_list_request_ready: Signal<Out, Bit>,
    /// A line.
    pub sum_list_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub sum_list_result_valid: Signal<Out, Bit>,
    /// From the initiator: lines of lists of pieces of messages that are sent.
    pub gather_list_request: Signal<In, BurstRequest>,
    /// `gather_list_request` is valid.
    pub gather_list_request_valid: Signal<In, Bit>,
    /// It was taken.
    pub gather_list_request_ready: Signal<Out, Bit>,
    /// A line.
    pub gather_list_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub gather_list_result_valid: Signal<Out, Bit>,
    /// From the initiator: a command.
    pub command_request: Signal<In, BurstRequest>,
    /// `command_request` is valid.
    pub command_request_valid: Signal<In, Bit>,
    /// It was taken.
    pub command_request_ready: Signal<Out, Bit>,
    /// Half of it.
    pub command_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub command_result_valid: Signal<Out, Bit>,
    /// To CommandStage, a bit an entry {context 2, entry 4}: it is a single buffer.
    pub single: Signal<Out, Bits<64>>,
    /// There are lists beside the single buffers.
    pub has_lists: Signal<In, Bit>,
    /// The most bytes of a message for the lists, 32 bits a context, context 0 lowest.
    pub max_message_sizes: Signal<In, Bits<128>>,
    /// The most bytes of an atomic, 10 bits a context.
    pub max_atomic_sizes: Signal<In, Bits<40>>,
    /// To ListUnit: which entry takes the message?
    pub match_request: Signal<Out, MatchRequest>,
    /// `match_request` is valid.
    pub match_request_valid: Signal<Out, Bit>,
    /// It is accepted.
    pub match_request_ready: Signal<In, Bit>,
    /// From ListUnit: what becomes of it.
    pub match_result: Signal<In, MatchResult>,
    /// `match_result` is valid.
    pub match_result_valid: Signal<In, Bit>,
    /// It is taken.
    pub match_result_ready: Signal<Out, Bit>,
    /// From ListUnit: enabled entries with flow control, 7 bits a context.
    pub match_flow_portals: Signal<In, Bits<28>>,
    /// To ListUnit: stop this portal entry, {context 2, portal 6}.
    pub portal_stop: Signal<Out, Bits<8>>,
    /// `portal_stop` is valid.
    pub portal_stop_valid: Signal<Out, Bit>,
    /// It is done.
    pub portal_stop_ready: Signal<In, Bit>,
    /// From ListUnit: the host has enabled or made this portal entry.
    pub portal_enabled: Signal<In, Bits<8>>,
    /// Pulse.
    pub portal_enabled_valid: Signal<In, Bit>,
    /// From ListUnit: `in_flight` of this context is asked about what came until now.
    pub line: Signal<In, Bits<2>>,
    /// `line` is valid (pulse).
    pub line_valid: Signal<In, Bit>,
    /// To ListUnit, a bit a context: messages from before the line are on their way.
    pub in_flight: Signal<Out, Bits<4>>,
    /// To ListUnit: what became of a message that left an unexpected header.
    pub ended: Signal<Out, HeaderOutcome>,
    /// It is delivered (pulse).
    pub ended_valid: Signal<Out, Bit>,
    /// {context 2, name of the header 11}.
    pub ended_header: Signal<Out, Bits<13>>,
    /// To CounterUnit: what a message counts.
    pub target_count: Signal<Out, CounterCount>,
    /// `target_count` is valid.
    pub target_count_valid: Signal<Out, Bit>,
    /// It is taken.
    pub target_count_ready: Signal<In, Bit>,
    /// To Packetiser: old bytes of atomics, in the order of their messages.
    pub old: Signal<Out, PackedBeat>,
    /// `old` is valid.
    pub old_valid: Signal<Out, Bit>,
    /// It is taken.
    pub old_ready: Signal<In, Bit>,
    /// To ReplyUnit: a GET or fetch that is to be answered.
    pub get: Signal<Out, MessageInfo>,
    /// With `get`: what became of it.
    pub get_outcome: Signal<Out, ReplyOutcome>,
    /// `get` is valid; only with `get_ready`.
    pub get_valid: Signal<Out, Bit>,
    /// There is room for it.
    pub get_ready: Signal<In, Bit>,
    /// From ReplyUnit: a GET or fetch that was answered.
    pub replied: Signal<In, MessageInfo>,
    /// With `replied`: what became of it.
    pub replied_outcome: Signal<In, ReplyOutcome>,
    /// `replied` is valid.
    pub replied_valid: Signal<In, Bit>,
    /// It is told.
    pub replied_ready: Signal<Out, Bit>,
    /// To the initiator: the reply to a message of this node is in memory, or failed.
    pub reply: Signal<Out, ReplyEnd>,
    /// `reply` is valid.
    pub reply_valid: Signal<Out, Bit>,
    /// It is taken.
    pub reply_ready: Signal<In, Bit>,
    /// To the initiator: place that a reply names.
    pub reply_place: Signal<Out, Bits<8>>,
    /// What the reply is held against, one cycle later.
    pub reply_target: Signal<In, ReplyTarget>,
    /// The reply to the message of `reply_place` is taken (pulse).
    pub reply_claim: Signal<Out, Bit>,
    /// A packet came (pulse).
    pub count_packet: Signal<Out, Bit>,
    /// Packet dropped: version (pulse).
    pub drop_version: Signal<Out, Bit>,
    /// Packet dropped: opcode (pulse).
    pub drop_opcode: Signal<Out, Bit>,
    /// Packet dropped: node (pulse).
    pub drop_target: Signal<Out, Bit>,
    /// Packet dropped: context (pulse).
    pub drop_context: Signal<Out, Bit>,
    /// Packet dropped or damaged: length (pulse).
    pub drop_length: Signal<Out, Bit>,
    /// Packet dropped: its message is not open (pulse).
    pub drop_stray: Signal<Out, Bit>,
    /// Lookup served from the cache (pulse).
    pub count_hit: Signal<Out, Bit>,
    /// Lookup read memory (pulse).
    pub count_miss: Signal<Out, Bit>,
    /// Message delivered (pulse).
    pub count_ok: Signal<Out, Bit>,
    /// To Registers: a request of context `late_context` that a match entry took was dropped, or met a disabled portal entry (pulse).
    pub count_late_drop: Signal<Out, Bit>,
    /// Its context.
    pub late_context: Signal<Out, Bits<2>>,
    /// Message failed (pulse).
    pub count_failed: Signal<Out, Bit>,
    /// Doorbell written (pulse).
    pub count_doorbell: Signal<Out, Bit>,
    /// An event became visible: context.
    pub event_visible: Signal<Out, Bits<2>>,
    /// `event_visible` is valid (pulse).
    pub event_visible_valid: Signal<Out, Bit>,
    /// An event could not be written: context.
    pub event_failed: Signal<Out, Bits<2>>,
    /// `event_failed` is valid (pulse).
    pub event_failed_valid: Signal<Out, Bit>,
    /// An event was lost, the ring was full: context.
    pub event_lost: Signal<Out, Bits<2>>,
    /// `event_lost` is valid (pulse).
    pub event_lost_valid: Signal<Out, Bit>,
    /// A message failed with a memory error: context.
    pub memory_failed: Signal<Out, Bits<2>>,
    /// `memory_failed` is valid (pulse).
    pub memory_failed_valid: Signal<Out, Bit>,
    /// A packet head leaves the parser (pulse).
    pub trace_parse: Signal<Out, Bit>,
    /// Its source node.
    pub trace_parse_source: Signal<Out, Bits<16>>,
    /// Its message id.
    pub trace_parse_message: Signal<Out, Bits<16>>,
    /// A message is admitted or refused (pulse).
    pub trace_admit: Signal<Out, Bit>,
    /// Its slot.
    pub trace_admit_slot: Signal<Out, Bits<8>>,
    /// Its source node.
    pub trace_admit_source: Signal<Out, Bits<16>>,
    /// Its message id.
    pub trace_admit_message: Signal<Out, Bits<16>>,
    /// Outcome so far.
    pub trace_admit_status: Signal<Out, Bits<8>>,
    /// Kernel or function entry came from the cache.
    pub trace_admit_task_hit: Signal<Out, Bit>,
    /// Queue entry came from the cache.
    pub trace_admit_queue_hit: Signal<Out, Bit>,
    /// A packet is rewritten (pulse).
    pub trace_rewrite: Signal<Out, Bit>,
    /// Its slot.
    pub trace_rewrite_slot: Signal<Out, Bits<8>>,
    /// Everything of a message but its event is acknowledged (pulse).
    pub trace_done: Signal<Out, Bit>,
    /// Its slot.
    pub trace_done_slot: Signal<Out, Bits<8>>,
    /// Outcome.
    pub trace_done_status: Signal<Out, Bits<8>>,
    /// Packet id.
    pub trace_done_packet_id: Signal<Out, Bits<64>>,

    parser: ReceiveParser,
    bodies: RamFifo<BodyBeat, 8>,
    matching: MatchStage,
    stops: PortalStop,
    cut: BodyCut,
    parting: AtomicFork,
    atomics: AtomicUnit,
    lookup: LookupStage,
    cache: LookupCache,
    read_port: ReadPort,
    portals: PortalTable,
    admission: Admission<C>,
    queues: QueueAdmission,
    infos: Ram<MessageInfo, 8>,
    queue_infos: Ram<QueueInfo, 8>,
    packets: PacketStore,
    rewrite: RewriteEngine,
    scatter: IovecScatter,
    payload: PayloadWriter,
    enqueuer: Enqueuer,
    header: HeaderWriter,
    doorbell: DoorbellWriter,
    rings: EventRings<C>,
    invalidator: Invalidator,
    completer: Completer,
    /// Acknowledgements of the completer, and refusals of the parser.
    answers: Junction<WireHeader>,
    merge: EventMerge,
    write_port: WritePort,
    lost_context: Signal<Local, Bits<2>>,
    lost_now: Signal<Local, Bits<2>>,
    deciding: Signal<Local, Bit>,
}

impl<const C: usize> TargetPipeline<C> {
    /// Hardware with (`atomics`) or without AXI5 atomics; without, shared queues are refused.
    pub fn new(atomics: bool) -> Self {
        Self {
            queues: QueueAdmission::new(atomics),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for TargetPipeline<C> {
    fn update(&mut self) {
        // Network in, parser, body queue.
        self.parser.rx_data.next = self.rx_data.val();
        self.parser.rx_keep.next = self.rx_keep.val();
        self.parser.rx_last.next = self.rx_last.val();
        self.parser.rx_valid.next = self.rx_valid.val();
        self.rx_ready.next = self.parser.rx_ready.val();
        self.parser.node.next = self.node.val();
        self.parser.context_enabled.next = self.context_enabled.val();
        self.parser.gets.next = self.has_lists.val();
        self.bodies.write.next = self.parser.body.val();
        self.bodies.write_valid.next = self.parser.body_valid.val();
        self.parser.body_ready.next = self.bodies.write_ready.val();

        // Heads, what the lists say about them, and their table entries.
        self.matching.has_lists.next = self.has_lists.val();
        self.matching.max_message_sizes.next = self.max_message_sizes.val();
        self.matching.max_atomic_sizes.next = self.max_atomic_sizes.val();
        self.matching.head.next = self.parser.head.val();
        self.matching.head_valid.next = self.parser.head_valid.val();
        self.parser.head_ready.next = self.matching.head_ready.val();
        self.match_request.next = self.matching.request.val();
        self.match_request_valid.next = self.matching.request_valid.val();
        self.matching.request_ready.next = self.match_request_ready.val();
        self.matching.single.next = self.portals.single.val();
        self.single.next = self.portals.single.val();
        self.matching.places.next = self.rings.places.val();
        self.matching.has_ring.next = self.rings.has_ring.val();
        self.matching.flow_portals.next = self.match_flow_portals.val();
        // Admission decides about a single buffer with the places it saw.
        self.matching.busy.next = self.admission.hold.val();
        self.matching.busy_context.next = self.admission.event_context.val();
        self.matching.decided.next = self.admission.result_ready.val();
        self.matching.decided_context.next = self.admission.event_context.val();
        self.matching.delivered.next = self.completer.delivered.val();
        self.matching.delivered_context.next = self.completer.post_context.val();
        self.matching.delivered_colour.next = self.completer.delivered_colour.val();
        self.matching.taken.next = self.admission.head_ready.val();
        self.matching.long_ended.next = self.admission.long_ended.val();
        self.matching.long_context.next = self.admission.long_context.val();
        self.matching.line.next = self.line.val();
        self.matching.line_valid.next = self.line_valid.val();
        self.in_flight.next = self.matching.in_flight.val();
        self.ended.next = self.completer.ended.val();
        self.ended_valid.next = self.completer.ended_valid.val();
        self.ended_header.next = self.completer.ended_header.val();
        self.admission.result.next = self.match_result.val();
        self.admission.result_valid.next = self.match_result_valid.val();
        self.match_result_ready.next = self.admission.result_ready.val();
        self.stops.asked.next = self.admission.asked.val();
        self.admission.stopped.next = self.stops.stopped.val();
        self.stops.stop.next = self.admission.stop.val();
        self.stops.mark.next = self.admission.mark.val();
        self.portal_stop.next = self.stops.shut.val();
        self.portal_stop_valid.next = self.stops.shut_valid.val();
        self.stops.shut_ready.next = self.portal_stop_ready.val();
        self.stops.enabled.next = self.portal_enabled.val();
        self.stops.enabled_valid.next = self.portal_enabled_valid.val();
        self.target_count.next = self.completer.count.val();
        self.target_count_valid.next = self.completer.count_valid.val();
        self.completer.count_ready.next = self.target_count_ready.val();
        self.lookup.head.next = self.matching.out.val();
        self.lookup.head_valid.next = self.matching.out_valid.val();
        self.matching.out_ready.next = self.lookup.head_ready.val();
        self.lookup.head_aql.next = self.parser.head_aql.val();
        self.cache.request.next = self.lookup.request.val();
        self.cache.request_valid.next = self.lookup.request_valid.val();
        self.lookup.request_ready.next = self.cache.request_ready.val();
        self.lookup.result.next = self.cache.result.val();
        self.lookup.result_valid.next = self.cache.result_valid.val();
        self.lookup.cfg_write.next = self.table_cfg_write.val();
        self.lookup.cfg_addr.next = self.table_cfg_addr.val();
        self.lookup.cfg_data.next = self.table_cfg_data.val();
        self.lookup.halt.next = self.invalidator.lookup_halt.val();
        self.invalidator.lookup_empty.next = self.lookup.empty.val();
        self.read_port.cache_request.next = self.cache.miss.val();
        self.read_port.cache_request_valid.next = self.cache.miss_valid.val();
        self.cache.miss_ready.next = self.read_port.cache_request_ready.val();
        self.cache.fill.next = self.read_port.cache_result.val();
        self.cache.fill_valid.next = self.read_port.cache_result_valid.val();
        self.cache.invalidate.next = self.invalidator.cache_invalidate.val();
        self.cache.invalidate_valid.next = self.invalidator.cache_invalidate_valid.val();
        self.invalidator.cache_invalidate_ready.next = self.cache.invalidate_ready.val();
        self.invalidator.host.next = self.invalidate.val();
        self.invalidator.host_valid.next = self.invalidate_valid.val();
        self.invalidate_ready.next = self.invalidator.host_ready.val();
        self.invalidated.next = self.invalidator.host_done.val();
        self.invalidator.command.next = self.command_invalidate.val();
        self.invalidator.command_valid.next = self.command_invalidate_valid.val();
        self.command_invalidate_ready.next = self.invalidator.command_ready.val();
        self.command_invalidated.next = self.invalidator.command_done.val();

        // Admission and what it decides with.
        self.admission.head.next = self.lookup.out.val();
        self.admission.head_aql.next = self.lookup.out_aql.val();
        self.admission.head_there.next = self.lookup.out_there.val();
        self.admission.head_valid.next = self.lookup.out_valid.val();
        self.lookup.out_ready.next = self.admission.head_ready.val();
        self.admission.type_ok.next = self.lookup.type_ok.val();
        self.admission.agent.next = self.lookup.agent.val();
        self.admission.task_found.next = self.lookup.task_found.val();
        self.admission.task_error.next = self.lookup.task_error.val();
        self.admission.task_entry.next = self.lookup.task_entry.val();
        self.admission.queue_found.next = self.lookup.queue_found.val();
        self.admission.queue_error.next = self.lookup.queue_error.val();
        self.admission.queue_entry.next = self.lookup.queue_entry.val();
        self.admission.queue_index.next = self.lookup.queue_index.val();
        self.portals.lookup.next = self.admission.lookup.val();
        self.portals.hold.next = self.admission.hold.val();
        self.admission.entry.next = self.portals.entry.val();
        self.portals.commit.next = self.admission.commit.val();
        self.portals.commit_index.next = self.admission.commit_index.val();
        self.portals.commit_offset.next = self.admission.commit_offset.val();
        self.portals.commit_remaining.next = self.admission.commit_remaining.val();
        self.portals.commit_disable.next = self.admission.commit_disable.val();
        self.stops.late.next = self.completer.late.val();
        self.stops.late_lists.next = self.completer.late_lists.val();
        self.stops.late_flow_lists.next = self.completer.late_flow_lists.val();
        self.stops.late_valid.next = self.completer.late_valid.val();
        self.completer.late_flow.next = self.stops.late_flow.val();
        self.completer.late_enabled.next = self.stops.late_enabled.val();
        self.completer.late_ready.next = self.stops.late_ready.val();
        self.portals.late.next = self.stops.portal_late.val();
        self.portals.late_valid.next = self.stops.portal_late_valid.val();
        self.stops.portal_late_flow.next = self.portals.late_flow.val();
        self.stops.portal_late_enabled.next = self.portals.late_enabled.val();
        self.stops.portal_late_ready.next = self.portals.late_ready.val();
        self.portals.cfg_write.next = self.portal_cfg_write.val();
        self.portals.cfg_addr.next = self.portal_cfg_addr.val();
        self.portals.cfg_data.next = self.portal_cfg_data.val();
        self.portal_cfg_ready.next = self.portals.cfg_ready.val();
        self.portal_cfg_refused.next = self.portals.cfg_refused.val();
        self.portals.status_addr.next = self.portal_status_addr.val();
        self.portal_status_data.next = self.portals.status_data.val();
        self.queues.admit.next = self.admission.admit.val();
        self.queues.admit_valid.next = self.admission.admit_valid.val();
        self.admission.admit_ready.next = self.queues.admit_ready.val();
        self.queues.admit_context.next = self.admission.admit_context.val();
        self.admission.admitted.next = self.queues.admitted.val();
        self.admission.admit_status.next = self.queues.admit_status.val();
        self.admission.admit_access.next = self.queues.admit_access.val();
        self.read_port.admission_request.next = self.queues.read.val();
        self.read_port.admission_request_valid.next = self.queues.read_valid.val();
        self.queues.read_ready.next = self.read_port.admission_request_ready.val();
        self.queues.read_result.next = self.read_port.admission_result.val();
        self.queues.read_result_valid.next = self.read_port.admission_result_valid.val();
        self.queues.invalidate.next = self.invalidator.queue_invalidate.val();
        self.queues.invalidate_valid.next = self.invalidator.queue_invalidate_valid.val();
        self.invalidator.queue_invalidate_ready.next = self.queues.invalidate_ready.val();
        self.queues.enqueue_fail.next = self.enqueuer.fail.val();
        self.queues.enqueue_fail_valid.next = self.enqueuer.fail_valid.val();
        self.queues.slot_fail.next = self.header.slot_fail.val();
        self.queues.slot_fail_valid.next = self.header.slot_fail_valid.val();
        self.queues.header_fail.next = self.doorbell.header_fail.val();
        self.queues.header_fail_valid.next = self.doorbell.header_fail_valid.val();
        self.queues.doorbell_fail.next = self.doorbell.doorbell_fail.val();
        self.queues.doorbell_fail_valid.next = self.doorbell.doorbell_fail_valid.val();
        self.queues.claim_queue.next = self.enqueuer.claim_queue.val();
        self.enqueuer.claim_open.next = self.queues.claim_open.val();
        self.queues.header_queue.next = self.header.queue.val();
        self.header.queue_open.next = self.queues.header_open.val();
        self.queues.ring_queue.next = self.doorbell.queue.val();
        self.doorbell.queue_open.next = self.queues.ring_open.val();
        self.rings.flow_portals.next = self.portals.flow_portals.val();
        self.admission.room.next = self.rings.room.val();
        self.admission.room_flow.next = self.rings.room_flow.val();
        self.rings.reserve.next = self.merge.own_context.val();
        if self.admission.reserve.val() {
            self.rings.reserve.next = self.admission.event_context.val();
        }
        self.rings.reserve_valid.next = self.admission.reserve.val() | self.merge.claim.val();
        self.rings.flow_held.next = self.matching.flow_held.val();
        self.rings.hold.next = self.matching.hold.val();
        self.rings.hold_context.next = self.matching.hold_context.val();
        self.rings.give_back.next = self.admission.give_back.val();
        self.lost_context.next = self.admission.event_context.val();
        self.lost_now.next = self.admission.lost.val();
        if self.merge.lost.val() {
            self.lost_context.next = self.merge.own_context.val();
            self.lost_now.next = 1.into();
        }
        self.rings.lost.next = self.lost_context.val();
        self.rings.lost_count.next = self.lost_now.val();
        self.rings.cfg_write.next = self.ring_cfg_write.val();
        self.rings.cfg_addr.next = self.ring_cfg_addr.val();
        self.rings.cfg_data.next = self.ring_cfg_data.val();
        self.rings.status_addr.next = self.ring_status_addr.val();
        self.ring_status_data.next = self.rings.status_data.val();

        // By slot.
        self.infos.write_addr.next = self.admission.info_slot.val();
        self.infos.write_data.next = self.admission.info.val();
        self.infos.write_en.next = self.admission.write_info.val();
        self.queue_infos.write_addr.next = self.admission.info_slot.val();
        self.queue_infos.write_data.next = self.admission.queue_info.val();
        self.queue_infos.write_en.next = self.admission.write_info.val();
        self.infos.read_addr.next = self.completer.slot.val();
        self.completer.info.next = self.infos.read_data.val();
        self.queue_infos.read_addr.next = self.enqueuer.slot.val();
        self.enqueuer.queue.next = self.queue_infos.read_data.val();
        self.packets.write.next = self.rewrite.packet.val();
        self.packets.write_slot.next = self.rewrite.packet_slot.val();
        self.packets.write_valid.next = self.rewrite.packet_valid.val();
        self.packets.slot.next = self.enqueuer.slot.val();
        self.enqueuer.packet.next = self.packets.packet.val();
        self.enqueuer.packet_there.next = self.packets.there.val();
        self.packets.freed.next = self.completer.freed.val();
        self.packets.freed_valid.next = self.completer.freed_valid.val();
        self.admission.enabled.next = self.context_enabled.val();
        self.admission.timeout.next = self.message_timeout.val();
        self.admission.freed.next = self.completer.freed.val();
        self.admission.freed_valid.next = self.completer.freed_valid.val();

        // Bytes to memory.
        self.rewrite.job.next = self.admission.job.val();
        self.rewrite.job_valid.next = self.admission.job_valid.val();
        self.admission.job_ready.next = self.rewrite.job_ready.val();
        self.rewrite.body.next = self.bodies.read.val();
        self.rewrite.body_valid.next = self.bodies.read_valid.val();
        self.bodies.read_ready.next = self.rewrite.body_ready.val();
        self.cut.beat.next = self.rewrite.beat.val();
        self.cut.beat_valid.next = self.rewrite.beat_valid.val();
        self.rewrite.beat_ready.next = self.cut.beat_ready.val();
        self.parting.note.next = self.admission.note.val();
        self.parting.note_slot.next = self.admission.info_slot.val();
        self.parting.note_valid.next = self.admission.write_info.val();
        self.scatter.note.next = self.admission.iovec_note.val();
        self.scatter.note_slot.next = self.admission.info_slot.val();
        self.scatter.note_valid.next = self.admission.write_info.val();
        self.parting.beat.next = self.cut.cut.val();
        self.parting.beat_valid.next = self.cut.cut_valid.val();
        self.cut.cut_ready.next = self.parting.beat_ready.val();
        self.scatter.beat.next = self.parting.plain.val();
        self.scatter.beat_valid.next = self.parting.plain_valid.val();
        self.parting.plain_ready.next = self.scatter.beat_ready.val();
        self.parting.quiet.next = self.scatter.quiet.val() & self.payload.quiet.val();
        self.read_port.scatter_list_request.next = self.scatter.request.val();
        self.read_port.scatter_list_request_valid.next = self.scatter.request_valid.val();
        self.scatter.request_ready.next = self.read_port.scatter_list_request_ready.val();
        self.scatter.result.next = self.read_port.scatter_list_result.val();
        self.scatter.result_valid.next = self.read_port.scatter_list_result_valid.val();
        self.payload.beat.next = self.scatter.placed.val();
        self.payload.beat_valid.next = self.scatter.placed_valid.val();
        self.scatter.placed_ready.next = self.payload.beat_ready.val();
        self.parting.plain_write.next = self.payload.payload.val();
        self.parting.plain_write_valid.next = self.payload.payload_valid.val();
        self.payload.payload_ready.next = self.parting.plain_write_ready.val();
        self.payload.payload_done.next = self.parting.plain_write_done.val();
        self.payload.payload_error.next = self.write_port.payload_error.val();
        self.write_port.payload.next = self.parting.write.val();
        self.write_port.payload_valid.next = self.parting.write_valid.val();
        self.parting.write_ready.next = self.write_port.payload_ready.val();
        self.parting.write_done.next = self.write_port.payload_done.val();

        // Atomics. The fork has waited for the puts before them.
        self.atomics.job.next = self.parting.job.val();
        self.atomics.job_valid.next = self.parting.job_valid.val();
        self.parting.job_ready.next = self.atomics.job_ready.val();
        self.atomics.beat.next = self.parting.operand.val();
        self.atomics.beat_valid.next = self.parting.operand_valid.val();
        self.parting.operand_ready.next = self.atomics.beat_ready.val();
        self.atomics.settled.next = true;
        self.parting.busy.next = self.atomics.busy.val();
        self.read_port.update_request.next = self.atomics.request.val();
        self.read_port.update_request_valid.next = self.atomics.request_valid.val();
        self.atomics.request_ready.next = self.read_port.update_request_ready.val();
        self.atomics.result.next = self.read_port.update_result.val();
        self.atomics.result_valid.next = self.read_port.update_result_valid.val();
        self.parting.unit_write.next = self.atomics.write.val();
        self.parting.unit_write_valid.next = self.atomics.write_valid.val();
        self.atomics.write_ready.next = self.parting.unit_write_ready.val();
        self.atomics.write_done.next = self.parting.unit_write_done.val();
        self.atomics.write_error.next = self.write_port.payload_error.val();
        self.old.next = self.atomics.reply.val();
        self.old_valid.next = self.atomics.reply_valid.val();
        self.atomics.reply_ready.next = self.old_ready.val();
        self.parting.unit_done.next = self.atomics.done.val();
        self.parting.unit_done_valid.next = self.atomics.done_valid.val();
        self.atomics.done_ready.next = self.parting.unit_done_ready.val();
        self.parting.plain_done.next = self.payload.done.val();
        self.parting.plain_done_valid.next = self.payload.done_valid.val();
        self.payload.done_ready.next = self.parting.plain_done_ready.val();

        // One message after the other: slot, header, doorbell, event.
        self.enqueuer.record.next = self.admission.record.val();
        self.enqueuer.record_valid.next = self.admission.record_valid.val();
        self.admission.record_ready.next = self.enqueuer.record_ready.val();
        self.enqueuer.done.next = self.parting.done.val();
        self.enqueuer.done_valid.next = self.parting.done_valid.val();
        self.header.done.next = self.parting.done.val();
        self.header.done_valid.next = self.parting.done_valid.val();
        self.parting.done_ready.next =
            self.enqueuer.done_ready.val() | self.header.done_ready.val();
        self.enqueuer.payload_waiting.next = self.header.payload_waiting.val();
        self.enqueuer.opened.next = self.queues.opened.val();
        self.enqueuer.opened_valid.next = self.queues.opened_valid.val();
        self.enqueuer.opened_write.next = self.queues.opened_write.val();
        self.enqueuer.opened_read.next = self.queues.opened_read.val();
        self.write_port.enqueue.next = self.enqueuer.enqueue.val();
        self.write_port.enqueue_valid.next = self.enqueuer.enqueue_valid.val();
        self.enqueuer.enqueue_ready.next = self.write_port.enqueue_ready.val();
        self.write_port.atomic.next = self.enqueuer.atomic.val();
        self.write_port.atomic_valid.next = self.enqueuer.atomic_valid.val();
        self.enqueuer.atomic_ready.next = self.write_port.atomic_ready.val();
        self.enqueuer.atomic_done.next = self.write_port.atomic_done.val();
        self.enqueuer.atomic_error.next = self.write_port.atomic_error.val();
        self.enqueuer.atomic_result.next = self.read_port.atomic_result.val();
        self.enqueuer.atomic_result_valid.next = self.read_port.atomic_result_valid.val();
        self.read_port.enqueue_request.next = self.enqueuer.read.val();
        self.read_port.enqueue_request_valid.next = self.enqueuer.read_valid.val();
        self.enqueuer.read_ready.next = self.read_port.enqueue_request_ready.val();
        self.enqueuer.read_result.next = self.read_port.enqueue_result.val();
        self.enqueuer.read_result_valid.next = self.read_port.enqueue_result_valid.val();
        self.header.job.next = self.enqueuer.header.val();
        self.header.job_valid.next = self.enqueuer.header_valid.val();
        self.enqueuer.header_ready.next = self.header.job_ready.val();
        self.header.enqueue_done.next = self.write_port.enqueue_done.val();
        self.header.enqueue_error.next = self.write_port.enqueue_error.val();
        self.write_port.header.next = self.header.header.val();
        self.write_port.header_valid.next = self.header.header_valid.val();
        self.header.header_ready.next = self.write_port.header_ready.val();
        self.write_port.repair.next = self.header.repair.val();
        self.write_port.repair_valid.next = self.header.repair_valid.val();
        self.header.repair_ready.next = self.write_port.repair_ready.val();
        self.header.repair_done.next = self.write_port.repair_done.val();
        self.header.repair_error.next = self.write_port.repair_error.val();
        self.doorbell.job.next = self.header.ring_job.val();
        self.doorbell.job_valid.next = self.header.ring_job_valid.val();
        self.header.ring_job_ready.next = self.doorbell.job_ready.val();
        self.doorbell.header_done.next = self.write_port.header_done.val();
        self.doorbell.header_error.next = self.write_port.header_error.val();
        self.write_port.doorbell.next = self.doorbell.doorbell.val();
        self.write_port.doorbell_valid.next = self.doorbell.doorbell_valid.val();
        self.doorbell.doorbell_ready.next = self.write_port.doorbell_ready.val();
        self.doorbell.doorbell_done.next = self.write_port.doorbell_done.val();
        self.doorbell.doorbell_error.next = self.write_port.doorbell_error.val();
        self.completer.completion.next = self.doorbell.completion.val();
        self.completer.completion_valid.next = self.doorbell.completion_valid.val();
        self.doorbell.completion_ready.next = self.completer.completion_ready.val();
        self.completer.node.next = self.node.val();
        self.merge.held_write.next = self.completer.event_write.val();
        self.merge.held_write_valid.next = self.completer.event_write_valid.val();
        self.completer.event_write_ready.next = self.merge.held_write_ready.val();
        self.completer.event_write_done.next = self.merge.held_done.val();
        self.completer.event_write_error.next = self.write_port.event_write_error.val();
        self.merge.held_context.next = self.completer.post_context.val();
        self.merge.held_post.next = self.completer.post.val();
        self.merge.held_visible.next = self.completer.visible.val();
        self.merge.held_visible_valid.next = self.completer.visible_valid.val();
        self.merge.own.next = self.own_event.val();
        self.merge.own_valid.next = self.own_event_valid.val();
        self.own_event_ready.next = self.merge.own_ready.val();
        // From its look at the event ring until it has decided, admission counts on what it saw.
        self.merge.reserving.next =
            self.admission.reserve.val() | self.admission.hold.val() | self.matching.holding.val();
        self.deciding.next = self.admission.lost.val().any() | self.admission.give_back.val().any();
        self.merge.losing.next = self.deciding.val();
        self.merge.room.next = self.rings.room.val();
        self.merge.undecided.next = self.matching.undecided.val();
        self.write_port.event_write.next = self.merge.event_write.val();
        self.write_port.event_write_valid.next = self.merge.event_write_valid.val();
        self.merge.event_write_ready.next = self.write_port.event_write_ready.val();
        self.merge.event_write_done.next = self.write_port.event_write_done.val();
        self.merge.event_write_error.next = self.write_port.event_write_error.val();
        self.rings.post_context.next = self.merge.post_context.val();
        self.completer.post_address.next = self.rings.post_address.val();
        self.completer.post_dropped.next = self.rings.post_dropped.val();
        self.merge.post_address.next = self.rings.post_address.val();
        self.merge.post_dropped.next = self.rings.post_dropped.val();
        self.rings.post.next = self.merge.post.val();
        self.rings.unreserve.next = self.completer.unreserve.val();
        self.rings.unreserve_valid.next = self.completer.unreserve_valid.val();
        self.rings.visible.next = self.merge.visible.val();
        self.rings.visible_valid.next = self.merge.visible_valid.val();
        self.answers.first.next = self.completer.ack.val();
        self.answers.first_valid.next = self.completer.ack_valid.val();
        self.completer.ack_ready.next = self.answers.first_ready.val();
        self.answers.second.next = self.parser.refusal.val();
        self.answers.second_valid.next = self.parser.refusal_valid.val();
        self.parser.refusal_ready.next = self.answers.second_ready.val();
        self.ack.next = self.answers.read.val();
        self.ack_valid.next = self.answers.read_valid.val();
        self.answers.read_ready.next = self.ack_ready.val();

        // GETs and fetches that leave to be answered and come back, and replies to messages of this node.
        self.get.next = self.completer.get.val();
        self.get_outcome.next = self.completer.get_outcome.val();
        self.get_valid.next = self.completer.get_valid.val();
        self.completer.get_ready.next = self.get_ready.val();
        self.completer.replied.next = self.replied.val();
        self.completer.replied_outcome.next = self.replied_outcome.val();
        self.completer.replied_valid.next = self.replied_valid.val();
        self.replied_ready.next = self.completer.replied_ready.val();
        self.reply.next = self.completer.reply.val();
        self.reply_valid.next = self.completer.reply_valid.val();
        self.completer.reply_ready.next = self.reply_ready.val();
        self.reply_place.next = self.admission.reply_place.val();
        self.admission.reply_target.next = self.reply_target.val();
        self.reply_claim.next = self.admission.reply_claim.val();

        // The initiator's way to memory.
        self.write_port.table_entry.next = self.table_write.val();
        self.write_port.table_entry_valid.next = self.table_write_valid.val();
        self.table_write_ready.next = self.write_port.table_entry_ready.val();
        self.table_write_done.next = self.write_port.table_entry_done.val();
        self.table_write_error.next = self.write_port.table_entry_error.val();
        self.read_port.gather_request.next = self.gather_request.val();
        self.read_port.gather_request_valid.next = self.gather_request_valid.val();
        self.gather_request_ready.next = self.read_port.gather_request_ready.val();
        self.gather_result.next = self.read_port.gather_result.val();
        self.gather_result_valid.next = self.read_port.gather_result_valid.val();
        self.read_port.sum_list_request.next = self.sum_list_request.val();
        self.read_port.sum_list_request_valid.next = self.sum_list_request_valid.val();
        self.sum_list_request_ready.next = self.read_port.sum_list_request_ready.val();
        self.sum_list_result.next = self.read_port.sum_list_result.val();
        self.sum_list_result_valid.next = self.read_port.sum_list_result_valid.val();
        self.read_port.gather_list_request.next = self.gather_list_request.val();
        self.read_port.gather_list_request_valid.next = self.gather_list_request_valid.val();
        self.gather_list_request_ready.next = self.read_port.gather_list_request_ready.val();
        self.gather_list_result.next = self.read_port.gather_list_result.val();
        self.gather_list_result_valid.next = self.read_port.gather_list_result_valid.val();
        self.read_port.command_request.next = self.command_request.val();
        self.read_port.command_request_valid.next = self.command_request_valid.val();
        self.command_request_ready.next = self.read_port.command_request_ready.val();
        self.command_result.next = self.read_port.command_result.val();
        self.command_result_valid.next = self.read_port.command_result_valid.val();

        // Memory.
        self.aw_id.next = self.write_port.aw_id.val();
        self.aw_addr.next = self.write_port.aw_addr.val();
        self.aw_len.next = self.write_port.aw_len.val();
        self.aw_size.next = self.write_port.aw_size.val();
        self.aw_burst.next = self.write_port.aw_burst.val();
        self.aw_user.next = self.write_port.aw_user.val();
        self.aw_atop.next = self.write_port.aw_atop.val();
        self.aw_valid.next = self.write_port.aw_valid.val();
        self.w_data.next = self.write_port.w_data.val();
        self.w_strb.next = self.write_port.w_strb.val();
        self.w_last.next = self.write_port.w_last.val();
        self.w_valid.next = self.write_port.w_valid.val();
        self.b_ready.next = self.write_port.b_ready.val();
        self.ar_id.next = self.read_port.ar_id.val();
        self.ar_addr.next = self.read_port.ar_addr.val();
        self.ar_len.next = self.read_port.ar_len.val();
        self.ar_size.next = self.read_port.ar_size.val();
        self.ar_burst.next = self.read_port.ar_burst.val();
        self.ar_user.next = self.read_port.ar_user.val();
        self.ar_valid.next = self.read_port.ar_valid.val();
        self.r_ready.next = self.read_port.r_ready.val();
        self.write_port.aw_ready.next = self.aw_ready.val();
        self.write_port.w_ready.next = self.w_ready.val();
        self.write_port.b_id.next = self.b_id.val();
        self.write_port.b_resp.next = self.b_resp.val();
        self.write_port.b_valid.next = self.b_valid.val();
        self.read_port.ar_ready.next = self.ar_ready.val();
        self.read_port.r_id.next = self.r_id.val();
        self.read_port.r_data.next = self.r_data.val();
        self.read_port.r_resp.next = self.r_resp.val();
        self.read_port.r_last.next = self.r_last.val();
        self.read_port.r_valid.next = self.r_valid.val();

        // Counts and what the interrupt needs.
        self.count_packet.next = self.parser.count_packet.val();
        self.drop_version.next = self.parser.drop_version.val();
        self.drop_opcode.next = self.parser.drop_opcode.val();
        self.drop_target.next = self.parser.drop_target.val();
        self.drop_context.next = self.parser.drop_context.val();
        self.drop_length.next = self.parser.drop_length.val();
        self.drop_stray.next = self.admission.drop_stray.val();
        self.count_hit.next = self.cache.count_hit.val();
        self.count_miss.next = self.cache.count_miss.val();
        self.count_ok.next = self.completer.count_ok.val();
        self.count_late_drop.next = self.completer.count_late_drop.val();
        self.late_context.next = self.completer.post_context.val();
        self.count_failed.next = self.completer.count_failed.val();
        self.count_doorbell.next = self.doorbell.count_doorbell.val();
        self.event_visible.next = self.merge.visible.val();
        self.event_visible_valid.next = self.merge.visible_valid.val();
        self.event_failed.next = self.merge.visible.val();
        self.event_failed_valid.next =
            self.completer.event_failed_valid.val() | self.merge.own_failed.val();
        self.event_lost.next = self.lost_context.val();
        self.event_lost_valid.next = self.lost_now.val().any();
        self.memory_failed.next = self.completer.memory_error.val();
        self.memory_failed_valid.next = self.completer.memory_error_valid.val();

        // What happens to each message.
        self.trace_parse.next = self.matching.out_valid.val() & self.lookup.head_ready.val();
        self.trace_parse_source.next = self.parser.head.val().source_node;
        self.trace_parse_message.next = self.parser.head.val().message_id;
        self.trace_admit.next = self.admission.write_info.val();
        self.trace_admit_slot.next = self.admission.info_slot.val();
        self.trace_admit_source.next = self.admission.info.val().source_node;
        self.trace_admit_message.next = self.admission.info.val().message_id;
        self.trace_admit_status.next = self.admission.decided.val();
        self.trace_admit_task_hit.next = self.lookup.task_hit.val();
        self.trace_admit_queue_hit.next = self.lookup.queue_hit.val();
        self.trace_rewrite.next = self.rewrite.packet_valid.val();
        self.trace_rewrite_slot.next = self.rewrite.packet_slot.val();
        self.trace_done.next =
            self.doorbell.completion_valid.val() & self.completer.completion_ready.val();
        self.trace_done_slot.next = self.doorbell.completion.val().slot;
        self.trace_done_status.next = self.doorbell.completion.val().status;
        self.trace_done_packet_id.next = self.doorbell.completion.val().packet_id;
    }
}
