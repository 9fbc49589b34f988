//! What the experiment found.

use super::parameters::{Parameters, Protocols, Sweep};
use super::{Row, statements};
use crate::experiments::offload::Surrounds;
use serde::Serialize;
use xtq_testbench::experiments::{Prepared, Statement};

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// The collective with every protocol.
    pub protocols: Protocols,
    /// What was around the NICs.
    pub system: Surrounds,
    /// Awake cycles of all nodes in millions, as predicted before the runs.
    pub predicted_million_cycles: f64,
    /// As counted.
    pub million_cycles: f64,
    /// Table I.
    pub rows: Vec<Row>,
    /// The protocols.
    pub by_protocol: Vec<Row>,
    /// The paper's statements.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Of the rows of all points, in their order.
    pub fn new(parameters: &Parameters, mut rows: Vec<Row>) -> Self {
        let awake: u64 = rows.iter().map(|row| row.awake_cycles).sum();
        let protocols = super::measure::PROTOCOLS.len() * parameters.protocols.bytes.len();
        let by_protocol = rows.split_off(rows.len().saturating_sub(protocols));
        Self {
            sweep: parameters.sweep.clone(),
            protocols: parameters.protocols.clone(),
            system: parameters.system.clone(),
            predicted_million_cycles: parameters.million_cycles(),
            million_cycles: awake as f64 / 1e6,
            statements: statements(&rows, &by_protocol),
            rows,
            by_protocol,
        }
    }
}
