//! What came out: a row for each run, and the statements.

use super::parameters::Parameters;
use super::row::{Row, Series, Side};
use super::verdict::statements;
use crate::experiments::Statement;
use serde::Serialize;

/// Everything.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was asked for.
    pub parameters: Parameters,
    /// The runs.
    pub rows: Vec<Row>,
    /// What the dissertation says about them.
    pub statements: Vec<Statement>,
}

impl Report {
    /// Of these runs.
    pub fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        Self {
            parameters: parameters.clone(),
            statements: statements(&rows),
            rows,
        }
    }

    /// Runs of a sweep.
    pub fn of(&self, series: Series, side: Side) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter();
        rows.filter(move |row| row.series == series && row.side == side)
    }
}
