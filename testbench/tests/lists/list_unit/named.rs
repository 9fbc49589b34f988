//! Each event, count and status by name. The rules confirm every field.

use xtq_types::command::command_status;
use xtq_types::event::{access, kind, status};
use xtq_types::matching::{match_op, me_option as option, portal_option, request_kind};
use xtq_types::wire_header::ni_fail;

use super::rules::{Ended, Told};
use super::unit::Unit;
use super::{entry, message, overflow, search};
use crate::match_unit::words::{Command, Request};

/// Kinds of the events.
fn kinds(told: &[Told]) -> Vec<u8> {
    told.iter().filter_map(Told::kind).collect()
}

/// Context 0's counter, success and failure of each count.
fn counts(told: &[Told]) -> Vec<(u64, u64, u64)> {
    let count = |told: &Told| match told {
        Told::Count(0, counter, success, failure) => Some((*counter, *success, *failure)),
        _ => None,
    };
    told.iter().filter_map(count).collect()
}

const NOTHING: [Told; 0] = [];

/// A unit with a message of each kind of request in entry 0 of the overflow list.
fn filled() -> Unit {
    let mut unit = Unit::simple();
    unit.command(overflow(0, 7, 0));
    for kind in request_kind::PUT..=request_kind::XTQ_PUT {
        unit.request(message(kind, 7));
    }
    unit
}

const ALL_OVERFLOW: [u8; 6] = [
    kind::PUT_OVERFLOW,
    kind::GET_OVERFLOW,
    kind::ATOMIC_OVERFLOW,
    kind::FETCH_ATOMIC_OVERFLOW,
    kind::FETCH_ATOMIC_OVERFLOW,
    kind::PUT_OVERFLOW,
];

#[test]
fn an_append_tells_of_each_header_and_then_of_itself() {
    let told = filled().command(entry(1, 7, option::CT_OVERFLOW));
    let expected: Vec<u8> = ALL_OVERFLOW.into_iter().chain([kind::LINK]).collect();
    assert_eq!(kinds(&told), expected);
    assert_eq!(counts(&told), [(1, 1, 0); 6]);
    assert!(
        matches!(told[..2], [Told::Event(..), Told::Count(..)]),
        "event, then count"
    );
    assert_eq!(told.last(), Some(&Told::Done(0, command_status::OK.into())));
}

#[test]
fn an_event_of_a_header_says_all_that_the_message_said() {
    let mut unit = Unit::simple();
    unit.command(overflow(2, 7, 0));
    unit.request(message(request_kind::PUT, 7));
    let told = unit.command(entry(1, 7, option::CT_OVERFLOW | option::CT_BYTES));
    let fields = [
        ("delivered_length", 30),
        ("header_data", 0xFEED_0000_0000_0001),
        ("kind", kind::PUT_OVERFLOW.into()),
        ("match_bits", 7),
        ("packet_id", 0xAA01),
        ("queue_index", 1),
        ("remote_offset", 100),
        ("requested_length", 30),
        ("source_context", 2),
        ("source_node", 77),
        ("start", 0x3000 + 100),
        ("user_id", 1234),
    ];
    assert_eq!(told[0], Told::Event(0, fields.into()));
    assert_eq!(told[1], Told::Count(0, 1, 30, 0));
}

/// A message of 30 bytes in the overflow list that failed so.
fn failed(fate: Ended) -> Unit {
    let mut unit = Unit::simple();
    unit.command(overflow(2, 7, 0));
    unit.fates.push_back(fate);
    unit.request(message(request_kind::PUT, 7));
    unit
}

#[test]
fn the_header_of_a_message_that_failed_tells_it_and_counts_a_failure() {
    for fate in [
        [status::MEMORY_ERROR, access::PAYLOAD, ni_fail::SEGV],
        [status::QUEUE_FULL, access::NONE, ni_fail::DROPPED],
        [status::QUEUE_FULL, access::NONE, ni_fail::PT_DISABLED],
    ] {
        let [code, access, fail] = fate.map(u64::from);
        for (op, fail, kind) in [
            (match_op::ME_APPEND, fail, kind::PUT_OVERFLOW),
            (match_op::ME_SEARCH_DELETE, fail, kind::PUT_OVERFLOW),
            // It has found one, whatever became of it.
            (match_op::ME_SEARCH_ONLY, 0, kind::SEARCH),
        ] {
            for bytes in [0, option::CT_BYTES] {
                let told = failed(fate).command(search(op, 7, option::CT_OVERFLOW | bytes));
                let Told::Event(0, fields) = &told[0] else {
                    panic!("{told:?}");
                };
                let get = |name: &str| fields.get(name).copied().unwrap_or(0);
                assert_eq!(get("kind"), u64::from(kind));
                assert_eq!([get("status"), get("access")], [code, access]);
                assert_eq!([get("ni_fail"), get("delivered_length")], [fail, 0]);
                assert_eq!(get("requested_length"), 30);
                assert_eq!(told[1], Told::Count(0, 5, 0, 1));
            }
        }
    }
}

