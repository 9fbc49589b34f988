//! A node's receiving end: the output of the switch to it, and the link from there.

use std::collections::{BTreeMap, VecDeque};

use super::config::NetworkConfig;
use super::link::Pacer;
use crate::bus::Beat;
use crate::saved::saved;

/// A beat on its way.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Travelling {
    source: u32,
    packet: u64,
    /// Whether it is the header beat.
    first: bool,
    beat: Beat,
    /// Cycle from which it can go on.
    due: u64,
}

/// When a packet arrived.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Arrival {
    pub(super) source: u32,
    pub(super) packet: u64,
    /// Its header beat was taken.
    pub(super) arrived: u64,
    /// Its last beat was.
    pub(super) ended: Option<u64>,
}

/// A node's receiving end.
#[derive(Clone, Debug)]
pub(super) struct Target {
    link: Pacer,
    /// What the link carries at full speed, and one beat at its end: a node that takes nothing stops it.
    capacity: u64,
    /// Source whose packet is under way.
    owner: Option<u32>,
    /// Source that is asked first.
    next: u32,
    /// Beats that are not on the link, by source, in the order in which they were sent; no queue is empty.
    queues: BTreeMap<u32, VecDeque<Travelling>>,
    /// Beats on the link, or waiting at its end.
    wire: VecDeque<Travelling>,
    /// Bytes that went over the link.
    pub(super) bytes: u64,
    /// The packets that arrived, if they are kept.
    pub(super) log: Option<Vec<Arrival>>,
}

saved!(Target { link, owner, next, queues, wire, bytes, log; keeps capacity });

impl Target {
    pub(super) fn new(config: &NetworkConfig) -> Self {
        Self {
            link: Pacer::new(config.link),
            capacity: config.link.latency.saturating_add(1),
            owner: None,
            next: 0,
            queues: BTreeMap::new(),
            wire: VecDeque::new(),
            bytes: 0,
            log: Some(Vec::new()),
        }
    }

    /// A beat will be at the output from cycle `due` on. Those of a source come in the order of sending.
    pub(super) fn queue(&mut self, source: u32, packet: u64, first: bool, beat: Beat, due: u64) {
        let queue = self.queues.entry(source).or_default();
        queue.push_back(Travelling {
            source,
            packet,
            first,
            beat,
            due,
        });
    }

    /// Whether a beat is at the end of the link in `cycle`.
    pub(super) fn offers(&self, cycle: u64) -> bool {
        self.wire.front().is_some_and(|beat| beat.due <= cycle)
    }

    /// Takes the beat that is at the end of the link in `cycle`, with its source.
    pub(super) fn take(&mut self, cycle: u64) -> Option<(u32, Beat)> {
        if !self.offers(cycle) {
            return None;
        }
        let taken = self.wire.pop_front()?;
        if let Some(log) = &mut self.log {
            if taken.first {
                log.push(Arrival {
                    source: taken.source,
                    packet: taken.packet,
                    arrived: cycle,
                    ended: None,
                });
            }
            if let Some(arrival) = log.last_mut().filter(|_| taken.beat.last) {
                arrival.ended = Some(cycle);
            }
        }
        Some((taken.source, taken.beat))
    }

    /// The end of `cycle`: the output sends a beat if there is one and the link is free.
    pub(super) fn serve(&mut self, cycle: u64) {
        let stopped = self.wire.len() as u64 >= self.capacity || !self.link.is_free(cycle);
        if self.queues.is_empty() || stopped {
            return;
        }
        let is_due = |queue: &VecDeque<Travelling>| queue.front().is_some_and(|b| b.due <= cycle);
        let source = match self.owner {
            Some(owner) => Some(owner).filter(|owner| self.queues.get(owner).is_some_and(is_due)),
            None => {
                let in_turn = self.queues.range(self.next..);
                let mut in_turn = in_turn.chain(self.queues.range(..self.next));
                in_turn
                    .find(|(_, queue)| is_due(queue))
                    .map(|(source, _)| *source)
            }
        };
        let Some(source) = source else {
            return;
        };
        let Some(queue) = self.queues.get_mut(&source) else {
            return;
        };
        if let Some(mut beat) = queue.pop_front() {
            if queue.is_empty() {
                self.queues.remove(&source);
            }
            self.bytes += beat.beat.bytes.len() as u64;
            beat.due = self.link.send(cycle, beat.beat.bytes.len());
            self.owner = (!beat.beat.last).then_some(source);
            self.next = source + 1;
            self.wire.push_back(beat);
        }
    }

    /// First cycle, from `now` on, in which a beat may move; `u64::MAX`: none will by itself.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        let arrives = self.wire.front().map(|beat| beat.due);
        let front = |queue: &VecDeque<Travelling>| queue.front().map(|beat| beat.due);
        let leaves = match self.owner {
            Some(owner) => self.queues.get(&owner).and_then(front),
            None => self.queues.values().filter_map(front).min(),
        };
        let next = arrives.into_iter().chain(leaves).min();
        next.map_or(u64::MAX, |due| due.max(now))
    }

    /// Whether nothing is on its way to the node.
    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.wire.is_empty()
    }
}
