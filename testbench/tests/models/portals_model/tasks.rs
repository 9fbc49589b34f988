//! XTQ puts: where they land, what becomes of them, and what is reported. The rewriting of packets and the queues have
//! tests of their own (`tests/models/golden.rs`).

mod failures;

use crate::portals_model::setup::*;
use xtq_testbench::aql::{PACKET_BYTES, field, packet_type};
use xtq_testbench::host::{Function, HostQueue, Kernel};
use xtq_testbench::portals::{
    AckRequest, Command, CounterId, Detail, EventKind, MatchEntry, MdId, MeOption,
    MemoryDescriptor, NiFail, Node, Place, PortalOptions, Refusal, Registration, Request,
    RequestKind, TaskDetail, Transfer,
};
use xtq_types::event::status;

const QUEUE: HostQueue = HostQueue {
    base: 2048,
    size: 2,
    write_index_address: 2304,
    read_index_address: 2368,
    doorbell_address: 2432,
    doorbell_plus_one: false,
    shared: false,
};
const KERNEL: Kernel = Kernel {
    kernel: 0x1111,
    kernarg_size: 16,
    rewrite_offset: 0,
    buffer_pointer: 0x2222,
    completion_signal: 0x3333,
};

fn register(node: &mut Node, index: u16, one: Registration) {
    node.post(Command::XtqRegister(index, one)).unwrap();
}

/// A node with kernel 1, function 2 and queue 3.
fn node_with_tasks(options: PortalOptions) -> Node {
    let mut node = node_with(Default::default(), options);
    register(&mut node, 1, Registration::Kernel(KERNEL));
    let function = Function {
        function: 0x4444,
        buffer_pointer: 0,
    };
    register(&mut node, 2, Registration::Function(function));
    register(&mut node, 3, Registration::Queue(QUEUE));
    node
}

/// An entry of 1,024 bytes at 1,024.
fn large(options: &[MeOption]) -> MatchEntry {
    MatchEntry {
        start: 1024,
        length: 1024,
        ..entry(options)
    }
}

/// Kernel 1 for queue 3 with 16 bytes of arguments.
fn packet() -> [u8; PACKET_BYTES] {
    let mut packet = [7; PACKET_BYTES];
    field::HEADER.write(&mut packet, packet_type::KERNEL_DISPATCH.into());
    field::KERNEL_OBJECT.write(&mut packet, 1);
    field::RESERVED2.write(&mut packet, 3);
    packet
}

fn task_of(packet: [u8; PACKET_BYTES], arguments: u16, payload: &[u8]) -> Request {
    let arguments = vec![9; usize::from(arguments)];
    let data = [&packet[..], &arguments, payload].concat();
    Request {
        kind: RequestKind::XtqPut {
            command_length: (PACKET_BYTES + arguments.len()) as u16,
        },
        ..put(0, &data)
    }
}

fn task() -> Request {
    task_of(packet(), 16, &[1, 2, 3])
}

fn word(node: &Node, address: u64) -> u64 {
    let bytes = bytes(node, address, 8);
    u64::from_le_bytes(bytes.try_into().unwrap())
}

fn tasks(node: &Node) -> Vec<TaskDetail> {
    let events = events(node).into_iter();
    let detail = |event: xtq_testbench::portals::Event| match event.detail {
        Detail::Task(detail) => Some(detail),
        _ => None,
    };
    events.filter_map(detail).collect()
}

#[test]
fn a_task_lands_rewritten_and_is_enqueued() {
    let mut node = node_with_tasks(PLAIN);
    let counts = MatchEntry {
        counter: Some(CounterId(1)),
        ..large(&[MeOption::OpPut, MeOption::CtComm, MeOption::CtBytes])
    };
    append(&mut node, 1, counts);
    let mut asked = task();
    asked.roffset = 128;
    let response = receive(&mut node, &asked).unwrap();
    let told = (response.ni_fail, response.mlength, response.moffset);
    assert_eq!(told, (NiFail::Ok, 83, 128));
    let landing = 1024 + 128;
    let landed = bytes(&node, landing, 64);
    assert_eq!(bytes(&node, QUEUE.base, 64), landed);
    assert_eq!(field::KERNEL_OBJECT.read(&landed), KERNEL.kernel);
    assert_eq!(field::KERNARG_ADDRESS.read(&landed), landing + 64);
    assert_eq!(field::RESERVED2.read(&landed), 0);
    assert_eq!(
        field::COMPLETION_SIGNAL.read(&landed),
        KERNEL.completion_signal
    );
    let arguments = [word(&node, landing + 64), word(&node, landing + 72)];
    assert_eq!(arguments, [KERNEL.buffer_pointer, landing + 80]);
    assert_eq!(bytes(&node, landing + 80, 3), [1, 2, 3]);
    assert_eq!(word(&node, QUEUE.write_index_address), 1);
    assert_eq!(word(&node, QUEUE.doorbell_address), 0);
    assert_eq!(count(&node, 1), (83, 0));
    let told = events(&node).last().copied().unwrap();
    assert_eq!((told.kind, told.user_ptr), (EventKind::XtqPut, Some(1)));
    let detail = tasks(&node)[0];
    assert_eq!((detail.start, detail.rlength), (landing, 83));
    assert_eq!((detail.mlength, detail.queue_index), (83, 3));
    assert_eq!((detail.status, detail.packet_id), (status::OK, 0));
    receive(&mut node, &asked);
    assert_eq!(tasks(&node)[1].packet_id, 1);
    assert_eq!(word(&node, QUEUE.doorbell_address), 1);
}

