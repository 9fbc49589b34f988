//! A run and its time.

use super::point::{Point, Variant};
use serde::Serialize;
use xtq_testbench::compnet::design::Design;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who calls.
    pub design: Design,
    /// Nodes.
    pub nodes: usize,
    /// Bytes of a node's vector.
    pub bytes: u64,
    /// What is different from the parameters.
    pub variant: Variant,
    /// Time of the allreduce.
    pub us: f64,
}

impl Row {
    /// A run and its time.
    pub fn new(point: &Point, us: f64) -> Self {
        Self {
            design: point.design,
            nodes: point.nodes,
            bytes: point.bytes,
            variant: point.variant,
            us,
        }
    }
}
