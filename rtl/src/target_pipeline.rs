//! `TargetPipeline`: the target side of the NIC without its register interface. XTQ puts come in, tasks are in GPU
//! queues.
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
//! **Contract.** At most 24 cycles from the last beat of an idle pipeline's XTQ put to its doorbell write; 8 write
//! beats a minimum message; one beat a cycle received while the writes it causes are no more. The order of writes is
//! that of `docs/target-pipeline.md`.
//!
//! **Internals.** The blocks, a queue for message bodies, and three memories indexed by message slot. `delivery` has
//! the wires from admission to memory, `event_places` those of places in event rings, `initiator` those of the other
//! half of the NIC and of memory, `watch` what can be seen.

mod delivery;
mod event_places;
mod initiator;
mod watch;

use crate::admission::admission::Admission;
use crate::admission::portal_stop::PortalStop;
use crate::admission::portal_table::PortalTable;
use crate::atomics::atomic_fork::AtomicFork;
use crate::atomics::atomic_unit::AtomicUnit;
use crate::bundle::{
    AxiArOut, AxiAwOut, AxiBIn, AxiRIn, AxiStreamIn, AxiWOut, DropsOut, PulseIn, PulseOut,
    ReadBackIn, StreamIn, StreamOut, TraceOut, WindowIn,
};
use crate::delivery::body_cut::BodyCut;
use crate::delivery::packet_store::PacketStore;
use crate::delivery::payload_writer::PayloadWriter;
use crate::delivery::rewrite_engine::RewriteEngine;
use crate::events::completer::Completer;
use crate::events::event_merge::EventMerge;
use crate::events::event_rings::EventRings;
use crate::events::ring_arbiter::RingArbiter;
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
use xtq_types::counter::CounterCount;
use xtq_types::matching::{MatchRequest, MatchResult};
use xtq_types::memory::{BurstRequest, BurstResult, WriteRequest};
use xtq_types::pipe::{BodyBeat, HeaderOutcome, MessageInfo, ReplyEnd, ReplyOutcome};
use xtq_types::queue::QueueInfo;
use xtq_types::send::{OwnEvent, PackedBeat, ReplyTarget};
use xtq_types::wire_header::WireHeader;

