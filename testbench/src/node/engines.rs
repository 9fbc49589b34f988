//! The top blocks on any engine.

use std::sync::{Arc, Mutex, PoisonError};

use rust_hdl::prelude::Block;
use xtq_engine::elaborate::elaborate;
use xtq_engine::{
    Backend, Body, Compiled, Cosim, Engine, EngineKind, Error, Oracle, Result, Simulator,
};
use xtq_rtl::nic::Nic;
use xtq_rtl::xtq_target::XtqTarget;

use crate::blocks::{self, boxed};
use crate::pins;

/// What a node is built around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Top {
    /// The target side alone, `XtqTarget`.
    #[default]
    Target,
    /// The whole NIC, `Nic`.
    Nic,
}

/// The block, in a box. Errors: there is no thread to build it on.
fn design(top: Top, atomics: bool) -> Result<Box<dyn Block>> {
    Ok(match top {
        Top::Target => boxed(move || XtqTarget::new(atomics))?,
        Top::Nic => boxed(move || Nic::new(atomics))?,
    })
}

/// Bodies compiled so far in this process: all nodes of a kind share one.
static BODIES: Mutex<Vec<(Kind, Arc<Body>)>> = Mutex::new(Vec::new());

/// Which block, with atomics or without, and how it is run.
type Kind = (Top, bool, Backend);

/// The top block's compiled body. Errors: of the compiler.
pub fn body(top: Top, atomics: bool, backend: Backend) -> Result<Arc<Body>> {
    let mut bodies = BODIES.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (top, atomics, backend);
    if let Some((_, body)) = bodies.iter().find(|(known, _)| *known == key) {
        return Ok(body.clone());
    }
    let body = Arc::new(Body::new(design(top, atomics)?.as_ref(), backend)?);
    bodies.push((key, body.clone()));
    Ok(body)
}

/// The top block on an engine of this kind. Errors: of the engine; there is no generated code of the whole NIC.
pub fn engine(top: Top, kind: EngineKind, atomics: bool) -> Result<Box<dyn Engine>> {
    let ahead = match (top, atomics) {
        (Top::Target, false) => Some(&xtq_aot::XTQ_TARGET),
        (Top::Target, true) => Some(&xtq_aot::XTQ_TARGET_ATOMICS),
        (Top::Nic, _) => None,
    };
    Ok(match (kind.backend(ahead)?, top) {
        (Some(backend), _) => Box::new(Compiled::new(body(top, atomics, backend)?)),
        (None, Top::Target) => Box::new(oracle(atomics)?),
        (None, Top::Nic) => blocks::oracle("nic")?,
    })
}

/// The Verilog of the target side in a foreign simulator. Errors: of the simulator.
pub fn cosim(atomics: bool, simulator: Simulator) -> Result<Cosim> {
    let design = elaborate(design(Top::Target, atomics)?.as_ref()).map_err(Error::Findings)?;
    Cosim::new(&design, simulator)
}

/// The target side with all its ports, by their names in the exported Verilog. Errors: of the engine.
pub fn oracle(atomics: bool) -> Result<Oracle<XtqTarget>> {
    pins!(@builder Oracle::<XtqTarget>::builder(boxed(move || XtqTarget::new(atomics))?) => clk;
        in: rst,
            s_axis_net_tdata, s_axis_net_tkeep, s_axis_net_tvalid, s_axis_net_tlast, m_axis_net_tready,
            m_axi_awready, m_axi_wready, m_axi_bid, m_axi_bresp, m_axi_bvalid,
            m_axi_arready, m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast, m_axi_rvalid,
            s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid, s_axil_bready,
            s_axil_araddr, s_axil_arvalid, s_axil_rready;
        out: s_axis_net_tready, m_axis_net_tdata, m_axis_net_tkeep, m_axis_net_tvalid, m_axis_net_tlast,
            m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awuser, m_axi_awatop,
            m_axi_awvalid, m_axi_wdata, m_axi_wstrb, m_axi_wlast, m_axi_wvalid, m_axi_bready,
            m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_aruser, m_axi_arvalid,
            m_axi_rready, s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid, s_axil_arready,
            s_axil_rdata, s_axil_rresp, s_axil_rvalid, irq,
            trace_parse, trace_parse_source, trace_parse_message,
            trace_admit, trace_admit_slot, trace_admit_source, trace_admit_message, trace_admit_status,
            trace_admit_task_hit, trace_admit_queue_hit, trace_rewrite, trace_rewrite_slot,
            trace_done, trace_done_slot, trace_done_status, trace_done_packet_id)
}
