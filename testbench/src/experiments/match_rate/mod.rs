//! The experiment of figures 4.6, 6.16 and 6.18 of Klenk's dissertation: how many receives and messages a second find
//! each other, in the matchers of the hardware.

mod parameters;
mod report;
mod row;
mod run;
mod show;
mod verdict;

pub use parameters::{Parameters, PlacedMhz, Sweep, parameters_schema};
pub use report::Report;
pub use row::{Order, Row, Series, Side};
pub use run::run;
pub use verdict::statements;

use super::{Experiment, ExperimentError, Prepared, Progress, Shown, prepared};
use crate::input::InputError;
use serde_json::Value;

/// The experiment.
pub struct MatchRate;

impl Experiment for MatchRate {
    fn name(&self) -> &'static str {
        "match-rate"
    }

    fn about(&self) -> &'static str {
        "How many receives and messages a second find each other, by length of the queue, order, senders and equal messages (Klenk, figures 4.6, 6.16 and 6.18)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../scenarios/experiments/match-rate.toml")
    }

    fn schema(&self) -> Value {
        parameters_schema()
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

    fn million_cycles(&self) -> f64 {
        run::predicted(self)
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        Ok(Box::new(run(self, progress)?))
    }
}
