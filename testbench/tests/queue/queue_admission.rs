//! `QueueAdmission`, rule by rule, and its cycles.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use xtq_engine::EngineKind;
use xtq_engine::blocks;

use xtq_testbench::bus::Gaps;
use xtq_types::Wire;
use xtq_types::event::{access, status};

use super::queues::Queue;
use super::rig::Rig;

/// Context and address of reads that fail.
type Broken = Rc<RefCell<HashSet<(u64, u64)>>>;

pub struct Bench {
    pub rig: Rig,
    /// Context and address of index reads that fail.
    pub broken: Broken,
}

impl Bench {
    pub fn new(atomics: bool, gaps: f64, latency: (u64, u64), seed: u64) -> Self {
        let engine = blocks::engine_of("queue_admission", atomics.into(), EngineKind::Jit);
        let mut rig = Rig::new(Box::new(engine.unwrap()), seed);
        rig.memory.reads(&*rig.engine, "read", gaps);
        rig.memory.latency = latency;
        let broken = Broken::default();
        let faults = broken.clone();
        rig.memory.faults =
            Box::new(move |_, context, address| faults.borrow().contains(&(context, address)));
        rig.feeds("admit", &["admit_context"], Gaps::random(gaps, seed));
        rig.feeds("invalidate", &[], Gaps::random(gaps, seed + 1));
        for (i, name) in FAILS.into_iter().enumerate() {
            rig.pulses(
                name,
                &[name],
                &format!("{name}_valid"),
                Gaps::random(gaps, seed + 2 + i as u64),
            );
        }
        rig.notes("admitted", &["admit_status", "admit_access"], "admitted");
        rig.notes(
            "opened",
            &["opened", "opened_write", "opened_read"],
            "opened_valid",
        );
        Self { rig, broken }
    }

    fn simple() -> Self {
        Self::new(false, 0.0, (1, 1), 1)
    }

    pub fn set_indices(&mut self, queue: Queue, write: u64, read: u64) {
        self.rig
            .memory
            .set_word(queue.context, queue.write_index(), write);
        self.rig
            .memory
            .set_word(queue.context, queue.read_index(), read);
    }

    pub fn ask(&mut self, queue: Queue) {
        let mut words = vec![0; 5];
        queue.info().to_words(&mut words);
        words.push(queue.context);
        self.rig.source("admit").push(&words);
    }

    /// Asks and waits for the answer: status, access, reads made.
    pub fn admit(&mut self, queue: Queue) -> (u8, u8, usize) {
        let (answers, reads) = (
            self.rig.received("admitted").len(),
            self.rig.memory.log.len(),
        );
        self.ask(queue);
        self.rig
            .run_until(2000, |rig| rig.received("admitted").len() > answers);
        let words = &self.rig.received("admitted")[answers].1;
        (
            words[0] as u8,
            words[1] as u8,
            self.rig.memory.log.len() - reads,
        )
    }

    pub fn fail(&mut self, port: usize, queue: Queue) {
        self.rig.source(FAILS[port]).push(&[queue.key()]);
        self.rig
            .run_until(200, |rig| rig.source(FAILS[port]).waiting() == 0);
    }

    /// What is reported about three queues to enqueuer, header writer and doorbell writer, in one cycle.
    pub fn open(&mut self, queues: [Queue; 3]) -> [bool; 3] {
        let ports = ["claim", "header", "ring"];
        for (port, queue) in ports.iter().zip(queues) {
            self.rig.set(&format!("{port}_queue"), queue.key());
        }
        self.rig.engine.eval().unwrap();
        ports.map(|port| self.rig.get(&format!("{port}_open")) == 1)
    }

    pub fn invalidate(&mut self, queue: Queue) {
        self.rig.source("invalidate").push(&[queue.key()]);
        self.rig
            .run_until(200, |rig| rig.source("invalidate").waiting() == 0);
    }
}

pub const FAILS: [&str; 4] = ["enqueue_fail", "slot_fail", "header_fail", "doorbell_fail"];
const OK: (u8, u8, usize) = (status::OK, access::NONE, 0);
const FULL: (u8, u8, usize) = (status::QUEUE_FULL, access::NONE, 1);

#[test]
fn first_use_reads_both_indices_and_tells_the_enqueuer() {
    let mut bench = Bench::simple();
    let queue = Queue::new(2, 5, 8);
    bench.set_indices(queue, 1000, 998);
    assert_eq!(bench.admit(queue), (status::OK, access::NONE, 2));
    assert_eq!(bench.rig.received("opened").len(), 1);
    assert_eq!(bench.rig.received("opened")[0].1, [queue.key(), 1000, 998]);
    assert_eq!(bench.admit(queue), OK);
    assert_eq!(bench.rig.received("opened").len(), 1);
}

