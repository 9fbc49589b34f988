//! `HeaderWriter` alone: its cycles, and random acknowledgements against a naive model.

use proptest::prelude::*;
use rust_hdl::prelude::*;
use xtq_rtl::header_writer::HeaderWriter;
use xtq_rtl::types::Wire;
use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::pipe::{DoorbellJob, HeaderJob, WriteRequest};
use xtq_testbench::bus::Gaps;
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

use super::joined::payload_done;
use super::rig::Rig;

fn rig(gaps: f64, seed: u64) -> Rig {
    let engine = pins!(HeaderWriter::default() => clk;
        in: rst, job, job_valid, done, done_valid, enqueue_done, enqueue_error, header_ready, repair_ready, repair_done,
            repair_error, ring_job_ready;
        out: job_ready, done_ready, header, header_valid, repair, repair_valid, ring_job, ring_job_valid, fail, fail_valid,
            payload_waiting);
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
    rig.notes("fail", &["fail"], "fail_valid");
    rig
}

/// A job, and what comes for it.
#[derive(Clone, Copy, Debug)]
struct Given {
    publish: bool,
    wait: bool,
    /// Status that the job brings.
    status: u8,
    error: bool,
    bad: bool,
    slot: bool,
    index: bool,
    shared: bool,
}

const PLAIN: Given = Given {
    publish: true,
    wait: true,
    status: 0,
    error: false,
    bad: false,
    slot: false,
    index: false,
    shared: false,
};

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
            context: (number % 4).to_bits(),
            status: self.status.to_bits(),
            access: 0.into(),
            publish: u64::from(self.publish).to_bits(),
            wait_payload: u64::from(self.wait).to_bits(),
            writes: self.writes().to_bits(),
            header: (0x1502 + (number << 16)).to_bits(),
            queue_index: (number % 64).to_bits(),
            slot_address: (0x1000 + 64 * number).to_bits(),
            doorbell_address: (0x9000 + 8 * number).to_bits(),
            doorbell_value: (number + 7).to_bits(),
            packet_id: (number + 5).to_bits(),
        }
    }

    /// Outcome, header word if one is written, whether the queue fails.
    fn expected(self, number: u64, repair_failed: bool) -> ((u8, u8), Option<u64>, bool) {
        let own = (self.status, access::NONE);
        let payload = match (self.wait && self.error, self.wait && self.bad) {
            (true, _) => (status::MEMORY_ERROR, access::PAYLOAD),
            (_, true) => (status::BAD_LENGTH, access::NONE),
            _ => (status::OK, access::NONE),
        };
        let spoilt = payload.0 != status::OK;
        let first = if own.0 == status::OK { payload } else { own };
        if !self.publish {
            return (first, None, false);
        }
        if self.slot || (spoilt && repair_failed && !self.index_failed()) {
            return ((status::MEMORY_ERROR, access::SLOT), None, true);
        }
        if self.index_failed() {
            return ((status::MEMORY_ERROR, access::INDEX), None, true);
        }
        let word = if spoilt { 3 } else { 0x1502 + (number << 16) };
        (first, Some(word), false)
    }

    fn index_failed(self) -> bool {
        self.index && !self.shared
    }
}

fn push(rig: &mut Rig, number: u64, given: Given) {
    rig.source("job").push_value(given.job(number));
}

fn push_acks(rig: &mut Rig, given: Given) {
    for error in [given.slot, given.index]
        .into_iter()
        .take(given.writes() as usize)
    {
        rig.source("acks").push(&[error.into()]);
    }
}

fn push_done(rig: &mut Rig, given: Given) {
    if given.wait {
        rig.source("done")
            .push_value(payload_done(given.error, given.bad));
    }
}

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut block = Box::new(HeaderWriter::default());
    block.connect_all();
    accept("header_writer", &generate_verilog(block.as_ref())).unwrap();
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

