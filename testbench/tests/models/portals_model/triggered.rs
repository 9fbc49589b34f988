//! Triggered operations (rules 7 of `docs/portals-model.md`), and the triggered append and unlink (9).

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    Command, CounterId, EntryId, EventKind, Limits, List, MatchEntry, MdOption, MeOption, Refusal,
};

fn send_command(match_bits: u64) -> Command {
    Command::Transfer(send(match_bits, 0))
}

#[test]
fn an_operation_fires_once_and_lowering_the_counter_does_not_arm_it_again() {
    let mut node = node();
    when(&mut node, 1, 2, inc(2, 1)).unwrap();
    node.post(inc(1, 1)).unwrap();
    assert_eq!(count(&node, 2), (0, 0));
    node.post(inc(1, 1)).unwrap();
    node.post(set(1, 0, 0)).unwrap();
    node.post(inc(1, 5)).unwrap();
    assert_eq!(count(&node, 2), (1, 0));
}

#[test]
fn a_counter_that_was_lowered_before_is_not_reached() {
    let mut node = node();
    node.post(inc(1, 5)).unwrap();
    node.post(set(1, 0, 0)).unwrap();
    when(&mut node, 1, 3, inc(2, 1)).unwrap();
    assert_eq!(pending(&node)[&1], 1);
}

#[test]
fn thresholds_jumped_over_together_fire_in_the_order_of_posting() {
    let mut node = node();
    bind(&mut node, &[]);
    for (threshold, bits) in [(3, 30), (1, 10), (9, 90), (2, 20), (3, 31)] {
        when(&mut node, 1, threshold, send_command(bits)).unwrap();
    }
    node.post(inc(1, 4)).unwrap();
    assert_eq!(sent_bits(&mut node), [30, 10, 20, 31]);
    assert_eq!(pending(&node)[&1], 1);
}

#[test]
fn thresholds_reached_one_by_one_fire_in_that_order() {
    let mut node = node();
    bind(&mut node, &[]);
    for (threshold, bits) in [(3, 30), (1, 10), (2, 20)] {
        when(&mut node, 1, threshold, send_command(bits)).unwrap();
    }
    for _ in 0..3 {
        node.post(inc(1, 1)).unwrap();
    }
    assert_eq!(sent_bits(&mut node), [10, 20, 30]);
}

#[test]
fn the_bytes_of_one_message_fire_everything_they_jump_over() {
    let mut node = node();
    bind(&mut node, &[]);
    for threshold in 1..=40 {
        when(&mut node, 2, threshold, send_command(threshold)).unwrap();
    }
    let me = MatchEntry {
        counter: Some(CounterId(2)),
        ..entry(&[MeOption::OpPut, MeOption::CtComm, MeOption::CtBytes])
    };
    append(&mut node, 1, me);
    receive(&mut node, &put(0, &[7; 33]));
    assert_eq!(sent_bits(&mut node), (1..=33).collect::<Vec<u64>>());
}

#[test]
fn siblings_run_before_what_one_of_them_sets_off() {
    let mut node = node();
    bind(&mut node, &[]);
    when(&mut node, 1, 1, inc(2, 1)).unwrap();
    when(&mut node, 1, 1, send_command(11)).unwrap();
    when(&mut node, 2, 1, inc(3, 1)).unwrap();
    when(&mut node, 2, 1, send_command(21)).unwrap();
    when(&mut node, 3, 1, send_command(31)).unwrap();
    when(&mut node, 1, 1, send_command(12)).unwrap();
    node.post(inc(1, 1)).unwrap();
    assert_eq!(sent_bits(&mut node), [11, 12, 21, 31]);
}

#[test]
fn a_reset_that_fires_first_does_not_cancel_its_sibling() {
    let mut node = node();
    when(&mut node, 1, 1, set(1, 0, 0)).unwrap();
    when(&mut node, 1, 1, inc(2, 1)).unwrap();
    node.post(inc(1, 1)).unwrap();
    assert_eq!((count(&node, 1), count(&node, 2)), ((0, 0), (1, 0)));
    assert!(node.triggers().pending().is_empty());
}

