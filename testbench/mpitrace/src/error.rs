//! What can be wrong with a trace. Messages name file, line and rank.

use thiserror::Error;

/// Why a trace cannot be used.
#[derive(Debug, Error)]
pub enum TraceError {
    /// A file or folder cannot be read, or its compression is damaged.
    #[error("{file}: {source}")]
    Io {
        /// Its name.
        file: String,
        /// Cause.
        source: std::io::Error,
    },
    /// A line is wrong.
    #[error(transparent)]
    Fault(#[from] TraceFault),
    /// The files do not belong together, or there are none.
    #[error("{0}")]
    Files(String),
}

/// What is wrong with a line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {}{what}", rank.map(|rank| format!("rank {rank}: ")).unwrap_or_default())]
pub struct TraceFault {
    /// Name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The rank whose call it is, if the line says so far.
    pub rank: Option<u32>,
    /// What is wrong.
    pub what: String,
}
