//! What is run: who calls, on how many nodes, with how many bytes, and what is different.

use serde::Serialize;
use xtq_testbench::compnet::design::Design;

/// What is different from the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Nothing.
    #[default]
    Base,
    /// There are so many service threads.
    Threads(u8),
    /// There are so many rings.
    Rings(u64),
    /// So many cores of the host add.
    Cores(u64),
    /// A kernel that adds has so many work-groups.
    Groups(u64),
    /// Another seed.
    Seed(u64),
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Base => write!(f, "base"),
            Self::Threads(number) => write!(f, "service threads {number}"),
            Self::Rings(number) => write!(f, "rings {number}"),
            Self::Cores(number) => write!(f, "cores that add {number}"),
            Self::Groups(number) => write!(f, "work-groups that add {number}"),
            Self::Seed(number) => write!(f, "seed {number}"),
        }
    }
}

/// A run to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Who calls.
    pub design: Design,
    /// Nodes.
    pub nodes: usize,
    /// Bytes of a node's vector.
    pub bytes: u64,
    /// What is different from the parameters.
    pub variant: Variant,
}
