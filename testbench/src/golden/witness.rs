//! What only time decides, as it was observed: how far a message came whose queue failed around it, and which event
//! reports events that were lost.
//!
//! A queue that fails publishes nothing more. Whether a message after the failure was refused at admission, stopped in
//! front of its place in a shared queue, of its header word or of its doorbell, or was rung already, depends on when it
//! came to each stage. The [`Witness`] says which; the model takes its word only between outcomes that are lawful, in
//! an order that is lawful, and everything that follows from the choice is compared with memory, events and
//! acknowledgements as ever. The witness also says when: what came to a stage after the message whose write failed had
//! left the NIC cannot have passed it ([`Witness::latest`]).

use std::collections::BTreeMap;

use xtq_types::event::status;

use crate::bus::WriteRecord;
use crate::node::Trace;
use crate::tables::format::EVENT;
use crate::tables::{Stop, Task};

/// Strobes of a header word in its slot, and of the rest of the slot.
pub(super) const HEADER_WORD: u64 = 0xf;
pub(super) const BODY: u64 = !HEADER_WORD;

/// A message's way, in clock cycles.
#[derive(Clone, Copy, Debug)]
struct Course {
    /// Refused at admission for its queue.
    refused: bool,
    /// At its end, if it was not refused.
    status: u8,
    /// The parser gave its head, or earlier.
    parsed: u64,
    /// It left the NIC.
    done: u64,
}

/// The last use of a slot.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// Cycle of its first write.
    since: u64,
    /// Writes of its body, and when the last one was acknowledged.
    bodies: usize,
    settled: u64,
    /// Whether its header word was written, and when that was acknowledged.
    header: Option<(bool, u64)>,
}

/// What was seen of the messages' ways.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// In the order of admission.
    messages: Vec<Course>,
    /// By context and address.
    slots: BTreeMap<(u8, u64), Use>,
    /// Doorbells: context, address, value.
    bells: Vec<(u8, u64, u64)>,
    /// Losses that each event reports, by context.
    losses: BTreeMap<u8, Vec<u8>>,
    log: Vec<WriteRecord>,
}

/// The write port's ids of doorbells and of events.
pub(super) const DOORBELL_ID: u8 = 3;
pub(super) const EVENT_ID: u8 = 4;

impl Witness {
    /// From the records of the trace port and the log of writes of the same time.
    pub fn new(trace: &[(u64, Trace)], log: &[WriteRecord]) -> Self {
        let mut witness = Self {
            log: log.to_vec(),
            ..Self::default()
        };
        witness.log.sort_by_key(|record| record.burst);
        witness.follow_messages(trace);
        for record in &witness.log {
            let slot = (record.context, record.line);
            match (record.id, record.strobes) {
                (EVENT_ID, _) => {
                    let dropped = EVENT.get(&record.data, "dropped") as u8;
                    let losses = witness.losses.entry(record.context).or_default();
                    losses.push(dropped);
                }
                (DOORBELL_ID, strobes) => {
                    let lane = (strobes.trailing_zeros() as usize).min(56);
                    let bytes = record.data[lane..lane + 8].iter().rev();
                    let value = bytes.fold(0, |value, byte| value << 8 | u64::from(*byte));
                    let place = record.line + lane as u64;
                    witness.bells.push((record.context, place, value));
                }
                (_, BODY | HEADER_WORD) => {
                    let fresh = Use {
                        since: record.aw_cycle,
                        bodies: 0,
                        settled: 0,
                        header: None,
                    };
                    let last = witness.slots.entry(slot).or_insert(fresh);
                    if record.strobes == HEADER_WORD {
                        last.header = Some((record.resp == 0, record.b_cycle));
                        continue;
                    }
                    if last.header.is_some() {
                        *last = fresh;
                    }
                    last.bodies += 1;
                    last.settled = record.b_cycle;
                }
                _ => {}
            }
        }
        witness
    }

