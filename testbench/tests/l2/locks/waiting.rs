//! Who waits for a lock: in which order the waiters are served, whom they do not hold up, and what they count as.

use super::memory::Timing;
use super::rig::{FULL, MIDDLE, Rig, SMALL, Who};
use super::{A, B, CU, ask, lock, locked_store};
use xtq_types::l2::op;

#[test]
fn waiters_are_served_in_the_order_of_arrival() {
    let mut rig = Rig::simple(FULL);
    lock(&mut rig, A, 4);
    for i in 0..14 {
        rig.ask(ask(Who::Cu(i), op::ATOMIC_ADD, 4).with(1));
    }
    rig.run(30);
    rig.ask(ask(A, op::RMW_WRITE, 4).with(0));
    rig.finish_within(100);
    for (i, answer) in rig.answers[2..].iter().enumerate() {
        assert_eq!(
            (answer.ask.who, answer.data[0]),
            (Who::Cu(i as u8), i as u64)
        );
    }
}

#[test]
fn the_oldest_waiter_is_next_after_the_unlock() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    rig.ask(ask(B, op::RMW_READ, 4));
    rig.run(10);
    rig.ask(ask(CU, op::LOAD, 4));
    rig.ask(ask(A, op::RMW_WRITE, 4).with(9));
    rig.run(20);
    let answers: Vec<_> = rig
        .answers
        .iter()
        .map(|answer| (answer.ask.who, answer.data[0]))
        .collect();
    assert_eq!(answers[2..], [(B, 9)], "the load waits for B's lock");
    rig.ask(ask(B, op::RMW_WRITE, 4).with(10));
    rig.finish_within(30);
    assert_eq!(rig.answers.last().unwrap().data[0], 10);
}

#[test]
fn an_owners_request_that_waited_goes_ahead_once_it_has_the_lock() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, B, 4);
    for (who, op) in [(A, op::RMW_READ), (CU, op::LOAD), (A, op::LOAD)] {
        rig.ask(ask(who, op, 4));
    }
    rig.run(20);
    rig.ask(ask(B, op::RMW_WRITE, 4).with(3));
    rig.run(20);
    let who: Vec<_> = rig
        .answers
        .iter()
        .map(|answer| (answer.ask.who, answer.ask.op))
        .collect();
    assert_eq!(who[2..], [(A, op::RMW_READ), (A, op::LOAD)]);
    rig.ask(ask(A, op::RMW_WRITE, 4).with(4));
    rig.finish_within(20);
}

#[test]
fn requests_of_an_owner_are_in_order_again_when_the_lock_has_ended() {
    let mut rig = Rig::simple(FULL);
    rig.limits(10_000, 16);
    for number in 0..15 {
        let line = rig.line(0, number);
        assert!(!locked_store(&mut rig, line, 1));
    }
    let (line, last) = (rig.line(0, 20), rig.line(0, 21));
    rig.memory.held = true;
    rig.ask(ask(A, op::RMW_READ, line));
    rig.ask(ask(B, op::STORE, line).with(7));
    rig.ask(ask(A, op::LOAD, line));
    // Fills that keep all who wait from being tried again, until the last one takes the line's place.
    for number in 0..10 {
        let other = rig.line(1 + number, 40);
        rig.ask(ask(CU, op::LOAD, other));
    }
    rig.ask(ask(CU, op::LOAD, last));
    rig.run(40);
    rig.memory.held = false;
    let first = rig.answers.len();
    while rig.answers.len() == first {
        rig.run(1);
    }
    assert_eq!(rig.answers[first].ask.op, op::RMW_READ);
    rig.ask(ask(A, op::RMW_WRITE, line).with(5));
    rig.finish_within(100);
    let fetched = rig.memory.read_log.iter().filter(|read| read.1 == line);
    assert_eq!(fetched.count(), 2, "for the lock, and once for both");
    let owners = rig
        .answers
        .iter()
        .rfind(|it| it.ask.op == op::LOAD && it.ask.line == line);
    assert_eq!(owners.expect("answered").data[0], 7, "behind the store");
    assert_eq!(rig.done(ask(CU, op::LOAD, line)).data[0], 7);
}

