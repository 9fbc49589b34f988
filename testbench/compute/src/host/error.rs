//! Why a program cannot go on.

use std::fmt::{self, Display};

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
