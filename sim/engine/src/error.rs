//! The crate's errors: one enum, each naming the thing it is about.

use thiserror::Error;

/// Result of this crate's calls.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such port at the top.
    #[error("the top has no port '{0}'")]
    NoSuchPort(String),
    /// There is no block or signal of this path.
    #[error("no block or signal at path '{0}'")]
    NoSuchPath(String),
    /// An output was set, or a value does not fit.
    #[error("port '{port}': {reason}")]
    BadPort {
        /// Name of the port.
        port: String,
        /// What is wrong.
        reason: String,
    },
    /// The combinational logic did not settle: a loop.
    #[error("cycle {cycle}: the combinational logic does not settle after {passes} passes (loop)")]
    DoesNotSettle {
        /// Clock cycle, from 0.
        cycle: u64,
        /// Passes tried.
        passes: u32,
    },
    /// The design itself is faulty: an open input, a loop, a written input.
    #[error("design: {0}")]
    BadDesign(String),
    /// The design breaks rules that every engine but the oracle needs.
    #[error("design:\n{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Findings(Vec<crate::base::Finding>),
    /// There is no block of this name.
    #[error("no block is called '{0}'")]
    NoSuchBlock(String),
    /// There is no engine of this name.
    #[error("no engine is called '{0}'; there are oracle, interp, jit and aot")]
    NoSuchEngine(String),
    /// A source file is not Rust.
    #[error("{file}:{line}: {reason}")]
    Source {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        reason: String,
    },
    /// No code could be made for this machine.
    #[error("compilation: {0}")]
    Compile(String),
    /// A file holds no recorded inputs.
    #[error("tape: {0}")]
    Tape(String),
    /// A tool that is needed is not there.
    #[error("{0} is not installed")]
    NoTool(String),
    /// A tool did not succeed, or a file for it could not be written.
    #[error("{tool}: {output}")]
    Tool {
        /// Name of the tool or file.
        tool: String,
        /// What it printed.
        output: String,
    },
    /// A signal has a bit that is neither 0 nor 1.
    #[error("'{signal}' is {value} in '{engine}'")]
    NotTwoState {
        /// Name of the engine.
        engine: &'static str,
        /// Port or path.
        signal: String,
        /// In hexadecimal, as the simulator prints it.
        value: String,
    },
    /// This engine cannot do it.
    #[error("engine '{engine}' cannot {what}")]
    Unsupported {
        /// Name of the engine.
        engine: &'static str,
        /// What was asked for.
        what: String,
    },
    /// The window of a waveform ends before it begins.
    #[error("the waveform would be empty: from cycle {from} to cycle {to}")]
    EmptyWindow {
        /// First cycle asked for.
        from: u64,
        /// Last cycle asked for.
        to: u64,
    },
    /// The waveform could not be written.
    #[error("waveform {path}: {source}")]
    Wave {
        /// File.
        path: String,
        /// Cause.
        source: std::io::Error,
    },
}
