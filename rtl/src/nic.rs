//! `Nic`: the whole NIC. Commands go in, messages go out; messages come in, tasks are in GPU queues.
//!
//! **Purpose.** The top of the design: [`TargetPipeline`], [`ListUnit`], [`Initiator`] and [`Registers`], with the ports of the chip.
//!
//! ```text
//!                    +-----+
//!   s_axis_net_*  -->|     |--> m_axis_net_*   messages, replies and acknowledgements
//!   s_axil_*     <-->| Nic |<-> m_axi_*        host memory
//!                    |     |--> irq
//!                    +-----+--> trace_*        what happens to each message, for test benches and logic analysers
//! ```
//!
//! **Contract.** Ports as those of [`XtqTarget`](crate::xtq_target::XtqTarget). An acknowledgement waits for at most one packet of a put and the other way round. 1,024 acknowledgements may wait for the network while the
//! target pipeline goes on: as a node has at most 256 messages unanswered, up to four nodes that send to this one at once never bring it to a halt by acknowledgements that cannot leave.
//!
//! **Internals.** Wires, [`ReceiveSplitter`] and [`TxArbiter`] at the network.

use crate::host::registers::Registers;
use crate::initiator::Initiator;
use crate::leaf::RamFifo;
use crate::lists::list_unit::ListUnit;
use crate::network::receive_splitter::ReceiveSplitter;
use crate::network::tx_arbiter::TxArbiter;
use crate::target_pipeline::TargetPipeline;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::TxBeat;
use xtq_types::wire_header::WireHeader;

/// The large configuration: 1,024 match entries and 1,024 unexpected headers, 256 of each for each context.
pub type LargeNic = Nic<10, 11, 10, 11, 12>;

/// The small configuration: two contexts, with 32 match entries and 16 unexpected headers each.
pub type SmallNic = Nic<7, 8, 6, 7, 8, 2>;

/// The whole NIC: `C` contexts, 4 or 2, `2^E` match entries and `2^H` unexpected headers, a fourth of them for each context; of two contexts half of the entries and headers are used, as numbers of contexts have two
/// bits all the same. `EN` = `E + 1`, `HN` = `H + 1`, `R` = `H + 2`. Unless said otherwise 4 contexts, 256 entries, 128 headers.
#[block]
pub struct Nic<
    const E: usize = 8,
    const EN: usize = 9,
    const H: usize = 7,
    const HN: usize = 8,
    const R: usize = 9,
    const C: usize = 4,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Packets from the network: bytes, lane 0 first.
    pub s_axis_net_tdata: Signal<In, Bits<512>>,
    /// Valid bytes.
    pub s_axis_net_tkeep: Signal<In, Bits<64>>,
    /// Last beat of a packet.
    pub s_axis_net_tlast: Signal<In, Bit>,
    /// The beat is valid.
    pub s_axis_net_tvalid: Signal<In, Bit>,
    /// The beat is taken.
    pub s_axis_net_tready: Signal<Out, Bit>,
    /// Packets to the network.
    pub m_axis_net_tdata: Signal<Out, Bits<512>>,
    /// Valid bytes.
    pub m_axis_net_tkeep: Signal<Out, Bits<64>>,
    /// Last beat of a packet.
    pub m_axis_net_tlast: Signal<Out, Bit>,
    /// The beat is valid.
    pub m_axis_net_tvalid: Signal<Out, Bit>,
    /// The beat is taken.
    pub m_axis_net_tready: Signal<In, Bit>,
    /// Write address: id.
    pub m_axi_awid: Signal<Out, Bits<4>>,
    /// Write address: addr.
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    /// Write address: len.
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    /// Write address: size.
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    /// Write address: burst.
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    /// Write address: user.
    pub m_axi_awuser: Signal<Out, Bits<4>>,
    /// Write address: atop.
    pub m_axi_awatop: Signal<Out, Bits<6>>,
    /// Write address: valid.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// Write data: data.
    pub m_axi_wdata: Signal<Out, Bits<512>>,
    /// Write data: strb.
    pub m_axi_wstrb: Signal<Out, Bits<64>>,
    /// Write data: last.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// Write data: valid.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// Write response: ready.
    pub m_axi_bready: Signal<Out, Bit>,
    /// Read address: id.
    pub m_axi_arid: Signal<Out, Bits<4>>,
    /// Read address: addr.
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    /// Read address: len.
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    /// Read address: size.
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    /// Read address: burst.
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    /// Read address: user.
    pub m_axi_aruser: Signal<Out, Bits<4>>,
    /// Read address: valid.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// Read data: ready.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Write address: ready.
    pub m_axi_awready: Signal<In, Bit>,
    /// Write data: ready.
    pub m_axi_wready: Signal<In, Bit>,
    /// Write response: id.
    pub m_axi_bid: Signal<In, Bits<4>>,
    /// Write response: resp.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// Write response: valid.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// Read address: ready.
    pub m_axi_arready: Signal<In, Bit>,
    /// Read data: id.
    pub m_axi_rid: Signal<In, Bits<4>>,
    /// Read data: data.
    pub m_axi_rdata: Signal<In, Bits<512>>,
    /// Read data: resp.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// Read data: last.
    pub m_axi_rlast: Signal<In, Bit>,
    /// Read data: valid.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// Registers: write address.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Registers: write address valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Registers: write address taken.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Registers: write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Registers: bytes to write.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Registers: write data valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Registers: write data taken.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Registers: write response.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Registers: write response valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Registers: write response taken.
    pub s_axil_bready: Signal<In, Bit>,
    /// Registers: read address.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Registers: read address valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Registers: read address taken.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Registers: read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Registers: read response.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Registers: read data valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Registers: read data taken.
    pub s_axil_rready: Signal<In, Bit>,
    /// Interrupt, level.
    pub irq: Signal<Out, Bit>,
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
    /// A command was taken from a ring in the cycle before (pulse).
    pub trace_take: Signal<Out, Bit>,
    /// Its context.
    pub trace_take_context: Signal<Out, Bits<2>>,
    /// A message of this node begins (pulse).
    pub trace_open: Signal<Out, Bit>,
    /// The `initiator_handle` of its packets.
    pub trace_open_handle: Signal<Out, Bits<16>>,
    /// A command waits or is executed, or the host is told of something.
    pub trace_busy: Signal<Out, Bit>,
    pipeline: TargetPipeline<C>,
    registers: Registers<C>,
    initiator: Initiator<C>,
    lists: ListUnit<E, EN, H, HN, R>,
    splitter: ReceiveSplitter,
    acknowledgements: RamFifo<WireHeader, 10>,
    arbiter: TxArbiter,
    out: Signal<Local, TxBeat>,
}

