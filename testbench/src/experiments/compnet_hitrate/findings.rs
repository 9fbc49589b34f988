//! The rows of all runs, in order.

use super::row::Row;
use serde::Serialize;

/// One ratio of one system: what its networking work-groups get without streams, and with them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// What is different from the parameters of the sweep; empty in the sweep itself.
    pub name: String,
    /// The same networking work-groups without streams.
    pub baseline: Row,
    /// With streams, without locking.
    pub unlocked: Row,
    /// With streams and locking.
    pub locked: Row,
}

impl Point {
    /// Streaming : networking work-groups.
    pub fn ratio(&self) -> String {
        self.locked.ratio()
    }

    /// Whether there are streams.
    pub fn is_loaded(&self) -> bool {
        self.locked.streaming > 0
    }
}

/// Lock times of a load at all ratios: what the load of the sweep was chosen by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadTimes {
    /// Its name.
    pub name: String,
    /// It is that of the sweep.
    pub is_own: bool,
    /// The median lock time at each ratio of the sweep, in its order; 0 if no access of the CP ended a lock.
    pub median_ns: Vec<f64>,
    /// How far the medians are from the middle of the paper's range: the mean of their factors, 1 or more.
    pub factor: f64,
}

impl LoadTimes {
    /// Of the medians; `middle_ns` is the middle of the paper's range.
    pub fn new(name: &str, is_own: bool, median_ns: Vec<f64>, middle_ns: f64) -> Self {
        let distance = |ns: &f64| (ns.max(1.0) / middle_ns).ln().abs();
        let sum: f64 = median_ns.iter().map(distance).sum();
        Self {
            factor: (sum / median_ns.len().max(1) as f64).exp(),
            name: name.to_owned(),
            is_own,
            median_ns,
        }
    }
}

/// The rows of all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// The sweep, in its order: ever more streaming work-groups.
    pub points: Vec<Point>,
    /// Loads among which that of the sweep was chosen.
    pub loads: Vec<LoadTimes>,
    /// Other systems and ratios.
    pub variants: Vec<Point>,
}

impl Findings {
    /// The load that the rule chooses: that whose lock times are nearest to the paper's. Hit rates have no part in it.
    pub fn nearest_load(&self) -> Option<&LoadTimes> {
        let mut loads = self.loads.iter();
        let first = loads.next()?;
        Some(
            loads.fold(first, |best, load| match load.factor < best.factor {
                true => load,
                false => best,
            }),
        )
    }

    /// The points with streams.
    pub fn loaded(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.is_loaded())
    }
}
