//! Wrong usage, wrong input, outputs that cannot be written: what ends with exit code 2.

use crate::bench::BenchError;
use crate::excerpt::Excerpt;
use crate::names;
use miette::{Diagnostic, LabeledSpan, MietteHandlerOpts, SourceCode};
use std::fmt::{Display, Formatter};
use std::io::ErrorKind;
use thiserror::Error;
use xtq_engine::Error as EngineError;
use xtq_testbench::cases::CaseError;
use xtq_testbench::experiments::ExperimentError;
use xtq_testbench::input::{Fault, InputError};

/// Why a verb could not do its work.
#[derive(Debug, Error)]
pub enum CliError {
    /// A scenario, a file of parameters or of cases is wrong at a place.
    #[error("{fault}")]
    Scenario {
        /// Fault.
        fault: Box<Fault>,
        /// The lines around it.
        excerpt: Box<Excerpt>,
    },
    /// The scenario cannot be read.
    #[error("{file}: {source}")]
    ScenarioFile {
        /// Name.
        file: String,
        /// Cause.
        source: std::io::Error,
    },
    /// The case file cannot be read.
    #[error(transparent)]
    Cases(CaseError),
    /// An engine cannot run the design.
    #[error(transparent)]
    Engine(#[from] EngineError),
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
    /// Something that was printed did not arrive.
    #[error("{name}: cannot be written: {source}")]
    Stream {
        /// The stream.
        name: &'static str,
        /// Cause.
        source: std::io::Error,
    },
    /// A benchmark cannot be made.
    #[error(transparent)]
    Bench(BenchError),
    /// An experiment has no result.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A result cannot be shown.
    #[error("{0}")]
    Shown(String),
    /// Ranks cannot run a scenario together.
    #[error("{0}")]
    Ranks(String),
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

/// Help for a file that cannot be written.
const WRITE_HELP: &str = "does the folder exist, and may you write there?";
/// If there is no room for it.
const FULL_HELP: &str = "the disk is full: make room, or write elsewhere";
/// If there is room, but not for this user.
const QUOTA_HELP: &str = "you may write no more there: make room, or write elsewhere";
/// If it is larger than files may be.
const LARGE_HELP: &str =
    "files may not be larger there, as of `ulimit -f`: write less, or elsewhere";
/// For one that cannot be read.
const READ_HELP: &str = "does the file exist, and may you read it?";

/// For one that can be read, but is not text.
const UTF8_HELP: &str = "save it as UTF-8";

impl CliError {
    /// An error of a waveform, by what it is about.
    pub fn of_wave(error: EngineError) -> Self {
        let (argument, help) = match error {
            EngineError::Wave { path, source } => return Self::Write { file: path, source },
            EngineError::NoSuchPath(_) => (
                "--scope",
                "it takes the path of a block, as the waveform of a run without it shows",
            ),
            EngineError::EmptyWindow { .. } => (
                "--from and --to",
                "--from is the first cycle and --to the last; both count from 0",
            ),
            error => return Self::Engine(error),
        };
        Self::Usage {
            argument: argument.to_owned(),
            message: error.to_string(),
            help: help.to_owned(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Scenario { fault, .. } => fault.kind.code(),
            Self::ScenarioFile { .. } => "xtq::scenario::unreadable",
            Self::Cases(_) => "xtq::cases",
            Self::Engine(_) => "xtq::engine",
            Self::Read { .. } => "xtq::read",
            Self::Write { .. } | Self::Stream { .. } => "xtq::write",
            Self::Bench(_) => "xtq::bench",
            Self::Experiment(_) | Self::Shown(_) => "xtq::experiment",
            Self::Ranks(_) => "xtq::ranks",
            Self::Usage { .. } => "xtq::usage",
        }
    }

    /// What to do about it, if that is known.
    fn help(&self) -> Option<&str> {
        Some(match self {
            Self::Scenario { fault, .. } => fault.help.as_deref()?,
            Self::Cases(CaseError::Io { source, .. })
            | Self::Read { source, .. }
            | Self::ScenarioFile { source, .. }
                if source.kind() == ErrorKind::InvalidData =>
            {
                UTF8_HELP
            }
            Self::ScenarioFile { .. } => {
                "does the file exist, and may you read it? a scenario is a TOML file, see docs/scenario.md"
            }
            Self::Cases(CaseError::Io { .. }) | Self::Read { .. } => READ_HELP,
            Self::Cases(_) => "docs/cases.md describes case files",
            Self::Engine(error) => engine_help(error),
            Self::Bench(BenchError::NoTool { .. }) => {
                "./test.sh installs Verilator; `--no-verilator` leaves it out"
            }
            Self::Bench(BenchError::File { source, .. }) | Self::Write { source, .. } => {
                write_help(source)
            }
            Self::Bench(BenchError::Engine(error)) => engine_help(error),
            Self::Bench(BenchError::Failed { .. }) | Self::Shown(_) => return None,
            Self::Stream { .. } => {
                "what has been printed is not all there is: is there room for it, and is it open for writing?"
            }
            Self::Experiment(ExperimentError::Engine(error)) => engine_help(error),
            Self::Experiment(_) => {
                "docs/experiments.md explains the experiments and their parameters"
            }
            Self::Ranks(_) => {
                "all ranks need the same program, scenario and options; docs/how-to/cluster.md says more"
            }
            Self::Usage { help, .. } => help,
        })
    }

    /// The message as it is printed: what comes from names and files is escaped, and only lists of findings and what
    /// tools print keep their lines.
    fn shown(&self) -> String {
        match self {
            Self::Engine(error)
            | Self::Bench(BenchError::Engine(error))
            | Self::Experiment(ExperimentError::Engine(error)) => engine_shown(error),
            Self::Bench(BenchError::Failed { what, cause }) => {
                format!("{}: {}", names::line(what), names::lines(cause))
            }
            error => names::line(&error.to_string()).into_owned(),
        }
    }
}

/// The message of an error of the engine, as [`CliError::shown`].
fn engine_shown(error: &EngineError) -> String {
    match error {
        EngineError::Findings(_) | EngineError::Compile(_) => {
            names::lines(&error.to_string()).into_owned()
        }
        EngineError::Tool { tool, output } => {
            format!("{}: {}", names::line(tool), names::lines(output))
        }
        error => names::line(&error.to_string()).into_owned(),
    }
}

/// What to do about a file that cannot be written.
fn write_help(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull => FULL_HELP,
        ErrorKind::QuotaExceeded => QUOTA_HELP,
        ErrorKind::FileTooLarge => LARGE_HELP,
        _ => WRITE_HELP,
    }
}

/// What to do about an error of the engine.
fn engine_help(error: &EngineError) -> &'static str {
    match error {
        EngineError::NoTool(_) => "./test.sh installs the tools; or name other engines",
        EngineError::Wave { source, .. } => write_help(source),
        EngineError::Source { .. } => "name Rust source files",
        EngineError::NoSuchPath(_) => {
            "a path is that of blocks and a signal, as a waveform shows it"
        }
        EngineError::Tool { .. } => "the text is what the tool printed",
        EngineError::BadDesign(_)
        | EngineError::Findings(_)
        | EngineError::DoesNotSettle { .. } => {
            "docs/engine.md says what a design may do; `xtq lint` checks all of them"
        }
        _ => "docs/engine.md says what each engine can do",
    }
}

impl From<InputError> for CliError {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io { file, source } => Self::ScenarioFile { file, source },
            InputError::Invalid(fault) => fault.into(),
        }
    }
}

impl From<CaseError> for CliError {
    fn from(error: CaseError) -> Self {
        match error {
            CaseError::Io { .. } => Self::Cases(error),
            CaseError::Invalid(fault) => fault.into(),
        }
    }
}

impl From<Box<Fault>> for CliError {
    fn from(fault: Box<Fault>) -> Self {
        let excerpt = Box::new(Excerpt::new(&fault));
        Self::Scenario { fault, excerpt }
    }
}

/// An error as it is printed: what comes from names and files is escaped. The message has the cause in it.
#[derive(Debug)]
pub struct Told(pub CliError);

impl Display for Told {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.shown())
    }
}

impl std::error::Error for Told {}

impl Diagnostic for Told {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.0.code()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(names::line(self.0.help()?)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match &self.0 {
            CliError::Scenario { excerpt, .. } => Some(excerpt.as_ref()),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let CliError::Scenario { excerpt, .. } = &self.0 else {
            return None;
        };
        let span = LabeledSpan::new_with_span(Some("here".to_owned()), excerpt.marked());
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
