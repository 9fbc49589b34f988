//! The rules of the queue protocol by name: doorbells, launch, completion, errors, the ring.

use crate::packet_processor::setup::{
    BARRIER_BIT, BASE, Queue, READ_INDEX, barrier_and, kernel, packet,
};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::packet_check::{Checks, Malformed};
use xtq_testbench::packet_processor::{
    DoorbellValue, Event, PacketProcessor, ProcessorError, QueueConfig,
};

const NONE: [&str; 0] = [];
const A: u64 = 0x100;
const B: u64 = 0x200;
const C: u64 = 0x300;

#[test]
fn a_published_packet_waits_for_its_doorbell() {
    let mut queue = Queue::new(4);
    queue.publish(0, kernel(0));
    assert_eq!(queue.step(), NONE);
    assert_eq!(queue.ring(0), ["launch 0"]);
}

#[test]
fn a_doorbell_before_publication_waits_on_the_invalid_slot() {
    let mut queue = Queue::new(4);
    assert_eq!(queue.ring(0), NONE);
    let bytes = kernel(0);
    queue.memory.write(BASE + 4, &bytes[4..]);
    assert_eq!(queue.step(), NONE, "the body alone publishes nothing");
    queue.memory.write(BASE, &bytes[..4]);
    assert_eq!(queue.step(), ["launch 0"]);
    assert_eq!(queue.processor.error(), None);
}

#[test]
fn an_invalid_slot_is_never_skipped() {
    let mut queue = Queue::new(4);
    queue.publish(1, kernel(0));
    assert_eq!(queue.ring(1), NONE);
    queue.publish(0, kernel(0));
    assert_eq!(queue.step(), ["launch 0", "launch 1"]);
}

#[test]
fn an_invalid_header_waits_whatever_its_other_bits() {
    let mut queue = Queue::new(4);
    queue.publish(0, packet(1, 0xff, [7; 5], 7));
    assert_eq!(queue.ring(0), NONE);
    assert_eq!(queue.processor.error(), None);
}

#[test]
fn the_doorbell_is_a_running_maximum() {
    let mut queue = Queue::new(4);
    assert_eq!(queue.ring(2), NONE);
    assert_eq!(queue.ring(0), NONE);
    for id in 0..4 {
        queue.publish(id, kernel(0));
    }
    assert_eq!(queue.step(), ["launch 0", "launch 1", "launch 2"]);
    assert_eq!(queue.ring(1), NONE);
    assert_eq!(queue.ring(3), ["launch 3"]);
}

#[test]
fn one_doorbell_announces_all_packets_up_to_its_id() {
    let mut queue = Queue::new(4);
    assert_eq!(
        queue.submit(&[kernel(0), kernel(0), kernel(0)]),
        ["launch 0", "launch 1", "launch 2"]
    );
}

#[test]
fn a_doorbell_far_ahead_launches_what_is_written_and_then_waits() {
    let mut queue = Queue::new(4);
    queue.publish(0, kernel(0));
    assert_eq!(queue.ring(u64::MAX), ["launch 0"]);
    assert_eq!(queue.finish(0), ["complete 0"]);
    queue.publish(1, kernel(0));
    assert_eq!(queue.step(), ["launch 1"]);
}

#[test]
fn a_queue_can_be_told_that_doorbells_carry_the_next_id() {
    let mut queue = Queue::with(QueueConfig {
        base: BASE,
        size: 4,
        doorbell: DoorbellValue::NextPacketId,
        checks: Checks::Format,
        ..QueueConfig::default()
    });
    queue.publish(0, kernel(0));
    assert_eq!(queue.ring(0), NONE);
    assert_eq!(queue.ring(1), ["launch 0"]);
}

#[test]
fn an_agent_dispatch_is_launched_and_finished_like_a_kernel() {
    let mut queue = Queue::new(4);
    assert_eq!(queue.submit(&[packet(4, 0, [9; 5], A)]), ["launch 0"]);
    assert_eq!(queue.finish(0), ["complete 0"]);
    assert_eq!(queue.signal(A), -1);
}

#[test]
fn a_launch_carries_the_packet_of_its_slot() {
    let mut queue = Queue::new(4);
    let sent = packet(4, 0, [1, 2, 3, 4, u64::MAX], A);
    queue.publish(0, sent);
    queue.processor.doorbell(0);
    let events = queue.processor.step(&mut queue.memory);
    assert_eq!(
        events,
        [Event::Launch {
            id: 0,
            packet: sent
        }]
    );
}

