//! The four blocks joined, with a queue into which another producer enqueues too.

use std::cell::Cell;
use std::rc::Rc;

use proptest::prelude::*;
use xtq_types::event::{access, status};

use super::joined::{Manager, Message, RIVAL, payload_done};
use super::log_check::{check, outcomes};
use super::queues::Queue;

const OK: (u8, u8) = (status::OK, access::NONE);
const FULL: (u8, u8) = (status::QUEUE_FULL, access::NONE);
const INDEX: (u8, u8) = (status::MEMORY_ERROR, access::INDEX);

fn queue() -> Queue {
    Queue::new(2, 11, 4).shared()
}

/// A manager that has delivered one message, so that the queue is open.
fn opened(start: u64) -> Manager {
    let mut manager = Manager::new(&[(queue(), start)], 0.0, (1, 6), 1);
    manager.deliver(&[Message::to(queue())]);
    assert_eq!(outcomes(&manager), [OK]);
    manager
}

fn index(manager: &Manager) -> u64 {
    manager.rig.memory.word(2, queue().write_index())
}

#[test]
fn the_index_is_swapped_and_not_written() {
    let manager = opened(u64::MAX);
    assert_eq!(index(&manager), 0);
    assert_eq!(manager.rig.memory.of("atomic").len(), 1);
    assert_eq!(manager.rig.memory.of("enqueue").len(), 1);
    let swap = manager.rig.memory.of("atomic")[0];
    assert_eq!(swap.strobe, 0xFFFF << (swap.address & 0x30));
}

#[test]
fn a_lost_swap_is_tried_again_with_the_value_it_returned() {
    let mut manager = opened(0);
    manager.compete(queue());
    manager.deliver(&[Message::to(queue())]);
    assert_eq!(outcomes(&manager), [OK; 2]);
    let swaps: Vec<(u64, u64)> = manager
        .rig
        .memory
        .of("atomic")
        .iter()
        .map(|swap| (swap.word(), swap.old))
        .collect();
    assert_eq!(swaps, [(0, 0), (1, 2), (2, 2)]);
    assert_eq!(check(&manager, &[(queue(), 0)]), [OK; 2]);
}

#[test]
fn after_64_lost_swaps_the_queue_counts_as_full() {
    let mut manager = opened(0);
    // In every cycle a packet comes and one goes, so there is room all the time and no swap can win.
    manager.rivalry = 1.0;
    manager.deliver(&[Message::to(queue())]);
    assert_eq!(outcomes(&manager)[1], FULL);
    assert_eq!(manager.rig.memory.of("atomic").len(), 1 + 64);
    // Each message has 64 tries of its own.
    manager.deliver(&[Message::to(queue()); 2]);
    assert_eq!(outcomes(&manager)[2..], [FULL; 2]);
    assert_eq!(manager.rig.memory.of("atomic").len(), 1 + 3 * 64);
    manager.rivalry = 0.0;
    manager.deliver(&[Message::to(queue())]);
    assert_eq!(outcomes(&manager)[4], OK);
}

#[test]
fn an_index_that_others_moved_beyond_the_one_kept_is_not_full() {
    let mut manager = opened(0);
    manager.appetite = 0.0;
    manager.deliver(&[Message::to(queue()); 3]);
    for _ in 0..4 {
        manager.consume(queue());
    }
    // Nine packets came and went, the last fills one place: the queue looks full, then the read index is beyond the
    // write index kept.
    for _ in 0..9 {
        manager.compete(queue());
        manager.consume(queue());
    }
    manager.compete(queue());
    manager.deliver(&[Message::to(queue()); 4]);
    assert_eq!(outcomes(&manager)[4..], [OK, OK, OK, FULL]);
}

#[test]
fn full_is_only_said_by_a_read_index_that_was_read_after_the_write_index() {
    let mut manager = opened(0);
    manager.appetite = 0.0;
    for _ in 0..4 {
        manager.compete(queue());
    }
    // The swap loses against the four, then one read says full.
    manager.deliver(&[Message::to(queue())]);
    assert_eq!(outcomes(&manager)[1], FULL);
    assert_eq!(manager.rig.memory.of("enqueue_read").len(), 1);
    let (swap, read) = (
        manager.rig.memory.of("atomic")[1],
        manager.rig.memory.of("enqueue_read")[0],
    );
    assert!(read.accepted > swap.answered);
    manager.consume(queue());
    manager.deliver(&[Message::to(queue())]);
    assert_eq!(outcomes(&manager)[2], OK);
    assert_eq!(index(&manager), 6);
}

