//! Runs of several seeds as one row, and rows that no run has.

use super::field::Shape;
use super::parameters::{Compute, Parameters};
use super::point::{Point, Variant, Way};
use crate::experiments::BYTES_PER_NS;
use serde::Serialize;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Interval;

/// All runs of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who calls.
    pub design: Design,
    /// Points of a node.
    pub points: u64,
    /// How its time came about.
    pub way: Way,
    /// What is different from the parameters.
    pub variant: Variant,
    /// Runs, one for each seed; of an extrapolated row, those that it is computed from.
    pub runs: usize,
    /// Time of a step, in us.
    pub step_us: Interval,
    /// What computing would take of it by the roofline, in us.
    pub compute_us: f64,
}

impl Row {
    pub(super) fn new(parameters: &Parameters, point: &Point, samples: &[f64]) -> Self {
        Self {
            design: point.design,
            points: point.points,
            way: point.way,
            variant: point.variant,
            runs: samples.len(),
            step_us: Interval::of(samples).unwrap_or_default(),
            compute_us: parameters.compute.roofline_ns(point.design, point.points) / 1000.0,
        }
    }

    /// The same with more points: computing by the roofline, the halo by the network's bandwidth.
    pub fn extrapolated(&self, compute: &Compute, points: u64) -> Self {
        let compute_us = compute.roofline_ns(self.design, points) / 1000.0;
        let halo_us = |points| Shape::of(points).row_bytes() as f64 / BYTES_PER_NS / 1000.0;
        let more_us = compute_us - self.compute_us + halo_us(points) - halo_us(self.points);
        Self {
            points,
            way: Way::Extrapolated,
            step_us: Interval {
                mean: self.step_us.mean + more_us,
                half: self.step_us.half,
            },
            compute_us,
            ..self.clone()
        }
    }

    /// The same if the host computes like this: only its computing takes another time.
    pub fn with_host(&self, compute: &Compute) -> Self {
        let mut row = self.clone();
        if self.design == Design::Cpu {
            row.compute_us = compute.roofline_ns(self.design, self.points) / 1000.0;
            row.step_us.mean += row.compute_us - self.compute_us;
        }
        row
    }
}
