//! The experiment of figure 9b of LeBeane et al., SC 2016: a reduction between two nodes over CPU, HSA and XTQ, and
//! what software pipelining changes.

mod parameters;
mod plot;
mod verdict;

pub use parameters::{Parameters, Sweep};
pub(super) use parameters::{Wrong, check_bytes, check_numbers, check_pipeline};
pub use verdict::statements;

use super::mpi_runs::{self, Report};
use crate::Costs;
use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct XtqReduce;

impl Experiment for XtqReduce {
    fn name(&self) -> &'static str {
        "xtq-reduce"
    }

    fn about(&self) -> &'static str {
        "A reduction between two nodes over CPU, HSA and XTQ, with software pipelining and without (XTQ, figure 9b)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/xtq-reduce.toml")
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
            statements: statements(&self.sweep, &rows),
            charts: plot::charts(&self.sweep, &rows),
            rows,
        }))
    }
}
