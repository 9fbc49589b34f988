//! ENABLE is cleared while packets of messages are missing: slot, event place and place among the open messages come
//! back.

use crate::fixture::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{ContextConfig, Message, Node, NodeConfig, Trace};
use xtq_testbench::tables::format::EVENT;
use xtq_types::event::status;
use xtq_types::register_list::COUNTERS;
use xtq_types::register_map::global;

/// Messages that can lack packets at once.
const PLACES: u16 = 16;

fn put(id: u16, length: usize) -> Message {
    Message {
        ack_request: 1,
        ..Message::put(id, pattern(length, id.into()))
    }
}

/// The same message from another node.
fn from(source_node: u16, message: Message) -> Message {
    Message {
        source_node,
        ..message
    }
}

/// Packets that end no message.
fn begin(checked: &mut Checked, packets: &[Vec<u8>]) {
    assert_eq!(deliver_packets(checked, packets), None);
}

/// The first packets of messages from as many nodes as there are places.
fn first_packets(message: impl Fn(u16) -> Message) -> Vec<Vec<u8>> {
    let messages = (1..=PLACES).map(|source| from(source, message(source)));
    messages
        .map(|message| message.packets().swap_remove(0))
        .collect()
}

/// Disables context 0; the outcomes of the messages that this ends.
fn disable(checked: &mut Checked) -> Vec<u8> {
    let ended = checked.disable(0, 50_000);
    let ended = ended.unwrap_or_else(|error| panic!("{error}"));
    ended.iter().map(|outcome| outcome.status).collect()
}

/// Enables context 0 again.
fn enable(checked: &mut Checked) {
    checked.node.enable_context(0, true).unwrap();
}

#[test]
fn a_put_without_its_tail_ends_when_its_context_is_disabled() {
    for packets in 1..3 {
        let mut checked = checked(&NodeConfig::default());
        let message = put(1, 10_000).packets();
        begin(&mut checked, &message[..packets]);
        assert_eq!(disable(&mut checked), [status::BAD_LENGTH]);
        enable(&mut checked);
        assert_eq!(deliver_packets(&mut checked, &message[packets..]), None);
        assert_eq!(strays(&mut checked.node), 3 - packets as u32);
        assert_eq!(
            deliver(&mut checked, &put(2, 10_000)).unwrap().status,
            status::OK
        );
    }
}

#[test]
fn a_message_that_does_not_go_on_in_time_ends_without_the_host() {
    for task in [false, true] {
        let mut checked = checked(&NodeConfig::default());
        let timeout = global::MESSAGE_TIMEOUT as u16;
        checked.node.write_register(timeout, 9).unwrap();
        let message = match task {
            false => put(1, 10_000),
            true => kernel_message(1, 10_000),
        };
        let packets = message.packets();
        // It goes on, slowly.
        for packet in &packets[..2] {
            checked.node.send_packet(packet);
            for _ in 0..500 {
                checked.node.cycle().unwrap();
            }
            assert_eq!(under_way(&checked.node), 1);
        }
        for _ in 0..1100 {
            checked.node.cycle().unwrap();
        }
        assert_eq!(under_way(&checked.node), 0);
        checked.node.send_packet(&packets[2]);
        checked.node.run_to_quiescence(10_000).unwrap();
        assert_eq!(strays(&mut checked.node), 1);
        let events = checked.node.take_events(0).unwrap();
        let told: Vec<_> = events
            .iter()
            .map(|event| EVENT.get(event, "status") as u8)
            .collect();
        assert_eq!(told, [status::BAD_LENGTH]);
    }
}

