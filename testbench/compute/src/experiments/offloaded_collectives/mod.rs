//! Table I of the paper on the hardware: every collective by every algorithm, from a graph to the end, while all hosts
//! sleep.

mod measure;
mod parameters;
mod report;
mod shown;
mod verdict;

pub use measure::{Point, Row};
pub use parameters::Parameters;
pub use report::Report;
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct OffloadedCollectives;

impl Experiment for OffloadedCollectives {
    fn name(&self) -> &'static str {
        "offloaded-collectives"
    }

    fn about(&self) -> &'static str {
        "Every collective and algorithm of table I of Schneider et al., carried out by the NICs alone: results, latency, resources, host actions after the start"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/offloaded-collectives.toml")
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
