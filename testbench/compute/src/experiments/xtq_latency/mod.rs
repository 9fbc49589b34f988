//! The experiment of figure 7 of LeBeane et al., SC 2016: where the time of a remote task goes, over XTQ and over HSA.

mod parameters;
mod report;
mod row;
mod run;
mod show;
mod tasks;
mod verdict;

pub use parameters::{Parameters, Sweep};
pub use report::Report;
pub use row::{PHASES, Row, Way};
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Chart, Experiment, ExperimentError, Part, Prepared, Progress, Shown, Statement, prepared,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct XtqLatency;

impl Experiment for XtqLatency {
    fn name(&self) -> &'static str {
        "xtq-latency"
    }

    fn about(&self) -> &'static str {
        "Where the time of a remote GPU task goes, launched by the NIC and by the target's CPU (XTQ, figure 7)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/xtq-latency.toml")
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
        self.jobs().len()
    }

    fn million_cycles(&self) -> f64 {
        run::predicted(self)
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        Ok(Box::new(run::run(self, progress)?))
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        show::parts(self)
    }

    fn csv(&self) -> Vec<Vec<String>> {
        show::records(self)
    }

    fn plot(&self) -> Vec<Chart> {
        show::charts(self)
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
