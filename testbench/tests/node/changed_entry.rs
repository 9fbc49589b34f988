//! The host changes table entries while messages come: what is decided after the answer to TABLE_INVALIDATE has the new
//! entry.

use crate::fixture::*;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{Ack, Buffer, Message, Node, NodeConfig, Trace};
use xtq_testbench::tables::HostQueue;
use xtq_types::event::status;

/// Context whose messages hold those of context 0 up.
const OTHER: u8 = 2;
/// So many of them fill the queue after admission.
const HELD: u16 = 9;
/// Packets that the new queue has seen.
const SEEN: u64 = 3;

/// The queue that takes the place of `queue(QUEUE)`: ring, indices and doorbell lie elsewhere.
fn new_queue(node: &mut Node) -> HostQueue {
    let queue = queue(QUEUE + 1);
    node.create_queue(0, &queue);
    for index in [queue.write_index_address, queue.read_index_address] {
        node.memory.memory_mut(0).write_u64(index, SEEN);
    }
    queue
}

/// A node whose memory takes writes slowly, with messages of another context in the pipeline that admission waits for,
/// and `messages` after them, which have looked their entries up.
fn held_up(messages: &[Message]) -> Node {
    held_up_behind(HELD, messages)
}

/// The same after `others` messages, so that the first one may be in a step of its decision.
fn held_up_behind(others: u16, messages: &[Message]) -> Node {
    let mut node = Node::new(&NodeConfig {
        timing: MemoryTiming {
            bandwidth: (1, 32),
            ..MemoryTiming::ideal()
        },
        ..NodeConfig::default()
    })
    .unwrap();
    set_up(&mut node, 0);
    set_up(&mut node, OTHER);
    // The queue is open, all entries are in the cache.
    node.send(&kernel_message(1, 0));
    node.run_to_quiescence(20_000).unwrap();
    for id in 0..others {
        node.send(&Message {
            target_context: OTHER,
            ..Message::put(100 + id, pattern(2048, 1))
        });
    }
    for message in messages {
        node.send(message);
    }
    for _ in 0..400 {
        node.cycle().unwrap();
    }
    assert!(node.all_received());
    for message in messages {
        assert!(parsed(&node, message.message_id));
        if others >= HELD {
            assert_eq!(admitted(&node, message.message_id), None);
        }
    }
    node
}

/// Whether the head of message `id` went to the lookup stage.
fn parsed(node: &Node, id: u16) -> bool {
    let mut records = node.trace().records().iter();
    records
        .any(|(_, record)| matches!(record, Trace::Parsed { message_id, .. } if *message_id == id))
}

/// The host does as the guide says: disables the entry of `queue(QUEUE)` and `BUFFER`, waits for the events of what was
/// admitted before the answer, and takes both back. What comes to their memory then.
fn taken_back(node: &mut Node) -> Vec<u64> {
    let old = queue(QUEUE);
    node.disable_portal(0, 0).unwrap();
    let let_in = node.trace().records().iter().filter(|(_, record)| {
        matches!(record, Trace::Admitted { message_id, status: status::OK, .. } if *message_id < 100)
    });
    let (let_in, mut events) = (let_in.count(), 0);
    for _ in 0..5_000 {
        events += node.take_events(0).unwrap().len();
        if events == let_in {
            break;
        }
    }
    assert_eq!(events, let_in);
    let writes = node.memory.log().len();
    let new = new_queue(node);
    node.register_queue(0, QUEUE, new).unwrap();
    node.post_buffer(0, 0, &Buffer::new(BUFFER + BUFFER_BYTES, BUFFER_BYTES))
        .unwrap();
    node.send(&kernel_message(3, 0));
    node.run_to_quiescence(50_000).unwrap();
    let indices = [
        old.write_index_address,
        old.read_index_address,
        old.doorbell_address,
    ];
    let written = node.memory.log()[writes..].iter();
    written
        .filter(|record| record.context == 0)
        .map(|record| record.line)
        .filter(|line| {
            (old.base..old.base + 512).contains(line)
                || (BUFFER..BUFFER + BUFFER_BYTES).contains(line)
                || indices.contains(line)
        })
        .collect()
}

/// The cycle in which message `id` of context 0 was decided about.
fn admitted(node: &Node, id: u16) -> Option<u64> {
    let mut records = node.trace().records().iter();
    records.find_map(|(cycle, record)| match record {
        Trace::Admitted { message_id, .. } if *message_id == id => Some(*cycle),
        _ => None,
    })
}

