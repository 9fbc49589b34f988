//! The four blocks joined, with queues of the NIC's own.

use proptest::prelude::*;
use xtq_types::event::{access, status};

use super::joined::{Manager, Message, payload_done};
use super::log_check::{check, check_no_holes, outcomes};
use super::queues::Queue;

const QUEUES: [Queue; 8] = [
    Queue::new(0, 0, 1),
    Queue::new(1, 0, 4),
    Queue::new(2, 0, 16),
    Queue::new(3, 0, 8),
    Queue::new(3, 63, 2),
    Queue::new(1, 5, 64),
    Queue::new(0, 7, 16).shared(),
    Queue::new(2, 9, 4).shared(),
];

fn starts(queues: &[Queue]) -> Vec<(Queue, u64)> {
    let start = |queue: &Queue| (u64::MAX - 3).wrapping_add(queue.key() % 5);
    queues.iter().map(|queue| (*queue, start(queue))).collect()
}

fn message(queues: usize) -> impl Strategy<Value = Message> {
    (0..queues, 0..10u8, 0..20u8).prop_map(|(queue, plain, spoilt)| Message {
        queue: QUEUES[queue],
        plain: plain == 0,
        payload: payload_done(spoilt == 0, spoilt == 1),
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
        payload: payload_done(true, false),
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
        rivalry in 0..3u32,
    ) {
        use rand::{Rng, SeedableRng};
        let start = starts(&QUEUES);
        let mut manager = Manager::new(&start, 0.2, (1, latency), seed);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        manager.rig.memory.faults = Box::new(move |name, _, _| !name.ends_with("read") && rng.random_bool(f64::from(faults) * 0.01));
        manager.slack = 20;
        manager.rivalry = f64::from(rivalry) * 0.01;
        manager.deliver(&messages);
        check(&manager, &start);
        manager.rivalry = 0.0;
        for queue in QUEUES.into_iter().filter(|queue| queue.shared) {
            check_no_holes(&manager, queue);
        }
    }

    /// Most messages to one queue, and seldom a failure: several messages after it are in flight.
    #[test]
    fn other_producers_of_a_shared_queue_go_on_behind_a_failure(
        shared in prop::collection::vec(0..8u8, 2..30), seed in 0..10_000u64, latency in 20..60u64, which in 0..12u64,
        port in prop::sample::select(vec!["enqueue", "header", "doorbell", "atomic"]),
    ) {
        let queues = [Queue::new(2, 11, 64).shared(), Queue::new(2, 12, 64)];
        let start = queues.map(|queue| (queue, u64::MAX - 9));
        let mut manager = Manager::new(&start, 0.0, (1, latency), seed);
        manager.rivalry = 0.005;
        let mut count = 0;
        manager.rig.memory.faults = Box::new(move |name, _, _| {
            count += u64::from(name == port);
            name == port && count == which + 1
        });
        let messages: Vec<Message> = shared.iter().map(|&kind| Message::to(queues[usize::from(kind == 0)])).collect();
        manager.deliver(&messages);
        check(&manager, &start);
        manager.rivalry = 0.0;
        manager.compete(queues[0]);
        check_no_holes(&manager, queues[0]);
    }
}
