//! Experiments: results of the papers, repeated on the hardware. A folder each, and a line of the list of all
//! experiments, which stands in the crate `xtq-compute`.
//!
//! An experiment reads its parameters, runs, and gives what came out as data: tables, records, charts. Whoever shows it
//! draws them.

mod calls;
pub mod compnet_hitrate;
pub mod compnet_queue;
pub mod compnet_threads;
mod interval;
mod jobs;
pub mod match_rate;
pub mod match_traces;
mod parameters;
mod plot;
pub mod statement;
mod table;

pub use interval::Interval;
pub use jobs::run_all;
pub use parameters::{Wrong, read_parameters, wrong_parameter};
pub use plot::{Bar, Bars, Chart, Colour, Curve, Kind, Stack};
pub use statement::Statement;
pub use table::{Part, Table};

use crate::input::InputError;
use serde_json::Value;
use thiserror::Error;

/// Cycles of a bank of the L2 that cost as much as one of a NIC.
const BANK_CYCLES_OF_A_NIC_CYCLE: f64 = 3.0;

/// Gets after each run how many are done.
pub type Progress<'a> = dyn Fn(usize) + Sync + 'a;

/// A result of a paper that can be repeated.
pub trait Experiment: Sync {
    /// Its name: what the command line takes, and what its files are called.
    fn name(&self) -> &'static str;
    /// What it measures, in a sentence without a full stop.
    fn about(&self) -> &'static str;
    /// The parameters that it has without a file: `scenarios/experiments/<name>.toml`.
    fn parameters(&self) -> &'static str;
    /// Whether it can be run on other traces than those of its parameters: the option `--trace`.
    fn takes_traces(&self) -> bool {
        false
    }
    /// JSON Schema of the parameters.
    fn schema(&self) -> Value;
    /// Reads parameters; `file` names the text in errors. `quick`: only so much that one sees it work. Errors: the
    /// first fault.
    fn prepare(&self, file: &str, text: &str, quick: bool)
    -> Result<Box<dyn Prepared>, InputError>;
}

/// What [`Experiment::prepare`] gives of parameters that were read: them, or their smallest form. Errors: they were
/// not.
pub fn prepared<P: Prepared + 'static>(
    read: Result<P, InputError>,
    quick: bool,
    smallest: impl FnOnce(P) -> P,
) -> Result<Box<dyn Prepared>, InputError> {
    let parameters = read?;
    Ok(Box::new(match quick {
        true => smallest(parameters),
        false => parameters,
    }))
}

/// An experiment with its parameters.
pub trait Prepared {
    /// Runs to do.
    fn runs(&self) -> usize;
    /// Awake cycles of NICs that the runs will take, in millions; a cycle of a bank of the L2 counts a third.
    fn million_cycles(&self) -> f64;
    /// Puts these traces, files or folders, in the place of those of the parameters; only if the experiment takes
    /// traces.
    fn set_traces(&mut self, _traces: Vec<String>) {}
    /// Does them. Errors: the first run that failed.
    fn run(&self, progress: &Progress) -> Result<Box<dyn Shown>, ExperimentError>;
}

/// What came out.
pub trait Shown {
    /// All of it as JSON. Errors: of the writer.
    fn json(&self) -> serde_json::Result<String>;
    /// Tables for people.
    fn table(&self) -> Vec<Part>;
    /// All runs as records; the first has the names of the columns.
    fn csv(&self) -> Vec<Vec<String>>;
    /// The charts, from left to right.
    fn plot(&self) -> Vec<Chart>;
    /// The paper's statements, and whether each came out.
    fn statements(&self) -> &[Statement];
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// The hardware could not be built.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// A run stopped, or its figures cannot be right.
    #[error("{0}")]
    Failed(String),
}