#[test]
fn a_read_index_read_before_the_swap_was_lost_is_read_again() {
    let mut manager = opened(0);
    manager.appetite = 0.0;
    manager.deliver(&[Message::to(queue()); 3]);
    for _ in 0..4 {
        manager.consume(queue());
    }
    // The queue looks full, the read index says empty; four packets come and go before the swap.
    manager.waiting.push_back(Message::to(queue()));
    while manager.rig.memory.of("atomic").len() < 5 {
        manager.cycle();
    }
    assert_eq!(manager.rig.memory.of("enqueue_read").len(), 1);
    for _ in 0..4 {
        manager.compete(queue());
        manager.consume(queue());
    }
    manager.deliver(&[]);
    assert_eq!(outcomes(&manager)[4], OK);
    assert_eq!(manager.rig.memory.of("enqueue_read").len(), 2);
    assert_eq!(index(&manager), 9);
}

#[test]
fn a_payload_that_fails_reserves_nothing() {
    let mut manager = opened(0);
    let failed = |error, bad| Message {
        payload: payload_done(error, bad),
        ..Message::to(queue())
    };
    manager.deliver(&[
        failed(true, false),
        failed(false, true),
        failed(true, true),
        Message::to(queue()),
    ]);
    let payload = (status::MEMORY_ERROR, access::PAYLOAD);
    assert_eq!(
        check(&manager, &[(queue(), 0)])[1..],
        [payload, (status::BAD_LENGTH, access::NONE), payload, OK]
    );
    assert_eq!(index(&manager), 2);
}

#[test]
fn a_swap_that_fails_fails_the_queue_and_a_read_does_not() {
    for port in ["atomic", "enqueue_read"] {
        let mut manager = opened(0);
        manager.appetite = 0.0;
        for _ in 0..3 {
            manager.compete(queue());
        }
        let broken = Rc::new(Cell::new(true));
        let faults = broken.clone();
        manager.rig.memory.faults = Box::new(move |name, _, _| faults.get() && name == port);
        manager.deliver(&[Message::to(queue())]);
        assert_eq!(outcomes(&manager)[1], INDEX, "{port}");
        broken.set(false);
        for _ in 0..4 {
            manager.consume(queue());
        }
        manager.deliver(&[Message::to(queue())]);
        let expected = if port == "atomic" {
            (status::BAD_QUEUE_INDEX, access::NONE)
        } else {
            OK
        };
        assert_eq!(outcomes(&manager)[2], expected, "{port}");
        manager.invalidate(queue());
        manager.deliver(&[Message::to(queue())]);
        assert_eq!(outcomes(&manager)[3], OK, "{port}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// The memory stops if a slot body is written over an unread packet.
    #[test]
    fn no_packet_is_lost_or_overwritten_among_rivals(
        kinds in prop::collection::vec((0..3usize, 0..12u8), 1..60), seed in 0..10_000u64, latency in 1..40u64,
        appetite in 1..20u32, rivalry in 0..20u32, stall in 0..3u32,
    ) {
        let queues = [queue(), Queue::new(2, 12, 2).shared(), Queue::new(2, 13, 8)];
        let starts = queues.map(|queue| (queue, u64::MAX - 5));
        let mut manager = Manager::new(&starts, f64::from(stall) * 0.3, (1, latency), seed);
        manager.appetite = f64::from(appetite) * 0.01;
        // About one rival packet a round trip at most: against a faster rival most messages give up.
        manager.rivalry = (f64::from(rivalry) * 0.05 / latency as f64).min(0.2);
        manager.slack = 30;
        let messages: Vec<Message> = kinds.iter().map(|&(queue, kind)| Message {
            queue: queues[queue],
            plain: kind == 0,
            payload: payload_done(kind == 1, kind == 2),
        }).collect();
        manager.deliver(&messages);
        check(&manager, &starts);
        manager.rivalry = 0.0;
        manager.appetite = 1.0;
        for _ in 0..400 {
            manager.cycle();
        }
        for queue in queues {
            let memory = &manager.rig.memory;
            prop_assert_eq!(memory.word(2, queue.write_index()), memory.word(2, queue.read_index()));
            let eaten = manager.eaten.get(&queue.key()).cloned().unwrap_or_default();
            let ours: Vec<u64> = eaten.iter().map(|packet| packet[7]).filter(|&number| number != RIVAL).collect();
            let accepted = manager.sent.iter().zip(outcomes(&manager)).filter(|(sent, outcome)| {
                sent.message.queue == queue && !sent.message.plain && *outcome == OK
            });
            let mut expected: Vec<u64> = accepted.map(|(sent, _)| sent.packet[7]).collect();
            if !queue.shared {
                // Barriers of spoilt payloads are eaten too; their words are zero.
                let spoilt = ours.iter().filter(|&&number| number == 0).count();
                prop_assert!(ours.len() - spoilt <= expected.len());
                expected.retain(|&number| number != 0);
                let ours: Vec<u64> = ours.into_iter().filter(|&number| number != 0).collect();
                prop_assert_eq!(ours, expected);
            } else {
                prop_assert_eq!(ours, expected);
            }
        }
    }
}
