//! The comparison of what the hardware did with what the golden model expects.
//!
//! Compared byte for byte: the memory of every context as the hardware's writes left it (so also that it wrote nowhere
//! else), the events as the host read them, the acknowledgements. From the log of writes: the order of publication. Not
//! compared: the buffer of a message that failed after it was begun. Doorbells may be merged: the values rung are a
//! selection of the expected ones that ends with the last.

use std::collections::BTreeMap;

use super::delivery::Delivery;
use super::difference::{Difference, Observed};
use super::order::check_order;
use super::refusal::is_refusal;
use crate::bus::{Packet, WriteRecord};
use crate::bytes::{Bytes, SparseMemory};
use crate::tables::CONTEXTS;

/// At most so many differing stretches of memory are reported.
const MOST_STRETCHES: usize = 20;

/// Every difference between the hardware and the model, which started from the same state (`observed.before`).
pub fn compare(golden: &Delivery, observed: &Observed) -> Vec<Difference> {
    let mut differences = compare_memory(golden, observed);
    compare_events(golden, observed, &mut differences);
    compare_acks(golden, observed, &mut differences);
    compare_doorbells(golden, observed, &mut differences);
    differences.extend(check_order(golden, observed));
    differences
}

/// The memories as the writes of the log left them.
fn written(observed: &Observed) -> [SparseMemory; CONTEXTS] {
    let mut memories = observed.before.clone();
    let mut records: Vec<&WriteRecord> = observed.log.iter().collect();
    records.sort_by_key(|record| record.visible_cycle);
    for record in records
        .iter()
        .filter(|record| record.visible_cycle.is_some())
    {
        for offset in (0..64).filter(|offset| record.strobes >> offset & 1 == 1) {
            let byte = record.data[offset as usize];
            memories[usize::from(record.context)].write(record.line + offset, &[byte]);
        }
    }
    memories
}

fn compare_memory(golden: &Delivery, observed: &Observed) -> Vec<Difference> {
    let mut found = Vec::new();
    let hardware = written(observed);
    for (context, (want, got)) in golden.memories.iter().zip(&hardware).enumerate() {
        let context = context as u8;
        let pages: BTreeMap<u64, ()> = want
            .pages()
            .chain(got.pages())
            .map(|(base, _)| (base, ()))
            .collect();
        for base in pages.into_keys() {
            compare_page(golden, context, base, want, got, &mut found);
        }
    }
    found.truncate(MOST_STRETCHES);
    found
}

fn compare_page(
    golden: &Delivery,
    context: u8,
    base: u64,
    want: &SparseMemory,
    got: &SparseMemory,
    found: &mut Vec<Difference>,
) {
    let (mut expected, mut actual) = ([0; 4096], [0; 4096]);
    want.read(base, &mut expected);
    got.read(base, &mut actual);
    let undefined = |address: u64| {
        let here = golden.undefined.iter().filter(|(c, ..)| *c == context);
        here.into_iter()
            .any(|(_, start, length)| address.wrapping_sub(*start) < *length)
    };
    let differs = |at: &usize| expected[*at] != actual[*at] && !undefined(base + *at as u64);
    let mut at = 0;
    while let Some(first) = (at..4096).find(differs) {
        let end = (first..4096).find(|at| !differs(at)).unwrap_or(4096);
        let address = base + first as u64;
        found.push(Difference {
            message: owner(golden, context, address),
            place: Some((context, address)),
            expected: hex::encode(&expected[first..end]),
            got: hex::encode(&actual[first..end]),
        });
        at = end;
    }
}

/// The message whose buffer, slot or event holds the address.
fn owner(golden: &Delivery, context: u8, address: u64) -> Option<String> {
    let holds = |start: u64, length: u64| address.wrapping_sub(start) < length;
    let found = golden.outcomes.iter().rev().find(|outcome| {
        outcome.context == context
            && (outcome
                .landing
                .is_some_and(|(start, length)| holds(start, length))
                || outcome.task.is_some_and(|task| {
                    holds(task.slot, 64) || holds(task.write_index, 8) || holds(task.doorbell, 8)
                })
                || outcome.event.is_some_and(|(place, _)| holds(place, 64)))
    })?;
    Some(found.name())
}

