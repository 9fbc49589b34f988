//! The literal lowering: figures 5, 7 and 8 of the paper as they are, the reference for what the passes make; with
//! [`handshake`] also figure 6.
//!
//! A vertex has a counter that enables it and one of its completion, a match entry that is used once, and a triggered
//! operation for each edge to the next ones. A ready-to-receive and a message that waits in its shadow buffer count on
//! the counter that enables what waits for them.

use super::handshake::Handshake;
use super::lower::{crowded, descriptor, local_action, piece};
use super::net::{Net, What};
use super::{Options, Protocol};
use crate::error::GraphError;
use crate::graph::Slice;
use crate::schedule::{Action, Entry, Gate, MessageKind, Program, Triggered, match_bits};

/// The counters of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    enable: usize,
    done: usize,
}

/// Makes the programs. Errors: as of [`Net::sorted`].
pub(super) fn lower(net: &Net, options: &Options) -> Result<Vec<Program>, GraphError> {
    let sorted = net.sorted()?;
    let dependents = net.dependents();
    let crowded = crowded(net);
    let mut programs: Vec<Program> = (0..net.ranks())
        .map(|_| Program {
            counters: 2,
            ..Program::default()
        })
        .collect();
    let mut counters = vec![Counters::default(); net.nodes.len()];
    let mut entries = vec![Vec::new(); net.ranks()];
    for node in &sorted {
        let program = &mut programs[net.nodes[*node].rank];
        counters[*node] = Counters {
            enable: program.counters,
            done: program.counters + 1,
        };
        program.counters += 2;
    }
    let start = Gate {
        counter: 0,
        threshold: 1,
    };
    let bits = |node: usize| match_bits(MessageKind::Data, options.schedule, node);
    for number in &sorted {
        let node = &net.nodes[*number];
        let program = &mut programs[node.rank];
        let length = |number: usize| {
            let (read, written) = net.nodes[number].accesses();
            read.length.max(written.length)
        };
        let pieces = length(*number)
            .div_ceil(piece(net, &crowded, *number))
            .max(1);
        let asks = options.protocol == Protocol::Unmatched
            && matches!(node.what, What::Send { .. } | What::Recv { .. });
        // What waits for it, or itself if it is what others wait for.
        let counts_on = match dependents[*number][..] {
            [dependent] if node.joins => counters[dependent].enable,
            _ => counters[*number].done,
        };
        let own = local_action(node.what, Some(counters[*number].done));
        let sends = matches!(node.what, What::Send { .. } | What::Cast { .. });
        if own.is_none() && !sends && !asks {
            let stays = Entry {
                bits: bits(*number),
                once: pieces == 1,
                ..Entry::default()
            };
            let entry = Entry {
                counter: Some(counts_on),
                ..net.entry(*number).unwrap_or(stays)
            };
            entries[node.rank].push((net.place(*number), entry));
        }
        let (from, at, target, lands) = match node.what {
            What::Send { from, to } => {
                (from, net.nodes[to].accesses().1.at, net.nodes[to].rank, to)
            }
            What::Cast { from, to, .. } => (from, 0, to, *number),
            What::Local { from, into, .. } => (from, into.at, node.rank, *number),
            // There are no GETs in the figures.
            What::Recv { .. }
            | What::Catch { .. }
            | What::Fetch { .. }
            | What::Serve { .. }
            | What::Work { .. }
            | What::Task { .. }
            | What::Gone => (Slice::default(), 0, node.rank, *number),
        };
        let arithmetic = match net.nodes[lands].what {
            What::Recv { arithmetic, .. } | What::Local { arithmetic, .. } => arithmetic,
            _ => None,
        };
        if !node.is_passive() || asks {
            let waits = node.after.len() as u64;
            if waits == 0 {
                program
                    .triggered
                    .push(count(start, counters[*number].enable));
            }
            let gate = Gate {
                counter: counters[*number].enable,
                threshold: waits.max(1)
                    + u64::from(
                        waits > 0 && node.after.iter().all(|before| net.nodes[*before].joins),
                    ),
            };
            // Nothing but a ready-to-receive to wait for: the start enables it.
            if gate.threshold > waits && waits > 0 {
                program
                    .triggered
                    .push(count(start, counters[*number].enable));
            }
            if asks {
                Handshake {
                    net,
                    options,
                    node: *number,
                    gate,
                    done: counters[*number].done,
                    piece: piece(net, &crowded, *number),
                }
                .post(program);
            } else if let Some(action) = own {
                program.triggered.push(Triggered { gate, action });
            } else {
                let sends = sends.then_some(counters[*number].done);
                let descriptor = descriptor(program, sends, false);
                let piece = piece(net, &crowded, *number);
                for place in 0..pieces {
                    let sent = place * piece.min(from.length);
                    let part = from.part(sent, (from.length - sent).min(piece));
                    program.triggered.push(Triggered {
                        gate,
                        action: Action::Send {
                            descriptor,
                            from: part,
                            target,
                            bits: match node.what {
                                What::Cast { bits, .. } => bits,
                                _ => bits(lands),
                            },
                            at: at + sent,
                            arithmetic,
                        },
                    });
                }
            }
        }
        if !node.joins {
            let done = Gate {
                counter: counters[*number].done,
                threshold: pieces,
            };
            let enabled = dependents[*number]
                .iter()
                .map(|dependent| counters[*dependent].enable);
            let enabled: Vec<usize> = enabled.collect();
            if enabled.is_empty() {
                program.done.threshold += 1;
                program.triggered.push(count(done, 1));
            }
            program
                .triggered
                .extend(enabled.into_iter().map(|counter| count(done, counter)));
        }
    }
    for (program, mut entries) in programs.iter_mut().zip(entries) {
        // Of receives from any source in the order of the list.
        entries.sort_by_key(|(place, _)| *place);
        program.entries = entries.into_iter().map(|(_, entry)| entry).collect();
        // A rank that does nothing is done when it starts.
        program.done = match program.done.threshold {
            0 => start,
            threshold => Gate {
                counter: 1,
                threshold,
            },
        };
    }
    Ok(programs)
}

fn count(gate: Gate, counter: usize) -> Triggered {
    Triggered {
        gate,
        action: Action::Count { counter },
    }
}
