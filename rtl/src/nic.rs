//! `Nic`: the whole NIC. Commands go in, messages go out; messages come in, tasks are in GPU queues.
//!
//! **Purpose.** The top of the design: [`TargetPipeline`], [`ListUnit`], [`Initiator`] and [`Registers`], with the
//! ports of the chip.
//!
//! ```text
//!                    +-----+
//!   s_axis_net_*  -->|     |--> m_axis_net_*   requests: messages of commands
//!   s_axis_ans_*  -->|     |--> m_axis_ans_*   answers: replies and acknowledgements
//!   s_axil_*     <-->| Nic |<-> m_axi_*        host memory
//!                    |     |--> irq
//!                    +-----+--> trace_*        what happens to each message, for test benches and logic analysers
//! ```
//!
//! **Contract.** Ports as those of [`XtqTarget`](crate::xtq_target::XtqTarget). Answers are taken and sent whether
//! requests move or not, so no number of nodes can wait for each other (`docs/nic.md`, two classes). `2^W - 1` requests
//! may wait for their answers to leave; then `s_axis_net` stands still at the next packet that begins a request. An
//! acknowledgement waits for at most one packet of a reply and the other way round. Packets of this node to itself do
//! not leave it ([`Loopback`]).
//!
//! **Internals.** Wires; [`Loopback`], [`RequestGate`], [`ReceiveSplitter`], [`PacketMerge`] and [`TxArbiter`] at the
//! network.

use crate::bundle::{
    AxiArOut, AxiAwOut, AxiBIn, AxiLiteIn, AxiRIn, AxiStreamIn, AxiStreamOut, AxiWOut, TraceOut,
};
use crate::host::registers::Registers;
use crate::initiator::Initiator;
use crate::leaf::RamFifo;
use crate::lists::list_unit::ListUnit;
use crate::network::loopback::Loopback;
use crate::network::packet_merge::PacketMerge;
use crate::network::receive_splitter::ReceiveSplitter;
use crate::network::request_gate::RequestGate;
use crate::network::tx_arbiter::TxArbiter;
use crate::target_pipeline::TargetPipeline;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::wire_header::WireHeader;

/// The large configuration: 4,096 match entries, 4,096 unexpected headers, 1,024 counters, 2,048 triggered operations,
/// 256 places for messages of several packets and 1,024 memory descriptors, a fourth of them for each context.
pub type LargeNic = Nic<12, 13, 12, 13, 14, 4, 10, 1024, 11, 12, 6, 64, 8, 256, 10, 1024>;

/// The small configuration: two contexts, with 32 match entries and 16 unexpected headers each,
/// and 63 requests that wait for their answers to leave.
pub type SmallNic = Nic<7, 8, 6, 7, 8, 2, 8, 256, 9, 10, 4, 16, 6, 64, 8, 256, 6>;

