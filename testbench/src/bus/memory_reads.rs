//! The read side of an `AxiMemory`: bursts, when they look at the memory, in which order their beats come.

use std::collections::{BTreeMap, VecDeque};

use rand::seq::IteratorRandom;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

use super::axi_pins::{Address, LINE_BYTES};
use super::memory_config::{Failure, MemoryTiming, latency};
use super::memory_writes::AtomicResult;
use crate::bytes::{Bytes, SparseMemory};

type Line = [u8; LINE_BYTES as usize];

/// What a burst saw, one line after the other.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Seen(#[serde(with = "crate::saved::bytes")] Line);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Burst {
    number: u64,
    address: Address,
    failure: Option<Failure>,
    /// Cycle in which the burst looks at the memory.
    sample_at: u64,
    /// Cycle from which on R may be valid, never before `sample_at`.
    answer_from: u64,
    /// What the burst saw.
    lines: Option<VecDeque<Seen>>,
    beat: u64,
}

/// A beat to put on the R channel.
pub(super) struct ReadBeat {
    pub(super) id: u8,
    pub(super) resp: u8,
    pub(super) code: u8,
    pub(super) last: bool,
    pub(super) data: Line,
}

/// The read bursts whose last beat is not on the pins.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Reads {
    bursts: u64,
    /// By id, in order.
    queues: BTreeMap<u8, VecDeque<Burst>>,
}

impl Reads {
    pub(super) fn is_empty(&self) -> bool {
        self.queues.values().all(VecDeque::is_empty)
    }

    /// First cycle in which a burst looks at the memory or a beat may be given. `u64::MAX`: none.
    pub(super) fn next_event(&self) -> u64 {
        let heads = self.queues.values().filter_map(VecDeque::front);
        let answers = heads.map(|burst| burst.answer_from);
        let waiting = self.queues.values().flatten();
        let looks = waiting.filter(|burst| burst.lines.is_none());
        let looks = looks.map(|burst| burst.sample_at);
        answers.chain(looks).min().unwrap_or(u64::MAX)
    }

    fn push(&mut self, burst: Burst) {
        self.bursts += 1;
        self.queues
            .entry(burst.address.id)
            .or_default()
            .push_back(burst);
    }

    pub(super) fn accept(
        &mut self,
        cycle: u64,
        address: Address,
        failure: Option<Failure>,
        timing: &MemoryTiming,
        rng: &mut ChaCha8Rng,
    ) {
        let answer_from = cycle + latency(&timing.read_latency, rng);
        self.push(Burst {
            number: self.bursts,
            address,
            failure,
            sample_at: rng.random_range(cycle + 1..=answer_from),
            answer_from,
            lines: None,
            beat: 0,
        });
    }

    /// The old value of an atomic, which was performed in `cycle`.
    pub(super) fn accept_atomic(
        &mut self,
        cycle: u64,
        result: AtomicResult,
        timing: &MemoryTiming,
        rng: &mut ChaCha8Rng,
    ) {
        let mut line = noise(rng);
        if result.failure.is_none() {
            let first = (result.address.address - result.address.line(0)) as usize;
            line[first..first + 8].copy_from_slice(&result.old);
        }
        self.push(Burst {
            number: self.bursts,
            address: result.address,
            failure: result.failure,
            sample_at: cycle,
            answer_from: cycle + latency(&timing.read_latency, rng),
            lines: Some(VecDeque::from([Seen(line)])),
            beat: 0,
        });
    }

    /// Lets the bursts look at the memories whose time has come. Lanes that were not asked for, and beats that fail,
    /// hold noise.
    pub(super) fn sample(&mut self, cycle: u64, memories: &[SparseMemory], rng: &mut ChaCha8Rng) {
        let bursts = self.queues.values_mut().flatten();
        for burst in bursts.filter(|burst| burst.lines.is_none() && burst.sample_at <= cycle) {
            let (address, memory) = (burst.address, &memories[usize::from(burst.address.context)]);
            let lines = (0..address.beats()).map(|beat| {
                let mut line = noise(rng);
                if beat_response(burst.failure.as_ref(), &address, beat).0 == 0 {
                    let lanes = address.lanes(beat);
                    let first = lanes.trailing_zeros() as usize;
                    let end = first + lanes.count_ones() as usize;
                    memory.read(address.line(beat) + first as u64, &mut line[first..end]);
                }
                Seen(line)
            });
            burst.lines = Some(lines.collect());
        }
    }

    /// Chooses the next beat: of the oldest burst, or with `reorder` of the oldest burst of any id.
    pub(super) fn next_beat(
        &mut self,
        cycle: u64,
        reorder: bool,
        rng: &mut ChaCha8Rng,
    ) -> Option<ReadBeat> {
        let heads = self.queues.iter().filter_map(|(id, queue)| {
            let burst = queue.front()?;
            Some((*id, burst.number, burst.answer_from <= cycle))
        });
        let (id, _, _) = if reorder {
            heads.filter(|(_, _, ready)| *ready).choose(rng)
        } else {
            heads
                .min_by_key(|(_, number, _)| *number)
                .filter(|(_, _, ready)| *ready)
        }?;
        let queue = self.queues.get_mut(&id)?;
        let burst = queue.front_mut()?;
        let Seen(data) = burst.lines.as_mut()?.pop_front()?;
        let (resp, code) = beat_response(burst.failure.as_ref(), &burst.address, burst.beat);
        burst.beat += 1;
        let last = burst.lines.as_ref().is_none_or(VecDeque::is_empty);
        if last {
            queue.pop_front();
        }
        Some(ReadBeat {
            id,
            resp,
            code,
            last,
            data,
        })
    }
}

fn beat_response(failure: Option<&Failure>, address: &Address, beat: u64) -> (u8, u8) {
    failure.map_or((0, 0), |failure| failure.of_line(address.line(beat)))
}

fn noise(rng: &mut ChaCha8Rng) -> Line {
    let mut line = [0; LINE_BYTES as usize];
    rng.fill_bytes(&mut line);
    line
}
