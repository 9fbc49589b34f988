//! What an initiator sends and counts, and what is reported to it (rules 5 and 8 of `docs/portals-model.md`).

use crate::portals_model::setup::*;
use xtq_testbench::portals::{
    AckRequest, AtomicOp, Command, CounterId, Datatype, Detail, EventKind, Limits, MdId, MdOption,
    MemoryDescriptor, NiFail, Node, Operation, OperationError, Place, Rank, Refusal, RequestKind,
    Response, ResponseKind, Transfer,
};

const ALL: [MdOption; 3] = [MdOption::CtSend, MdOption::CtAck, MdOption::CtReply];

fn post(node: &mut Node, transfer: Transfer) -> Result<(), Refusal> {
    node.post(Command::Transfer(transfer))
}

fn acked(ack: AckRequest, length: u64) -> Transfer {
    Transfer {
        ack,
        ..send(5, length)
    }
}

fn fetched(kind: RequestKind, length: u64) -> Transfer {
    Transfer {
        kind,
        from: kind.carries_data().then_some(MD),
        into: Some(Place {
            md: MdId(1),
            offset: 32,
        }),
        ..send(5, length)
    }
}

/// The answer to the request that was sent last.
fn answer(node: &mut Node, kind: ResponseKind, ni_fail: NiFail, mlength: u64) {
    let request = node.take_sent().pop().expect("a request was sent");
    let data = match kind {
        ResponseKind::Reply => vec![9; mlength as usize],
        _ => Vec::new(),
    };
    node.acknowledge(&Response {
        kind,
        ni_fail,
        mlength,
        moffset: 3,
        data,
        to: request.source,
        handle: request.handle,
    });
}

fn told(node: &Node) -> Vec<(EventKind, NiFail, u64, u64)> {
    let events = node.queue(MD_EVENTS).unwrap().events();
    let lengths = |detail| match detail {
        Detail::Initiator(detail) => (detail.mlength, detail.remote_offset),
        _ => panic!("an event of an initiator"),
    };
    events
        .map(|event| {
            let (mlength, offset) = lengths(event.detail);
            assert_eq!((event.user_ptr, event.portal), (Some(77), None));
            (event.kind, event.ni_fail, mlength, offset)
        })
        .collect()
}

#[test]
fn a_request_says_who_sends_it_and_what_was_asked() {
    let mut node = Node::new(Rank(7), &config(Limits::default()));
    furnish(&mut node, PLAIN);
    bind(&mut node, &[]);
    node.memory_mut().write(514, &[1, 2, 3]).unwrap();
    let transfer = Transfer {
        from: Some(Place { offset: 2, ..MD }),
        roffset: 40,
        hdr_data: 6,
        ..acked(AckRequest::Oc, 3)
    };
    post(&mut node, transfer).unwrap();
    let request = node.take_sent().remove(0);
    assert_eq!((request.source.0, request.uid, request.target.0), (7, 7, 1));
    assert_eq!(
        (request.match_bits, request.roffset, request.rlength),
        (5, 40, 3)
    );
    assert_eq!(
        (request.hdr_data, request.ack, request.data),
        (6, AckRequest::Oc, vec![1, 2, 3])
    );
}

#[test]
fn a_send_counts_what_was_asked_and_an_ack_what_was_done() {
    for (bytes, wanted) in [(false, (2, 0)), (true, (40 + 24, 0))] {
        let mut node = node();
        let options: Vec<MdOption> = ALL
            .into_iter()
            .chain(bytes.then_some(MdOption::CtBytes))
            .collect();
        bind(&mut node, &options);
        post(&mut node, acked(AckRequest::Ct, 40)).unwrap();
        answer(&mut node, ResponseKind::CtAck, NiFail::Ok, 24);
        assert_eq!(count(&node, 1), wanted);
    }
}

