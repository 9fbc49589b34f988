//! Host memory for the gather unit: every byte is known by its context and address, some lines are bad.

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Engine, Result};
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSink};

use crate::beats::{field, words};

/// The byte at an address of a context.
pub fn byte(context: u64, address: u64) -> u8 {
    let mixed = (address ^ context << 61).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as u8
}

/// Whether the line at this address cannot be read: one in 32 of the upper half of the address space.
pub fn is_bad(line: u64) -> bool {
    line >> 63 == 1 && (line >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59 == 0
}

/// A burst as it was asked for: context, address, lines.
pub type Burst = (u64, u64, u64);

/// Answers bursts in order, a line a cycle.
pub struct Memory {
    request: WordSink,
    result: Pin,
    result_valid: Pin,
    /// Cycles from a burst to its lines, of those that are taken from now on.
    pub latency: std::ops::RangeInclusive<u64>,
    rng: ChaCha8Rng,
    /// Cycle in which it may come, context, address, last of its burst.
    queue: VecDeque<(u64, u64, u64, bool)>,
    answering: bool,
    /// Cycle and burst of each request.
    pub requests: Vec<(u64, Burst)>,
    /// Cycle of each line.
    pub lines: Vec<u64>,
}

impl Memory {
    /// A memory that answers a burst taken in cycle *n* in *n* + `latency` or later; 1 is the earliest.
    pub fn new(
        engine: &dyn Engine,
        latency: std::ops::RangeInclusive<u64>,
        gaps: Gaps,
        seed: u64,
    ) -> Result<Self> {
        Ok(Self {
            request: WordSink::new(engine, "request", gaps)?,
            result: Pin::input(engine, "result")?,
            result_valid: Pin::input(engine, "result_valid")?,
            latency,
            rng: ChaCha8Rng::seed_from_u64(seed),
            queue: VecDeque::new(),
            answering: false,
            requests: Vec::new(),
            lines: Vec::new(),
        })
    }

    /// Lines asked for.
    pub fn asked(&self) -> u64 {
        self.requests.iter().map(|(_, burst)| burst.2).sum()
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
        if let Some((_, context, address, last)) = front {
            let error = is_bad(*address);
            let bytes: Vec<u8> = (0..64).map(|i| byte(*context, address + i)).collect();
            let data = words(&bytes);
            value[0] = u64::from(*last) | u64::from(error) << 1;
            for i in 0..8 {
                value[i] |= data[i] << 2;
                value[i + 1] = data[i] >> 62;
            }
        }
        self.result.set_words(engine, &value)?;
        self.result_valid.set(engine, self.answering.into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if self.answering {
            self.queue.pop_front();
            self.lines.push(cycle);
        }
        if let Some(words) = self.request.take(engine, cycle)? {
            let (address, context) = (words[0], field(&words, 64, 2));
            let count = field(&words, 66, 8) + 1;
            self.requests.push((cycle, (context, address, count)));
            let due = cycle + self.rng.random_range(self.latency.clone());
            for i in 0..count {
                let line = address.wrapping_add(64 * i);
                self.queue.push_back((due, context, line, i + 1 == count));
            }
        }
        Ok(())
    }
}
