//! `XtqTarget`: the target side of the NIC. XTQ puts come in, tasks are in GPU queues.
//!
//! **Purpose.** The top of the design: [`TargetPipeline`] and [`Registers`], with the ports of the chip.
//!
//! ```text
//!                    +-----------+
//!   s_axis_net_*  -->|           |--> m_axis_net_*   acknowledgements
//!   s_axil_*     <-->| XtqTarget |<-> m_axi_*        host memory
//!                    |           |--> irq
//!                    +-----------+--> trace_*        what happens to each message, for test benches and logic analysers
//! ```
//!
//! **Contract.** AXI4-Stream and AXI4 with 512-bit data; AXI addresses are virtual, `awuser` and `aruser` carry the
//! context. `awatop` is used only if the hardware was built with atomics. Timing as [`TargetPipeline`] says.
//!
//! **Internals.** Wires.

use crate::bundle::{
    AxiArOut, AxiAwOut, AxiBIn, AxiLiteIn, AxiRIn, AxiStreamIn, AxiStreamOut, AxiWOut, TraceOut,
};
use crate::host::registers::Registers;
use crate::target_pipeline::TargetPipeline;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResult;
use xtq_types::memory::{BurstRequest, WriteRequest};
use xtq_types::pipe::{MessageInfoUnpack, ReplyOutcomeUnpack};
use xtq_types::send::{OwnEvent, ReplyTarget};

/// The target side of the NIC.
#[block]
pub struct XtqTarget {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Packets from the network.
    pub s_axis_net: AxiStreamIn,
    /// Packets to the network.
    pub m_axis_net: AxiStreamOut,
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
    pipeline: TargetPipeline,
    registers: Registers,
    no_event: Signal<Local, OwnEvent>,
    no_write: Signal<Local, WriteRequest>,
    no_burst: Signal<Local, BurstRequest>,
    no_reply: Signal<Local, ReplyTarget>,
    no_result: Signal<Local, MatchResult>,
    no_message: MessageInfoUnpack,
    no_outcome: ReplyOutcomeUnpack,
}

