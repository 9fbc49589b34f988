//! The start barrier of a schedule (section IV.B of the paper): nothing leaves before all ranks have started.
//!
//! A dissemination barrier among the NICs: the host counts up a counter, and the schedule's start counter gets its two
//! tokens from the last round. Its entries are posted when the communicator is made, before any schedule; each
//! outstanding schedule needs a barrier of its own, distinguished by the schedule's tag.

use super::lower::descriptor;
use crate::graph::Slice;
use crate::schedule::{Action, Entry, Gate, MessageKind, Schedule, Triggered, match_bits};
use crate::topology::rounds;

/// Puts a barrier before each program.
pub(super) fn add_barrier(schedule: &mut Schedule, tag: u64) {
    let ranks = schedule.programs.len();
    let rounds = rounds(ranks);
    if rounds == 0 {
        return;
    }
    for (rank, program) in schedule.programs.iter_mut().enumerate() {
        program.start = program.counters;
        // The counter of each round; that of the last is the schedule's start.
        let heard: Vec<usize> = (1..rounds)
            .map(|round| program.counters + round)
            .chain([0])
            .collect();
        program.counters += rounds;
        let descriptor = descriptor(program, None, false);
        let mut gate = Gate {
            counter: program.start,
            threshold: 1,
        };
        let mut barrier = Vec::new();
        for (round, counter) in heard.into_iter().enumerate() {
            let bits = match_bits(MessageKind::Ready, tag, round);
            program.entries.push(Entry {
                bits,
                counter: Some(counter),
                early: true,
                ..Entry::default()
            });
            barrier.push(Triggered {
                gate,
                action: Action::Send {
                    descriptor,
                    from: Slice::default(),
                    target: (rank + (1 << round)) % ranks,
                    bits,
                    at: 0,
                    arithmetic: None,
                },
            });
            barrier.push(Triggered {
                gate,
                action: Action::Count { counter },
            });
            gate = Gate {
                counter,
                threshold: 2,
            };
        }
        program.triggered.splice(0..0, barrier);
    }
}
