//! A schedule that is used again without being posted again.
//!
//! Counters, entries and descriptors stay; a triggered operation fires once. In each use a counter counts equally
//! often, so the operations of use *u* have thresholds that are higher by *u* times that, and those of several uses may
//! wait at the same time. A use then costs its host one command, the start.
//!
//! *Why a use cannot disturb the next:* a host starts a use when its own part of the one before is complete, and what a
//! rank does in a use waits for all ranks to have started it: by the start barrier of the schedule, whose proof
//! (`compile/start.rs`) covers uses, or by a barrier of the hosts before each. So nothing comes to a rank for a use
//! before its own part of the one before is complete, and all that its counters count in a use comes after that.
//! Messages of the start barrier alone may come earlier.

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

/// Whether all entries stay, so that it can be used again.
pub fn is_reusable(schedule: &Schedule) -> bool {
    let stays = |program: &Program| {
        let appends = |one: &Triggered| matches!(one.action, Action::Append { .. });
        !program.entries.iter().any(|entry| entry.once) && !program.triggered.iter().any(appends)
    };
    schedule.programs.iter().all(stays)
}

/// What a rank posts for use number `number`, from 0, and when that is complete; `counts` are its counters'.
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
