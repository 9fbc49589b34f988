//! Appending, unlinking, and unexpected headers (rules 3 of `docs/portals-model.md`).

mod auto_free;

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    Command, CounterId, EntryId, EventKind, Limits, List, MatchEntry, MeOption, NiFail, Node,
    Portal, PortalOptions, Rank, Refusal, Request, RequestKind,
};

fn exact(match_bits: u64, options: &[MeOption]) -> MatchEntry {
    MatchEntry {
        match_bits,
        ignore_bits: 0,
        ..entry(options)
    }
}

/// A node with a persistent overflow entry, number 100, that has taken puts of these bits and lengths.
fn with_unexpected(messages: &[(u64, usize)]) -> Node {
    let mut node = node();
    let quiet = [
        MeOption::OpPut,
        MeOption::OpGet,
        MeOption::ManageLocal,
        MeOption::LinkDisable,
        MeOption::CommDisable,
    ];
    append_overflow(&mut node, 100, entry(&quiet));
    for (bits, length) in messages {
        receive(&mut node, &put(*bits, &vec![7; *length]));
    }
    node
}

#[test]
fn appending_to_the_overflow_list_never_searches() {
    let mut node = with_unexpected(&[(1, 8)]);
    append_overflow(&mut node, 1, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    assert_eq!(kinds(&node), [(EventKind::Link, 1)]);
    assert_eq!(
        (headers(&node), linked(&node, List::Overflow)),
        (1, vec![100, 1])
    );
}

#[test]
fn use_once_takes_the_oldest_match_and_is_never_linked() {
    let mut node = with_unexpected(&[(1, 1), (2, 2), (2, 3)]);
    append(
        &mut node,
        1,
        exact(2, &[MeOption::OpPut, MeOption::UseOnce]),
    );
    assert_eq!(
        kinds(&node),
        [(EventKind::PutOverflow, 1), (EventKind::AutoUnlink, 1)]
    );
    let detail = details(&node)[0];
    assert_eq!(
        (detail.mlength, detail.start, detail.list),
        (2, 257, List::Overflow)
    );
    assert_eq!((headers(&node), linked(&node, List::Priority)), (2, vec![]));
    assert!(!node.entries().contains_key(&EntryId(1)));
}

#[test]
fn a_persistent_append_takes_all_matches_and_links_last() {
    let mut node = with_unexpected(&[(2, 1), (1, 2), (2, 3)]);
    append(&mut node, 1, exact(2, &[MeOption::OpPut]));
    let wanted = [
        (EventKind::PutOverflow, 1),
        (EventKind::PutOverflow, 1),
        (EventKind::Link, 1),
    ];
    assert_eq!(kinds(&node), wanted);
    let lengths: Vec<u64> = details(&node).iter().map(|detail| detail.mlength).collect();
    assert_eq!(
        (lengths, headers(&node), linked(&node, List::Priority)),
        (vec![1, 3], 1, vec![1])
    );
}

#[test]
fn headers_are_matched_by_source_and_length_but_not_by_permission() {
    let mut node = with_unexpected(&[(1, 8)]);
    let options = [MeOption::UseOnce, MeOption::NoTruncate];
    let wrong_source = MatchEntry {
        source: Some(Rank(2)),
        ..exact(1, &options)
    };
    append(&mut node, 1, wrong_source);
    let too_short = MatchEntry {
        length: 7,
        ..exact(1, &options)
    };
    append(&mut node, 2, too_short);
    assert_eq!(headers(&node), 1);
    // Another user, and no OP_PUT: taken all the same.
    let forbidden = MatchEntry {
        uid: Some(99),
        length: 8,
        ..exact(1, &options)
    };
    append(&mut node, 3, forbidden);
    assert_eq!((headers(&node), kinds(&node).len()), (0, 4));
    assert_eq!(node.status().permission_violations, 0);
}

#[test]
fn no_truncate_is_tested_on_what_was_asked_for_not_on_what_landed() {
    let mut node = node();
    let small = MatchEntry {
        length: 4,
        ..entry(&[MeOption::OpPut])
    };
    append_overflow(&mut node, 100, small);
    assert_eq!(outcome(&mut node, &put(1, &[7; 8])).1, 4);
    let fits_what_landed = MatchEntry {
        length: 7,
        ..exact(
            1,
            &[MeOption::OpPut, MeOption::UseOnce, MeOption::NoTruncate],
        )
    };
    append(&mut node, 1, fits_what_landed);
    assert_eq!(headers(&node), 1);
}

#[test]
fn every_kind_of_message_has_its_overflow_event() {
    let sum = operation(
        xtq_testbench::portals::AtomicOp::Sum,
        xtq_testbench::portals::Datatype::Uint8,
    );
    let swap = operation(
        xtq_testbench::portals::AtomicOp::Swap,
        xtq_testbench::portals::Datatype::Uint8,
    );
    for (kind, wanted) in [
        (RequestKind::Put, EventKind::PutOverflow),
        (RequestKind::Get, EventKind::GetOverflow),
        (RequestKind::Atomic(sum), EventKind::AtomicOverflow),
        (RequestKind::Fetch(sum), EventKind::FetchAtomicOverflow),
        (RequestKind::Swap(swap), EventKind::FetchAtomicOverflow),
    ] {
        let mut node = with_unexpected(&[]);
        let data = if kind.carries_data() {
            vec![1]
        } else {
            Vec::new()
        };
        let request = Request {
            kind,
            data,
            rlength: 1,
            ..put(1, &[])
        };
        receive(&mut node, &request);
        append(&mut node, 1, entry(&[MeOption::OpPut, MeOption::UseOnce]));
        assert_eq!(kinds(&node)[0], (wanted, 1));
    }
}

#[test]
fn overflow_counts_need_neither_event_nor_event_queue() {
    for queue in [Some(EVENTS), None] {
        let mut node = node_with(Limits::default(), PortalOptions { queue, ..PLAIN });
        append_overflow(&mut node, 100, entry(&[MeOption::OpPut]));
        for length in [5, 6] {
            receive(&mut node, &put(0, &vec![7; length]));
        }
        let me = MatchEntry {
            counter: Some(CounterId(1)),
            ..entry(&[
                MeOption::OpPut,
                MeOption::OverDisable,
                MeOption::CtOverflow,
                MeOption::CtBytes,
            ])
        };
        append(&mut node, 1, me);
        assert_eq!(count(&node, 1), (11, 0), "{queue:?}");
        assert!(
            kinds(&node)
                .iter()
                .all(|(kind, _)| *kind != EventKind::PutOverflow)
        );
        receive(&mut node, &put(0, &[7]));
        assert_eq!(
            count(&node, 1),
            (11, 0),
            "CT_OVERFLOW alone does not count messages"
        );
    }
}

#[test]
fn a_message_that_was_cut_is_taken_as_it_landed_and_counts_only_where_asked() {
    let mut node = node();
    let short = MatchEntry {
        length: 4,
        ..entry(&[MeOption::OpPut])
    };
    append_overflow(&mut node, 100, short);
    for _ in 0..2 {
        receive(&mut node, &put(1, &[7; 8]));
    }
    let taker = |options: &[MeOption]| MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[&[MeOption::UseOnce, MeOption::CtComm], options].concat())
    };
    append(&mut node, 1, taker(&[]));
    assert_eq!(
        count(&node, 1),
        (0, 0),
        "CT_COMM is of messages that arrive"
    );
    append(
        &mut node,
        2,
        taker(&[MeOption::CtOverflow, MeOption::CtBytes]),
    );
    assert_eq!(count(&node, 1), (4, 0));
    for taken in &details(&node)[2..] {
        assert_eq!((taken.rlength, taken.mlength), (8, 4));
    }
}

