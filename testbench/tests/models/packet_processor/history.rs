//! The processor against a naive formulation: it keeps no state but the whole history, and finds the next thing to
//! happen by asking questions about that history, from its beginning, every time.

use crate::packet_processor::setup::BARRIER_BIT;
use crate::packet_processor::steps::{Entry, SIGNALS, any_history, play};
use proptest::prelude::*;
use xtq_testbench::aql::Packet;
use xtq_testbench::packet_processor::QueueConfig;

/// One fact of a history.
#[derive(Clone)]
enum Fact {
    Published(u64, Packet),
    Rung(u64),
    Stored(u64, i64),
    Started(u64, Packet),
    Completed(u64),
    Retired(u64),
    Failed(u64),
}
use Fact::*;

fn word(packet: &Packet, offset: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&packet[offset..offset + 8]);
    u64::from_le_bytes(bytes)
}

struct Naive {
    config: QueueConfig,
    facts: Vec<Fact>,
}

impl Naive {
    /// The packet in a slot, `None` if its header says INVALID.
    fn slot(&self, slot: u64) -> Option<Packet> {
        let here = |id: &u64| id % self.config.size == slot;
        let last = self.facts.iter().rev().find_map(|fact| match fact {
            Published(id, packet) if here(id) => Some(Some(*packet)),
            Retired(id) if here(id) => Some(None),
            _ => None,
        });
        last.flatten().filter(|packet| packet[0] != 1)
    }

    fn started(&self, id: u64) -> Option<Packet> {
        self.facts.iter().find_map(|fact| match fact {
            Started(i, packet) if *i == id => Some(*packet),
            _ => None,
        })
    }

    fn completed(&self, id: u64) -> bool {
        self.facts
            .iter()
            .any(|f| matches!(f, Completed(i) if *i == id))
    }

    /// The first id from the queue's first one for which a fact is missing.
    fn first_without(&self, has: impl Fn(&Fact, u64) -> bool) -> u64 {
        let missing = |&id: &u64| !self.facts.iter().any(|fact| has(fact, id));
        (self.config.first_id..).find(missing).unwrap_or(u64::MAX)
    }

    fn read_index(&self) -> u64 {
        self.first_without(|fact, id| matches!(fact, Retired(i) if *i == id))
    }

    fn next_id(&self) -> u64 {
        self.first_without(|fact, id| matches!(fact, Started(i, _) if *i == id))
    }

    /// A signal's value after the first `count` facts.
    fn signal(&self, handle: u64, count: usize) -> i64 {
        let mut value = 0;
        for fact in &self.facts[..count] {
            match fact {
                Stored(h, v) if *h == handle => value = *v,
                Completed(id) => {
                    let packet = self.started(*id).expect("it completed");
                    value -= i64::from(word(&packet, 56) == handle);
                }
                _ => {}
            }
        }
        value
    }

    /// Whether a signal was 0 at any time since the packet started.
    fn seen_zero_since(&self, id: u64, handle: u64) -> bool {
        let started = |f: &Fact| matches!(f, Started(i, _) if *i == id);
        let start = self.facts.iter().position(started).expect("it started");
        (start + 1..=self.facts.len()).any(|count| self.signal(handle, count) == 0)
    }

    /// What must happen next, if anything.
    fn next(&self) -> Option<Fact> {
        let (oldest, next) = (self.read_index(), self.next_id());
        if self.completed(oldest) {
            return Some(Retired(oldest));
        }
        for id in oldest..next {
            let packet = self.started(id).expect("it is below the next id");
            if !matches!(packet[0], 3 | 5) || self.completed(id) {
                continue;
            }
            let handles = [8, 16, 24, 32, 40].map(|offset| word(&packet, offset));
            let mut handles = handles.into_iter().filter(|&h| h != 0);
            let open = match packet[0] {
                3 => handles.all(|h| self.seen_zero_since(id, h)),
                _ => handles.any(|h| self.seen_zero_since(id, h)),
            };
            return open.then_some(Completed(id));
        }
        let failed = self.facts.iter().any(|f| matches!(f, Failed(_)));
        let rung = self
            .facts
            .iter()
            .any(|f| matches!(f, Rung(i) if *i >= next));
        if failed || !rung || next >= oldest + self.config.size {
            return None;
        }
        let packet = self.slot(next % self.config.size)?;
        if packet[1] & BARRIER_BIT != 0 && (oldest..next).any(|id| !self.completed(id)) {
            return None;
        }
        Some(match packet[0] {
            2..=5 => Started(next, packet),
            _ => Failed(next),
        })
    }

    /// Adds a fact and all that follows from it; the log lines.
    fn add(&mut self, fact: Fact) -> Vec<String> {
        let mut log = Vec::new();
        let mut now = Some(fact);
        while let Some(fact) = now {
            log.extend(match &fact {
                Started(id, packet) if matches!(packet[0], 2 | 4) => Some(format!("launch {id}")),
                Completed(id) => Some(format!("complete {id}")),
                Failed(id) => Some(format!("error {id} 0x1009")),
                _ => None,
            });
            self.facts.push(fact);
            now = self.next();
        }
        log
    }

    /// Whether a kernel or agent task runs.
    fn runs(&self, id: u64) -> bool {
        let packet = self.started(id);
        packet.is_some_and(|packet| matches!(packet[0], 2 | 4)) && !self.completed(id)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_history_gives_what_the_naive_formulation_gives(history in any_history()) {
        let (queue, entries) = play(&history);
        let mut naive = Naive { config: history.config, facts: Vec::new() };
        let mut expected = Vec::new();
        for entry in entries.iter().filter(|entry| !matches!(entry, Entry::Log(_))) {
            expected.push(entry.clone());
            let log = match entry {
                Entry::Publish(id, packet) => naive.add(Published(*id, *packet)),
                Entry::Doorbell(id) => naive.add(Rung(*id)),
                Entry::Store(handle, value) => naive.add(Stored(*handle, *value)),
                Entry::Finish(id) if naive.runs(*id) => naive.add(Completed(*id)),
                Entry::Finish(_) | Entry::Log(_) => Vec::new(),
            };
            expected.extend(log.into_iter().map(Entry::Log));
        }
        prop_assert_eq!(&entries, &expected);
        prop_assert_eq!(queue.processor.read_index(), naive.read_index());
        prop_assert_eq!(queue.processor.next_id(), naive.next_id());
        prop_assert_eq!(queue.processor.error().is_some(), naive.facts.iter().any(|f| matches!(f, Failed(_))));
        for handle in SIGNALS {
            prop_assert_eq!(queue.signal(handle), naive.signal(handle, naive.facts.len()));
        }
        let types = (0..queue.size).map(|slot| naive.slot(slot).map_or(1, |packet| packet[0]));
        prop_assert_eq!(queue.types(), types.collect::<Vec<_>>());
    }
}
