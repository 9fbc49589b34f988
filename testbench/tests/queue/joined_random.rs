//! The four blocks joined: every byte, every order, from the log of the memory.

use std::collections::HashMap;

use proptest::prelude::*;
use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::pipe::PayloadDone;

use super::joined::{Manager, Message};
use super::memory::Access;
use super::queues::Queue;

/// Bytes 4..63, and the header's.
const BODY: u64 = !15;
const HEADER: u64 = 15;
/// The header word of a repaired slot.
const BARRIER: u32 = 3;

/// Failures that leave a queue in doubt.
const QUEUE_ERRORS: [u8; 4] = [
    access::SLOT,
    access::INDEX,
    access::HEADER,
    access::DOORBELL,
];

fn word_strobe(address: u64) -> u64 {
    0xFF << (address & 0x38)
}

/// Follows every message through the log. Gives the outcomes.
fn check(manager: &Manager, starts: &[(Queue, u64)]) -> Vec<(u8, u8)> {
    let log = |port| manager.rig.memory.of(port).into_iter();
    let (mut enqueues, mut headers, mut repairs) = (log("enqueue"), log("header"), log("repair"));
    let mut swaps = log("atomic").filter(|swap| swap.failed || swap.old == swap.word());
    let mut ids: HashMap<u64, u64> = starts
        .iter()
        .map(|(queue, start)| (queue.key(), *start))
        .collect();
    let bells: Vec<&Access> = log("doorbell").collect();
    let completions = manager.completions();
    assert_eq!(completions.len(), manager.sent.len());
    let mut covered = 0;
    let mut failed: HashMap<u64, u64> = HashMap::new();
    for (i, (sent, (completed, completion))) in manager.sent.iter().zip(&completions).enumerate() {
        let queue = sent.message.queue;
        assert_eq!(completion.slot.to_u64(), i as u64 % 256);
        assert_eq!(completion.context.to_u64(), queue.context);
        let outcome = (
            completion.status.to_u64() as u8,
            completion.access.to_u64() as u8,
        );
        if failed
            .get(&queue.key())
            .is_some_and(|at| at + 2 < sent.asked)
        {
            assert_eq!(sent.admitted, status::BAD_QUEUE_INDEX, "message {i}");
        }
        if outcome.0 == status::MEMORY_ERROR && QUEUE_ERRORS.contains(&outcome.1) {
            failed.entry(queue.key()).or_insert(*completed);
        }
        let paid = match (
            sent.message.payload.error.to_u64(),
            sent.message.payload.bad.to_u64(),
        ) {
            (1, _) => (status::MEMORY_ERROR, access::PAYLOAD),
            (_, 1) => (status::BAD_LENGTH, access::NONE),
            _ => (status::OK, access::NONE),
        };
        if sent.message.plain || sent.admitted != status::OK {
            let expected = if sent.admitted == status::OK {
                paid.0
            } else {
                sent.admitted
            };
            assert_eq!(outcome.0, expected, "message {i}");
            continue;
        }
        let mut expected = paid;
        // A failure of the queue is told rather than one of the payload; the first of them.
        let mut fail = |code| {
            if expected == paid {
                expected = (status::MEMORY_ERROR, code);
            }
        };
        let mut ready = sent.done;
        let id;
        let mut lost = false;
        if queue.shared {
            if paid.0 != status::OK || outcome.0 == status::QUEUE_FULL {
                assert!(outcome == paid || paid.0 == status::OK);
                continue;
            }
            if outcome == (status::MEMORY_ERROR, access::INDEX) {
                continue;
            }
            let swap = swaps.find(|swap| !swap.failed).unwrap();
            assert_eq!(
                (swap.address, swap.context),
                (queue.write_index(), queue.context)
            );
            assert!(
                swap.accepted >= sent.done,
                "reserved before the payload was there"
            );
            id = swap.word();
            ready = ready.max(swap.answered);
        } else {
            let next = ids.get_mut(&queue.key()).unwrap();
            id = *next;
            *next = id.wrapping_add(1);
        }
        assert_eq!(completion.packet_id.to_u64(), id, "message {i}");
        let slot = enqueues.next().unwrap();
        assert_eq!(
            (slot.context, slot.address, slot.strobe),
            (queue.context, queue.slot(id), BODY),
            "message {i}"
        );
        assert_eq!(
            (slot.data[0] >> 32, &slot.data[1..]),
            (sent.packet[0] >> 32, &sent.packet[1..])
        );
        ready = ready.max(slot.answered);
        if slot.failed {
            lost = true;
            fail(access::SLOT);
        }
        if !queue.shared {
            let index = enqueues.next().unwrap();
            assert_eq!(
                (index.context, index.address),
                (queue.context, queue.write_index())
            );
            assert_eq!(
                (index.word(), index.strobe),
                (id.wrapping_add(1), word_strobe(index.address))
            );
            ready = ready.max(index.answered);
            if index.failed {
                lost = true;
                fail(access::INDEX);
            }
        }
        if lost {
            assert_eq!(outcome, expected, "message {i}");
            continue;
        }
        let mut word = sent.packet[0] as u32;
        if paid.0 != status::OK {
            let repair = repairs.next().unwrap();
            assert_eq!(
                (repair.context, repair.address, repair.strobe),
                (queue.context, queue.slot(id), BODY)
            );
            assert_eq!(repair.data, [0; 8]);
            assert!(
                repair.accepted >= ready,
                "repair before everything was acknowledged"
            );
            ready = repair.answered;
            word = BARRIER;
            if repair.failed {
                fail(access::SLOT);
                assert_eq!(outcome, expected, "message {i}");
                continue;
            }
        }
        let header = headers.next().unwrap();
        assert_eq!(
            (header.context, header.address, header.strobe),
            (queue.context, queue.slot(id), HEADER)
        );
        assert_eq!(header.data[0] as u32, word, "message {i}");
        assert!(
            header.accepted >= ready,
            "message {i}: header {} before {ready}",
            header.accepted
        );
        if header.failed {
            fail(access::HEADER);
            assert_eq!(outcome, expected, "message {i}");
            continue;
        }
        // The doorbell that covers it: the first to this queue with this value or a later one.
        let own =
            |bell: &&Access| (bell.context, bell.first_byte()) == (queue.context, queue.doorbell());
        let covers = |bell: &Access| bell_value(bell, queue).wrapping_sub(queue.bell(id)) < 1 << 32;
        let place = covered
            + bells[covered..]
                .iter()
                .position(|bell| own(bell) && covers(bell))
                .unwrap();
        covered = place;
        let bell = bells[place];
        assert_eq!(bell.strobe, word_strobe(queue.doorbell()));
        assert!(
            bell.accepted >= header.answered,
            "message {i}: doorbell before its header"
        );
        if bell.failed {
            fail(access::DOORBELL);
        }
        assert!(
            *completed >= bell.answered,
            "message {i}: complete before its doorbell"
        );
        assert_eq!(outcome, expected, "message {i}");
    }
    assert!(
        enqueues.next().is_none()
            && headers.next().is_none()
            && repairs.next().is_none()
            && swaps.next().is_none()
    );
    assert!(
        bells.is_empty() || covered == bells.len() - 1,
        "a doorbell that no message needs"
    );
    outcomes(manager)
}

