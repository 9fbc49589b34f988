//! What one run of the experiment found.

use super::locks::LockTimes;
use crate::bus::LINE_BYTES;
use crate::compnet::access::Requester;
use crate::compnet::{Class, Counts, Load, Machine, Phases, RtlBank, System};
use serde::Serialize;

/// The accesses of one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassRow {
    /// The class.
    pub class: Class,
    /// Its accesses to the L2 that hit.
    pub hits: u64,
    /// Those that did not.
    pub misses: u64,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Size of the L2.
    pub l2_kib: u64,
    /// What was on the machine.
    #[serde(flatten)]
    pub load: Load,
    /// Calls that the command processor found in the window.
    pub calls: u64,
    /// From the call to the work-group's seeing it complete, on average of those that were seen in the window; 0 if
    /// none was.
    pub call_ns: f64,
    /// Between two polls of one queue, on average.
    pub poll_ns: f64,
    /// What streaming work-groups loaded and stored.
    pub streamed_gigabytes_per_second: f64,
    /// Hits in a hundred accesses of the command processor: what the figure shows.
    pub hit_rate: Option<f64>,
    /// The same in the parts of the window: the least and the most.
    pub hit_rate_range: Option<[f64; 2]>,
    /// The same without the lines that its L1s write back.
    pub demand_hit_rate: Option<f64>,
    /// Of the polls that found a call: the lines that locked stores are to keep.
    pub found_hit_rate: Option<f64>,
    /// These polls in a hundred accesses: no locking can change more.
    pub found_share: Option<f64>,
    /// Of all accesses to entries of queues.
    pub entry_hit_rate: Option<f64>,
    /// Of those to data of its own.
    pub own_hit_rate: Option<f64>,
    /// What a hit takes, on average: from the command processor's request to its answer.
    pub hit_ns: f64,
    /// What a miss takes.
    pub miss_ns: f64,
    /// The accesses of the command processor, class by class.
    pub classes: Vec<ClassRow>,
    /// How long lines were locked.
    pub locks: LockTimes,
    /// Locked stores that got no lock.
    pub lock_overflows: u64,
}

/// Whether it is the command processor.
pub(super) fn is_cp(requester: Requester) -> bool {
    matches!(requester, Requester::CpThread(_))
}

/// What a machine has counted so far.
pub struct Snapshot {
    /// Of the command processor.
    pub cp: Counts,
    streamed: u64,
    phases: Phases,
    overflows: u64,
    cycle: u64,
}

impl Snapshot {
    /// Of this machine, now.
    pub fn of(machine: &Machine<RtlBank>) -> Self {
        let overflows = machine.banks().iter();
        Self {
            cp: machine.counts(is_cp),
            streamed: machine.counts(|_| true).of(Class::Stream).accesses(),
            phases: machine.phases(),
            overflows: overflows.map(|bank| bank.counts().lock_overflows).sum(),
            cycle: machine.now(),
        }
    }
}

/// What is gathered while the window runs.
pub struct Measured {
    /// Least and most hit rate of its parts.
    pub range: Option<[f64; 2]>,
    /// The locks that ended in it.
    pub locks: LockTimes,
}

impl Row {
    /// Of what happened between two moments.
    pub fn new(
        system: &System,
        load: Load,
        before: &Snapshot,
        after: &Snapshot,
        measured: Measured,
    ) -> Self {
        let counts = after.cp.since(&before.cp);
        let phases = after.phases.since(before.phases);
        let cycles = after.cycle - before.cycle;
        let mean = |cycles: u64, number: u64| system.ns(cycles) / number.max(1) as f64;
        let all = counts.sum(&Class::ALL);
        let found = counts.of(Class::PollFound);
        let polls = found.accesses() + counts.of(Class::PollEmpty).accesses();
        let demand = Class::ALL
            .into_iter()
            .filter(|class| *class != Class::WriteBack);
        let demand: Vec<_> = demand.collect();
        let streamed = (after.streamed - before.streamed) * LINE_BYTES;
        Self {
            l2_kib: system.lines() as u64 * LINE_BYTES / 1024,
            load,
            calls: found.accesses(),
            call_ns: mean(phases.waited + phases.served, phases.calls),
            poll_ns: mean(cycles * load.networking, polls),
            streamed_gigabytes_per_second: streamed as f64 / system.ns(cycles).max(1.0),
            hit_rate: all.rate(),
            hit_rate_range: measured.range,
            demand_hit_rate: counts.sum(&demand).rate(),
            found_hit_rate: found.rate(),
            found_share: (all.accesses() > 0)
                .then(|| 100.0 * found.accesses() as f64 / all.accesses() as f64),
            entry_hit_rate: counts.sum(&Class::ENTRIES).rate(),
            own_hit_rate: counts.sum(&Class::OWN).rate(),
            hit_ns: mean(all.hit_cycles, all.hits),
            miss_ns: mean(all.miss_cycles, all.misses),
            classes: Self::classes(&counts),
            locks: measured.locks,
            lock_overflows: after.overflows - before.overflows,
        }
    }

    /// The classes of the command processor that have accesses.
    fn classes(counts: &Counts) -> Vec<ClassRow> {
        let rows = Class::ALL.into_iter().map(|class| ClassRow {
            class,
            hits: counts.of(class).hits,
            misses: counts.of(class).misses,
        });
        rows.filter(|row| row.hits + row.misses > 0).collect()
    }

    fn accesses(&self) -> u64 {
        self.classes.iter().map(|row| row.hits + row.misses).sum()
    }

    fn points(&self, class: Class, part: impl Fn(&ClassRow) -> u64) -> f64 {
        let own = self.classes.iter().find(|row| row.class == class);
        100.0 * own.map_or(0, part) as f64 / self.accesses().max(1) as f64
    }

    /// Misses of a class in a hundred accesses of all classes.
    pub fn missing_points(&self, class: Class) -> f64 {
        self.points(class, |row| row.misses)
    }

    /// Hits of a class in a hundred accesses of all classes.
    pub fn hitting_points(&self, class: Class) -> f64 {
        self.points(class, |row| row.hits)
    }
}
