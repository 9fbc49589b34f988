//! `Enqueuer` alone: its cycles, and the corners that the joined test does not reach at will.

use rust_hdl::prelude::*;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Gaps;
use xtq_types::Wire;
use xtq_types::event::{access, status};
use xtq_types::queue::{HeaderJob, MessageRecord};

use super::joined::payload_done;
use super::queues::Queue;
use super::rig::{Rig, Slots};

const PACKET: [u64; 8] = [0xA5A5_1502_0001_1402, 1, 2, 3, 4, 5, 6, 7];

fn rig(latency: (u64, u64)) -> Rig {
    let engine = blocks::engine("enqueuer", EngineKind::Jit);
    let mut rig = Rig::new(Box::new(engine.unwrap()), 1);
    rig.memory.latency = latency;
    // Acknowledgements of `enqueue` are the header writer's; the memory needs pins for them.
    rig.takes("enqueue", Gaps::none());
    rig.memory.writes(&*rig.engine, "atomic", "atomic", 0.0);
    rig.memory.reads(&*rig.engine, "read", 0.0);
    rig.feeds("record", &[], Gaps::none());
    rig.feeds("done", &[], Gaps::none());
    rig.pulses(
        "opened",
        &["opened", "opened_write", "opened_read"],
        "opened_valid",
        Gaps::none(),
    );
    rig.takes("header", Gaps::none());
    rig.notes("fail", &["fail"], "fail_valid");
    rig.slots = Some(Slots::new(&*rig.engine, 1));
    rig.set("claim_open", 1);
    rig
}

fn record(slot: u64, queue: Queue) -> MessageRecord {
    MessageRecord {
        slot: slot.to_bits(),
        context: queue.context.to_bits(),
        xtq: 1.into(),
        has_payload: 1.into(),
        status: 0.into(),
        access: 0.into(),
    }
}

/// The record of a message whose packet is there.
fn send(rig: &mut Rig, slot: u64, queue: Queue) {
    let slots = rig.slots.as_mut().unwrap();
    slots.open(slot, queue.info());
    slots.put(slot, PACKET);
    rig.source("record").push_value(record(slot, queue));
}

fn open(rig: &mut Rig, queue: Queue, write: u64, read: u64) {
    rig.source("opened").push(&[queue.key(), write, read]);
    rig.run(3);
}

fn jobs(rig: &Rig) -> Vec<HeaderJob> {
    rig.sink("header").values()
}

#[test]
fn slot_index_and_job_follow_the_record_after_three_cycles_and_one_message_every_six() {
    let queue = Queue::new(1, 4, 8);
    let mut rig = rig((1, 1));
    open(&mut rig, queue, 100, 100);
    for slot in 0..20 {
        send(&mut rig, slot, queue);
    }
    rig.run_until(200, |rig| rig.received("header").len() == 20);
    for (i, record) in rig
        .source("record")
        .accepted()
        .to_vec()
        .into_iter()
        .enumerate()
    {
        let (slot, index) = (
            &rig.received("enqueue")[2 * i],
            &rig.received("enqueue")[2 * i + 1],
        );
        assert_eq!(
            (slot.0, index.0, rig.received("header")[i].0),
            (record + 3, record + 4, record + 5)
        );
        assert_eq!(record, rig.received("header")[0].0 - 5 + 6 * i as u64);
        let job = &jobs(&rig)[i];
        assert_eq!(
            (
                job.packet_id.to_u64(),
                job.writes.to_u64(),
                job.wait_payload.to_u64()
            ),
            (100 + i as u64, 2, 1)
        );
        assert_eq!(job.header.to_u64(), PACKET[0] & 0xFFFF_FFFF);
        assert_eq!(job.slot_address.to_u64(), queue.slot(100 + i as u64));
        assert_eq!(job.doorbell_value.to_u64(), queue.bell(100 + i as u64));
    }
}

