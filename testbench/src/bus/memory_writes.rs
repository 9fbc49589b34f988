//! The write side of an `AxiMemory`: bursts, when they become visible, when they are answered.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::ops::RangeInclusive;

use rand::Rng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::axi_pins::{Address, WriteData};
use super::memory_config::{Failure, MemoryTiming, WriteRecord, latency};
use crate::bytes::{Bytes, SparseMemory};

/// A beat that is going to become visible; ordered by cycle, then by the order in which they were planned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
struct Due {
    cycle: u64,
    sequence: u64,
    burst: u64,
    beat: usize,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Burst {
    number: u64,
    aw_cycle: u64,
    address: Address,
    failure: Option<Failure>,
    beats: Vec<WriteRecord>,
    /// Cycle from which on B may be valid, once all data are there.
    answer_from: u64,
}

/// What an atomic read when it was performed.
pub(super) struct AtomicResult {
    pub(super) address: Address,
    pub(super) old: [u8; 8],
    pub(super) failure: Option<Failure>,
}

/// What one cycle made visible.
#[derive(Default)]
pub(super) struct Applied {
    pub(super) records: Vec<WriteRecord>,
    pub(super) atomics: Vec<AtomicResult>,
}

/// A response to put on the B channel.
pub(super) struct Answer {
    pub(super) id: u8,
    pub(super) resp: u8,
    pub(super) code: u8,
}

/// The write bursts that are not answered.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Writes {
    bursts: u64,
    /// Bursts whose data are not complete.
    open: VecDeque<Burst>,
    data: VecDeque<(u64, WriteData)>,
    /// Bursts with all data, by number.
    complete: BTreeMap<u64, Burst>,
    due: BinaryHeap<Reverse<Due>>,
    sequence: u64,
    /// When the last planned write of this id and context to this line is due: one id keeps order at one place.
    last_due: HashMap<(u8, u8, u64), u64>,
    /// Addresses whose writes take so many cycles, whatever else is drawn.
    pub(super) slow: Vec<(RangeInclusive<u64>, u32)>,
    /// Cycles after which a burst becomes visible, if they are not drawn: half of the way there and back.
    #[serde(default)]
    pub(super) way: Option<u64>,
    /// Numbers of the complete bursts, by id, in order.
    unanswered: BTreeMap<u8, VecDeque<u64>>,
    /// The burst whose B is on the pins.
    answering: Option<Burst>,
}

