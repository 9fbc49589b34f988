//! A node's receiving end: the output of its switch to it, and what is on the link from there.

use std::collections::VecDeque;

use super::config::NetworkConfig;
use super::output::{Output, Travelling};
use super::record::Arrival;
use crate::bus::Beat;
use crate::saved::saved;

/// A node's receiving end.
#[derive(Clone, Debug)]
pub(super) struct Target {
    output: Output,
    /// What the link carries at full speed, and one beat at its end: a node that takes nothing stops it.
    capacity: u64,
    /// Beats on the link, or waiting at its end.
    wire: VecDeque<Travelling>,
    /// The packets that arrived, if they are kept.
    pub(super) log: Option<Vec<Arrival>>,
}

saved!(Target { output, wire, log; keeps capacity });

impl Target {
    pub(super) fn new(config: &NetworkConfig) -> Self {
        Self {
            output: Output::new(config.link),
            capacity: config.link.latency.saturating_add(1),
            wire: VecDeque::new(),
            log: Some(Vec::new()),
        }
    }

    /// A beat will be at the output from its `due` on. Those of a source come in the order of sending.
    pub(super) fn queue(&mut self, beat: Travelling) {
        self.output.queue(beat);
    }

    /// Bytes that went over the link.
    pub(super) fn bytes(&self) -> u64 {
        self.output.bytes
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
        if (self.wire.len() as u64) < self.capacity {
            self.wire.extend(self.output.serve(cycle));
        }
    }

    /// First cycle, from `now` on, in which a beat may move; `u64::MAX`: none will by itself.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        let arrives = self.wire.front().map(|beat| beat.due);
        let next = arrives.into_iter().chain(self.output.next_event()).min();
        next.map_or(u64::MAX, |due| due.max(now))
    }

    /// Whether nothing is on its way to the node.
    pub(super) fn is_empty(&self) -> bool {
        self.output.is_empty() && self.wire.is_empty()
    }
}