#[test]
fn a_cancel_that_fires_first_does_not_cancel_its_sibling() {
    let mut node = node();
    when(&mut node, 1, 1, Command::CtCancel(CounterId(1))).unwrap();
    when(&mut node, 1, 1, inc(2, 1)).unwrap();
    when(&mut node, 1, 2, inc(2, 10)).unwrap();
    node.post(inc(1, 1)).unwrap();
    node.post(inc(1, 1)).unwrap();
    assert_eq!(
        count(&node, 2),
        (1, 0),
        "only what was still pending is gone"
    );
}

#[test]
fn failures_reach_thresholds_too() {
    let mut node = node();
    when(&mut node, 1, 2, inc(2, 1)).unwrap();
    let nowhere = MatchEntry {
        start: MEMORY as u64,
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::OpPut, MeOption::CtComm, MeOption::CtBytes])
    };
    append(&mut node, 1, nowhere);
    receive(&mut node, &put(0, &[7; 60]));
    assert_eq!((count(&node, 1), count(&node, 2)), ((0, 1), (0, 0)));
    receive(&mut node, &put(0, &[7; 60]));
    assert_eq!(count(&node, 2), (1, 0));
}

#[test]
fn a_counter_can_trigger_itself_around_and_around() {
    let mut node = node();
    for threshold in 1..=500 {
        when(&mut node, 1, threshold, inc(1, 1)).unwrap();
    }
    node.post(inc(1, 1)).unwrap();
    assert_eq!(count(&node, 1), (501, 0));
    assert!(node.triggers().pending().is_empty());
}

#[test]
fn data_are_read_when_the_operation_fires() {
    let mut node = node();
    bind(&mut node, &[]);
    node.memory_mut().write(512, &[1, 1]).unwrap();
    when(&mut node, 2, 1, Command::Transfer(send(5, 2))).unwrap();
    node.memory_mut().write(512, &[2, 2]).unwrap();
    node.post(inc(2, 1)).unwrap();
    node.memory_mut().write(512, &[3, 3]).unwrap();
    assert_eq!(node.take_sent()[0].data, [2, 2]);
}

#[test]
fn a_send_counts_at_once_and_may_trigger_the_next() {
    let mut node = node();
    bind(&mut node, &[MdOption::CtSend]);
    for step in 1..=3 {
        when(&mut node, 1, step, send_command(step)).unwrap();
    }
    node.post(send_command(0)).unwrap();
    assert_eq!(sent_bits(&mut node), [0, 1, 2, 3]);
}

#[test]
fn a_full_store_refuses_and_posts_nothing() {
    let limits = Limits {
        max_triggered_ops: 2,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    // All counters and all kinds share the store.
    when(&mut node, 1, 1, inc(3, 1)).unwrap();
    when(&mut node, 2, 1, append_to(List::Priority, 1, entry(&[]))).unwrap();
    assert_eq!(when(&mut node, 2, 1, inc(3, 10)), Err(Refusal::NoSpace));
    assert_eq!(
        when(&mut node, 2, 0, inc(3, 100)),
        Ok(()),
        "what fires at once waits nowhere"
    );
    node.post(inc(1, 1)).unwrap();
    assert_eq!(when(&mut node, 2, 1, inc(3, 1000)), Ok(()));
    node.post(inc(2, 1)).unwrap();
    assert_eq!(count(&node, 3), (1101, 0));
}

#[test]
fn what_is_wrong_is_refused_at_posting() {
    let mut node = node();
    bind(&mut node, &[]);
    let both = Command::CtInc(CounterId(2), value(1, 1));
    assert_eq!(when(&mut node, 1, 5, both), Err(Refusal::ArgInvalid));
    assert_eq!(
        when(&mut node, 1, 5, Command::Transfer(send(1, 65))),
        Err(Refusal::ArgInvalid)
    );
    assert!(node.triggers().pending().is_empty());
}

#[test]
fn an_operation_whose_object_is_gone_does_nothing() {
    let mut node = node();
    bind(&mut node, &[]);
    when(&mut node, 2, 1, send_command(1)).unwrap();
    when(&mut node, 2, 1, inc(3, 1)).unwrap();
    when(&mut node, 2, 1, inc(4, 1)).unwrap();
    node.post(Command::MdRelease(MD.md)).unwrap();
    node.post(Command::CtFree(CounterId(3))).unwrap();
    node.post(inc(2, 1)).unwrap();
    assert!(node.take_sent().is_empty());
    assert_eq!(count(&node, 4), (1, 0), "and the next one runs");
}

#[test]
fn a_message_is_done_with_before_what_it_triggers_runs() {
    let mut node = node();
    let me = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::OpPut, MeOption::UseOnce, MeOption::CtComm])
    };
    append(&mut node, 1, me);
    when(&mut node, 1, 1, append_to(List::Priority, 2, entry(&[]))).unwrap();
    receive(&mut node, &put(0, &[1]));
    let wanted = [
        (EventKind::Link, 1),
        (EventKind::Put, 1),
        (EventKind::AutoUnlink, 1),
        (EventKind::Link, 2),
    ];
    assert_eq!(kinds(&node), wanted);
}

