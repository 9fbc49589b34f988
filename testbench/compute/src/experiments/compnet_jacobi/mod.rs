//! The experiment behind figure 9 of LeBeane et al., PACT 2018: a step of a Jacobi relaxation on nodes whose L2 and NIC
//! are the hardware, with a halo exchange and a residual that all nodes know.

mod device;
mod field;
mod host;
mod measure;
mod parameters;
mod plan;
mod point;
mod report;
mod row;
mod verdict;

pub use field::{Shape, first_row};
pub use measure::Outcome;
pub use parameters::{Compute, DESIGNS, Parameters, Sweep};
pub use point::{Point, Variant, Way};
pub use report::Report;
pub use row::Row;
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct CompnetJacobi;

impl Experiment for CompnetJacobi {
    fn name(&self) -> &'static str {
        "compnet-jacobi"
    }

    fn about(&self) -> &'static str {
        "How long a step of a Jacobi relaxation takes, by who calls the network (ComP-Net, figure 9)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/compnet-jacobi.toml")
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
        self.points().iter().map(|point| point.seeds.len()).sum()
    }

    fn million_cycles(&self) -> f64 {
        let points = self.points();
        points.iter().map(|point| point.million_cycles(self)).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let points = self.points();
        let runs = points.iter().flat_map(|point| {
            let seeds = point.seeds.iter();
            seeds.map(move |seed| (point, *seed))
        });
        let runs: Vec<_> = runs.collect();
        let samples = run_all(&runs, progress, |(point, seed)| point.measure(self, *seed))?;
        let mut samples = samples.into_iter();
        let rows = points.iter().map(|point| {
            let of_point: Vec<f64> = samples.by_ref().take(point.seeds.len()).collect();
            Row::new(self, point, &of_point)
        });
        Ok(Box::new(Report::new(self, rows.collect())))
    }
}