#[test]
fn only_what_the_descriptor_names_counts() {
    for (option, wanted) in [
        (MdOption::CtSend, (1, 0)),
        (MdOption::CtAck, (1, 0)),
        (MdOption::CtReply, (0, 0)),
    ] {
        let mut node = node();
        bind(&mut node, &[option]);
        post(&mut node, acked(AckRequest::Ack, 8)).unwrap();
        if option != MdOption::CtSend {
            assert_eq!(count(&node, 1), (0, 0));
        }
        answer(&mut node, ResponseKind::Ack, NiFail::Ok, 8);
        assert_eq!(count(&node, 1), wanted, "{option:?}");
    }
}

#[test]
fn a_refused_put_was_sent_all_the_same_and_its_ack_fails_once() {
    let mut node = node();
    bind(
        &mut node,
        &[MdOption::CtSend, MdOption::CtAck, MdOption::CtBytes],
    );
    post(&mut node, acked(AckRequest::Ack, 8)).unwrap();
    answer(&mut node, ResponseKind::Ack, NiFail::Dropped, 0);
    assert_eq!(count(&node, 1), (8, 1), "a failure is 1, never bytes");
    let wanted = [
        (EventKind::Send, NiFail::Ok, 8, 0),
        (EventKind::Ack, NiFail::Dropped, 0, 3),
    ];
    assert_eq!(told(&node), wanted);
}

#[test]
fn a_counting_ack_makes_no_event() {
    let mut node = node();
    bind(&mut node, &[MdOption::CtAck, MdOption::SendDisable]);
    post(&mut node, acked(AckRequest::Ct, 8)).unwrap();
    answer(&mut node, ResponseKind::CtAck, NiFail::Dropped, 0);
    assert_eq!((count(&node, 1), told(&node)), ((0, 1), vec![]));
}

#[test]
fn an_operation_completed_ack_counts_operations_even_with_ct_bytes() {
    let mut node = node();
    bind(&mut node, &[MdOption::CtAck, MdOption::CtBytes]);
    post(&mut node, acked(AckRequest::Oc, 8)).unwrap();
    answer(&mut node, ResponseKind::OcAck, NiFail::Ok, 0);
    assert_eq!(count(&node, 1), (1, 0));
}

#[test]
fn events_of_an_initiator_can_be_disabled() {
    for (options, ok, failed) in [
        (&[][..], 2, 2),
        (&[MdOption::SendDisable], 1, 1),
        (&[MdOption::SuccessDisable], 0, 1),
    ] {
        for (ni_fail, wanted) in [(NiFail::Ok, ok), (NiFail::Dropped, failed)] {
            let mut node = node();
            bind(&mut node, options);
            post(&mut node, acked(AckRequest::Ack, 8)).unwrap();
            answer(&mut node, ResponseKind::Ack, ni_fail, 0);
            assert_eq!(told(&node).len(), wanted, "{options:?} {ni_fail:?}");
        }
    }
}

#[test]
fn a_reply_lands_and_counts_what_was_done_and_a_get_makes_no_send() {
    let mut node = node();
    bind(
        &mut node,
        &[MdOption::CtReply, MdOption::CtSend, MdOption::CtBytes],
    );
    post(&mut node, fetched(RequestKind::Get, 16)).unwrap();
    answer(&mut node, ResponseKind::Reply, NiFail::Ok, 6);
    assert_eq!(bytes(&node, 512 + 32, 7), [9, 9, 9, 9, 9, 9, 0]);
    assert_eq!(count(&node, 1), (6, 0));
    assert_eq!(told(&node), [(EventKind::Reply, NiFail::Ok, 6, 3)]);
    post(&mut node, fetched(RequestKind::Get, 16)).unwrap();
    answer(&mut node, ResponseKind::Reply, NiFail::PtDisabled, 0);
    assert_eq!(count(&node, 1), (6, 1));
}

#[test]
fn a_fetch_sends_and_is_replied_to() {
    let mut node = node();
    bind(&mut node, &ALL);
    let sum = operation(AtomicOp::Sum, Datatype::Uint32);
    post(&mut node, fetched(RequestKind::Fetch(sum), 8)).unwrap();
    answer(&mut node, ResponseKind::Reply, NiFail::Ok, 8);
    let seen: Vec<EventKind> = told(&node).iter().map(|event| event.0).collect();
    assert_eq!(seen, [EventKind::Send, EventKind::Reply]);
    assert_eq!(count(&node, 1), (2, 0));
}

