//! Events and the queues they go to (rules 2, 3, 4, 5 of `docs/portals-model.md`).

use super::ids::{Portal, Rank};
use crate::tables::{EventKind, List, NiFail};
use std::collections::VecDeque;

/// What is reported to a target of a message (rules 2 of `docs/portals-model.md`, fields of events).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetDetail {
    /// Address at which it landed.
    pub start: u64,
    /// Sender.
    pub initiator: Rank,
    /// User of the sender.
    pub uid: u32,
    /// The message's bits.
    pub match_bits: u64,
    /// Bytes asked for.
    pub rlength: u64,
    /// Bytes moved.
    pub mlength: u64,
    /// Offset asked for.
    pub remote_offset: u64,
    /// The message's.
    pub hdr_data: u64,
    /// List of the entry in which it landed.
    pub list: List,
}

/// What is reported to a target of an XTQ put that an entry took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskDetail {
    /// Address at which it landed, or would have.
    pub start: u64,
    /// Sender.
    pub initiator: Rank,
    /// User of the sender.
    pub uid: u32,
    /// The message's bits.
    pub match_bits: u64,
    /// Bytes sent.
    pub rlength: u64,
    /// Bytes that landed: all or none.
    pub mlength: u64,
    /// The message's.
    pub hdr_data: u64,
    /// Whether it was launched, or why not ([`status`](xtq_types::event::status)).
    pub status: u8,
    /// Memory access that failed ([`access`](xtq_types::event::access)).
    pub access: u8,
    /// Queue that it names, the lower 16 bits.
    pub queue_index: u16,
    /// Its number in the queue; 0 if it has none.
    pub packet_id: u64,
}

/// What is reported to an initiator of a message (rules 5 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitiatorDetail {
    /// Bytes moved; of a SEND, bytes sent.
    pub mlength: u64,
    /// Offset used at the target; 0 of a SEND.
    pub remote_offset: u64,
}

/// What an event says besides its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// LINK, AUTO_UNLINK, AUTO_FREE, PT_DISABLED, a SEARCH that found nothing.
    None,
    /// A message to this node.
    Target(TargetDetail),
    /// An XTQ put to this node.
    Task(TaskDetail),
    /// A message of this node.
    Initiator(InitiatorDetail),
}

/// A full event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind.
    pub kind: EventKind,
    /// Portal; none at the initiator.
    pub portal: Option<Portal>,
    /// Of the entry or the command; none of PT_DISABLED.
    pub user_ptr: Option<u64>,
    /// What became of it.
    pub ni_fail: NiFail,
    /// The message.
    pub detail: Detail,
}

/// A queue of so many places. When it is full a new event takes the place of the oldest, which is reported to the next
/// reader (rules 4 of `docs/portals-model.md`). Portals with flow control keep it from getting full.
#[derive(Clone, Debug)]
pub struct EventQueue {
    places: usize,
    events: VecDeque<Event>,
    dropped: bool,
    posted: u64,
}

impl EventQueue {
    pub(super) fn new(places: usize) -> Self {
        Self {
            places,
            events: VecDeque::new(),
            dropped: false,
            posted: 0,
        }
    }

    pub(super) fn push(&mut self, event: Event) {
        self.events.push_back(event);
        self.posted += 1;
        if self.events.len() > self.places {
            self.events.pop_front();
            self.dropped = true;
        }
    }

    /// Places that are free.
    pub(super) fn room(&self) -> usize {
        self.places - self.events.len()
    }

    /// The oldest event, and whether one before it was lost (EQ_DROPPED).
    pub fn get(&mut self) -> Option<(Event, bool)> {
        let event = self.events.pop_front()?;
        Some((event, std::mem::take(&mut self.dropped)))
    }

    /// Events that were ever posted here.
    pub fn posted(&self) -> u64 {
        self.posted
    }

    /// The newest so many events that have not been taken, oldest first.
    pub(super) fn newest(&self, count: u64) -> Vec<Event> {
        let skipped = (self.events.len() as u64).saturating_sub(count);
        self.events.iter().skip(skipped as usize).copied().collect()
    }

    /// The events that have not been taken, oldest first.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }
}