impl Writes {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
            && self.data.is_empty()
            && self.complete.is_empty()
            && self.answering.is_none()
    }

    /// First cycle in which a beat becomes visible or an answer may be given; 0: at once. `u64::MAX`: none.
    pub(super) fn next_event(&self) -> u64 {
        if !self.data.is_empty() || self.answering.is_some() {
            return 0;
        }
        let due = self.due.peek().map(|Reverse(due)| due.cycle);
        let heads = self.unanswered.values().filter_map(VecDeque::front);
        let answers = heads.filter_map(|number| Some(self.complete.get(number)?.answer_from));
        answers.chain(due).min().unwrap_or(u64::MAX)
    }

    pub(super) fn accept_address(
        &mut self,
        cycle: u64,
        address: Address,
        failure: Option<Failure>,
    ) {
        self.open.push_back(Burst {
            number: self.bursts,
            aw_cycle: cycle,
            address,
            failure,
            beats: Vec::new(),
            answer_from: 0,
        });
        self.bursts += 1;
    }

    pub(super) fn accept_data(&mut self, cycle: u64, data: WriteData) {
        self.data.push_back((cycle, data));
    }

    /// Gives the data to the bursts in order, and plans the bursts that are complete in this cycle.
    pub(super) fn assemble(&mut self, cycle: u64, timing: &MemoryTiming, rng: &mut ChaCha8Rng) {
        while let Some(mut burst) = self.open.pop_front() {
            let Some((w_cycle, data)) = self.data.pop_front() else {
                self.open.push_front(burst);
                return;
            };
            burst.beats.push(WriteRecord {
                aw_cycle: burst.aw_cycle,
                w_cycle,
                visible_cycle: None,
                b_cycle: 0,
                burst: burst.number,
                id: burst.address.id,
                context: burst.address.context,
                line: burst.address.line(burst.beats.len() as u64),
                data: data.data,
                strobes: data.strobes,
                resp: burst
                    .failure
                    .as_ref()
                    .map_or(0, |failure| failure.response.bits()),
            });
            if burst.beats.len() as u64 == burst.address.beats() {
                self.plan(cycle, burst, timing, rng);
            } else {
                self.open.push_front(burst);
            }
        }
    }

    /// Draws when a complete burst is answered and when, before that, each beat becomes visible.
    fn plan(&mut self, cycle: u64, mut burst: Burst, timing: &MemoryTiming, rng: &mut ChaCha8Rng) {
        let (first, last) = burst.address.span();
        let here =
            |slow: &&(RangeInclusive<u64>, u32)| *slow.0.start() <= last && first <= *slow.0.end();
        let cycles = match self.slow.iter().find(here) {
            Some((_, cycles)) => u64::from(*cycles).max(1),
            None => latency(&timing.write_latency, rng),
        };
        burst.answer_from = cycle + cycles;
        for (beat, record) in burst.beats.iter().enumerate() {
            let place = (record.id, record.context, record.line);
            let drawn = match self.way {
                Some(way) => (cycle + way.max(1)).min(burst.answer_from),
                None => rng.random_range(cycle + 1..=burst.answer_from),
            };
            let due = drawn.max(self.last_due.get(&place).copied().unwrap_or(0));
            self.last_due.insert(place, due);
            self.due.push(Reverse(Due {
                cycle: due,
                sequence: self.sequence,
                burst: burst.number,
                beat,
            }));
            self.sequence += 1;
        }
        let queue = self.unanswered.entry(burst.address.id).or_default();
        queue.push_back(burst.number);
        self.complete.insert(burst.number, burst);
    }

    /// Performs what is due in `cycle` on the memories of the contexts.
    pub(super) fn apply(&mut self, cycle: u64, memories: &mut [SparseMemory]) -> Applied {
        let mut applied = Applied::default();
        while let Some(Reverse(due)) = self.due.peek()
            && due.cycle <= cycle
        {
            let (number, beat) = (due.burst, due.beat);
            self.due.pop();
            let Some(burst) = self.complete.get_mut(&number) else {
                continue;
            };
            let address = burst.address;
            let record = &mut burst.beats[beat];
            let place = (record.id, record.context, record.line);
            if self.last_due.get(&place).is_some_and(|last| *last <= cycle) {
                self.last_due.remove(&place);
            }
            let memory = &mut memories[usize::from(address.context)];
            let mut old = [0; 8];
            if burst.failure.is_none() {
                if address.atop != 0 {
                    memory.read(address.address, &mut old);
                    resolve_compare(&address, &old, record);
                }
                for (first, bytes) in runs(record) {
                    memory.write(first, bytes);
                }
                record.visible_cycle = Some(cycle);
                applied.records.push(record.clone());
            }
            if address.atop != 0 {
                applied.atomics.push(AtomicResult {
                    address,
                    old,
                    failure: burst.failure.clone(),
                });
            }
        }
        applied
    }

    /// Chooses a burst to answer; its response goes on the pins and stays until `answered`.
    pub(super) fn answer(
        &mut self,
        cycle: u64,
        reorder: bool,
        rng: &mut ChaCha8Rng,
    ) -> Option<Answer> {
        let heads = self.unanswered.iter().filter_map(|(id, queue)| {
            let burst = self.complete.get(queue.front()?)?;
            Some((*id, burst.number, burst.answer_from <= cycle))
        });
        let (id, number, _) = if reorder {
            heads.filter(|(_, _, ready)| *ready).choose(rng)
        } else {
            heads
                .min_by_key(|(_, number, _)| *number)
                .filter(|(_, _, ready)| *ready)
        }?;
        if let Some(queue) = self.unanswered.get_mut(&id) {
            queue.pop_front();
        }
        let burst = self.complete.remove(&number)?;
        let failure = burst.failure.as_ref();
        let answer = Answer {
            id,
            resp: failure.map_or(0, |failure| failure.response.bits()),
            code: failure.map_or(0, |failure| failure.code),
        };
        self.answering = Some(burst);
        Some(answer)
    }

    /// The B handshake: the records of the burst.
    pub(super) fn answered(&mut self, cycle: u64) -> Vec<WriteRecord> {
        let mut records = self
            .answering
            .take()
            .map_or_else(Vec::new, |burst| burst.beats);
        for record in &mut records {
            record.b_cycle = cycle;
        }
        records
    }
}

/// Turns the beat of an AtomicCompare into the write it performs: the swap value, or nothing.
///
/// The compare value is in the lanes of the address, the swap value in the other half of the 16 bytes.
fn resolve_compare(address: &Address, old: &[u8; 8], record: &mut WriteRecord) {
    let compare = (address.address - record.line) as usize;
    let swap = compare ^ 8;
    if record.data[compare..compare + 8] == *old {
        record.data.copy_within(swap..swap + 8, compare);
        record.strobes = 0xff << compare;
    } else {
        record.strobes = 0;
    }
}

/// The bytes a beat writes, as stretches that lie next to each other, with their addresses.
pub(super) fn runs(record: &WriteRecord) -> impl Iterator<Item = (u64, &[u8])> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let rest = record.strobes.checked_shr(next)?;
        if rest == 0 {
            return None;
        }
        let first = next + rest.trailing_zeros();
        let end = first + (record.strobes >> first).trailing_ones();
        next = end;
        let bytes = &record.data[first as usize..end as usize];
        Some((record.line + u64::from(first), bytes))
    })
}
