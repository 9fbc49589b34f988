//! What is measured of a trace, and of a trace through a matcher.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use xtq_mpi_trace::{Distribution, Op, QueueStatistics, Trace};

/// Quartiles of a list, in entries, and of lengths of messages, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest, first quartile, median, third quartile, largest.
    pub quartiles: [usize; 5],
    /// Mean.
    pub mean: f64,
}

impl From<Distribution> for Spread {
    fn from(distribution: Distribution) -> Self {
        Self {
            quartiles: distribution.quartiles,
            mean: distribution.mean,
        }
    }
}

/// The lists of a load, rebuilt by the naive matcher.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Queues {
    /// The load.
    pub load: String,
    /// It is made up.
    pub synthetic: bool,
    /// Posts.
    pub posts: usize,
    /// Arrivals.
    pub arrivals: usize,
    /// Share of the arrivals that were unexpected, in per cent.
    pub unexpected_percent: f64,
    /// Posted receives when a message arrives, where there are any.
    pub posted_length: Spread,
    /// Of them, looked at.
    pub posted_depth: Spread,
    /// Unexpected messages when a receive is posted, where there are any.
    pub unexpected_length: Spread,
    /// Of them, looked at.
    pub unexpected_depth: Spread,
    /// Receives and messages that are left at the end.
    pub left: [usize; 2],
}

impl Queues {
    /// Of this load.
    pub fn new(load: &str, synthetic: bool, figures: QueueStatistics) -> Self {
        Self {
            load: load.into(),
            synthetic,
            posts: figures.posts,
            arrivals: figures.arrivals,
            unexpected_percent: 100.0 * figures.unexpected_share(),
            left: [figures.receives_left, figures.messages_left],
            posted_length: figures.posted_length.into(),
            posted_depth: figures.posted_depth.into(),
            unexpected_length: figures.unexpected_length.into(),
            unexpected_depth: figures.unexpected_depth.into(),
        }
    }
}

/// What a trace says besides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calls {
    /// The load.
    pub load: String,
    /// Its format.
    pub format: &'static str,
    /// Ranks.
    pub ranks: u32,
    /// Ranks whose calls are not in the trace.
    pub missing_ranks: usize,
    /// Sends that do not block, in per cent.
    pub isend_percent: f64,
    /// Receives that do not block, in per cent.
    pub irecv_percent: f64,
    /// Receives with a wildcard.
    pub wildcards: usize,
    /// Other ranks to which a rank sends, mean of those that send.
    pub peers: f64,
    /// Bytes of messages between two ranks, of those that are in the trace.
    pub bytes: Spread,
    /// Share of all bytes that such messages have, and not collectives and one-sided calls, in per cent.
    pub message_bytes_percent: f64,
    /// Calls of collectives, by name.
    pub collectives: BTreeMap<&'static str, usize>,
    /// Sends and receives left out, and why.
    pub left_out: Vec<(u64, &'static str)>,
    /// What the format does not record.
    pub not_in_the_trace: &'static [&'static str],
}

impl Calls {
    /// Of this trace.
    pub fn new(load: &str, trace: &Trace) -> Self {
        let (mut sends, mut receives) = ([0, 0], [0, 0]);
        let (mut wildcards, mut others, mut collectives) = (0, 0, BTreeMap::new());
        let mut bytes = vec![];
        let mut peers: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for call in &trace.calls {
            match call.op {
                Op::Send(message) => {
                    sends[usize::from(message.blocking)] += 1;
                    peers.entry(call.rank).or_default().insert(message.to);
                    bytes.extend(message.bytes.map(|bytes| bytes as usize));
                }
                Op::Receive(receive) => {
                    receives[usize::from(receive.blocking)] += 1;
                    wildcards += usize::from(receive.from.is_none() || receive.tag.is_none());
                }
                Op::Collective(name, length) => {
                    *collectives.entry(name).or_insert(0) += 1;
                    others += length.unwrap_or(0);
                }
                Op::OneSided(_, length) => others += length.unwrap_or(0),
                Op::Wait(_) => {}
            }
        }
        let percent = |part: f64, of: f64| if of > 0.0 { 100.0 * part / of } else { 0.0 };
        let free = |counts: [usize; 2]| percent(counts[0] as f64, (counts[0] + counts[1]) as f64);
        let all = bytes.iter().sum::<usize>() as f64;
        let many: usize = peers.values().map(BTreeSet::len).sum();
        let left_out = trace.left_out.iter();
        Self {
            load: load.into(),
            format: trace.format.name(),
            ranks: trace.ranks,
            missing_ranks: trace.missing().len(),
            isend_percent: free(sends),
            irecv_percent: free(receives),
            wildcards,
            peers: many as f64 / peers.len().max(1) as f64,
            bytes: Distribution::of(bytes).into(),
            message_bytes_percent: percent(all, all + others as f64),
            collectives,
            left_out: left_out.map(|(why, count)| (*count, why.why())).collect(),
            not_in_the_trace: trace.format.lacks(),
        }
    }
}

/// A load through a matcher.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// The load.
    pub load: String,
    /// As it is, or without unexpected messages.
    pub expected_only: bool,
    /// The matcher.
    pub matcher: &'static str,
    /// Posts and arrivals, of the NIC those of the beginning.
    pub events: usize,
    /// Of them, of ranks with wildcards that the matcher cannot have: not played.
    pub wildcard_events: usize,
    /// Pairs that the naive matcher finds.
    pub pairs: usize,
    /// Pairs that the hardware finds too.
    pub equal: usize,
    /// Posts and arrivals whose outcome is another one.
    pub different: usize,
    /// Of them, refused for want of room.
    pub refused: usize,
    /// Cycles, of all ranks together.
    pub cycles: u64,
}

impl Run {
    /// Cycles for each post and arrival.
    pub fn cycles_each(&self) -> f64 {
        self.cycles as f64 / (self.events - self.wildcard_events).max(1) as f64
    }
}