/// The doorbell's value.
fn bell_value(bell: &Access, queue: Queue) -> u64 {
    bell.data[(queue.doorbell() >> 3 & 7) as usize]
}

fn outcomes(manager: &Manager) -> Vec<(u8, u8)> {
    let codes = manager.completions().into_iter();
    codes
        .map(|(_, c)| (c.status.to_u64() as u8, c.access.to_u64() as u8))
        .collect()
}

fn payload(error: bool, bad: bool) -> PayloadDone {
    use rust_hdl::prelude::*;
    PayloadDone {
        error: u64::from(error).to_bits(),
        bad: u64::from(bad).to_bits(),
    }
}

const QUEUES: [Queue; 6] = [
    Queue::new(0, 0, 1),
    Queue::new(1, 0, 4),
    Queue::new(2, 0, 16),
    Queue::new(3, 0, 8),
    Queue::new(3, 63, 2),
    Queue::new(1, 5, 64),
];

fn starts(queues: &[Queue]) -> Vec<(Queue, u64)> {
    let start = |queue: &Queue| (u64::MAX - 3).wrapping_add(queue.key() % 5);
    queues.iter().map(|queue| (*queue, start(queue))).collect()
}

fn message(queues: usize) -> impl Strategy<Value = Message> {
    (0..queues, 0..10u8, 0..20u8).prop_map(|(queue, plain, spoilt)| Message {
        queue: QUEUES[queue],
        plain: plain == 0,
        payload: payload(spoilt == 0, spoilt == 1),
    })
}

#[test]
fn one_message_is_enqueued_published_and_rung_in_order() {
    let queue = Queue::new(1, 5, 4);
    let start = [(queue, 6)];
    let mut manager = Manager::new(&start, 0.0, (3, 9), 1);
    manager.deliver(&[Message::to(queue)]);
    assert_eq!(check(&manager, &start), [(status::OK, access::NONE)]);
    let packet = manager.sent[0].packet;
    manager.deliver(&[]);
    for _ in 0..20 {
        manager.cycle();
    }
    assert_eq!(manager.eaten[&queue.key()], [packet]);
    assert_eq!(manager.rig.memory.word(1, queue.write_index()), 7);
}

