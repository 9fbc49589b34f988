//! Follows messages through the log of the memory: every byte, every order.

use std::collections::{HashMap, HashSet};

use xtq_types::event::{access, status};

use super::joined::Manager;
use super::memory::{Access, INVALID};
use super::queues::Queue;

/// Bytes 4..63, and the header's.
const BODY: u64 = !15;
const HEADER: u64 = 15;
/// The header word of a repaired slot.
const BARRIER: u32 = 3;

const CLOSED: (u8, u8) = (status::BAD_QUEUE_INDEX, access::NONE);
/// Published, but the queue failed before the doorbell; or the doorbell failed.
const UNRUNG: (u8, u8) = (status::MEMORY_ERROR, access::DOORBELL);

/// What a message's end says about those after it in its queue.
#[derive(Clone, Copy, Debug)]
struct Broken {
    /// Slot, index or repair: no later header word.
    unpublished: bool,
    /// These or a header word: no later doorbell.
    unrung: bool,
    /// Cycle of the first such end; a doorbell that failed counts from here on only.
    since: u64,
}

impl Broken {
    fn add(self, other: Self) -> Self {
        Self {
            unpublished: self.unpublished | other.unpublished,
            unrung: self.unrung | other.unrung,
            since: self.since.min(other.since),
        }
    }
}

/// The cycle in which the first failure of a write to the queue was answered.
fn first_failure(log: &[Access], queue: Queue) -> Option<u64> {
    let ring = queue.ring()..queue.ring() + 64 * queue.size;
    let of_queue = |access: &&Access| {
        let place = access.first_byte();
        access.failed
            && !access.port.ends_with("read")
            && access.context == queue.context
            && (ring.contains(&place)
                || place == queue.doorbell()
                || access.address == queue.write_index())
    };
    log.iter().filter(of_queue).map(|a| a.answered).min()
}

fn word_strobe(address: u64) -> u64 {
    0xFF << (address & 0x38)
}

