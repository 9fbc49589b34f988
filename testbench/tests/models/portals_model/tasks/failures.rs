//! Tasks that are refused or fail.

use xtq_testbench::aql::{PACKET_BYTES, field, packet_type};
use xtq_testbench::host::HostQueue;
use xtq_testbench::portals::{
    Command, CounterId, Detail, EventKind, List, MatchEntry, MeOption, NiFail, PortalOptions,
    Refusal, Registration, Request, RequestError, RequestKind,
};
use xtq_types::event::{access, status};

use super::{QUEUE, large, node_with_tasks, packet, register, task, task_of, tasks, word};
use crate::portals_model::setup::*;

#[test]
fn a_task_that_is_refused_says_why_writes_nothing_and_counts_as_dropped() {
    let with = |change: &dyn Fn(&mut [u8; PACKET_BYTES])| {
        let mut packet = packet();
        change(&mut packet);
        task_of(packet, 16, &[1])
    };
    let mut astray = task();
    astray.roffset = 32;
    let mut beyond = task();
    beyond.roffset = 1024;
    let refused = [
        (beyond, status::BUFFER_TOO_SMALL),
        (with(&|packet| packet[0] = 3), status::BAD_TYPE),
        (astray, status::BAD_ALIGNMENT),
        (
            with(&|packet| field::KERNEL_OBJECT.write(packet, 1 << 32 | 1)),
            status::BAD_KERNEL_INDEX,
        ),
        (
            with(&|packet| packet[0] = packet_type::AGENT_DISPATCH),
            status::BAD_FUNCTION_INDEX,
        ),
        (task_of(packet(), 8, &[1]), status::BAD_KERNARG_SIZE),
        (
            with(&|packet| field::RESERVED2.write(packet, 4)),
            status::BAD_QUEUE_INDEX,
        ),
        (
            with(&|packet| field::RESERVED2.write(packet, 5)),
            status::BAD_QUEUE_SIZE,
        ),
        (
            with(&|packet| field::RESERVED2.write(packet, 6)),
            status::SHARED_REFUSED,
        ),
    ];
    for (request, code) in refused {
        let mut node = node_with_tasks(PLAIN);
        let crooked = HostQueue { size: 3, ..QUEUE };
        register(&mut node, 5, Registration::Queue(crooked));
        let shared = HostQueue {
            shared: true,
            ..QUEUE
        };
        register(&mut node, 6, Registration::Queue(shared));
        let silent = MatchEntry {
            counter: Some(CounterId(1)),
            ..large(&[MeOption::OpPut, MeOption::CtComm, MeOption::AckDisable])
        };
        append(&mut node, 1, silent);
        let response = receive(&mut node, &request).expect("a refusal is not silenced");
        assert_eq!(response.ni_fail, NiFail::Dropped);
        let told = tasks(&node)[0];
        assert_eq!((told.status, told.access), (code, access::NONE));
        assert_eq!((told.mlength, told.packet_id), (0, 0));
        assert_eq!(bytes(&node, 0, MEMORY as u64), vec![0; MEMORY], "{code}");
        assert_eq!((count(&node, 1), node.status().drop), ((0, 1), 1));
        assert_eq!(node.status().operation_violations, 0);
    }
}

#[test]
fn what_a_task_may_not_use_is_refused_before_it_is_looked_at() {
    let mut node = node_with_tasks(PLAIN);
    append(&mut node, 1, large(&[MeOption::OpGet]));
    assert_eq!(outcome(&mut node, &task()), (NiFail::OpViolation, 0));
    let mut node = node_with_tasks(PLAIN);
    let pieces = MatchEntry {
        length: 2,
        ..large(&[MeOption::OpPut, MeOption::Iovec])
    };
    append(&mut node, 1, pieces);
    assert_eq!(outcome(&mut node, &task()), (NiFail::OpViolation, 0));
    assert_eq!(node.status().operation_violations, 1);
    assert!(tasks(&node).is_empty());
    let short = Request {
        kind: RequestKind::XtqPut { command_length: 63 },
        ..task()
    };
    assert_eq!(node.receive(&short), Err(RequestError::Command(63)));
    let long = Request {
        kind: RequestKind::XtqPut { command_length: 84 },
        ..task()
    };
    assert_eq!(node.receive(&long), Err(RequestError::Command(84)));
}

