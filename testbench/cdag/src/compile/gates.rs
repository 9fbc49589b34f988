//! Passes 2 and 4: which counter reports what, and which entry a message lands in.
//!
//! **Pass 4, *direct triggering*.** What waits for one thing is triggered by the counter of that thing. What waits for
//! several has a counter of its own, on which each of them counts; nothing has a counter of its own otherwise.
//! *Proof obligation:* at the threshold all of them have come. A stream counts directly on such a counter only if
//! nothing else waits for a message of it and all of it is waited for, so it cannot count more than its share; else
//! what was waited for of it adds 1, once, when it has come. All shares together are the threshold. If something waits
//! for all that another one waits for and for more, it waits for that one's counter instead, so that the rounds of a
//! butterfly need one operation more each.
//!
//! **Pass 2, *offset sharing*.** All messages that count on one counter land in one entry, which stays and covers all
//! memory of the rank; the sender says where. *Proof obligation:* bits name the entry, of which there is one for a
//! counter, and the offset names the bytes, which the matching has fixed.

use super::net::{Net, What};
use super::streams::{Event, Streams};
use super::{Flaw, Options};
use crate::schedule::Gate;
use std::collections::BTreeMap;

/// A part of what is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Start,
    /// So many messages of a stream.
    Stream(usize, u64),
    /// All bytes of a send.
    Sent(usize),
    /// What another one waits for.
    Other(usize),
}

/// What a rank's nodes wait for, in counters.
#[derive(Clone, Debug, Default)]
pub(super) struct Gates {
    /// How many counters.
    pub(super) counters: usize,
    /// Of each sending node of the rank.
    pub(super) of_node: BTreeMap<usize, usize>,
    /// Of the end.
    pub(super) done: usize,
    /// The gates, by number.
    pub(super) gates: Vec<Gate>,
    /// What has to be counted up for a gate, each at a gate of its own.
    pub(super) counts: Vec<Vec<Gate>>,
    /// Counter of a stream.
    pub(super) of_stream: BTreeMap<usize, usize>,
    /// Counter of a send.
    pub(super) of_send: BTreeMap<usize, usize>,
}

/// The gates of a rank of which `nodes` are the nodes, sorted. The start adds 1 to the start counter, number 0.
pub(super) fn find(
    net: &Net,
    streams: &Streams,
    rank: usize,
    nodes: &[usize],
    pieces: &[u64],
    options: &Options,
) -> Gates {
    let mut known: BTreeMap<Vec<Part>, usize> = BTreeMap::new();
    let mut parts: Vec<Vec<Part>> = Vec::new();
    let mut gates = Gates::default();
    let mut number = |events: &[Event], of_node: &BTreeMap<usize, usize>| {
        let all = collect(streams, events, of_node);
        if let [Part::Other(gate)] = all[..] {
            return gate;
        }
        *known.entry(all.clone()).or_insert_with(|| {
            parts.push(all);
            parts.len() - 1
        })
    };
    for node in nodes.iter().filter(|node| !net.nodes[**node].is_passive()) {
        let gate = number(&streams.waits[*node], &gates.of_node);
        gates.of_node.insert(*node, gate);
    }
    gates.done = number(&streams.done[rank], &gates.of_node);
    shorten(&mut parts, options);
    assign(&mut gates, &parts, streams, rank, pieces, options);
    gates
}

