//! Host memory with lists of pieces in it; lines can be bad.

use std::collections::{BTreeSet, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Engine, Result};
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSink};
use xtq_testbench::bytes::{Bytes, SparseMemory};

use crate::iovec::field;

/// A burst as it was asked for: cycle, context, address, lines.
pub type Burst = (u64, u64, u64, u64);

/// Answers the bursts of a block in order, a line a cycle.
pub struct Memory {
    request: WordSink,
    result: Pin,
    result_valid: Pin,
    latency: std::ops::RangeInclusive<u64>,
    rng: ChaCha8Rng,
    /// Cycle in which it may come, address, last of its burst.
    queue: VecDeque<(u64, u64, bool)>,
    answering: bool,
    pub bytes: SparseMemory,
    /// Addresses of lines that cannot be read.
    pub bad: BTreeSet<u64>,
    pub bursts: Vec<Burst>,
}

impl Memory {
    /// A memory that answers a burst taken in cycle *n* in *n* + `latency` or later.
    pub fn new(
        engine: &dyn Engine,
        latency: std::ops::RangeInclusive<u64>,
        pause: f64,
        seed: u64,
    ) -> Self {
        Self {
            request: WordSink::new(engine, "request", Gaps::random(pause, seed)).unwrap(),
            result: Pin::input(engine, "result").unwrap(),
            result_valid: Pin::input(engine, "result_valid").unwrap(),
            latency,
            rng: ChaCha8Rng::seed_from_u64(seed),
            queue: VecDeque::new(),
            answering: false,
            bytes: SparseMemory::new(),
            bad: BTreeSet::new(),
            bursts: Vec::new(),
        }
    }

    /// All lines that were asked for have come.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }
}

impl Model for Memory {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        self.request.drive(engine)?;
        let cycle = engine.cycle();
        let front = self.queue.front().filter(|line| line.0 <= cycle);
        self.answering = front.is_some();
        // Noise while nothing comes.
        let mut value: Vec<u64> = (0..9).map(|_| self.rng.random()).collect();
        if let Some((_, address, last)) = front {
            let error = self.bad.contains(address);
            value[0] = u64::from(*last) | u64::from(error) << 1;
            for i in 0..8 {
                // What comes with an error is noise.
                let word = match error {
                    true => self.rng.random(),
                    false => self.bytes.read_u64(address + 8 * i as u64),
                };
                value[i] |= word << 2;
                value[i + 1] = word >> 62;
            }
        }
        self.result.set_words(engine, &value)?;
        self.result_valid.set(engine, self.answering.into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if self.answering {
            self.queue.pop_front();
        }
        if let Some(words) = self.request.take(engine, cycle)? {
            let (address, context) = (words[0], field(&words, 64, 2));
            let count = field(&words, 66, 8) + 1;
            self.bursts.push((cycle, context, address, count));
            let due = cycle + self.rng.random_range(self.latency.clone());
            for i in 0..count {
                self.queue
                    .push_back((due, address + 64 * i, i + 1 == count));
            }
        }
        Ok(())
    }
}