#[test]
fn memory_that_is_not_there_fails_the_send_and_the_reply() {
    let mut node = node();
    let md = MemoryDescriptor {
        start: MEMORY as u64 - 8,
        length: u64::MAX,
        options: ALL.into_iter().collect(),
        queue: Some(MD_EVENTS),
        counter: Some(CounterId(1)),
    };
    node.post(Command::MdBind(MdId(1), md)).unwrap();
    post(&mut node, send(5, 9)).unwrap();
    assert!(node.take_sent().is_empty());
    assert_eq!(count(&node, 1), (0, 1));
    let get = Transfer {
        into: Some(MD),
        ..fetched(RequestKind::Get, 9)
    };
    post(&mut node, get).unwrap();
    answer(&mut node, ResponseKind::Reply, NiFail::Ok, 9);
    assert_eq!(count(&node, 1), (0, 2));
    let fails: Vec<NiFail> = told(&node).iter().map(|event| event.1).collect();
    assert_eq!(fails, [NiFail::Segv, NiFail::Segv]);
}

#[test]
fn a_response_that_nobody_waits_for_is_ignored() {
    let mut node = node();
    bind(&mut node, &ALL);
    post(&mut node, acked(AckRequest::Ct, 8)).unwrap();
    let sent = node.take_sent().remove(0);
    let response = Response {
        kind: ResponseKind::CtAck,
        ni_fail: NiFail::Ok,
        mlength: 8,
        moffset: 0,
        data: Vec::new(),
        to: sent.source,
        handle: sent.handle,
    };
    for _ in 0..2 {
        node.acknowledge(&response);
    }
    assert_eq!(count(&node, 1), (2, 0), "the send and one acknowledgement");
}

#[test]
fn acknowledgements_need_someone_to_tell() {
    for (queue, counter, ack, wanted) in [
        (true, false, AckRequest::Ack, Ok(())),
        (false, true, AckRequest::Ack, Err(Refusal::ArgInvalid)),
        (true, false, AckRequest::Ct, Err(Refusal::ArgInvalid)),
        (false, true, AckRequest::Ct, Ok(())),
        (false, false, AckRequest::Oc, Ok(())),
        (false, false, AckRequest::None, Ok(())),
    ] {
        let mut node = node();
        let md = MemoryDescriptor {
            queue: queue.then_some(MD_EVENTS),
            counter: counter.then_some(CounterId(1)),
            ..MemoryDescriptor::default()
        };
        node.post(Command::MdBind(MdId(1), md)).unwrap();
        assert_eq!(post(&mut node, acked(ack, 0)), wanted, "{ack:?}");
    }
}

