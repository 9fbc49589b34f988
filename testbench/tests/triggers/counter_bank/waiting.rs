//! A change that nobody takes: what waits for it and what does not; reset.

use xtq_engine::Engine;
use xtq_testbench::bus::Gaps;
use xtq_types::counter::counter_operation::{ALLOC, COUNT, GET, SET};
use xtq_types::counter::counter_status::OK;

use super::{Answer, Model, rig};

#[test]
fn a_change_waits_and_everything_behind_it_but_its_result_is_told_once() {
    let mut rig = rig();
    rig.push(ALLOC, 1, 3, 0, 0);
    rig.settle();
    rig.stalled = true;
    for _ in 0..6 {
        rig.push(COUNT, 1, 3, 1, 0);
    }
    (0..20).for_each(|_| rig.cycle());
    assert_eq!(
        (rig.taken.len(), rig.told.len(), rig.passed.len()),
        (1 + 3, 1 + 1, 1)
    );
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.seen.last(), Some(&(OK, 6, 0)));
}

#[test]
fn operations_on_other_counters_that_wait_behind_a_change_find_their_values() {
    let mut rig = rig();
    for counter in 1..6 {
        rig.push(ALLOC, 1, counter, 0, 0);
        rig.push(SET, 1, counter, 100 * counter, counter);
    }
    rig.settle();
    rig.stalled = true;
    for counter in 1..6 {
        rig.push(COUNT, 1, counter, 1, 0);
    }
    (0..20).for_each(|_| rig.cycle());
    rig.stalled = false;
    rig.settle();
    let expected: Vec<Answer> = (1..6)
        .map(|counter| (OK, 100 * counter + 1, counter))
        .collect();
    assert_eq!(rig.seen[10..], expected);
}

#[test]
fn what_changes_nothing_does_not_wait_for_the_trigger_engine() {
    let mut rig = rig();
    rig.push(ALLOC, 1, 3, 0, 0);
    rig.settle();
    rig.stalled = true;
    for _ in 0..10 {
        rig.push(GET, 1, 3, 0, 0);
        rig.push(SET, 0, 3, 0, 0);
    }
    rig.settle();
    assert_eq!(rig.seen.len(), 21);
}

#[test]
fn reset_takes_all_counters_away() {
    let mut rig = rig();
    for counter in 0..256 {
        rig.push(ALLOC, counter % 4, counter, 0, 0);
        rig.push(COUNT, counter % 4, counter, 7, 7);
    }
    rig.settle();
    rig.engine.reset(1).expect("has rst");
    rig.model = Model::default();
    for counter in 0..256 {
        rig.push(GET, counter % 4, counter, 0, 0);
        rig.push(ALLOC, 0, counter, 0, 0);
        rig.push(COUNT, 0, counter, 1, 0);
    }
    rig.settle();
    assert_eq!(rig.seen.last(), Some(&(OK, 1, 0)));
}

#[test]
fn no_valid_follows_a_ready() {
    let mut rig = rig();
    rig.push(ALLOC, 1, 3, 0, 0);
    for _ in 0..100 {
        rig.push(COUNT, 1, 3, 1, 0);
        rig.push(GET, 1, 3, 1, 0);
    }
    rig.gaps[1] = Gaps::random(0.5, 3);
    for cycle in 0..300 {
        rig.drive();
        let mut seen = Vec::new();
        for ready in [0, 1] {
            rig.set("update_ready", ready);
            rig.engine.eval().expect("settles");
            seen.push(["result_valid", "update_valid"].map(|name| rig.get(name)));
        }
        assert_eq!(seen[0], seen[1], "cycle {cycle}");
        rig.cycle();
    }
    assert!(rig.told.len() > 100);
}
