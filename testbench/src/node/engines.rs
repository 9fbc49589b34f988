//! The top blocks on any engine.

use crate::tables::Shares;
use std::sync::Arc;

use xtq_engine::{Backend, Body, Compiled, Cosim, Engine, EngineKind, Result, Simulator, blocks};

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

    /// What a process has in it.
    pub const fn shares(self) -> Shares {
        match self {
            Self::Target | Self::Nic => Shares::DEFAULT,
            Self::LargeNic => Shares::LARGE,
            Self::SmallNic => Shares::SMALL,
        }
    }
}

/// The top block's compiled body. Errors: of the compiler.
pub fn body(top: Top, atomics: bool, backend: Backend) -> Result<Arc<Body>> {
    blocks::body(top.block(), atomics.into(), backend)
}

/// The top block on an engine of this kind. Errors: of the engine; no generated code of the block is linked.
pub fn engine(top: Top, kind: EngineKind, atomics: bool) -> Result<Box<dyn Engine>> {
    blocks::engine_of(top.block(), atomics.into(), kind)
}

/// The same, which sleeps or not if it can. Errors: as of [`engine`].
pub(super) fn engine_that_sleeps(
    top: Top,
    kind: EngineKind,
    atomics: bool,
    sleeps: bool,
) -> Result<Box<dyn Engine>> {
    let backend = match kind {
        EngineKind::Interp => Backend::Interp,
        EngineKind::Jit => Backend::Jit,
        _ => return engine(top, kind, atomics),
    };
    let mut engine = Compiled::new(body(top, atomics, backend)?);
    engine.set_sleep(sleeps);
    Ok(Box::new(engine))
}

/// The Verilog of the top block in a foreign simulator. Errors: of the simulator.
pub fn cosim(top: Top, atomics: bool, simulator: Simulator) -> Result<Cosim> {
    blocks::cosim(top.block(), atomics.into(), simulator)
}
