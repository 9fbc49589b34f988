//! What only time decides, as it was observed: how far a message came whose queue failed around it, and which event tells of
//! events that were lost.
//!
//! A queue that fails publishes nothing more. Whether a message behind the failure was refused at admission, stopped
//! in front of its header word or in front of its doorbell, or was rung already, depends on when it came to each stage. The
//! [`Witness`] tells which; the model takes its word only between outcomes that are lawful, in an order that is lawful,
//! and everything that follows from the choice is compared with memory, events and acknowledgements as ever.

use std::collections::{BTreeMap, BTreeSet};

use xtq_rtl::types::event::status;

use crate::bus::WriteRecord;
use crate::node::Trace;
use crate::node::format::EVENT;

/// Where a message was stopped because its queue had failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// In front of its header word.
    Header,
    /// Behind its header word, in front of its doorbell.
    Doorbell,
    /// Nowhere.
    Not,
}

/// Strobes of a header word in its slot, and of the rest of the slot.
pub(super) const HEADER_WORD: u64 = 0xf;
const BODY: u64 = !HEADER_WORD;

/// What was seen of the messages' ways.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// In the order of admission: refused there for its queue; stopped later.
    messages: Vec<(bool, bool)>,
    /// Slots, by context and address, to which a header word went.
    headers: BTreeSet<(u8, u64)>,
    /// Writes of a slot's body.
    bodies: BTreeMap<(u8, u64), usize>,
    /// Losses that each event tells of, by context.
    losses: BTreeMap<u8, Vec<u8>>,
}

/// The write port's id of events.
const EVENT_ID: u8 = 4;

impl Witness {
    /// From the records of the trace port and the log of writes of the same time.
    pub fn new(trace: &[(u64, Trace)], log: &[WriteRecord]) -> Self {
        let mut witness = Self::default();
        let mut under_way: BTreeMap<u8, usize> = BTreeMap::new();
        for (_, record) in trace {
            match *record {
                Trace::Admitted { slot, status, .. } => {
                    under_way.insert(slot, witness.messages.len());
                    let refused = status == status::BAD_QUEUE_INDEX;
                    witness.messages.push((refused, false));
                }
                Trace::Done { slot, status, .. } => {
                    if let Some(number) = under_way.remove(&slot) {
                        let (refused, stopped) = &mut witness.messages[number];
                        *stopped = !*refused && status == status::BAD_QUEUE_INDEX;
                    }
                }
                Trace::Parsed { .. } | Trace::Rewritten { .. } => {}
            }
        }
        let mut events: Vec<_> = log.iter().filter(|record| record.id == EVENT_ID).collect();
        events.sort_by_key(|record| record.burst);
        for event in events {
            let dropped = EVENT.get(&event.data, "dropped") as u8;
            let losses = witness.losses.entry(event.context).or_default();
            losses.push(dropped);
        }
        for record in log {
            let slot = (record.context, record.line);
            match record.strobes {
                HEADER_WORD => drop(witness.headers.insert(slot)),
                BODY => *witness.bodies.entry(slot).or_default() += 1,
                _ => {}
            }
        }
        witness
    }

    /// Whether the message, counted in the order of admission, was refused there for its queue.
    pub(super) fn refused(&self, number: usize) -> bool {
        self.messages
            .get(number)
            .is_some_and(|(refused, _)| *refused)
    }

    /// Where the message whose packet goes to this slot was stopped.
    pub(super) fn stop(&self, number: usize, slot: (u8, u64)) -> Stop {
        let stopped = self.messages.get(number).is_some_and(|(_, late)| *late);
        match (stopped, self.headers.contains(&slot)) {
            (false, _) => Stop::Not,
            (true, true) => Stop::Doorbell,
            (true, false) => Stop::Header,
        }
    }

    /// Losses that an event of a context tells of, counted in the order of posting.
    pub(super) fn losses(&self, context: u8, number: usize) -> Option<u8> {
        self.losses.get(&context)?.get(number).copied()
    }

    /// Whether a slot's body was written once more, with zeros.
    pub(super) fn repaired(&self, slot: (u8, u64)) -> bool {
        self.bodies.get(&slot).is_some_and(|writes| *writes > 1)
    }
}