#[test]
fn a_full_queue_is_exhaustion_until_its_consumer_has_moved_on() {
    let flowctrl = PortalOptions {
        flowctrl: true,
        ..PLAIN
    };
    for (options, told) in [(PLAIN, NiFail::Dropped), (flowctrl, NiFail::PtDisabled)] {
        let mut node = node_with_tasks(options);
        let counts = MatchEntry {
            counter: Some(CounterId(1)),
            ..large(&[MeOption::OpPut, MeOption::CtComm, MeOption::UseOnce])
        };
        for id in 1..5 {
            append(&mut node, id, counts.clone());
        }
        for _ in 0..2 {
            assert_eq!(outcome(&mut node, &task()), (NiFail::Ok, 83));
        }
        let ring = bytes(&node, QUEUE.base, 512);
        assert_eq!(outcome(&mut node, &task()), (told, 0));
        assert_eq!(bytes(&node, QUEUE.base, 512), ring);
        assert_eq!(node.status().drop, 1);
        assert_eq!(linked(&node, List::Priority), [4], "the match stays");
        let last: Vec<_> = events(&node).into_iter().rev().take(2).collect();
        assert_eq!(last[0].kind, EventKind::AutoUnlink);
        match options.flowctrl {
            true => {
                assert_eq!(last[1].kind, EventKind::PtDisabled);
                assert_eq!((last[1].user_ptr, last[1].detail), (None, Detail::None));
                assert_eq!(count(&node, 1), (2, 0));
                assert_eq!(outcome(&mut node, &task()), (NiFail::PtDisabled, 0));
                node.post(Command::PtEnable(PORTAL)).unwrap();
            }
            false => {
                assert_eq!(last[1].kind, EventKind::XtqPut);
                assert_eq!(tasks(&node)[2].status, status::QUEUE_FULL);
                assert_eq!(count(&node, 1), (2, 1));
            }
        }
        let read = 1u64.to_le_bytes();
        node.memory_mut()
            .write(QUEUE.read_index_address, &read)
            .unwrap();
        assert_eq!(outcome(&mut node, &task()), (NiFail::Ok, 83));
        assert_eq!(word(&node, QUEUE.doorbell_address), 2);
    }
}

#[test]
fn a_task_that_does_not_come_to_memory_leaves_a_packet_that_does_nothing() {
    let mut node = node_with_tasks(PLAIN);
    let nowhere = MatchEntry {
        start: 1 << 20,
        ..large(&[MeOption::OpPut])
    };
    append(&mut node, 1, nowhere);
    assert_eq!(outcome(&mut node, &task()), (NiFail::Segv, 0));
    let told = tasks(&node)[0];
    let seen = (told.status, told.access, told.mlength);
    assert_eq!(seen, (status::MEMORY_ERROR, access::PAYLOAD, 0));
    let slot = bytes(&node, QUEUE.base, 64);
    assert_eq!(
        (slot[0], &slot[4..]),
        (packet_type::BARRIER_AND, &[0; 60][..])
    );
    assert_eq!(word(&node, QUEUE.write_index_address), 1);
    assert_eq!(node.status().drop, 0);
}

#[test]
fn a_queue_that_failed_is_refused_until_it_is_registered_again() {
    let mut node = node_with_tasks(PLAIN);
    append(&mut node, 1, large(&[MeOption::OpPut]));
    let lost = HostQueue {
        doorbell_address: 1 << 20,
        ..QUEUE
    };
    register(&mut node, 3, Registration::Queue(lost));
    for _ in 0..2 {
        receive(&mut node, &task());
    }
    register(&mut node, 3, Registration::Queue(QUEUE));
    receive(&mut node, &task());
    let told: Vec<_> = tasks(&node)
        .iter()
        .map(|told| (told.status, told.access))
        .collect();
    let expected = [
        (status::MEMORY_ERROR, access::DOORBELL),
        (status::BAD_QUEUE_INDEX, access::NONE),
        (status::OK, access::NONE),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        node.post(Command::XtqRegister(64, Registration::Queue(QUEUE))),
        Err(Refusal::ArgInvalid)
    );
}
