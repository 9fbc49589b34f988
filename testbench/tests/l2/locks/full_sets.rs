//! More locks than a set has ways, or may have: what is then served without a lock, waits for one, or takes one away.

use super::memory::Timing;
use super::rig::{Ask, MIDDLE, Rig, Who};
use super::{A, CU, ask, lock, locked_store, stream};
use xtq_types::l2::{cause, op};

#[test]
fn a_locked_store_beyond_the_limit_is_a_plain_store_and_counted() {
    let mut rig = Rig::simple(MIDDLE);
    rig.limits(1000, 3);
    let lines: Vec<u64> = (0..4).map(|number| rig.line(0, number)).collect();
    for &line in &lines {
        assert!(!locked_store(&mut rig, line, line));
    }
    assert_eq!((rig.out("locked_lines"), rig.out("lock_overflows")), (3, 1));
    assert!(!locked_store(&mut rig, lines[3], 5), "a hit, still no lock");
    assert!(!locked_store(&mut rig, lines[0], 5), "it has one");
    rig.run(3);
    assert_eq!((rig.out("locked_lines"), rig.out("lock_overflows")), (3, 2));
    stream(&mut rig, 0);
    assert!(!rig.done(ask(CU, op::LOAD, lines[3])).hit);
    assert!(rig.done(ask(CU, op::LOAD, lines[0])).hit);
    let other = rig.line(1, 0);
    locked_store(&mut rig, other, 1);
    assert_eq!(rig.out("locked_lines"), 4, "the limit is the set's");
}

#[test]
fn with_all_ways_locked_the_rest_is_served_uncached_and_right() {
    let mut rig = Rig::simple(MIDDLE);
    rig.limits(1000, 16);
    for number in 0..4 {
        let line = rig.line(0, number);
        locked_store(&mut rig, line, line);
    }
    let line = rig.line(0, 9);
    let before = super::memory::initial(line, 2);
    let read = rig.done(ask(CU, op::LOAD, line));
    assert_eq!(
        (read.uncached, read.hit, read.data),
        (true, false, before.clone())
    );
    assert!(
        rig.done(Ask {
            strobe: 1,
            ..ask(CU, op::STORE, line).with(0xee)
        })
        .uncached
    );
    assert!(
        rig.done(Ask {
            byte: 8,
            ..ask(A, op::ATOMIC_ADD, line).with(3)
        })
        .uncached
    );
    assert!(
        rig.done(Ask {
            byte: 8,
            compare: 1,
            ..ask(A, op::ATOMIC_CAS, line).with(0)
        })
        .uncached
    );
    assert_eq!(rig.out("lock_overflows"), 0);
    let last = rig.line(0, 10);
    assert!(locked_store(&mut rig, last, 44), "written through");
    rig.run(20);
    assert_eq!(rig.out("lock_overflows"), 1);
    assert_eq!(
        rig.memory.line(line),
        [before[0] & !0xff | 0xee, before[1] + 3]
    );
    assert_eq!(rig.memory.line(rig.line(0, 10)), [44, 44]);
    assert_eq!(
        rig.memory
            .write_log
            .iter()
            .map(|write| write.2)
            .collect::<Vec<_>>(),
        [1, 0xff00, 0xff00, 0xffff]
    );
    assert_eq!(rig.out("locked_lines"), 4);
}

#[test]
fn rmw_locks_leave_one_way_and_the_next_waits_its_turn() {
    let mut rig = Rig::simple(MIDDLE);
    for number in 0..3 {
        let line = rig.line(0, number);
        lock(&mut rig, Who::Cp(number as u8), line);
    }
    // Two more threads on other lines of the set, one of them in the cache.
    let (there, absent) = (rig.line(0, 3), rig.line(0, 4));
    rig.done(ask(CU, op::LOAD, there));
    rig.ask(ask(Who::Cp(11), op::RMW_READ, absent));
    rig.run(30);
    rig.ask(ask(Who::Cp(12), op::RMW_READ, there));
    rig.run(30);
    assert_eq!(rig.unanswered(), 2);
    // Others still use the way that is left, and the other set has locks of its own.
    let stream = rig.line(0, 40);
    assert!(!rig.done_among(ask(CU, op::LOAD, stream)).uncached);
    let other = rig.line(1, 0);
    rig.done_among(ask(Who::Cp(13), op::RMW_READ, other));
    // One unlock serves the first that came, though its line has to be fetched again.
    let first = rig.line(0, 0);
    rig.done_among(ask(Who::Cp(0), op::RMW_WRITE, first));
    rig.run(40);
    assert_eq!(rig.answers.last().unwrap().ask.who, Who::Cp(11));
    assert_eq!(rig.unanswered(), 1);
    rig.done_among(ask(Who::Cp(11), op::RMW_WRITE, absent));
    rig.run(40);
    assert_eq!(rig.answers.last().unwrap().ask.who, Who::Cp(12));
}

