//! How long lines were locked.

use crate::compnet::System;
use crate::compnet::access::{Cause, LockEnd};
use serde::Serialize;

/// Width of a bar of the histogram in ns.
pub const BAR_NS: f64 = 100.0;

/// The locks of locked stores that ended in the window, of all seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LockTimes {
    /// Ended by an access of the command processor.
    pub released: u64,
    /// Ended by the watchdog.
    pub watchdog: u64,
    /// Dropped for a read-modify-write.
    pub dropped: u64,
    /// Times of the released ones in ns: the median.
    pub median_ns: f64,
    /// Nine in ten are not longer.
    pub p90_ns: f64,
    /// The longest.
    pub max_ns: f64,
    /// How many lasted from `100 i` to `100 (i + 1)` ns.
    pub histogram: Vec<u64>,
}

impl LockTimes {
    /// Of the ends of all locks.
    pub fn new<'a>(ends: impl Iterator<Item = &'a LockEnd>, system: &System) -> Self {
        let mut times = Self::default();
        let mut ages = Vec::new();
        for end in ends.filter(|end| !end.rmw) {
            match end.cause {
                Cause::Release => ages.push(end.age),
                Cause::Watchdog => times.watchdog += 1,
                Cause::Dropped => times.dropped += 1,
            }
        }
        ages.sort_unstable();
        for age in &ages {
            let bar = (system.ns(*age) / BAR_NS) as usize;
            let bars = times.histogram.len().max(bar + 1);
            times.histogram.resize(bars, 0);
            times.histogram[bar] += 1;
        }
        let at = |part: f64| {
            let last = ages.len().saturating_sub(1);
            let age = ages.get((last as f64 * part).round() as usize);
            age.map_or(0.0, |age| system.ns(*age))
        };
        Self {
            released: ages.len() as u64,
            median_ns: at(0.5),
            p90_ns: at(0.9),
            max_ns: at(1.0),
            ..times
        }
    }
}
