//! What the runs of one load found, all seeds together.

use super::locks::LockTimes;
use crate::bus::LINE_BYTES;
use crate::compnet::access::{LockEnd, Requester};
use crate::compnet::{Class, Counts, Load, Machine, Phases, RtlBank, System};
use crate::experiments::Interval;
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

/// What counts as an access of the command processor: the paper says "accesses".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Every request of the CP that reaches the L2.
    All,
    /// Its loads only: polls, payloads, private data.
    Loads,
}

impl Counting {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::All, Self::Loads];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all accesses",
            Self::Loads => "loads",
        }
    }

    /// Its classes.
    pub fn classes(self) -> &'static [Class] {
        match self {
            Self::All => &Class::ALL,
            Self::Loads => &Class::LOADS,
        }
    }
}

/// All runs of a load: one for each seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Size of the L2.
    pub l2_kib: u64,
    /// Networking work-groups.
    pub networking: u64,
    /// Streaming work-groups.
    pub streaming: u64,
    /// Whether networking work-groups lock the lines that they write.
    pub locking: bool,
    /// Runs.
    pub seeds: u64,
    /// Calls that the command processor found in the windows.
    pub calls: u64,
    /// From the call to the work-group's seeing it complete, on average of those that were seen in the windows; 0 if
    /// none was.
    pub call_ns: f64,
    /// Between two polls of one queue, on average.
    pub poll_ns: f64,
    /// What streaming work-groups loaded and stored.
    pub streamed_gigabytes_per_second: f64,
    /// Hits in a hundred accesses of the command processor, of any kind: the mean of the seeds.
    pub all: Option<Interval>,
    /// The same of its loads.
    pub loads: Option<Interval>,
    /// Of the polls that found a call: the lines that locked stores are to keep.
    pub found_hit_rate: Option<f64>,
    /// These polls in a hundred accesses: no locking can change more.
    pub found_share: Option<f64>,
    /// Polls that found nothing in a hundred loads.
    pub empty_share: Option<f64>,
    /// Hits of accesses to data of its own.
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
    cp: Counts,
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

/// The window of one run.
pub struct Window {
    /// The command processor's hits and misses in it.
    pub counts: Counts,
    streamed: u64,
    phases: Phases,
    overflows: u64,
    cycles: u64,
    locks: Vec<LockEnd>,
}

impl Window {
    /// What happened between two moments, and the locks that ended there.
    pub fn between(before: &Snapshot, after: &Snapshot, locks: Vec<LockEnd>) -> Self {
        Self {
            counts: after.cp.since(&before.cp),
            streamed: after.streamed - before.streamed,
            phases: after.phases.since(before.phases),
            overflows: after.overflows - before.overflows,
            cycles: after.cycle - before.cycle,
            locks,
        }
    }
}

impl Row {
    /// Of the windows of all seeds.
    pub fn new(system: &System, load: Load, windows: &[Window]) -> Self {
        let mut counts = Counts::default();
        for window in windows {
            counts.merge(&window.counts);
        }
        let sum = |of: fn(&Window) -> u64| windows.iter().map(of).sum::<u64>();
        let mean = |cycles: u64, number: u64| system.ns(cycles) / number.max(1) as f64;
        let rate = |counting: Counting| {
            let rates = windows.iter();
            let rates = rates.filter_map(|window| window.counts.sum(counting.classes()).rate());
            Interval::of(&rates.collect::<Vec<_>>())
        };
        let share = |class: Class, of: Counting| {
            let all = counts.sum(of.classes()).accesses();
            (all > 0).then(|| 100.0 * counts.of(class).accesses() as f64 / all as f64)
        };
        let (all, found) = (counts.sum(&Class::ALL), counts.of(Class::PollFound));
        let polls = found.accesses() + counts.of(Class::PollEmpty).accesses();
        let cycles = sum(|window| window.cycles);
        let calls = sum(|window| window.phases.calls);
        let served = sum(|window| window.phases.waited + window.phases.served);
        let streamed = sum(|window| window.streamed) * LINE_BYTES;
        let ends = windows.iter().flat_map(|window| &window.locks);
        Self {
            l2_kib: system.lines() as u64 * LINE_BYTES / 1024,
            networking: load.networking,
            streaming: load.streaming,
            locking: load.locking,
            seeds: windows.len() as u64,
            calls: found.accesses(),
            call_ns: mean(served, calls),
            poll_ns: mean(cycles * load.networking, polls),
            streamed_gigabytes_per_second: streamed as f64 / system.ns(cycles).max(1.0),
            all: rate(Counting::All),
            loads: rate(Counting::Loads),
            found_hit_rate: found.rate(),
            found_share: share(Class::PollFound, Counting::All),
            empty_share: share(Class::PollEmpty, Counting::Loads),
            own_hit_rate: counts.sum(&Class::OWN).rate(),
            hit_ns: mean(all.hit_cycles, all.hits),
            miss_ns: mean(all.miss_cycles, all.misses),
            classes: Self::classes(&counts),
            locks: LockTimes::new(ends, system),
            lock_overflows: sum(|window| window.overflows),
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

    /// Streaming : networking work-groups.
    pub fn ratio(&self) -> String {
        format!("{} : {}", self.streaming, self.networking)
    }

    /// The hit rate, counted so; 0 without accesses.
    pub fn rate(&self, counting: Counting) -> Interval {
        let rate = match counting {
            Counting::All => self.all,
            Counting::Loads => self.loads,
        };
        rate.unwrap_or_default()
    }

    fn points(&self, class: Class, counting: Counting, part: impl Fn(&ClassRow) -> u64) -> f64 {
        let counted = self.classes.iter();
        let counted = counted.filter(|row| counting.classes().contains(&row.class));
        let all: u64 = counted.map(|row| row.hits + row.misses).sum();
        let own = self.classes.iter().find(|row| row.class == class);
        100.0 * own.map_or(0, part) as f64 / all.max(1) as f64
    }

    /// Misses of a class in a hundred accesses that count.
    pub fn missing_points(&self, class: Class, counting: Counting) -> f64 {
        self.points(class, counting, |row| row.misses)
    }

    /// Hits of a class in a hundred accesses that count.
    pub fn hitting_points(&self, class: Class, counting: Counting) -> f64 {
        self.points(class, counting, |row| row.hits)
    }
}
