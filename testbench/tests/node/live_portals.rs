//! The host sets portal entries up while messages for them keep coming.

use crate::fixture::*;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::node::{Ack, Buffer, ContextConfig, Message, Node, NodeConfig};
use xtq_testbench::tables::HostQueue;
use xtq_testbench::tables::format::EVENT;
use xtq_types::event::status;

/// Bytes that [`kernel_message`] takes with no payload.
const STEP: u64 = 128;

/// A node whose queue takes 256 packets and its event ring 128 events, without a receive buffer.
fn new(timing: MemoryTiming) -> Node {
    let mut node = Node::new(&NodeConfig {
        timing,
        ..NodeConfig::default()
    })
    .unwrap();
    set_up(&mut node, 0);
    let mut places = ContextConfig::default();
    places.events.1 = 128;
    node.open_context(0, &places).unwrap();
    let queue = HostQueue {
        size: 256,
        ..queue(QUEUE)
    };
    node.create_queue(0, &queue);
    node.register_queue(0, QUEUE, queue).unwrap();
    node.disable_portal(0, 0).unwrap();
    node
}

/// Status of every message, and where the delivered ones landed, in order.
fn results(node: &mut Node) -> (Vec<u8>, Vec<u64>) {
    node.run_to_quiescence(20_000).unwrap();
    let acks = node.transmitted();
    let statuses = acks.iter().map(|ack| Ack::decode(ack).unwrap().status);
    let events = node.take_events(0).unwrap();
    let starts = events.iter().map(|event| EVENT.get(event, "start"));
    (statuses.collect(), starts.collect())
}

#[test]
fn an_entry_is_enabled_at_once_however_many_messages_it_refuses() {
    let mut node = new(MemoryTiming::ideal());
    const MESSAGES: u16 = 60;
    for id in 0..MESSAGES {
        node.send(&kernel_message(id, 0));
    }
    node.run_until(|node| node.trace().records().len() > 20, 1_000)
        .unwrap();
    let before = node.cycle_count();
    node.enable_portal(0, 0).unwrap();
    let cycles = node.cycle_count() - before;
    assert!(cycles < 30, "the host waits {cycles} cycles");
    let (statuses, starts) = results(&mut node);
    assert_eq!(statuses.len(), usize::from(MESSAGES));
    let refused = statuses
        .iter()
        .take_while(|s| **s == status::PT_DISABLED)
        .count();
    assert!((1..40).contains(&refused), "{refused} refused");
    assert!(statuses[refused..].iter().all(|s| *s == status::OK));
    let landings = (0..).map(|n| BUFFER + STEP * n);
    assert!(
        landings
            .zip(&starts)
            .all(|(expected, start)| expected == *start)
    );
    assert_eq!(starts.len(), statuses.len() - refused);
}

#[test]
fn a_buffer_that_is_posted_under_traffic_fills_from_its_beginning() {
    let mut node = new(MemoryTiming::ideal());
    const MESSAGES: u16 = 90;
    for id in 0..MESSAGES {
        node.send(&kernel_message(id, 0));
    }
    let buffer = |number: u64| Buffer::new(BUFFER + number * 0x1_0000, 0x1_0000);
    for number in 0..3 {
        node.post_buffer(0, 0, &buffer(number)).unwrap();
        for _ in 0..40 + 7 * number {
            node.cycle().unwrap();
        }
    }
    let (statuses, starts) = results(&mut node);
    assert_eq!(statuses.len(), usize::from(MESSAGES));
    let other = |s: &&u8| ![status::OK, status::PT_DISABLED].contains(*s);
    assert_eq!(statuses.iter().find(other), None);
    let delivered = statuses.iter().filter(|s| **s == status::OK).count();
    assert_eq!(delivered, starts.len());
    let mut expected = Vec::new();
    for number in 0..3 {
        let first = buffer(number).start;
        let inside = |start: &&u64| (first..first + 0x1_0000).contains(*start);
        let here = starts.iter().filter(inside);
        let count = here.count() as u64;
        assert!(count > 0, "nothing in buffer {number}");
        expected.extend((0..count).map(|n| first + STEP * n));
    }
    assert_eq!(starts, expected);
}

#[test]
fn a_message_that_was_let_in_commits_before_its_entry_is_set_up_anew() {
    let timing = MemoryTiming {
        read_latency: 150..=150,
        ..MemoryTiming::ideal()
    };
    let mut node = new(timing);
    node.enable_portal(0, 0).unwrap();
    // The first message to the queue waits for two reads in Admission, after the reads of its table entries.
    node.send(&kernel_message(0, 0));
    for _ in 0..250 {
        node.cycle().unwrap();
    }
    assert_eq!(node.trace().under_way(), 0, "it is being decided");
    let next = Buffer::new(BUFFER + BUFFER_BYTES, 2 * STEP);
    node.post_buffer(0, 0, &next).unwrap();
    for id in 1..4 {
        node.send(&Message {
            ack_request: 1,
            ..kernel_message(id, 0)
        });
    }
    let (statuses, starts) = results(&mut node);
    let (ok, small) = (status::OK, status::BUFFER_TOO_SMALL);
    assert_eq!(statuses, [ok, ok, ok, small]);
    assert_eq!(starts[..3], [BUFFER, next.start, next.start + STEP]);
}
