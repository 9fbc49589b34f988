//! What a program names: numbers of its own context, and processes anywhere.
//!
//! The program chooses the numbers; the hardware puts the context in front, so that no process can name a thing of
//! another.

/// Number of a memory descriptor, 0 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Md(pub u16);

/// Number of a match entry, 0 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Me(pub u16);

/// Number of a counter, 0 to 63, of a large NIC to 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ct(pub u16);

/// Number of a portal entry, 0 to 63.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Pt(pub u16);

/// A process: a context of a node (Portals: nid and pid).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct ProcessId {
    /// Node.
    pub node: u16,
    /// Context.
    pub context: u8,
}

/// The two fields of a counter (Portals: `ptl_ct_event_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterValue {
    /// Successes, or bytes.
    pub success: u64,
    /// Failures.
    pub failure: u64,
}

/// When a triggered command runs: as soon as success + failure of `counter` is at least `threshold`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// Counter of the program's context.
    pub counter: Ct,
    /// Threshold.
    pub threshold: u64,
}
