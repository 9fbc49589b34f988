//! `HeaderWriter` alone: its cycles, and what is after a failure.

use rust_hdl::prelude::*;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Gaps;
use xtq_types::event::{access, status};
use xtq_types::memory::WriteRequest;
use xtq_types::queue::{DoorbellJob, HeaderJob, PayloadDone};

use super::joined::payload_done;
use super::rig::Rig;

pub fn rig(gaps: f64, seed: u64) -> Rig {
    let engine = blocks::engine("header_writer", EngineKind::Jit);
    let mut rig = Rig::new(Box::new(engine.unwrap()), seed);
    rig.memory.latency = (1, 5);
    rig.memory.writes(&*rig.engine, "repair", "repair", gaps);
    rig.feeds("job", &[], Gaps::random(gaps, seed));
    rig.feeds("done", &[], Gaps::random(gaps, seed + 1));
    rig.pulses(
        "acks",
        &["enqueue_error"],
        "enqueue_done",
        Gaps::random(gaps, seed + 2),
    );
    rig.takes("header", Gaps::random(gaps, seed + 3));
    rig.takes("ring_job", Gaps::random(gaps, seed + 4));
    rig.notes("slot_fail", &["slot_fail"], "slot_fail_valid");
    rig.asks_queues(&["slot_fail"], "header");
    rig
}

/// A job, and what comes for it.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub publish: bool,
    pub wait: bool,
    /// Status that the job brings.
    pub status: u8,
    pub error: bool,
    pub bad: bool,
    /// An atomic that cannot be done; only without `publish`.
    pub refused: bool,
    pub slot: bool,
    pub index: bool,
    pub shared: bool,
    /// {context, index} of the queue.
    pub queue: u64,
}

pub const PLAIN: Given = Given {
    publish: true,
    wait: true,
    status: 0,
    error: false,
    bad: false,
    refused: false,
    slot: false,
    index: false,
    shared: false,
    queue: QUEUES[0],
};

/// The same index in two contexts, another index, another context.
pub const QUEUES: [u64; 4] = [0x45, 0x85, 0x46, 0xFF];
pub const CLOSED: (u8, u8) = (status::BAD_QUEUE_INDEX, access::NONE);

impl Given {
    fn writes(self) -> u64 {
        if self.publish {
            2 - u64::from(self.shared)
        } else {
            0
        }
    }

    fn job(self, number: u64) -> HeaderJob {
        HeaderJob {
            slot: (number % 256).to_bits(),
            context: (self.queue >> 6).to_bits(),
            status: self.status.to_bits(),
            access: 0.into(),
            publish: u64::from(self.publish).to_bits(),
            shared: u64::from(self.shared).to_bits(),
            wait_payload: u64::from(self.wait).to_bits(),
            writes: self.writes().to_bits(),
            header: (0x1502 + (number << 16)).to_bits(),
            queue_index: (self.queue & 63).to_bits(),
            slot_address: (0x1000 + 64 * number).to_bits(),
            doorbell_address: (0x9000 + 8 * number).to_bits(),
            doorbell_value: (number + 7).to_bits(),
            packet_id: (number + 5).to_bits(),
        }
    }
}

pub fn push(rig: &mut Rig, number: u64, given: Given) {
    rig.source("job").push_value(given.job(number));
}

pub fn push_acks(rig: &mut Rig, given: Given) {
    for error in [given.slot, given.index]
        .into_iter()
        .take(given.writes() as usize)
    {
        rig.source("acks").push(&[error.into()]);
    }
}

pub fn push_done(rig: &mut Rig, given: Given) {
    if given.wait {
        let done = PayloadDone {
            refused: u64::from(given.refused).to_bits(),
            ..payload_done(given.error, given.bad)
        };
        rig.source("done").push_value(done);
    }
}

#[test]
fn the_header_is_offered_with_the_last_acknowledgement_whichever_it_is() {
    for done_last in [false, true] {
        let mut rig = rig(0.0, 1);
        push(&mut rig, 1, PLAIN);
        rig.run(10);
        for last in [false, true] {
            if last == done_last {
                push_done(&mut rig, PLAIN);
            } else {
                push_acks(&mut rig, PLAIN);
            }
            rig.run(10);
            assert_eq!(rig.received("header").len(), usize::from(last));
        }
        let last = rig
            .source(if done_last { "done" } else { "acks" })
            .accepted()
            .last()
            .copied()
            .unwrap();
        assert_eq!(rig.received("header")[0].0, last);
        assert_eq!(rig.received("ring_job")[0].0, last + 1);
    }
}