#[test]
fn an_unexpected_message_that_failed_is_taken_as_a_failure() {
    let mut node = node();
    let nowhere = MatchEntry {
        start: MEMORY as u64,
        ..entry(&[MeOption::OpPut])
    };
    append_overflow(&mut node, 100, nowhere);
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::Segv);
    let me = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::UseOnce, MeOption::CtOverflow, MeOption::CtBytes])
    };
    append(&mut node, 1, me);
    assert_eq!(count(&node, 1), (0, 1));
    assert_eq!(events(&node)[2].ni_fail, NiFail::Segv);
}

/// An overflow entry that unlinks itself with its first message, and messages for it.
fn freed(options: &[MeOption]) -> Node {
    let mut node = node();
    let options: Vec<MeOption> = [MeOption::OpPut, MeOption::UseOnce]
        .iter()
        .chain(options)
        .copied()
        .collect();
    append_overflow(&mut node, 100, entry(&options));
    receive(&mut node, &put(1, &[7]));
    node
}

#[test]
fn without_unexpected_headers_a_message_lands_and_counts_and_is_forgotten() {
    let mut node = node();
    let me = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[
            MeOption::OpPut,
            MeOption::UseOnce,
            MeOption::CtComm,
            MeOption::UnexpectedHdrDisable,
        ])
    };
    append_overflow(&mut node, 100, me);
    assert_eq!(outcome(&mut node, &put(1, &[9])), (NiFail::Ok, 1));
    assert_eq!(
        (bytes(&node, 256, 1), count(&node, 1), headers(&node)),
        (vec![9], (1, 0), 0)
    );
    let wanted = [
        EventKind::Link,
        EventKind::Put,
        EventKind::AutoUnlink,
        EventKind::AutoFree,
    ];
    assert_eq!(kinds(&node), wanted.map(|kind| (kind, 100)));
}

#[test]
fn a_plain_managed_entry_does_not_move_over_headers_it_takes() {
    let mut node = with_unexpected(&[(1, 8), (1, 8)]);
    append(
        &mut node,
        1,
        exact(1, &[MeOption::OpPut, MeOption::ManageLocal]),
    );
    assert_eq!(node.entries()[&EntryId(1)].local_offset, 0);
    assert_eq!(receive(&mut node, &put(1, &[1])).unwrap().moffset, 0);
}

