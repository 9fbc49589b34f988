//! The performance contract, in exact cycles.

use crate::fixture::*;
use xtq_testbench::bus::{MemoryTiming, WriteRecord};
use xtq_testbench::node::{Buffer, Message, Node, NodeConfig};
use xtq_testbench::tables::HostQueue;

/// A node with a queue of 256 packets, after one message has filled the caches; and the writes so far.
fn warm(timing: MemoryTiming) -> (Node, usize) {
    let mut node = Node::new(&NodeConfig {
        timing,
        ..NodeConfig::default()
    })
    .unwrap();
    set_up(&mut node, 0);
    let queue = HostQueue {
        size: 256,
        ..queue(QUEUE)
    };
    node.create_queue(0, &queue);
    node.register_queue(0, QUEUE, queue).unwrap();
    let mut config = xtq_testbench::node::ContextConfig::default();
    config.events.1 = 1024;
    node.open_context(0, &config).unwrap();
    node.send(&kernel_message(0, 64));
    node.run_to_quiescence(10_000).unwrap();
    let writes = node.memory.log().len();
    (node, writes)
}

/// The smallest XTQ message: packet, 64 bytes of arguments, 64 bytes of payload; no acknowledgement.
fn smallest(id: u16) -> Message {
    Message {
        ack_request: 0,
        ..kernel_message(id, 64)
    }
}

#[test]
fn the_doorbell_leaves_at_most_24_cycles_behind_the_last_beat() {
    let (mut node, writes) = warm(MemoryTiming::ideal());
    node.send(&smallest(1));
    node.run_to_quiescence(1_000).unwrap();
    let last_beat = *node.received_beats().last().unwrap();
    let doorbell = queue(QUEUE).doorbell_address;
    let log = &node.memory.log()[writes..];
    let rung = log.iter().find(|record| record.writes(doorbell)).unwrap();
    let latency = rung.w_cycle - last_beat;
    assert!(
        latency <= 24,
        "{latency} cycles; {:#?}",
        node.timelines().last()
    );
}

/// Share of the cycles in which the write channel moves data, in the middle of a run; and beats a message.
fn write_channel(timing: MemoryTiming, messages: u16) -> (f64, f64) {
    let (mut node, writes) = warm(timing);
    for id in 1..=messages {
        node.send(&smallest(id));
    }
    node.run_to_quiescence(50_000).unwrap();
    let log: &[WriteRecord] = &node.memory.log()[writes..];
    let mut cycles: Vec<u64> = log.iter().map(|record| record.w_cycle).collect();
    cycles.sort_unstable();
    let (first, last) = (cycles.len() / 3, cycles.len() * 2 / 3);
    let busy = (last - first) as f64 / (cycles[last] - cycles[first]) as f64;
    (busy, cycles.len() as f64 / f64::from(messages))
}

#[test]
fn smallest_messages_keep_the_write_channel_busy_when_b_comes_at_once() {
    let (busy, beats) = write_channel(MemoryTiming::ideal(), 60);
    assert!(busy >= 0.95, "busy {busy:.3}");
    assert!(beats <= 8.0, "{beats:.2} beats a message");
}

#[test]
fn smallest_messages_keep_the_write_channel_busy_when_b_comes_after_200_cycles() {
    let (busy, beats) = write_channel(MemoryTiming::fixed_write(200), 200);
    assert!(busy >= 0.95, "busy {busy:.3}");
    assert!(beats <= 8.0, "{beats:.2} beats a message");
}

/// Cycles between the first and the last beat of puts of one full packet each, beyond one a beat.
fn stall_cycles(start: u64) -> u64 {
    let (mut node, _) = warm(MemoryTiming::ideal());
    let silent = Buffer {
        event_success: false,
        event_failure: false,
        ..Buffer::new(start, 1 << 20)
    };
    node.post_buffer(0, 1, &silent).unwrap();
    let before = node.received_beats().len();
    for id in 1..=6 {
        node.send(&Message {
            portal_index: 1,
            ..Message::put(id, pattern(4096, id.into()))
        });
    }
    node.run_to_quiescence(5_000).unwrap();
    let beats = &node.received_beats()[before..];
    assert_eq!(beats.len(), 6 * 65);
    beats[beats.len() - 1] - beats[0] - (beats.len() as u64 - 1)
}

#[test]
fn full_puts_come_in_at_a_beat_a_cycle() {
    assert_eq!(stall_cycles(BUFFER), 0, "aligned");
    assert_eq!(stall_cycles(BUFFER + 37), 0, "misaligned");
}

#[test]
fn a_warm_message_hits_in_both_tables() {
    let (mut node, _) = warm(MemoryTiming::ideal());
    node.send(&smallest(1));
    node.run_to_quiescence(1_000).unwrap();
    let lines = node.timelines();
    assert!(!lines[0].task_hit && !lines[0].queue_hit);
    assert!(lines[1].task_hit && lines[1].queue_hit);
}
