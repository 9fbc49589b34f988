//! A write to a queue fails while messages to it and to another queue are after it: what reaches memory, doorbells,
//! events.

use crate::fixture::*;
use xtq_testbench::bus::{Access, ErrorResponse, Fault, MemoryTiming, WriteRecord};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{Ack, GpuTiming, Message, Node, NodeConfig};
use xtq_testbench::tables::HostQueue;
use xtq_testbench::tables::format::EVENT;
use xtq_types::event::{access, status};
use xtq_types::wire_header::ni_fail;

const OTHER: u16 = QUEUE + 1;
const OK: (u8, u8) = (status::OK, access::NONE);
const CLOSED: (u8, u8) = (status::BAD_QUEUE_INDEX, access::NONE);
const UNRUNG: (u8, u8) = (status::MEMORY_ERROR, access::DOORBELL);
/// The queues of six messages that are sent without a pause; the first write to the queue `QUEUE` fails.
const SENT: [u16; 6] = [QUEUE, QUEUE, OTHER, QUEUE, OTHER, QUEUE];

/// First word of a packet: its header and setup.
fn first_word(node: &Node, queue: &HostQueue, id: u64) -> u32 {
    node.memory.memory(0).read_u64(queue.base + 64 * id) as u32
}

fn writes(node: &Node, which: impl Fn(&WriteRecord) -> bool) -> usize {
    let log = node.memory.log().iter();
    log.filter(|record| record.visible_cycle.is_some() && which(record))
        .count()
}

/// The node after the six messages, the last of them `pause` cycles after the others, with one failed write: the first
/// to the line of `address` after `spared` others. Status and access of each message.
fn delivered(address: u64, spared: u32, pause: u64) -> (Node, Vec<(u8, u8)>) {
    let timing = MemoryTiming::fixed_write(100);
    let mut node = Node::new(&NodeConfig {
        timing,
        ..NodeConfig::default()
    })
    .unwrap();
    set_up(&mut node, 0);
    node.create_queue(0, &queue(OTHER));
    node.register_queue(0, OTHER, queue(OTHER)).unwrap();
    for id in [QUEUE, OTHER] {
        node.attach_gpu(0, &queue(id), GpuTiming::default())
            .unwrap();
    }
    let fault = Fault {
        context: Some(0),
        addresses: address..=address + 3,
        access: Access::Write,
        response: ErrorResponse::SlaveError,
        code: 5,
        count: Some(1),
    };
    node.memory.inject_after(fault, spared);
    let start = node.cycle_count();
    for (id, queue) in (1..).zip(SENT) {
        let packet = kernel_packet(KERNEL, queue.into());
        let arguments = pattern(KERNEL_ARGUMENTS, 1);
        let message = Message {
            ack_request: 1,
            ..Message::xtq(id, &packet, &arguments, &pattern(30, id.into()))
        };
        let delay = if id == 6 { pause } else { 0 };
        node.send_at(start + delay, &message);
    }
    node.run_to_quiescence(20_000).unwrap();
    let events = node.take_events(0).unwrap();
    assert_eq!(events.len(), SENT.len(), "an event a message");
    let mut outcomes = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let get = |name| EVENT.get(event, name) as u8;
        assert_eq!(get("queue_index"), SENT[i] as u8, "in order");
        let ack = Ack::decode(&node.transmitted()[i]).unwrap();
        assert_eq!(ack.status, get("status"));
        let told = match ack.status {
            status::OK => ni_fail::OK,
            status::MEMORY_ERROR => ni_fail::SEGV,
            _ => ni_fail::DROPPED,
        };
        assert_eq!(ack.ni_fail, told);
        outcomes.push((get("status"), get("access")));
    }
    (node, outcomes)
}

/// The other queue has run both its messages, and takes more; the failed one has run `run`, and takes none until it is
/// set up again.
fn goes_on(node: &mut Node, run: usize) {
    let count = |node: &Node| {
        node.gpus()
            .iter()
            .map(|gpu| gpu.runs().len())
            .collect::<Vec<_>>()
    };
    assert_eq!(count(node), [run, 2]);
    assert!(node.gpus().iter().all(|gpu| gpu.error().is_none()));
    let bell = queue(OTHER).doorbell_address;
    assert_eq!(
        node.memory.memory(0).read_u64(bell),
        1,
        "the last id is rung"
    );
    let mut expected = status::BAD_QUEUE_INDEX;
    for id in [8, 9] {
        node.send(&kernel_message(id, 30));
        node.run_to_quiescence(20_000).unwrap();
        let events = node.take_events(0).unwrap();
        assert_eq!(EVENT.get(&events[0], "status"), u64::from(expected));
        node.create_queue(0, &queue(QUEUE));
        node.register_queue(0, QUEUE, queue(QUEUE)).unwrap();
        expected = status::OK;
    }
}

#[test]
fn behind_a_slot_or_index_that_failed_no_packet_of_the_queue_is_published() {
    let queue = queue(QUEUE);
    let places = [
        (queue.base, access::SLOT),
        (queue.write_index_address, access::INDEX),
    ];
    for (address, code) in places {
        let (mut node, outcomes) = delivered(address, 0, 0);
        let failed = (status::MEMORY_ERROR, code);
        assert_eq!(outcomes, [failed, CLOSED, OK, CLOSED, OK, CLOSED]);
        let header =
            |r: &WriteRecord| r.strobes == 0xf && (queue.base..queue.base + 512).contains(&r.line);
        assert_eq!(writes(&node, header), 0, "header words");
        assert_eq!(writes(&node, |r| r.writes(queue.doorbell_address)), 0);
        assert!(
            (0..4).all(|id| first_word(&node, &queue, id) == 1),
            "INVALID"
        );
        goes_on(&mut node, 0);
    }
}

#[test]
fn behind_a_header_word_that_failed_the_queue_is_not_rung() {
    let queue = queue(QUEUE);
    let (mut node, outcomes) = delivered(queue.base, 1, 0);
    let failed = (status::MEMORY_ERROR, access::HEADER);
    // Their header words were under way: published, not rung.
    assert_eq!(outcomes, [failed, UNRUNG, OK, UNRUNG, OK, UNRUNG]);
    assert!((1..4).all(|id| first_word(&node, &queue, id) != 1));
    assert_eq!(writes(&node, |r| r.writes(queue.doorbell_address)), 0);
    assert_eq!(first_word(&node, &queue, 0), 1, "INVALID");
    goes_on(&mut node, 0);
}

#[test]
fn behind_a_doorbell_that_failed_only_what_was_rung_before_it_was_told_is_published() {
    let queue = queue(QUEUE);
    // The last message's header word is acknowledged after the doorbell's failure, or is not written.
    for (pause, last) in [(200, UNRUNG), (260, CLOSED)] {
        let (mut node, outcomes) = delivered(queue.doorbell_address, 0, pause);
        assert_eq!(outcomes, [UNRUNG, OK, OK, OK, OK, last]);
        let rung = writes(&node, |r| r.writes(queue.doorbell_address));
        assert_eq!(rung, 2);
        let published = last == UNRUNG;
        assert_eq!(first_word(&node, &queue, 3) != 1, published);
        // The doorbells that came through announce the packet of the one that did not.
        goes_on(&mut node, 3);
    }
}
