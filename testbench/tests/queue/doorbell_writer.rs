//! `DoorbellWriter` alone: its cycles, merging, and what is after a failure.

use rust_hdl::prelude::*;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Gaps;
use xtq_types::event::{access, status};
use xtq_types::queue::{Completion, DoorbellJob};

use super::queues::Queue;
use super::rig::Rig;

pub fn rig(gaps: f64, stall: f64, latency: (u64, u64), seed: u64) -> Rig {
    let engine = blocks::engine("doorbell_writer", EngineKind::Jit);
    let mut rig = Rig::new(Box::new(engine.unwrap()), seed);
    rig.memory.latency = latency;
    rig.memory
        .writes(&*rig.engine, "doorbell", "doorbell", stall);
    rig.feeds("job", &[], Gaps::random(gaps, seed));
    rig.pulses(
        "headers",
        &["header_error"],
        "header_done",
        Gaps::random(gaps, seed + 1),
    );
    rig.takes("completion", Gaps::random(gaps, seed + 2));
    for fail in ["header_fail", "doorbell_fail"] {
        rig.notes(fail, &[fail], &format!("{fail}_valid"));
    }
    rig.asks_queues(&["header_fail", "doorbell_fail"], "doorbell");
    rig
}

pub fn job(number: u64, queue: Queue, id: u64, ring: bool) -> DoorbellJob {
    DoorbellJob {
        slot: (number % 256).to_bits(),
        context: queue.context.to_bits(),
        status: if ring { status::OK } else { status::QUEUE_FULL }.to_bits(),
        access: 0.into(),
        written: u64::from(ring).to_bits(),
        ring: u64::from(ring).to_bits(),
        queue_index: queue.index.to_bits(),
        doorbell_address: queue.doorbell().to_bits(),
        doorbell_value: id.to_bits(),
        packet_id: id.to_bits(),
    }
}

/// A job whose slot was filled because its queue had failed.
pub fn filled(number: u64, queue: Queue) -> DoorbellJob {
    DoorbellJob {
        status: status::BAD_QUEUE_INDEX.to_bits(),
        written: 1.into(),
        ..job(number, queue, number, false)
    }
}

/// What was reported of a message before its place was filled.
pub const SPOILED: (u8, u8) = (status::BAD_LENGTH, access::NONE);

/// A job whose slot was filled because its message had failed: it rings all the same.
pub fn spoiled(number: u64, queue: Queue) -> DoorbellJob {
    DoorbellJob {
        status: SPOILED.0.to_bits(),
        access: SPOILED.1.to_bits(),
        ..job(number, queue, number, true)
    }
}

/// Context, address and value of every doorbell.
pub fn bells(rig: &Rig) -> Vec<(u64, u64, u64)> {
    let value = |bell: &super::memory::Access| bell.data[(bell.first_byte() >> 3 & 7) as usize];
    rig.memory
        .of("doorbell")
        .into_iter()
        .map(|bell| (bell.context, bell.first_byte(), value(bell)))
        .collect()
}

fn outcomes(rig: &Rig) -> Vec<(u64, u8, u8)> {
    let completions: Vec<Completion> = rig.sink("completion").values();
    let outcome = |c: &Completion| {
        (
            c.slot.to_u64(),
            c.status.to_u64() as u8,
            c.access.to_u64() as u8,
        )
    };
    completions.iter().map(outcome).collect()
}

#[test]
fn the_doorbell_is_offered_with_the_header_and_the_completion_two_cycles_behind_the_doorbell_at_most()
 {
    let mut rig = rig(0.0, 0.0, (7, 7), 1);
    let queue = Queue::new(2, 5, 8);
    rig.source("job").push_value(job(0, queue, 41, true));
    rig.run(10);
    rig.source("headers").push(&[0]);
    rig.run(30);
    let bell = rig.memory.log[0].clone();
    assert_eq!(bell.accepted, rig.source("headers").accepted()[0]);
    let completed = rig.received("completion")[0].0;
    let answered = rig.memory.log[0].answered;
    assert!(
        (answered..=answered + 2).contains(&completed),
        "answered {answered}, completed {completed}"
    );
    assert_eq!(bells(&rig), [(2, queue.doorbell(), 41)]);
}

