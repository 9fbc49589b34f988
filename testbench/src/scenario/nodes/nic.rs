//! Which NIC a node has, and how much of everything a process has in it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::Top;
use crate::tables::Shares;

/// The configurations of the NIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NicKind {
    /// Four contexts; a process has 64 match entries, counters and memory descriptors.
    #[default]
    Nic,
    /// Two contexts; a process has 32 match entries, 64 counters and memory descriptors.
    NicSmall,
    /// Four contexts; a process has 1,024 match entries, 256 counters and 256 memory descriptors.
    NicLarge,
}

impl NicKind {
    /// All of them, by the names that files write.
    pub const ALL: [(&'static str, Self); 3] = [
        ("nic", Self::Nic),
        ("nic-small", Self::NicSmall),
        ("nic-large", Self::NicLarge),
    ];

    /// As files write it.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }

    /// The hardware.
    pub(super) fn top(self) -> Top {
        match self {
            Self::Nic => Top::Nic,
            Self::NicSmall => Top::SmallNic,
            Self::NicLarge => Top::LargeNic,
        }
    }

    /// Bytes of memory that a node with it takes in a run: engine and models (measured with 64 and 1,024 of them, the
    /// large one with 32 and 128).
    pub(super) fn node_bytes(self) -> u64 {
        match self {
            Self::Nic | Self::NicSmall => 1331 << 10,
            Self::NicLarge => 11 << 20,
        }
    }

    /// What a process has in it.
    pub(in crate::scenario) fn shares(self) -> Shares {
        self.top().shares()
    }
}
