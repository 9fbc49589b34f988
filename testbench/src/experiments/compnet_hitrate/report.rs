//! What the experiment found.

use super::findings::Findings;
use super::parameters::{Parameters, Sweep};
use super::verdict;
use crate::compnet::System;
use crate::experiments::Statement;
use serde::Serialize;

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// The system.
    pub system: System,
    /// What came out.
    #[serde(flatten)]
    pub findings: Findings,
    /// The paper's statements, and whether they did.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Of the rows of all runs.
    pub fn new(parameters: &Parameters, findings: Findings) -> Self {
        Self {
            statements: verdict::statements(&findings),
            sweep: parameters.sweep.clone(),
            system: parameters.system.clone(),
            findings,
        }
    }
}
