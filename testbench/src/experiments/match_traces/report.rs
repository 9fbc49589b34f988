//! Everything that came out.

use super::parameters::Parameters;
use super::row::{Calls, Queues, Run};
use super::verdict::statements;
use crate::experiments::Statement;
use serde::Serialize;

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was asked for.
    pub parameters: Parameters,
    /// What the traces say of their calls.
    pub calls: Vec<Calls>,
    /// The lists of each load.
    pub queues: Vec<Queues>,
    /// Each load through each matcher.
    pub runs: Vec<Run>,
    /// What the dissertation says about them.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Nothing yet.
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: parameters.clone(),
            calls: vec![],
            queues: vec![],
            runs: vec![],
            statements: vec![],
        }
    }

    /// Compares what is there with the dissertation.
    pub fn judge(&mut self) {
        self.statements = statements(&self.calls, &self.queues, &self.runs);
    }
}