#[test]
fn a_kept_offset_is_moved_up_to_a_line_for_a_task_and_stays_in_the_buffer() {
    let mut node = node_with_tasks(PLAIN);
    let local = [MeOption::OpPut, MeOption::ManageLocal];
    let entry = MatchEntry {
        length: 330,
        min_free: 10,
        ..large(&local)
    };
    append(&mut node, 1, entry);
    receive(&mut node, &put(0, &[5]));
    let offset = |node: &Node| node.entries().values().next().unwrap().local_offset;
    assert_eq!(receive(&mut node, &task()).unwrap().moffset, 64);
    assert_eq!(offset(&node), 64 + 83);
    // From 192 on it would need 83 bytes of 138; then from 320 on there are 10.
    assert_eq!(receive(&mut node, &task()).unwrap().moffset, 192);
    let response = receive(&mut node, &task()).unwrap();
    assert_eq!(
        (response.ni_fail, response.moffset),
        (NiFail::Dropped, 0),
        "it is not cut"
    );
    let told = tasks(&node)[2];
    let seen = (told.status, told.mlength, told.start);
    assert_eq!(seen, (status::BUFFER_TOO_SMALL, 0, 1024 + 320));
    assert_eq!(kinds(&node).last(), Some(&(EventKind::AutoUnlink, 1)));
    // From 128 on there is nothing of 100 bytes, and then nothing is left: the end is reported to the next message.
    let mut node = node_with_tasks(PLAIN);
    let short = MatchEntry {
        length: 100,
        ..large(&local)
    };
    append(&mut node, 1, short);
    receive(&mut node, &put(0, &[5; 70]));
    assert_eq!(outcome(&mut node, &task()), (NiFail::Dropped, 0));
    let behind = receive(&mut node, &put(0, &[5])).unwrap();
    assert_eq!((behind.mlength, behind.moffset), (0, 100));
    let fits = [MeOption::OpPut, MeOption::ManageLocal, MeOption::NoTruncate];
    let exact = MatchEntry {
        length: 64 + 83,
        ..large(&fits)
    };
    for (length, taken) in [(64 + 83, true), (64 + 82, false)] {
        let mut node = node_with_tasks(PLAIN);
        let entry = MatchEntry {
            length,
            ..exact.clone()
        };
        append(&mut node, 1, entry);
        receive(&mut node, &put(0, &[5]));
        receive(&mut node, &task());
        assert_eq!(tasks(&node).len(), usize::from(taken));
    }
}

#[test]
fn an_unexpected_task_is_launched_at_once_and_its_header_tells_how_it_ended() {
    let mut node = node_with_tasks(PLAIN);
    append_overflow(&mut node, 1, large(&[MeOption::OpPut]));
    receive(&mut node, &task());
    let mut wrong = task();
    wrong.roffset = 8;
    receive(&mut node, &wrong);
    assert_eq!(
        (word(&node, QUEUE.write_index_address), headers(&node)),
        (1, 2)
    );
    let taker = MatchEntry {
        counter: Some(CounterId(1)),
        ..entry(&[MeOption::CtOverflow])
    };
    append(&mut node, 2, taker);
    let told = details(&node);
    assert_eq!((told[0].start, told[0].mlength), (1024, 83));
    assert_eq!((told[1].start, told[1].mlength), (1032, 0));
    let overflow: Vec<_> = events(&node)
        .into_iter()
        .filter(|event| event.kind == EventKind::PutOverflow)
        .map(|event| event.ni_fail)
        .collect();
    assert_eq!(overflow, [NiFail::Ok, NiFail::Dropped]);
    assert_eq!(count(&node, 1), (1, 1));
}

#[test]
fn a_task_is_gathered_from_two_descriptors_which_stay_until_it_is_answered() {
    let mut node = node();
    bind(&mut node, &[]);
    let payload = MemoryDescriptor {
        start: 3000,
        length: 10,
        ..MemoryDescriptor::default()
    };
    node.post(Command::MdBind(MdId(2), payload)).unwrap();
    node.memory_mut().write(512, &[3; 64]).unwrap();
    node.memory_mut().write(3000, &[4; 10]).unwrap();
    let place = |md, offset| {
        Some(Place {
            md: MdId(md),
            offset,
        })
    };
    let task = Transfer {
        kind: RequestKind::XtqPut { command_length: 64 },
        payload: place(2, 1),
        ack: AckRequest::Ack,
        ..send(0, 9)
    };
    let post = |node: &mut Node, task: &Transfer| node.post(Command::Transfer(task.clone()));
    post(&mut node, &task).unwrap();
    let sent = node.take_sent();
    assert_eq!(sent[0].data, [vec![3; 64], vec![4; 9]].concat());
    assert_eq!((sent[0].rlength, sent[0].check()), (73, Ok(())));
    let told = node.queue(MD_EVENTS).unwrap().events().next().unwrap();
    assert!(matches!(told.detail, Detail::Initiator(detail) if detail.mlength == 73));
    for md in [1, 2] {
        assert_eq!(node.post(Command::MdRelease(MdId(md))), Err(Refusal::InUse));
    }
    let none = Transfer {
        payload: place(9, 0),
        length: 0,
        ..task.clone()
    };
    assert_eq!(post(&mut node, &none), Ok(()), "it has none");
    let wrong = [
        Transfer {
            kind: RequestKind::XtqPut { command_length: 63 },
            ..task.clone()
        },
        Transfer {
            from: place(1, 1),
            ..task.clone()
        },
        Transfer {
            payload: place(2, 2),
            ..task.clone()
        },
        Transfer {
            payload: None,
            ..task.clone()
        },
        Transfer {
            payload: place(2, 0),
            ..send(0, 9)
        },
    ];
    for task in wrong {
        assert_eq!(post(&mut node, &task), Err(Refusal::ArgInvalid), "{task:?}");
    }
}