#[test]
fn an_entry_that_is_used_once_says_that_it_is_unlinked() {
    let mut unit = Unit::simple();
    unit.command(overflow(0, 7, option::USE_ONCE));
    unit.request(message(request_kind::PUT, 7));
    let told = unit.command(entry(1, 7, option::USE_ONCE));
    assert_eq!(
        kinds(&told),
        [kind::PUT_OVERFLOW, kind::AUTO_FREE, kind::AUTO_UNLINK]
    );
    assert_eq!(told[3], Told::Done(0, command_status::OK.into()));
}

#[test]
fn a_search_only_leaves_the_headers() {
    let mut unit = filled();
    for _ in 0..2 {
        let told = unit.command(search(match_op::ME_SEARCH_ONLY, 7, option::CT_OVERFLOW));
        assert_eq!(kinds(&told), [kind::SEARCH; 6]);
        // A failure marks the end.
        let expected: Vec<_> = [(5, 1, 0); 6].into_iter().chain([(5, 0, 1)]).collect();
        assert_eq!(counts(&told), expected);
        assert_eq!(told.last(), Some(&Told::Done(0, command_status::OK.into())));
    }
}

#[test]
fn a_search_that_deletes_takes_them() {
    let mut unit = filled();
    let told = unit.command(search(match_op::ME_SEARCH_DELETE, 7, 0));
    assert_eq!(kinds(&told), ALL_OVERFLOW);
    let told = unit.command(search(match_op::ME_SEARCH_DELETE, 7, option::CT_OVERFLOW));
    assert_eq!(kinds(&told), [kind::SEARCH]);
    assert_eq!(counts(&told), [(5, 0, 1)]);
    assert_eq!(
        told.last(),
        Some(&Told::Done(0, command_status::NOT_FOUND.into()))
    );
}

#[test]
fn a_search_for_one_header_fails_only_if_there_is_none() {
    let mut unit = filled();
    let options = option::USE_ONCE | option::CT_OVERFLOW | option::CT_BYTES;
    let told = unit.command(search(match_op::ME_SEARCH_ONLY, 7, options));
    assert_eq!(counts(&told), [(5, 30, 0)]);
    let told = unit.command(search(match_op::ME_SEARCH_ONLY, 8, options));
    assert_eq!(counts(&told), [(5, 0, 1)]);
}

/// What is reported with and without an option; nothing else may change.
fn silenced(told: impl Fn(u32) -> Vec<Told>, option: u32, kind: u8) {
    let loud = told(0);
    assert!(kinds(&loud).contains(&kind), "{loud:?}");
    let quiet: Vec<Told> = loud
        .into_iter()
        .filter(|told| told.kind() != Some(kind))
        .collect();
    assert_eq!(told(option), quiet);
}

#[test]
fn each_option_silences_its_event_only() {
    silenced(
        |o| Unit::simple().command(entry(1, 7, o)),
        option::LINK_DISABLE,
        kind::LINK,
    );
    let append = |buffer: u32, own: u32| {
        let mut unit = Unit::simple();
        unit.command(overflow(0, 7, option::USE_ONCE | buffer));
        unit.request(message(request_kind::PUT, 7));
        unit.command(entry(1, 7, option::USE_ONCE | option::CT_OVERFLOW | own))
    };
    silenced(|o| append(0, o), option::OVER_DISABLE, kind::PUT_OVERFLOW);
    silenced(|o| append(0, o), option::UNLINK_DISABLE, kind::AUTO_UNLINK);
    silenced(|o| append(o, 0), option::UNLINK_DISABLE, kind::AUTO_FREE);
    let search = |bits: u64, o: u32| {
        filled().command(search(
            match_op::ME_SEARCH_ONLY,
            bits,
            option::CT_OVERFLOW | o,
        ))
    };
    silenced(|o| search(7, o), option::COMM_DISABLE, kind::SEARCH);
    silenced(|o| search(8, o), option::COMM_DISABLE, kind::SEARCH);
    // These are of other events.
    for other in [
        option::COMM_DISABLE,
        option::SUCCESS_DISABLE,
        option::CT_COMM,
    ] {
        assert_eq!(append(0, other), append(0, 0));
    }
    for other in [
        option::OVER_DISABLE,
        option::SUCCESS_DISABLE,
        option::UNLINK_DISABLE,
    ] {
        assert_eq!(search(7, other), search(7, 0));
    }
}