#[test]
fn local_inc_uh_rlength_moves_over_headers_and_unlinks_below_min_free() {
    let options = [
        MeOption::OpPut,
        MeOption::ManageLocal,
        MeOption::LocalIncUhRlength,
    ];
    let me = |length| MatchEntry {
        length,
        min_free: 4,
        ..exact(1, &options)
    };
    // 10 + 8 of 32: linked with its offset moved.
    let mut node = with_unexpected(&[(1, 10), (1, 8)]);
    append(&mut node, 1, me(32));
    assert_eq!(node.entries()[&EntryId(1)].local_offset, 18);
    // What was asked for counts, not what landed.
    let mut node = self::node();
    let small = MatchEntry {
        length: 4,
        ..entry(&[MeOption::OpPut])
    };
    append_overflow(&mut node, 100, small);
    assert_eq!(outcome(&mut node, &put(1, &[7; 10])).1, 4);
    append(&mut node, 1, me(32));
    assert_eq!(node.entries()[&EntryId(1)].local_offset, 10);
    // 10 of 16 leaves 6, 18 of 16 is past the end, which must not wrap: unlinked, the third header stays.
    let mut node = with_unexpected(&[(1, 10), (1, 8), (1, 1)]);
    append(&mut node, 1, me(16));
    let wanted = [
        (EventKind::PutOverflow, 1),
        (EventKind::PutOverflow, 1),
        (EventKind::AutoUnlink, 1),
    ];
    assert_eq!(kinds(&node), wanted);
    assert_eq!((headers(&node), linked(&node, List::Priority)), (1, vec![]));
}

#[test]
fn every_header_of_an_interface_that_does_not_match_is_taken() {
    let options = PortalOptions {
        matching: false,
        ..PLAIN
    };
    let mut node = node_with(Limits::default(), options);
    append_overflow(&mut node, 100, entry(&[MeOption::OpPut]));
    receive(&mut node, &put(1, &[]));
    append(&mut node, 1, exact(2, &[MeOption::UseOnce]));
    assert_eq!(headers(&node), 0);
}

#[test]
fn unlinking_makes_no_event_and_spares_what_headers_need() {
    let mut node = with_unexpected(&[(1, 1)]);
    let unlink = |node: &mut Node, id| node.post(Command::MeUnlink(EntryId(id)));
    assert_eq!(unlink(&mut node, 100), Err(Refusal::InUse));
    append(&mut node, 1, exact(5, &[]));
    assert_eq!(unlink(&mut node, 1), Ok(()));
    assert_eq!(kinds(&node), [(EventKind::Link, 1)]);
    assert_eq!(
        unlink(&mut node, 1),
        Ok(()),
        "an entry that is not there: nothing to do"
    );
    // Unlinked by itself, but still needed.
    let mut node = freed(&[]);
    assert_eq!(unlink(&mut node, 100), Err(Refusal::InUse));
}

#[test]
fn a_number_belongs_to_one_entry_until_nothing_needs_it() {
    let mut node = freed(&[]);
    let again = append_to(List::Priority, 100, exact(5, &[]));
    assert_eq!(node.post(again.clone()), Err(Refusal::InUse));
    append(&mut node, 1, exact(1, &[MeOption::UseOnce]));
    assert_eq!(node.post(again), Ok(()));
}

#[test]
fn entries_and_lists_are_limited_and_a_refusal_changes_nothing() {
    let limits = Limits {
        max_entries: 3,
        max_list_size: 2,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    append(&mut node, 1, exact(1, &[]));
    append(&mut node, 2, exact(1, &[]));
    assert_eq!(
        node.post(append_to(List::Priority, 3, exact(1, &[]))),
        Err(Refusal::NoSpace)
    );
    append_overflow(&mut node, 3, entry(&[MeOption::OpPut]));
    assert_eq!(
        node.post(append_to(List::Overflow, 4, entry(&[]))),
        Err(Refusal::NoSpace)
    );
    node.post(Command::MeUnlink(EntryId(1))).unwrap();
    // An entry promised to a pending append takes a place.
    when(&mut node, 1, 1, append_to(List::Priority, 5, exact(1, &[]))).unwrap();
    assert_eq!(
        node.post(append_to(List::Priority, 6, exact(1, &[]))),
        Err(Refusal::NoSpace)
    );
    assert_eq!(kinds(&node).len(), 3);
}

#[test]
fn an_append_needs_a_portal_and_its_counter() {
    let mut node = node();
    let elsewhere = Command::MeAppend {
        id: EntryId(1),
        portal: Portal(1),
        list: List::Priority,
        me: entry(&[]),
    };
    assert_eq!(node.post(elsewhere), Err(Refusal::ArgInvalid));
    let me = MatchEntry {
        counter: Some(CounterId(99)),
        ..entry(&[])
    };
    assert_eq!(
        node.post(append_to(List::Priority, 1, me)),
        Err(Refusal::ArgInvalid)
    );
    assert!(node.entries().is_empty());
}

#[test]
fn appending_works_while_the_portal_is_disabled() {
    let mut node = with_unexpected(&[(1, 1)]);
    node.post(Command::PtDisable(PORTAL)).unwrap();
    append(&mut node, 1, exact(1, &[MeOption::UseOnce]));
    assert_eq!(headers(&node), 0);
}
