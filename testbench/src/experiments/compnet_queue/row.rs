//! What the runs of a point gave.

use crate::compnet::design::Design;
use crate::experiments::Interval;
use crate::experiments::calls::{Point, Sample, mean};
use serde::Serialize;

/// All runs of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The figure: `a` or `b` of 4.
    pub figure: char,
    /// Where the queues lie, and who serves them.
    pub design: Design,
    /// Work-groups that call.
    pub work_groups: u64,
    /// Service threads.
    pub threads: u8,
    /// From a call to the work-group's seeing it complete, in us.
    pub service_us: Interval,
    /// Calls in a us.
    pub calls_per_us: Interval,
}

impl Row {
    pub(super) fn new(figure: char, point: &Point, samples: &[Sample]) -> Self {
        Self {
            figure,
            design: point.design,
            work_groups: point.work_groups,
            threads: point.threads,
            service_us: mean(samples, |sample| sample.call_us),
            calls_per_us: mean(samples, |sample| sample.calls_per_us),
        }
    }
}
