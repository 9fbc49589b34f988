//! How a run of several nodes ended.

use serde::{Deserialize, Serialize};

/// A node stopped, or a program at it cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Failure {
    /// Cycle; 0 while processes were opened.
    pub(super) cycle: u64,
    pub(super) node: usize,
    /// Why, with the node or program in it.
    pub(super) text: String,
}

/// How a run ended for a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum End {
    /// Nothing happens any more.
    Over,
    /// It took too long; what was not idle.
    Late(Option<String>),
    /// Another rank has stopped.
    Stopped,
    /// It was ended from outside, or another rank is gone.
    Ended(String),
    /// Something stopped here.
    Failed(Failure),
}
