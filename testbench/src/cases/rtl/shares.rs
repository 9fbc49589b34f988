//! How much of a NIC each context has.

use crate::node::Top;

/// What a context of the hardware has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Match entries.
    pub(super) entries: u16,
    /// Unexpected headers.
    pub(super) headers: u16,
}

impl Shares {
    pub(super) fn of(top: Top) -> Self {
        let (entries, headers) = match top {
            Top::LargeNic => (256, 256),
            Top::Nic | Top::Target => (64, 32),
            Top::SmallNic => (32, 16),
        };
        Self { entries, headers }
    }
}
