//! How a run goes about it, and how it ends.

/// How [`Cluster::run`](super::Cluster::run) goes about it. What comes out does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Most cycles of an epoch; more than the [lookahead](crate::network::NetworkConfig::lookahead) counts as that.
    pub epoch: u64,
    /// Threads among which the stations are dealt, at least 1; more than there are stations, or leaves, count as so
    /// many.
    pub threads: usize,
    /// Whether cycles in which nothing can happen are left out.
    pub skips: bool,
    /// Cycle in which it is given up.
    pub until: u64,
}

impl Default for RunOptions {
    /// Epochs as long as can be, one thread, cycles left out, no end.
    fn default() -> Self {
        Self {
            epoch: u64::MAX,
            threads: 1,
            skips: true,
            until: u64::MAX,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Nothing will happen any more.
    Over,
    /// [`RunOptions::until`] was reached.
    Late,
    /// Another rank has stopped, and knows why.
    Stopped,
}