#[test]
fn acknowledgements_may_come_before_the_job_and_in_consecutive_cycles() {
    let mut rig = rig(0.0, 1);
    for _ in 0..60 {
        push_acks(&mut rig, PLAIN);
    }
    rig.run(130);
    for number in 0..60 {
        push(&mut rig, number, PLAIN);
        push_done(&mut rig, PLAIN);
    }
    rig.run(200);
    assert_eq!(rig.received("header").len(), 60);
    assert_eq!(rig.received("ring_job").len(), 60);
}

#[test]
fn a_published_job_every_two_cycles_and_at_least_64_wait() {
    let mut rig = rig(0.0, 1);
    for number in 0..64 {
        push(&mut rig, number, PLAIN);
    }
    rig.run(66);
    assert_eq!(rig.source("job").waiting(), 0);
    assert_eq!(rig.get("payload_waiting"), 1);
    for _ in 0..64 {
        push_done(&mut rig, PLAIN);
        push_acks(&mut rig, PLAIN);
    }
    rig.run_until(300, |rig| rig.received("header").len() == 64);
    let headers = rig.received("header");
    assert_eq!(headers[63].0 - headers[0].0, 63 * 2);
    assert_eq!(rig.get("payload_waiting"), 0);
}

#[test]
fn no_valid_follows_a_ready() {
    let mut rig = rig(0.0, 1);
    for number in 0..6 {
        let given = Given {
            bad: number % 2 == 0,
            ..PLAIN
        };
        push(&mut rig, number, given);
        push_acks(&mut rig, given);
        push_done(&mut rig, given);
    }
    for _ in 0..60 {
        rig.check_ready_paths(&["header", "repair", "ring_job"]);
        rig.cycle();
    }
    assert_eq!(rig.received("ring_job").len(), 6);
}

#[test]
fn behind_a_failure_the_queue_publishes_nothing_and_other_queues_go_on() {
    let bad = Given { bad: true, ..PLAIN };
    let slot = Given {
        slot: true,
        ..PLAIN
    };
    let index = Given {
        index: true,
        ..PLAIN
    };
    for (first, code) in [
        (slot, access::SLOT),
        (index, access::INDEX),
        (bad, access::SLOT),
    ] {
        let mut rig = rig(0.0, 1);
        rig.memory.faults = Box::new(|_, _, address| address == 0x1000);
        let other = |queue| Given { queue, ..PLAIN };
        let givens = [
            first,
            PLAIN,
            other(QUEUES[1]),
            bad,
            other(QUEUES[2]),
            slot,
            other(QUEUES[3]),
            index,
        ];
        for (number, given) in givens.into_iter().enumerate() {
            push(&mut rig, number as u64, given);
            push_acks(&mut rig, given);
            push_done(&mut rig, given);
        }
        rig.run_until(100, |rig| rig.received("ring_job").len() == givens.len());
        let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
        let outcome = |job: &DoorbellJob| (job.status.to_u64() as u8, job.access.to_u64() as u8);
        let ok = (status::OK, access::NONE);
        let expected = [
            (status::MEMORY_ERROR, code),
            CLOSED,
            ok,
            CLOSED,
            ok,
            CLOSED,
            ok,
            CLOSED,
        ];
        assert_eq!(jobs.iter().map(outcome).collect::<Vec<_>>(), expected);
        let headers: Vec<WriteRequest> = rig.sink("header").values();
        let addresses: Vec<u64> = headers.iter().map(|h| h.address.to_u64()).collect();
        assert_eq!(addresses, [2, 4, 6].map(|number| 0x1000 + 64 * number));
        assert_eq!(rig.memory.of("repair").len(), usize::from(first.bad));
        // Reported once, in the cycle in which the job goes on.
        let told = rig.received("ring_job")[0].0 - 1;
        assert_eq!(rig.received("slot_fail"), [(told, vec![QUEUES[0]])]);
    }
}

#[test]
fn a_header_word_that_was_offered_stays_when_its_queue_fails() {
    let mut waited = 0;
    for seed in 0..20 {
        // The port takes a header word in one cycle of ten.
        let mut rig = rig(0.9, seed);
        for number in 0..2 {
            push(&mut rig, number, PLAIN);
            push_acks(&mut rig, PLAIN);
            push_done(&mut rig, PLAIN);
        }
        rig.run_until(500, |rig| rig.queues().offers.len() == 1);
        let offered = rig.queues().offers[0];
        rig.queues().close(PLAIN.queue, offered + 1);
        rig.run_until(500, |rig| rig.received("ring_job").len() == 2);
        waited += u32::from(rig.received("header")[0].0 > offered + 1);
        assert_eq!(rig.received("header").len(), 1, "seed {seed}");
        let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
        let outcome = |job: &DoorbellJob| (job.status.to_u64() as u8, job.ring.to_u64());
        assert_eq!(outcome(&jobs[0]), (status::OK, 1), "seed {seed}");
        let closed = (status::BAD_QUEUE_INDEX, 0);
        assert_eq!(outcome(&jobs[1]), closed, "seed {seed}");
    }
    assert!(waited > 10, "the word waited in {waited} runs");
}

