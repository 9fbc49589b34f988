//! `Output`: an output of a switch and the link after it. Sources take turns, packet by packet.

use std::collections::{BTreeMap, VecDeque};

use super::config::Link;
use super::link::Pacer;
use crate::bus::Beat;
use crate::saved::saved;

/// A beat on its way.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Travelling {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) packet: u64,
    /// Whether it is the header beat.
    pub(super) first: bool,
    pub(super) beat: Beat,
    /// Cycle from which it can go on.
    pub(super) due: u64,
}

/// An output of a switch.
#[derive(Clone, Debug)]
pub(super) struct Output {
    link: Pacer,
    /// Source whose packet is under way.
    owner: Option<u32>,
    /// Source that is asked first.
    next: u32,
    /// Beats that are not on the link, by source, in the order in which they were sent; no queue is empty.
    queues: BTreeMap<u32, VecDeque<Travelling>>,
    /// Bytes that went over the link.
    pub(super) bytes: u64,
}

saved!(Output {
    link,
    owner,
    next,
    queues,
    bytes
});

impl Output {
    pub(super) fn new(link: Link) -> Self {
        Self {
            link: Pacer::new(link),
            owner: None,
            next: 0,
            queues: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// A beat will be here from its `due` on. Those of a source come in the order of sending.
    pub(super) fn queue(&mut self, beat: Travelling) {
        self.queues.entry(beat.source).or_default().push_back(beat);
    }

    /// Sends a beat in `cycle` if there is one and the link is free; `due` is then when it is at the other end.
    pub(super) fn serve(&mut self, cycle: u64) -> Option<Travelling> {
        if self.queues.is_empty() || !self.link.is_free(cycle) {
            return None;
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
        }?;
        let queue = self.queues.get_mut(&source)?;
        let mut beat = queue.pop_front()?;
        if queue.is_empty() {
            self.queues.remove(&source);
        }
        self.bytes += beat.beat.bytes.len() as u64;
        beat.due = self.link.send(cycle, beat.beat.bytes.len());
        self.owner = (!beat.beat.last).then_some(source);
        self.next = source + 1;
        Some(beat)
    }

    /// First cycle in which a beat may leave; `None`: none will by itself.
    pub(super) fn next_event(&self) -> Option<u64> {
        let front = |queue: &VecDeque<Travelling>| queue.front().map(|beat| beat.due);
        match self.owner {
            Some(owner) => self.queues.get(&owner).and_then(front),
            None => self.queues.values().filter_map(front).min(),
        }
    }

    /// Whether nothing waits here.
    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }
}