    fn follow_messages(&mut self, trace: &[(u64, Trace)]) {
        let mut under_way: BTreeMap<u8, usize> = BTreeMap::new();
        let mut heads = Vec::new();
        for (cycle, record) in trace {
            match *record {
                Trace::Parsed {
                    source_node,
                    message_id,
                } => heads.push((*cycle, source_node, message_id)),
                Trace::Admitted {
                    slot,
                    status,
                    source_node,
                    message_id,
                    ..
                } => {
                    let own =
                        |head: &(u64, u16, u16)| (head.1, head.2) == (source_node, message_id);
                    let head = heads.iter().position(own).map(|at| heads.remove(at));
                    under_way.insert(slot, self.messages.len());
                    self.messages.push(Course {
                        refused: status == status::BAD_QUEUE_INDEX,
                        status: status::OK,
                        parsed: head.map_or(0, |head| head.0),
                        done: u64::MAX,
                    });
                }
                Trace::Done { slot, status, .. } => {
                    if let Some(number) = under_way.remove(&slot) {
                        let message = &mut self.messages[number];
                        message.done = *cycle;
                        if !message.refused {
                            message.status = status;
                        }
                    }
                }
                Trace::Rewritten { .. }
                | Trace::Told { .. }
                | Trace::Taken { .. }
                | Trace::Opened { .. } => {}
            }
        }
    }

    /// Whether the message, counted in the order of admission, was refused there for its queue.
    pub(super) fn refused(&self, number: usize) -> bool {
        let message = self.messages.get(number);
        message.is_some_and(|message| message.refused)
    }

    /// Whether a message was parsed after this cycle.
    pub(super) fn is_parsed_after(&self, number: usize, cycle: u64) -> bool {
        let message = self.messages.get(number);
        message.is_some_and(|message| message.parsed > cycle)
    }

    /// Cycle in which a message left the NIC.
    pub(super) fn done(&self, number: usize) -> u64 {
        let message = self.messages.get(number);
        message.map_or(u64::MAX, |message| message.done)
    }

    /// The message's use of a slot.
    fn slot(&self, number: usize, slot: (u8, u64)) -> Option<&Use> {
        let parsed = self.messages.get(number).map_or(0, |m| m.parsed);
        self.slots.get(&slot).filter(|last| last.since >= parsed)
    }

    /// Whether a message ended for its queue without having written into this slot; into any, if there was none for it.
    pub(super) fn is_unclaimed(&self, number: usize, context: u8, slot: Option<u64>) -> bool {
        let refused = |message: &Course| message.status == status::BAD_QUEUE_INDEX;
        let written = slot.and_then(|slot| self.slot(number, (context, slot)));
        self.messages.get(number).is_some_and(refused) && written.is_none()
    }

    /// Cycle in which the last byte of a message's buffer (context, address, length) was acknowledged.
    pub(super) fn landed(&self, (context, start, length): (u8, u64, u64)) -> u64 {
        let here = self.log.iter().filter(|record| record.context == context);
        let touching = here.filter(|record| record.touches(start, length));
        touching.map(|record| record.b_cycle).max().unwrap_or(0)
    }

    /// Where the message with this task was stopped. One whose header word was written is stopped if it fails and no
    /// doorbell announces it.
    pub(super) fn stop(&self, number: usize, context: u8, task: &Task) -> Stop {
        let message = self.messages.get(number);
        let status = message.map_or(status::OK, |message| message.status);
        let rung = self.bells.iter().any(|&(of, place, value)| {
            (of, place) == (context, task.doorbell)
                && value.wrapping_sub(task.doorbell_value) < 1 << 32
        });
        let slot = self.slot(number, (context, task.slot));
        match (status, slot.and_then(|slot| slot.header)) {
            (status::BAD_QUEUE_INDEX, None) => Stop::Header,
            // Only what is stopped in a shared queue is filled without having failed itself.
            (status::BAD_QUEUE_INDEX, _) if task.shared && slot.is_some_and(|s| s.bodies > 1) => {
                Stop::Header
            }
            (status::BAD_QUEUE_INDEX, Some(_)) => Stop::Doorbell,
            (status::MEMORY_ERROR | status::BAD_LENGTH, Some((true, _))) if !rung => Stop::Doorbell,
            _ => Stop::Not,
        }
    }

    /// Where the message with this task is stopped at the latest if its queue was known to have failed in this cycle:
    /// what a stage waits for was acknowledged then or later.
    pub(super) fn latest(&self, number: usize, context: u8, task: &Task, known: u64) -> Stop {
        match self.slot(number, (context, task.slot)) {
            Some(slot) if slot.settled >= known => Stop::Header,
            Some(slot) if slot.header.is_some_and(|(_, at)| at >= known) => Stop::Doorbell,
            _ => Stop::Not,
        }
    }

    /// Losses that an event of a context reports, counted in the order of posting.
    pub(super) fn losses(&self, context: u8, number: usize) -> Option<u8> {
        self.losses.get(&context)?.get(number).copied()
    }

    /// Whether a slot's body was written once more, with zeros.
    pub(super) fn repaired(&self, slot: (u8, u64)) -> bool {
        self.slots.get(&slot).is_some_and(|last| last.bodies > 1)
    }
}
