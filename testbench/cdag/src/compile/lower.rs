//! Streams and gates as programs of the ranks.

use super::gates::{self, Gates, lands};
use super::net::{Net, What};
use super::streams::{self, Streams};
use super::{Flaw, Options};
use crate::error::GraphError;
use crate::schedule::{
    ANY_TAG_BITS, Action, Descriptor, Entry, Gate, LENGTH_BITS, MessageKind, Program, Triggered,
    match_bits,
};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a packet of the network (docs/reference/formats.md).
pub(super) const PACKET: u64 = 4096;

/// Bytes of an atomic (docs/atomics.md).
pub(super) const ATOMIC: u64 = 512;

/// Messages of several packets that a context can have under way, a sender each (docs/blocks/admission/admission.md).
pub(super) const OPEN_MESSAGES: usize = 16;

/// Bytes of each message of a node: atomics are short, and data of ranks that hear from more senders than they can have
/// open messages go packet by packet.
pub(super) fn piece(net: &Net, crowded: &[bool], node: usize) -> u64 {
    let lands = &net.nodes[lands(net, node)];
    match lands.what {
        What::Recv {
            arithmetic: Some(_),
            ..
        }
        | What::Local {
            arithmetic: Some(_),
            ..
        } => ATOMIC,
        What::Serve { fetch, .. } if crowded[net.nodes[fetch].rank] => PACKET,
        // One entry takes one message.
        What::Cast { .. } | What::Catch { .. } => u64::MAX,
        What::Serve { .. } | What::Task { .. } => u64::MAX,
        _ if crowded[lands.rank] => PACKET,
        _ => u64::MAX,
    }
}

/// The ranks to which more ranks send long messages than a context can have open.
pub(super) fn crowded(net: &Net) -> Vec<bool> {
    let mut sources = vec![BTreeSet::new(); net.ranks()];
    for node in &net.nodes {
        let (from, rank) = match node.what {
            What::Send { from, to } | What::Serve { from, fetch: to } => (from, net.nodes[to].rank),
            What::Cast { from, to, .. } => (from, to),
            _ => continue,
        };
        if from.length > PACKET {
            sources[rank].insert(node.rank);
        }
    }
    sources
        .iter()
        .map(|sources| sources.len() > OPEN_MESSAGES)
        .collect()
}

/// What has been decided.
struct Lowering<'a> {
    net: &'a Net<'a>,
    streams: Streams,
    gates: Vec<Gates>,
    /// Entry of each counter that messages count on, by rank.
    entries: Vec<BTreeMap<Option<usize>, usize>>,
    crowded: Vec<bool>,
    options: &'a Options,
}

/// Makes the programs. Errors: as of [`Net::sorted`].
pub(super) fn lower(net: &Net, options: &Options) -> Result<Vec<Program>, GraphError> {
    let sorted = net.sorted()?;
    let orders = net.orders(&sorted);
    let crowded = crowded(net);
    let pieces: Vec<u64> = (0..net.nodes.len())
        .map(|node| {
            let (read, written) = net.nodes[node].accesses();
            read.length
                .max(written.length)
                .div_ceil(piece(net, &crowded, node))
                .max(1)
        })
        .collect();
    let streams = streams::find(net, &sorted, &orders, &pieces, options);
    let mut of_rank = vec![Vec::new(); net.ranks()];
    sorted
        .iter()
        .for_each(|node| of_rank[net.nodes[*node].rank].push(*node));
    let find = |(rank, nodes): (usize, &Vec<usize>)| {
        gates::find(net, &streams, rank, nodes, &pieces, options)
    };
    let gates: Vec<Gates> = of_rank.iter().enumerate().map(find).collect();
    let mut entries = vec![BTreeMap::new(); net.ranks()];
    for (number, stream) in streams
        .streams
        .iter()
        .enumerate()
        .filter(|(_, one)| !one.alone)
    {
        let entries = &mut entries[stream.rank];
        let next = entries.len();
        entries
            .entry(gates[stream.rank].of_stream.get(&number).copied())
            .or_insert(next);
    }
    let lowering = Lowering {
        net,
        streams,
        gates,
        entries,
        crowded,
        options,
    };
    Ok((0..net.ranks())
        .map(|rank| lowering.program(rank, &of_rank[rank]))
        .collect())
}

