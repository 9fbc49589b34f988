//! The experiment behind figure 10 of LeBeane et al., PACT 2018: an allreduce by many rings of work-groups, or by one
//! ring of the hosts, on nodes whose L2 and NIC are the hardware.

mod fit;
mod measure;
mod parameters;
mod point;
mod programs;
mod report;
mod row;
mod verdict;

pub use fit::{Times, wire_us};
pub use measure::word;
pub use parameters::{Adding, Beside, DESIGNS, Energy, Parameters, Sweep};
pub use point::{Point, Variant};
pub use report::Report;
pub use row::Row;
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct CompnetAllreduce;

impl Experiment for CompnetAllreduce {
    fn name(&self) -> &'static str {
        "compnet-allreduce"
    }

    fn about(&self) -> &'static str {
        "How long an allreduce takes, by who calls the network, and what service threads use (ComP-Net, figure 10)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/compnet-allreduce.toml")
    }

    fn schema(&self) -> Value {
        parameters::schema()
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
        let points = self.points();
        points.iter().map(|point| point.million_cycles(self)).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let points = self.points();
        let times = run_all(&points, progress, |point| point.measure(self))?;
        let rows = points
            .iter()
            .zip(times)
            .map(|(point, us)| Row::new(point, us));
        Ok(Box::new(Report::new(self, rows.collect())))
    }
}