#[test]
fn doorbells_that_wait_for_the_port_are_merged_and_the_last_is_rung() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    rig.memory.hold("doorbell", true);
    let (queue, other) = (Queue::new(2, 5, 8), Queue::new(1, 5, 8));
    for id in 0..6 {
        rig.source("job").push_value(job(id, queue, id, true));
    }
    rig.source("job").push_value(job(6, other, 90, true));
    for _ in 0..7 {
        rig.source("headers").push(&[0]);
    }
    rig.run(40);
    assert!(rig.memory.log.is_empty());
    assert!(rig.received("completion").is_empty());
    rig.memory.hold("doorbell", false);
    rig.run(40);
    // The one that was offered stays, those after it became one; another context's is not merged.
    assert_eq!(
        bells(&rig),
        [
            (2, queue.doorbell(), 0),
            (2, queue.doorbell(), 5),
            (1, other.doorbell(), 90)
        ]
    );
    assert_eq!(outcomes(&rig).len(), 7);
}

#[test]
fn a_doorbell_whose_header_is_not_acknowledged_is_not_merged() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    rig.memory.hold("doorbell", true);
    let queue = Queue::new(2, 5, 8);
    for id in 0..4 {
        rig.source("job").push_value(job(id, queue, id, true));
    }
    for _ in 0..3 {
        rig.source("headers").push(&[0]);
    }
    rig.run(40);
    rig.memory.hold("doorbell", false);
    rig.run(40);
    assert_eq!(bells(&rig).last().unwrap().2, 2);
    assert_eq!(outcomes(&rig).len(), 3);
    rig.source("headers").push(&[0]);
    rig.run(40);
    assert_eq!(bells(&rig).last().unwrap().2, 3);
    assert_eq!(outcomes(&rig).len(), 4);
}

#[test]
fn a_doorbell_that_fails_fails_every_message_it_stands_for() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    rig.memory.hold("doorbell", true);
    rig.memory.faults = Box::new(|_, context, _| context == 2);
    let (queue, other) = (Queue::new(2, 5, 8), Queue::new(1, 5, 8));
    for id in 0..4 {
        rig.source("job").push_value(job(id, queue, id, true));
        rig.source("headers").push(&[0]);
    }
    rig.source("job").push_value(job(4, other, 0, true));
    rig.source("headers").push(&[0]);
    rig.run(40);
    rig.memory.hold("doorbell", false);
    rig.run(60);
    let failed = |slot| (slot, status::MEMORY_ERROR, access::DOORBELL);
    assert_eq!(
        outcomes(&rig),
        [
            failed(0),
            failed(1),
            failed(2),
            failed(3),
            (4, status::OK, access::NONE)
        ]
    );
    assert!(
        rig.received("doorbell_fail")
            .iter()
            .all(|(_, words)| words[0] == queue.key())
    );
    assert!(!rig.received("doorbell_fail").is_empty());
}

#[test]
fn behind_a_header_that_failed_the_queue_is_not_rung_and_others_are() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    let (queue, other) = (Queue::new(2, 5, 8), Queue::new(1, 5, 8));
    for (id, queue) in [queue, queue, other, queue, other].into_iter().enumerate() {
        let id = id as u64;
        rig.source("job").push_value(job(id, queue, id, true));
        // The first and the last header word to the queue fail.
        rig.source("headers")
            .push(&[u64::from([0, 3].contains(&id))]);
    }
    rig.run_until(60, |rig| rig.received("completion").len() == 5);
    let closed = |slot| (slot, status::BAD_QUEUE_INDEX, access::NONE);
    let ok = |slot| (slot, status::OK, access::NONE);
    // The second one's packet is published, the fourth one's is not.
    let unrung = (1, status::MEMORY_ERROR, access::DOORBELL);
    let first = (0, status::MEMORY_ERROR, access::HEADER);
    assert_eq!(outcomes(&rig), [first, unrung, ok(2), closed(3), ok(4)]);
    assert_eq!(
        bells(&rig),
        [(1, other.doorbell(), 2), (1, other.doorbell(), 4)]
    );
    // Reported once, when the acknowledgement is taken: not later than the job and the acknowledgement allow.
    let jobs = rig.source("job").accepted()[0];
    let told = rig.source("headers").accepted()[0].max(jobs + 2);
    assert_eq!(rig.received("header_fail"), [(told, vec![queue.key()])]);
    assert!(rig.received("doorbell_fail").is_empty());
}

