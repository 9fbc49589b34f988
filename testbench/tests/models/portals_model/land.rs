//! Steps 6 to 10 of an incoming request (rules 2 of `docs/portals-model.md`): lengths, offsets, unlinking, data,
//! events, counts, responses.

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    AckRequest, AtomicOp, CounterId, Datatype, EventKind, Limits, List, MatchEntry, MeOption,
    NiFail, Rank, Request, RequestKind, ResponseKind, TargetDetail,
};

const MANAGED: [MeOption; 3] = [MeOption::OpPut, MeOption::OpGet, MeOption::ManageLocal];

fn at(roffset: u64, length: usize) -> Request {
    Request {
        roffset,
        ..put(0, &vec![7; length])
    }
}

#[test]
fn what_does_not_fit_is_cut_and_an_offset_behind_the_end_moves_nothing() {
    let mut node = node();
    append(&mut node, 1, entry(&[MeOption::OpPut]));
    for (roffset, length, mlength) in [
        (0, 64, 64),
        (0, 65, 64),
        (60, 8, 4),
        (64, 8, 0),
        (65, 8, 0),
        (3, 0, 0),
    ] {
        let response = receive(&mut node, &at(roffset, length)).unwrap();
        assert_eq!(
            (response.ni_fail, response.mlength),
            (NiFail::Ok, mlength),
            "{roffset}"
        );
        assert_eq!(response.moffset, roffset);
    }
    assert_eq!(
        bytes(&node, 256 + 64, 8),
        [0; 8],
        "nothing lands behind the entry"
    );
    let detail = details(&node)[2];
    assert_eq!((detail.start, detail.rlength, detail.mlength), (316, 8, 4));
    assert_eq!(node.status().drop, 0);
}