#[test]
fn an_xtq_put_without_its_tail_leaves_a_filler_in_its_slot_and_the_queue_goes_on() {
    let mut checked = checked(&NodeConfig::default());
    let queue = queue(QUEUE);
    checked
        .node
        .attach_gpu(0, &queue, Default::default())
        .unwrap();
    deliver(&mut checked, &kernel_message(1, 30)).unwrap();
    begin(&mut checked, &kernel_message(2, 5000).packets()[..1]);
    // Its id is promised; the next message's is after it.
    let other = from(7, kernel_message(3, 30));
    assert_eq!(
        deliver(&mut checked, &other)
            .unwrap()
            .task
            .unwrap()
            .packet_id,
        1
    );
    assert_eq!(disable(&mut checked), [status::BAD_LENGTH]);
    enable(&mut checked);
    let next = deliver(&mut checked, &kernel_message(4, 5000)).unwrap();
    assert_eq!(
        (next.status, next.task.unwrap().packet_id),
        (status::OK, 3),
        "id 2 is the filler's"
    );
    let gpu = &checked.node.gpus()[0];
    assert_eq!(gpu.error(), None);
    let kinds: Vec<bool> = gpu.runs().iter().map(|run| run.packet.is_some()).collect();
    assert_eq!(kinds, [true, true, false, true]);
}

#[test]
fn all_16_places_and_all_places_of_the_event_ring_come_back() {
    let mut checked = checked(&NodeConfig::default());
    // As many places for events as messages: one that is not given back is missed.
    let events = (0x1000_8000, PLACES.into());
    let config = ContextConfig {
        events,
        ..ContextConfig::default()
    };
    checked.node.open_context(0, &config).unwrap();
    for round in 0..2 {
        begin(
            &mut checked,
            &first_packets(|source| match source % 2 {
                0 if source <= 8 => kernel_message(source, 5000),
                _ => put(source, 5000),
            }),
        );
        if round == 0 {
            assert_eq!(disable(&mut checked), [status::BAD_LENGTH; PLACES as usize]);
            enable(&mut checked);
            drain(&mut checked.node, 0, &queue(QUEUE));
        }
    }
    let refused = deliver(&mut checked, &from(40, put(1, 5000))).unwrap();
    assert_eq!(refused.status, status::NO_MESSAGE_SLOT);
    for source in (1..=PLACES).filter(|source| source % 2 == 1) {
        let rest = from(source, put(source, 5000)).packets().split_off(1);
        assert_eq!(
            deliver_packets(&mut checked, &rest).unwrap().status,
            status::OK
        );
    }
}

#[test]
fn messages_to_other_contexts_go_on() {
    let mut checked = checked(&NodeConfig::default());
    set_up(&mut checked.node, 2);
    let to = |target_context, message| Message {
        target_context,
        ..message
    };
    let mine = to(0, kernel_message(1, 9000)).packets();
    let other = to(2, kernel_message(1, 9000)).packets();
    begin(&mut checked, &mine[..2]);
    begin(&mut checked, &other[..2]);
    assert_eq!(disable(&mut checked), [status::BAD_LENGTH]);
    // What comes now belongs to no message.
    assert_eq!(deliver_packets(&mut checked, &mine[2..]), None);
    let outcome = deliver_packets(&mut checked, &other[2..]).unwrap();
    assert_eq!((outcome.status, outcome.context), (status::OK, 2));
}

/// Messages that were admitted and have not ended.
fn under_way(node: &Node) -> i64 {
    let records = node.trace().records().iter();
    records
        .map(|(_, record)| match record {
            Trace::Admitted { .. } => 1,
            Trace::Done { .. } => -1,
            _ => 0,
        })
        .sum()
}

#[test]
fn a_message_that_was_let_in_ends_whenever_enable_is_low_for_a_moment() {
    // The first packet waits for its table entries while its other packets arrive.
    let timing = MemoryTiming {
        read_latency: 200..=200,
        ..MemoryTiming::ideal()
    };
    let message = kernel_message(1, 9000);
    let mut seen = BTreeSet::new();
    for wait in (0..150).chain(560..700) {
        let mut checked = checked(&NodeConfig {
            timing: timing.clone(),
            ..NodeConfig::default()
        });
        checked.node.send(&message);
        for _ in 0..wait {
            checked.node.cycle().unwrap();
        }
        checked.node.enable_context(0, false).unwrap();
        checked.node.enable_context(0, true).unwrap();
        checked.node.run_to_quiescence(10_000).unwrap();
        assert_eq!(under_way(&checked.node), 0, "low after {wait} cycles");
        seen.insert(what_became_of(&mut checked.node, &message));
    }
    assert_eq!(seen, BTreeSet::from([status::OK, status::BAD_LENGTH]));
}

