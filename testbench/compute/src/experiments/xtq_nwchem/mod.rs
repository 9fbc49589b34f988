//! The accumulates that NWChem was recorded to do, over CPU, HSA and XTQ. The XTQ paper (LeBeane et al., SC 2016,
//! section V-C) profiles NWChem and expects a gain, but could not simulate it.
//!
//! What is played is a sample of a recording of water with CCSD on 4 ranks: who adds how many bytes to whose memory, in
//! the order of each rank. Bytes are taken as doubles. Each accumulate is an epoch of its own, as a call that returns
//! when the data are there; longer epochs are swept. Accumulates to the own rank are no messages: the CPU does them,
//! and they are reported apart.

mod parameters;
mod run;
mod show;
mod sizes;
mod trace;
mod verdict;

pub use parameters::{Parameters, Sweep};
pub use run::Row;
pub use trace::Accumulate;
pub use verdict::statements;

use serde_json::Value;
use xtq_testbench::experiments::{
    Experiment, ExperimentError, Prepared, Progress, Shown, prepared, run_all,
};
use xtq_testbench::input::InputError;

/// The experiment.
pub struct XtqNwchem;

impl Experiment for XtqNwchem {
    fn name(&self) -> &'static str {
        "xtq-nwchem"
    }

    fn about(&self) -> &'static str {
        "The accumulates that NWChem was recorded to do, over CPU, HSA and XTQ (XTQ, section V-C)"
    }

    fn parameters(&self) -> &'static str {
        include_str!("../../../../../scenarios/experiments/xtq-nwchem.toml")
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
        self.jobs().iter().map(|job| job.million_cycles()).sum()
    }

    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError> {
        let jobs = self.jobs();
        let measured = run_all(&jobs, progress, run::measure)?;
        Ok(Box::new(show::Report::new(
            self,
            run::rows(&jobs, &measured),
        )))
    }
}
