//! The rows of all runs, in order.

use super::row::Row;
use serde::Serialize;

/// Another system or load, without streams and with some.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What is different.
    pub name: String,
    /// Private lines that a call touches.
    pub private_lines: usize,
    /// Whether the command processor has no data of its own, and the calls are those of the sweep.
    pub bare: bool,
    /// Without streams, with locking.
    pub baseline: Row,
    /// With streams, without locking.
    pub unlocked: Row,
    /// With streams, with locking.
    pub locked: Row,
}

/// The rows of all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// The sweeps, one L2 after the other: first all runs without locking.
    pub rows: Vec<Row>,
    /// Systems whose calls touch other numbers of private lines.
    pub by_private_lines: Vec<Comparison>,
    /// Other systems and loads.
    pub variants: Vec<Comparison>,
}

impl Findings {
    /// Sizes of the L2s that were swept, in order.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<_> = self.rows.iter().map(|row| row.l2_kib).collect();
        sizes.dedup();
        sizes
    }

    /// The variants that have another number of networking work-groups than the sweeps.
    pub fn other_loads(&self) -> impl Iterator<Item = &Comparison> {
        let swept = self.rows.first().map(|row| row.load.networking);
        self.variants
            .iter()
            .filter(move |variant| swept.is_some_and(|n| n != variant.baseline.load.networking))
    }

    /// The rows of an L2 with locking or without, in order of streaming work-groups.
    pub fn curve(&self, l2_kib: u64, locking: bool) -> impl Iterator<Item = &Row> {
        let wanted = move |row: &&Row| row.l2_kib == l2_kib && row.load.locking == locking;
        self.rows.iter().filter(wanted)
    }
}