impl Lowering<'_> {
    fn program(&self, rank: usize, nodes: &[usize]) -> Program {
        let gates = &self.gates[rank];
        let mut entries: Vec<(usize, Option<usize>)> = self.entries[rank]
            .iter()
            .map(|(counter, entry)| (*entry, *counter))
            .collect();
        entries.sort_unstable();
        let mut program = Program {
            counters: gates.counters,
            entries: entries
                .into_iter()
                .map(|(entry, counter)| Entry {
                    bits: self.bits(entry),
                    counter,
                    gives: self.gives(rank, counter),
                    ..Entry::default()
                })
                .chain(self.open_entries(rank, nodes))
                .collect(),
            done: gates.gates[gates.done],
            ..Program::default()
        };
        let mut counted = BTreeSet::new();
        for node in nodes {
            if let Some(gate) = gates.of_node.get(node) {
                self.count(&mut program, gates, *gate, &mut counted);
                self.post(&mut program, gates, *node, gates.gates[*gate]);
            }
        }
        self.count(&mut program, gates, gates.done, &mut counted);
        program
    }

    /// The entries of receives that the NIC matches, in the order of the list.
    fn open_entries(&self, rank: usize, nodes: &[usize]) -> Vec<Entry> {
        let mut open: Vec<usize> = nodes.to_vec();
        open.retain(|node| self.net.place(*node).is_some());
        open.sort_by_key(|node| self.net.place(*node));
        if self.options.flaw == Some(Flaw::ListOrder) {
            open.reverse();
        }
        let counter = |node: usize| {
            let (stream, _) = self.streams.place[node]?;
            self.gates[rank].of_stream.get(&stream).copied()
        };
        let entry = |node: usize| {
            let entry = Entry {
                counter: counter(node),
                ..self.net.entry(node)?
            };
            Some(match self.options.flaw {
                Some(Flaw::TakesAll) => Entry {
                    source: None,
                    ignore: ANY_TAG_BITS,
                    ..entry
                },
                Some(Flaw::AnyLength) => Entry {
                    ignore: entry.ignore | LENGTH_BITS,
                    ..entry
                },
                Some(Flaw::TakesMore) => Entry {
                    once: false,
                    ..entry
                },
                _ => entry,
            })
        };
        open.into_iter().filter_map(entry).collect()
    }

    /// What counts for a gate, once.
    fn count(
        &self,
        program: &mut Program,
        gates: &Gates,
        gate: usize,
        counted: &mut BTreeSet<usize>,
    ) {
        if counted.insert(gate) {
            let counter = gates.gates[gate].counter;
            program
                .triggered
                .extend(gates.counts[gate].iter().map(|gate| Triggered {
                    gate: *gate,
                    action: Action::Count { counter },
                }));
        }
    }

    /// The messages of a node.
    fn post(&self, program: &mut Program, gates: &Gates, node: usize, gate: Gate) {
        let counter_of_send = gates.of_send.get(&node).copied();
        if let Some(action) = local_action(self.net.nodes[node].what, counter_of_send) {
            program.triggered.push(Triggered { gate, action });
            return;
        }
        let descriptor = descriptor(
            program,
            counter_of_send,
            matches!(self.net.nodes[node].what, What::Fetch { .. }),
        );
        if let What::Cast { from, to, bits } = self.net.nodes[node].what {
            let action = Action::Send {
                descriptor,
                from,
                target: to,
                bits,
                at: 0,
                arithmetic: None,
            };
            program.triggered.push(Triggered { gate, action });
            return;
        }
        let lands = lands(self.net, node);
        let (here, at) = match self.net.nodes[node].what {
            What::Send { from, to } => (from, self.net.nodes[to].accesses().1.at),
            What::Local { from, into, .. } => (from, into.at),
            What::Fetch { into, serve } => (into, self.net.nodes[serve].accesses().0.at),
            What::Recv { .. }
            | What::Cast { .. }
            | What::Catch { .. }
            | What::Serve { .. }
            | What::Work { .. }
            | What::Task { .. }
            | What::Gone => return,
        };
        let replies = matches!(self.net.nodes[node].what, What::Fetch { .. });
        let target = self.net.nodes[lands].rank;
        let arithmetic = match self.net.nodes[lands].what {
            What::Recv { arithmetic, .. } | What::Local { arithmetic, .. } => arithmetic,
            _ => None,
        };
        let Some((stream, _)) = self.streams.place[lands] else {
            return;
        };
        let counter = self.gates[target].of_stream.get(&stream).copied();
        let bits = self.bits(self.entries[target][&counter]);
        let piece = piece(self.net, &self.crowded, node);
        let mut sent = 0;
        loop {
            let length = (here.length - sent).min(piece);
            let here_part = here.part(sent, length);
            let at = match self.options.flaw {
                Some(Flaw::NoOffset) => 0,
                _ => at + sent,
            };
            let action = match replies {
                true => Action::Get {
                    descriptor,
                    into: here_part,
                    target,
                    bits,
                    at,
                },
                false => Action::Send {
                    descriptor,
                    from: here_part,
                    target,
                    bits,
                    at,
                    arithmetic,
                },
            };
            program.triggered.push(Triggered { gate, action });
            sent += length;
            if sent >= here.length {
                break;
            }
        }
    }

    /// Whether GETs count on this counter of a rank.
    fn gives(&self, rank: usize, counter: Option<usize>) -> bool {
        let gates = &self.gates[rank];
        let serves = self
            .net
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.rank == rank && matches!(node.what, What::Serve { .. }));
        let mut streams = serves.filter_map(|(number, _)| self.streams.place[number]);
        streams.any(|(stream, _)| gates.of_stream.get(&stream).copied() == counter)
    }

    fn bits(&self, entry: usize) -> u64 {
        match_bits(MessageKind::Data, self.options.schedule, entry)
    }
}

/// The descriptor that counts on this counter: messages whose bytes have been read, or replies.
pub(super) fn descriptor(program: &mut Program, counter: Option<usize>, replies: bool) -> usize {
    let wanted = Descriptor { counter, replies };
    let found = program
        .descriptors
        .iter()
        .position(|descriptor| *descriptor == wanted);
    found.unwrap_or_else(|| {
        program.descriptors.push(wanted);
        program.descriptors.len() - 1
    })
}

/// What a node does without a message of the network; it counts on `counter` at its end.
pub(super) fn local_action(what: What, counter: Option<usize>) -> Option<Action> {
    match what {
        What::Work { cycles } => Some(Action::Work { cycles, counter }),
        What::Task {
            from,
            into,
            arithmetic,
        } => Some(Action::Task {
            from,
            into,
            arithmetic,
            counter,
        }),
        _ => None,
    }
}