#[test]
fn a_packet_that_is_written_late_is_waited_for() {
    let queue = Queue::new(1, 4, 8);
    for late in 0..12 {
        let mut rig = rig((1, 1));
        open(&mut rig, queue, 0, 0);
        rig.slots.as_mut().unwrap().open(9, queue.info());
        rig.source("record").push_value(record(9, queue));
        rig.run(late);
        assert!(rig.received("enqueue").is_empty());
        rig.slots.as_mut().unwrap().put(9, PACKET);
        rig.run(12);
        let data = rig.received("enqueue")[0].1.clone();
        let request = xtq_types::memory::WriteRequest::from_words(&data);
        let mut words = [0; 8];
        request.data.to_words(&mut words);
        assert_eq!(words, PACKET);
    }
}

#[test]
fn what_is_not_to_be_enqueued_passes_in_order_and_writes_nothing() {
    let queue = Queue::new(3, 1, 8);
    let mut rig = rig((1, 1));
    let plain = MessageRecord {
        xtq: 0.into(),
        ..record(1, queue)
    };
    let refused = MessageRecord {
        status: status::QUEUE_FULL.to_bits(),
        access: access::TABLE.to_bits(),
        has_payload: 0.into(),
        ..record(2, queue)
    };
    for message in [plain, refused] {
        rig.source("record").push_value(message);
    }
    rig.run(10);
    assert!(rig.received("enqueue").is_empty());
    let [plain, refused] = jobs(&rig)[..] else {
        panic!("two jobs")
    };
    assert_eq!(
        (
            plain.slot.to_u64(),
            plain.status.to_u64(),
            plain.publish.to_u64()
        ),
        (1, 0, 0)
    );
    assert_eq!(
        (
            plain.wait_payload.to_u64(),
            plain.writes.to_u64(),
            plain.packet_id.to_u64()
        ),
        (1, 0, 0)
    );
    assert_eq!(
        (refused.slot.to_u64(), refused.status.to_u64() as u8),
        (2, status::QUEUE_FULL)
    );
    assert_eq!(
        (refused.access.to_u64() as u8, refused.wait_payload.to_u64()),
        (access::TABLE, 0)
    );
    let taken = rig.source("record").accepted();
    assert_eq!(taken[1] - taken[0], 2);
}

#[test]
fn a_queue_may_be_opened_in_any_cycle_of_a_message_to_another() {
    let (queue, other) = (Queue::new(0, 1, 8), Queue::new(2, 1, 8));
    for at in 0..14 {
        let mut rig = rig((1, 1));
        open(&mut rig, queue, 10, 10);
        for slot in 0..2 {
            send(&mut rig, slot, queue);
        }
        rig.run(at);
        rig.source("opened").push(&[other.key(), 77, 70]);
        rig.run_until(60, |rig| rig.received("header").len() == 2);
        send(&mut rig, 2, other);
        send(&mut rig, 3, queue);
        rig.run_until(60, |rig| rig.received("header").len() == 4);
        let ids: Vec<u64> = jobs(&rig)
            .iter()
            .map(|job| job.packet_id.to_u64())
            .collect();
        assert_eq!(ids, [10, 11, 77, 12], "opened after {at} cycles");
    }
}

#[test]
fn a_shared_queue_takes_the_done_only_when_no_earlier_message_waits_for_it() {
    let queue = Queue::new(0, 1, 8).shared();
    let mut rig = rig((2, 2));
    open(&mut rig, queue, 0, 0);
    rig.set("payload_waiting", 1);
    rig.source("done").push_value(payload_done(false, false));
    send(&mut rig, 0, queue);
    rig.run(20);
    assert_eq!(rig.source("done").waiting(), 1);
    assert!(rig.memory.log.is_empty());
    rig.set("payload_waiting", 0);
    rig.run(20);
    assert_eq!(rig.source("done").waiting(), 0);
    let job = jobs(&rig)[0];
    assert_eq!(
        (
            job.publish.to_u64(),
            job.writes.to_u64(),
            job.wait_payload.to_u64()
        ),
        (1, 1, 0)
    );
    assert_eq!(rig.received("enqueue").len(), 1);
}