#[test]
fn packets_run_side_by_side_without_the_barrier_bit() {
    let mut queue = Queue::new(4);
    assert_eq!(
        queue.submit(&[kernel(A), kernel(B)]),
        ["launch 0", "launch 1"]
    );
    assert_eq!(queue.processor.running().collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn the_barrier_bit_waits_until_every_earlier_packet_is_complete() {
    let mut queue = Queue::new(8);
    let barrier = packet(2, BARRIER_BIT, [0; 5], 0);
    let log = queue.submit(&[kernel(0), kernel(0), barrier, kernel(0)]);
    assert_eq!(log, ["launch 0", "launch 1"]);
    assert_eq!(queue.finish(1), ["complete 1"]);
    assert_eq!(queue.finish(0), ["complete 0", "launch 2", "launch 3"]);
}

#[test]
fn the_barrier_bit_of_the_first_packet_holds_nothing() {
    let mut queue = Queue::new(4);
    let barrier = packet(2, BARRIER_BIT, [0; 5], 0);
    assert_eq!(
        queue.submit(&[barrier, kernel(0)]),
        ["launch 0", "launch 1"]
    );
}

#[test]
fn the_barrier_bit_waits_for_earlier_barrier_packets_too() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    let barrier = packet(2, BARRIER_BIT, [0; 5], 0);
    assert_eq!(
        queue.submit(&[barrier_and([A, 0, 0, 0, 0], 0), barrier]),
        NONE
    );
    assert_eq!(queue.store(A, 0), ["complete 0", "launch 1"]);
}

#[test]
fn completion_signals_fall_at_once_but_slots_retire_in_order() {
    let mut queue = Queue::new(4);
    for signal in [A, B, C] {
        queue.store(signal, 1);
    }
    queue.submit(&[kernel(A), kernel(B), kernel(C)]);
    assert_eq!(queue.finish(2), ["complete 2"]);
    assert_eq!(
        (queue.signal(A), queue.signal(B), queue.signal(C)),
        (1, 1, 0)
    );
    assert_eq!(queue.types(), [2, 2, 2, 1]);
    assert_eq!(queue.memory.read_u64(READ_INDEX), 0);
    queue.finish(0);
    assert_eq!(queue.types(), [1, 2, 2, 1]);
    assert_eq!(queue.memory.read_u64(READ_INDEX), 1);
    queue.finish(1);
    assert_eq!(queue.types(), [1, 1, 1, 1]);
    assert_eq!(queue.processor.read_index(), 3);
    assert_eq!(queue.memory.read_u64(READ_INDEX), 3);
}

#[test]
fn retirement_writes_the_whole_header_and_nothing_else() {
    let mut queue = Queue::new(4);
    let sent = packet(4, 0x15, [1, 2, 3, 4, 5], A);
    queue.submit(&[sent]);
    queue.finish(0);
    let mut slot = [0; 64];
    queue.memory.read(BASE, &mut slot);
    assert_eq!(slot[..2], [1, 0]);
    assert_eq!(slot[2..], sent[2..]);
}

#[test]
fn a_signal_may_go_negative_and_be_shared() {
    let mut queue = Queue::new(4);
    queue.store(A, 1);
    queue.submit(&[kernel(A), kernel(A), kernel(A)]);
    for id in 0..3 {
        queue.finish(id);
    }
    assert_eq!(queue.signal(A), -2);
}

#[test]
fn a_signal_at_the_smallest_value_wraps() {
    let mut queue = Queue::new(4);
    queue.store(A, i64::MIN);
    queue.submit(&[kernel(A)]);
    queue.finish(0);
    assert_eq!(queue.signal(A), i64::MAX);
}

#[test]
fn handle_0_is_no_completion_signal() {
    let mut queue = Queue::new(4);
    queue.submit(&[kernel(0)]);
    queue.finish(0);
    assert_eq!(queue.memory.read_u64(8), 0);
}

#[test]
fn a_malformed_packet_stops_the_queue_for_ever() {
    for kind in [0, 6, 7, 255] {
        let mut queue = Queue::new(4);
        let log = queue.submit(&[kernel(A), packet(kind, 0, [0; 5], B), kernel(0)]);
        assert_eq!(log, ["launch 0", "error 1 0x1009"]);
        assert_eq!(queue.processor.error(), Some(0x1009));
        assert_eq!(queue.step(), NONE, "the error is reported once");
        assert_eq!(queue.finish(0), ["complete 0"], "running tasks complete");
        assert_eq!(queue.signal(A), -1);
        queue.publish(1, kernel(0));
        assert_eq!(queue.ring(3), NONE, "not recoverable");
        assert_eq!(queue.signal(B), 0);
        assert_eq!(queue.processor.read_index(), 1);
    }
}

#[test]
fn the_malformed_packet_stays_in_its_slot() {
    let mut queue = Queue::new(4);
    queue.submit(&[kernel(0), packet(6, 0, [0; 5], 0)]);
    queue.finish(0);
    assert_eq!(queue.types(), [1, 6, 1, 1]);
}

#[test]
fn an_error_event_says_what_is_wrong() {
    let mut queue = Queue::new(4);
    queue.publish(0, packet(2, 0x20, [0; 5], 0));
    queue.processor.doorbell(0);
    let cause = Malformed::Reserved {
        field: "header",
        value: 1,
    };
    assert_eq!(
        queue.processor.step(&mut queue.memory),
        [Event::Error {
            id: 0,
            code: 0x1009,
            cause
        }]
    );
}

#[test]
fn an_error_with_the_barrier_bit_waits_for_earlier_packets() {
    let mut queue = Queue::new(4);
    let bad = packet(6, BARRIER_BIT, [0; 5], 0);
    assert_eq!(queue.submit(&[kernel(0), bad]), ["launch 0"]);
    assert_eq!(queue.finish(0), ["complete 0", "error 1 0x1009"]);
}

#[test]
fn sizes_of_a_kernel_are_checked_by_default() {
    let mut queue = Queue::with(QueueConfig {
        base: BASE,
        size: 4,
        ..QueueConfig::default()
    });
    assert_eq!(queue.submit(&[kernel(0)]), ["error 0 0x1009"]);
}

#[test]
fn the_ring_wraps_and_a_slot_is_launched_again_only_after_it_retired() {
    let mut queue = Queue::new(2);
    assert_eq!(
        queue.submit(&[kernel(0), kernel(0)]),
        ["launch 0", "launch 1"]
    );
    assert_eq!(queue.ring(3), NONE, "slot 0 still holds packet 0");
    assert_eq!(queue.finish(0), ["complete 0"], "its header is INVALID now");
    queue.publish(2, kernel(0));
    assert_eq!(queue.step(), ["launch 2"]);
    assert_eq!(queue.finish(2), ["complete 2"]);
    assert_eq!(queue.step(), NONE, "slot 1 still holds packet 1");
    assert_eq!(queue.finish(1), ["complete 1"]);
    assert_eq!(queue.processor.read_index(), 3);
}

#[test]
fn a_ring_of_one_slot_works() {
    let mut queue = Queue::new(1);
    for id in 0..5 {
        queue.publish(id, kernel(A));
        assert_eq!(queue.ring(id), [format!("launch {id}")]);
        assert_eq!(queue.ring(id + 1), NONE);
        assert_eq!(queue.finish(id), [format!("complete {id}")]);
    }
    assert_eq!(queue.signal(A), -5);
}

#[test]
fn a_queue_may_start_at_any_id() {
    let mut queue = Queue::with(QueueConfig {
        base: BASE,
        size: 4,
        first_id: 102,
        checks: Checks::Format,
        ..QueueConfig::default()
    });
    queue.publish(102, kernel(0));
    assert_eq!(queue.ring(101), NONE);
    assert_eq!(queue.ring(102), ["launch 102"]);
    assert_eq!(queue.finish(102), ["complete 102"]);
    assert_eq!(queue.processor.read_index(), 103);
}

#[test]
fn only_a_running_task_can_be_finished() {
    let mut queue = Queue::new(4);
    queue.store(B, 1);
    queue.submit(&[kernel(A), barrier_and([B, 0, 0, 0, 0], 0)]);
    for id in [1, 2, u64::MAX] {
        assert_eq!(queue.try_finish(id), Err(ProcessorError::NotRunning(id)));
    }
    queue.finish(0);
    assert_eq!(queue.try_finish(0), Err(ProcessorError::NotRunning(0)));
    assert_eq!(queue.signal(A), -1);
}

#[test]
fn queues_that_cannot_exist_are_refused() {
    let refused = |base, size| {
        let config = QueueConfig {
            base,
            size,
            ..QueueConfig::default()
        };
        PacketProcessor::new(config).err()
    };
    for size in [0, 3, 6, u64::MAX] {
        assert_eq!(refused(BASE, size), Some(ProcessorError::Size(size)));
    }
    assert_eq!(refused(BASE + 32, 4), Some(ProcessorError::Base(BASE + 32)));
    let base = u64::MAX - 127;
    assert_eq!(
        refused(base, 4),
        Some(ProcessorError::Range { base, size: 4 })
    );
    assert_eq!(refused(base, 2), None);
    assert_eq!(
        refused(0, 1 << 63),
        Some(ProcessorError::Range {
            base: 0,
            size: 1 << 63
        })
    );
}