/// The whole NIC: `C` contexts, 4 or 2, `2^E` match entries and `2^H` unexpected headers, a fourth of them for each
/// context. Of two contexts half of the entries and headers are used, as numbers of contexts have two bits all the
/// same. `2^A` counters and `2^S` triggered operations, a fourth of them for each context; `2^P` places for messages of
/// several packets for each context; `2^D` memory descriptors; `2^W - 1` requests inside. `EN` = `E + 1`, `HN` = `H +
/// 1`, `R` = `H + 2`, `N` = `2^A`, `L` = `S + 1`, `Q` = `2^P`, `I` = `P + 2`, `T` = `4 Q`, `M` = `2^D`. Unless stated
/// otherwise 4 contexts, 256 entries, 128 headers, 256 counters, 512 triggered operations, 16 places for each context,
/// 256 descriptors and 1,023 requests.
#[block]
pub struct Nic<
    const E: usize = 8,
    const EN: usize = 9,
    const H: usize = 7,
    const HN: usize = 8,
    const R: usize = 9,
    const C: usize = 4,
    const A: usize = 8,
    const N: usize = 256,
    const S: usize = 9,
    const L: usize = 10,
    const P: usize = 4,
    const Q: usize = 16,
    const I: usize = 6,
    const T: usize = 64,
    const D: usize = 8,
    const M: usize = 256,
    const W: usize = 10,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Requests from the network.
    pub s_axis_net: AxiStreamIn,
    /// Requests to the network.
    pub m_axis_net: AxiStreamOut,
    /// Answers from the network.
    pub s_axis_ans: AxiStreamIn,
    /// Answers to the network.
    pub m_axis_ans: AxiStreamOut,
    /// AXI, addresses of writes.
    pub m_axi_aw: AxiAwOut,
    /// AXI, data of writes.
    pub m_axi_w: AxiWOut,
    /// AXI, responses to writes.
    pub m_axi_b: AxiBIn,
    /// AXI, addresses of reads.
    pub m_axi_ar: AxiArOut,
    /// AXI, data read.
    pub m_axi_r: AxiRIn,
    /// AXI4-Lite, registers of the host.
    pub s_axil: AxiLiteIn,
    /// Interrupt, level.
    pub irq: Signal<Out, Bit>,
    /// What happens to each message.
    pub trace: TraceOut,
    /// A command was taken from a ring in the cycle before (pulse).
    pub trace_take: Signal<Out, Bit>,
    /// Its context.
    pub trace_take_context: Signal<Out, Bits<2>>,
    /// A message of this node begins (pulse).
    pub trace_open: Signal<Out, Bit>,
    /// The `initiator_handle` of its packets.
    pub trace_open_handle: Signal<Out, Bits<16>>,
    /// A command waits or is executed, or something is reported to the host.
    pub trace_busy: Signal<Out, Bit>,
    /// A request of this node to itself: the beat on `m_axis_net`, which is not valid there, goes inside (pulse).
    pub trace_inside_net: Signal<Out, Bit>,
    /// The oldest beat of these is received (pulse).
    pub trace_inside_net_taken: Signal<Out, Bit>,
    /// An answer of this node to itself: the beat on `m_axis_ans`, which is not valid there, goes inside (pulse).
    pub trace_inside_ans: Signal<Out, Bit>,
    /// The oldest beat of these is received (pulse).
    pub trace_inside_ans_taken: Signal<Out, Bit>,
    pipeline: TargetPipeline<C, P, Q, I, T>,
    registers: Registers<C>,
    initiator: Initiator<C, A, N, S, L, D, M, W>,
    lists: ListUnit<E, EN, H, HN, R>,
    gate: RequestGate<W>,
    splitter: ReceiveSplitter,
    merge: PacketMerge,
    acknowledgements: RamFifo<WireHeader, W>,
    arbiter: TxArbiter,
    own_requests: Loopback,
    own_answers: Loopback,
}

impl<
    const E: usize,
    const EN: usize,
    const H: usize,
    const HN: usize,
    const R: usize,
    const C: usize,
    const A: usize,
    const N: usize,
    const S: usize,
    const L: usize,
    const P: usize,
    const Q: usize,
    const I: usize,
    const T: usize,
    const D: usize,
    const M: usize,
    const W: usize,
> Nic<E, EN, H, HN, R, C, A, N, S, L, P, Q, I, T, D, M, W>
{
    /// Hardware with (`atomics`) or without AXI5 atomics; without, shared queues are refused.
    pub fn new(atomics: bool) -> Self {
        Self {
            pipeline: TargetPipeline::new(atomics),
            registers: Registers::new(atomics, true),
            ..Self::default()
        }
    }
}

#[kernel]
impl<
    const E: usize,
    const EN: usize,
    const H: usize,
    const HN: usize,
    const R: usize,
    const C: usize,
    const A: usize,
    const N: usize,
    const S: usize,
    const L: usize,
    const P: usize,
    const Q: usize,
    const I: usize,
    const T: usize,
    const D: usize,
    const M: usize,
    const W: usize,
