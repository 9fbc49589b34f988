//! The experiment behind figure 11 of LeBeane et al., PACT 2018: a projection, as the paper's, of how much faster
//! networks learn with another allreduce. Times of allreduce are measured on nodes whose L2 and NIC are the hardware;
//! sizes of gradients and shares of the time are stated parameters.

mod parameters;
mod projection;
mod report;
mod verdict;

pub use parameters::{Network, Parameters, Sweep};
pub use projection::Projection;
pub use report::Report;
pub use verdict::statements;

use crate::experiments::compnet_allreduce::Row;
use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct CompnetMl;

impl Experiment for CompnetMl {
    fn name(&self) -> &'static str {
        "compnet-ml"
    }

    fn about(&self) -> &'static str {
        "How much faster networks learn with an allreduce on ComP-Net, a projection (ComP-Net, figure 11)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/compnet-ml.toml")
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
        let (runs, points) = (self.allreduce(), self.points());
        points.iter().map(|point| point.million_cycles(&runs)).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let (runs, points) = (self.allreduce(), self.points());
        let times = run_all(&points, progress, |point| point.measure(&runs))?;
        let rows = points
            .iter()
            .zip(times)
            .map(|(point, us)| Row::new(point, us));
        Ok(Box::new(Report::new(self, rows.collect())))
    }
}
