//! A node's receiving end: the output of the switch to it, and the link from there.

use std::collections::{BTreeMap, VecDeque};

use super::class::Class;
use super::config::NetworkConfig;
use super::link::Pacer;
use crate::bus::Beat;

/// A beat on its way.
#[derive(Clone, Debug)]
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) source: u32,
    pub(super) packet: u64,
    /// Its header beat was taken.
    pub(super) arrived: u64,
    /// Its last beat was.
    pub(super) ended: Option<u64>,
}

/// What each class has for itself.
#[derive(Clone, Debug, Default)]
struct Side {
    /// Source whose packet is under way.
    owner: Option<u32>,
    /// Source that is asked first.
    next: u32,
    /// Beats that are not on the link, by source, in the order in which they were sent; no queue is empty.
    queues: BTreeMap<u32, VecDeque<Travelling>>,
    /// Beats on the link, or waiting at its end.
    wire: VecDeque<Travelling>,
    /// Where the packet that is being taken stands in the log.
    logged: usize,
}

impl Side {
    /// The source of the next beat, if it is there in `cycle`: that of the packet under way, else the next in turn.
    fn next_source(&self, cycle: u64) -> Option<u32> {
        let is_due = |queue: &VecDeque<Travelling>| queue.front().is_some_and(|b| b.due <= cycle);
        match self.owner {
            Some(owner) => self.queues.get(&owner).is_some_and(is_due).then_some(owner),
            None => {
                let in_turn = self.queues.range(self.next..);
                let mut in_turn = in_turn.chain(self.queues.range(..self.next));
                let found = in_turn.find(|(_, queue)| is_due(queue));
                found.map(|(source, _)| *source)
            }
        }
    }

    /// Takes the next beat of a source out of its queue.
    fn leave(&mut self, source: u32) -> Option<Travelling> {
        let queue = self.queues.get_mut(&source)?;
        let beat = queue.pop_front()?;
        if queue.is_empty() {
            self.queues.remove(&source);
        }
        self.owner = (!beat.beat.last).then_some(source);
        self.next = source + 1;
        Some(beat)
    }

    /// First cycle, from `now` on, in which a beat may move; `u64::MAX`: none will by itself.
    fn next_event(&self, now: u64) -> u64 {
        let arrives = self.wire.front().map(|beat| beat.due);
        let front = |queue: &VecDeque<Travelling>| queue.front().map(|beat| beat.due);
        let leaves = match self.owner {
            Some(owner) => self.queues.get(&owner).and_then(front),
            None => self.queues.values().filter_map(front).min(),
        };
        let next = arrives.into_iter().chain(leaves).min();
        next.map_or(u64::MAX, |due| due.max(now))
    }
}

/// A node's receiving end.
#[derive(Clone, Debug)]
pub(super) struct Target {
    link: Pacer,
    /// What the link carries of a class at full speed, and one beat at its end: a node that takes nothing of a class
    /// stops that class.
    capacity: u64,
    sides: [Side; 2],
    /// Who has the link next, if both want it.
    turn: Class,
    /// Bytes that went over the link.
    pub(super) bytes: u64,
    /// The packets that arrived, if they are kept.
    pub(super) log: Option<Vec<Arrival>>,
}

impl Target {
    pub(super) fn new(config: &NetworkConfig) -> Self {
        Self {
            link: Pacer::new(config.link),
            capacity: config.link.latency.saturating_add(1),
            sides: Default::default(),
            turn: Class::Request,
            bytes: 0,
            log: Some(Vec::new()),
        }
    }

    /// A beat will be at the output from cycle `due` on. Those of a source and class come in the order of sending.
    pub(super) fn queue(
        &mut self,
        (source, class, packet): (u32, Class, u64),
        first: bool,
        beat: Beat,
        due: u64,
    ) {
        let queue = self.sides[class.index()].queues.entry(source).or_default();
        queue.push_back(Travelling {
            source,
            packet,
            first,
            beat,
            due,
        });
    }

    /// Whether a beat of a class is at the end of the link in `cycle`.
    pub(super) fn offers(&self, cycle: u64, class: Class) -> bool {
        let front = self.sides[class.index()].wire.front();
        front.is_some_and(|beat| beat.due <= cycle)
    }

    /// Takes the beat of a class that is at the end of the link in `cycle`, with its source.
    pub(super) fn take(&mut self, cycle: u64, class: Class) -> Option<(u32, Beat)> {
        if !self.offers(cycle, class) {
            return None;
        }
        let side = &mut self.sides[class.index()];
        let taken = side.wire.pop_front()?;
        if let Some(log) = &mut self.log {
            if taken.first {
                side.logged = log.len();
                log.push(Arrival {
                    source: taken.source,
                    packet: taken.packet,
                    arrived: cycle,
                    ended: None,
                });
            }
            let arrival = log.get_mut(side.logged).filter(|_| taken.beat.last);
            if let Some(arrival) = arrival {
                arrival.ended = Some(cycle);
            }
        }
        Some((taken.source, taken.beat))
    }

    /// The end of `cycle`: the output sends a beat if there is one and the link is free. A class keeps the link until
    /// its packet ends, but does not hold up the other while it cannot go on.
    pub(super) fn serve(&mut self, cycle: u64) {
        if !self.link.is_free(cycle) {
            return;
        }
        for class in [self.turn, self.turn.other()] {
            let side = &mut self.sides[class.index()];
            let stopped = side.queues.is_empty() || side.wire.len() as u64 >= self.capacity;
            let source = (!stopped).then(|| side.next_source(cycle)).flatten();
            if let Some(mut beat) = source.and_then(|source| side.leave(source)) {
                self.turn = if beat.beat.last { class.other() } else { class };
                self.bytes += beat.beat.bytes.len() as u64;
                beat.due = self.link.send(cycle, beat.beat.bytes.len());
                side.wire.push_back(beat);
                return;
            }
        }
    }

    /// First cycle, from `now` on, in which a beat may move; `u64::MAX`: none will by itself.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        let [request, answer] = &self.sides;
        request.next_event(now).min(answer.next_event(now))
    }

    /// Whether nothing is on its way to the node.
    pub(super) fn is_empty(&self) -> bool {
        let mut sides = self.sides.iter();
        sides.all(|side| side.queues.is_empty() && side.wire.is_empty())
    }
}