/// A set with three RMW locks of threads 0 to 2, a line in its fourth way, and thread 11 that waits for a lock on a
/// line that is not there; the two lines.
fn full_set_with_a_waiter(rig: &mut Rig) -> (u64, u64) {
    for number in 0..3 {
        let line = rig.line(0, number);
        lock(rig, Who::Cp(number as u8), line);
    }
    let (there, absent) = (rig.line(0, 3), rig.line(0, 4));
    rig.done(ask(CU, op::LOAD, there));
    rig.ask(ask(Who::Cp(11), op::RMW_READ, absent));
    rig.run(60);
    assert_eq!(rig.unanswered(), 1);
    (there, absent)
}

#[test]
fn a_thread_that_waits_for_an_rmw_lock_is_not_overtaken_while_its_line_is_fetched() {
    let mut rig = Rig::new(MIDDLE, Timing::fixed(30), 0.0);
    let (there, _) = full_set_with_a_waiter(&mut rig);
    let first = rig.line(0, 0);
    rig.ask(ask(Who::Cp(0), op::RMW_WRITE, first));
    rig.run(3);
    rig.ask(ask(Who::Cp(12), op::RMW_READ, there)); // a hit, and there is room
    rig.run(80);
    assert_eq!(rig.answers.last().unwrap().ask.who, Who::Cp(11));
    assert_eq!(rig.unanswered(), 1);
    let second = rig.line(0, 1);
    rig.ask(ask(Who::Cp(1), op::RMW_WRITE, second));
    rig.finish_within(80);
}

#[test]
fn a_thread_that_waited_behind_another_is_served_when_that_one_has_its_lock() {
    let mut rig = Rig::new(MIDDLE, Timing::fixed(30), 0.0);
    let (there, _) = full_set_with_a_waiter(&mut rig);
    rig.ask(ask(Who::Cp(12), op::RMW_READ, there));
    rig.run(10);
    for number in 0..2 {
        let line = rig.line(0, number);
        rig.ask(ask(Who::Cp(number as u8), op::RMW_WRITE, line));
    }
    // Both unlocks come while the first waiter's line is fetched; no other follows.
    rig.finish_within(100);
    let served: Vec<Who> = rig
        .answers
        .iter()
        .rev()
        .take(2)
        .map(|answer| answer.ask.who)
        .collect();
    assert_eq!(served, [Who::Cp(12), Who::Cp(11)]);
}

#[test]
fn an_rmw_read_drops_the_oldest_store_lock_if_all_other_ways_are_locked() {
    let mut rig = Rig::simple(MIDDLE);
    rig.limits(1000, 16);
    let order = [2, 0, 3, 1];
    for number in order {
        let line = rig.line(0, number);
        locked_store(&mut rig, line, 70 + number);
    }
    let line = rig.line(0, 9);
    lock(&mut rig, A, line);
    assert_eq!(rig.out("locked_lines"), 4);
    rig.run(3);
    assert_eq!(rig.out("dropped_locks"), 1);
    let end = rig.ends()[0];
    assert_eq!(
        (end.cause, end.rmw, end.line),
        (cause::DROPPED, false, rig.line(0, 2))
    );
    rig.run(20);
    assert_eq!(rig.memory.line(rig.line(0, 2)), [72, 72], "it was dirty");
    // Two more; then every way but one is RMW-locked.
    for (number, owner) in [(10, 2), (11, 3)] {
        let line = rig.line(0, number);
        lock(&mut rig, Who::Cp(owner), line);
    }
    assert_eq!(rig.ends()[1].line, rig.line(0, 0));
    assert_eq!(rig.ends()[2].line, rig.line(0, 3));
    rig.ask(ask(Who::Cp(4), op::RMW_READ, rig.line(0, 12)));
    rig.run(60);
    assert_eq!(rig.unanswered(), 1, "the last way keeps its STORE lock");
    rig.ask(ask(A, op::RMW_WRITE, line));
    rig.finish_within(60);
    assert_eq!(rig.out("dropped_locks"), 3, "the unlocked way was enough");
}