#[test]
fn other_lines_of_the_set_are_served_while_one_is_locked() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    rig.ask(ask(CU, op::LOAD, 4));
    rig.run(5);
    rig.ask(ask(CU, op::STORE, 6).with(1));
    rig.ask(ask(CU, op::LOAD, 8));
    rig.run(40);
    assert_eq!(rig.unanswered(), 1);
    rig.ask(ask(A, op::RMW_WRITE, 4));
    rig.finish_within(20);
}

#[test]
fn invalidate_waits_for_either_lock_and_holds_up_nobody_else() {
    let mut rig = Rig::simple(SMALL);
    locked_store(&mut rig, 4, 7);
    rig.ask(ask(CU, op::INVALIDATE, 4));
    rig.run(10);
    assert_eq!(rig.unanswered(), 1);
    assert!(rig.done_among(ask(Who::Cu(5), op::LOAD, 4)).hit);
    assert!(rig.done_among(ask(A, op::LOAD, 4)).hit); // unlocks
    rig.finish_within(20);
    rig.run(20);
    assert_eq!(rig.memory.line(4), [7]);
    assert!(!rig.done(ask(CU, op::LOAD, 4)).hit);

    lock(&mut rig, A, 4);
    for who in [CU, B, A] {
        rig.ask(ask(who, op::INVALIDATE, 4));
    }
    rig.run(15);
    assert_eq!(rig.unanswered(), 3);
    rig.ask(ask(A, op::RMW_WRITE, 4).with(8));
    rig.finish_within(30);
    rig.run(20);
    assert_eq!(rig.memory.line(4), [8]);
}

#[test]
fn a_write_back_that_waits_is_served_while_lines_come_faster_than_memory_writes() {
    for shape in [SMALL, MIDDLE] {
        // A line comes after two cycles, a write is acknowledged every twelve, and every line that comes evicts a dirty
        // one.
        let mut rig = Rig::new(shape, Timing::fixed(2), 0.0);
        rig.memory.acknowledges_every = 12;
        rig.limits(1000, 1);
        lock(&mut rig, A, 0);
        rig.ask(ask(CU, op::WRITE_BACK, 0));
        for number in 1..1000 {
            let line = rig.line(number % 2, number);
            rig.ask(ask(Who::Cu(5), op::STORE, line).with(number));
        }
        rig.run(200);
        let unlocked = rig.engine_cycle();
        rig.ask(ask(A, op::RMW_WRITE, 0).with(7));
        rig.run(300);
        let answered = rig.answers.iter().find(|a| a.ask.op == op::WRITE_BACK);
        let cycle = answered.expect("it is served").cycle;
        assert!(cycle - unlocked < 150, "after {} cycles", cycle - unlocked);
        assert!(rig.unaccepted() > 500, "the stream goes on");
        rig.finish_within(30_000);
        assert_eq!(rig.memory.line(0)[0], 7);
    }
}

#[test]
fn cp_and_cu_hits_are_counted_apart_and_waiting_for_a_lock_is_no_miss() {
    let mut rig = Rig::simple(SMALL);
    locked_store(&mut rig, 4, 7); // miss
    lock(&mut rig, A, 4); // hit
    rig.ask(ask(CU, op::LOAD, 4)); // hit, after a wait
    rig.run(10);
    rig.ask(ask(A, op::RMW_WRITE, 4)); // not counted
    rig.finish_within(20);
    rig.done(ask(B, op::LOAD, 6)); // miss
    rig.done(ask(B, op::WRITE_BACK, 6)); // not counted
    rig.run(2);
    let counts = ["cp_hits", "cp_misses", "cu_hits", "cu_misses"].map(|name| rig.out(name));
    assert_eq!(counts, [1, 1, 1, 1]);
}
