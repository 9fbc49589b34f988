//! Input that is wrong: each is reported by name, changes nothing, and the next good message goes through.

use crate::fixture::*;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{Ack, Buffer, Message, NodeConfig};
use xtq_testbench::tables::HostQueue;
use xtq_testbench::tables::format::{EVENT, WIRE};
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

/// The message ends with this status and without a task, and the next good one is enqueued.
fn refused(checked: &mut Checked, message: &Message, status: u8) {
    let outcome = deliver(checked, message).expect("the message gets as far as admission");
    assert_eq!(outcome.status, status);
    assert_eq!(outcome.task, None);
    assert!(outcome.event.is_some(), "a failure posts an event");
    good(checked);
}

/// The packets are dropped without a trace, and the next good message is enqueued.
fn dropped(checked: &mut Checked, packets: &[Vec<u8>]) {
    assert_eq!(deliver_packets(checked, packets), None);
    good(checked);
}

fn good(checked: &mut Checked) {
    drain(&mut checked.node, 0, &queue(QUEUE));
    let outcome = deliver(checked, &kernel_message(900, 30)).unwrap();
    assert_eq!(outcome.status, status::OK);
    assert!(outcome.task.is_some());
}

fn new() -> Checked {
    checked(&NodeConfig::default())
}

/// A kernel message with other bytes in its AQL packet.
fn with_packet(id: u16, packet: [u8; 64]) -> Message {
    let mut message = kernel_message(id, 30);
    message.body[..64].copy_from_slice(&packet);
    message
}

#[test]
fn a_packet_type_other_than_2_or_4_is_refused() {
    let mut checked = new();
    for kind in [0, 1, 3, 5, 6, 255] {
        let mut packet = kernel_packet(KERNEL, QUEUE.into());
        packet[0] = kind;
        refused(
            &mut checked,
            &with_packet(kind.into(), packet),
            status::BAD_TYPE,
        );
    }
}

/// Not registered, one past the table, far past it, and past 32 and 63 bits with good low bits.
fn wrong_indices(good: u64) -> [u64; 6] {
    [
        7,
        64,
        65_535,
        1 << 16 | good,
        1 << 32 | good,
        1 << 63 | good,
    ]
}

#[test]
fn every_wrong_kernel_index_is_refused() {
    let mut checked = new();
    for index in wrong_indices(KERNEL) {
        let message = with_packet(1, kernel_packet(index, QUEUE.into()));
        refused(&mut checked, &message, status::BAD_KERNEL_INDEX);
    }
}

#[test]
fn every_wrong_function_index_is_refused() {
    let mut checked = new();
    for index in wrong_indices(FUNCTION) {
        let mut message = agent_message(1, 30);
        message.body[..64].copy_from_slice(&agent_packet(index, QUEUE.into()));
        refused(&mut checked, &message, status::BAD_FUNCTION_INDEX);
    }
}

#[test]
fn every_wrong_queue_index_is_refused() {
    let mut checked = new();
    for index in wrong_indices(QUEUE.into()) {
        let message = with_packet(1, kernel_packet(KERNEL, index));
        refused(&mut checked, &message, status::BAD_QUEUE_INDEX);
    }
}

#[test]
fn a_command_length_that_disagrees_with_kernarg_size_is_refused() {
    let mut checked = new();
    let packet = kernel_packet(KERNEL, QUEUE.into());
    for size in [0, 56, 63, 65, 72, 128] {
        let message = Message::xtq(1, &packet, &pattern(size, 1), &pattern(90, 2));
        refused(&mut checked, &message, status::BAD_KERNARG_SIZE);
    }
    let agent = Message::xtq(
        1,
        &agent_packet(FUNCTION, QUEUE.into()),
        &pattern(8, 1),
        &[],
    );
    refused(&mut checked, &agent, status::BAD_KERNARG_SIZE);
}

#[test]
fn a_rewrite_offset_that_does_not_fit_the_arguments_is_refused() {
    let mut checked = new();
    for (index, offset) in [(10, 56), (11, 64), (12, 4), (13, u32::MAX), (14, 0x1_0000)] {
        let (size, signal) = (KERNEL_ARGUMENTS as u32, KERNEL_SIGNAL);
        let node = &mut checked.node;
        node.register_kernel(0, index, TARGET_BUFFER, size, offset, signal, 1)
            .unwrap();
        let message = with_packet(1, kernel_packet(index.into(), QUEUE.into()));
        refused(&mut checked, &message, status::BAD_KERNARG_SIZE);
    }
    // The pair lies inside the arguments, but not inside the first packet.
    checked
        .node
        .register_kernel(0, 15, 0, 8000, 4024, 0, 1)
        .unwrap();
    let packet = kernel_packet(15, QUEUE.into());
    let message = Message::xtq(1, &packet, &pattern(8000, 1), &[]);
    refused(&mut checked, &message, status::BAD_KERNARG_SIZE);
}

