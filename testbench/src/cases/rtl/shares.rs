//! How much of a NIC each context has.

use crate::node::Top;

/// What a context of the hardware has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Match entries.
    pub(super) entries: u16,
    /// Unexpected headers.
    pub(super) headers: u16,
    /// Counters.
    pub(super) counters: u16,
    /// Commands that can wait; one place more is for what fires at once.
    pub(super) triggered: u16,
}

impl Shares {
    pub(super) fn of(top: Top) -> Self {
        let (entries, headers, counters, triggered) = match top {
            Top::LargeNic => (1_024, 1_024, 256, 511),
            Top::Nic | Top::Target => (64, 32, 64, 127),
            Top::SmallNic => (32, 16, 64, 127),
        };
        Self {
            entries,
            headers,
            counters,
            triggered,
        }
    }
}
