//! Why a place, or one of its programs, cannot go on.

use crate::gpu::GpuFault;
use std::fmt::{self, Display};
use thiserror::Error;
use xtq_testbench::node::NodeError;

/// Why a program cannot go on, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError(String);

impl ProgramError {
    /// An error with this text.
    pub fn new(why: impl Display) -> Self {
        Self(why.to_string())
    }
}

impl Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProgramError {}

/// Why a place stopped.
#[derive(Debug, Error)]
pub(crate) enum PlaceError {
    /// The node did.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The GPU did.
    #[error("GPU: {0}")]
    Gpu(#[from] GpuFault),
    /// A program cannot go on.
    #[error("cycle {cycle}: program '{program}': {error}")]
    Program {
        cycle: u64,
        program: String,
        error: ProgramError,
    },
}

impl From<xtq_engine::Error> for PlaceError {
    fn from(error: xtq_engine::Error) -> Self {
        NodeError::from(error).into()
    }
}
