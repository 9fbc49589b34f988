//! Figures 9 and 10 of the paper on the hardware: how much of a broadcast hosts can overlap with work, offloaded and
//! progressed by hosts.
//!
//! The loop is NBCBench's: all ranks meet, begin the broadcast, work without looking, and wait. The work takes as long
//! as the broadcast does without it, which is measured before. The overlap is the part of the broadcast that the work
//! hides: (broadcast + work - both) / broadcast.

mod measure;
mod mode;
mod parameters;
mod report;
mod shown;
mod verdict;

pub use measure::{Point, Row};
pub use mode::Mode;
pub use parameters::{Host, Parameters};
pub use report::Report;
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct TriggeredOverlap;

impl Experiment for TriggeredOverlap {
    fn name(&self) -> &'static str {
        "triggered-overlap"
    }

    fn about(&self) -> &'static str {
        "How much of a broadcast hosts overlap with work: carried out by the NICs, and progressed by hosts (Schneider et al., figures 9 and 10)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/triggered-overlap.toml")
    }

    fn schema(&self) -> Value {
        schemars::schema_for!(Parameters).to_value()
    }

    fn prepare(
        &self,
        file: &str,
        text: &str,
        quick: bool,
    ) -> Result<Box<dyn Prepared>, InputError> {
        prepared(Parameters::parse(file, text), quick, Parameters::quick)
    }
}

impl Prepared for Parameters {
    fn runs(&self) -> usize {
        self.points().len()
    }

    fn million_cycles(&self) -> f64 {
        self.points().iter().map(Point::million_cycles).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let points = self.points();
        let rows = run_all(&points, progress, |point| point.measure(&self.system))?;
        Ok(Box::new(Report::new(self, rows)))
    }
}