#[test]
fn behind_a_doorbell_that_failed_what_is_under_way_ends_by_its_own_and_the_rest_is_not_rung() {
    let mut rig = rig(0.0, 0.0, (20, 20), 1);
    let (queue, other) = (Queue::new(2, 5, 8), Queue::new(1, 5, 8));
    let mut count = 0;
    rig.memory.faults = Box::new(move |_, context, _| {
        count += u64::from(context == 2);
        context == 2 && count == 1
    });
    for (id, queue) in [queue, queue, other, queue, other].into_iter().enumerate() {
        let id = id as u64;
        rig.source("job").push_value(job(id, queue, id, true));
    }
    for _ in 0..3 {
        rig.source("headers").push(&[0]);
        rig.run(3);
    }
    rig.run_until(60, |rig| !rig.received("completion").is_empty());
    for _ in 3..5 {
        rig.source("headers").push(&[0]);
    }
    rig.run_until(60, |rig| rig.received("completion").len() == 5);
    let ok = |slot| (slot, status::OK, access::NONE);
    let first = (0, status::MEMORY_ERROR, access::DOORBELL);
    let last = (3, status::MEMORY_ERROR, access::DOORBELL);
    assert_eq!(outcomes(&rig), [first, ok(1), ok(2), last, ok(4)]);
    let rung: Vec<u64> = bells(&rig).iter().map(|bell| bell.2).collect();
    assert_eq!(rung, [0, 1, 2, 4]);
    let told = rig.received("completion")[0].0;
    assert_eq!(rig.received("doorbell_fail"), [(told, vec![queue.key()])]);
    assert!(rig.received("header_fail").is_empty());
}

#[test]
fn a_slot_that_was_filled_waits_for_its_header_word_and_rings_nothing() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    let queue = Queue::new(2, 5, 8);
    for error in [0, 1] {
        rig.source("job").push_value(filled(error, queue));
        rig.run(20);
        assert_eq!(rig.received("completion").len() as u64, error);
        rig.source("headers").push(&[error]);
        rig.run(5);
    }
    // What comes after it has the right acknowledgement.
    rig.source("job").push_value(job(2, queue, 2, true));
    rig.source("headers").push(&[0]);
    rig.run(20);
    let closed = |slot| (slot, status::BAD_QUEUE_INDEX, access::NONE);
    let ok = (2, status::OK, access::NONE);
    assert_eq!(outcomes(&rig), [closed(0), closed(1), ok]);
    assert_eq!(bells(&rig), [(2, queue.doorbell(), 2)]);
    assert!(rig.received("header_fail").is_empty());
}

#[test]
fn a_message_that_had_failed_before_its_queue_keeps_its_error_if_its_filler_is_in_memory() {
    // Its header word: written in an open queue and rung, written in a closed one, failed in a closed one, failed.
    let cases = [(0, false), (0, true), (1, true), (1, false)];
    for (error, closed) in cases {
        let mut rig = rig(0.0, 0.0, (3, 3), 1);
        let queue = Queue::new(2, 5, 8);
        rig.source("job").push_value(spoiled(0, queue));
        if closed {
            rig.queues().close(queue.key(), 0);
        }
        rig.source("headers").push(&[error]);
        rig.run_until(60, |rig| !rig.received("completion").is_empty());
        let (code, place) = match (error, closed) {
            (1, false) => (status::MEMORY_ERROR, access::HEADER),
            (1, true) => (status::BAD_QUEUE_INDEX, access::NONE),
            _ => SPOILED,
        };
        assert_eq!(outcomes(&rig), [(0, code, place)]);
        assert_eq!(
            bells(&rig).len(),
            usize::from((error, closed) == (0, false))
        );
        let told = rig.received("header_fail").len();
        assert_eq!(told, usize::from((error, closed) == (1, false)));
    }
}

