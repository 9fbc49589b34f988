//! The order of publication, from the log of writes: payload, slot body and write index are acknowledged before the
//! header word's address is offered, the header word before the doorbell's, the doorbell before the event's.

use super::delivery::Delivery;
use super::outcome::{Outcome, Reached, Task};
use super::scoreboard::Difference;
use super::witness::HEADER_WORD;
use crate::bus::WriteRecord;

/// Breaches of the order by the messages the model expects. The buffers of the messages do not overlap.
pub(super) fn check_order(golden: &Delivery, log: &[WriteRecord]) -> Vec<Difference> {
    let mut log: Vec<&WriteRecord> = log.iter().collect();
    log.sort_by_key(|record| record.burst);
    let mut breaches = Vec::new();
    let mut uses: std::collections::BTreeMap<(u8, u64), usize> = Default::default();
    for outcome in &golden.outcomes {
        let task = outcome.task;
        if let Some(task) = task.filter(|task| task.reached > Reached::Slot) {
            let turn = uses.entry((outcome.context, task.slot)).or_default();
            if let Err(difference) = check_message(outcome, &task, *turn, &log) {
                breaches.push(difference);
            }
            *turn += 1;
        }
    }
    breaches
}

/// `turn`: how many messages used the slot before.
fn check_message(
    outcome: &Outcome,
    task: &Task,
    turn: usize,
    log: &[&WriteRecord],
) -> Result<(), Difference> {
    let fault = |expected: &str, got: String| Difference {
        message: Some(outcome.name()),
        place: Some((outcome.context, task.slot)),
        expected: expected.to_owned(),
        got,
    };
    let here = || {
        log.iter()
            .filter(|record| record.context == outcome.context)
    };
    let mut headers = here().filter(|r| r.line == task.slot && r.strobes == HEADER_WORD);
    let Some(header) = headers.nth(turn) else {
        return Err(fault("a header word written alone", "none".to_owned()));
    };
    let before_header = |what: &str, record: &WriteRecord| {
        if record.b_cycle < header.aw_cycle {
            return Ok(());
        }
        let got = format!(
            "{what} acknowledged in cycle {}, header word offered in cycle {}",
            record.b_cycle, header.aw_cycle
        );
        Err(fault("the header word last", got))
    };
    let mut bodies = here().filter(|r| r.line == task.slot && r.strobes == !HEADER_WORD);
    match bodies.nth(turn) {
        Some(body) => before_header("slot body", body)?,
        None => return Err(fault("a slot body", "none".to_owned())),
    }
    let next = task.packet_id.wrapping_add(1).to_le_bytes();
    let at = (task.write_index % 64) as usize;
    let mut indices = here().filter(|r| r.writes(task.write_index) && r.data[at..at + 8] == next);
    match indices.next() {
        Some(index) => before_header("write index", index)?,
        None => return Err(fault("the write index written", "none".to_owned())),
    }
    if let Some((start, length)) = outcome.landing {
        let touches = |r: &&&WriteRecord| {
            let within = |at: &u64| (r.line + at).wrapping_sub(start) < length;
            (0..64)
                .filter(|at| r.strobes >> at & 1 == 1)
                .any(|at| within(&at))
        };
        for record in here().filter(touches) {
            before_header("payload", record)?;
        }
    }
    if task.reached == Reached::Header {
        return Ok(());
    }
    let announces = |record: &&&WriteRecord| {
        let at = (task.doorbell % 64) as usize;
        let value = record.data[at..at + 8]
            .iter()
            .rev()
            .fold(0, |v, b| v << 8 | u64::from(*b));
        // Ids wrap.
        record.writes(task.doorbell) && value.wrapping_sub(task.doorbell_value) < 1 << 63
    };
    let Some(doorbell) = here().find(announces) else {
        return Err(fault("a doorbell that announces it", "none".to_owned()));
    };
    if header.b_cycle >= doorbell.aw_cycle {
        let got = format!(
            "header word acknowledged in cycle {}, doorbell offered in cycle {}",
            header.b_cycle, doorbell.aw_cycle
        );
        return Err(fault("the doorbell after the header word", got));
    }
    if let Some((place, bytes)) = outcome.event {
        let event = here().find(|r| r.line == place && r.data == bytes);
        if event.is_some_and(|event| event.aw_cycle <= doorbell.b_cycle) {
            return Err(fault(
                "the event after the doorbell",
                "the event first".to_owned(),
            ));
        }
    }
    Ok(())
}