#[test]
fn lengths_have_limits() {
    let limits = Limits {
        max_msg_size: 32,
        max_atomic_size: 16,
        max_fetch_atomic_size: 8,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    bind(&mut node, &[MdOption::Volatile]);
    let sum = operation(AtomicOp::Sum, Datatype::Uint8);
    let swap = operation(AtomicOp::Swap, Datatype::Uint8);
    let atomic = |length| Transfer {
        kind: RequestKind::Atomic(sum),
        ..send(5, length)
    };
    let limited = [
        (fetched(RequestKind::Get, 32), fetched(RequestKind::Get, 33)),
        (
            fetched(RequestKind::Fetch(sum), 8),
            fetched(RequestKind::Fetch(sum), 9),
        ),
        (
            fetched(RequestKind::Swap(swap), 8),
            fetched(RequestKind::Swap(swap), 9),
        ),
        (send(5, 8), send(5, 9)),
        (atomic(8), atomic(9)),
    ];
    for (allowed, refused) in limited {
        assert_eq!(post(&mut node, allowed), Ok(()));
        assert_eq!(post(&mut node, refused), Err(Refusal::ArgInvalid));
    }
    let mut node = node_with(limits, PLAIN);
    bind(&mut node, &[]);
    let fetch = |length| fetched(RequestKind::Fetch(sum), length);
    for (allowed, refused) in [
        (atomic(16), atomic(17)),
        (fetch(8), fetch(9)),
        (send(5, 32), send(5, 33)),
    ] {
        assert_eq!(post(&mut node, allowed), Ok(()));
        assert_eq!(post(&mut node, refused), Err(Refusal::ArgInvalid));
    }
}

#[test]
fn a_transfer_needs_its_descriptors_and_no_others() {
    let mut node = node();
    bind(&mut node, &[]);
    let unknown = Place {
        md: MdId(9),
        offset: 0,
    };
    let beyond = Place { offset: 60, ..MD };
    let wrapping = Place {
        offset: u64::MAX,
        ..MD
    };
    for from in [None, Some(unknown), Some(beyond), Some(wrapping)] {
        assert_eq!(
            post(&mut node, Transfer { from, ..send(5, 5) }),
            Err(Refusal::ArgInvalid)
        );
    }
    let both = Transfer {
        into: Some(MD),
        ..send(5, 5)
    };
    assert_eq!(post(&mut node, both), Err(Refusal::ArgInvalid));
    let edge = Transfer {
        from: Some(Place { offset: 59, ..MD }),
        ..send(5, 5)
    };
    assert_eq!(post(&mut node, edge), Ok(()));
}

#[test]
fn an_atomic_needs_an_operation_whole_items_and_its_operand() {
    let mut node = node();
    bind(&mut node, &[]);
    let atomic = |op, datatype, length| Transfer {
        kind: RequestKind::Atomic(Operation { op, datatype }),
        ..send(5, length)
    };
    assert_eq!(
        post(&mut node, atomic(AtomicOp::Sum, Datatype::Uint32, 8)),
        Ok(())
    );
    let part = atomic(AtomicOp::Sum, Datatype::Uint32, 7);
    assert_eq!(post(&mut node, part), Err(Refusal::ArgInvalid));
    let swap_as_atomic = atomic(AtomicOp::Swap, Datatype::Uint32, 4);
    let Err(Refusal::Operation(OperationError::Illegal(_))) = post(&mut node, swap_as_atomic)
    else {
        panic!("PtlAtomic has no SWAP");
    };
    let product = atomic(AtomicOp::Prod, Datatype::DoubleComplex, 16);
    assert_eq!(post(&mut node, product), Ok(()));
    let long = atomic(AtomicOp::Sum, Datatype::LongDouble, 16);
    let refusal = post(&mut node, long).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "unsupported: Sum on LongDouble is not modelled"
    );
    let cswap = |length, operand: usize| Transfer {
        operand: vec![0; operand],
        ..fetched(
            RequestKind::Swap(operation(AtomicOp::Cswap, Datatype::Uint32)),
            length,
        )
    };
    assert_eq!(post(&mut node, cswap(4, 4)), Ok(()));
    for (length, operand) in [(8, 4), (4, 3), (4, 0)] {
        assert_eq!(
            post(&mut node, cswap(length, operand)),
            Err(Refusal::ArgInvalid)
        );
    }
}

#[test]
fn a_descriptor_is_needed_until_the_last_response() {
    let mut node = node();
    bind(&mut node, &ALL);
    post(&mut node, acked(AckRequest::Ct, 8)).unwrap();
    post(&mut node, send(5, 8)).unwrap();
    let quiet = node.take_sent().pop().unwrap();
    assert_eq!(quiet.ack, AckRequest::None);
    post(&mut node, acked(AckRequest::Ct, 8)).unwrap();
    assert_eq!(node.post(Command::MdRelease(MdId(1))), Err(Refusal::InUse));
}

#[test]
fn a_put_without_an_ack_keeps_nothing_waiting() {
    let mut node = node();
    bind(&mut node, &ALL);
    post(&mut node, send(5, 8)).unwrap();
    assert_eq!(node.post(Command::MdRelease(MdId(1))), Ok(()));
    assert_eq!(
        node.post(Command::MdRelease(MdId(1))),
        Err(Refusal::ArgInvalid)
    );
}
