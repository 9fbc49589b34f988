//! What is known of a program at work.

use std::collections::BTreeMap;

/// What a thread did in some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    /// It computed, or waited for its own accesses.
    Busy,
    /// It waited for others.
    Idle,
}

/// A thread while it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadState {
    pub(crate) report: ThreadReport,
    /// Its core.
    pub(crate) core: usize,
    /// Time up to which it has computed, ns; never before the cycle in which it runs.
    pub(crate) clock: f64,
    /// Cycle in which it goes on by itself; `u64::MAX`: when something changes.
    pub(crate) due: u64,
    /// What it waits for.
    pub(crate) waits_for: String,
    /// Read indices of queues, as it has seen them last; by the queue's base.
    pub(crate) read_indices: BTreeMap<u64, u64>,
}

/// What a thread did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadReport {
    /// Its name.
    pub name: String,
    /// Time in which it computed or waited for its own accesses, ns.
    pub busy_ns: f64,
    /// Time in which it waited for others, ns.
    pub idle_ns: f64,
    /// Instructions, but for those of waiting.
    pub instructions: u64,
    /// First cycle.
    pub started: u64,
    /// Cycle in which it had ended.
    pub ended: Option<u64>,
    /// Its [marks](crate::HostThread::mark), in order: name and cycle.
    pub marks: Vec<(String, u64)>,
}

impl ThreadReport {
    /// Cycle of the first mark of this name.
    pub fn mark(&self, name: &str) -> Option<u64> {
        let found = self.marks.iter().find(|(known, _)| known == name);
        found.map(|(_, cycle)| *cycle)
    }
}

impl ThreadState {
    /// Takes so much time; the first cycle in which it can go on.
    pub(crate) fn spend(&mut self, ns: f64, spent: Spent) -> u64 {
        self.clock += ns;
        match spent {
            Spent::Busy => self.report.busy_ns += ns,
            Spent::Idle => self.report.idle_ns += ns,
        }
        self.clock.ceil() as u64
    }
}