fn given() -> impl Strategy<Value = Given> {
    (
        0..8u8,
        any::<bool>(),
        prop::collection::vec(0..8u8, 4),
        any::<bool>(),
    )
        .prop_map(|(kind, wait, spoilt, shared)| Given {
            publish: kind > 1,
            // What a shared queue publishes has had its done.
            wait: wait && !(kind > 1 && shared),
            status: if kind == 0 {
                status::QUEUE_FULL
            } else {
                status::OK
            },
            error: spoilt[0] == 0,
            bad: spoilt[1] == 0,
            slot: spoilt[2] == 0,
            index: spoilt[3] == 0,
            shared,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_job_leaves_in_order_with_its_outcome(givens in prop::collection::vec(given(), 1..100), seed in 0..10_000u64, gaps in 0..3u32) {
        use rand::{Rng, SeedableRng};
        let mut rig = rig(f64::from(gaps) * 0.3, seed);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        rig.memory.faults = Box::new(move |_, _, _| rng.random_bool(0.2));
        for (number, given) in givens.iter().enumerate() {
            push(&mut rig, number as u64, *given);
            push_acks(&mut rig, *given);
            push_done(&mut rig, *given);
        }
        let mut owed = 0i64;
        let (mut accepted, mut taken) = (0, 0);
        for _ in 0..4000 {
            rig.cycle();
            prop_assert_eq!(rig.get("payload_waiting") == 1, waiting_after(&mut rig, &givens, &mut accepted, &mut taken, &mut owed));
            if rig.received("ring_job").len() == givens.len() {
                break;
            }
        }
        rig.run(20);
        let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
        let headers: Vec<WriteRequest> = rig.sink("header").values();
        prop_assert_eq!(jobs.len(), givens.len());
        let mut headers = headers.into_iter();
        let mut fails = rig.received("fail").iter().map(|(_, words)| words[0]);
        let repairs = rig.memory.of("repair");
        let mut repairs = repairs.into_iter();
        for (number, (given, job)) in givens.iter().zip(jobs).enumerate() {
            let number = number as u64;
            let lost = given.slot || given.index_failed();
            let spoilt = given.wait && (given.error || given.bad);
            let mut repair_failed = false;
            if given.publish && spoilt && !lost {
                let repair = repairs.next().unwrap();
                prop_assert_eq!((repair.address, repair.strobe, repair.data), (0x1000 + 64 * number, !15, [0; 8]));
                repair_failed = repair.failed;
            }
            let (outcome, word, fails_queue) = given.expected(number, repair_failed);
            prop_assert_eq!((job.status.to_u64() as u8, job.access.to_u64() as u8), outcome);
            prop_assert_eq!((job.slot.to_u64(), job.packet_id.to_u64()), (number, number + 5));
            prop_assert_eq!((job.doorbell_address.to_u64(), job.doorbell_value.to_u64()), (0x9000 + 8 * number, number + 7));
            prop_assert_eq!(job.ring.to_u64() == 1, word.is_some());
            if let Some(word) = word {
                let header = headers.next().unwrap();
                let mut data = [0; 8];
                header.data.to_words(&mut data);
                prop_assert_eq!((header.address.to_u64(), header.strobe.to_u64(), data[0]), (0x1000 + 64 * number, 15, word));
                prop_assert_eq!(header.context.to_u64(), number % 4);
            }
            if fails_queue {
                prop_assert_eq!(fails.next(), Some(((number % 4) << 6) | (number % 64)));
            }
        }
        prop_assert!(headers.next().is_none() && fails.next().is_none() && repairs.next().is_none());
    }
}

/// Whether an accepted job waits for its `done`, after the handshakes so far.
fn waiting_after(
    rig: &mut Rig,
    givens: &[Given],
    accepted: &mut usize,
    taken: &mut usize,
    owed: &mut i64,
) -> bool {
    let jobs = rig.source("job").accepted().len();
    *owed += givens[*accepted..jobs]
        .iter()
        .filter(|given| given.wait)
        .count() as i64;
    *accepted = jobs;
    let dones = rig.source("done").accepted().len();
    *owed -= (dones - *taken) as i64;
    *taken = dones;
    *owed > 0
}
