//! What a schedule needs of the NIC, before anything is posted.

use crate::error::GraphError;
use crate::reuse::is_reusable;
use crate::schedule::{Action, Program, Schedule};
use std::collections::BTreeSet;
use std::ops::Range;

/// What a context has (docs/blocks/triggers/trigger_engine.md, docs/scenario.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Triggered operations that may wait.
    pub triggered: usize,
    /// Counters.
    pub counters: usize,
    /// Match entries.
    pub entries: usize,
    /// Memory descriptors.
    pub descriptors: usize,
}

impl Limits {
    /// The NIC as it ships.
    pub const NIC: Self = Self {
        triggered: 127,
        counters: 64,
        entries: 64,
        descriptors: 64,
    };
}

/// What a rank needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Triggered operations, without the one that reports the end to the host.
    pub triggered: usize,
    /// Counters.
    pub counters: usize,
    /// Match entries, with those that are appended later.
    pub entries: usize,
    /// Memory descriptors.
    pub descriptors: usize,
    /// Messages that leave the rank, or go to itself.
    pub messages: usize,
    /// Work of the host, each of which it is woken for.
    pub works: usize,
    /// Tasks of the GPU. The first needs a match entry and a descriptor of its own, which are counted above.
    pub tasks: usize,
}

impl Needs {
    /// Of a program.
    pub fn of(program: &Program) -> Self {
        let is_work = |action: Action| matches!(action, Action::Work { .. });
        let is_message = |action: Action| {
            let sends = matches!(action, Action::Send { .. } | Action::Get { .. });
            sends || matches!(action, Action::Task { .. })
        };
        let appended = |action: Action| matches!(action, Action::Append { .. });
        let count = |of: &dyn Fn(Action) -> bool| {
            let triggered = program.triggered.iter();
            triggered.filter(|triggered| of(triggered.action)).count()
        };
        let tasks = count(&|action| matches!(action, Action::Task { .. }));
        Self {
            triggered: program.triggered.len(),
            counters: program.counters,
            entries: program.entries.len() + count(&appended) + tasks.min(1),
            descriptors: program.descriptors.len() + tasks.min(1),
            messages: count(&is_message),
            works: count(&is_work),
            tasks,
        }
    }

    /// Of each the most.
    pub fn most(self, other: Self) -> Self {
        Self {
            triggered: self.triggered.max(other.triggered),
            counters: self.counters.max(other.counters),
            entries: self.entries.max(other.entries),
            descriptors: self.descriptors.max(other.descriptors),
            messages: self.messages.max(other.messages),
            works: self.works.max(other.works),
            tasks: self.tasks.max(other.tasks),
        }
    }
}

/// What all ranks need, and how it is posted.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By rank.
    pub needs: Vec<Needs>,
    /// Triggered operations that fit with the one that reports the end to the host.
    pub one_posting: usize,
    /// Operations that are posted at a time if more are needed: the host waits with one more.
    pub window: usize,
    /// Whether it can be used as often as wanted without being posted again. Not if it is posted in windows, or has
    /// entries that are used once.
    pub again: bool,
    /// How often the host of each rank waits for a counter before it posts more.
    pub waits: Vec<usize>,
    /// Cycles that hosts work, of all ranks together.
    pub work_cycles: u64,
}

impl Plan {
    /// Of a schedule. One operation less than may wait is posted, as the last reports the end to the host. Errors: it
    /// needs more counters, entries or descriptors than a context has, for which there are no windows.
    pub fn new(schedule: &Schedule, limits: Limits) -> Result<Self, GraphError> {
        let needs: Vec<Needs> = schedule.programs.iter().map(Needs::of).collect();
        for (rank, needs) in needs.iter().enumerate() {
            let all = [
                ("counters", needs.counters, limits.counters),
                ("match entries", needs.entries, limits.entries),
                ("memory descriptors", needs.descriptors, limits.descriptors),
            ];
            if let Some((what, needed, limit)) =
                all.into_iter().find(|(_, needed, limit)| needed > limit)
            {
                return Err(GraphError::TooLarge {
                    rank,
                    what,
                    needed,
                    limit,
                });
            }
        }
        let mut plan = Self {
            needs,
            one_posting: limits.triggered - 1,
            window: limits.triggered - 2,
            again: false,
            waits: Vec::new(),
            work_cycles: work_cycles(schedule),
        };
        plan.again = plan.late_posts() == 0 && is_reusable(schedule);
        let ranks = schedule.programs.iter().enumerate();
        plan.waits = ranks.map(|(rank, own)| plan.waits_of(rank, own)).collect();
        Ok(plan)
    }

    /// Most operations of a rank that wait at the same time, with the one that reports the end, however often the
    /// schedule is used.
    pub fn waiting(&self) -> usize {
        let ranks = 0..self.needs.len();
        let most = ranks.map(|rank| self.first_window(rank)).max();
        most.unwrap_or(0) + 1
    }

    /// Of each resource, what the rank that needs most of it needs.
    pub fn worst(&self) -> Needs {
        self.needs
            .iter()
            .fold(Needs::default(), |worst, needs| worst.most(*needs))
    }

    /// How many operations of a rank are posted before the start.
    pub fn first_window(&self, rank: usize) -> usize {
        match self.needs.get(rank).map_or(0, |needs| needs.triggered) {
            all if all <= self.one_posting => all,
            _ => self.window,
        }
    }

    /// The operations of a rank that are posted at a time, at least one window.
    pub fn windows(&self, rank: usize) -> Vec<Range<usize>> {
        let all = self.needs.get(rank).map_or(0, |needs| needs.triggered);
        let first = self.first_window(rank);
        let later = (first..all).step_by(self.window.max(1));
        let later = later.map(|from| from..all.min(from + self.window.max(1)));
        std::iter::once(0..first).chain(later).collect()
    }

    /// Tasks of all GPUs.
    pub fn tasks(&self) -> usize {
        self.needs.iter().map(|needs| needs.tasks).sum()
    }

    /// Work of all hosts, each of which begins and ends by a host's hand.
    pub fn works(&self) -> usize {
        self.needs.iter().map(|needs| needs.works).sum()
    }

    /// Before each window but the first a host waits for each counter that triggers what is in the one before.
    fn waits_of(&self, rank: usize, program: &Program) -> usize {
        let mut windows = self.windows(rank);
        windows.pop();
        let counters = windows.into_iter().map(|window| {
            let window = program.triggered[window].iter();
            let counters = window.map(|triggered| triggered.gate.counter);
            counters.collect::<BTreeSet<_>>().len()
        });
        counters.sum()
    }

    /// Commands of all hosts that wait between windows: a triggered operation that reports to the host, and a look at
    /// the counter.
    pub fn late_waits(&self) -> usize {
        2 * self.waits.iter().sum::<usize>()
    }

    /// Posts of all hosts after the start: 0 if all fits, so that no host acts.
    pub fn late_posts(&self) -> usize {
        let all = self.needs.iter().enumerate();
        all.map(|(rank, needs)| needs.triggered - self.first_window(rank))
            .sum()
    }
}

fn work_cycles(schedule: &Schedule) -> u64 {
    let programs = schedule.programs.iter();
    let triggered = programs.flat_map(|program| &program.triggered);
    let cycles = triggered.map(|triggered| match triggered.action {
        Action::Work { cycles, .. } => cycles,
        _ => 0,
    });
    cycles.fold(0, u64::saturating_add)
}
