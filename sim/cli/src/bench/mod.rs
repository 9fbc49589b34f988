//! What `xtq bench` measures: the same tape of inputs on every engine and on Verilator; and the performance contract of
//! the hardware.

pub mod built;
pub mod cases;
pub mod cluster;
pub mod contract;
pub mod engines;
pub mod kept;
pub mod ranks;
pub mod report;
pub mod targets;
pub mod traffic;
pub mod training;
pub mod verilator;

use crate::paths;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::Instant;

/// Why a benchmark could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An engine cannot run the design.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// A file or a folder cannot be written.
    #[error("{file}: cannot be written: {source}")]
    File {
        /// Name.
        file: String,
        /// Cause.
        source: io::Error,
    },
    /// A tool does not start.
    #[error("{tool}: {source}")]
    NoTool {
        /// Name.
        tool: String,
        /// Cause.
        source: io::Error,
    },
    /// Something else went wrong.
    #[error("{what}: {cause}")]
    Failed {
        /// What was tried.
        what: String,
        /// What went wrong.
        cause: String,
    },
}

impl BenchError {
    /// What was tried, and what went wrong.
    pub fn new(what: &str, cause: impl Display) -> Self {
        Self::Failed {
            what: what.to_owned(),
            cause: cause.to_string(),
        }
    }

    /// A file or folder that cannot be written.
    pub fn file(path: &Path, source: io::Error) -> Self {
        Self::File {
            file: path.display().to_string(),
            source,
        }
    }
}

/// Writes a file, as [`paths::write`]. Errors: named after the file.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), BenchError> {
    paths::write(path, bytes).map_err(|error| BenchError::file(path, error))
}

/// How long something took.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// Processor time of this thread. On a shared machine it says more than the clock on the wall.
    pub processor: f64,
    /// On the wall: with what other threads do for this one, such as writing a waveform.
    pub wall: f64,
}

/// Measures from its start on.
pub struct Watch {
    processor: f64,
    wall: Instant,
}

impl Watch {
    /// Starts to measure.
    pub fn start() -> Self {
        Self {
            processor: cpu_seconds(),
            wall: Instant::now(),
        }
    }

    /// What has passed.
    pub fn seconds(&self) -> Seconds {
        Seconds {
            processor: cpu_seconds() - self.processor,
            wall: self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds of processor time that this thread has used.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
