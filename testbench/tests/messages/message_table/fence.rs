//! The fence: what it waits for.

use crate::message_table::harness::{Hardware, Inputs};

#[test]
fn a_fence_without_messages_is_clear_at_once() {
    let mut hardware = Hardware::new();
    for _ in 0..3 {
        hardware.fence(2);
        assert!(hardware.is_clear(2));
    }
}

#[test]
fn a_fence_waits_for_all_messages_before_it_and_for_none_behind() {
    let mut hardware = Hardware::new();
    for round in 0..3 {
        let before: Vec<_> = (0..5).map(|_| hardware.open(1).1).collect();
        hardware.fence(1);
        let behind: Vec<_> = (0..3).map(|_| hardware.open(1).1).collect();
        hardware.end(behind[1]);
        for place in before {
            assert!(!hardware.is_clear(1), "round {round}");
            hardware.answered(place);
            assert!(!hardware.is_clear(1), "round {round}");
            hardware.sent(place);
        }
        assert!(hardware.is_clear(1), "round {round}");
        hardware.end(behind[0]);
        hardware.end(behind[2]);
        assert!(hardware.is_clear(1), "round {round}");
    }
}

#[test]
fn what_one_fence_did_not_wait_for_the_next_one_does() {
    let mut hardware = Hardware::new();
    hardware.fence(0);
    let first = hardware.open(0).1;
    assert!(hardware.is_clear(0));
    hardware.fence(0);
    assert!(!hardware.is_clear(0));
    let second = hardware.open(0).1;
    hardware.end(first);
    assert!(hardware.is_clear(0));
    hardware.fence(0);
    assert!(!hardware.is_clear(0));
    hardware.end(second);
    assert!(hardware.is_clear(0));
}

#[test]
fn a_message_opened_with_the_fence_is_waited_for() {
    let mut hardware = Hardware::new();
    let open = Some((3, true, 1));
    let outputs = hardware.cycle(Inputs {
        open,
        fence: Some(3),
        ..Inputs::default()
    });
    assert!(!hardware.is_clear(3));
    hardware.end(outputs.handle.expect("of an open").1);
    assert!(hardware.is_clear(3));
}

#[test]
fn a_message_that_ends_with_the_fence_is_not_waited_for() {
    for ending in 0..3 {
        let mut hardware = Hardware::new();
        let (a, b) = (hardware.open(0).1, hardware.open(0).1);
        hardware.answered(a);
        hardware.sent(b);
        let sent = (ending != 1).then_some(a);
        let answered = (ending != 0).then_some(b);
        hardware.cycle(Inputs {
            sent,
            answered,
            fence: Some(0),
            ..Inputs::default()
        });
        assert_eq!(hardware.is_clear(0), ending == 2, "{ending}");
        hardware.cycle(Inputs {
            sent: Some(a),
            answered: Some(b),
            ..Inputs::default()
        });
        assert!(hardware.is_clear(0), "{ending}");
    }
}

#[test]
fn two_messages_before_the_fence_end_in_one_cycle() {
    let mut hardware = Hardware::new();
    let (a, b) = (hardware.open(0).1, hardware.open(0).1);
    hardware.answered(a);
    hardware.sent(b);
    hardware.fence(0);
    hardware.cycle(Inputs {
        sent: Some(a),
        answered: Some(b),
        ..Inputs::default()
    });
    assert!(hardware.is_clear(0));
}

#[test]
fn a_fence_of_64_messages_waits_for_the_last() {
    let mut hardware = Hardware::new();
    for _ in 0..64 {
        hardware.open(2);
    }
    hardware.fence(2);
    for number in 0..64 {
        assert!(!hardware.is_clear(2), "{number} ended");
        hardware.end((2, number));
    }
    assert!(hardware.is_clear(2));
}

#[test]
fn a_fence_of_one_context_is_none_of_another() {
    let mut hardware = Hardware::new();
    let places: Vec<_> = (0..4).map(|context| hardware.open(context).1).collect();
    hardware.fence(1);
    assert_eq!(hardware.look().epoch_clear, 13);
    hardware.end(places[0]);
    hardware.end(places[2]);
    assert_eq!(hardware.look().epoch_clear, 13);
    hardware.fence(3);
    assert_eq!(hardware.look().epoch_clear, 5);
    hardware.end(places[1]);
    assert_eq!(hardware.look().epoch_clear, 7);
}