/// The counter of later packets whose message was not open.
fn strays(node: &mut Node) -> u32 {
    let place = COUNTERS.iter().position(|(name, _)| *name == "DROP_STRAY");
    let address = global::COUNTERS + 4 * place.unwrap() as u32;
    node.read_register(address as u16).unwrap()
}

/// Status of the one message that was admitted; memory and counters must be as it says.
fn what_became_of(node: &mut Node, message: &Message) -> u8 {
    let events = node.take_events(0).unwrap();
    assert_eq!(events.len(), 1);
    let code = EVENT.get(&events[0], "status") as u8;
    let strays = strays(node);
    let queue = queue(QUEUE);
    let memory = node.memory.memory(0);
    let indices = [queue.write_index_address, queue.doorbell_address];
    assert_eq!(indices.map(|at| memory.read_u64(at)), [1, 0]);
    let mut log = node.memory.log().iter();
    assert!(log.any(|write| write.writes(queue.doorbell_address)));
    let slot: Vec<u64> = (0..8)
        .map(|i| memory.read_u64(queue.base + 8 * i))
        .collect();
    let mut landed = vec![0; message.body.len()];
    memory.read(BUFFER, &mut landed);
    if code == status::OK {
        assert_eq!(slot[0] as u32, 0x0001_1402);
        assert_eq!(slot[4], KERNEL_OBJECT);
        assert_eq!(landed[128..], message.body[128..]);
        assert_eq!(strays, 0);
    } else {
        // The filler.
        assert_eq!(slot, [3, 0, 0, 0, 0, 0, 0, 0]);
        assert!(strays <= 2, "{strays} packets behind its end");
    }
    code
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the pipeline is at when ENABLE falls: in the end nothing is left behind.
    #[test]
    fn whenever_a_context_is_disabled_nothing_stays(
        seed in any::<u64>(), lengths in prop::collection::vec((1u16..24, 0usize..6000, any::<bool>(), any::<bool>()), 8..16),
        waits in prop::collection::vec(0u64..300, 1..8),
    ) {
        let mut checked = checked(&NodeConfig::random(seed));
        for (id, (source, length, xtq, whole)) in lengths.into_iter().enumerate() {
            let message = if xtq { kernel_message(id as u16, length) } else { put(id as u16, length) };
            let mut packets = from(source, message).packets();
            if !whole && packets.len() > 1 {
                packets.pop();
            }
            for packet in packets {
                checked.node.send_packet(&packet);
            }
        }
        let queue = queue(QUEUE);
        for wait in waits {
            for _ in 0..wait {
                checked.node.cycle().unwrap();
            }
            drain(&mut checked.node, 0, &queue);
            checked.node.enable_context(0, false).unwrap();
            checked.node.enable_context(0, true).unwrap();
        }
        checked.node.run_until(|node| node.all_received(), 100_000).unwrap();
        checked.node.enable_context(0, false).unwrap();
        checked.node.run_to_quiescence(100_000).unwrap();
        prop_assert_eq!(under_way(&checked.node), 0);
        checked.node.take_events(0).unwrap();
        // The queue was filled up or not; from here on everything is as the golden model says.
        drain(&mut checked.node, 0, &queue);
        checked.node.register_queue(0, QUEUE, queue).unwrap();
        set_up(&mut checked.node, 0);
        begin(&mut checked, &first_packets(|source| put(source, 5000)));
        prop_assert_eq!(disable(&mut checked), [status::BAD_LENGTH; PLACES as usize]);
    }
}