> Logic for Nic<E, EN, H, HN, R, C, A, N, S, L, P, Q, I, T, D, M, W>
{
    fn update(&mut self) {
        // From the network and from inside: answers, and requests with room for what they may cause.
        self.own_requests.node.next = self.registers.node.val();
        self.own_answers.node.next = self.registers.node.val();
        connect!(self.s_axis_net => self.own_requests.rx);
        connect!(self.s_axis_ans => self.own_answers.rx);
        self.splitter.node.next = self.registers.node.val();
        connect!(self.own_answers.received => self.splitter.rx);
        connect!(self.splitter.answer => self.initiator.answer);
        connect!(self.splitter.rest => self.merge.first);
        connect!(self.own_requests.received => self.gate.rx);
        connect!(self.gate.admitted => self.merge.second);
        connect!(self.merge.out => self.pipeline.rx);
        self.pipeline.rx_answer.next = !self.merge.of_second.val();
        self.gate.dropped.next = self.pipeline.dropped.val();
        self.gate.fetch_dropped.next = self.pipeline.fetch_dropped.val();
        self.gate.closed.next = self.pipeline.closed.val();
        self.gate.fetch_closed.next = self.pipeline.fetch_closed.val();
        self.gate.left.next = self.acknowledgements.read.valid.val() & self.arbiter.ack.ready.val();

        // To the network, or back inside.
        connect!(self.initiator.tx => self.own_requests.tx);
        connect!(self.own_requests.network => self.m_axis_net);
        connect!(self.pipeline.ack => self.acknowledgements.write);
        connect!(self.acknowledgements.read => self.arbiter.ack);
        connect!(self.initiator.reply_tx => self.arbiter.reply);
        connect!(self.arbiter.tx => self.own_answers.tx);
        connect!(self.own_answers.network => self.m_axis_ans);

        // Memory.
        connect!(self.pipeline.aw => self.m_axi_aw);
        connect!(self.pipeline.w => self.m_axi_w);
        connect!(self.m_axi_b => self.pipeline.b);
        connect!(self.pipeline.ar => self.m_axi_ar);
        connect!(self.m_axi_r => self.pipeline.r);

        // Registers.
        connect!(self.s_axil => self.registers.s_axil);
        self.irq.next = self.registers.irq.val();
        self.pipeline.node.next = self.registers.node.val();
        self.pipeline.context_enabled.next = self.registers.context_enabled.val();
        self.pipeline.max_message_sizes.next = self.registers.max_message_sizes.val();
        self.pipeline.max_atomic_sizes.next = self.registers.max_atomic_sizes.val();
        self.pipeline.message_timeout.next = self.registers.message_timeout.val();
        connect!(self.registers.table_cfg => self.pipeline.table_cfg);
        connect!(self.registers.portal_cfg => self.pipeline.portal_cfg);
        connect!(self.registers.ring_cfg => self.pipeline.ring_cfg);
        self.registers.portal_cfg_ready.next = self.pipeline.portal_cfg_ready.val();
        self.registers.portal_cfg_refused.next = self.pipeline.portal_cfg_refused.val();
        connect!(self.registers.portal_status => self.pipeline.portal_status);
        connect!(self.registers.ring_status => self.pipeline.ring_status);
        connect!(self.registers.invalidate => self.pipeline.invalidate);
        self.registers.invalidated.next = self.pipeline.invalidated.val();
        self.registers.count_packet.next = self.pipeline.count_packet.val();
        connect!(self.pipeline.drop => self.registers.drop);
        self.registers.drop_stray.next = self.pipeline.drop_stray.val();
        self.registers.count_hit.next = self.pipeline.count_hit.val();
        self.registers.count_miss.next = self.pipeline.count_miss.val();
        self.registers.count_ok.next = self.pipeline.count_ok.val();
        self.registers.count_failed.next = self.pipeline.count_failed.val();
        self.registers.count_doorbell.next = self.pipeline.count_doorbell.val();
        connect!(self.pipeline.event_visible => self.registers.event_visible);
        connect!(self.pipeline.event_failed => self.registers.event_failed);
        connect!(self.pipeline.event_lost => self.registers.event_lost);
        connect!(self.pipeline.memory_failed => self.registers.memory_failed);

        // Trace.
        connect!(self.pipeline.trace => self.trace);

        // The lists.
        self.registers.count.drop.next = self.lists.count_drop.val();
        self.registers.count.permission.next = self.lists.count_permission.val();
        self.registers.count.operation.next = self.lists.count_operation.val();
        self.registers.count.context.next = self.lists.count_context.val();
        self.registers.count_late_drop.next = self.pipeline.count_late_drop.val();
        self.registers.late_context.next = self.pipeline.late_context.val();
        self.pipeline.has_lists.next = true;
        connect!(self.pipeline.match_request => self.lists.request);
        connect!(self.lists.result => self.pipeline.match_result);
        self.pipeline.match_flow_portals.next = self.lists.flow_portals.val();
        connect!(self.pipeline.portal_stop => self.lists.stop);
        connect!(self.lists.enabled => self.pipeline.portal_enabled);
        connect!(self.lists.line => self.pipeline.line);
        self.lists.in_flight.next = self.pipeline.in_flight.val();
        connect!(self.pipeline.ended => self.lists.ended);
        self.lists.ended_header.next = self.pipeline.ended_header.val();
        connect!(self.initiator.list_command => self.lists.command);
        self.initiator.list_done.next = self.lists.done.val();
        self.initiator.list_context.next = self.lists.done_context.val();
        self.initiator.list_status.next = self.lists.done_status.val();
        connect!(self.lists.own => self.initiator.list_event);
        connect!(self.lists.count => self.initiator.list_count);
        connect!(self.pipeline.target_count => self.initiator.target_count);

        // The initiator.
        self.initiator.node.next = self.registers.node.val();
        self.initiator.context_enabled.next = self.registers.context_enabled.val();
        self.initiator.user_ids.next = self.registers.user_ids.val();
        self.initiator.message_limit.next = self.registers.message_limit.val();
        self.initiator.single.next = self.pipeline.single.val();
        connect!(self.registers.command_cfg => self.initiator.command_cfg);
        connect!(self.registers.command_status => self.initiator.command_status);
        connect!(self.registers.increment => self.initiator.stored_count);
        connect!(self.registers.table_cfg => self.initiator.table_cfg);
        connect!(self.initiator.command_request => self.pipeline.command_request);
        connect!(self.pipeline.command_result => self.initiator.command_result);
        connect!(self.initiator.gather_request => self.pipeline.gather_request);
        connect!(self.pipeline.gather_result => self.initiator.gather_result);
        connect!(self.initiator.reply_gather_request => self.pipeline.reply_gather_request);
        connect!(self.pipeline.reply_gather_result => self.initiator.reply_gather_result);
        connect!(self.initiator.reply_list_request => self.pipeline.reply_list_request);
        connect!(self.pipeline.reply_list_result => self.initiator.reply_list_result);
        connect!(self.initiator.sum_list_request => self.pipeline.sum_list_request);
        connect!(self.pipeline.sum_list_result => self.initiator.sum_list_result);
        connect!(self.initiator.gather_list_request => self.pipeline.gather_list_request);
        connect!(self.pipeline.gather_list_result => self.initiator.gather_list_result);
        connect!(self.initiator.table_write => self.pipeline.table_write);
        self.initiator.table_write_done.next = self.pipeline.table_write_done.val();
        self.initiator.table_write_error.next = self.pipeline.table_write_error.val();
        connect!(self.initiator.invalidate => self.pipeline.command_invalidate);
        self.initiator.invalidated.next = self.pipeline.command_invalidated.val();
        connect!(self.initiator.own_event => self.pipeline.own_event);
        connect!(self.pipeline.old => self.initiator.old);
        connect!(self.pipeline.get => self.initiator.get);
        self.initiator.get_outcome.next = self.pipeline.get_outcome.val();
        connect!(self.initiator.replied => self.pipeline.replied);
        self.pipeline.replied_outcome.next = self.initiator.replied_outcome.val();
        connect!(self.pipeline.reply => self.initiator.reply);
        self.initiator.reply_place.next = self.pipeline.reply_place.val();
        self.pipeline.reply_target.next = self.initiator.reply_target.val();
        self.initiator.reply_claim.next = self.pipeline.reply_claim.val();
        connect!(self.initiator.bad_tail => self.registers.bad_tail);
        connect!(self.initiator.gather_failed => self.registers.gather_failed);
        self.registers.count_stray.next = self.initiator.count_stray.val();
        self.trace_take.next = self.initiator.trace_take.val();
        self.trace_take_context.next = self.initiator.trace_take_context.val();
        self.trace_open.next = self.initiator.trace_open.val();
        self.trace_open_handle.next = self.initiator.trace_open_handle.val();
        self.trace_busy.next = self.initiator.busy.val();
        self.trace_inside_net.next = self.own_requests.sent_inside.val();
        self.trace_inside_net_taken.next = self.own_requests.taken_inside.val();
        self.trace_inside_ans.next = self.own_answers.sent_inside.val();
        self.trace_inside_ans_taken.next = self.own_answers.taken_inside.val();
    }
}
