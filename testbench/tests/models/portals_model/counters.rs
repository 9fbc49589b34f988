//! Counting (rules 6 of `docs/portals-model.md`).

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    Command, Counter, CounterId, Limits, MatchEntry, MeOption, Refusal, Trigger,
};

#[test]
fn a_counter_starts_at_zero_and_adds_to_exactly_one_field() {
    let mut node = node();
    assert_eq!(count(&node, 1), (0, 0));
    node.post(inc(1, 3)).unwrap();
    node.post(Command::CtInc(CounterId(1), value(0, 2)))
        .unwrap();
    assert_eq!(count(&node, 1), (3, 2));
    let both = Command::CtInc(CounterId(1), value(1, 1));
    assert_eq!(node.post(both), Err(Refusal::ArgInvalid));
    let nothing = Command::CtInc(CounterId(1), value(0, 0));
    assert_eq!(node.post(nothing), Err(Refusal::ArgInvalid));
    assert_eq!(count(&node, 1), (3, 2));
    node.post(set(1, 7, 8)).unwrap();
    assert_eq!(count(&node, 1), (7, 8));
}

#[test]
fn counters_that_do_not_exist_are_refused() {
    let mut node = node();
    for command in [
        inc(9, 1),
        set(9, 1, 1),
        Command::CtCancel(CounterId(9)),
        Command::CtFree(CounterId(9)),
    ] {
        assert_eq!(
            node.post(command.clone()),
            Err(Refusal::ArgInvalid),
            "{command:?}"
        );
        assert_eq!(when(&mut node, 1, 5, command), Err(Refusal::ArgInvalid));
    }
    assert_eq!(when(&mut node, 9, 0, inc(1, 1)), Err(Refusal::ArgInvalid));
    assert_eq!(
        node.post(Command::CtAlloc(CounterId(1))),
        Err(Refusal::InUse)
    );
}

#[test]
fn counters_are_limited() {
    let limits = Limits {
        max_cts: 7,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    assert_eq!(node.post(Command::CtAlloc(CounterId(7))), Ok(()));
    assert_eq!(
        node.post(Command::CtAlloc(CounterId(8))),
        Err(Refusal::NoSpace)
    );
}

#[test]
fn freeing_a_counter_deletes_what_is_pending_and_what_counted_counts_nothing() {
    let mut node = node();
    when(&mut node, 1, 1, inc(2, 1)).unwrap();
    let me = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::OpPut, MeOption::CtComm])
    };
    append(&mut node, 1, me);
    node.post(Command::CtFree(CounterId(1))).unwrap();
    assert!(node.triggers().pending().is_empty());
    receive(&mut node, &put(0, &[1]));
    // Allocated again it starts again, and the old operation is gone.
    node.post(Command::CtAlloc(CounterId(1))).unwrap();
    assert_eq!(count(&node, 1), (0, 0));
    node.post(inc(1, 1)).unwrap();
    assert_eq!(count(&node, 2), (0, 0));
}

#[test]
fn cancelling_removes_what_is_pending_on_that_counter_and_leaves_its_value() {
    let mut node = node();
    node.post(inc(1, 2)).unwrap();
    when(&mut node, 1, 5, inc(3, 1)).unwrap();
    when(&mut node, 2, 1, inc(3, 10)).unwrap();
    node.post(Command::CtCancel(CounterId(1))).unwrap();
    assert_eq!((count(&node, 1), pending(&node).get(&1)), ((2, 0), None));
    node.post(inc(1, 100)).unwrap();
    assert_eq!(count(&node, 3), (0, 0));
    node.post(inc(2, 1)).unwrap();
    assert_eq!(
        count(&node, 3),
        (10, 0),
        "the other counter's operation fires"
    );
}

#[test]
fn sums_wrap_but_the_comparison_does_not() {
    let mut node = node();
    node.post(set(1, u64::MAX, 0)).unwrap();
    when(&mut node, 1, u64::MAX, inc(2, 1)).unwrap();
    node.post(set(3, u64::MAX, u64::MAX)).unwrap();
    when(&mut node, 3, u64::MAX, inc(2, 1)).unwrap();
    assert_eq!(
        count(&node, 2),
        (2, 0),
        "success + failure is more than 64 bits"
    );
    node.post(inc(1, 1)).unwrap();
    assert_eq!(count(&node, 1), (0, 0));
    let failure = Command::CtInc(CounterId(3), value(0, 1));
    node.post(failure).unwrap();
    assert_eq!(count(&node, 3), (u64::MAX, 0));
}

#[test]
fn reaching_is_at_or_above_the_sum_of_both_fields() {
    for (success, failure, threshold, reached) in [
        (2, 0, 2, true),
        (1, 1, 2, true),
        (0, 2, 2, true),
        (1, 0, 2, false),
        (3, 0, 2, true),
        (0, 0, 0, true),
    ] {
        let counter = Counter { success, failure };
        assert_eq!(
            counter.reaches(threshold),
            reached,
            "{counter:?} {threshold}"
        );
        let mut node = node();
        let trigger = Trigger {
            counter: CounterId(1),
            threshold,
        };
        node.post_triggered(trigger, inc(2, 1)).unwrap();
        node.post(set(1, success, failure)).unwrap();
        assert_eq!(count(&node, 2).0 == 1, reached);
    }
}
