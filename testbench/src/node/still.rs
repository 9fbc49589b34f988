//! What is known about whether a node [rests](super::rest).

use super::config::NodeConfig;

/// What is known about whether it rests.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    /// A pause is drawn in each cycle.
    pub(super) pauses: bool,
    /// [`slept`](xtq_engine::Engine::slept) after the last cycle.
    pub(super) slept: u64,
    /// Nothing happened in the last cycle, and the engine will repeat it.
    pub(super) still: bool,
    /// Cycles since something was busy.
    pub(super) quiet: u64,
}

impl Rest {
    pub(super) fn of(config: &NodeConfig) -> Self {
        Self {
            pauses: config.transmit_gaps > 0.0 || config.register_gaps > 0.0,
            slept: 0,
            still: false,
            quiet: 0,
        }
    }
}
