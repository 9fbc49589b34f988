//! `DoorbellWriter` alone: its cycles, merging, and random traffic against a naive model.

use proptest::prelude::*;
use rust_hdl::prelude::*;
use xtq_rtl::doorbell_writer::DoorbellWriter;
use xtq_rtl::types::Wire;
use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::pipe::{Completion, DoorbellJob};
use xtq_testbench::bus::Gaps;
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

use super::queues::Queue;
use super::rig::Rig;

fn rig(gaps: f64, stall: f64, latency: (u64, u64), seed: u64) -> Rig {
    let engine = pins!(DoorbellWriter::default() => clk;
        in: rst, job, job_valid, header_done, header_error, doorbell_ready, doorbell_done, doorbell_error, completion_ready;
        out: job_ready, doorbell, doorbell_valid, completion, completion_valid, fail, fail_valid);
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
    rig.notes("fail", &["fail"], "fail_valid");
    rig
}

fn job(number: u64, queue: Queue, id: u64, ring: bool) -> DoorbellJob {
    DoorbellJob {
        slot: (number % 256).to_bits(),
        context: queue.context.to_bits(),
        status: if ring { status::OK } else { status::QUEUE_FULL }.to_bits(),
        access: 0.into(),
        ring: u64::from(ring).to_bits(),
        queue_index: queue.index.to_bits(),
        doorbell_address: queue.doorbell().to_bits(),
        doorbell_value: id.to_bits(),
        packet_id: id.to_bits(),
    }
}

/// Context, address and value of every doorbell.
fn bells(rig: &Rig) -> Vec<(u64, u64, u64)> {
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
fn third_party_tools_accept_the_verilog() {
    let mut block = Box::new(DoorbellWriter::default());
    block.connect_all();
    accept("doorbell_writer", &generate_verilog(block.as_ref())).unwrap();
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
    // The one that was offered stays, those behind it became one; another context's is not merged.
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
        rig.received("fail")
            .iter()
            .all(|(_, words)| words[0] == queue.key())
    );
    assert!(!rig.received("fail").is_empty());
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_message_completes_in_order_after_a_doorbell_that_covers_it(
        kinds in prop::collection::vec((0..3usize, 0..10u8), 1..150), seed in 0..10_000u64, gaps in 0..3u32, stall in 0..4u32,
        latency in 1..60u64, faults in 0..2u32,
    ) {
        use rand::{Rng, SeedableRng};
        let queues = [Queue::new(2, 5, 8), Queue::new(1, 5, 8), Queue::new(2, 6, 8)];
        let mut rig = rig(f64::from(gaps) * 0.3, f64::from(stall) * 0.3, (1, latency), seed);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        rig.memory.faults = Box::new(move |_, _, _| rng.random_bool(f64::from(faults) * 0.1));
        for (number, &(queue, kind)) in kinds.iter().enumerate() {
            // Kind 0 rings no doorbell, of kind 1 the header failed.
            rig.source("job").push_value(job(number as u64, queues[queue], number as u64, kind != 0));
            if kind != 0 {
                rig.source("headers").push(&[u64::from(kind == 1)]);
            }
        }
        rig.run_until(30_000, |rig| rig.received("completion").len() == kinds.len());
        rig.run(10);
        let (mut bell, mut headers, mut fails) = (0, 0, 0);
        let log = rig.memory.of("doorbell").into_iter().cloned().collect::<Vec<_>>();
        let bells = bells(&rig);
        for (number, &(queue, kind)) in kinds.iter().enumerate() {
            let (completed, words) = &rig.received("completion")[number];
            let completion = Completion::from_words(words);
            let outcome = (completion.status.to_u64() as u8, completion.access.to_u64() as u8);
            let number = number as u64;
            prop_assert_eq!((completion.slot.to_u64(), completion.packet_id.to_u64()), (number, number));
            prop_assert_eq!(completion.context.to_u64(), queues[queue].context);
            let completed = *completed;
            if kind == 0 {
                prop_assert_eq!(outcome, (status::QUEUE_FULL, access::NONE));
                continue;
            }
            let header = rig.source("headers").accepted()[headers];
            headers += 1;
            if kind == 1 {
                prop_assert_eq!(outcome, (status::MEMORY_ERROR, access::HEADER));
                fails += 1;
                continue;
            }
            // The doorbells are in the order of the messages; this message's is the first that is not older.
            let at = (queues[queue].context, queues[queue].doorbell());
            while bells[bell].2 < number {
                bell += 1;
            }
            prop_assert_eq!((bells[bell].0, bells[bell].1), at);
            prop_assert!(log[bell].accepted >= header, "doorbell before the header");
            prop_assert!(completed >= log[bell].answered, "complete before the doorbell");
            if log[bell].failed {
                prop_assert_eq!(outcome, (status::MEMORY_ERROR, access::DOORBELL));
                fails += 1;
            } else {
                prop_assert_eq!(outcome, (status::OK, access::NONE));
            }
        }
        prop_assert_eq!(rig.received("fail").len(), fails);
        prop_assert!(bells.windows(2).all(|pair| pair[0].2 < pair[1].2), "a doorbell older than the one before");
    }
}