/// Number and status of each message that was acknowledged.
fn told(node: &mut Node) -> Vec<(u16, u8)> {
    node.run_to_quiescence(50_000).unwrap();
    let acks = node.transmitted();
    let acks = acks.iter().map(|ack| Ack::decode(ack).unwrap());
    acks.map(|ack| (ack.message_id, ack.status)).collect()
}

#[test]
fn a_queue_taken_back_by_the_book_gets_nothing_of_a_message_that_had_looked_it_up() {
    let old = queue(QUEUE);
    let mut node = held_up(&[kernel_message(2, 0)]);
    let writes = node.memory.log().len();
    node.disable_portal(0, 0).unwrap();
    // Every event there will be is there.
    assert_eq!(node.take_events(0).unwrap().len(), 1);
    let new = new_queue(&mut node);
    node.register_queue(0, QUEUE, new).unwrap();
    node.enable_portal(0, 0).unwrap();
    node.send(&kernel_message(3, 0));
    let told = told(&mut node);
    let written = node.memory.log()[writes..].iter();
    let to_old = |line: &u64| {
        (old.base..old.base + 512).contains(line)
            || [
                old.write_index_address,
                old.read_index_address,
                old.doorbell_address,
            ]
            .contains(line)
    };
    let astray: Vec<u64> = written.map(|record| record.line).filter(to_old).collect();
    assert_eq!(astray, [0u64; 0], "written to the old queue");
    let expected = [(1, status::OK), (2, status::PT_DISABLED), (3, status::OK)];
    assert_eq!(told, expected);
    let memory = node.memory.memory(0);
    assert_eq!(memory.read_u64(new.write_index_address), SEEN + 1);
    assert_eq!(memory.read_u64(new.doorbell_address), SEEN);
    assert_eq!(memory.read_u64(new.base + 64 * SEEN) as u16, 0x1402);
}

#[test]
fn a_kernel_that_is_changed_under_traffic_is_the_old_one_up_to_the_answer_and_the_new_one_behind_it()
 {
    let mut node = held_up(&[kernel_message(2, 0), kernel_message(3, 0)]);
    let size = KERNEL_ARGUMENTS as u32;
    let new = KERNEL_OBJECT + 0x1000;
    node.register_kernel(0, KERNEL as u16, TARGET_BUFFER, size, 0, KERNEL_SIGNAL, new)
        .unwrap();
    let answered = node.cycle_count();
    for id in [2, 3] {
        assert!(admitted(&node, id).is_some_and(|cycle| cycle < answered));
    }
    node.send(&kernel_message(4, 0));
    assert_eq!(told(&mut node), [1, 2, 3, 4].map(|id| (id, status::OK)));
    let kernel = |id: u64| {
        node.memory
            .memory(0)
            .read_u64(queue(QUEUE).base + 64 * id + 32)
    };
    let kernels: Vec<u64> = (0..4).map(kernel).collect();
    assert_eq!(kernels, [KERNEL_OBJECT, KERNEL_OBJECT, KERNEL_OBJECT, new]);
}

#[test]
fn the_host_goes_on_when_it_invalidates_the_queue_of_a_message_that_is_being_decided() {
    let timing = MemoryTiming {
        read_latency: 150..=150,
        ..MemoryTiming::ideal()
    };
    let mut node = Node::new(&NodeConfig {
        timing,
        ..NodeConfig::default()
    })
    .unwrap();
    set_up(&mut node, 0);
    // The message to the queue waits for two reads in admission, after the reads of its table entries.
    node.send(&kernel_message(1, 0));
    for _ in 0..250 {
        node.cycle().unwrap();
    }
    assert_eq!(node.trace().under_way(), 0, "it is being decided");
    node.register_queue(0, QUEUE, queue(QUEUE)).unwrap();
    assert!(admitted(&node, 1).is_some());
    node.send(&kernel_message(2, 0));
    let closed = (1, status::BAD_QUEUE_INDEX);
    assert_eq!(told(&mut node), [closed, (2, status::OK)]);
}

