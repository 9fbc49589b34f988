//! How much can be under way at once, and ids at the end of their range.

use crate::fixture::*;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{ContextConfig, Message, NodeConfig, Trace};
use xtq_testbench::tables::{HostQueue, Outcome};
use xtq_types::event::status;

/// A node with a queue and an event ring of 512 places and a receive buffer of 1 MiB.
fn wide(timing: MemoryTiming) -> Checked {
    let config = NodeConfig {
        timing,
        ..NodeConfig::default()
    };
    let mut checked = checked(&config);
    let mut places = ContextConfig::default();
    places.events.1 = 512;
    checked.node.open_context(0, &places).unwrap();
    let queue = HostQueue {
        size: 512,
        ..queue(QUEUE)
    };
    checked.node.create_queue(0, &queue);
    checked.node.register_queue(0, QUEUE, queue).unwrap();
    checked
}

/// Delivers so many smallest messages without a pause.
fn deliver_many(checked: &mut Checked, messages: u16) -> Vec<Outcome> {
    let smallest = |id| Message {
        ack_request: 0,
        ..kernel_message(id, 8)
    };
    let packets: Vec<_> = (0..messages)
        .flat_map(|id| smallest(id).packets())
        .collect();
    let outcomes = checked.deliver(&packets, 50_000);
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outcomes.len(), usize::from(messages));
    assert!(outcomes.iter().all(|outcome| outcome.status == status::OK));
    outcomes
}

/// The most messages that were decided about and not done with at a time.
fn most_under_way(checked: &Checked) -> usize {
    let mut under_way: usize = 0;
    let counts = checked.node.trace().records().iter().map(|(_, record)| {
        match record {
            Trace::Admitted { .. } => under_way += 1,
            Trace::Done { .. } => under_way -= 1,
            _ => {}
        }
        under_way
    });
    counts.max().unwrap_or(0)
}

#[test]
fn acknowledgements_of_slots_and_indices_wait_for_payloads_that_take_1_100_cycles() {
    let mut checked = wide(MemoryTiming::ideal());
    let memory = &mut checked.node.memory;
    memory.slow_writes(BUFFER..=BUFFER + BUFFER_BYTES - 1, 1_100);
    deliver_many(&mut checked, 145);
    let most = most_under_way(&checked);
    assert!(most > 130, "{most} messages under way");
}

#[test]
fn acknowledgements_of_header_words_wait_for_doorbells_that_take_1_100_cycles() {
    let mut checked = wide(MemoryTiming::ideal());
    let doorbell = queue(QUEUE).doorbell_address;
    checked
        .node
        .memory
        .slow_writes(doorbell..=doorbell + 7, 1_100);
    deliver_many(&mut checked, 145);
    let most = most_under_way(&checked);
    assert!(most > 130, "{most} messages under way");
}

#[test]
fn as_many_messages_as_there_are_slots_are_under_way_and_none_is_mixed_up() {
    let mut checked = wide(MemoryTiming::fixed_write(1_060));
    deliver_many(&mut checked, 264);
    let most = most_under_way(&checked);
    assert!((255..=256).contains(&most), "{most} messages under way");
}

#[test]
fn a_message_behind_bodies_that_are_thrown_away_is_waited_for() {
    let timing = MemoryTiming {
        read_latency: 400..=400,
        ..MemoryTiming::ideal()
    };
    let mut checked = checked(&NodeConfig {
        timing,
        ..NodeConfig::default()
    });
    // While its queue's entry is read, which is none, six packets without a message come in after it.
    let refused = Message::xtq(
        1,
        &kernel_packet(KERNEL, 60),
        &pattern(KERNEL_ARGUMENTS, 1),
        &pattern(2200, 2),
    );
    let mut packets = refused.packets();
    let stray = Message::put(9, pattern(4096 + 2200, 3)).packets().pop();
    packets.extend(vec![stray.unwrap(); 6]);
    packets.extend(Message::put(2, pattern(10, 4)).packets());
    let outcomes = checked.deliver(&packets, 50_000);
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
    let codes: Vec<u8> = outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(codes, [status::BAD_QUEUE_INDEX, status::OK]);
}

#[test]
fn packet_ids_wrap_at_64_bits() {
    for doorbell_plus_one in [false, true] {
        let mut checked = checked(&NodeConfig::default());
        let queue = HostQueue {
            doorbell_plus_one,
            ..queue(QUEUE)
        };
        checked.node.register_queue(0, QUEUE, queue).unwrap();
        let first = u64::MAX - 1;
        let memory = checked.node.memory.memory_mut(0);
        memory.write_u64(queue.write_index_address, first);
        // Six of the eight places are taken, so two are left on both sides of the wrap and a third is not.
        memory.write_u64(queue.read_index_address, first - 5);
        let packets: Vec<_> = (0..4)
            .flat_map(|id| kernel_message(id, 8).packets())
            .collect();
        let outcomes = checked.deliver(&packets, 50_000);
        let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
        let ids: Vec<_> = outcomes
            .iter()
            .map(|outcome| outcome.task.map(|task| task.packet_id))
            .collect();
        assert_eq!(ids, [Some(first), Some(u64::MAX), Some(0), None]);
        assert_eq!(outcomes[3].status, status::QUEUE_FULL);
        let memory = checked.node.memory.memory(0);
        let rung = if doorbell_plus_one { 1 } else { 0 };
        assert_eq!(memory.read_u64(queue.doorbell_address), rung);
        assert_eq!(memory.read_u64(queue.write_index_address), 1);
    }
}
