//! Several schedules outstanding at once (section IV.B of the paper): a host starts one after the other, each while
//! those before may be under way, and the NICs carry them out beside each other.
//!
//! Each has counters, descriptors, entries and memory of its own, so nothing that one counts is seen by another. What
//! keeps their messages apart is the schedule tag in the match bits, of the start barriers too: "n outstanding
//! schedules need n barriers".

use crate::error::GraphError;
use crate::graph::Slice;
use crate::schedule::{Action, Descriptor, Entry, Gate, Program, Schedule, Triggered, tag};
use std::collections::BTreeSet;

/// What memory of a schedule after another begins at a multiple of.
const ALIGNMENT: u64 = 64;

/// One schedule of which start number *i* of a host starts the *i*-th of these, that ends with the last of them, and
/// where the memory of each begins. Errors: two have the same tag; they have not the same ranks.
pub fn together(schedules: &[Schedule]) -> Result<(Schedule, Vec<u64>), GraphError> {
    let ranks = schedules.first().map_or(0, |one| one.programs.len());
    let mut known = BTreeSet::new();
    for schedule in schedules {
        let entries = schedule.programs.iter().flat_map(|one| &one.entries);
        let tags: BTreeSet<u64> = entries.map(|entry| tag(entry.bits)).collect();
        if let Some(tag) = tags.intersection(&known).next() {
            return Err(GraphError::SameTag { tag: *tag });
        }
        known.extend(tags);
        if schedule.programs.len() != ranks {
            return Err(GraphError::OtherRanks {
                first: ranks,
                second: schedule.programs.len(),
            });
        }
    }
    // Counter 0 starts one after the other, counter 1 counts those that are complete.
    let complete = Gate {
        counter: 1,
        threshold: schedules.len() as u64,
    };
    let program = Program {
        counters: 2,
        done: complete,
        ..Program::default()
    };
    let mut all = Schedule {
        programs: vec![program; ranks],
        memory: vec![0; ranks],
        barrier: !schedules.is_empty() && schedules.iter().all(|one| one.barrier),
        starts: 0,
    };
    let mut places = Vec::new();
    for schedule in schedules {
        let memory = all.memory.iter().max().copied().unwrap_or(0);
        let place = memory.next_multiple_of(ALIGNMENT);
        all.starts += schedule.starts;
        for (rank, memory) in schedule.memory.iter().enumerate() {
            all.memory[rank] = place + memory;
            add(&mut all.programs[rank], all.starts, schedule, rank, place);
        }
        places.push(place);
    }
    Ok((all, places))
}

/// Memory of each rank in which that of each schedule is at its place, as [`together`] gives them.
pub fn placed(places: &[u64], parts: &[Vec<Vec<u8>>]) -> Vec<Vec<u8>> {
    let ranks = parts.iter().map(Vec::len).max().unwrap_or(0);
    let mut memory = vec![Vec::new(); ranks];
    for (place, part) in places.iter().zip(parts) {
        for (memory, bytes) in memory.iter_mut().zip(part) {
            memory.resize(*place as usize, 0);
            memory.extend(bytes);
        }
    }
    memory
}

/// Adds what a rank does in one schedule, whose memory begins at `place` and which start number `number` starts.
fn add(all: &mut Program, number: u64, schedule: &Schedule, rank: usize, place: u64) {
    let program = &schedule.programs[rank];
    let moved = Moved {
        schedule,
        rank,
        place,
        counters: all.counters,
        descriptors: all.descriptors.len(),
        appended: appended(all),
    };
    all.counters += program.counters;
    all.entries
        .extend(program.entries.iter().map(|entry| moved.entry(*entry)));
    all.descriptors
        .extend(program.descriptors.iter().map(|descriptor| {
            let counter = moved.counter(descriptor.counter);
            Descriptor {
                counter,
                ..*descriptor
            }
        }));
    let begins = Triggered {
        gate: Gate {
            counter: 0,
            threshold: number,
        },
        action: Action::Count {
            counter: moved.counters + program.start,
        },
    };
    let ends = Triggered {
        gate: moved.gate(program.done),
        action: Action::Count {
            counter: all.done.counter,
        },
    };
    let own = program.triggered.iter().map(|one| Triggered {
        gate: moved.gate(one.gate),
        action: moved.action(one.action),
    });
    all.triggered.extend(
        std::iter::once(begins)
            .chain(own)
            .chain(std::iter::once(ends)),
    );
}

/// How many entries operations of a program append.
fn appended(program: &Program) -> usize {
    let appends = |one: &&Triggered| matches!(one.action, Action::Append { .. });
    program.triggered.iter().filter(appends).count()
}

/// Where the things of a rank are in the schedule of all.
struct Moved<'a> {
    schedule: &'a Schedule,
    rank: usize,
    place: u64,
    counters: usize,
    descriptors: usize,
    appended: usize,
}

impl Moved<'_> {
    fn gate(&self, gate: Gate) -> Gate {
        Gate {
            counter: self.counters + gate.counter,
            ..gate
        }
    }

    fn slice(&self, slice: Slice) -> Slice {
        Slice {
            at: self.place + slice.at,
            ..slice
        }
    }

    fn counter(&self, counter: Option<usize>) -> Option<usize> {
        counter.map(|counter| self.counters + counter)
    }

    fn entry(&self, entry: Entry) -> Entry {
        Entry {
            into: entry.into.map(|into| self.slice(into)),
            counter: self.counter(entry.counter),
            ..entry
        }
    }

    /// Where a message lands: in memory, or in the bytes of its entry.
    fn at(&self, target: usize, bits: u64, at: u64) -> u64 {
        let Program {
            entries, triggered, ..
        } = &self.schedule.programs[target];
        let appended = triggered.iter().filter_map(|one| match &one.action {
            Action::Append { entry, .. } => Some(entry),
            _ => None,
        });
        let mut entries = entries.iter().chain(appended);
        let lands = entries.find(|entry| entry.takes(self.rank, bits));
        match lands.and_then(|entry| entry.into) {
            Some(_) => at,
            None => self.place + at,
        }
    }

    fn action(&self, mut action: Action) -> Action {
        match &mut action {
            Action::Send {
                descriptor,
                from: own,
                target,
                bits,
                at,
                ..
            }
            | Action::Get {
                descriptor,
                into: own,
                target,
                bits,
                at,
            } => {
                *descriptor += self.descriptors;
                *own = self.slice(*own);
                *at = self.at(*target, *bits, *at);
            }
            Action::Work { counter, .. } => *counter = self.counter(*counter),
            Action::Task {
                from,
                into,
                counter,
                ..
            } => {
                *from = self.slice(*from);
                *into = self.slice(*into);
                *counter = self.counter(*counter);
            }
            Action::Append { number, entry } => {
                *number += self.appended;
                *entry = self.entry(*entry);
            }
            Action::Unlink { number } => *number += self.appended,
            Action::Count { counter } => *counter += self.counters,
        }
        action
    }
}
