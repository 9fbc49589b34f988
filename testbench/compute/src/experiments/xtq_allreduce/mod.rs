//! The experiment of figure 9c of LeBeane et al., SC 2016: allreduce of 4 MB on 2 to 64 nodes over CPU, HSA and
//! XTQ, as reduce-scatter and allgather.

mod parameters;
mod plot;
mod verdict;

pub use parameters::{Parameters, Sweep};
pub use verdict::statements;

use super::mpi_runs::{self, Report};
use crate::Costs;
use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct XtqAllreduce;

impl Experiment for XtqAllreduce {
    fn name(&self) -> &'static str {
        "xtq-allreduce"
    }

    fn about(&self) -> &'static str {
        "An allreduce of 4 MB on 2 to 64 nodes over CPU, HSA and XTQ, as reduce-scatter and allgather (XTQ, figure 9c)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/xtq-allreduce.toml")
    }

    fn schema(&self) -> Value {
        mpi_runs::schema::<Sweep>()
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
        self.points().iter().map(|point| point.seeds as usize).sum()
    }

    fn million_cycles(&self) -> f64 {
        self.points().iter().map(mpi_runs::predicted).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let rows = mpi_runs::run(&self.points(), &Costs::counted(), progress)?;
        Ok(Box::new(Report {
            sweep: self.sweep.clone(),
            statements: statements(&rows, self.work_ns()),
            charts: plot::charts(&self.sweep, &rows),
            rows,
        }))
    }
}
