//! A measured point: the phases of a task, on average over seeds and rounds.

use serde::Serialize;
use xtq_testbench::experiments::Interval;

/// The phases, in the order of figure 7's legend.
pub const PHASES: [&str; 7] = [
    "CPU put",
    "NIC initiator",
    "network",
    "NIC target",
    "GPU launch",
    "GPU kernel",
    "CPU completion",
];

/// Who launches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The NIC.
    Xtq,
    /// The target's CPU.
    Hsa,
}

impl Way {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Xtq, Self::Hsa];

    /// Its name in the paper.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xtq => "XTQ",
            Self::Hsa => "HSA",
        }
    }
}

/// The phases of one task, ns.
pub(super) type Phases = [f64; 7];

/// A point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the variant; empty: the paper's system.
    pub variant: String,
    /// Who launches.
    pub way: Way,
    /// Bytes of the payload.
    pub payload: u64,
    /// Whether the caches had seen a task before.
    pub warm: bool,
    /// Mean of each phase and its interval, ns.
    pub phases: [Interval; 7],
    /// Of the whole task, ns.
    pub total: Interval,
}

impl Row {
    /// The mean over runs, each of which has one value: its warm rounds' mean.
    pub(super) fn new(variant: &str, way: Way, payload: u64, warm: bool, runs: &[Phases]) -> Self {
        let of = |values: Vec<f64>| Interval::of(&values).unwrap_or_default();
        let phase = |number: usize| of(runs.iter().map(|run| run[number]).collect());
        Self {
            variant: variant.to_owned(),
            way,
            payload,
            warm,
            phases: std::array::from_fn(phase),
            total: of(runs.iter().map(|run| run.iter().sum()).collect()),
        }
    }

    /// Mean of the phases from the put to the payload at the target, ns.
    pub fn transfer(&self) -> f64 {
        self.phases[..4].iter().map(|phase| phase.mean).sum()
    }

    /// Mean of the launch phase, ns.
    pub fn launch(&self) -> f64 {
        self.phases[4].mean
    }
}
