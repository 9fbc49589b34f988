//! `Times`: what was measured, and what follows for sizes and numbers of nodes that no run has.
//!
//! The time of a ring is `a + b bytes`, with `a` of 2 (N - 1) steps and `b` in proportion to 2 (N - 1) / N: each step
//! carries an N-th of a vector. No line is flatter than the wire: small vectors hide bytes behind latencies, and a line
//! through them would promise large ones what no network can do.

use super::point::Variant;
use super::row::Row;
use crate::experiments::BYTES_PER_NS;
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

/// Bytes that a node sends for each byte of its vector.
fn share(nodes: usize) -> f64 {
    steps(nodes) / nodes as f64
}

/// What no ring of so many nodes can be below, in us: its bytes on the wire.
pub fn wire_us(nodes: usize, bytes: u64) -> f64 {
    share(nodes) * bytes as f64 / BYTES_PER_NS / 1000.0
}

impl Times {
    /// Those of a design, as the parameters are.
    pub fn of(rows: &[Row], design: Design) -> Self {
        let own = rows.iter();
        let own = own.filter(|row| row.design == design && row.variant == Variant::Base);
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
    /// both run, or it is flatter than the wire.
    pub fn line(&self, nodes: usize, sizes: &[u64]) -> Option<[f64; 2]> {
        let (first, last) = (*sizes.first()?, *sizes.last()?);
        let [start, end] = [self.measured(nodes, first)?, self.measured(nodes, last)?];
        if first == last {
            return None;
        }
        let slope = (end - start) / (last - first) as f64;
        (slope >= wire_us(nodes, 1)).then_some([start - slope * first as f64, slope])
    }

    /// Time on so many nodes: by their own line, or, if nothing ran on so many, by those of the two largest numbers of
    /// nodes that have one. `None`: there is no such line, or it leads below the wire.
    pub fn at(&self, nodes: usize, bytes: u64, sizes: &[u64]) -> Option<f64> {
        let ran = self.rows.iter().any(|row| row.0 == nodes);
        let [base, slope] = match ran {
            true => self.line(nodes, sizes)?,
            false => self.continued(nodes, sizes)?,
        };
        let us = base + slope * bytes as f64;
        (us >= wire_us(nodes, bytes)).then_some(us)
    }

    fn continued(&self, nodes: usize, sizes: &[u64]) -> Option<[f64; 2]> {
        let mut known: Vec<usize> = self.rows.iter().map(|row| row.0).collect();
        known.sort_unstable();
        known.dedup();
        let lines = known.into_iter();
        let lines = lines.filter_map(|nodes| Some((nodes, self.line(nodes, sizes)?)));
        let lines: Vec<_> = lines.collect();
        let [.., (few, few_line), (many, many_line)] = lines[..] else {
            return None;
        };
        let a_step = (many_line[0] - few_line[0]) / (steps(many) - steps(few));
        let base = many_line[0] + a_step * (steps(nodes) - steps(many));
        Some([base, many_line[1] * share(nodes) / share(many)])
    }
}