/// Events as parts; of each stream the most that is waited for.
fn collect(streams: &Streams, events: &[Event], of_node: &BTreeMap<usize, usize>) -> Vec<Part> {
    let mut most: BTreeMap<usize, u64> = BTreeMap::new();
    let mut parts = Vec::new();
    for event in events {
        match *event {
            Event::Start => parts.push(Part::Start),
            Event::Sent(node) => parts.push(Part::Sent(node)),
            Event::Begun(node) => parts.extend(of_node.get(&node).map(|gate| Part::Other(*gate))),
            Event::Arrived(node) => {
                if let Some((stream, count)) = streams.place[node] {
                    let most = most.entry(stream).or_default();
                    *most = count.max(*most);
                }
            }
        }
    }
    parts.extend(
        most.into_iter()
            .map(|(stream, count)| Part::Stream(stream, count)),
    );
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Replaces in each gate what an earlier one waits for, if that is several parts, by that gate.
fn shorten(parts: &mut [Vec<Part>], options: &Options) {
    let whole = parts.to_vec();
    for (gate, parts) in parts.iter_mut().enumerate() {
        loop {
            let inside = whole[..gate].iter().enumerate().filter(|(_, other)| {
                other.len() > 1 && other.iter().all(|part| parts.contains(part))
            });
            let Some((other, _)) = inside.max_by_key(|(_, other)| other.len()) else {
                break;
            };
            parts.retain(|part| !whole[other].contains(part));
            if options.flaw != Some(Flaw::ForgetsEarlier) || parts.is_empty() {
                parts.push(Part::Other(other));
            }
            parts.sort_unstable();
            parts.dedup();
        }
    }
}

fn assign(
    gates: &mut Gates,
    parts: &[Vec<Part>],
    streams: &Streams,
    rank: usize,
    pieces: &[u64],
    options: &Options,
) {
    let mut users: BTreeMap<Part, Vec<usize>> = BTreeMap::new();
    for (gate, parts) in parts.iter().enumerate() {
        for part in parts {
            users.entry(name(*part)).or_default().push(gate);
        }
    }
    gates.counters = 1;
    let mut counter = || {
        gates.counters += 1;
        gates.counters - 1
    };
    let mut joined = vec![None; parts.len()];
    for (gate, parts) in parts
        .iter()
        .enumerate()
        .filter(|(_, parts)| parts.len() > 1)
    {
        let join = counter();
        joined[gate] = Some(join);
        for part in parts {
            let alone = users[&name(*part)].len() == 1;
            match *part {
                Part::Stream(stream, count) if alone && count == streams.streams[stream].total => {
                    gates.of_stream.insert(stream, join);
                }
                Part::Sent(node) if alone => {
                    gates.of_send.insert(node, join);
                }
                _ => {}
            }
        }
    }
    for part in users.keys() {
        match *part {
            Part::Stream(stream, _) if !gates.of_stream.contains_key(&stream) => {
                let shares = streams.with_start[rank] == Some(stream);
                let counter = if shares { 0 } else { counter() };
                gates.of_stream.insert(stream, counter);
            }
            Part::Sent(node) if !gates.of_send.contains_key(&node) => {
                gates.of_send.insert(node, counter());
            }
            _ => {}
        }
    }
    for (gate, parts) in parts.iter().enumerate() {
        let mut counts = Vec::new();
        let mut threshold = 0;
        for part in parts {
            let alone = gate_of(gates, *part, pieces);
            let (shared, share) = match *part {
                Part::Stream(stream, count) => (gates.of_stream.get(&stream), count),
                Part::Sent(node) => (gates.of_send.get(&node), pieces[node]),
                Part::Start | Part::Other(_) => (None, 0),
            };
            match joined[gate] {
                None => {
                    gates.gates.push(alone);
                }
                Some(join) if shared == Some(&join) => threshold += share,
                Some(_) => {
                    counts.push(alone);
                    threshold += 1;
                }
            }
        }
        if let Some(counter) = joined[gate] {
            match options.flaw {
                Some(Flaw::DropsCount) => _ = counts.pop(),
                Some(Flaw::LowThreshold) => threshold -= 1,
                _ => {}
            }
            gates.gates.push(Gate { counter, threshold });
        }
        gates.counts.push(counts);
    }
}

/// A stream by any number of its messages.
fn name(part: Part) -> Part {
    match part {
        Part::Stream(stream, _) => Part::Stream(stream, 0),
        other => other,
    }
}

/// The gate of a part alone.
fn gate_of(gates: &Gates, part: Part, pieces: &[u64]) -> Gate {
    match part {
        Part::Start => Gate {
            counter: 0,
            threshold: 1,
        },
        Part::Other(gate) => gates.gates[gate],
        Part::Stream(stream, count) => {
            let counter = gates.of_stream[&stream];
            let before = u64::from(counter == 0);
            Gate {
                counter,
                threshold: before + count,
            }
        }
        Part::Sent(node) => Gate {
            counter: gates.of_send[&node],
            threshold: pieces[node],
        },
    }
}

/// The node whose arrival a sender causes.
pub(super) fn lands(net: &Net, sender: usize) -> usize {
    match net.nodes[sender].what {
        What::Send { to, .. } => to,
        What::Fetch { serve, .. } => serve,
        _ => sender,
    }
}