#[test]
fn a_message_that_had_failed_keeps_its_error_when_the_doorbell_that_covers_it_fails() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    rig.memory.hold("doorbell", true);
    rig.memory.faults = Box::new(|_, _, _| true);
    let queue = Queue::new(2, 5, 8);
    // The first doorbell is the filler's own, the second one is that of a message after a filler.
    for number in 0..3 {
        let job = match number {
            2 => job(2, queue, 2, true),
            _ => spoiled(number, queue),
        };
        rig.source("job").push_value(job);
        rig.source("headers").push(&[0]);
    }
    rig.run(40);
    rig.memory.hold("doorbell", false);
    rig.run(60);
    assert_eq!(bells(&rig).len(), 2);
    let kept = |slot| (slot, SPOILED.0, SPOILED.1);
    let failed = (2, status::MEMORY_ERROR, access::DOORBELL);
    assert_eq!(outcomes(&rig), [kept(0), kept(1), failed]);
    // The queue fails all the same.
    let told = rig.received("doorbell_fail").iter();
    let told: Vec<u64> = told.map(|(_, words)| words[0]).collect();
    assert_eq!(told, [queue.key(); 3]);
}

#[test]
fn a_doorbell_that_waits_for_the_port_when_its_queue_fails_is_rung() {
    let mut rig = rig(0.0, 0.0, (3, 3), 1);
    rig.memory.hold("doorbell", true);
    let queue = Queue::new(2, 5, 8);
    for id in 0..4 {
        rig.source("job").push_value(job(id, queue, id, true));
    }
    for _ in 0..3 {
        rig.source("headers").push(&[0]);
    }
    rig.run(20);
    rig.queues().close(queue.key(), 0);
    rig.source("headers").push(&[0]);
    rig.run(20);
    rig.memory.hold("doorbell", false);
    rig.run_until(60, |rig| rig.received("completion").len() == 4);
    let rung: Vec<u64> = bells(&rig).iter().map(|bell| bell.2).collect();
    assert_eq!(rung, [0, 2]);
    let ok = |slot| (slot, status::OK, access::NONE);
    let last = (3, status::MEMORY_ERROR, access::DOORBELL);
    assert_eq!(outcomes(&rig), [ok(0), ok(1), ok(2), last]);
}

#[test]
fn a_message_every_cycle_with_no_doorbell_and_every_two_with_one() {
    for (ring, spacing) in [(false, 1), (true, 2)] {
        let mut rig = rig(0.0, 0.0, (1, 1), 1);
        for number in 0..50 {
            let queue = Queue::new(number % 4, 1, 8);
            rig.source("job")
                .push_value(job(number, queue, number, ring));
            rig.source("headers").push(&[0]);
        }
        rig.run_until(300, |rig| rig.received("completion").len() == 50);
        let completions = rig.received("completion");
        assert!(
            completions[49].0 - completions[9].0 <= 40 * spacing,
            "ring {ring}"
        );
    }
}

#[test]
fn no_valid_follows_a_ready() {
    let mut rig = rig(0.0, 0.0, (2, 2), 1);
    for number in 0..10 {
        rig.source("job").push_value(job(
            number,
            Queue::new(number % 2, 1, 8),
            number,
            number % 3 != 0,
        ));
        rig.source("headers").push(&[0]);
    }
    for _ in 0..60 {
        rig.check_ready_paths(&["doorbell", "completion"]);
        rig.cycle();
    }
    assert_eq!(rig.received("completion").len(), 10);
}
