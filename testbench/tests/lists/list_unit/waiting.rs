//! What waits for what: messages, neighbours that pause, the pipeline's stops.

use xtq_types::event::kind;
use xtq_types::matching::{match_op, me_option as option, request_kind};

use super::rules::Told;
use super::unit::{Neighbours, Unit};
use super::{entry, message, overflow, search};
use crate::match_unit::words::{Command, Request};

#[test]
fn nothing_is_told_before_the_messages_are_delivered() {
    let mut unit = Unit::simple();
    unit.command(overflow(0, 7, 0));
    unit.frozen = true;
    unit.offer(message(request_kind::PUT, 7));
    unit.idle(20);
    let before = unit.told.len();
    unit.give(entry(1, 7, 0));
    unit.idle(200);
    assert_eq!(
        unit.told.len(),
        before,
        "told although the message is not delivered"
    );
    unit.frozen = false;
    unit.settle();
    assert_eq!(unit.told[before].1.kind(), Some(kind::PUT_OVERFLOW));
}

#[test]
fn requests_and_stops_go_on_while_a_command_waits_for_its_messages() {
    let mut unit = Unit::simple();
    // As many headers as a context has, each of which frees a buffer.
    for id in 0..32 {
        unit.command(overflow(id, id, option::USE_ONCE));
        unit.request(message(request_kind::PUT, id));
    }
    unit.command(overflow(40, 99, 0));
    unit.frozen = true;
    unit.offer(message(request_kind::PUT, 99));
    unit.idle(20);
    let everything = Command {
        ignore: u64::MAX,
        ..entry(41, 0, 0)
    };
    unit.give(everything);
    for context in 0..4 {
        unit.offer(Request {
            context,
            portal: 9,
            ..Request::default()
        });
    }
    unit.stop(1);
    unit.idle(2000);
    assert_eq!(unit.pending(), (0, 0), "the match unit stands still");
    unit.frozen = false;
    let told = unit.settle_new();
    // The message of entry 40 found no header left: it was dropped.
    let count = |kind| told.iter().filter(|told| told.kind() == Some(kind)).count();
    assert_eq!(
        (count(kind::PUT_OVERFLOW), count(kind::AUTO_FREE)),
        (32, 32)
    );
}

#[test]
fn another_contexts_messages_are_not_waited_for() {
    let mut unit = Unit::simple();
    unit.command(Command::alloc(1, 0, false));
    unit.frozen = true;
    unit.offer(Request {
        context: 1,
        ..Request::default()
    });
    unit.idle(20);
    unit.give(overflow(0, 0, 0));
    unit.idle(30);
    let before = unit.told.len();
    unit.give(Command::unlink(0, 0));
    unit.idle(30);
    assert_eq!(unit.told.len(), before + 1, "its end");
    unit.frozen = false;
    unit.settle();
}

#[test]
fn what_only_adds_something_does_not_wait() {
    let mut unit = Unit::simple();
    unit.frozen = true;
    unit.offer(message(request_kind::PUT, 7));
    unit.idle(20);
    for (command, told) in [
        (entry(1, 0, 0), 2),
        (search(match_op::ME_SEARCH_ONLY, 7, option::CT_OVERFLOW), 3),
        (entry(1, 0, 0), 1),
        (Command::portal(match_op::PT_FREE, 0, 0), 1),
    ] {
        let before = unit.told.len();
        unit.give(command.clone());
        unit.idle(40);
        assert_eq!(unit.told.len(), before + told, "{command:?}");
    }
    // What takes something away does.
    let before = unit.told.len();
    unit.give(Command::unlink(0, 1));
    unit.idle(40);
    assert_eq!(unit.told.len(), before);
    unit.frozen = false;
    unit.settle();
}

#[test]
fn steady_traffic_does_not_keep_a_command_from_its_end() {
    let mut unit = Unit::new(
        Neighbours {
            delay: 300,
            ..Neighbours::default()
        },
        1,
    );
    unit.command(Command::alloc(0, 0, false));
    unit.command(overflow(0, 99, 0));
    for _ in 0..600 {
        unit.offer(Request::default());
    }
    unit.idle(100);
    let before = unit.told.len();
    unit.give(Command::unlink(0, 0));
    while unit.told.len() < before + 1 {
        unit.cycle();
        assert!(unit.pending().0 > 0, "it waited for all of them");
    }
    unit.settle();
}