#[test]
fn a_queue_and_a_buffer_taken_back_while_a_message_waits_for_the_queue_get_nothing_more_of_it() {
    let timing = MemoryTiming {
        read_latency: 150..=150,
        ..MemoryTiming::ideal()
    };
    let config = NodeConfig {
        timing,
        ..NodeConfig::default()
    };
    let mut node = Node::new(&config).unwrap();
    set_up(&mut node, 0);
    // The message waits for the queue's indices in admission.
    node.send(&kernel_message(1, 100));
    for _ in 0..250 {
        node.cycle().unwrap();
    }
    assert!(parsed(&node, 1));
    assert_eq!(admitted(&node, 1), None);
    assert_eq!(taken_back(&mut node), [0u64; 0]);
    assert_eq!(told(&mut node), [(1, status::OK), (3, status::OK)]);
}

#[test]
fn a_queue_and_a_buffer_taken_back_while_a_message_waits_for_room_get_nothing_more_of_it() {
    let mut decided = Vec::new();
    for others in 0..=HELD {
        let plain = Message {
            ack_request: 1,
            ..Message::put(4, pattern(100, 1))
        };
        for message in [kernel_message(2, 100), plain] {
            let mut node = held_up_behind(others, std::slice::from_ref(&message));
            decided.push(admitted(&node, message.message_id).is_some());
            assert_eq!(taken_back(&mut node), [0u64; 0], "behind {others} messages");
        }
    }
    assert!(decided.contains(&true) && decided.contains(&false));
}

#[test]
fn nothing_is_let_in_behind_the_answer_to_a_disabling_whatever_cycle_it_comes_in() {
    let (mut let_in, mut refused) = (0, 0);
    for (warm, wait) in (0..2).flat_map(|warm| (0..60).map(move |wait| (warm == 1, wait))) {
        let mut node = Node::new(&NodeConfig::default()).unwrap();
        set_up(&mut node, 0);
        if warm {
            node.send(&kernel_message(1, 0));
            node.run_to_quiescence(20_000).unwrap();
        }
        for id in [10, 20, 30] {
            let body = pattern(100, 1);
            node.send(&Message {
                ack_request: 1,
                ..Message::put(id, body)
            });
            node.send(&kernel_message(id + 1, 100));
        }
        for _ in 0..2 * wait {
            node.cycle().unwrap();
        }
        node.disable_portal(0, 0).unwrap();
        let answered = node.cycle_count();
        let told = told(&mut node);
        for id in [10, 11, 20, 21, 30, 31] {
            let decided = admitted(&node, id).unwrap();
            let status = told.iter().find(|told| told.0 == id).unwrap().1;
            let place = format!("message {id}, warm {warm}, after {} cycles", 2 * wait);
            if status == status::OK {
                assert!(decided < answered, "{place}");
                let_in += 1;
            } else {
                assert_eq!(status, status::PT_DISABLED, "{place}");
                refused += 1;
            }
        }
    }
    assert!(
        let_in > 50 && refused > 50,
        "{let_in} let in, {refused} refused"
    );
}

#[test]
fn a_queue_that_is_registered_under_traffic_takes_every_message_from_the_first_one_on() {
    const MESSAGES: u16 = 60;
    for wait in 0..40 {
        let mut node = Node::new(&NodeConfig::default()).unwrap();
        set_up(&mut node, 0);
        let queue = HostQueue {
            size: 64,
            ..queue(QUEUE + 1)
        };
        node.create_queue(0, &queue);
        for id in 0..MESSAGES {
            let mut message = kernel_message(id, 0);
            message.body[..64].copy_from_slice(&kernel_packet(KERNEL, (QUEUE + 1).into()));
            node.send(&message);
        }
        for _ in 0..60 + wait {
            node.cycle().unwrap();
        }
        node.register_queue(0, QUEUE + 1, queue).unwrap();
        let told = told(&mut node);
        assert_eq!(told.len(), usize::from(MESSAGES));
        let refused = told.iter().take_while(|told| told.1 != status::OK).count();
        let (refused, taken) = told.split_at(refused);
        assert!(refused.iter().all(|told| told.1 == status::BAD_QUEUE_INDEX));
        assert!(taken.iter().all(|told| told.1 == status::OK));
        assert!(
            !refused.is_empty() && !taken.is_empty(),
            "after {wait} cycles"
        );
        let memory = node.memory.memory(0);
        let last = memory.read_u64(queue.write_index_address) - 1;
        assert_eq!(last, taken.len() as u64 - 1, "after {wait} cycles");
        assert_eq!(memory.read_u64(queue.doorbell_address), last);
    }
}