impl<
    const E: usize,
    const EN: usize,
    const H: usize,
    const HN: usize,
    const R: usize,
    const C: usize,
> Nic<E, EN, H, HN, R, C>
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
> Logic for Nic<E, EN, H, HN, R, C>
{
    fn update(&mut self) {
        // Network.
        self.splitter.node.next = self.registers.node.val();
        self.splitter.rx_data.next = self.s_axis_net_tdata.val();
        self.splitter.rx_keep.next = self.s_axis_net_tkeep.val();
        self.splitter.rx_last.next = self.s_axis_net_tlast.val();
        self.splitter.rx_valid.next = self.s_axis_net_tvalid.val();
        self.s_axis_net_tready.next = self.splitter.rx_ready.val();
        self.pipeline.rx_data.next = self.splitter.rest_data.val();
        self.pipeline.rx_keep.next = self.splitter.rest_keep.val();
        self.pipeline.rx_last.next = self.splitter.rest_last.val();
        self.pipeline.rx_valid.next = self.splitter.rest_valid.val();
        self.splitter.rest_ready.next = self.pipeline.rx_ready.val();
        self.initiator.answer.next = self.splitter.answer.val();
        self.initiator.answer_valid.next = self.splitter.answer_valid.val();
        self.splitter.answer_ready.next = self.initiator.answer_ready.val();
        self.acknowledgements.write.next = self.pipeline.ack.val();
        self.acknowledgements.write_valid.next = self.pipeline.ack_valid.val();
        self.pipeline.ack_ready.next = self.acknowledgements.write_ready.val();
        self.arbiter.ack.next = self.acknowledgements.read.val();
        self.arbiter.ack_valid.next = self.acknowledgements.read_valid.val();
        self.acknowledgements.read_ready.next = self.arbiter.ack_ready.val();
        self.arbiter.put.next = self.initiator.tx.val();
        self.arbiter.put_valid.next = self.initiator.tx_valid.val();
        self.initiator.tx_ready.next = self.arbiter.put_ready.val();
        self.out.next = self.arbiter.tx.val();
        self.m_axis_net_tdata.next = self.out.val().data;
        self.m_axis_net_tkeep.next = self.out.val().keep;
        self.m_axis_net_tlast.next = self.out.val().last == 1;
        self.m_axis_net_tvalid.next = self.arbiter.tx_valid.val();
        self.arbiter.tx_ready.next = self.m_axis_net_tready.val();

        // Memory.
        self.m_axi_awid.next = self.pipeline.aw_id.val();
        self.m_axi_awaddr.next = self.pipeline.aw_addr.val();
        self.m_axi_awlen.next = self.pipeline.aw_len.val();
        self.m_axi_awsize.next = self.pipeline.aw_size.val();
        self.m_axi_awburst.next = self.pipeline.aw_burst.val();
        self.m_axi_awuser.next = self.pipeline.aw_user.val();
        self.m_axi_awatop.next = self.pipeline.aw_atop.val();
        self.m_axi_awvalid.next = self.pipeline.aw_valid.val();
        self.m_axi_wdata.next = self.pipeline.w_data.val();
        self.m_axi_wstrb.next = self.pipeline.w_strb.val();
        self.m_axi_wlast.next = self.pipeline.w_last.val();
        self.m_axi_wvalid.next = self.pipeline.w_valid.val();
        self.m_axi_bready.next = self.pipeline.b_ready.val();
        self.m_axi_arid.next = self.pipeline.ar_id.val();
        self.m_axi_araddr.next = self.pipeline.ar_addr.val();
        self.m_axi_arlen.next = self.pipeline.ar_len.val();
        self.m_axi_arsize.next = self.pipeline.ar_size.val();
        self.m_axi_arburst.next = self.pipeline.ar_burst.val();
        self.m_axi_aruser.next = self.pipeline.ar_user.val();
        self.m_axi_arvalid.next = self.pipeline.ar_valid.val();
        self.m_axi_rready.next = self.pipeline.r_ready.val();
        self.pipeline.aw_ready.next = self.m_axi_awready.val();
        self.pipeline.w_ready.next = self.m_axi_wready.val();
        self.pipeline.b_id.next = self.m_axi_bid.val();
        self.pipeline.b_resp.next = self.m_axi_bresp.val();
        self.pipeline.b_valid.next = self.m_axi_bvalid.val();
        self.pipeline.ar_ready.next = self.m_axi_arready.val();
        self.pipeline.r_id.next = self.m_axi_rid.val();
        self.pipeline.r_data.next = self.m_axi_rdata.val();
        self.pipeline.r_resp.next = self.m_axi_rresp.val();
        self.pipeline.r_last.next = self.m_axi_rlast.val();
        self.pipeline.r_valid.next = self.m_axi_rvalid.val();

        // Registers.
        self.registers.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.registers.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.registers.s_axil_awready.val();
        self.registers.s_axil_wdata.next = self.s_axil_wdata.val();
        self.registers.s_axil_wstrb.next = self.s_axil_wstrb.val();
        self.registers.s_axil_wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.registers.s_axil_wready.val();
        self.s_axil_bresp.next = self.registers.s_axil_bresp.val();
        self.s_axil_bvalid.next = self.registers.s_axil_bvalid.val();
        self.registers.s_axil_bready.next = self.s_axil_bready.val();
        self.registers.s_axil_araddr.next = self.s_axil_araddr.val();
        self.registers.s_axil_arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.registers.s_axil_arready.val();
        self.s_axil_rdata.next = self.registers.s_axil_rdata.val();
        self.s_axil_rresp.next = self.registers.s_axil_rresp.val();
        self.s_axil_rvalid.next = self.registers.s_axil_rvalid.val();
        self.registers.s_axil_rready.next = self.s_axil_rready.val();
        self.irq.next = self.registers.irq.val();
        self.pipeline.node.next = self.registers.node.val();
        self.pipeline.context_enabled.next = self.registers.context_enabled.val();
        self.pipeline.max_message_sizes.next = self.registers.max_message_sizes.val();
        self.pipeline.max_atomic_sizes.next = self.registers.max_atomic_sizes.val();
        self.pipeline.message_timeout.next = self.registers.message_timeout.val();
        self.pipeline.table_cfg_write.next = self.registers.table_cfg_write.val();
        self.pipeline.table_cfg_addr.next = self.registers.table_cfg_addr.val();
        self.pipeline.table_cfg_data.next = self.registers.table_cfg_data.val();
        self.pipeline.portal_cfg_write.next = self.registers.portal_cfg_write.val();
        self.pipeline.portal_cfg_addr.next = self.registers.portal_cfg_addr.val();
        self.pipeline.portal_cfg_data.next = self.registers.portal_cfg_data.val();
        self.pipeline.ring_cfg_write.next = self.registers.ring_cfg_write.val();
        self.pipeline.ring_cfg_addr.next = self.registers.ring_cfg_addr.val();
        self.pipeline.ring_cfg_data.next = self.registers.ring_cfg_data.val();
        self.registers.portal_cfg_ready.next = self.pipeline.portal_cfg_ready.val();
        self.registers.portal_cfg_refused.next = self.pipeline.portal_cfg_refused.val();
        self.registers.portal_status_data.next = self.pipeline.portal_status_data.val();
        self.registers.ring_status_data.next = self.pipeline.ring_status_data.val();
        self.pipeline.portal_status_addr.next = self.registers.portal_status_addr.val();
        self.pipeline.ring_status_addr.next = self.registers.ring_status_addr.val();
        self.pipeline.invalidate.next = self.registers.invalidate.val();
        self.pipeline.invalidate_valid.next = self.registers.invalidate_valid.val();
        self.registers.invalidate_ready.next = self.pipeline.invalidate_ready.val();
        self.registers.invalidated.next = self.pipeline.invalidated.val();
        self.registers.count_packet.next = self.pipeline.count_packet.val();
        self.registers.drop_version.next = self.pipeline.drop_version.val();
        self.registers.drop_opcode.next = self.pipeline.drop_opcode.val();
        self.registers.drop_target.next = self.pipeline.drop_target.val();
        self.registers.drop_context.next = self.pipeline.drop_context.val();
        self.registers.drop_length.next = self.pipeline.drop_length.val();
        self.registers.drop_stray.next = self.pipeline.drop_stray.val();
        self.registers.count_hit.next = self.pipeline.count_hit.val();
        self.registers.count_miss.next = self.pipeline.count_miss.val();
        self.registers.count_ok.next = self.pipeline.count_ok.val();
        self.registers.count_failed.next = self.pipeline.count_failed.val();
        self.registers.count_doorbell.next = self.pipeline.count_doorbell.val();
        self.registers.event_visible.next = self.pipeline.event_visible.val();
        self.registers.event_visible_valid.next = self.pipeline.event_visible_valid.val();
        self.registers.event_failed.next = self.pipeline.event_failed.val();
        self.registers.event_failed_valid.next = self.pipeline.event_failed_valid.val();
        self.registers.event_lost.next = self.pipeline.event_lost.val();
        self.registers.event_lost_valid.next = self.pipeline.event_lost_valid.val();
        self.registers.memory_failed.next = self.pipeline.memory_failed.val();
        self.registers.memory_failed_valid.next = self.pipeline.memory_failed_valid.val();

        // Trace.
        self.trace_parse.next = self.pipeline.trace_parse.val();
        self.trace_parse_source.next = self.pipeline.trace_parse_source.val();
        self.trace_parse_message.next = self.pipeline.trace_parse_message.val();
        self.trace_admit.next = self.pipeline.trace_admit.val();
        self.trace_admit_slot.next = self.pipeline.trace_admit_slot.val();
        self.trace_admit_source.next = self.pipeline.trace_admit_source.val();
        self.trace_admit_message.next = self.pipeline.trace_admit_message.val();
        self.trace_admit_status.next = self.pipeline.trace_admit_status.val();
        self.trace_admit_task_hit.next = self.pipeline.trace_admit_task_hit.val();
        self.trace_admit_queue_hit.next = self.pipeline.trace_admit_queue_hit.val();
        self.trace_rewrite.next = self.pipeline.trace_rewrite.val();
        self.trace_rewrite_slot.next = self.pipeline.trace_rewrite_slot.val();
        self.trace_done.next = self.pipeline.trace_done.val();
        self.trace_done_slot.next = self.pipeline.trace_done_slot.val();
        self.trace_done_status.next = self.pipeline.trace_done_status.val();
        self.trace_done_packet_id.next = self.pipeline.trace_done_packet_id.val();

        // The lists.
        self.registers.count_drop.next = self.lists.count_drop.val();
        self.registers.count_permission.next = self.lists.count_permission.val();
        self.registers.count_operation.next = self.lists.count_operation.val();
        self.registers.count_context.next = self.lists.count_context.val();
        self.registers.count_late_drop.next = self.pipeline.count_late_drop.val();
        self.registers.late_context.next = self.pipeline.late_context.val();
        self.pipeline.has_lists.next = true;
        self.lists.request.next = self.pipeline.match_request.val();
        self.lists.request_valid.next = self.pipeline.match_request_valid.val();
        self.pipeline.match_request_ready.next = self.lists.request_ready.val();
        self.pipeline.match_result.next = self.lists.result.val();
        self.pipeline.match_result_valid.next = self.lists.result_valid.val();
        self.lists.result_ready.next = self.pipeline.match_result_ready.val();
        self.pipeline.match_flow_portals.next = self.lists.flow_portals.val();
        self.lists.stop.next = self.pipeline.portal_stop.val();
        self.lists.stop_valid.next = self.pipeline.portal_stop_valid.val();
        self.pipeline.portal_stop_ready.next = self.lists.stop_ready.val();
        self.pipeline.portal_enabled.next = self.lists.enabled.val();
        self.pipeline.portal_enabled_valid.next = self.lists.enabled_valid.val();
        self.pipeline.line.next = self.lists.line.val();
        self.pipeline.line_valid.next = self.lists.line_valid.val();
        self.lists.in_flight.next = self.pipeline.in_flight.val();
        self.lists.ended.next = self.pipeline.ended.val();
        self.lists.ended_valid.next = self.pipeline.ended_valid.val();
        self.lists.ended_header.next = self.pipeline.ended_header.val();
        self.lists.command.next = self.initiator.list_command.val();
        self.lists.command_valid.next = self.initiator.list_command_valid.val();
        self.initiator.list_command_ready.next = self.lists.command_ready.val();
        self.initiator.list_done.next = self.lists.done.val();
        self.initiator.list_context.next = self.lists.done_context.val();
        self.initiator.list_status.next = self.lists.done_status.val();
        self.initiator.list_event.next = self.lists.own.val();
        self.initiator.list_event_valid.next = self.lists.own_valid.val();
        self.lists.own_ready.next = self.initiator.list_event_ready.val();
        self.initiator.list_count.next = self.lists.count.val();
        self.initiator.list_count_valid.next = self.lists.count_valid.val();
        self.lists.count_ready.next = self.initiator.list_count_ready.val();
        self.initiator.target_count.next = self.pipeline.target_count.val();
        self.initiator.target_count_valid.next = self.pipeline.target_count_valid.val();
        self.pipeline.target_count_ready.next = self.initiator.target_count_ready.val();

        // The initiator.
        self.initiator.node.next = self.registers.node.val();
        self.initiator.context_enabled.next = self.registers.context_enabled.val();
        self.initiator.user_ids.next = self.registers.user_ids.val();
        self.initiator.message_limit.next = self.registers.message_limit.val();
        self.initiator.single.next = self.pipeline.single.val();
        self.initiator.command_cfg_write.next = self.registers.command_cfg_write.val();
        self.initiator.command_cfg_addr.next = self.registers.command_cfg_addr.val();
        self.initiator.command_cfg_data.next = self.registers.command_cfg_data.val();
        self.initiator.command_status_addr.next = self.registers.command_status_addr.val();
        self.registers.command_status_data.next = self.initiator.command_status_data.val();
        self.initiator.table_cfg_write.next = self.registers.table_cfg_write.val();
        self.initiator.table_cfg_addr.next = self.registers.table_cfg_addr.val();
        self.initiator.table_cfg_data.next = self.registers.table_cfg_data.val();
        self.pipeline.command_request.next = self.initiator.command_request.val();
        self.pipeline.command_request_valid.next = self.initiator.command_request_valid.val();
        self.initiator.command_request_ready.next = self.pipeline.command_request_ready.val();
        self.initiator.command_result.next = self.pipeline.command_result.val();
        self.initiator.command_result_valid.next = self.pipeline.command_result_valid.val();
        self.pipeline.gather_request.next = self.initiator.gather_request.val();
        self.pipeline.gather_request_valid.next = self.initiator.gather_request_valid.val();
        self.initiator.gather_request_ready.next = self.pipeline.gather_request_ready.val();
        self.initiator.gather_result.next = self.pipeline.gather_result.val();
        self.initiator.gather_result_valid.next = self.pipeline.gather_result_valid.val();
        self.pipeline.sum_list_request.next = self.initiator.sum_list_request.val();
        self.pipeline.sum_list_request_valid.next = self.initiator.sum_list_request_valid.val();
        self.initiator.sum_list_request_ready.next = self.pipeline.sum_list_request_ready.val();
        self.initiator.sum_list_result.next = self.pipeline.sum_list_result.val();
        self.initiator.sum_list_result_valid.next = self.pipeline.sum_list_result_valid.val();
        self.pipeline.gather_list_request.next = self.initiator.gather_list_request.val();
        self.pipeline.gather_list_request_valid.next =
            self.initiator.gather_list_request_valid.val();
        self.initiator.gather_list_request_ready.next =
            self.pipeline.gather_list_request_ready.val();
        self.initiator.gather_list_result.next = self.pipeline.gather_list_result.val();
        self.initiator.gather_list_result_valid.next = self.pipeline.gather_list_result_valid.val();
        self.pipeline.table_write.next = self.initiator.table_write.val();
        self.pipeline.table_write_valid.next = self.initiator.table_write_valid.val();
        self.initiator.table_write_ready.next = self.pipeline.table_write_ready.val();
        self.initiator.table_write_done.next = self.pipeline.table_write_done.val();
        self.initiator.table_write_error.next = self.pipeline.table_write_error.val();
        self.pipeline.command_invalidate.next = self.initiator.invalidate.val();
        self.pipeline.command_invalidate_valid.next = self.initiator.invalidate_valid.val();
        self.initiator.invalidate_ready.next = self.pipeline.command_invalidate_ready.val();
        self.initiator.invalidated.next = self.pipeline.command_invalidated.val();
        self.pipeline.own_event.next = self.initiator.own_event.val();
        self.pipeline.own_event_valid.next = self.initiator.own_event_valid.val();
        self.initiator.own_event_ready.next = self.pipeline.own_event_ready.val();
        self.initiator.old.next = self.pipeline.old.val();
        self.initiator.old_valid.next = self.pipeline.old_valid.val();
        self.pipeline.old_ready.next = self.initiator.old_ready.val();
        self.initiator.get.next = self.pipeline.get.val();
        self.initiator.get_outcome.next = self.pipeline.get_outcome.val();
        self.initiator.get_valid.next = self.pipeline.get_valid.val();
        self.pipeline.get_ready.next = self.initiator.get_ready.val();
        self.pipeline.replied.next = self.initiator.replied.val();
        self.pipeline.replied_outcome.next = self.initiator.replied_outcome.val();
        self.pipeline.replied_valid.next = self.initiator.replied_valid.val();
        self.initiator.replied_ready.next = self.pipeline.replied_ready.val();
        self.initiator.reply.next = self.pipeline.reply.val();
        self.initiator.reply_valid.next = self.pipeline.reply_valid.val();
        self.pipeline.reply_ready.next = self.initiator.reply_ready.val();
        self.initiator.reply_place.next = self.pipeline.reply_place.val();
        self.pipeline.reply_target.next = self.initiator.reply_target.val();
        self.initiator.reply_claim.next = self.pipeline.reply_claim.val();
        self.registers.bad_tail.next = self.initiator.bad_tail.val();
        self.registers.bad_tail_valid.next = self.initiator.bad_tail_valid.val();
        self.registers.gather_failed.next = self.initiator.gather_failed.val();
        self.registers.gather_failed_valid.next = self.initiator.gather_failed_valid.val();
        self.registers.count_stray.next = self.initiator.count_stray.val();
        self.trace_take.next = self.initiator.trace_take.val();
        self.trace_take_context.next = self.initiator.trace_take_context.val();
        self.trace_open.next = self.initiator.trace_open.val();
        self.trace_open_handle.next = self.initiator.trace_open_handle.val();
        self.trace_busy.next = self.initiator.busy.val();
    }
}
