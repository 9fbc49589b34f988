//! `Output`: an output of a switch and the link after it. Sources take turns, packet by packet, and so do the classes.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::class::Class;
use super::config::Link;
use super::link::Pacer;
use crate::bus::Beat;
use crate::saved::saved;

/// A beat on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Travelling {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) class: Class,
    pub(super) packet: u64,
    /// Whether it is the header beat.
    pub(super) first: bool,
    pub(super) beat: Beat,
    /// Cycle from which it can go on.
    pub(super) due: u64,
}

/// What each class has for itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Side {
    /// Source whose packet is under way.
    owner: Option<u32>,
    /// Source that is asked first.
    next: u32,
    /// Beats that are not on the link, by source, in the order in which they were sent; no queue is empty.
    queues: BTreeMap<u32, VecDeque<Travelling>>,
}

impl Side {
    /// The source of the next beat, if it is there in `cycle`: that of the packet under way, else the next in turn.
    fn next_source(&self, cycle: u64) -> Option<u32> {
        let is_due = |queue: &VecDeque<Travelling>| queue.front().is_some_and(|b| b.due <= cycle);
        match self.owner {
            Some(owner) => Some(owner).filter(|owner| self.queues.get(owner).is_some_and(is_due)),
            None => {
                let in_turn = self.queues.range(self.next..);
                let mut in_turn = in_turn.chain(self.queues.range(..self.next));
                let found = in_turn.find(|(_, queue)| is_due(queue));
                found.map(|(source, _)| *source)
            }
        }
    }

    /// Takes the next beat out of its queue, if it is there in `cycle`.
    fn leave(&mut self, cycle: u64) -> Option<Travelling> {
        let source = self.next_source(cycle)?;
        let queue = self.queues.get_mut(&source)?;
        let beat = queue.pop_front()?;
        if queue.is_empty() {
            self.queues.remove(&source);
        }
        self.owner = (!beat.beat.last).then_some(source);
        self.next = source + 1;
        Some(beat)
    }

    /// First cycle in which a beat may leave; `None`: none will by itself.
    fn next_event(&self) -> Option<u64> {
        let front = |queue: &VecDeque<Travelling>| queue.front().map(|beat| beat.due);
        match self.owner {
            Some(owner) => self.queues.get(&owner).and_then(front),
            None => self.queues.values().filter_map(front).min(),
        }
    }
}

/// An output of a switch.
#[derive(Clone, Debug)]
pub(super) struct Output {
    link: Pacer,
    /// By [class](Class::index).
    sides: [Side; 2],
    /// Who has the link next, if both want it.
    turn: Class,
    /// Bytes that went over the link.
    pub(super) bytes: u64,
}

saved!(Output {
    link,
    sides,
    turn,
    bytes
});

impl Output {
    pub(super) fn new(link: Link) -> Self {
        Self {
            link: Pacer::new(link),
            sides: Default::default(),
            turn: Class::Request,
            bytes: 0,
        }
    }

    /// A beat will be here from its `due` on. Those of a source and class come in the order of sending.
    pub(super) fn queue(&mut self, beat: Travelling) {
        let side = &mut self.sides[beat.class.index()];
        side.queues.entry(beat.source).or_default().push_back(beat);
    }

    /// Sends a beat in `cycle` if there is one, the link is free and there is `room` after it for its class; `due` is
    /// then when it is at the other end. A class keeps the link until its packet ends, but does not hold up the other
    /// while it cannot go on.
    pub(super) fn serve(&mut self, cycle: u64, room: [bool; 2]) -> Option<Travelling> {
        if self.is_empty() || !self.link.is_free(cycle) {
            return None;
        }
        let turns = [self.turn, self.turn.other()].into_iter();
        let mut turns = turns.filter(|class| room[class.index()]);
        let mut beat = turns.find_map(|class| self.sides[class.index()].leave(cycle))?;
        self.turn = match beat.beat.last {
            true => beat.class.other(),
            false => beat.class,
        };
        self.bytes += beat.beat.bytes.len() as u64;
        beat.due = self.link.send(cycle, beat.beat.bytes.len());
        Some(beat)
    }

    /// First cycle in which a beat may leave; `None`: none will by itself.
    pub(super) fn next_event(&self) -> Option<u64> {
        self.sides.iter().filter_map(Side::next_event).min()
    }

    /// Whether nothing waits here.
    pub(super) fn is_empty(&self) -> bool {
        self.sides.iter().all(|side| side.queues.is_empty())
    }
}