#[test]
fn a_triggered_append_is_a_whole_append() {
    let mut node = node();
    append_overflow(&mut node, 100, entry(&[MeOption::OpPut]));
    receive(&mut node, &put(1, &[7]));
    let me = entry(&[MeOption::OpPut, MeOption::UseOnce]);
    when(&mut node, 1, 1, append_to(List::Priority, 1, me)).unwrap();
    assert_eq!(headers(&node), 1);
    node.post(inc(1, 1)).unwrap();
    assert_eq!((headers(&node), linked(&node, List::Priority)), (0, vec![]));
    assert_eq!(kinds(&node)[2], (EventKind::PutOverflow, 1));
}

#[test]
fn an_entry_has_its_number_from_the_posting_of_its_append() {
    let mut node = node();
    let append = |id| append_to(List::Priority, id, entry(&[MeOption::OpPut]));
    when(&mut node, 1, 1, append(1)).unwrap();
    assert_eq!(node.post(append(1)), Err(Refusal::InUse));
    assert_eq!(when(&mut node, 2, 1, append(1)), Err(Refusal::InUse));
    // Unlinking what is not linked yet does nothing; it is linked later.
    node.post(Command::MeUnlink(EntryId(1))).unwrap();
    when(&mut node, 1, 2, Command::MeUnlink(EntryId(1))).unwrap();
    node.post(inc(1, 1)).unwrap();
    assert_eq!(linked(&node, List::Priority), [1]);
    node.post(inc(1, 1)).unwrap();
    assert_eq!(linked(&node, List::Priority), [] as [u32; 0]);
    // A cancelled append gives its number back.
    when(&mut node, 1, 9, append(1)).unwrap();
    node.post(Command::CtCancel(CounterId(1))).unwrap();
    assert_eq!(node.post(append(1)), Ok(()));
}

#[test]
fn a_triggered_unlink_of_a_consumed_entry_does_nothing() {
    let mut node = node();
    when(&mut node, 1, 1, Command::MeUnlink(EntryId(1))).unwrap();
    append(&mut node, 1, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    receive(&mut node, &put(0, &[1]));
    let before = kinds(&node);
    node.post(inc(1, 1)).unwrap();
    assert_eq!((kinds(&node), count(&node, 1)), (before, (1, 0)));
}

#[test]
fn append_and_unlink_that_are_reached_together_run_in_the_order_of_posting() {
    for unlink_first in [false, true] {
        let mut node = node();
        let append = append_to(List::Priority, 1, entry(&[MeOption::OpPut]));
        let unlink = Command::MeUnlink(EntryId(1));
        let (first, second) = if unlink_first {
            (unlink, append)
        } else {
            (append, unlink)
        };
        when(&mut node, 1, 1, first).unwrap();
        when(&mut node, 1, 1, second).unwrap();
        node.post(inc(1, 1)).unwrap();
        assert_eq!(
            linked(&node, List::Priority).len(),
            usize::from(unlink_first)
        );
    }
}