#[test]
fn a_shared_queue_that_is_not_open_is_not_claimed_and_another_is_not_asked_about() {
    let (shared, own) = (Queue::new(1, 9, 8).shared(), Queue::new(3, 2, 8));
    let payload = (status::MEMORY_ERROR, access::PAYLOAD);
    let cases = [
        (shared, true, false, (status::BAD_QUEUE_INDEX, access::NONE)),
        (
            shared,
            false,
            false,
            (status::BAD_QUEUE_INDEX, access::NONE),
        ),
        (shared, true, true, payload),
        (own, true, false, (status::OK, access::NONE)),
    ];
    for (queue, has_payload, error, outcome) in cases {
        let mut rig = rig((2, 2));
        open(&mut rig, queue, 0, 0);
        send(&mut rig, 0, queue);
        let sent = MessageRecord {
            has_payload: u64::from(has_payload).to_bits(),
            ..record(1, queue)
        };
        let slots = rig.slots.as_mut().unwrap();
        slots.open(1, queue.info());
        slots.put(1, PACKET);
        // Open for the first message; closed by the time the second one's payload is there.
        rig.source("done").push_value(payload_done(false, false));
        rig.run_until(60, |rig| rig.received("header").len() == 1);
        rig.set("claim_open", 0);
        rig.source("record").push_value(sent);
        rig.run(6);
        if has_payload && queue.shared {
            assert_eq!(rig.get("claim_queue"), queue.key());
            rig.source("done").push_value(payload_done(error, false));
        }
        rig.run_until(60, |rig| rig.received("header").len() == 2);
        rig.run(20);
        let job = jobs(&rig)[1];
        assert_eq!(
            (job.status.to_u64() as u8, job.access.to_u64() as u8),
            outcome
        );
        let publish = u64::from(queue == own);
        assert_eq!(
            (job.publish.to_u64(), job.writes.to_u64()),
            (publish, 2 * publish)
        );
        assert_eq!(job.shared.to_u64(), u64::from(queue.shared));
        assert_eq!(rig.memory.of("atomic").len(), usize::from(queue.shared));
        let writes = if queue.shared { 1 } else { 4 };
        assert_eq!(rig.received("enqueue").len(), writes);
        assert!(rig.received("fail").is_empty());
    }
}

#[test]
fn misaligned_addresses_are_used_as_if_aligned() {
    let queue = Queue::new(0, 3, 4);
    let mut rig = rig((1, 1));
    open(&mut rig, queue, 2, 2);
    let mut info = queue.info();
    info.ring_base = (queue.ring() + 13).to_bits();
    info.write_index_address = (queue.write_index() + 5).to_bits();
    let slots = rig.slots.as_mut().unwrap();
    slots.open(0, info);
    slots.put(0, PACKET);
    rig.source("record").push_value(record(0, queue));
    rig.run(12);
    let address = |i: usize| {
        xtq_types::memory::WriteRequest::from_words(&rig.received("enqueue")[i].1)
            .address
            .to_u64()
    };
    assert_eq!(
        (address(0), address(1)),
        (queue.slot(2), queue.write_index())
    );
}

#[test]
fn no_valid_follows_a_ready() {
    let (queue, shared) = (Queue::new(0, 1, 8), Queue::new(2, 1, 8).shared());
    let mut rig = rig((2, 2));
    open(&mut rig, queue, 0, 0);
    open(&mut rig, shared, 0, 0);
    for slot in 0..6 {
        rig.source("done").push_value(payload_done(false, false));
        send(&mut rig, slot, if slot % 2 == 0 { queue } else { shared });
    }
    for _ in 0..80 {
        rig.check_ready_paths(&["enqueue", "atomic", "read", "header"]);
        rig.cycle();
    }
    assert_eq!(rig.received("header").len(), 6);
}
