//! The rules of the contract, one by one.

use crate::message_table::harness::{Hardware, Inputs, Place, note};

#[test]
fn the_first_cycle_after_reset_has_all_places() {
    let mut hardware = Hardware::new();
    let outputs = hardware.look();
    assert_eq!(
        (outputs.room, outputs.used, outputs.epoch_clear),
        (15, [0; 4], 15)
    );
    for number in 0..64 {
        for context in 0..4 {
            assert_eq!(hardware.open(context), (0, (context, number)));
        }
    }
    assert_eq!(hardware.look().room, 0);
}

#[test]
fn a_context_without_room_leaves_the_others_theirs() {
    let mut hardware = Hardware::new();
    for opened in 0..64 {
        assert_eq!(hardware.look().room, 15, "{opened} open");
        assert_eq!(hardware.used(2), opened);
        hardware.open(2);
    }
    let outputs = hardware.look();
    assert_eq!((outputs.room, outputs.used), (11, [0, 0, 64, 0]));
    for context in [0, 1, 3] {
        assert_eq!(hardware.open(context), (0, (context, 0)));
    }
    hardware.end((2, 40));
    assert_eq!(hardware.look().room, 15);
    assert_eq!(hardware.open(2), (1, (2, 40)));
    assert_eq!(hardware.look().room, 11);
}

#[test]
fn each_context_has_no_more_messages_that_wait_for_an_answer_than_the_limit() {
    let mut hardware = Hardware::new();
    hardware.limit(3);
    // Those that wait for none do not count.
    let silent: Vec<Place> = (0..4).map(|_| hardware.open_as(1, false).1).collect();
    assert_eq!(hardware.look().room, 15);
    silent.into_iter().for_each(|place| hardware.sent(place));
    let places: Vec<Place> = (0..3).map(|_| hardware.open(1).1).collect();
    hardware.open(3);
    assert_eq!(hardware.look().room, 0b1101);
    hardware.end(places[1]);
    assert_eq!(hardware.look().room, 15);
    // What is under way stays; no other begins.
    for (limit, room) in [(2, 0b1101), (1, 0b0101), (0, 0), (127, 15)] {
        hardware.limit(limit);
        assert_eq!(hardware.look().room, room, "limit {limit}");
        assert_eq!(hardware.used(1), 2);
    }
    for _ in 0..62 {
        hardware.open(1);
    }
    assert_eq!(hardware.look().room, 0b1101, "there are 64 places");
}

#[test]
fn a_place_is_free_when_its_message_is_sent_and_answered_in_any_order() {
    let mut hardware = Hardware::new();
    let place = hardware.open(1).1;
    let pulse = |sent: bool, answered: bool| Inputs {
        sent: sent.then_some(place),
        answered: answered.then_some(place),
        ..Inputs::default()
    };
    let orders: [&[(bool, bool)]; 3] = [
        &[(true, false), (false, true)],
        &[(false, true), (true, false)],
        &[(true, true)],
    ];
    for (number, order) in orders.into_iter().enumerate() {
        for (sent, answered) in order {
            assert_eq!(hardware.used(1), 1, "order {number}");
            hardware.cycle(pulse(*sent, *answered));
        }
        assert_eq!(hardware.used(1), 0, "order {number}");
        // All 63 others come first.
        for _ in 0..63 {
            let other = hardware.open(1).1;
            assert_ne!(other, place, "order {number}");
            hardware.end(other);
        }
        assert_eq!(hardware.open(1).1, place, "order {number}");
    }
}

#[test]
fn a_message_without_answer_ends_when_it_is_sent() {
    let mut hardware = Hardware::new();
    let quiet = hardware.open_as(3, false).1;
    let other = hardware.open(3).1;
    assert_eq!(hardware.used(3), 2);
    hardware.sent(quiet);
    assert_eq!(hardware.used(3), 1);
    hardware.sent(other);
    assert_eq!(hardware.used(3), 1, "the other one waits");
    hardware.answered(other);
    assert_eq!(hardware.used(3), 0);
}

