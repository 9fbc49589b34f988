//! A schedule that is used again without being posted again.
//!
//! Counters, entries and descriptors stay, and in each use a counter counts equally often. So an operation of use *u*
//! has a threshold that is higher by *u* times that. The NIC adds it: an operation that has left waits again, with a
//! threshold that is higher by its period ([`rearms`]), in the place that it has. All that fits once can be used as
//! often as wanted, and a use costs its host one command, the start.
//!
//! *Why a use cannot disturb the next:* a host starts a use when its own part of the one before is complete, and what a
//! rank does in a use waits for all ranks to have started it: by the start barrier of the schedule, whose proof
//! (`compile/start.rs`) covers uses, or by a barrier of the hosts before each. So nothing comes to a rank for a use
//! before its own part of the one before is complete, and all that its counters count in a use comes after that.
//! Messages of the start barrier alone may come earlier.
//!
//! *Why re-arming changes no order.* An operation fires when its threshold is reached, or when it waits again if that
//! is later. Never earlier, so what was said above holds; but it may be late. Take two operations X and Y of a rank, of
//! the same or of different counters, whose thresholds are always reached in this order, in each use: X before Y. In
//! use 0 both wait, and fire in this order. What fires first leaves first (the NIC has one queue for a context), and
//! what leaves first waits again first. So X waits again before Y does, its threshold is reached before that of Y, and
//! the later of the two moments is earlier for X: in the next use it fires first, too. The same is true for Y of a use
//! and X of the next. Two that are reached at once, by one count, fire in the order of posting; they wait again in that
//! order. If Y waits again after the count and X before, X has fired with it, and Y fires when it waits again.
//!
//! So of one counter, which counts by 1, operations fire in each use in the order of thresholds, and with one threshold
//! in that of posting, as if each use had been posted. Of different counters the order of what always comes in one
//! order is kept. Others were in any order before: nothing depends on it, and one that is late is one of them.

use crate::schedule::{Action, Gate, Program, Schedule, Triggered};

/// How often each counter of each rank counts in one use.
pub fn counts(schedule: &Schedule) -> Vec<Vec<u64>> {
    let programs = &schedule.programs;
    let mut counts: Vec<Vec<u64>> = programs
        .iter()
        .map(|program| vec![0; program.counters])
        .collect();
    for (rank, program) in programs.iter().enumerate() {
        counts[rank][program.start] += schedule.starts;
        // An entry that is used once takes one message, whichever.
        let once = program.entries.iter().filter(|entry| entry.once);
        for counter in once.filter_map(|entry| entry.counter) {
            counts[rank][counter] += 1;
        }
        for Triggered { action, .. } in &program.triggered {
            let (descriptor, target, bits, gets) = match *action {
                Action::Count { counter } => {
                    counts[rank][counter] += 1;
                    continue;
                }
                // Such a schedule is used once.
                Action::Append { .. } | Action::Unlink { .. } => continue,
                Action::Work { counter, .. } | Action::Task { counter, .. } => {
                    if let Some(counter) = counter {
                        counts[rank][counter] += 1;
                    }
                    continue;
                }
                Action::Send {
                    descriptor,
                    target,
                    bits,
                    ..
                } => (descriptor, target, bits, false),
                Action::Get {
                    descriptor,
                    target,
                    bits,
                    ..
                } => (descriptor, target, bits, true),
            };
            if let Some(counter) = program.descriptors[descriptor].counter {
                counts[rank][counter] += 1;
            }
            let mut entries = programs[target].entries.iter();
            let lands = entries.find(|entry| entry.takes(rank, bits) && (entry.gives || !gets));
            let stays = lands.filter(|entry| !entry.once);
            if let Some(counter) = stays.and_then(|entry| entry.counter) {
                counts[target][counter] += 1;
            }
        }
    }
    counts
}

/// Whether all entries stay and all operations can re-arm, so that it can be used again.
pub fn is_reusable(schedule: &Schedule) -> bool {
    let stays = |program: &Program| {
        let appends = |one: &Triggered| matches!(one.action, Action::Append { .. });
        !program.entries.iter().any(|entry| entry.once) && !program.triggered.iter().any(appends)
    };
    let mut programs = schedule.programs.iter().zip(counts(schedule));
    programs.all(|(program, counts)| stays(program) && rearms(program, &counts).is_some())
}

/// Highest period of an operation that re-arms.
const PERIODS: u64 = u16::MAX as u64;

/// Periods of a rank's operations, and of the one that reports the end: `counts` of its counters in one use. None if
/// one of them cannot re-arm: its counter counts never, or too often.
pub fn rearms(program: &Program, counts: &[u64]) -> Option<(Vec<u64>, u64)> {
    let period = |gate: Gate| {
        let count = counts.get(gate.counter).copied();
        count.filter(|count| (1..=PERIODS).contains(count))
    };
    let triggered = program.triggered.iter().map(|one| period(one.gate));
    Some((triggered.collect::<Option<_>>()?, period(program.done)?))
}

/// The operations of a rank as they wait in use number `number`, from 0, and when that is complete; `counts` are its
/// counters'.
pub fn posts(program: &Program, number: u64, counts: &[u64]) -> (Vec<Triggered>, Gate) {
    let later = |gate: Gate| Gate {
        threshold: gate.threshold + number * counts[gate.counter],
        ..gate
    };
    let triggered = program.triggered.iter().map(|triggered| Triggered {
        gate: later(triggered.gate),
        ..*triggered
    });
    (triggered.collect(), later(program.done))
}
