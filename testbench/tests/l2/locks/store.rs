//! The lock of a LOCKED_STORE: it keeps a line in the cache and nobody out, and ends with the first access of a thread.

use super::rig::{FULL, MIDDLE, Rig, SMALL, Who};
use super::{A, CU, ask, lock, locked_store, stream};
use xtq_types::l2::{cause, op, status};

#[test]
fn a_store_locked_line_outlives_any_stream_and_an_unlocked_one_does_not() {
    for shape in [SMALL, MIDDLE, FULL] {
        let mut rig = Rig::simple(shape);
        let (locked, plain) = (rig.line(1, 1), rig.line(1, 2));
        rig.limits(shape.longest_limit, 15);
        rig.done(ask(CU, op::STORE, plain).with(8));
        locked_store(&mut rig, locked, 7);
        stream(&mut rig, 1);
        assert_eq!(rig.out("locked_lines"), 1);
        let read = rig.done(ask(A, op::LOAD, locked));
        assert_eq!((read.hit, read.data[0]), (true, 7));
        let read = rig.done(ask(A, op::LOAD, plain));
        assert_eq!((read.hit, read.data[0]), (false, 8));
    }
}

#[test]
fn compute_units_are_served_on_a_store_locked_line_and_any_cp_access_clears_it() {
    for op in [
        op::LOAD,
        op::STORE,
        op::ATOMIC_ADD,
        op::LOCKED_STORE,
        op::WRITE_BACK,
        op::INVALIDATE,
    ] {
        let mut rig = Rig::simple(SMALL);
        locked_store(&mut rig, 4, 7);
        for op in [
            op::LOAD,
            op::STORE,
            op::ATOMIC_ADD,
            op::WRITE_BACK,
            op::LOCKED_STORE,
        ] {
            assert!(rig.done(ask(Who::Cu(9), op, 4)).hit);
            assert_eq!(rig.out("locked_lines"), 1);
        }
        assert_eq!(rig.done(ask(A, op, 4)).status, status::OK);
        assert_eq!(rig.out("locked_lines"), 0, "{op}");
        let end = rig.ends()[0];
        assert_eq!(
            (end.cause, end.rmw, end.owner, end.line),
            (cause::RELEASE, false, 3, 4)
        );
    }
}

#[test]
fn an_rmw_read_turns_a_store_lock_into_its_own() {
    let mut rig = Rig::simple(SMALL);
    locked_store(&mut rig, 4, 7);
    lock(&mut rig, A, 4);
    assert_eq!(rig.out("locked_lines"), 1);
    assert_eq!(
        rig.ends()
            .iter()
            .map(|end| (end.cause, end.rmw))
            .collect::<Vec<_>>(),
        [(cause::RELEASE, false)]
    );
    rig.ask(ask(CU, op::LOAD, 4));
    rig.run(15);
    assert_eq!(rig.unanswered(), 1);
    rig.ask(ask(A, op::RMW_WRITE, 4));
    rig.finish_within(20);
    assert_eq!(rig.out("locked_lines"), 0);
}
