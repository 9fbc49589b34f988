//! What a run has shown: in which of its cycles which values changed.

use crate::netlist::Id;

/// Cycles that are looked at.
pub(crate) const SAMPLES: usize = 512;

/// A bit a cycle.
pub(crate) type Cycles = [u64; SAMPLES / 64];

/// How many cycles.
pub(crate) fn ones(cycles: &Cycles) -> u32 {
    cycles.iter().map(|word| word.count_ones()).sum()
}

/// The cycles of either.
pub(crate) fn either(a: &Cycles, b: &Cycles) -> Cycles {
    std::array::from_fn(|word| a[word] | b[word])
}

/// In which cycles something changed.
#[derive(Clone)]
pub(crate) struct Activity {
    /// By node: an operand.
    pub(crate) operands: Vec<Cycles>,
    /// By node: its value.
    pub(crate) changed: Vec<Cycles>,
    /// By state word.
    pub(crate) state: Vec<Cycles>,
    /// Cycles seen.
    pub(crate) cycles: usize,
}

impl Activity {
    /// The share of these operations that had another operand, of all cycles.
    pub(crate) fn share(&self, operations: &[Id]) -> f64 {
        let active = operations.iter().map(|id| ones(&self.operands[id.index()]));
        let active: u64 = active.map(u64::from).sum();
        active as f64 / (self.cycles * operations.len()).max(1) as f64
    }
}
