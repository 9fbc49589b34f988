//! What the tests of the lookup blocks share: table entries in memory and a memory that answers late and out of order.

use std::collections::HashMap;

pub use crate::entries::entry;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSink};
use xtq_types::Wire;
use xtq_types::memory::{ReadRequest, ReadResult};
use xtq_types::pipe::LookupResult;

/// Where the tests put entry `index` of a table.
pub fn address_of(context: u64, kind: u64, index: u64) -> u64 {
    (context << 48) | (kind << 40) | (index << 6)
}

/// Address and version of an entry that `entry` made, or a message if any of its words is wrong.
pub fn read_entry(value: Bits<512>) -> std::result::Result<(u64, u64), String> {
    let mut words = [0; 8];
    value.to_words(&mut words);
    if entry(words[0], words[1]) == value {
        return Ok((words[0], words[1]));
    }
    Err(format!("not an entry: {words:x?}"))
}

struct Read {
    cycle: u64,
    tag: u64,
    address: u64,
    due: u64,
    version: Option<u64>,
    error: bool,
}

/// A fill that was given to the cache.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub cycle: u64,
    pub address: u64,
    pub version: u64,
    pub error: bool,
}

/// Answers the stream `miss` with pulses on `fill`, in random order if the latency is random.
pub struct Memory {
    pub miss: WordSink,
    /// Shortest and longest time from request to fill in cycles.
    pub latency: (u64, u64),
    /// Share of reads that fail.
    pub errors: f64,
    /// While set nothing is answered.
    pub held: bool,
    /// Every fill so far.
    pub fills: Vec<Fill>,
    /// Cycle and address of every read so far.
    pub reads: Vec<(u64, u64)>,
    versions: HashMap<u64, u64>,
    fill: Pin,
    fill_valid: Pin,
    rng: ChaCha8Rng,
    under_way: Vec<Read>,
    answering: Option<Read>,
    cycle: u64,
}

impl Memory {
    pub fn new(engine: &dyn Engine, gaps: Gaps, seed: u64) -> xtq_engine::Result<Self> {
        Ok(Self {
            miss: WordSink::new(engine, "miss", gaps)?,
            latency: (1, 1),
            errors: 0.0,
            held: false,
            fills: Vec::new(),
            reads: Vec::new(),
            versions: HashMap::new(),
            fill: Pin::input(engine, "fill")?,
            fill_valid: Pin::input(engine, "fill_valid")?,
            rng: ChaCha8Rng::seed_from_u64(seed),
            under_way: Vec::new(),
            answering: None,
            cycle: 0,
        })
    }

    /// How often the entry at `address` was written.
    pub fn version(&self, address: u64) -> u64 {
        self.versions.get(&address).copied().unwrap_or(0)
    }

    /// Writes the entry at `address`.
    pub fn write(&mut self, address: u64) {
        *self.versions.entry(address).or_default() += 1;
    }

    /// Cycle and address of the reads that have no fill yet.
    pub fn under_way(&self) -> Vec<(u64, u64)> {
        let reads = self.under_way.iter();
        reads.map(|read| (read.cycle, read.address)).collect()
    }
}

impl Model for Memory {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.miss.drive(engine)?;
        let due = |read: &Read| read.due <= self.cycle;
        let due = self.under_way.iter().position(due).filter(|_| !self.held);
        self.answering = due.map(|place| self.under_way.swap_remove(place));
        self.fill_valid
            .set(engine, self.answering.is_some().into())?;
        let mut words = [u64::MAX; 9];
        if let Some(read) = &mut self.answering {
            let version = read.version.unwrap_or(
                self.versions
                    .get(&read.address)
                    .copied()
                    .unwrap_or_default(),
            );
            read.version = Some(version);
            let result = ReadResult {
                tag: read.tag.to_bits(),
                error: u64::from(read.error).to_bits(),
                data: entry(read.address, version),
            };
            result.to_words(&mut words);
        }
        self.fill.set_words(engine, &words)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if let Some(read) = self.answering.take() {
            self.fills.push(Fill {
                cycle,
                address: read.address,
                version: read.version.unwrap_or(0),
                error: read.error,
            });
        }
        let before = self.miss.received().len();
        self.miss.sample(engine, cycle)?;
        for (_, words) in &self.miss.received()[before..] {
            let request = ReadRequest::from_words(words);
            let address = request.address.to_u64();
            assert_eq!(request.size.to_u64(), 6, "a table entry has 64 bytes");
            assert_eq!(request.context.to_u64(), address >> 48, "context");
            // Memory is looked at some time between request and answer.
            let early = self.rng.random_bool(0.5);
            self.reads.push((cycle, address));
            self.under_way.push(Read {
                cycle,
                tag: request.tag.to_u64(),
                address,
                due: cycle + self.rng.random_range(self.latency.0..=self.latency.1),
                version: early.then(|| self.version(address)),
                error: self.rng.random_bool(self.errors),
            });
        }
        assert!(
            self.under_way.len() <= 4,
            "cycle {cycle}: more than four reads"
        );
        self.cycle = cycle + 1;
        Ok(())
    }
}

/// Notes every pulse on `result`.
pub struct Results {
    pub seen: Vec<(u64, LookupResult)>,
    result: Pin,
    valid: Pin,
}

impl Results {
    pub fn new(engine: &dyn Engine) -> xtq_engine::Result<Self> {
        Ok(Self {
            seen: Vec::new(),
            result: Pin::output(engine, "result")?,
            valid: Pin::output(engine, "result_valid")?,
        })
    }
}

impl Model for Results {
    fn drive(&mut self, _engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if self.valid.is_high(engine) {
            let value = LookupResult::from_words(&self.result.get_words(engine));
            self.seen.push((cycle, value));
        }
        Ok(())
    }
}
