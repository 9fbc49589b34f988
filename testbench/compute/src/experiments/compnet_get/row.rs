//! Runs of several seeds as one row.

use super::measure::Point;
use super::parameters::Pcie;
use serde::Serialize;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Interval;

/// All runs of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who serves.
    pub design: Design,
    /// Bytes of the get.
    pub bytes: u64,
    /// Ways over PCIe.
    pub pcie: Pcie,
    /// From the call to its end, in us.
    pub get_us: Interval,
}

impl Row {
    pub(super) fn new(point: &Point, samples: &[f64]) -> Self {
        Self {
            design: point.design,
            bytes: point.bytes,
            pcie: point.pcie,
            get_us: Interval::of(samples).unwrap_or_default(),
        }
    }
}
