//! Wrong usage and wrong input: what ends with exit code 2.

use crate::bench::BenchError;
use miette::{Diagnostic, LabeledSpan, MietteHandlerOpts, NamedSource, SourceCode};
use std::fmt::Display;
use thiserror::Error;
use xtq_testbench::cases::CaseError;
use xtq_testbench::scenario::{Fault, ScenarioError};

/// Why a verb could not do its work.
#[derive(Debug, Error)]
pub enum CliError {
    /// The scenario is wrong at a place.
    #[error("{fault}")]
    Scenario {
        /// Fault.
        fault: Box<Fault>,
        /// The text, for the excerpt.
        source_code: Box<NamedSource<String>>,
    },
    /// The scenario cannot be read.
    #[error("{0}")]
    ScenarioFile(String),
    /// The case file cannot be read.
    #[error(transparent)]
    Cases(#[from] CaseError),
    /// An engine cannot run the design.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// A file cannot be written.
    #[error("{file}: cannot be written: {source}")]
    Write {
        /// Name.
        file: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// Name.
        file: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A benchmark cannot be made.
    #[error(transparent)]
    Bench(BenchError),
    /// An experiment has no result, or it cannot be shown.
    #[error("{0}")]
    Experiment(String),
    /// An argument makes no sense.
    #[error("{argument}: {message}")]
    Usage {
        /// The argument.
        argument: String,
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
}

impl From<ScenarioError> for CliError {
    fn from(error: ScenarioError) -> Self {
        match error {
            ScenarioError::Io { .. } => Self::ScenarioFile(error.to_string()),
            ScenarioError::Invalid(fault) => {
                let source_code = NamedSource::new(&fault.file, fault.text.to_string());
                Self::Scenario {
                    fault,
                    source_code: Box::new(source_code),
                }
            }
        }
    }
}

impl Diagnostic for CliError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(match self {
            Self::Scenario { fault, .. } => fault.kind.code(),
            Self::ScenarioFile(_) => "xtq::scenario::unreadable",
            Self::Cases(_) => "xtq::cases",
            Self::Engine(_) => "xtq::engine",
            Self::Read { .. } => "xtq::read",
            Self::Write { .. } => "xtq::write",
            Self::Bench(_) => "xtq::bench",
            Self::Experiment(_) => "xtq::experiment",
            Self::Usage { .. } => "xtq::usage",
        }))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(match self {
            Self::Scenario { fault, .. } => Box::new(fault.help.as_deref()?),
            Self::ScenarioFile(_) => Box::new(
                "a scenario is a TOML file, see docs/scenario.md; `xtq --help` lists the verbs",
            ),
            Self::Cases(_) => Box::new("docs/cases.md describes case files"),
            Self::Engine(_) => Box::new("docs/engine.md says what each engine can do"),
            Self::Read { .. } => Box::new("does the file exist, and may you read it?"),
            Self::Bench(_) => {
                Box::new("./test.sh installs Verilator; `--no-verilator` leaves it out")
            }
            Self::Experiment(_) => {
                Box::new("docs/experiments.md explains the experiments and their parameters")
            }
            Self::Write { .. } => Box::new("does the folder exist, and may you write there?"),
            Self::Usage { help, .. } => Box::new(help),
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self {
            Self::Scenario { source_code, .. } => Some(source_code.as_ref()),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Self::Scenario { fault, .. } = self else {
            return None;
        };
        let label = Some("here".to_owned());
        let span = LabeledSpan::new(label, fault.span.start, fault.span.len());
        Some(Box::new(std::iter::once(span)))
    }
}

/// Lines are not wrapped, so that a place `file:line:column` can be found in them.
pub fn install_style() {
    // Fails only if a style was set before; this is the only place that does.
    let _ = miette::set_hook(Box::new(|_| {
        Box::new(MietteHandlerOpts::new().wrap_lines(false).build())
    }));
}
