//! Steps 1 to 5 of an incoming request (rules 2 of `docs/portals-model.md`): who takes a message, and who may.

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    AtomicOp, Command, CounterId, Datatype, EventKind, Limits, List, MatchEntry, MeOption, NiFail,
    Portal, PortalOptions, Rank, Request, RequestKind, Status,
};

const ALL: [MeOption; 2] = [MeOption::OpPut, MeOption::OpGet];

#[test]
fn a_portal_that_is_out_of_range_or_not_allocated_drops() {
    let mut node = node();
    for portal in [1, 63, 64, u32::MAX] {
        let request = Request {
            portal: Portal(portal),
            ..put(0, &[1])
        };
        assert_eq!(outcome(&mut node, &request), (NiFail::Dropped, 0));
    }
    assert_eq!(node.status().drop, 4);
}

#[test]
fn a_disabled_portal_refuses_before_it_looks_for_an_entry() {
    let mut node = node();
    append(&mut node, 1, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    node.post(Command::PtDisable(PORTAL)).unwrap();
    assert_eq!(outcome(&mut node, &put(0, &[1])), (NiFail::PtDisabled, 0));
    assert_eq!(node.status().drop, 1, "PT_DISABLED counts as dropped");
    node.post(Command::PtEnable(PORTAL)).unwrap();
    assert_eq!(outcome(&mut node, &put(0, &[1])), (NiFail::Ok, 1));
    assert_eq!(
        kinds(&node),
        [
            (EventKind::Link, 1),
            (EventKind::Put, 1),
            (EventKind::AutoUnlink, 1)
        ],
        "the host's own switch makes no event"
    );
}

#[test]
fn the_overflow_list_is_looked_at_only_after_the_whole_priority_list() {
    let mut node = node();
    append_overflow(&mut node, 1, entry(&[MeOption::OpPut]));
    let exact = |match_bits| MatchEntry {
        match_bits,
        ignore_bits: 0,
        ..entry(&[MeOption::OpPut])
    };
    append(&mut node, 2, exact(5));
    append(&mut node, 3, exact(6));
    for bits in [6, 7] {
        receive(&mut node, &put(bits, &[1]));
    }
    let taken = &kinds(&node)[3..];
    assert_eq!(taken, [(EventKind::Put, 3), (EventKind::Put, 1)]);
    assert_eq!(headers(&node), 1);
}

#[test]
fn the_first_entry_of_an_interface_that_does_not_match_takes_everything() {
    let options = PortalOptions {
        matching: false,
        ..PLAIN
    };
    let mut node = node_with(Limits::default(), options);
    // None of these means anything there: source, bits, local offset, NO_TRUNCATE, min_free.
    let first = MatchEntry {
        match_bits: 1,
        ignore_bits: 0,
        source: Some(Rank(9)),
        length: 4,
        min_free: 64,
        ..entry(&[MeOption::OpPut, MeOption::ManageLocal, MeOption::NoTruncate])
    };
    append(&mut node, 1, first);
    append(&mut node, 2, entry(&[MeOption::OpPut]));
    for _ in 0..2 {
        assert_eq!(outcome(&mut node, &put(2, &[1; 8])), (NiFail::Ok, 4));
    }
    assert_eq!(linked(&node, List::Priority), [1, 2]);
    // The user still counts.
    let restricted = MatchEntry {
        uid: Some(3),
        ..entry(&[MeOption::OpPut])
    };
    let mut node = node_with(Limits::default(), options);
    append(&mut node, 1, restricted);
    assert_eq!(
        outcome(&mut node, &put(0, &[1])),
        (NiFail::PermViolation, 0)
    );
}

#[test]
fn no_truncate_looks_at_the_requested_offset_and_falls_through() {
    let mut node = node();
    append(
        &mut node,
        1,
        entry(&[MeOption::OpPut, MeOption::NoTruncate]),
    );
    append(&mut node, 2, entry(&[MeOption::OpPut]));
    let at = |roffset, length| Request {
        roffset,
        ..put(0, &vec![7; length])
    };
    for (roffset, length, taker) in [
        (0, 64, 1),
        (0, 65, 2),
        (60, 4, 1),
        (60, 5, 2),
        (64, 0, 1),
        (65, 0, 2),
    ] {
        receive(&mut node, &at(roffset, length));
        let last = kinds(&node).pop();
        assert_eq!(last, Some((EventKind::Put, taker)), "{roffset} + {length}");
    }
}

#[test]
fn no_truncate_looks_at_the_local_offset_of_a_managed_entry() {
    let mut node = node();
    append(
        &mut node,
        1,
        entry(&[MeOption::OpPut, MeOption::NoTruncate, MeOption::ManageLocal]),
    );
    let far = Request {
        roffset: 1000,
        ..put(0, &[7; 60])
    };
    assert_eq!(
        outcome(&mut node, &far),
        (NiFail::Ok, 60),
        "the requested offset does not count"
    );
    assert_eq!(outcome(&mut node, &put(0, &[7; 5])), (NiFail::Dropped, 0));
    assert_eq!(outcome(&mut node, &put(0, &[7; 4])), (NiFail::Ok, 4));
}

#[test]
fn permission_is_tested_after_the_match_and_later_entries_are_not_tried() {
    let mut node = node();
    append(&mut node, 1, entry(&[MeOption::OpGet, MeOption::UseOnce]));
    append(&mut node, 2, entry(&ALL));
    assert_eq!(outcome(&mut node, &put(0, &[1])), (NiFail::OpViolation, 0));
    assert_eq!(linked(&node, List::Priority), [1, 2], "USE_ONCE survives");
    assert_eq!(kinds(&node).len(), 2, "no event but the LINKs");
    let status = Status {
        drop: 0,
        permission_violations: 0,
        operation_violations: 1,
    };
    assert_eq!(node.status(), status, "a violation is no drop");
}

#[test]
fn the_user_is_tested_before_the_operation() {
    let mut node = node();
    let me = MatchEntry {
        uid: Some(7),
        ..entry(&[])
    };
    append(&mut node, 1, me);
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::PermViolation);
    let user = Request {
        uid: 7,
        ..put(0, &[1])
    };
    assert_eq!(outcome(&mut node, &user).0, NiFail::OpViolation);
    let status = node.status();
    assert_eq!(
        (status.permission_violations, status.operation_violations),
        (1, 1)
    );
}