#[test]
fn every_kind_of_answer_is_waited_for() {
    for mark in 0..3 {
        let mut hardware = Hardware::new();
        let open = (0, true, mark);
        assert!(note(open).ack_request.any());
        let place = hardware
            .cycle(Inputs {
                open: Some(open),
                ..Inputs::default()
            })
            .handle
            .expect("of an open")
            .1;
        hardware.sent(place);
        assert_eq!(hardware.used(0), 1, "kind {:?}", note(open).ack_request);
    }
}

#[test]
fn two_places_become_free_in_one_cycle_the_sent_one_first() {
    let mut hardware = Hardware::new();
    for _ in 0..64 {
        hardware.open(0);
    }
    // From queues of odd and of even length.
    for first in [0, 10, 21, 32] {
        let (a, b) = ((0, first), (0, first + 1));
        hardware.answered(a);
        hardware.sent(b);
        hardware.cycle(Inputs {
            sent: Some(a),
            answered: Some(b),
            ..Inputs::default()
        });
        assert_eq!(hardware.used(0), 62, "from {first}");
        assert_eq!(hardware.open(0).1, a);
        assert_eq!(hardware.open(0).1, b);
        if first % 2 == 0 {
            hardware.end((0, 63));
            assert_eq!(hardware.open(0).1, (0, 63));
        }
    }
}

#[test]
fn places_of_two_contexts_become_free_in_one_cycle() {
    let mut hardware = Hardware::new();
    let (a, b) = (hardware.open(1).1, hardware.open(2).1);
    hardware.answered(a);
    hardware.sent(b);
    hardware.cycle(Inputs {
        sent: Some(a),
        answered: Some(b),
        ..Inputs::default()
    });
    assert_eq!(hardware.look().used, [0; 4]);
}

#[test]
fn a_place_that_became_free_comes_behind_all_that_were() {
    let mut hardware = Hardware::new();
    for _ in 0..64 {
        hardware.open(3);
    }
    let order: Vec<u64> = (0..64).map(|number| number * 29 % 64).collect();
    for number in &order {
        hardware.end((3, *number));
    }
    for number in &order {
        assert_eq!(hardware.open(3), (1, (3, *number)));
        // It goes to the end of the queue, so it does not come again in this round.
        hardware.end((3, *number));
    }
    assert_eq!(hardware.open(3), (2, (3, order[0])));
}

#[test]
fn a_generation_returns_after_256_messages_of_the_place() {
    let mut hardware = Hardware::new();
    for _ in 0..64 {
        hardware.open(1);
    }
    let place: Place = (1, 13);
    for generation in 1..=300 {
        hardware.end(place);
        assert_eq!(hardware.open(1), (generation % 256, place));
    }
    hardware.end((1, 14));
    assert_eq!(hardware.open(1), (1, (1, 14)), "each place has its own");
}

#[test]
fn reset_frees_all_and_generations_begin_anew() {
    let mut hardware = Hardware::new();
    for _ in 0..70 {
        let place = hardware.open(0).1;
        hardware.end(place);
    }
    let place = hardware.open(0).1;
    hardware.sent(place);
    hardware.fence(0);
    assert!(!hardware.is_clear(0));
    hardware.0.0.reset(1).expect("has rst");
    let outputs = hardware.look();
    assert_eq!(
        (outputs.room, outputs.used, outputs.epoch_clear),
        (15, [0; 4], 15)
    );
    for number in 0..64 {
        assert_eq!(hardware.open(0), (0, (0, number)));
        hardware.answered((0, number));
        assert_eq!(
            hardware.used(0),
            number + 1,
            "that it was sent is forgotten"
        );
    }
    hardware.sent((0, 0));
    assert_eq!(hardware.open(0), (1, (0, 0)));
}