#[test]
fn a_message_longer_than_the_limit_is_cut_to_it() {
    let limits = Limits {
        max_msg_size: 16,
        max_atomic_size: 8,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    append(&mut node, 1, entry(&[MeOption::OpPut, MeOption::OpGet]));
    assert_eq!(outcome(&mut node, &at(0, 20)).1, 16);
    assert_eq!(outcome(&mut node, &get(0, 20)).1, 16);
    let sum = operation(AtomicOp::Sum, Datatype::Uint32);
    for kind in [RequestKind::Atomic(sum), RequestKind::Fetch(sum)] {
        let request = Request { kind, ..at(0, 20) };
        assert_eq!(outcome(&mut node, &request).1, 8);
    }
    let swap = RequestKind::Swap(operation(AtomicOp::Swap, Datatype::Uint32));
    assert_eq!(
        outcome(
            &mut node,
            &Request {
                kind: swap,
                ..at(0, 20)
            }
        )
        .1,
        8
    );
    for op in [AtomicOp::Cswap, AtomicOp::CswapGt, AtomicOp::Mswap] {
        let request = Request {
            kind: RequestKind::Swap(operation(op, Datatype::Uint32)),
            operand: vec![0; 4],
            ..at(0, 20)
        };
        assert_eq!(outcome(&mut node, &request).1, 4, "{op:?} moves one item");
    }
}

#[test]
fn one_local_offset_serves_puts_and_gets() {
    let mut node = node();
    append(&mut node, 1, entry(&MANAGED));
    let offset = |response: Option<xtq_testbench::portals::Response>| response.unwrap().moffset;
    assert_eq!(offset(receive(&mut node, &at(50, 8))), 0);
    assert_eq!(offset(receive(&mut node, &get(0, 8))), 8);
    assert_eq!(offset(receive(&mut node, &at(0, 8))), 16);
    let seen = details(&node);
    assert_eq!(
        (seen[0].start, seen[0].remote_offset),
        (256, 50),
        "the event has the requested offset"
    );
    assert_eq!(seen[2].start, 272);
}

#[test]
fn a_truncated_message_leaves_a_managed_entry_without_room_but_linked() {
    let mut node = node();
    append(&mut node, 1, entry(&MANAGED));
    assert_eq!(outcome(&mut node, &at(0, 100)), (NiFail::Ok, 64));
    let next = receive(&mut node, &at(0, 1)).unwrap();
    assert_eq!(
        (next.mlength, next.moffset),
        (0, 64),
        "it moved by what was moved, not by what was asked for"
    );
    assert_eq!(
        linked(&node, List::Priority),
        [1],
        "min_free 0 never unlinks"
    );
}

#[test]
fn min_free_means_nothing_without_manage_local() {
    let mut node = node();
    let me = MatchEntry {
        min_free: 65,
        ..entry(&[MeOption::OpPut])
    };
    append(&mut node, 1, me);
    receive(&mut node, &at(0, 8));
    assert_eq!(linked(&node, List::Priority), [1]);
}

#[test]
fn min_free_unlinks_below_it_and_not_at_it() {
    for (length, left) in [(56, 1), (57, 0)] {
        let mut node = node();
        let me = MatchEntry {
            min_free: 8,
            ..entry(&MANAGED)
        };
        append(&mut node, 1, me);
        receive(&mut node, &at(0, length));
        assert_eq!(
            linked(&node, List::Priority).len(),
            left,
            "{length} of 64 bytes"
        );
    }
}

#[test]
fn a_get_gives_what_is_there_and_is_answered_even_when_it_fails() {
    let mut node = node();
    node.memory_mut().write(260, &[1, 2, 3, 4]).unwrap();
    append(
        &mut node,
        1,
        entry(&[MeOption::OpGet, MeOption::AckDisable, MeOption::UseOnce]),
    );
    let request = Request {
        roffset: 4,
        ack: AckRequest::None,
        ..get(0, 4)
    };
    let response = receive(&mut node, &request).unwrap();
    assert_eq!(response.kind, ResponseKind::Reply);
    assert_eq!((response.data, response.moffset), (vec![1, 2, 3, 4], 4));
    let response = receive(&mut node, &request).unwrap();
    assert_eq!(
        (response.kind, response.ni_fail),
        (ResponseKind::Reply, NiFail::Dropped)
    );
    assert!(response.data.is_empty());
    assert_eq!(kinds(&node)[1], (EventKind::Get, 1));
}

#[test]
fn what_can_be_disabled_of_a_message_is_disabled_alone() {
    use MeOption::*;
    let all = [EventKind::Link, EventKind::Put, EventKind::AutoUnlink];
    for (option, missing) in [
        (None, None),
        (Some(LinkDisable), Some(EventKind::Link)),
        (Some(CommDisable), Some(EventKind::Put)),
        (Some(SuccessDisable), Some(EventKind::Put)),
        (Some(UnlinkDisable), Some(EventKind::AutoUnlink)),
        (Some(OverDisable), None),
        (Some(FlowctrlDisable), None),
    ] {
        let mut node = node();
        let options: Vec<MeOption> = [OpPut, UseOnce, CtComm].into_iter().chain(option).collect();
        let me = MatchEntry {
            counter: Some(CounterId(1)),
            ..entry(&options)
        };
        append(&mut node, 1, me);
        receive(&mut node, &at(0, 8));
        let seen: Vec<EventKind> = kinds(&node).iter().map(|(kind, _)| *kind).collect();
        let wanted: Vec<EventKind> = all
            .into_iter()
            .filter(|kind| Some(*kind) != missing)
            .collect();
        assert_eq!(seen, wanted, "{option:?}");
        assert_eq!(count(&node, 1), (1, 0), "counting needs no event");
    }
}

#[test]
fn a_portal_without_a_queue_counts_all_the_same() {
    let options = xtq_testbench::portals::PortalOptions {
        queue: None,
        ..PLAIN
    };
    let mut node = node_with(Limits::default(), options);
    let me = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::OpPut, MeOption::CtComm])
    };
    append(&mut node, 1, me);
    receive(&mut node, &at(0, 8));
    assert_eq!((count(&node, 1), kinds(&node)), ((1, 0), vec![]));
}

#[test]
fn bytes_are_counted_as_moved_and_failures_as_one() {
    let mut node = node();
    let me = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::OpPut, MeOption::CtComm, MeOption::CtBytes])
    };
    append(&mut node, 1, me.clone());
    receive(&mut node, &at(60, 8));
    assert_eq!(count(&node, 1), (4, 0), "mlength, not rlength");
    // Memory that is not there.
    let beyond = MatchEntry {
        start: MEMORY as u64 - 4,
        match_bits: 1,
        ignore_bits: 0,
        ..me
    };
    let mut node = self::node();
    append(&mut node, 1, beyond);
    assert_eq!(outcome(&mut node, &put(1, &[7; 8])), (NiFail::Segv, 0));
    assert_eq!(count(&node, 1), (0, 1));
    assert_eq!(bytes(&node, MEMORY as u64 - 4, 4), [0; 4], "all or nothing");
}

#[test]
fn a_failure_is_told_even_with_success_disable_but_not_with_comm_disable() {
    for (option, told) in [
        (MeOption::SuccessDisable, true),
        (MeOption::CommDisable, false),
    ] {
        let mut node = node();
        let me = MatchEntry {
            start: MEMORY as u64,
            ..entry(&[MeOption::OpPut, option])
        };
        append(&mut node, 1, me);
        receive(&mut node, &at(0, 8));
        let put = events(&node)
            .into_iter()
            .find(|event| event.kind == EventKind::Put);
        assert_eq!(put.map(|event| event.ni_fail), told.then_some(NiFail::Segv));
    }
}