#[test]
fn a_full_queue_refuses_and_takes_again_when_drained() {
    let queue = Queue::new(0, 2, 4);
    let start = [(queue, u64::MAX - 1)];
    let mut manager = Manager::new(&start, 0.0, (1, 5), 1);
    manager.appetite = 0.0;
    manager.deliver(&[Message::to(queue); 6]);
    let (ok, full) = (
        (status::OK, access::NONE),
        (status::QUEUE_FULL, access::NONE),
    );
    assert_eq!(check(&manager, &start), [ok, ok, ok, ok, full, full]);
    manager.appetite = 1.0;
    for _ in 0..30 {
        manager.cycle();
    }
    manager.deliver(&[Message::to(queue); 3]);
    assert_eq!(check(&manager, &start)[6..], [ok; 3]);
    for _ in 0..30 {
        manager.cycle();
    }
    assert_eq!(manager.eaten[&queue.key()].len(), 7);
}

#[test]
fn each_write_that_fails_fails_its_queue_until_it_is_invalidated() {
    let cases: [(&str, u64, u8); 4] = [
        ("enqueue", 0, access::SLOT),
        ("enqueue", 1, access::INDEX),
        ("header", 0, access::HEADER),
        ("doorbell", 0, access::DOORBELL),
    ];
    for (port, which, code) in cases {
        let (queue, other) = (Queue::new(2, 3, 8), Queue::new(1, 3, 8));
        let start = [(queue, 40), (other, 50)];
        let mut manager = Manager::new(&start, 0.0, (1, 20), 1);
        let mut count = 0;
        manager.rig.memory.faults = Box::new(move |name, context, _| {
            let hit = name == port && context == 2;
            count += u64::from(hit);
            hit && count == which + 1
        });
        manager.deliver(&[Message::to(queue), Message::to(other)]);
        let ok = (status::OK, access::NONE);
        assert_eq!(
            check(&manager, &start),
            [(status::MEMORY_ERROR, code), ok],
            "{port} {which}"
        );
        manager.deliver(&[Message::to(queue), Message::to(other)]);
        assert_eq!(
            outcomes(&manager)[2..],
            [(status::BAD_QUEUE_INDEX, access::NONE), ok]
        );
        manager.invalidate(queue);
        manager.deliver(&[Message::to(queue)]);
        assert_eq!(outcomes(&manager)[4], ok);
    }
}

#[test]
fn a_repair_that_fails_fails_the_queue_and_publishes_nothing() {
    let queue = Queue::new(2, 3, 8);
    let mut manager = Manager::new(&[(queue, 40)], 0.0, (1, 20), 1);
    manager.rig.memory.faults = Box::new(|name, _, _| name == "repair");
    manager.deliver(&[Message {
        payload: payload(true, false),
        ..Message::to(queue)
    }]);
    assert!(manager.rig.memory.of("header").is_empty());
    manager.deliver(&[Message::to(queue)]);
    assert_eq!(outcomes(&manager)[1].0, status::BAD_QUEUE_INDEX);
}

#[test]
fn a_message_every_six_cycles_with_a_memory_that_answers_after_200() {
    let queue = Queue::new(1, 5, 512);
    let start = [(queue, 0)];
    let mut manager = Manager::new(&start, 0.0, (200, 200), 1);
    manager.slack = 0;
    manager.deliver(&[Message::to(queue); 120]);
    check(&manager, &start);
    let completions = manager.completions();
    let (first, last) = (completions[40].0, completions[100].0);
    assert!(
        last - first <= 60 * 6,
        "{} cycles for 60 messages",
        last - first
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn messages_to_many_queues_arrive_whole_and_in_order(
        messages in prop::collection::vec(message(QUEUES.len()), 1..120), seed in 0..10_000u64, stall in 0..3u32, latency in 1..60u64,
        appetite in 1..10u32, slack in 0..40u64,
    ) {
        let start = starts(&QUEUES);
        let mut manager = Manager::new(&start, f64::from(stall) * 0.3, (1, latency), seed);
        manager.appetite = f64::from(appetite) * 0.01;
        manager.slack = slack;
        manager.deliver(&messages);
        check(&manager, &start);
    }

    #[test]
    fn failures_stay_with_their_messages(
        messages in prop::collection::vec(message(QUEUES.len()), 1..60), seed in 0..10_000u64, latency in 1..60u64, faults in 1..10u32,
    ) {
        use rand::{Rng, SeedableRng};
        let start = starts(&QUEUES);
        let mut manager = Manager::new(&start, 0.2, (1, latency), seed);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        manager.rig.memory.faults = Box::new(move |name, _, _| !name.ends_with("read") && rng.random_bool(f64::from(faults) * 0.01));
        manager.slack = 20;
        manager.deliver(&messages);
        check(&manager, &start);
    }
}
