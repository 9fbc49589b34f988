//! What came out of reductions, as tables, records and charts.

use super::row::{Row, csv, table};
use serde::Serialize;
use xtq_testbench::experiments::{Chart, Part, Shown, Statement, statement};

/// What came out; `S` is what was swept.
#[derive(Serialize)]
pub struct Report<S> {
    /// What was swept.
    pub sweep: S,
    /// A row for each point.
    pub rows: Vec<Row>,
    /// The paper's statements.
    pub statements: Vec<Statement>,
    /// The charts, in the order in which statements name them.
    #[serde(skip)]
    pub charts: Vec<Chart>,
}

impl<S: Serialize> Shown for Report<S> {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        vec![
            Part::Table(table(&self.rows)),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        csv(&self.rows)
    }

    fn plot(&self) -> Vec<Chart> {
        self.charts.clone()
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