#[test]
fn ack_disable_silences_a_taken_message_but_not_a_refused_one() {
    let mut node = node();
    let me = MatchEntry {
        uid: Some(1),
        ..entry(&[MeOption::OpPut, MeOption::AckDisable])
    };
    append(&mut node, 1, me);
    for ack in [AckRequest::Ack, AckRequest::Ct, AckRequest::Oc] {
        assert_eq!(receive(&mut node, &Request { ack, ..at(0, 8) }), None);
    }
    let stranger = Request { uid: 2, ..at(0, 8) };
    assert_eq!(outcome(&mut node, &stranger).0, NiFail::PermViolation);
}

#[test]
fn each_acknowledgement_carries_what_its_kind_carries() {
    let mut node = node();
    append(&mut node, 1, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    append(&mut node, 2, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    append(&mut node, 3, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    append(&mut node, 4, entry(&[MeOption::OpPut, MeOption::UseOnce]));
    let request = |ack| Request { ack, ..at(60, 8) };
    let carried = |node: &mut xtq_testbench::portals::Node, ack| {
        let response = receive(node, &request(ack))?;
        Some((
            response.kind,
            response.ni_fail,
            response.mlength,
            response.moffset,
        ))
    };
    assert_eq!(carried(&mut node, AckRequest::None), None);
    assert_eq!(
        carried(&mut node, AckRequest::Ack),
        Some((ResponseKind::Ack, NiFail::Ok, 4, 60))
    );
    assert_eq!(
        carried(&mut node, AckRequest::Ct),
        Some((ResponseKind::CtAck, NiFail::Ok, 4, 0))
    );
    assert_eq!(
        carried(&mut node, AckRequest::Oc),
        Some((ResponseKind::OcAck, NiFail::Ok, 0, 0))
    );
    // Nothing is left: only the operation completed acknowledgement does not report that.
    assert_eq!(
        carried(&mut node, AckRequest::Ct),
        Some((ResponseKind::CtAck, NiFail::Dropped, 0, 0))
    );
    assert_eq!(
        carried(&mut node, AckRequest::Oc),
        Some((ResponseKind::OcAck, NiFail::Ok, 0, 0))
    );
}

#[test]
fn an_atomic_is_done_on_whole_items_and_its_kind_of_event_tells_it() {
    let mut node = node();
    node.memory_mut().write(256, &[1, 0, 2, 0, 3, 0]).unwrap();
    let me = MatchEntry {
        length: 5,
        ..entry(&[MeOption::OpPut, MeOption::OpGet])
    };
    append(&mut node, 1, me);
    let sum = operation(AtomicOp::Sum, Datatype::Uint16);
    let request = |kind| Request {
        kind,
        ..put(0, &[1, 0, 1, 0, 1, 0])
    };
    assert_eq!(
        outcome(&mut node, &request(RequestKind::Atomic(sum))),
        (NiFail::Ok, 5)
    );
    assert_eq!(
        bytes(&node, 256, 6),
        [2, 0, 3, 0, 3, 0],
        "the half item stays"
    );
    let response = receive(&mut node, &request(RequestKind::Fetch(sum))).unwrap();
    assert_eq!(response.data, [2, 0, 3, 0, 3], "what was there before");
    let seen: Vec<EventKind> = kinds(&node).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        seen,
        [EventKind::Link, EventKind::Atomic, EventKind::FetchAtomic]
    );
}

#[test]
fn the_next_message_cannot_match_an_entry_that_unlinks_itself() {
    let mut node = node();
    append(
        &mut node,
        1,
        entry(&[MeOption::OpPut, MeOption::UseOnce, MeOption::UnlinkDisable]),
    );
    assert_eq!(outcome(&mut node, &at(0, 1)).0, NiFail::Ok);
    assert!(node.entries().is_empty());
    assert_eq!(outcome(&mut node, &at(0, 1)).0, NiFail::Dropped);
}

#[test]
fn an_event_tells_what_the_message_said() {
    let mut node = node();
    append(&mut node, 9, entry(&[MeOption::OpPut]));
    let request = Request {
        source: Rank(3),
        uid: 5,
        roffset: 60,
        hdr_data: 0x77,
        ..put(0x1234, &[1; 8])
    };
    receive(&mut node, &request);
    let wanted = TargetDetail {
        start: 256 + 60,
        initiator: Rank(3),
        uid: 5,
        match_bits: 0x1234,
        rlength: 8,
        mlength: 4,
        remote_offset: 60,
        hdr_data: 0x77,
        list: List::Priority,
    };
    assert_eq!(details(&node), [wanted]);
    assert_eq!(kinds(&node)[1], (EventKind::Put, 9));
}