#[test]
fn a_misaligned_landing_is_refused() {
    let mut checked = new();
    for start in [BUFFER + 1, BUFFER + 32, BUFFER + 63] {
        checked
            .node
            .post_buffer(0, 1, &Buffer::new(start, 4096))
            .unwrap();
        let message = Message {
            portal_index: 1,
            ..kernel_message(1, 30)
        };
        refused(&mut checked, &message, status::BAD_ALIGNMENT);
    }
}

#[test]
fn a_message_larger_than_the_rest_of_the_buffer_is_refused_and_the_last_byte_can_be_used() {
    let mut checked = new();
    let small = BUFFER + BUFFER_BYTES;
    checked
        .node
        .post_buffer(0, 1, &Buffer::new(small, 200))
        .unwrap();
    let sized = |payload| Message {
        portal_index: 1,
        ..kernel_message(1, payload)
    };
    refused(&mut checked, &sized(73), status::BUFFER_TOO_SMALL);
    assert_eq!(
        deliver(&mut checked, &sized(72)).unwrap().status,
        status::OK
    );
    refused(&mut checked, &sized(0), status::BUFFER_TOO_SMALL);
    // The pad to the next 64 bytes counts: 61 bytes are left, 60 of them pad.
    let buffer = Buffer {
        offset: 4,
        ..Buffer::new(small, 192)
    };
    checked.node.post_buffer(0, 1, &buffer).unwrap();
    refused(&mut checked, &sized(1), status::BUFFER_TOO_SMALL);
    assert_eq!(deliver(&mut checked, &sized(0)).unwrap().status, status::OK);
    assert!(
        checked.node.portal_enabled(0, 1).unwrap(),
        "without flow control it stays enabled"
    );
}

#[test]
fn a_full_queue_drops_and_works_again_when_drained() {
    let mut checked = new();
    for id in 0..8 {
        assert_eq!(
            deliver(&mut checked, &kernel_message(id, 8))
                .unwrap()
                .status,
            status::OK
        );
    }
    let outcome = deliver(&mut checked, &kernel_message(8, 8)).unwrap();
    assert_eq!(outcome.status, status::QUEUE_FULL);
    assert_eq!(
        Ack::decode(&outcome.ack.unwrap()).unwrap().ni_fail,
        ni_fail::DROPPED
    );
    assert!(checked.node.portal_enabled(0, 0).unwrap());
    good(&mut checked);
}

#[test]
fn a_full_queue_disables_a_flow_control_portal_until_the_host_enables_it() {
    let mut checked = new();
    let buffer = Buffer {
        flow_control: true,
        ..Buffer::new(BUFFER, BUFFER_BYTES)
    };
    checked.node.post_buffer(0, 0, &buffer).unwrap();
    let packets: Vec<_> = (0..10)
        .flat_map(|id| kernel_message(id, 8).packets())
        .collect();
    let outcomes = checked
        .deliver(&packets, 50_000)
        .unwrap_or_else(|error| panic!("{error}"));
    let statuses: Vec<u8> = outcomes.iter().map(|outcome| outcome.status).collect();
    let (full, disabled) = (status::QUEUE_FULL, status::PT_DISABLED);
    assert_eq!(statuses, [0, 0, 0, 0, 0, 0, 0, 0, full, disabled]);
    assert_eq!(EVENT.get(&outcomes[8].event.unwrap().1, "kind"), 11);
    assert_eq!(outcomes[9].event, None, "one PT_DISABLED event");
    for outcome in &outcomes[8..] {
        let ack = Ack::decode(&outcome.ack.unwrap()).unwrap();
        assert_eq!(ack.ni_fail, ni_fail::PT_DISABLED);
    }
    assert!(!checked.node.portal_enabled(0, 0).unwrap());
    drain(&mut checked.node, 0, &queue(QUEUE));
    assert_eq!(
        deliver(&mut checked, &kernel_message(8, 8)).unwrap().status,
        disabled
    );
    checked.node.enable_portal(0, 0).unwrap();
    good(&mut checked);
}

#[test]
fn a_queue_size_that_is_no_power_of_two_is_refused_until_it_is_registered_anew() {
    let mut checked = new();
    for size in [0, 3, 6, 0x8000_0001] {
        let bad = HostQueue { size, ..queue(6) };
        checked.node.register_queue(0, 6, bad).unwrap();
        let message = with_packet(1, kernel_packet(KERNEL, 6));
        refused(&mut checked, &message, status::BAD_QUEUE_SIZE);
    }
    checked.node.create_queue(0, &queue(6));
    checked.node.register_queue(0, 6, queue(6)).unwrap();
    let message = with_packet(1, kernel_packet(KERNEL, 6));
    assert_eq!(deliver(&mut checked, &message).unwrap().status, status::OK);
}

