//! When a link is free: beats one after the other at the link's bandwidth.

use super::config::Link;
use crate::saved::saved;

/// The sending end of a link.
///
/// Time is counted in parts of a cycle, as many as the bandwidth has bytes, so that 125 bytes in 2 cycles are exactly
/// that in the long run.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    link: Link,
    /// When the last byte handed over is on the wire, in parts of a cycle.
    busy_until: u128,
}

saved!(Pacer { busy_until; keeps link });

impl Pacer {
    pub(super) fn new(link: Link) -> Self {
        Self {
            link,
            busy_until: 0,
        }
    }

    fn parts(&self, cycle: u64) -> u128 {
        u128::from(cycle) * u128::from(self.link.bandwidth.0)
    }

    /// Whether a beat may begin in `cycle`.
    pub(super) fn is_free(&self, cycle: u64) -> bool {
        self.busy_until < self.parts(cycle + 1)
    }

    /// First cycle, from `now` on, in which a beat may begin if none does before.
    pub(super) fn free_from(&self, now: u64) -> u64 {
        let free = self.busy_until / u128::from(self.link.bandwidth.0);
        now.max(free as u64)
    }

    /// A beat begins in `cycle`; gives the cycle in which it is at the other end.
    pub(super) fn send(&mut self, cycle: u64, bytes: usize) -> u64 {
        let cost = bytes as u128 * u128::from(self.link.bandwidth.1);
        self.busy_until = self.busy_until.max(self.parts(cycle)) + cost;
        let cycles = self.busy_until.div_ceil(self.link.bandwidth.0.into());
        let more = (cycles as u64).saturating_sub(cycle + 1);
        cycle + more + self.link.latency
    }
}