/// The target pipeline of `C` contexts, with `2^P` places for messages of several packets for each. The other sizes are
/// those of [`OpenMessages`](crate::admission::message_tracker::open_messages::OpenMessages).
#[block]
pub struct TargetPipeline<
    const C: usize = 4,
    const P: usize = 4,
    const N: usize = 16,
    const I: usize = 6,
    const T: usize = 64,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Packets from the network.
    pub rx: AxiStreamIn,
    /// They are answers, not requests.
    pub rx_answer: Signal<In, Bit>,
    /// To RequestGate: the first packet of a request was dropped, which is reported to nobody (pulse).
    pub dropped: Signal<Out, Bit>,
    /// To RequestGate: a request that fetches was dropped or refused (pulse).
    pub fetch_dropped: Signal<Out, Bit>,
    /// To RequestGate: a request is done with, and no acknowledgement follows (pulse).
    pub closed: Signal<Out, Bit>,
    /// To RequestGate: a request that fetches is done with (pulse).
    pub fetch_closed: Signal<Out, Bit>,
    /// Acknowledgement to the network, one beat.
    pub ack: StreamOut<WireHeader>,
    /// AXI, addresses of writes.
    pub aw: AxiAwOut,
    /// AXI, data of writes.
    pub w: AxiWOut,
    /// AXI, responses to writes.
    pub b: AxiBIn,
    /// AXI, addresses of reads.
    pub ar: AxiArOut,
    /// AXI, data read.
    pub r: AxiRIn,
    /// This node.
    pub node: Signal<In, Bits<16>>,
    /// One bit per context: takes messages.
    pub context_enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub message_timeout: Signal<In, Bits<5>>,
    /// Window of the lookup stage.
    pub table_cfg: WindowIn<6>,
    /// Window of the portal table.
    pub portal_cfg: WindowIn<9>,
    /// Window of the event rings.
    pub ring_cfg: WindowIn<4>,
    /// Window of the portal table: taken.
    pub portal_cfg_ready: Signal<Out, Bit>,
    /// With `portal_cfg_ready`: refused, the entry is enabled.
    pub portal_cfg_refused: Signal<Out, Bit>,
    /// Portal table word to read.
    pub portal_status: ReadBackIn<9>,
    /// Event ring word to read.
    pub ring_status: ReadBackIn<5>,
    /// From Registers: table entry that changed, {context, kind, index}.
    pub invalidate: StreamIn<Bits<20>>,
    /// It is forgotten (pulse).
    pub invalidated: Signal<Out, Bit>,
    /// From the initiator: table entry that changed.
    pub command_invalidate: StreamIn<Bits<20>>,
    /// It is forgotten (pulse).
    pub command_invalidated: Signal<Out, Bit>,
    /// From the initiator: an event.
    pub own_event: StreamIn<OwnEvent>,
    /// From the initiator: a table entry.
    pub table_write: StreamIn<WriteRequest>,
    /// It is acknowledged (pulse).
    pub table_write_done: Signal<Out, Bit>,
    /// With `table_write_done`: it failed.
    pub table_write_error: Signal<Out, Bit>,
    /// From the initiator: bytes of replies.
    pub reply_gather_request: StreamIn<BurstRequest>,
    /// A line of them.
    pub reply_gather_result: PulseOut<BurstResult>,
    /// From the initiator: lines of lists of pieces of replies.
    pub reply_list_request: StreamIn<BurstRequest>,
    /// A line.
    pub reply_list_result: PulseOut<BurstResult>,
    /// From the initiator: bytes of messages.
    pub gather_request: StreamIn<BurstRequest>,
    /// A line of them.
    pub gather_result: PulseOut<BurstResult>,
    /// From the initiator: lines of lists of pieces to add up.
    pub sum_list_request: StreamIn<BurstRequest>,
    /// A line.
    pub sum_list_result: PulseOut<BurstResult>,
    /// From the initiator: lines of lists of pieces of messages that are sent.
    pub gather_list_request: StreamIn<BurstRequest>,
    /// A line.
    pub gather_list_result: PulseOut<BurstResult>,
    /// From the initiator: a command.
    pub command_request: StreamIn<BurstRequest>,
    /// Half of it.
    pub command_result: PulseOut<BurstResult>,
    /// To CommandStage, one bit per entry {context 2, entry 4}: it is a single buffer.
    pub single: Signal<Out, Bits<64>>,
    /// There are lists beside the single buffers.
    pub has_lists: Signal<In, Bit>,
    /// The most bytes of a message for the lists, 32 bits a context, context 0 lowest.
    pub max_message_sizes: Signal<In, Bits<128>>,
    /// The most bytes of an atomic, 10 bits a context.
    pub max_atomic_sizes: Signal<In, Bits<40>>,
    /// To ListUnit: which entry takes the message?
    pub match_request: StreamOut<MatchRequest>,
    /// From ListUnit: what becomes of it.
    pub match_result: StreamIn<MatchResult>,
    /// From ListUnit: enabled entries with flow control, 7 bits a context.
    pub match_flow_portals: Signal<In, Bits<28>>,
    /// To ListUnit: stop this portal entry, {context 2, portal 6}. It is taken when that is done.
    pub portal_stop: StreamOut<Bits<8>>,
    /// From ListUnit: the host has enabled or made this portal entry.
    pub portal_enabled: PulseIn<Bits<8>>,
    /// From ListUnit: `in_flight` of this context is asked about what came until now.
    pub line: PulseIn<Bits<2>>,
    /// To ListUnit, one bit per context: messages from before the line are on their way.
    pub in_flight: Signal<Out, Bits<4>>,
    /// To ListUnit: what became of a message that left an unexpected header.
    pub ended: PulseOut<HeaderOutcome>,
    /// {context 2, name of the header 13}.
    pub ended_header: Signal<Out, Bits<15>>,
    /// To CounterUnit: what a message counts.
    pub target_count: StreamOut<CounterCount>,
    /// To Packetiser: old bytes of atomics, in the order of their messages.
    pub old: StreamOut<PackedBeat>,
    /// To ReplyUnit: a GET or fetch that is to be answered; `get_valid` comes only with `get_ready`.
    pub get: StreamOut<MessageInfo>,
    /// With `get`: what became of it.
    pub get_outcome: Signal<Out, ReplyOutcome>,
    /// From ReplyUnit: a GET or fetch that was answered. It is taken when it is reported.
    pub replied: StreamIn<MessageInfo>,
    /// With `replied`: what became of it.
    pub replied_outcome: Signal<In, ReplyOutcome>,
    /// To the initiator: the reply to a message of this node is in memory, or failed.
    pub reply: StreamOut<ReplyEnd>,
    /// To the initiator: place that a reply names.
    pub reply_place: Signal<Out, Bits<8>>,
    /// What the reply is held against, one cycle later.
    pub reply_target: Signal<In, ReplyTarget>,
    /// The reply to the message of `reply_place` is taken (pulse).
    pub reply_claim: Signal<Out, Bit>,
    /// A packet came (pulse).
    pub count_packet: Signal<Out, Bit>,
    /// Packets dropped by the parser (pulses).
    pub drop: DropsOut,
    /// Packet dropped: its message is not open (pulse).
    pub drop_stray: Signal<Out, Bit>,
    /// Lookup served from the cache (pulse).
    pub count_hit: Signal<Out, Bit>,
    /// Lookup read memory (pulse).
    pub count_miss: Signal<Out, Bit>,
    /// Message delivered (pulse).
    pub count_ok: Signal<Out, Bit>,
    /// To Registers: a request of context `late_context` that a match entry took was dropped, or met a disabled portal
    /// entry (pulse).
    pub count_late_drop: Signal<Out, Bit>,
    /// Its context.
    pub late_context: Signal<Out, Bits<2>>,
    /// Message failed (pulse).
    pub count_failed: Signal<Out, Bit>,
    /// Doorbell written (pulse).
    pub count_doorbell: Signal<Out, Bit>,
    /// An event became visible: context.
    pub event_visible: PulseOut<Bits<2>>,
    /// An event could not be written: context.
    pub event_failed: PulseOut<Bits<2>>,
    /// An event was lost, the ring was full: context.
    pub event_lost: PulseOut<Bits<2>>,
    /// A message failed with a memory error: context.
    pub memory_failed: PulseOut<Bits<2>>,
    /// What happens to each message.
    pub trace: TraceOut,

    parser: ReceiveParser,
    bodies: RamFifo<BodyBeat, 8>,
    matching: MatchStage<I>,
    stops: PortalStop,
    cut: BodyCut,
    parting: AtomicFork,
    atomics: AtomicUnit,
    lookup: LookupStage,
    cache: LookupCache,
    read_port: ReadPort,
    portals: PortalTable,
    admission: Admission<C, P, N, I, T>,
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
    places: RingArbiter,
    invalidator: Invalidator,
    completer: Completer,
    /// Acknowledgements of the completer, and refusals of the parser.
    answers: Junction<WireHeader>,
    merge: EventMerge,
    write_port: WritePort,
}

impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize>
    TargetPipeline<C, P, N, I, T>
{
    /// Hardware with (`atomics`) or without AXI5 atomics; without, shared queues are refused.
    pub fn new(atomics: bool) -> Self {
        Self {
            queues: QueueAdmission::new(atomics),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize> Logic
    for TargetPipeline<C, P, N, I, T>
{
    fn update(&mut self) {
        // Network in, parser, body queue.
        connect!(self.rx => self.parser.rx);
        self.parser.answer.next = self.rx_answer.val();
        self.parser.node.next = self.node.val();
        self.parser.context_enabled.next = self.context_enabled.val();
        self.parser.gets.next = self.has_lists.val();
        connect!(self.parser.body => self.bodies.write);

        // Heads, what the lists say about them, and their table entries.
        self.matching.has_lists.next = self.has_lists.val();
        self.matching.max_message_sizes.next = self.max_message_sizes.val();
        self.matching.max_atomic_sizes.next = self.max_atomic_sizes.val();
        connect!(self.parser.head => self.matching.head);
        connect!(self.matching.request => self.match_request);
        self.matching.single.next = self.portals.single.val();
        self.single.next = self.portals.single.val();
        self.matching.places.next = self.rings.places.val();
        self.matching.has_ring.next = self.rings.has_ring.val();
        self.matching.flow_portals.next = self.match_flow_portals.val();
        // Admission decides about a single buffer with the places it saw.
        self.matching.busy.next = self.admission.hold.val();
        self.matching.busy_context.next = self.admission.event_context.val();
        self.matching.decided.next = self.admission.result.ready.val();
        self.matching.decided_context.next = self.admission.event_context.val();
        self.matching.delivered.next = self.completer.delivered.val();
        self.matching.delivered_context.next = self.completer.post_context.val();
        self.matching.delivered_colour.next = self.completer.delivered_colour.val();
        self.matching.taken.next = self.admission.head.ready.val();
        self.matching.long_ended.next = self.admission.long_ended.val();
        self.matching.long_context.next = self.admission.long_context.val();
        connect!(self.line => self.matching.line);
        self.in_flight.next = self.matching.in_flight.val();
        connect!(self.completer.ended => self.ended);
        self.ended_header.next = self.completer.ended_header.val();
        connect!(self.match_result => self.admission.result);
        self.stops.asked.next = self.admission.asked.val();
        self.admission.stopped.next = self.stops.stopped.val();
        self.stops.stop.next = self.admission.stop.val();
        self.stops.mark.next = self.admission.mark.val();
        connect!(self.stops.shut => self.portal_stop);
        connect!(self.portal_enabled => self.stops.enabled);
        connect!(self.completer.count => self.target_count);
        connect!(self.matching.out => self.lookup.head);
        self.lookup.head_aql.next = self.parser.head_aql.val();
        connect!(self.lookup.request => self.cache.request);
        connect!(self.cache.result => self.lookup.result);
        connect!(self.table_cfg => self.lookup.cfg);
        self.lookup.halt.next = self.invalidator.lookup_halt.val();
        self.invalidator.lookup_empty.next = self.lookup.empty.val();
        connect!(self.cache.miss => self.read_port.cache_request);
        connect!(self.read_port.cache_result => self.cache.fill);
        connect!(self.invalidator.cache_invalidate => self.cache.invalidate);
        connect!(self.invalidate => self.invalidator.host);
        self.invalidated.next = self.invalidator.host_done.val();
        connect!(self.command_invalidate => self.invalidator.command);
        self.command_invalidated.next = self.invalidator.command_done.val();

        // Admission and what it decides with.
        connect!(self.lookup.out => self.admission.head);
        self.admission.head_aql.next = self.lookup.out_aql.val();
        self.admission.head_there.next = self.lookup.out_there.val();
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
        connect!(self.admission.commit => self.portals.commit);
        connect!(self.completer.late => self.stops.late);
        self.stops.late_lists.next = self.completer.late_lists.val();
        self.stops.late_flow_lists.next = self.completer.late_flow_lists.val();
        self.completer.late_flow.next = self.stops.late_flow.val();
        self.completer.late_enabled.next = self.stops.late_enabled.val();
        connect!(self.stops.portal_late => self.portals.late);
        self.stops.portal_late_flow.next = self.portals.late_flow.val();
        self.stops.portal_late_enabled.next = self.portals.late_enabled.val();
        connect!(self.portal_cfg => self.portals.cfg);
        self.portal_cfg_ready.next = self.portals.cfg_ready.val();
        self.portal_cfg_refused.next = self.portals.cfg_refused.val();
        connect!(self.portal_status => self.portals.status);
        connect!(self.admission.admit => self.queues.admit);
        self.queues.admit_context.next = self.admission.admit_context.val();
        self.admission.admitted.next = self.queues.admitted.val();
        self.admission.admit_status.next = self.queues.admit_status.val();
        self.admission.admit_access.next = self.queues.admit_access.val();
        connect!(self.queues.read => self.read_port.admission_request);
        connect!(self.read_port.admission_result => self.queues.read_result);
        connect!(self.invalidator.queue_invalidate => self.queues.invalidate);
        connect!(self.enqueuer.fail => self.queues.enqueue_fail);
        connect!(self.header.slot_fail => self.queues.slot_fail);
        connect!(self.doorbell.header_fail => self.queues.header_fail);
        connect!(self.doorbell.doorbell_fail => self.queues.doorbell_fail);
        self.queues.claim_queue.next = self.enqueuer.claim_queue.val();
        self.enqueuer.claim_open.next = self.queues.claim_open.val();
        self.queues.header_queue.next = self.header.queue.val();
        self.header.queue_open.next = self.queues.header_open.val();
        self.queues.ring_queue.next = self.doorbell.queue.val();
        self.doorbell.queue_open.next = self.queues.ring_open.val();
        self.event_places();

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
        connect!(self.rewrite.packet => self.packets.write);
        self.packets.write_slot.next = self.rewrite.packet_slot.val();
        self.packets.slot.next = self.enqueuer.slot.val();
        self.enqueuer.packet.next = self.packets.packet.val();
        self.enqueuer.packet_there.next = self.packets.there.val();
        connect!(self.completer.freed => self.packets.freed);
        self.admission.enabled.next = self.context_enabled.val();
        self.admission.timeout.next = self.message_timeout.val();
        connect!(self.completer.freed => self.admission.freed);

        self.bytes();
        self.atomic_messages();
        self.queue_writes();
        self.initiator();
        self.counts();
        self.traces();
    }
}
