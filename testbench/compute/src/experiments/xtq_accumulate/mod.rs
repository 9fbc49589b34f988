//! The experiment of figure 9a of LeBeane et al., SC 2016: one-sided accumulates between two nodes over CPU, HSA and
//! XTQ.

mod parameters;
mod plot;
mod row;
mod run;
mod verdict;

pub use parameters::{Parameters, Sweep};
pub use row::Row;
pub use verdict::statements;

use crate::{Costs, System};
use serde::Serialize;
use serde_json::Value;
use xtq_testbench::experiments::{
    Chart, Experiment, ExperimentError, Part, Prepared, Progress, Shown, Statement, prepared,
    statement,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct XtqAccumulate;

impl Experiment for XtqAccumulate {
    fn name(&self) -> &'static str {
        "xtq-accumulate"
    }

    fn about(&self) -> &'static str {
        "How long an MPI accumulate to another node takes over CPU, HSA and XTQ (XTQ, figure 9a)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/xtq-accumulate.toml")
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
        let points = self.points();
        points.iter().map(|point| point.seeds as usize).sum()
    }

    fn million_cycles(&self) -> f64 {
        self.points().iter().map(run::predicted).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let costs = Costs::counted();
        let rows = row::run_points(&self.points(), &costs, progress)?;
        Ok(Box::new(Report {
            statements: statements(&rows),
            sweep: self.sweep.clone(),
            system: self.system.clone(),
            costs,
            rows,
        }))
    }
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
struct Report {
    sweep: Sweep,
    system: System,
    costs: Costs,
    rows: Vec<Row>,
    statements: Vec<Statement>,
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        vec![
            Part::Table(row::table(&self.rows)),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        row::records(&self.rows)
    }

    fn plot(&self) -> Vec<Chart> {
        plot::charts(&self.sweep, &self.rows)
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