#[test]
fn a_pulse_for_a_place_that_is_not_open_or_knows_it_does_nothing() {
    let mut hardware = Hardware::new();
    for place in [(0, 0), (0, 1), (0, 63), (3, 5)] {
        hardware.end(place);
        hardware.cycle(Inputs {
            sent: Some(place),
            answered: Some(place),
            ..Inputs::default()
        });
    }
    assert_eq!(hardware.look().used, [0; 4]);
    // Nor is it remembered for the next message.
    let (place, other) = (hardware.open(0).1, hardware.open(0).1);
    assert_eq!((place, other), ((0, 0), (0, 1)));
    hardware.sent(place);
    hardware.sent(place);
    hardware.answered(other);
    assert_eq!(hardware.used(0), 2);
    hardware.sent(other);
    let both = Inputs {
        sent: Some(place),
        answered: Some(place),
        ..Inputs::default()
    };
    hardware.cycle(both);
    assert_eq!(hardware.used(0), 0);
    let places: Vec<_> = (0..64).map(|_| hardware.open(0).1.1).collect();
    assert_eq!(
        places,
        (2..64).chain([1, 0]).collect::<Vec<_>>(),
        "no place comes twice"
    );
}

#[test]
fn a_message_is_read_one_cycle_later() {
    let mut hardware = Hardware::new();
    let messages: Vec<_> = (0..8).map(|mark| (mark % 4, true, mark)).collect();
    for open in &messages {
        hardware.cycle(Inputs {
            open: Some(*open),
            ..Inputs::default()
        });
    }
    let read = |mark: u64| Inputs {
        read: (mark % 4, mark / 4),
        ..Inputs::default()
    };
    hardware.cycle(read(0));
    for mark in 1..8 {
        let before = hardware.cycle(read(mark)).read;
        assert_eq!(before, (note(messages[mark as usize - 1]), 0, true));
    }
    // It is read as it was before the edge at which it ends, and its note stays.
    hardware.sent((3, 1));
    hardware.cycle(Inputs {
        answered: Some((3, 1)),
        ..read(7)
    });
    assert_eq!(hardware.cycle(read(7)).read, (note(messages[7]), 0, true));
    assert_eq!(hardware.cycle(read(7)).read, (note(messages[7]), 0, false));
}

#[test]
fn a_reply_is_held_against_its_message_and_taken_once() {
    let mut hardware = Hardware::new();
    assert_eq!(hardware.reply((1, 0), false).waits, 0u64, "never opened");
    // Whether a note asks for a reply follows from its mark.
    let asks = |mark| note((1, true, mark)).replies == 1u64;
    let (get, put) = (
        (1..).find(|mark| asks(*mark)).unwrap(),
        (1..).find(|mark| !asks(*mark)).unwrap(),
    );
    for (mark, waits) in [(get, 1u64), (put, 0)] {
        let open = Some((1, true, mark));
        let opened = hardware.cycle(Inputs {
            open,
            ..Inputs::default()
        });
        let (generation, place) = opened.handle.unwrap();
        let (found, note) = (hardware.reply(place, false), note((1, true, mark)));
        assert_eq!(
            (found.waits.to_u64(), found.generation.to_u64()),
            (waits, generation)
        );
        assert_eq!(found.context, 1u64);
        assert_eq!(
            (
                found.target_node,
                found.target_context,
                found.length,
                found.address
            ),
            (
                note.target_node,
                note.target_context,
                note.length,
                note.address
            )
        );
        hardware.reply(place, true);
        assert_eq!(hardware.reply(place, false).waits, 0u64, "it was taken");
        assert_eq!(hardware.used(1), 1, "and waits to be told");
        hardware.end(place);
        assert_eq!(hardware.reply(place, false).waits, 0u64, "it has ended");
    }
    // The next message of a place waits again.
    let mut again = (0, (1, 9));
    while again.1 != (1, 0) {
        let open = Some((1, true, get));
        again = hardware
            .cycle(Inputs {
                open,
                ..Inputs::default()
            })
            .handle
            .unwrap();
    }
    let found = hardware.reply((1, 0), false);
    assert_eq!(
        (found.waits.to_u64(), found.generation.to_u64()),
        (1, again.0)
    );
}
