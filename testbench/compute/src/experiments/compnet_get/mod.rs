//! The experiment of figure 8a of LeBeane et al., PACT 2018: how long a work-group waits for a get from another node,
//! on nodes whose L2 and NIC are the hardware.

mod measure;
mod parameters;
mod report;
mod row;
mod verdict;

pub use measure::Point;
pub use parameters::{Parameters, Pcie, Sweep};
pub use report::Report;
pub use row::Row;
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct CompnetGet;

impl Experiment for CompnetGet {
    fn name(&self) -> &'static str {
        "compnet-get"
    }

    fn about(&self) -> &'static str {
        "How long a work-group waits for a get from another node, by who serves it (ComP-Net, figure 8a)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/compnet-get.toml")
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
        measure::points(self)
            .iter()
            .map(|point| point.seeds.len())
            .sum()
    }

    fn million_cycles(&self) -> f64 {
        let points = measure::points(self);
        points.iter().map(|point| point.million_cycles(self)).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let points = measure::points(self);
        let runs = points.iter().flat_map(|point| {
            let seeds = point.seeds.iter();
            seeds.map(move |seed| (point, *seed))
        });
        let runs: Vec<_> = runs.collect();
        let samples = run_all(&runs, progress, |(point, seed)| point.measure(self, *seed))?;
        let mut samples = samples.into_iter();
        let rows = points.iter().map(|point| {
            let of_point: Vec<f64> = samples.by_ref().take(point.seeds.len()).collect();
            Row::new(point, &of_point)
        });
        Ok(Box::new(Report::new(self, rows.collect())))
    }
}