impl XtqTarget {
    /// Hardware with (`atomics`) or without AXI5 atomics; without, shared queues are refused.
    pub fn new(atomics: bool) -> Self {
        Self {
            pipeline: TargetPipeline::new(atomics),
            registers: Registers::new(atomics, false),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for XtqTarget {
    fn update(&mut self) {
        // Network.
        connect!(self.s_axis_net => self.pipeline.rx);
        self.pipeline.rx_answer.next = false;
        self.m_axis_net.data.next = self.pipeline.ack.data.val().into();
        self.m_axis_net.keep.next = bits::<64>(0xFFFF_FFFF_FFFF_FFFF_u64);
        self.m_axis_net.last.next = true;
        self.m_axis_net.valid.next = self.pipeline.ack.valid.val();
        self.pipeline.ack.ready.next = self.m_axis_net.ready.val();

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

        // There is no initiator.
        self.pipeline.command_invalidate.data.next = 0.into();
        self.pipeline.command_invalidate.valid.next = false;
        self.no_event.next.context = 0.into();
        self.no_event.next.event = 0.into();
        self.pipeline.own_event.data.next = self.no_event.val();
        self.pipeline.own_event.valid.next = false;
        self.no_write.next.first = 0.into();
        self.no_write.next.last = 0.into();
        self.no_write.next.atomic = 0.into();
        self.no_write.next.context = 0.into();
        self.no_write.next.length = 0.into();
        self.no_write.next.address = 0.into();
        self.no_write.next.strobe = 0.into();
        self.no_write.next.data = 0.into();
        self.pipeline.table_write.data.next = self.no_write.val();
        self.pipeline.table_write.valid.next = false;
        self.no_burst.next.address = 0.into();
        self.no_burst.next.context = 0.into();
        self.no_burst.next.length = 0.into();
        self.pipeline.gather_request.data.next = self.no_burst.val();
        self.pipeline.gather_request.valid.next = false;
        self.pipeline.sum_list_request.data.next = self.no_burst.val();
        self.pipeline.sum_list_request.valid.next = false;
        self.pipeline.gather_list_request.data.next = self.no_burst.val();
        self.pipeline.gather_list_request.valid.next = false;
        self.pipeline.reply_gather_request.data.next = self.no_burst.val();
        self.pipeline.reply_gather_request.valid.next = false;
        self.pipeline.reply_list_request.data.next = self.no_burst.val();
        self.pipeline.reply_list_request.valid.next = false;
        self.pipeline.command_request.data.next = self.no_burst.val();
        self.pipeline.command_request.valid.next = false;
        // There are no lists.
        self.pipeline.has_lists.next = false;
        self.pipeline.match_request.ready.next = false;
        self.no_result.next.handle = 0.into();
        self.no_result.next.outcome = 0.into();
        self.no_result.next.context = 0.into();
        self.no_result.next.portal = 0.into();
        self.no_result.next.portal_disabled = 0.into();
        self.no_result.next.flow_control = 0.into();
        self.no_result.next.crowded = 0.into();
        self.no_result.next.entry_id = 0.into();
        self.no_result.next.list = 0.into();
        self.no_result.next.options = 0.into();
        self.no_result.next.counter = 0.into();
        self.no_result.next.user_ptr = 0.into();
        self.no_result.next.start = 0.into();
        self.no_result.next.pieces = 0.into();
        self.no_result.next.offset = 0.into();
        self.no_result.next.mlength = 0.into();
        self.no_result.next.auto_unlink = 0.into();
        self.no_result.next.auto_free = 0.into();
        self.no_result.next.unexpected = 0.into();
        self.no_result.next.header = 0.into();
        self.pipeline.match_result.data.next = self.no_result.val();
        self.pipeline.match_result.valid.next = false;
        self.pipeline.match_flow_portals.next = 0.into();
        self.pipeline.portal_stop.ready.next = false;
        self.pipeline.line.data.next = 0.into();
        self.pipeline.line.valid.next = false;
        self.pipeline.portal_enabled.data.next = 0.into();
        self.pipeline.portal_enabled.valid.next = false;
        self.pipeline.target_count.ready.next = false;
        // No GET, no atomic and no reply comes through the parser.
        self.pipeline.old.ready.next = true;
        self.pipeline.get.ready.next = true;
        self.no_message.raw.next = 0.into();
        self.no_outcome.raw.next = 0.into();
        self.pipeline.replied.data.next = self.no_message.fields.val();
        self.pipeline.replied_outcome.next = self.no_outcome.fields.val();
        self.pipeline.replied.valid.next = false;
        self.pipeline.reply.ready.next = true;
        self.no_reply.next.waits = 0.into();
        self.no_reply.next.context = 0.into();
        self.no_reply.next.generation = 0.into();
        self.no_reply.next.target_node = 0.into();
        self.no_reply.next.target_context = 0.into();
        self.no_reply.next.length = 0.into();
        self.no_reply.next.address = 0.into();
        self.no_reply.next.pieces = 0.into();
        self.no_reply.next.offset = 0.into();
        self.pipeline.reply_target.next = self.no_reply.val();
        self.registers.command_status.data.next = 0.into();
        self.registers.increment.ready.next = true;
        self.registers.gather_failed.data.next = 0.into();
        self.registers.gather_failed.valid.next = false;
        self.registers.count_stray.next = false;
        self.registers.count.drop.next = false;
        self.registers.count.permission.next = false;
        self.registers.count.operation.next = false;
        self.registers.count.context.next = 0.into();
        self.registers.count_late_drop.next = false;
        self.registers.late_context.next = 0.into();
        self.registers.bad_tail.data.next = 0.into();
        self.registers.bad_tail.valid.next = false;
    }
}