#[test]
fn each_kind_of_request_needs_its_permissions() {
    let sum = operation(AtomicOp::Sum, Datatype::Uint8);
    let swap = operation(AtomicOp::Swap, Datatype::Uint8);
    let kinds = [
        (RequestKind::Put, true, false),
        (RequestKind::Get, false, true),
        (RequestKind::Atomic(sum), true, false),
        (RequestKind::Fetch(sum), true, true),
        (RequestKind::Swap(swap), true, true),
    ];
    for (kind, puts, gets) in kinds {
        for options in [&[][..], &[MeOption::OpPut], &[MeOption::OpGet], &ALL] {
            let mut node = node();
            append(&mut node, 1, entry(options));
            let data = if kind.carries_data() {
                vec![1]
            } else {
                Vec::new()
            };
            let request = Request {
                kind,
                data,
                rlength: 1,
                ..put(0, &[])
            };
            let allowed = (!puts || options.contains(&MeOption::OpPut))
                && (!gets || options.contains(&MeOption::OpGet));
            let wanted = if allowed {
                (NiFail::Ok, 1)
            } else {
                (NiFail::OpViolation, 0)
            };
            assert_eq!(outcome(&mut node, &request), wanted, "{kind:?} {options:?}");
        }
    }
}

#[test]
fn a_message_without_a_header_left_is_dropped_and_leaves_no_trace() {
    let limits = Limits {
        max_unexpected_headers: 1,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    let counted = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::OpPut, MeOption::UseOnce, MeOption::CtComm])
    };
    append_overflow(&mut node, 1, counted.clone());
    append_overflow(&mut node, 2, counted.clone());
    assert_eq!(outcome(&mut node, &put(0, &[1])), (NiFail::Ok, 1));
    assert_eq!(outcome(&mut node, &put(0, &[2])), (NiFail::Dropped, 0));
    assert_eq!(linked(&node, List::Overflow), [2], "the entry is untouched");
    assert_eq!(
        (headers(&node), count(&node, 1), node.status().drop),
        (1, (1, 0), 1)
    );
    assert_eq!(bytes(&node, 256, 1), [1]);
    // The priority list needs no header.
    append(
        &mut node,
        3,
        MatchEntry {
            match_bits: 9,
            ignore_bits: 0,
            ..counted
        },
    );
    assert_eq!(outcome(&mut node, &put(9, &[3])), (NiFail::Ok, 1));
}

#[test]
fn an_entry_that_keeps_no_headers_needs_none() {
    let limits = Limits {
        max_unexpected_headers: 0,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    let options = [MeOption::OpPut, MeOption::UnexpectedHdrDisable];
    append_overflow(&mut node, 1, entry(&options));
    assert_eq!(outcome(&mut node, &put(0, &[1])), (NiFail::Ok, 1));
}

#[test]
fn headers_are_limited_over_all_portals() {
    let limits = Limits {
        max_unexpected_headers: 1,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    node.post(Command::PtAlloc(Portal(1), PLAIN)).unwrap();
    append_overflow(&mut node, 1, entry(&[MeOption::OpPut]));
    let other = Command::MeAppend {
        id: xtq_testbench::portals::EntryId(2),
        portal: Portal(1),
        list: List::Overflow,
        me: entry(&[MeOption::OpPut]),
    };
    node.post(other).unwrap();
    assert_eq!(outcome(&mut node, &put(0, &[])).0, NiFail::Ok);
    let elsewhere = Request {
        portal: Portal(1),
        ..put(0, &[])
    };
    assert_eq!(outcome(&mut node, &elsewhere).0, NiFail::Dropped);
}

#[test]
fn a_search_never_touches_the_status_registers() {
    let mut node = node();
    search(
        &mut node,
        xtq_testbench::portals::Search::Only,
        1,
        entry(&[]),
    );
    assert_eq!(node.status(), Status::default());
}