#[test]
fn full_exactly_when_size_packets_are_unread_and_the_read_index_is_read_again_once() {
    for (start, size) in [
        (0, 1),
        (0, 4),
        (u64::MAX - 3, 8),
        (u64::MAX, 1),
        (1 << 63, 2),
    ] {
        let mut bench = Bench::simple();
        let queue = Queue::new(1, 0, size);
        bench.set_indices(queue, start, start);
        assert_eq!(bench.admit(queue).0, status::OK);
        for _ in 1..size {
            assert_eq!(bench.admit(queue), OK, "start {start} size {size}");
        }
        assert_eq!(bench.admit(queue), FULL);
        assert_eq!(bench.admit(queue), FULL);
        // One is consumed: one read, then full again.
        bench
            .rig
            .memory
            .set_word(1, queue.read_index(), start.wrapping_add(1));
        assert_eq!(bench.admit(queue), (status::OK, access::NONE, 1));
        assert_eq!(bench.admit(queue), FULL);
        // Drained: all places again, after one read.
        bench
            .rig
            .memory
            .set_word(1, queue.read_index(), start.wrapping_add(1 + size));
        assert_eq!(bench.admit(queue), (status::OK, access::NONE, 1));
        for _ in 1..size {
            assert_eq!(bench.admit(queue), OK);
        }
        assert_eq!(bench.admit(queue), FULL);
    }
}

#[test]
fn a_queue_that_is_full_when_it_is_opened_is_not_read_a_third_time() {
    let mut bench = Bench::simple();
    let queue = Queue::new(0, 3, 4);
    bench.set_indices(queue, 104, 100);
    assert_eq!(bench.admit(queue), (status::QUEUE_FULL, access::NONE, 2));
    bench.rig.memory.set_word(0, queue.read_index(), 101);
    assert_eq!(bench.admit(queue), (status::OK, access::NONE, 1));
}

#[test]
fn bad_sizes_and_indices_are_refused_without_a_read() {
    let mut bench = Bench::new(true, 0.0, (1, 1), 1);
    for size in [0, 3, 6, 0xFFFF_FFFF, 0x8000_0001] {
        assert_eq!(
            bench.admit(Queue::new(0, 1, size)),
            (status::BAD_QUEUE_SIZE, access::NONE, 0)
        );
    }
    assert_eq!(
        bench.admit(Queue::new(0, 64, 8)),
        (status::BAD_QUEUE_INDEX, access::NONE, 0)
    );
    assert_eq!(
        bench.admit(Queue::new(0, 0x8001, 8)),
        (status::BAD_QUEUE_INDEX, access::NONE, 0)
    );
    // It was not opened; with a good size it is.
    assert_eq!(
        bench.admit(Queue::new(0, 1, 0x8000_0000)),
        (status::OK, access::NONE, 2)
    );
}

#[test]
fn shared_queues_are_refused_without_atomics_and_never_promised_with_them() {
    let queue = Queue::new(3, 7, 2).shared();
    let mut bench = Bench::simple();
    assert_eq!(
        bench.admit(queue),
        (status::SHARED_REFUSED, access::NONE, 0)
    );
    let mut bench = Bench::new(true, 0.0, (1, 1), 1);
    assert_eq!(bench.admit(queue), (status::OK, access::NONE, 2));
    for _ in 0..5 {
        assert_eq!(bench.admit(queue), OK);
    }
}

#[test]
fn a_read_that_fails_leaves_a_closed_queue_closed_and_an_open_one_open() {
    let error = |reads| (status::MEMORY_ERROR, access::INDEX, reads);
    let mut bench = Bench::simple();
    let queue = Queue::new(1, 9, 1);
    bench.broken.borrow_mut().insert((1, queue.write_index()));
    assert_eq!(bench.admit(queue), error(1));
    bench.broken.borrow_mut().clear();
    bench.broken.borrow_mut().insert((1, queue.read_index()));
    assert_eq!(bench.admit(queue), error(2));
    assert!(bench.rig.received("opened").is_empty());
    bench.broken.borrow_mut().clear();
    assert_eq!(bench.admit(queue), (status::OK, access::NONE, 2));
    bench.broken.borrow_mut().insert((1, queue.read_index()));
    assert_eq!(bench.admit(queue), error(1));
    bench.broken.borrow_mut().clear();
    assert_eq!(bench.admit(queue), FULL);
    assert_eq!(bench.rig.received("opened").len(), 1);
}