#[test]
fn an_event_that_is_not_taken_holds_its_count_and_its_end() {
    let mut unit = Unit::new(
        Neighbours {
            pauses: 0.97,
            ..Neighbours::default()
        },
        2,
    );
    unit.command(Command::alloc(0, 0, false));
    unit.command(overflow(0, 7, 0));
    for _ in 0..10 {
        unit.request(message(request_kind::PUT, 7));
    }
    let told = unit.command(entry(1, 7, option::CT_OVERFLOW));
    assert_eq!(told.len(), 22);
    for pair in told[..20].chunks(2) {
        assert!(
            matches!(pair, [Told::Event(..), Told::Count(..)]),
            "{pair:?}"
        );
    }
}

#[test]
fn it_takes_the_stated_cycles() {
    let mut unit = Unit::simple();
    unit.command(overflow(0, 7, 0));
    unit.request(message(request_kind::PUT, 7));
    let before = unit.told.len();
    unit.command(entry(1, 7, option::CT_OVERFLOW));
    let told: Vec<u64> = unit.told[before..]
        .iter()
        .map(|(cycle, _)| *cycle)
        .collect();
    let taken = *unit.taken.last().expect("taken");
    // The event of the header, its count; LINK, and the end.
    let after: Vec<i64> = told
        .iter()
        .map(|cycle| *cycle as i64 - taken as i64)
        .collect();
    assert_eq!(after[1] - after[0], 1, "{after:?}");
    assert_eq!(after[2..], [5, 6], "{after:?}");
}

#[test]
fn a_command_that_waits_holds_up_no_other_context() {
    let mut unit = Unit::simple();
    for context in 1..4 {
        unit.command(Command::alloc(context, 0, false));
    }
    unit.command(entry(0, 0, 0));
    unit.frozen = true;
    unit.offer(Request::default());
    unit.idle(20);
    let before = unit.told.len();
    unit.give(Command::unlink(0, 0));
    unit.idle(40);
    for context in [1, 3, 2, 1] {
        let there = entry(1, 0, 0);
        unit.give(Command { context, ..there });
        unit.give(Command::unlink(context, 1));
    }
    unit.idle(400);
    let told = &unit.told[before..];
    let of = |context| told.iter().filter(move |told| told.1.context() == context);
    assert_eq!(
        [0, 1, 2, 3].map(|context| of(context).count()),
        [0, 6, 3, 3],
        "LINK and two ends a pair"
    );
    unit.frozen = false;
    unit.settle();
}

#[test]
fn a_header_whose_number_is_taken_again_meanwhile_tells_of_its_own_message() {
    // Fates of the message that is waited for, and of the one that takes its number after it.
    for fates in [[0u8, 1], [1, 0]] {
        let fates = fates.map(|fails| [[0; 3], [7, 2, 7]][usize::from(fails)]);
        let mut unit = Unit::simple();
        unit.command(Command::alloc(1, 0, false));
        unit.command(overflow(0, 7, 0));
        let other = Command {
            context: 1,
            ..overflow(0, 7, 0)
        };
        unit.command(other.clone());
        // The header of the first message is taken while it is under way.
        unit.held = Some(unit.accepted());
        unit.fates.extend([fates[0]]);
        unit.offer(message(request_kind::PUT, 7));
        unit.idle(20);
        let before = unit.told.len();
        unit.give(entry(1, 7, option::USE_ONCE));
        unit.idle(40);
        assert_eq!(unit.told.len(), before, "it waits");
        // Another process uses up all numbers but this one.
        for _ in 0..127 {
            unit.offer(Request {
                context: 1,
                ..message(request_kind::PUT, 7)
            });
            unit.idle(20);
            unit.give(Command {
                op: match_op::ME_SEARCH_DELETE,
                ..other.clone()
            });
            unit.idle(40);
        }
        // So it is given to this message, which is delivered.
        unit.fates.extend([fates[1]]);
        unit.offer(message(request_kind::PUT, 7));
        unit.idle(40);
        unit.held = None;
        unit.settle();
        unit.command(search(match_op::ME_SEARCH_DELETE, 7, 0));
    }
}
