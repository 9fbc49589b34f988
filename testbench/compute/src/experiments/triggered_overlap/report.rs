//! What the experiment found.

use super::parameters::{Host, Parameters, Sweep};
use super::{Mode, Row, statements};
use crate::experiments::offload::Surrounds;
use serde::Serialize;
use xtq_testbench::experiments::{Prepared, Statement};

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// The hosts.
    pub host: Host,
    /// What was around the NICs.
    pub system: Surrounds,
    /// Awake cycles of all nodes in millions, as predicted before the runs.
    pub predicted_million_cycles: f64,
    /// As counted.
    pub million_cycles: f64,
    /// All points.
    pub rows: Vec<Row>,
    /// The paper's statements.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Of the rows of all points.
    pub fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        let awake: u64 = rows.iter().map(|row| row.awake_cycles).sum();
        Self {
            sweep: parameters.sweep.clone(),
            host: parameters.host,
            system: parameters.system.clone(),
            predicted_million_cycles: parameters.million_cycles(),
            million_cycles: awake as f64 / 1e6,
            statements: statements(&rows),
            rows,
        }
    }

    /// The row of a point.
    pub fn row(&self, variant: &str, mode: Mode, nodes: usize, bytes: u64) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| {
            (row.variant.as_str(), row.mode, row.nodes, row.bytes) == (variant, mode, nodes, bytes)
        })
    }
}
