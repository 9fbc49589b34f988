//! The rules of barrier-AND and barrier-OR packets by name.

use crate::packet_processor::setup::{BARRIER_BIT, Queue, barrier_and, barrier_or, kernel, packet};

const NONE: [&str; 0] = [];
const A: u64 = 0x100;
const B: u64 = 0x200;
const DONE: u64 = 0x400;

#[test]
fn barrier_and_waits_for_all_its_signals() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    queue.store(B, 1);
    assert_eq!(
        queue.submit(&[barrier_and([A, 0, 0, 0, B], DONE), kernel(0)]),
        NONE
    );
    assert_eq!(queue.store(B, 0), NONE);
    assert_eq!(queue.store(A, 0), ["complete 0", "launch 1"]);
    assert_eq!(queue.signal(DONE), -1);
}

#[test]
fn barrier_and_needs_each_signal_observed_0_but_not_together() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    queue.store(B, 1);
    assert_eq!(queue.submit(&[barrier_and([A, B, 0, 0, 0], DONE)]), NONE);
    assert_eq!(queue.store(A, 0), NONE);
    assert_eq!(queue.store(A, 5), NONE);
    assert_eq!(queue.store(B, 0), ["complete 0"]);
}

#[test]
fn a_0_seen_before_the_barrier_was_active_does_not_count() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    queue.publish(0, packet(2, 0, [0; 5], 0));
    queue.publish(1, packet(3, BARRIER_BIT, [A, 0, 0, 0, 0], 0));
    assert_eq!(queue.ring(1), ["launch 0"]);
    assert_eq!(queue.store(A, 0), NONE);
    assert_eq!(queue.store(A, 1), NONE);
    assert_eq!(
        queue.finish(0),
        ["complete 0"],
        "the barrier looks only now"
    );
    assert_eq!(queue.store(A, 0), ["complete 1"]);
}

#[test]
fn only_0_satisfies_a_barrier() {
    for barrier in [
        barrier_and([A, 0, 0, 0, 0], DONE),
        barrier_or([A, 0, 0, 0, 0], DONE),
    ] {
        let mut queue = Queue::new(4);
        queue.store(A, 1);
        assert_eq!(queue.submit(&[barrier]), NONE);
        for value in [-1, i64::MIN, 1 << 32] {
            assert_eq!(queue.store(A, value), NONE);
        }
        assert_eq!(queue.store(A, 0), ["complete 0"]);
    }
}

#[test]
fn null_handles_satisfy_barrier_and() {
    let mut queue = Queue::new(4);
    let log = queue.submit(&[barrier_and([0; 5], DONE), kernel(0)]);
    assert_eq!(log, ["complete 0", "launch 1"]);
}

#[test]
fn null_handles_never_satisfy_barrier_or() {
    let mut queue = Queue::new(4);
    assert_eq!(queue.submit(&[barrier_or([0; 5], DONE), kernel(0)]), NONE);
    assert_eq!(queue.store(A, 0), NONE);
    assert_eq!(queue.processor.error(), None);
}

#[test]
fn barrier_or_completes_at_the_first_signal_that_is_0() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    queue.store(B, 2);
    assert_eq!(
        queue.submit(&[barrier_or([0, A, 0, B, 0], DONE), kernel(0)]),
        NONE
    );
    assert_eq!(queue.store(B, 0), ["complete 0", "launch 1"]);
    assert_eq!(queue.signal(A), 1);
}

#[test]
fn barrier_packets_hold_later_packets_but_not_themselves() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    let log = queue.submit(&[kernel(B), barrier_and([A, 0, 0, 0, 0], DONE), kernel(0)]);
    assert_eq!(log, ["launch 0"]);
    let log = queue.store(A, 0);
    assert_eq!(log, ["complete 1", "launch 2"], "packet 0 still runs");
    assert_eq!(queue.types(), [2, 3, 2, 1], "but retirement is in order");
    queue.finish(0);
    assert_eq!(queue.types(), [1, 1, 2, 1]);
}

#[test]
fn a_barrier_can_wait_for_the_completion_signal_of_its_own_queue() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    let log = queue.submit(&[kernel(A), barrier_and([A, 0, 0, 0, 0], DONE), kernel(0)]);
    assert_eq!(log, ["launch 0"]);
    assert_eq!(queue.finish(0), ["complete 0", "complete 1", "launch 2"]);
}

#[test]
fn a_barrier_can_release_the_next_one() {
    let mut queue = Queue::new(4);
    queue.store(DONE, 1);
    let log = queue.submit(&[
        barrier_and([0; 5], DONE),
        barrier_or([DONE, 0, 0, 0, 0], DONE),
    ]);
    assert_eq!(log, ["complete 0", "complete 1"]);
    assert_eq!(queue.signal(DONE), -1);
    assert_eq!(queue.types(), [1; 4]);
}

#[test]
fn an_error_waits_its_turn_behind_a_barrier() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    let bad = packet(6, 0, [0; 5], 0);
    assert_eq!(
        queue.submit(&[barrier_and([A, 0, 0, 0, 0], DONE), bad]),
        NONE
    );
    assert_eq!(queue.store(A, 0), ["complete 0", "error 1 0x1009"]);
}
