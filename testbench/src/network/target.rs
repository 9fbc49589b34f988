//! A node's receiving end: the output of its switch to it, and what is on the link from there.

use std::collections::VecDeque;

use super::class::Class;
use super::config::NetworkConfig;
use super::output::{Output, Travelling};
use super::record::Arrival;
use crate::bus::Beat;
use crate::saved::saved;

/// A node's receiving end.
#[derive(Clone, Debug)]
pub(super) struct Target {
    output: Output,
    /// What the link carries of a class at full speed, and one beat at its end: a node that takes nothing of a class
    /// stops that class.
    capacity: u64,
    /// Beats of each class on the link, or waiting at its end.
    wires: [VecDeque<Travelling>; 2],
    /// The packets that arrived, if they are kept.
    pub(super) log: Option<Vec<Arrival>>,
    /// Where the packet of each class that is being taken stands in the log.
    logged: [usize; 2],
}

saved!(Target { output, wires, log, logged; keeps capacity });

impl Target {
    pub(super) fn new(config: &NetworkConfig) -> Self {
        Self {
            output: Output::new(config.link),
            capacity: config.link.latency.saturating_add(1),
            wires: Default::default(),
            log: Some(Vec::new()),
            logged: [0; 2],
        }
    }

    /// A beat will be at the output from its `due` on. Those of a source and class come in the order of sending.
    pub(super) fn queue(&mut self, beat: Travelling) {
        self.output.queue(beat);
    }

    /// Bytes that went over the link.
    pub(super) fn bytes(&self) -> u64 {
        self.output.bytes
    }

    /// Whether a beat of a class is at the end of the link in `cycle`.
    pub(super) fn offers(&self, cycle: u64, class: Class) -> bool {
        let front = self.wires[class.index()].front();
        front.is_some_and(|beat| beat.due <= cycle)
    }

    /// Takes the beat of a class that is at the end of the link in `cycle`, with its source.
    pub(super) fn take(&mut self, cycle: u64, class: Class) -> Option<(u32, Beat)> {
        if !self.offers(cycle, class) {
            return None;
        }
        let taken = self.wires[class.index()].pop_front()?;
        if let Some(log) = &mut self.log {
            let at = &mut self.logged[class.index()];
            if taken.first {
                *at = log.len();
                log.push(Arrival {
                    source: taken.source,
                    packet: taken.packet,
                    arrived: cycle,
                    ended: None,
                });
            }
            if let Some(arrival) = log.get_mut(*at).filter(|_| taken.beat.last) {
                arrival.ended = Some(cycle);
            }
        }
        Some((taken.source, taken.beat))
    }

    /// The end of `cycle`: the output sends a beat if there is one and the link is free.
    pub(super) fn serve(&mut self, cycle: u64) {
        let has_room = |wire: &VecDeque<_>| (wire.len() as u64) < self.capacity;
        let room = [has_room(&self.wires[0]), has_room(&self.wires[1])];
        if let Some(beat) = self.output.serve(cycle, room) {
            self.wires[beat.class.index()].push_back(beat);
        }
    }

    /// First cycle, from `now` on, in which a beat may move; `u64::MAX`: none will by itself.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        let fronts = self.wires.iter().filter_map(VecDeque::front);
        let arrives = fronts.map(|beat| beat.due);
        let next = arrives.chain(self.output.next_event()).min();
        next.map_or(u64::MAX, |due| due.max(now))
    }

    /// Whether nothing is on its way to the node.
    pub(super) fn is_empty(&self) -> bool {
        self.output.is_empty() && self.wires.iter().all(VecDeque::is_empty)
    }
}
