//! Locks that nobody ends: the age at which the watchdog drops them, and how long those after wait.

use super::memory::Timing;
use super::rig::{FULL, MIDDLE, Rig, SMALL, Who};
use super::{A, CU, ask, lock, locked_store};
use xtq_types::l2::{cause, op, status};

#[test]
fn a_dead_owner_loses_its_lock_to_the_watchdog_and_its_late_write_is_refused() {
    for shape in [SMALL, MIDDLE, FULL] {
        let mut rig = Rig::simple(shape);
        for limit in [1, 20, shape.longest_limit] {
            rig.limits(limit, 3);
            rig.done(ask(CU, op::LOAD, 4));
            lock(&mut rig, A, 4);
            rig.ask(ask(CU, op::STORE, 4).with(9));
            let before = rig.ends().len();
            rig.finish_within(limit + shape.sets + 40);
            let end = rig.ends()[before];
            assert_eq!(
                (end.cause, end.rmw, end.owner, end.line),
                (cause::WATCHDOG, true, 1, 4)
            );
            let latest = limit + shape.sets + 4 + 4;
            assert!(
                (limit..=latest).contains(&end.age),
                "{end:?}, limit {limit}, at most {latest}"
            );
            assert_eq!(
                rig.done(ask(A, op::RMW_WRITE, 4).with(1)).status,
                status::REFUSED
            );
            assert_eq!(rig.done(ask(CU, op::LOAD, 4)).data[0], 9);
        }
        assert_eq!(rig.out("watchdog_drops"), 3);
    }
}

#[test]
fn with_a_limit_of_0_there_is_no_watchdog() {
    for shape in [SMALL, MIDDLE] {
        let mut rig = Rig::simple(shape);
        rig.limits(0, 3);
        lock(&mut rig, A, 4);
        locked_store(&mut rig, 6, 1);
        rig.ask(ask(CU, op::STORE, 4).with(9));
        // Longer than the clock of the locks goes before it begins again.
        rig.run(3 * (shape.longest_limit + 1) * 2);
        assert_eq!(rig.unanswered(), 1, "the store waits for the owner");
        assert_eq!((rig.out("locked_lines"), rig.ends().len()), (2, 0));
        assert_eq!(
            rig.done_among(ask(A, op::RMW_WRITE, 4).with(1)).status,
            status::OK
        );
        rig.finish_within(40);
        rig.done(ask(A, op::LOAD, 6));
        assert_eq!((rig.out("locked_lines"), rig.out("watchdog_drops")), (0, 0));
    }
}

#[test]
fn an_invalidate_that_waits_for_a_dead_owner_goes_on_with_the_watchdog() {
    for (locking, word) in [(op::RMW_READ, 0x4_005a), (op::LOCKED_STORE, 7)] {
        let mut rig = Rig::simple(SMALL);
        rig.limits(200, 3);
        let owner = if locking == op::RMW_READ { A } else { CU };
        rig.done(ask(owner, locking, 4).with(7));
        rig.ask(ask(CU, op::INVALIDATE, 4));
        rig.run(150);
        assert_eq!(rig.unanswered(), 1, "while the line is locked it waits");
        rig.finish_within(100);
        assert_eq!(rig.ends()[0].cause, cause::WATCHDOG);
        rig.run(20);
        assert_eq!(rig.memory.line(4), [word]);
        assert!(!rig.done(ask(CU, op::LOAD, 4)).hit);
    }
}

#[test]
fn the_watchdog_drops_store_locks_too_and_all_that_are_due() {
    let mut rig = Rig::simple(FULL);
    rig.limits(1500, 12);
    let lines: Vec<u64> = (0..96)
        .map(|number| rig.line(number % 8 * 16, number / 8))
        .collect();
    for &line in &lines {
        rig.ask(ask(CU, op::LOCKED_STORE, line));
    }
    rig.finish_within(1400);
    assert_eq!(rig.out("locked_lines"), 96);
    rig.run(3000);
    assert_eq!(
        (rig.out("locked_lines"), rig.out("watchdog_drops")),
        (0, 96)
    );
    let ends = rig.ends();
    let mut seen: Vec<u64> = ends.iter().map(|end| end.line).collect();
    seen.sort_unstable();
    let mut expected = lines.clone();
    expected.sort_unstable();
    assert_eq!(seen, expected);
    let latest = 1500 + 128 + 4 * 96 + 4;
    assert!(
        ends.iter().all(|end| !end.rmw
            && end.cause == cause::WATCHDOG
            && (1500..=latest).contains(&end.age))
    );
}

#[test]
fn a_lock_is_timed_from_its_first_store() {
    let mut rig = Rig::simple(MIDDLE);
    locked_store(&mut rig, 4, 1);
    rig.run(100);
    locked_store(&mut rig, 4, 2);
    rig.run(100);
    rig.done(ask(A, op::LOAD, 4));
    let age = rig.ends()[0].age;
    assert!((200..230).contains(&age), "{age}");
}

#[test]
fn the_kth_waiter_is_served_within_k_watchdog_periods() {
    // Every thread dies with the lock; each waiter has it for one period.
    for seed in 1..6 {
        let timing = Timing {
            latency: 20,
            pauses: 0.2,
            errors: 0.0,
            seed,
        };
        let mut rig = Rig::new(MIDDLE, timing, 0.2);
        let limit = 200;
        rig.limits(limit, 3);
        let from = rig.engine_cycle();
        for thread in 0..7 {
            rig.ask(ask(Who::Cp(thread), op::RMW_READ, 6));
        }
        let period = limit + 2 + 4 + 4;
        rig.finish_within(8 * period + 100);
        for (k, answer) in rig.answers.iter().enumerate() {
            assert_eq!(answer.ask.who, Who::Cp(k as u8));
            assert!(
                answer.cycle - from <= k as u64 * (period + 20) + 150,
                "waiter {k} at {}",
                answer.cycle - from
            );
        }
    }
}