#[test]
fn a_shared_queue_is_refused_without_atomics() {
    let mut checked = new();
    checked
        .node
        .register_queue(
            0,
            6,
            HostQueue {
                shared: true,
                ..queue(6)
            },
        )
        .unwrap();
    let message = with_packet(1, kernel_packet(KERNEL, 6));
    refused(&mut checked, &message, status::SHARED_REFUSED);
}

#[test]
fn a_truncated_message_fails_with_bad_length_wherever_it_ends() {
    let mut checked = new();
    let message = kernel_message(1, 300);
    for missing in [1, 63, 64, 100, 300, 310, 364] {
        let mut packets = message.packets();
        let length = packets[0].len() - missing;
        packets[0].truncate(length);
        let outcome = deliver_packets(&mut checked, &packets).unwrap();
        assert_eq!(
            outcome.status,
            status::BAD_LENGTH,
            "{missing} bytes missing"
        );
        good(&mut checked);
    }
    for left in [64, 65, 100, 127] {
        let mut packets = message.packets();
        packets[0].truncate(left);
        dropped(&mut checked, &packets);
    }
}

#[test]
fn an_oversized_message_fails_with_bad_length_and_writes_nothing_behind_its_end() {
    let mut checked = new();
    for (payload, surplus) in [(300, 1), (300, 64), (0, 1), (64, 5000), (20, 12)] {
        let mut packets = kernel_message(1, payload).packets();
        packets[0].extend(pattern(surplus, 9));
        let outcome = deliver_packets(&mut checked, &packets).unwrap();
        assert_eq!(
            outcome.status,
            status::BAD_LENGTH,
            "{surplus} bytes too many"
        );
        good(&mut checked);
    }
}

#[test]
fn a_message_of_several_packets_that_loses_one_fails_and_the_rest_is_thrown_away() {
    let mut checked = new();
    let packets = kernel_message(1, 12_000).packets();
    let gap = [packets[0].clone(), packets[2].clone()];
    let outcome = deliver_packets(&mut checked, &gap).unwrap();
    assert_eq!(outcome.status, status::BAD_LENGTH);
    good(&mut checked);
    // Broken off by the next message of the same sender.
    let next = kernel_message(2, 30).packets();
    let outcomes = checked.deliver(&[packets[0].clone(), next[0].clone()], 50_000);
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
    let statuses: Vec<u8> = outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(statuses, [status::BAD_LENGTH, status::OK]);
    // Nothing but a later packet.
    dropped(&mut checked, &packets[1..2]);
}

#[test]
fn a_put_of_no_bytes_is_delivered_and_an_xtq_put_of_no_bytes_is_dropped() {
    let mut checked = new();
    let put = Message {
        ack_request: 1,
        ..Message::put(1, Vec::new())
    };
    assert_eq!(deliver(&mut checked, &put).unwrap().status, status::OK);
    let mut empty = kernel_message(2, 0);
    empty.body.clear();
    dropped(&mut checked, &empty.packets());
}

#[test]
fn a_wrong_version_opcode_node_context_or_length_is_dropped() {
    let mut checked = new();
    let wrong = [
        ("version", 0),
        ("version", 2),
        ("opcode", 0),
        ("opcode", 2),
        ("opcode", 7),
        ("target_node", 1),
        ("target_context", 1),
        ("target_context", 4),
        ("target_context", 128),
        ("packet_offset", 1),
        ("packet_offset", 4096),
        ("command_length", 63),
        ("command_length", 65_535),
        ("message_length", 0),
    ];
    for (name, value) in wrong {
        let mut packets = kernel_message(1, 30).packets();
        WIRE.set(&mut packets[0], name, value);
        dropped(&mut checked, &packets);
    }
    // The counters distinguish the causes.
    checked
        .check_registers()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_portal_entry_that_does_not_exist_or_is_disabled_refuses() {
    let mut checked = new();
    for (portal_index, expected) in [
        (16, status::NO_PORTAL),
        (65_535, status::NO_PORTAL),
        (7, status::PT_DISABLED),
    ] {
        let message = Message {
            portal_index,
            ..kernel_message(1, 30)
        };
        let outcome = deliver(&mut checked, &message).unwrap();
        assert_eq!((outcome.status, outcome.event), (expected, None));
        good(&mut checked);
    }
}
