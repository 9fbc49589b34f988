//! How the surroundings of a node behave, and why a run stopped.

use thiserror::Error;

use xtq_engine::EngineKind;

use super::engines::Top;
use crate::bus::{BenchError, MemoryTiming};
use crate::packet_processor::ProcessorError;
use crate::watch::Ended;

/// How the surroundings of a node behave.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Memory.
    pub timing: MemoryTiming,
    /// Probability of a pause between two beats from the network.
    pub receive_gaps: f64,
    /// Probability that the network does not take a beat.
    pub transmit_gaps: f64,
    /// Probability of a pause on each channel of the register port.
    pub register_gaps: f64,
    /// Seed of the pauses.
    pub seed: u64,
    /// What hardware it is.
    pub top: Top,
    /// What runs the hardware.
    pub engine: EngineKind,
    /// Build the hardware with atomics, for shared queues.
    pub atomics: bool,
    /// Whether an engine that can sleep does: it computes nothing in a cycle that changes nothing.
    pub sleeps: bool,
}

impl Default for NodeConfig {
    /// No pauses, ideal memory, no atomics.
    fn default() -> Self {
        Self {
            timing: MemoryTiming::ideal(),
            receive_gaps: 0.0,
            transmit_gaps: 0.0,
            register_gaps: 0.0,
            seed: 0,
            top: Top::default(),
            engine: EngineKind::default(),
            atomics: false,
            sleeps: true,
        }
    }
}

impl NodeConfig {
    /// Everything random, drawn from `seed`.
    pub fn random(seed: u64) -> Self {
        let gaps = [0.0, 0.2, 0.6];
        let gap = |part: u64| gaps[((seed >> part) % 3) as usize];
        Self {
            timing: MemoryTiming::random(seed),
            receive_gaps: gap(0),
            transmit_gaps: gap(8),
            register_gaps: gap(16),
            seed,
            top: Top::default(),
            engine: EngineKind::default(),
            atomics: false,
            sleeps: true,
        }
    }
}

/// Why a run stopped.
#[derive(Debug, Error)]
pub enum NodeError {
    /// A protocol rule is broken, or the engine failed.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The engine refused a port.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// A condition was not reached.
    #[error("cycle {cycle}: not done after {max_cycles} cycles ({waiting_for})")]
    Stuck {
        /// Cycle at which it was given up.
        cycle: u64,
        /// Cycles allowed.
        max_cycles: u64,
        /// What is not idle.
        waiting_for: String,
    },
    /// A register access was refused.
    #[error("cycle {cycle}: register {address:#06x} answered with response {resp}")]
    Register {
        /// Cycle of the response.
        cycle: u64,
        /// Address.
        address: u16,
        /// `bresp` or `rresp`.
        resp: u8,
    },
    /// A queue cannot exist, or a task ended that did not run.
    #[error("cycle {cycle}: {cause}")]
    Processor {
        /// Cycle.
        cycle: u64,
        /// Cause.
        cause: ProcessorError,
    },
    /// Who [looks on](super::Node::watch) has ended it.
    #[error(transparent)]
    Ended(#[from] Ended),
}
