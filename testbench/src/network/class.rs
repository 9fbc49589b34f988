//! `Class`: requests and answers, which never wait for each other.

use serde::{Deserialize, Serialize};

/// The class of a packet: each has queues, places and link ends of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// Puts, GETs, atomics.
    Request,
    /// Acknowledgements and replies.
    Answer,
}

impl Class {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Request, Self::Answer];

    /// Its place in arrays of both.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Request => Self::Answer,
            Self::Answer => Self::Request,
        }
    }
}