#[test]
fn a_failed_queue_refuses_until_it_is_invalidated() {
    for port in 0..FAILS.len() {
        let mut bench = Bench::simple();
        let (queue, other) = (Queue::new(2, 63, 4), Queue::new(1, 63, 4));
        assert_eq!(bench.admit(queue).0, status::OK);
        assert_eq!(bench.admit(other).0, status::OK);
        bench.fail(port, queue);
        assert_eq!(
            bench.admit(queue),
            (status::BAD_QUEUE_INDEX, access::NONE, 0)
        );
        assert_eq!(bench.admit(other), OK);
        bench.invalidate(queue);
        assert_eq!(bench.admit(queue), (status::OK, access::NONE, 2));
    }
}

#[test]
fn four_failures_in_one_cycle_and_an_invalidation_are_all_taken() {
    let mut bench = Bench::simple();
    let queues = [
        Queue::new(0, 1, 4),
        Queue::new(1, 2, 4),
        Queue::new(3, 3, 4),
        Queue::new(3, 1, 4),
    ];
    let closed = Queue::new(2, 4, 4);
    for queue in queues.into_iter().chain([closed]) {
        assert_eq!(bench.admit(queue).0, status::OK);
    }
    for (name, queue) in FAILS.into_iter().zip(queues) {
        bench.rig.source(name).push(&[queue.key()]);
    }
    bench.rig.source("invalidate").push(&[closed.key()]);
    bench.rig.cycle();
    let cycles: Vec<u64> = FAILS
        .iter()
        .chain(&["invalidate"])
        .map(|name| bench.rig.source(name).accepted()[0])
        .collect();
    assert!(cycles.iter().all(|&cycle| cycle == cycles[0]), "{cycles:?}");
    for queue in queues {
        assert_eq!(bench.admit(queue).0, status::BAD_QUEUE_INDEX);
    }
    assert_eq!(bench.admit(closed), (status::OK, access::NONE, 2));
}

#[test]
fn a_question_that_meets_an_invalidation_is_taken_behind_it() {
    let mut bench = Bench::simple();
    let queue = Queue::new(1, 8, 4);
    assert_eq!(bench.admit(queue), (status::OK, access::NONE, 2));
    bench.rig.source("invalidate").push(&[queue.key()]);
    // Both are offered in the same cycle; the queue is opened again.
    assert_eq!(bench.admit(queue), (status::OK, access::NONE, 2));
    let invalidated = bench.rig.source("invalidate").accepted()[0];
    let asked = bench.rig.source("admit").accepted()[1];
    assert_eq!(asked, invalidated + 1);
}

#[test]
fn a_queue_is_open_from_its_first_use_to_the_cycle_of_its_failure() {
    let (queue, other) = (Queue::new(2, 33, 4), Queue::new(1, 33, 4));
    for name in FAILS {
        let mut bench = Bench::simple();
        assert_eq!(bench.open([queue; 3]), [false; 3]);
        bench.admit(other);
        assert_eq!(bench.open([queue, other, queue]), [false, true, false]);
        bench.admit(queue);
        assert_eq!(bench.open([queue, other, queue]), [true; 3]);
        bench.rig.source(name).push(&[queue.key()]);
        bench.rig.set(&format!("{name}_valid"), 1);
        bench.rig.set(name, queue.key());
        assert_eq!(
            bench.open([queue; 3]),
            [true; 3],
            "in the cycle of the pulse"
        );
        bench.rig.cycle();
        assert_eq!(
            bench.open([queue, other, queue]),
            [false, true, false],
            "in the next"
        );
        assert_eq!(bench.open([other, queue, other]), [true, false, true]);
        bench.invalidate(queue);
        bench.invalidate(other);
        assert_eq!(bench.open([queue, other, queue]), [false; 3]);
    }
}

#[test]
fn a_warm_answer_comes_two_cycles_after_the_question_and_one_every_three() {
    let mut bench = Bench::simple();
    let queue = Queue::new(0, 0, 64);
    bench.admit(queue);
    for _ in 0..10 {
        bench.ask(queue);
    }
    bench
        .rig
        .run_until(100, |rig| rig.received("admitted").len() == 11);
    let asked = bench.rig.source("admit").accepted()[1..].to_vec();
    for (i, asked) in asked.iter().enumerate() {
        assert_eq!(bench.rig.received("admitted")[i + 1].0, asked + 2);
        assert_eq!(
            *asked,
            bench.rig.received("admitted")[1].0 - 2 + 3 * i as u64
        );
    }
}

#[test]
fn reset_closes_all_queues() {
    let mut bench = Bench::simple();
    let (open, failed) = (Queue::new(0, 1, 4), Queue::new(0, 2, 4));
    bench.admit(open);
    bench.fail(0, failed);
    bench.rig.engine.reset(1).unwrap();
    assert_eq!(bench.admit(open), (status::OK, access::NONE, 2));
    assert_eq!(bench.admit(failed), (status::OK, access::NONE, 2));
}
