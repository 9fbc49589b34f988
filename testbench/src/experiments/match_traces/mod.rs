//! The experiment of tables 4.1 and 4.2 and figures 4.2 to 4.7 of Klenk's dissertation: recorded MPI calls through the
//! matchers of the hardware, with the figures of their queues.

mod parameters;
mod report;
mod row;
mod run;
mod show;
mod sources;
mod verdict;

pub use parameters::{Parameters, Synthetic, parameters_schema};
pub use report::Report;
pub use row::{Calls, Queues, Run, Spread};
pub use run::run;
pub use verdict::statements;

use super::{Experiment, ExperimentError, Prepared, Progress, Shown, prepared};
use crate::input::InputError;
use serde_json::Value;

/// The experiment.
pub struct MatchTraces;

impl Experiment for MatchTraces {
    fn name(&self) -> &'static str {
        "match-traces"
    }

    fn about(&self) -> &'static str {
        "Recorded MPI calls through the matchers: queue lengths, search depths, unexpected messages, and whether every match is the right one (Klenk, table 4.2 and figure 4.7)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../scenarios/experiments/match-traces.toml")
    }

    fn schema(&self) -> Value {
        parameters_schema()
    }

    fn takes_traces(&self) -> bool {
        true
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
        run::runs(self)
    }

    fn set_traces(&mut self, traces: Vec<String>) {
        self.traces = traces;
    }

    fn million_cycles(&self) -> f64 {
        run::predicted(self)
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        Ok(Box::new(run(self, progress)?))
    }
}
