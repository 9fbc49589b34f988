//! The start barrier of a schedule (section IV.B of the paper): nothing leaves before all ranks have started.
//!
//! A dissemination barrier among the NICs: the host counts up a counter, each round has one, and the last round counts
//! up the schedule's start counter. Its entries are posted when the communicator is made, before any schedule; each
//! outstanding schedule needs a barrier of its own, distinguished by the schedule's tag.
//!
//! *Proof obligation:* the start is counted up for a use of a schedule after all ranks have started that use, also if
//! ranks go on to the next use as soon as their own part is complete. A round of use *u* fires at 2(*u* + 1). If its
//! counter has *u* + 1 from each of its two sources, all ranks that the round stands for have started the use. If it
//! has more of one, a rank has started the next use. That rank has ended this one, for which its start, or a message
//! from a rank that had its start, was needed: all have started this use. Data count on none of these counters.

use super::lower::descriptor;
use super::{Flaw, Options};
use crate::graph::Slice;
use crate::schedule::{Action, Entry, Gate, MessageKind, Schedule, Triggered, match_bits};
use crate::topology::rounds;

/// Puts a barrier before each program.
pub(super) fn add_barrier(schedule: &mut Schedule, options: &Options) {
    let ranks = schedule.programs.len();
    let rounds = rounds(ranks);
    if rounds == 0 {
        return;
    }
    for (rank, program) in schedule.programs.iter_mut().enumerate() {
        program.start = program.counters;
        let mut heard: Vec<usize> = (program.start + 1..=program.start + rounds).collect();
        program.counters += 1 + rounds;
        if options.flaw == Some(Flaw::RoundOnStart) {
            heard[rounds - 1] = 0;
        }
        let descriptor = descriptor(program, None, false);
        let mut gate = Gate {
            counter: program.start,
            threshold: 1,
        };
        let mut barrier = Vec::new();
        for (round, counter) in heard.into_iter().enumerate() {
            let bits = match_bits(MessageKind::Ready, options.schedule, round);
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
        barrier.push(Triggered {
            gate,
            action: Action::Count { counter: 0 },
        });
        program.triggered.splice(0..0, barrier);
    }
}
