//! RMW_READ and RMW_WRITE: who is kept out, who unlocks and how fast, what the owner may do meanwhile.

use super::rig::{End, Rig, SMALL, Who};
use super::{A, B, CU, ask, lock};
use xtq_types::l2::{cause, op, status};

#[test]
fn an_rmw_pair_is_atomic_against_threads_and_compute_units() {
    for hit_first in [false, true] {
        let mut rig = Rig::simple(SMALL);
        if hit_first {
            rig.done(ask(CU, op::LOAD, 4));
        }
        lock(&mut rig, A, 4);
        let others = [
            (B, op::LOAD),
            (CU, op::STORE),
            (CU, op::ATOMIC_ADD),
            (B, op::RMW_READ),
            (CU, op::LOCKED_STORE),
            (CU, op::WRITE_BACK),
            (B, op::ATOMIC_SWAP),
        ];
        let first = rig.answers.len();
        for (who, op) in others.into_iter().take(3) {
            rig.ask(ask(who, op, 4).with(1));
        }
        rig.run(30);
        assert_eq!(rig.answers.len(), first, "all wait");
        rig.ask(ask(A, op::RMW_WRITE, 4).with(50));
        rig.finish_within(40);
        let answers = &rig.answers[first..];
        assert_eq!(answers[0].ask.who, A);
        let waited: Vec<_> = answers[1..]
            .iter()
            .map(|answer| (answer.ask.who, answer.ask.op, answer.data[0]))
            .collect();
        assert_eq!(
            waited,
            [
                (B, op::LOAD, 50),
                (CU, op::STORE, 50),
                (CU, op::ATOMIC_ADD, 1)
            ]
        );
        assert!(
            answers
                .iter()
                .all(|answer| answer.hit && answer.status == status::OK)
        );
        for (who, op) in others.into_iter().skip(3) {
            let mut rig = Rig::simple(SMALL);
            lock(&mut rig, A, 4);
            rig.ask(ask(who, op, 4).with(1));
            rig.run(20);
            assert_eq!(rig.unanswered(), 1, "{who:?} {op}");
            rig.ask(ask(A, op::RMW_WRITE, 4).with(50));
            rig.finish_within(40);
        }
    }
}

#[test]
fn an_rmw_write_unlocks_at_once_and_never_waits_behind_requests() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    for i in 0..12 {
        rig.ask(ask(Who::Cu(i), op::LOAD, 4));
    }
    rig.run(30);
    assert!(rig.unaccepted() > 0, "the queue is full");
    rig.ask(ask(A, op::RMW_WRITE, 4).with(1));
    let from = rig.engine_cycle();
    while rig.answers.last().unwrap().ask.op != op::RMW_WRITE {
        rig.run(1);
    }
    let answer = rig.answers.last().unwrap();
    assert_eq!((answer.accepted, answer.cycle), (from, from + 3));
    assert_eq!(
        rig.ends(),
        [End {
            cause: cause::RELEASE,
            rmw: true,
            owner: 1,
            age: rig.ends()[0].age,
            line: 4
        }]
    );
    rig.finish_within(100);
}

#[test]
fn an_rmw_write_of_anybody_else_is_refused_and_changes_nothing() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    for who in [B, Who::Cu(1), Who::Cp(17)] {
        let answer = rig.done(ask(who, op::RMW_WRITE, 4).with(66));
        assert_eq!(answer.status, status::REFUSED);
    }
    assert_eq!(rig.out("locked_lines"), 1);
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 2).with(66)).status,
        status::REFUSED,
        "not there"
    );
    rig.done(ask(CU, op::LOAD, 2));
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 2).with(66)).status,
        status::REFUSED,
        "not locked"
    );
    let read = rig.done(ask(A, op::LOAD, 4));
    assert_eq!(read.data, super::memory::initial(4, 1));
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 4).with(5)).status,
        status::OK
    );
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 4).with(66)).status,
        status::REFUSED,
        "unlocked"
    );
    assert_eq!(rig.done(ask(CU, op::LOAD, 4)).data, [5]);
}

#[test]
fn refused_rmw_writes_do_not_stop_requests() {
    let mut rig = Rig::simple(SMALL);
    rig.done(ask(CU, op::LOAD, 4));
    for _ in 0..200 {
        rig.ask(ask(B, op::RMW_WRITE, 4));
    }
    for _ in 0..40 {
        rig.ask(ask(CU, op::LOAD, 4));
    }
    rig.run(86);
    let loads = rig
        .answers
        .iter()
        .filter(|answer| answer.ask.op == op::LOAD);
    assert_eq!(loads.count(), 41, "one every second cycle");
}

#[test]
fn the_owner_is_served_and_keeps_the_lock() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    rig.ask(ask(CU, op::LOAD, 4));
    rig.run(10);
    for op in [
        op::LOAD,
        op::STORE,
        op::ATOMIC_ADD,
        op::LOCKED_STORE,
        op::RMW_READ,
        op::WRITE_BACK,
    ] {
        rig.ask(ask(A, op, 4).with(1));
        rig.run(8);
        assert_eq!(rig.answers.last().unwrap().ask.op, op, "ahead of the other");
        assert_eq!(rig.out("locked_lines"), 1);
    }
    rig.ask(ask(A, op::RMW_WRITE, 4).with(1));
    rig.finish_within(20);
}
