//! What is run: who computes, how much, and what is different.

use serde::Serialize;
use xtq_testbench::compnet::design::Design;

/// How the time of a step comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// All rows cross the hardware's L2. A host never computes so.
    Streams,
    /// Rows cost what the roofline says; messages and synchronisation are real.
    Roofline,
    /// No run: computed from a smaller one.
    Extrapolated,
}

/// What is different from the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Nothing.
    #[default]
    Base,
    /// The host is as near to the GPU as that of an APU; the NIC's PCIe stays.
    HostOnDie,
    /// A kernel starts when the one before has ended.
    NoBoundary,
    /// There are so many service threads.
    Threads(u8),
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Base => write!(f, "base"),
            Self::HostOnDie => write!(f, "host on the die"),
            Self::NoBoundary => write!(f, "0 us between kernels"),
            Self::Threads(threads) => write!(f, "{threads} service threads"),
        }
    }
}

/// A run to do, with each of some seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Who calls.
    pub design: Design,
    /// Points of a node.
    pub points: u64,
    /// How rows are computed.
    pub way: Way,
    /// What is different from the parameters.
    pub variant: Variant,
    /// Seeds.
    pub seeds: Vec<u64>,
}
