//! How far the programs of a run are, for who looks on while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::program::PlannedProcess;

/// Steps of all programs, and how many are done. Copies count the same steps.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    done: Arc<AtomicU64>,
    all: u64,
}

impl Steps {
    /// Those of these programs; none is done.
    pub(super) fn of(processes: &[PlannedProcess]) -> Self {
        let steps = processes.iter().map(|process| process.steps.len() as u64);
        Self {
            done: Arc::default(),
            all: steps.sum(),
        }
    }

    /// So many more are done.
    pub(super) fn add(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Steps that are done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Steps that there are.
    pub fn all(&self) -> u64 {
        self.all
    }
}
