//! The order of a message's writes, from their log. Payload, slot body and write index are acknowledged before the
//! header word's address is offered, the header word before the doorbell's, and all of them before the event's address
//! or the acknowledgement is offered.

use std::collections::BTreeMap;

use super::delivery::Delivery;
use super::difference::{Difference, Observed};
use super::refusal::is_refusal;
use super::witness::{BODY, EVENT_ID, HEADER_WORD};
use crate::bus::WriteRecord;
use crate::tables::{CONTEXTS, Outcome, Reached, Task};

/// What was observed, and how far it was looked through.
struct Order<'a> {
    /// In the order of addresses.
    log: Vec<&'a WriteRecord>,
    observed: &'a Observed<'a>,
    /// Messages that used each slot, by context and address.
    turns: BTreeMap<(u8, u64), usize>,
    /// Events of each context.
    events: [usize; CONTEXTS],
    acks: usize,
}

/// A write and what it is.
type Named<'a> = (&'static str, &'a WriteRecord);

/// Breaches of the order by the messages the model expects. The buffers of the messages do not overlap.
pub(super) fn check_order(golden: &Delivery, observed: &Observed) -> Vec<Difference> {
    let mut log: Vec<&WriteRecord> = observed.log.iter().collect();
    log.sort_by_key(|record| record.burst);
    let mut order = Order {
        log,
        observed,
        turns: BTreeMap::new(),
        events: [0; CONTEXTS],
        acks: 0,
    };
    let breaches = golden
        .outcomes
        .iter()
        .map(|outcome| order.check(outcome).err());
    breaches.flatten().collect()
}

impl<'a> Order<'a> {
    fn check(&mut self, outcome: &Outcome) -> Result<(), Difference> {
        let told = self.told(outcome);
        let mut writes: Vec<Named> = Vec::new();
        if let Some((start, length)) = outcome.landing.filter(|_| outcome.accepted) {
            let payload = self.here(outcome).filter(|r| r.touches(start, length));
            writes.extend(payload.map(|record| ("payload", record)));
        }
        if let Some(task) = &outcome.task {
            self.publication(outcome, task, &mut writes)?;
        }
        for (what, first) in told {
            if let Some((write, record)) = writes.iter().find(|(_, r)| r.b_cycle >= first) {
                let (at, expected) = (record.b_cycle, format!("the {what} last"));
                let got = format!("{write} acknowledged in cycle {at}, {what} in cycle {first}");
                return Err(breach(outcome, &expected, got));
            }
        }
        Ok(())
    }

    fn here(&self, outcome: &Outcome) -> impl Iterator<Item = &'a WriteRecord> {
        let context = outcome.context;
        let log = self.log.iter().copied();
        log.filter(move |record| record.context == context)
    }

    /// Event and acknowledgement of the next message, with the cycle in which each is offered.
    fn told(&mut self, outcome: &Outcome) -> Vec<(&'static str, u64)> {
        let mut told = Vec::new();
        if outcome.event.is_some() {
            let number = &mut self.events[usize::from(outcome.context)];
            *number += 1;
            let number = *number - 1;
            let event = self.here(outcome).filter(|r| r.id == EVENT_ID).nth(number);
            told.extend(event.map(|event| ("event", event.aw_cycle)));
        }
        if outcome.ack.is_some() {
            let mut acks = self.observed.acks.iter().filter(|ack| !is_refusal(ack));
            let ack = acks.nth(self.acks);
            told.extend(ack.map(|ack| ("acknowledgement", ack.offered_cycle)));
            self.acks += 1;
        }
        told
    }

    /// The writes to a slot by the message that used it as number `turn`.
    fn slot(&self, outcome: &Outcome, slot: u64, turn: usize) -> Vec<&'a WriteRecord> {
        let (mut uses, mut published) = (0, false);
        let parts = [BODY, HEADER_WORD];
        let all = self.here(outcome);
        let writes = all.filter(|r| r.line == slot && parts.contains(&r.strobes));
        let turns = writes.filter(|record| {
            uses += usize::from(published && record.strobes == BODY);
            published = record.strobes == HEADER_WORD;
            uses == turn
        });
        turns.collect()
    }

    /// Adds what publishes a task; the payload is in `writes`.
    fn publication(
        &mut self,
        outcome: &Outcome,
        task: &Task,
        writes: &mut Vec<Named<'a>>,
    ) -> Result<(), Difference> {
        let turns = self.turns.entry((outcome.context, task.slot)).or_default();
        *turns += 1;
        let turn = *turns - 1;
        let slot = self.slot(outcome, task.slot, turn);
        let bodies = slot.iter().filter(|record| record.strobes == BODY);
        writes.extend(bodies.map(|record| ("slot body", *record)));
        let next = task.packet_id.wrapping_add(1);
        let rises = |r: &&WriteRecord| word(r, task.write_index) == Some(next);
        let index = self.here(outcome).find(rises);
        writes.extend(index.map(|record| ("write index", record)));
        if task.reached == Reached::Slot {
            return Ok(());
        }
        let missing = |what: &str| breach(outcome, what, "none".to_owned());
        for (what, needed) in [
            ("slot body", "a slot body"),
            ("write index", "the write index"),
        ] {
            if !writes.iter().any(|(name, _)| *name == what) {
                return Err(missing(needed));
            }
        }
        let header = slot.iter().find(|record| record.strobes == HEADER_WORD);
        let header = header.ok_or_else(|| missing("a header word written alone"))?;
        let late = |(_, record): &&Named| record.b_cycle >= header.aw_cycle;
        if let Some((what, record)) = writes.iter().find(late) {
            let (at, offered) = (record.b_cycle, header.aw_cycle);
            let got = format!(
                "{what} acknowledged in cycle {at}, header word offered in cycle {offered}"
            );
            return Err(breach(outcome, "the header word last", got));
        }
        writes.push(("header word", header));
        if task.reached == Reached::Header {
            return Ok(());
        }
        // Ids wrap.
        let announces = |r: &&WriteRecord| {
            let value = word(r, task.doorbell);
            value.is_some_and(|value| value.wrapping_sub(task.doorbell_value) < 1 << 63)
        };
        let doorbell = self.here(outcome).find(announces);
        let doorbell = doorbell.ok_or_else(|| missing("a doorbell that announces it"))?;
        if header.b_cycle >= doorbell.aw_cycle {
            let (at, offered) = (header.b_cycle, doorbell.aw_cycle);
            let got = format!(
                "header word acknowledged in cycle {at}, doorbell offered in cycle {offered}"
            );
            return Err(breach(outcome, "the doorbell after the header word", got));
        }
        writes.push(("doorbell", doorbell));
        Ok(())
    }
}

/// The 64-bit word that a write puts at an address, if it writes there.
fn word(record: &WriteRecord, address: u64) -> Option<u64> {
    let at = (address % 64) as usize;
    let bytes = record.data[at..at + 8].iter().rev();
    let value = bytes.fold(0, |value, byte| value << 8 | u64::from(*byte));
    record.writes(address).then_some(value)
}

fn breach(outcome: &Outcome, expected: &str, got: String) -> Difference {
    let place = outcome.task.map(|task| task.slot);
    let place = place.or(outcome.landing.map(|(start, _)| start));
    Difference {
        message: Some(outcome.name()),
        place: place.map(|place| (outcome.context, place)),
        expected: expected.to_owned(),
        got,
    }
}
