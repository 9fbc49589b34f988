//! The top blocks on any engine.

use std::sync::{Arc, Mutex, PoisonError};

use xtq_engine::elaborate::elaborate;
use xtq_engine::{Backend, Body, Compiled, Cosim, Engine, EngineKind, Error, Result, Simulator};

use crate::blocks;

/// What a node is built around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Top {
    /// The target side alone, `XtqTarget`.
    #[default]
    Target,
    /// The whole NIC, `Nic`.
    Nic,
    /// The whole NIC in the large configuration, `LargeNic`.
    LargeNic,
    /// The whole NIC in the small configuration, `SmallNic`: contexts 0 and 1 only.
    SmallNic,
}

impl Top {
    /// Name of the block.
    pub const fn block(self) -> &'static str {
        match self {
            Self::Target => "xtq_target",
            Self::Nic => "nic",
            Self::LargeNic => "nic_2",
            Self::SmallNic => "nic_3",
        }
    }
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
    let body = Arc::new(Body::new(
        blocks::design_of(top.block(), atomics)?.as_ref(),
        backend,
    )?);
    bodies.push((key, body.clone()));
    Ok(body)
}

/// The top block on an engine of this kind. Errors: of the engine; there is no generated code of the whole NIC.
pub fn engine(top: Top, kind: EngineKind, atomics: bool) -> Result<Box<dyn Engine>> {
    let ahead = match (top, atomics) {
        (Top::Target, false) => Some(&xtq_aot::XTQ_TARGET),
        (Top::Target, true) => Some(&xtq_aot::XTQ_TARGET_ATOMICS),
        (Top::Nic | Top::LargeNic | Top::SmallNic, _) => None,
    };
    Ok(match kind.backend(ahead)? {
        Some(backend) => Box::new(Compiled::new(body(top, atomics, backend)?)),
        None => blocks::oracle_of(top.block(), atomics)?,
    })
}

/// The Verilog of the top block in a foreign simulator. Errors: of the simulator.
pub fn cosim(top: Top, atomics: bool, simulator: Simulator) -> Result<Cosim> {
    let design = blocks::design_of(top.block(), atomics)?;
    let design = elaborate(design.as_ref()).map_err(Error::Findings)?;
    Cosim::new(&design, simulator)
}