#[test]
fn every_end_of_a_command_has_its_status() {
    let mut unit = Unit::simple();
    let mut ends = |command: Command, expected: u8| {
        let told = unit.command(command.clone());
        let done = told.iter().filter(|told| matches!(told, Told::Done(..)));
        assert_eq!(
            done.collect::<Vec<_>>(),
            [&Told::Done(0, expected.into())],
            "{command:?}"
        );
    };
    let portal = |op, portal| Command::portal(op, 0, portal);
    ends(Command::unlink(0, 3), command_status::OK);
    ends(overflow(3, 0, 0), command_status::OK);
    ends(overflow(3, 0, 0), command_status::BAD_ENTRY);
    ends(overflow(64, 0, 0), command_status::BAD_ENTRY);
    ends(
        search(match_op::ME_SEARCH_ONLY, 0, 0),
        command_status::NOT_FOUND,
    );
    ends(portal(match_op::PT_FREE, 0), command_status::IN_USE);
    ends(Command::alloc(0, 0, false), command_status::IN_USE);
    ends(portal(match_op::PT_DISABLE, 0), command_status::OK);
    ends(portal(match_op::PT_ENABLE, 0), command_status::OK);
    ends(portal(match_op::PT_ENABLE, 1), command_status::BAD_PORTAL);
    ends(
        Command {
            portal: 1,
            ..entry(4, 0, 0)
        },
        command_status::BAD_PORTAL,
    );
    ends(Command::alloc(0, 64, false), command_status::BAD_PORTAL);
    ends(portal(8, 0), command_status::BAD_OPERATION);
    ends(Command::unlink(0, 3), command_status::OK);
    ends(portal(match_op::PT_FREE, 0), command_status::OK);
    unit.command(Command::alloc(0, 0, false));
    unit.command(overflow(3, 0, 0));
    unit.request(Request::default());
    let told = unit.command(Command::unlink(0, 3));
    assert_eq!(told, [Told::Done(0, command_status::IN_USE.into())]);
}

#[test]
fn what_opens_a_portal_entry_is_told_to_the_pipeline() {
    let mut unit = Unit::simple();
    let closed = Command {
        options: portal_option::MATCHING | portal_option::DISABLED,
        ..Command::alloc(2, 33, false)
    };
    let enabled = Told::Enabled(2 << 6 | 33);
    assert_eq!(unit.command(closed), [enabled.clone(), Told::Done(2, 0)]);
    assert_eq!(
        unit.command(Command::portal(match_op::PT_DISABLE, 2, 33))[1..],
        NOTHING
    );
    assert_eq!(
        unit.command(Command::portal(match_op::PT_ENABLE, 2, 33)),
        [enabled, Told::Done(2, 0)]
    );
    assert_eq!(
        unit.command(Command::portal(match_op::PT_FREE, 2, 33))[1..],
        NOTHING
    );
    assert_eq!(
        unit.command(Command::portal(match_op::PT_ENABLE, 2, 33))[1..],
        NOTHING
    );
}

#[test]
fn what_the_pipeline_stops_is_not_told() {
    let mut unit = Unit::simple();
    unit.command(overflow(0, 0, 0));
    unit.stop(0);
    // There is none.
    unit.stop(63);
    unit.stop(255);
    assert_eq!(unit.settle_new(), NOTHING);
    // The model says PT_DISABLED now: no header.
    unit.request(Request::default());
    let told = unit.command(search(match_op::ME_SEARCH_ONLY, 0, 0));
    assert_eq!(
        told.last(),
        Some(&Told::Done(0, command_status::NOT_FOUND.into()))
    );
}