fn compare_lists<T: AsRef<[u8]>, U: AsRef<[u8]>>(
    what: &str,
    expected: &[(String, T)],
    got: &[U],
    differences: &mut Vec<Difference>,
) {
    for at in 0..expected.len().max(got.len()) {
        let want = expected.get(at).map(|(_, bytes)| bytes.as_ref());
        let have = got.get(at).map(AsRef::as_ref);
        if want != have {
            let show = |bytes: Option<&[u8]>| bytes.map_or("none".to_owned(), hex::encode);
            differences.push(Difference {
                message: expected.get(at).map(|(name, _)| name.clone()),
                place: None,
                expected: format!("{what} {at} {}", show(want)),
                got: show(have),
            });
        }
    }
}

fn compare_events(golden: &Delivery, observed: &Observed, differences: &mut Vec<Difference>) {
    for (context, got) in observed.events.iter().enumerate() {
        let outcomes = golden
            .outcomes
            .iter()
            .filter(|o| usize::from(o.context) == context);
        let expected: Vec<_> = outcomes
            .filter_map(|o| Some((o.name(), o.event?.1)))
            .collect();
        compare_lists(
            &format!("event of context {context}"),
            &expected,
            got,
            differences,
        );
    }
}

fn compare_acks(golden: &Delivery, observed: &Observed, differences: &mut Vec<Difference>) {
    let expected: Vec<_> = golden
        .outcomes
        .iter()
        .filter_map(|o| Some((o.name(), o.ack?)))
        .collect();
    let sent = observed.acks.iter();
    let (refusals, got): (Vec<_>, Vec<_>) = sent.partition(|ack| is_refusal(ack));
    let bytes = |acks: Vec<&'_ Packet>| acks.iter().map(|a| a.bytes.clone()).collect::<Vec<_>>();
    compare_lists("acknowledgement", &expected, &bytes(got), differences);
    let expected = golden.refusals.iter();
    let expected: Vec<_> = expected.map(|bytes| (String::new(), bytes)).collect();
    compare_lists("refusal", &expected, &bytes(refusals), differences);
}

/// Values written to each doorbell: increasing, each expected, the last one there; none for messages that were stopped.
fn compare_doorbells(golden: &Delivery, observed: &Observed, differences: &mut Vec<Difference>) {
    let mut expected: BTreeMap<(u8, u64), Vec<u64>> = BTreeMap::new();
    for outcome in &golden.outcomes {
        if let Some(task) = outcome.task {
            let values = expected
                .entry((outcome.context, task.doorbell))
                .or_default();
            values.extend(outcome.rings().then_some(task.doorbell_value));
        }
    }
    for ((context, address), values) in expected {
        let rung = doorbells(observed.log, context, address);
        let mut rest = values.iter();
        let selected = rung
            .iter()
            .all(|value| rest.any(|expected| expected == value));
        if !selected || rung.last() != values.last() {
            differences.push(Difference {
                message: None,
                place: Some((context, address)),
                expected: format!("doorbells from {values:?} up to the last"),
                got: format!("{rung:?}"),
            });
        }
    }
}

/// Values written to a doorbell, in order.
fn doorbells(log: &[WriteRecord], context: u8, address: u64) -> Vec<u64> {
    let mut records: Vec<_> = log
        .iter()
        .filter(|record| record.context == context && record.writes(address))
        .collect();
    records.sort_by_key(|record| record.burst);
    let value = |record: &WriteRecord| {
        let at = (address - record.line) as usize;
        record.data[at..at + 8]
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    records.into_iter().map(value).collect()
}
