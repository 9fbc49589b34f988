//! What came out.

use super::parameters::{Parameters, Sweep};
use super::row::Row;
use super::verdict::statements;
use crate::costs::Costs;
use crate::system::System;
use serde::Serialize;
use xtq_testbench::experiments::Statement;

/// The result.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// The system.
    pub system: System,
    /// Instructions of the host library.
    pub costs: Costs,
    /// The points.
    pub rows: Vec<Row>,
    /// The paper's statements.
    pub statements: Vec<Statement>,
    /// Awake cycles of the NICs, in millions: predicted, and taken.
    pub million_cycles: [f64; 2],
}

impl Report {
    pub(super) fn new(
        parameters: &Parameters,
        costs: Costs,
        rows: Vec<Row>,
        million_cycles: [f64; 2],
    ) -> Self {
        Self {
            sweep: parameters.sweep.clone(),
            system: parameters.system.clone(),
            costs,
            statements: statements(&rows),
            rows,
            million_cycles,
        }
    }
}