/// Follows every message through the log. Gives the outcomes.
pub fn check(manager: &Manager, starts: &[(Queue, u64)]) -> Vec<(u8, u8)> {
    let log = |port| manager.rig.memory.of(port).into_iter();
    let mut enqueues = log("enqueue");
    let (mut headers, mut repairs) = (log("header").peekable(), log("repair").peekable());
    let mut swaps = log("atomic")
        .filter(|swap| !swap.failed && swap.old == swap.word())
        .peekable();
    // Shared queues in which nothing is claimed any more.
    let mut unclaimed = HashSet::new();
    let mut ids: HashMap<u64, u64> = starts
        .iter()
        .map(|(queue, start)| (queue.key(), *start))
        .collect();
    let bells: Vec<&Access> = log("doorbell").collect();
    let completions = manager.completions();
    assert_eq!(completions.len(), manager.sent.len());
    let mut covered = 0;
    let mut broken: HashMap<u64, Broken> = HashMap::new();
    for (i, (sent, (completed, completion))) in manager.sent.iter().zip(&completions).enumerate() {
        let queue = sent.message.queue;
        assert_eq!(completion.slot.to_u64(), i as u64 % 256);
        assert_eq!(completion.context.to_u64(), queue.context);
        let outcome = (
            completion.status.to_u64() as u8,
            completion.access.to_u64() as u8,
        );
        let before = broken.get(&queue.key()).copied();
        let since = before.map_or(u64::MAX, |broken| broken.since);
        let unpublished = before.is_some_and(|broken| broken.unpublished);
        let unrung = before.is_some_and(|broken| broken.unrung);
        if since.saturating_add(2) < sent.asked {
            assert_eq!(sent.admitted, status::BAD_QUEUE_INDEX, "message {i}");
        }
        if outcome.0 == status::MEMORY_ERROR {
            let swap_failed = log("atomic").any(|swap| {
                swap.failed
                    && (swap.context, swap.address) == (queue.context, queue.write_index())
                    && swap.answered <= *completed
            });
            let unpublished = match outcome.1 {
                access::SLOT => true,
                access::INDEX => !queue.shared || swap_failed,
                _ => false,
            };
            let now = Broken {
                unpublished,
                unrung: unpublished || outcome.1 == access::HEADER,
                since: *completed,
            };
            if now.unrung || outcome.1 == access::DOORBELL {
                let both = before.map_or(now, |before| before.add(now));
                broken.insert(queue.key(), both);
            }
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
        // The queue failed while the message was on its way.
        let refused = outcome == CLOSED;
        if refused {
            let failure = first_failure(&manager.rig.memory.log, queue);
            assert!(
                failure.is_some_and(|at| at < *completed),
                "message {i} refused by a good queue"
            );
        }
        let mut expected = paid;
        // A failure of the queue is reported rather than one of the payload; the first of them.
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
            let claim = |swap: &&Access| {
                (swap.context, swap.address) == (queue.context, queue.write_index())
            };
            if refused && !swaps.peek().is_some_and(claim) {
                assert_eq!(completion.packet_id.to_u64(), 0, "message {i}");
                unclaimed.insert(queue.key());
                continue;
            }
            assert!(
                !unclaimed.contains(&queue.key()),
                "message {i} claims a place in a failed queue"
            );
            let swap = swaps.next().unwrap();
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
            assert!(refused || outcome == expected, "message {i}");
            continue;
        }
        // What is refused may have come as far as its repair or its header word before.
        let here = |access: &Access| {
            access.context == queue.context
                && access.address == queue.slot(id)
                && access.accepted < *completed
        };
        let closed = |ready: u64| unpublished || ready > since;
        let mut word = sent.packet[0] as u32;
        // Others wait after a slot of a shared queue: it is repaired, but not rung.
        let filled = queue.shared && refused && repairs.peek().is_some_and(|&repair| here(repair));
        if paid.0 != status::OK || filled {
            if refused && !repairs.peek().is_some_and(|&repair| here(repair)) {
                continue;
            }
            assert!(
                filled || !closed(ready),
                "message {i} repaired in a failed queue"
            );
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
                assert!(refused || outcome == expected, "message {i}");
                continue;
            }
        }
        if refused && !headers.peek().is_some_and(|&header| here(header)) {
            assert!(!queue.shared, "message {i} leaves a hole");
            continue;
        }
        assert!(
            filled || !closed(ready),
            "message {i} published in a failed queue"
        );
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
        if refused {
            let rung = |bell: &&Access| {
                (bell.context, bell.first_byte()) == (queue.context, queue.doorbell())
                    && bell_value(bell, queue) == queue.bell(id)
            };
            assert!(!bells.iter().any(rung), "message {i} refused and rung");
            assert!(filled || header.failed, "message {i} refused and published");
            assert!(*completed >= header.answered, "message {i}");
            continue;
        }
        if header.failed {
            fail(access::HEADER);
            assert_eq!(outcome, expected, "message {i}");
            continue;
        }
        // The doorbell that covers it: the first to this queue with this value or a later one.
        let own =
            |bell: &&Access| (bell.context, bell.first_byte()) == (queue.context, queue.doorbell());
        let covers = |bell: &Access| bell_value(bell, queue).wrapping_sub(queue.bell(id)) < 1 << 32;
        let place = bells[covered..]
            .iter()
            .position(|bell| own(bell) && covers(bell));
        let Some(place) = place else {
            // What fills the place of a message that had failed changes nothing.
            let unrung = if paid.0 == status::OK { UNRUNG } else { paid };
            assert_eq!(outcome, unrung, "message {i} has no doorbell");
            let failure = first_failure(&manager.rig.memory.log, queue);
            assert!(
                failure.is_some_and(|at| at < *completed),
                "message {i} not rung in a good queue"
            );
            continue;
        };
        assert!(
            !unrung && header.answered <= since,
            "message {i} rung in a failed queue"
        );
        covered += place;
        let bell = bells[covered];
        assert_eq!(bell.strobe, word_strobe(queue.doorbell()));
        assert!(
            bell.accepted >= header.answered,
            "message {i}: doorbell before its header"
        );
        if bell.failed && paid.0 == status::OK {
            fail(access::DOORBELL);
        } else if bell.failed {
            // What fills the place of a message that had failed changes nothing for it, but the queue fails.
            let now = Broken {
                unpublished: false,
                unrung: false,
                since: *completed,
            };
            let both = before.map_or(now, |before| before.add(now));
            broken.insert(queue.key(), both);
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

/// Status and access of every completed message.
pub fn outcomes(manager: &Manager) -> Vec<(u8, u8)> {
    let codes = manager.completions().into_iter();
    codes
        .map(|(_, c)| (c.status.to_u64() as u8, c.access.to_u64() as u8))
        .collect()
}

/// No other producer waits after a place that this one left empty: every id below the write index has a packet, was
/// taken, or a write to its own slot failed.
pub fn check_no_holes(manager: &Manager, queue: Queue) {
    let memory = &manager.rig.memory;
    let index = |address| memory.word(queue.context, address);
    let (mut id, write) = (index(queue.read_index()), index(queue.write_index()));
    while id != write {
        let slot = queue.slot(id);
        let own = |access: &&Access| {
            access.failed && (access.context, access.address) == (queue.context, slot)
        };
        assert!(
            index(slot) as u32 != INVALID || memory.log.iter().any(|a| own(&a)),
            "packet {id} of queue {} is a hole",
            queue.index
        );
        id = id.wrapping_add(1);
    }
}
