//! `Times`: what was measured, and what follows for sizes and numbers of nodes that no run has.
//!
//! The time of a ring is `a + b bytes`, with `a` of 2 (N - 1) steps and `b` in proportion to 2 (N - 1) / N: each step
//! carries an N-th of a vector.

use super::report::Row;
use xtq_testbench::compnet::design::Design;

/// Rows of one design.
#[derive(Clone, Debug)]
pub struct Times {
    /// Nodes, bytes, us.
    rows: Vec<(usize, u64, f64)>,
}

/// Steps of a ring.
fn steps(nodes: usize) -> f64 {
    2.0 * (nodes as f64 - 1.0)
}

impl Times {
    /// Those of a design.
    pub fn of(rows: &[Row], design: Design) -> Self {
        let own = rows.iter().filter(|row| row.design == design);
        Self {
            rows: own.map(|row| (row.nodes, row.bytes, row.us)).collect(),
        }
    }

    /// What was measured.
    pub fn measured(&self, nodes: usize, bytes: u64) -> Option<f64> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| (row.0, row.1) == (nodes, bytes));
        row.map(|row| row.2)
    }

    /// us, and us for a byte, of the line through the smallest and the largest of these sizes; `None`: they were not
    /// both run, or more bytes took no longer.
    pub fn line(&self, nodes: usize, sizes: &[u64]) -> Option<[f64; 2]> {
        let (first, last) = (*sizes.first()?, *sizes.last()?);
        let [start, end] = [self.measured(nodes, first)?, self.measured(nodes, last)?];
        if first == last || start >= end {
            return None;
        }
        let slope = (end - start) / (last - first) as f64;
        Some([start - slope * first as f64, slope])
    }

    /// Time on so many nodes: by their own line, or by those of the two largest numbers of nodes that have one.
    pub fn at(&self, nodes: usize, bytes: u64, sizes: &[u64]) -> Option<f64> {
        let [base, slope] = match self.line(nodes, sizes) {
            Some(line) => line,
            None => self.continued(nodes, sizes)?,
        };
        Some(base + slope * bytes as f64)
    }

    fn continued(&self, nodes: usize, sizes: &[u64]) -> Option<[f64; 2]> {
        let mut known: Vec<usize> = self.rows.iter().map(|row| row.0).collect();
        known.sort_unstable();
        known.dedup();
        let [.., few, many] = known[..] else {
            return None;
        };
        let [few_line, many_line] = [self.line(few, sizes)?, self.line(many, sizes)?];
        let a_step = (many_line[0] - few_line[0]) / (steps(many) - steps(few));
        let base = many_line[0] + a_step * (steps(nodes) - steps(many));
        let share = |nodes: usize| steps(nodes) / nodes as f64;
        Some([base, many_line[1] * share(nodes) / share(many)])
    }
}
