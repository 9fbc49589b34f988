//! What `xtq bench` measures: the same tape of inputs on every engine and on Verilator; and the performance contract of the hardware.

pub mod cases;
pub mod contract;
pub mod engines;
pub mod report;
pub mod targets;
pub mod traffic;
pub mod verilator;

use std::fmt::Display;

/// Why a benchmark could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BenchError(String);

impl BenchError {
    /// What was tried, and what went wrong.
    pub fn new(what: &str, cause: impl Display) -> Self {
        Self(format!("{what}: {cause}"))
    }
}

impl From<xtq_engine::Error> for BenchError {
    fn from(error: xtq_engine::Error) -> Self {
        Self(error.to_string())
    }
}

/// Seconds of processor time that this thread has used. On a shared machine it says more than the clock on the wall.
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
