//! What only time decides, as it was observed: how far a message came whose queue failed around it, and which event tells of
//! events that were lost.
//!
//! A queue that fails publishes nothing more. Whether a message behind the failure was refused at admission, stopped
//! in front of its header word or in front of its doorbell, or was rung already, depends on when it came to each stage. The
//! [`Witness`] tells which; the model takes its word only between outcomes that are lawful, in an order that is lawful,
//! and everything that follows from the choice is compared with memory, events and acknowledgements as ever.

use std::collections::BTreeMap;

use xtq_rtl::types::event::status;

use super::outcome::Task;
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
    /// In the order of admission: refused there for its queue; if not, status at its end.
    messages: Vec<(bool, u8)>,
    /// Slots, by context and address, to which a header word went; whether it was written.
    headers: BTreeMap<(u8, u64), bool>,
    /// Doorbells: context, address, value.
    bells: Vec<(u8, u64, u64)>,
    /// Writes of a slot's body.
    bodies: BTreeMap<(u8, u64), usize>,
    /// Losses that each event tells of, by context.
    losses: BTreeMap<u8, Vec<u8>>,
}

/// The write port's ids of doorbells and of events.
const DOORBELL_ID: u8 = 3;
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
                    witness.messages.push((refused, status::OK));
                }
                Trace::Done { slot, status, .. } => {
                    if let Some(number) = under_way.remove(&slot) {
                        let (refused, end) = &mut witness.messages[number];
                        if !*refused {
                            *end = status;
                        }
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
            if record.id == DOORBELL_ID {
                let lane = (record.strobes.trailing_zeros() as usize).min(56);
                let bytes = record.data[lane..lane + 8].iter().rev();
                let value = bytes.fold(0, |value, byte| value << 8 | u64::from(*byte));
                let place = record.line + lane as u64;
                witness.bells.push((record.context, place, value));
                continue;
            }
            match record.strobes {
                HEADER_WORD => drop(witness.headers.insert(slot, record.resp == 0)),
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

    /// Where the message with this task was stopped. One whose header word was written is stopped if it fails and no doorbell
    /// announces it.
    pub(super) fn stop(&self, number: usize, context: u8, task: &Task) -> Stop {
        let message = self.messages.get(number);
        let status = message.map_or(status::OK, |(_, status)| *status);
        let rung = self.bells.iter().any(|&(of, place, value)| {
            (of, place) == (context, task.doorbell)
                && value.wrapping_sub(task.doorbell_value) < 1 << 32
        });
        match (status, self.headers.get(&(context, task.slot))) {
            (status::BAD_QUEUE_INDEX, None) => Stop::Header,
            (status::BAD_QUEUE_INDEX, Some(_)) => Stop::Doorbell,
            (status::MEMORY_ERROR, Some(true)) if !rung => Stop::Doorbell,
            _ => Stop::Not,
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
