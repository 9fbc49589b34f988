//! The four blocks joined: a write fails while messages to the same queue and to another one are after it.

use xtq_types::event::{access, status};

use super::joined::{Manager, Message, RIVAL, payload_done};
use super::log_check::{check, check_no_holes};
use super::queues::Queue;

const QUEUE: Queue = Queue::new(2, 3, 8);
const OTHER: Queue = Queue::new(1, 3, 8);
const OK: (u8, u8) = (status::OK, access::NONE);
const CLOSED: (u8, u8) = (status::BAD_QUEUE_INDEX, access::NONE);
const UNRUNG: (u8, u8) = (status::MEMORY_ERROR, access::DOORBELL);

/// Delivers one message to each queue, then `first` and five more, the last of them `pause` cycles later; of what
/// `first` writes to `port`, number `which` fails. The memory is so late that all are in flight then. Outcomes of the
/// six.
fn several_in_flight(
    port: &'static str,
    which: u64,
    first: Message,
    pause: u64,
) -> (Manager, Vec<(u8, u8)>) {
    let start = [(QUEUE, 40), (OTHER, 50)];
    let mut manager = Manager::new(&start, 0.0, (60, 60), 1);
    manager.deliver(&[QUEUE, OTHER].map(Message::to));
    let mut count = 0;
    manager.rig.memory.faults = Box::new(move |name, context, _| {
        let hit = name == port && context == QUEUE.context;
        count += u64::from(hit);
        hit && count == which + 1
    });
    manager.waiting.push_back(first);
    let next = [QUEUE, OTHER, QUEUE, OTHER].map(Message::to);
    manager.waiting.extend(next);
    for _ in 0..pause {
        manager.cycle();
    }
    manager.deliver(&[Message::to(QUEUE)]);
    let outcomes = check(&manager, &start)[2..].to_vec();
    assert!(manager.sent.iter().all(|sent| sent.admitted == status::OK));
    for _ in 0..30 {
        manager.cycle();
    }
    (manager, outcomes)
}

/// Values of the doorbells that were rung in `QUEUE`.
fn rung(manager: &Manager) -> Vec<u64> {
    let bells = manager.rig.memory.of("doorbell").into_iter();
    let bells = bells.filter(|bell| bell.context == QUEUE.context);
    bells
        .map(|bell| bell.data[(QUEUE.doorbell() >> 3 & 7) as usize])
        .collect()
}

#[test]
fn behind_a_failure_nothing_of_its_queue_is_published_and_other_queues_go_on() {
    let spoilt = Message {
        payload: payload_done(false, true),
        ..Message::to(QUEUE)
    };
    let cases: [(&str, u64, u8, Message); 4] = [
        ("enqueue", 0, access::SLOT, Message::to(QUEUE)),
        ("enqueue", 1, access::INDEX, Message::to(QUEUE)),
        ("header", 0, access::HEADER, Message::to(QUEUE)),
        ("repair", 0, access::SLOT, spoilt),
    ];
    for (port, which, code, first) in cases {
        let (manager, outcomes) = several_in_flight(port, which, first, 0);
        let failed = (status::MEMORY_ERROR, code);
        // Header words are under way when the first of them fails: these packets are published.
        let behind = if code == access::HEADER {
            UNRUNG
        } else {
            CLOSED
        };
        assert_eq!(
            outcomes,
            [failed, behind, OK, behind, OK, behind],
            "{port} {which}"
        );
        assert_eq!(rung(&manager), [QUEUE.bell(40)], "{port} {which}");
        assert_eq!(manager.eaten[&QUEUE.key()].len(), 1, "{port} {which}");
        assert_eq!(manager.eaten[&OTHER.key()].len(), 3, "{port} {which}");
        let headers = manager.rig.memory.of("header").into_iter();
        let headers = headers.filter(|header| header.context == QUEUE.context);
        let under_way = if code == access::HEADER { 5 } else { 1 };
        assert_eq!(headers.count(), under_way, "{port} {which}");
    }
}

#[test]
fn behind_a_doorbell_that_failed_only_what_was_rung_before_it_was_told_is_published() {
    // The last message's header word is acknowledged after the doorbell's failure, or is not written.
    for (pause, last) in [(100, UNRUNG), (140, CLOSED)] {
        let (manager, outcomes) = several_in_flight("doorbell", 0, Message::to(QUEUE), pause);
        assert_eq!(outcomes, [UNRUNG, OK, OK, OK, OK, last]);
        assert_eq!(rung(&manager), [40, 41, 42, 43].map(|id| QUEUE.bell(id)));
        assert_eq!(manager.completions()[7].1.packet_id.to_u64(), 44);
        // The doorbells that came through announce the packet of the one that did not.
        assert_eq!(manager.eaten[&QUEUE.key()].len(), 4);
    }
}

/// Five messages to a shared queue, all in flight when the first one's write to `port` fails, then one packet of
/// another producer.
fn shared_in_flight(port: &'static str) -> (Manager, Vec<(u8, u8)>) {
    const SHARED: Queue = Queue::new(2, 5, 16).shared();
    let start = [(SHARED, 70), (OTHER, 50)];
    let mut manager = Manager::new(&start, 0.0, (60, 60), 1);
    manager.deliver(&[Message::to(SHARED)]);
    manager.appetite = 0.0;
    let mut count = 0;
    manager.rig.memory.faults = Box::new(move |name, context, _| {
        let hit = name == port && context == SHARED.context;
        count += u64::from(hit);
        hit && count == 1
    });
    manager.deliver(&[SHARED, SHARED, SHARED, SHARED, SHARED, OTHER].map(Message::to));
    let outcomes = check(&manager, &start)[1..].to_vec();
    assert!(manager.sent.iter().all(|sent| sent.admitted == status::OK));
    manager.compete(SHARED);
    check_no_holes(&manager, SHARED);
    manager.appetite = 1.0;
    for _ in 0..30 {
        manager.cycle();
    }
    (manager, outcomes)
}

#[test]
fn behind_a_failure_of_a_shared_queue_no_place_is_left_empty_and_no_more_are_claimed() {
    // Messages that had claimed a place, the first among them; what comes to the one after it.
    let cases = [
        ("enqueue", access::SLOT, 2, CLOSED),
        ("header", access::HEADER, 3, CLOSED),
        ("doorbell", access::DOORBELL, 4, UNRUNG),
    ];
    for (port, code, claimed, second) in cases {
        let (manager, outcomes) = shared_in_flight(port);
        let first = (status::MEMORY_ERROR, code);
        let expected = [first, second, CLOSED, CLOSED, CLOSED, OK];
        assert_eq!(outcomes, expected, "{port}");
        let memory = &manager.rig.memory;
        let key = 2 << 6 | 5;
        assert_eq!(memory.of("atomic").len(), 1 + claimed, "{port}");
        let filled = claimed - 1 - usize::from(second == UNRUNG);
        assert_eq!(memory.of("repair").len(), filled, "{port}");
        let eaten = &manager.eaten[&key];
        if port == "doorbell" {
            // All that was claimed, then the rival's.
            assert_eq!(eaten.len(), 1 + claimed + 1);
            assert_eq!(eaten.last().unwrap()[7], RIVAL);
            let barriers = eaten.iter().filter(|packet| packet[0] == 3);
            assert_eq!(barriers.count(), filled);
        } else {
            // The slot whose own write failed stays empty.
            assert_eq!(eaten.len(), 1, "{port}");
        }
    }
}