#[test]
fn a_queue_that_fails_during_a_repair_gets_no_header_word() {
    let bad = Given { bad: true, ..PLAIN };
    let mut rig = rig(0.0, 1);
    rig.memory.latency = (20, 20);
    push(&mut rig, 0, bad);
    push_acks(&mut rig, bad);
    push_done(&mut rig, bad);
    rig.run_until(100, |rig| !rig.memory.log.is_empty());
    let repaired = rig.memory.log[0].answered;
    rig.queues().close(bad.queue, repaired);
    rig.run_until(100, |rig| rig.received("ring_job").len() == 1);
    assert!(rig.received("header").is_empty());
    let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
    assert_eq!(jobs[0].status.to_u64() as u8, status::BAD_QUEUE_INDEX);
    assert!(rig.received("slot_fail").is_empty());
}

#[test]
fn a_slot_of_a_shared_queue_that_failed_is_filled_and_not_rung() {
    let shared = Given {
        shared: true,
        wait: false,
        ..PLAIN
    };
    let slot = Given {
        slot: true,
        ..shared
    };
    let other = Given {
        queue: QUEUES[1],
        ..shared
    };
    let mut rig = rig(0.0, 1);
    // The third one's repair fails.
    rig.memory.faults = Box::new(|_, _, address| address == 0x1080);
    rig.queues().close(PLAIN.queue, 0);
    let givens = [shared, slot, shared, other, PLAIN, shared];
    for (number, given) in givens.into_iter().enumerate() {
        push(&mut rig, number as u64, given);
        push_acks(&mut rig, given);
        push_done(&mut rig, given);
    }
    rig.run_until(200, |rig| rig.received("ring_job").len() == givens.len());
    let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
    let outcome = |job: &DoorbellJob| {
        (
            (job.status.to_u64() as u8, job.access.to_u64() as u8),
            job.written.to_u64(),
            job.ring.to_u64(),
        )
    };
    let (filled, left) = ((CLOSED, 1, 0), (CLOSED, 0, 0));
    let ok = ((status::OK, access::NONE), 1, 1);
    assert_eq!(
        jobs.iter().map(outcome).collect::<Vec<_>>(),
        [filled, left, left, ok, left, filled]
    );
    let headers: Vec<WriteRequest> = rig.sink("header").values();
    let words: Vec<(u64, u64)> = headers
        .iter()
        .map(|h| (h.address.to_u64(), h.data.get_bits::<32>(0).to_u64()))
        .collect();
    let own = 0x1502 + (3 << 16);
    assert_eq!(words, [(0x1000, 3), (0x10C0, own), (0x1140, 3)]);
    let repairs = rig.memory.of("repair");
    let zeros: Vec<_> = repairs
        .iter()
        .map(|r| (r.address, r.strobe, r.data))
        .collect();
    assert_eq!(
        zeros,
        [0x1000, 0x1080, 0x1140].map(|address| (address, !15, [0; 8]))
    );
    assert!(rig.received("header")[0].0 > repairs[0].answered);
    assert!(rig.received("slot_fail").is_empty());
}

#[test]
fn a_slot_that_is_being_filled_is_filled_also_if_its_queue_is_opened_anew() {
    let shared = Given {
        shared: true,
        wait: false,
        ..PLAIN
    };
    // The port takes a header word in one cycle of ten.
    let mut rig = rig(0.9, 3);
    rig.queues().close(PLAIN.queue, 0);
    push(&mut rig, 0, shared);
    push_acks(&mut rig, shared);
    rig.run_until(500, |rig| !rig.memory.log.is_empty());
    rig.queues().reopen(PLAIN.queue);
    rig.run_until(500, |rig| rig.received("ring_job").len() == 1);
    let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
    assert_eq!((jobs[0].written.to_u64(), jobs[0].ring.to_u64()), (1, 0));
    assert_eq!(jobs[0].status.to_u64() as u8, status::BAD_QUEUE_INDEX);
    let headers: Vec<WriteRequest> = rig.sink("header").values();
    assert_eq!(headers[0].data.get_bits::<32>(0).to_u64(), 3);
}
