//! What a process has in each configuration of the NIC.

/// How much of a NIC a context has, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Contexts, one for each process.
    pub contexts: u16,
    /// Match entries.
    pub entries: u16,
    /// Unexpected headers.
    pub headers: u16,
    /// Counters.
    pub counters: u16,
    /// Memory descriptors.
    pub descriptors: u16,
    /// Commands that can wait for a counter; the hardware has one place more, for what fires at once.
    pub triggered: u16,
}

impl Shares {
    /// Of `Nic`, the default.
    pub const DEFAULT: Self = Self {
        contexts: 4,
        entries: 64,
        headers: 32,
        counters: 64,
        descriptors: 64,
        triggered: 127,
    };
    /// Of `SmallNic`.
    pub const SMALL: Self = Self {
        contexts: 2,
        entries: 32,
        headers: 16,
        ..Self::DEFAULT
    };
    /// Of `LargeNic`.
    pub const LARGE: Self = Self {
        contexts: 4,
        entries: 1024,
        headers: 1024,
        counters: 256,
        descriptors: 256,
        triggered: 511,
    };
}
