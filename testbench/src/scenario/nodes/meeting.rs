//! Barriers of a scenario: where programs of different nodes meet.

use std::collections::BTreeMap;

use super::program::{Op, PlannedProcess};
use crate::network::Board;

/// The barriers of a scenario, and how many programs have each. Their places are the topics of the [`Board`].
#[derive(Clone, Debug, Default)]
pub(super) struct Barriers {
    parties: BTreeMap<String, (u32, usize)>,
}

impl Barriers {
    /// The barriers of the programs.
    pub(super) fn of(processes: &[PlannedProcess]) -> Self {
        let mut barriers = Self::default();
        let steps = processes.iter().flat_map(|process| &process.steps);
        for op in steps.flat_map(|step| &step.ops) {
            if let Op::Barrier(name) = op {
                let next = barriers.parties.len() as u32;
                let (_, parties) = barriers.parties.entry(name.clone()).or_insert((next, 0));
                *parties += 1;
            }
        }
        barriers
    }
}

/// Where programs meet.
pub(super) struct Meeting<'a> {
    pub(super) barriers: &'a Barriers,
    pub(super) board: &'a Board,
    /// Of the network, in cycles.
    pub(super) lookahead: u64,
}

impl Meeting<'_> {
    /// Topic of a barrier on the board, and how many come there.
    pub(super) fn topic(&self, name: &str) -> (u32, usize) {
        let known = self.barriers.parties.get(name).copied();
        known.unwrap_or_default()
    }

    /// Cycle from which on those at a barrier may go on; `None`: some are missing.
    pub(super) fn opens(&self, name: &str) -> Option<u64> {
        let (topic, parties) = self.topic(name);
        self.board.opens(topic, parties, self.lookahead)
    }
}
