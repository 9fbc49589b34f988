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
    /// Cycles of banks that were run: a third of a NIC's cycle each.
    pub bank_cycles: u64,
    /// What came out.
    #[serde(flatten)]
    pub findings: Findings,
    /// The paper's statements, and whether they did.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Of the rows of all runs.
    pub fn new(parameters: &Parameters, findings: Findings, bank_cycles: u64) -> Self {
        Self {
            statements: verdict::statements(&findings.points),
            sweep: parameters.sweep.clone(),
            system: parameters.system.clone(),
            bank_cycles,
            findings,
        }
    }
}
