//! Experiments: results of the papers, repeated on the hardware. A folder each, and a line of [`EXPERIMENTS`].
//!
//! An experiment reads its parameters, runs, and gives what came out as data: tables, records, charts. Whoever shows it
//! draws them.

pub mod compnet_hitrate;
pub mod match_rate;
pub mod match_traces;
mod plot;
mod table;

pub use plot::{Bars, Chart, Colour, Curve, Kind};
pub use table::{Part, Table};

use crate::input::InputError;
use serde_json::Value;
use thiserror::Error;

/// All experiments.
pub const EXPERIMENTS: &[&dyn Experiment] = &[
    &compnet_hitrate::CompnetHitrate,
    &match_rate::MatchRate,
    &match_traces::MatchTraces,
];

/// Told after each run how many are done.
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

/// An experiment with its parameters.
pub trait Prepared {
    /// Runs to do.
    fn runs(&self) -> usize;
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
    /// One line: whether what the paper says came out.
    fn verdict(&self) -> String;
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
