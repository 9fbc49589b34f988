//! What is around the stage: a cache that answers in any order, and who halts it.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::{Bits, ToBits};
use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSink};
use xtq_types::Wire;
use xtq_types::pipe::{LookupRequest, LookupResult};

use crate::entries::entry;

/// What answered a request: the stage must pass it on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    pub hit: bool,
    pub error: bool,
    pub entry: Bits<512>,
}

/// Takes requests and answers them once, `latency` cycles later; more than one due: in random order.
pub struct Answers {
    pub request: WordSink,
    pub latency: (u64, u64),
    pub held: bool,
    /// Every request and how it was answered, in the order of the requests.
    pub log: Vec<(LookupRequest, Answer)>,
    pub result: Pin,
    pub result_valid: Pin,
    pub waiting: Vec<(u64, LookupResult)>,
    pub answering: bool,
    pub rng: ChaCha8Rng,
    pub cycle: u64,
}

impl Model for Answers {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.request.drive(engine)?;
        let due: Vec<usize> = (0..self.waiting.len())
            .filter(|i| !self.held && self.waiting[*i].0 <= self.cycle)
            .collect();
        let mut words = [u64::MAX; 9];
        self.answering = !due.is_empty();
        if self.answering {
            let place = due[self.rng.random_range(0..due.len())];
            let (_, result) = self.waiting.swap_remove(place);
            result.to_words(&mut words);
        }
        self.result_valid.set(engine, self.answering.into())?;
        self.result.set_words(engine, &words)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation> {
        let before = self.request.received().len();
        self.request.sample(engine, cycle)?;
        for (_, words) in &self.request.received()[before..] {
            let request = LookupRequest::from_words(words);
            let taken = self
                .waiting
                .iter()
                .any(|(_, result)| result.tag == request.tag);
            assert!(
                !taken,
                "cycle {cycle}: tag {:?} is still in use",
                request.tag
            );
            let answer = Answer {
                hit: self.rng.random(),
                error: self.rng.random_bool(0.2),
                entry: entry(request.address.to_u64(), self.rng.random()),
            };
            let due = cycle + self.rng.random_range(self.latency.0..=self.latency.1);
            let result = LookupResult {
                tag: request.tag,
                hit: u64::from(answer.hit).to_bits(),
                error: u64::from(answer.error).to_bits(),
                entry: answer.entry,
            };
            self.waiting.push((due, result));
            self.log.push((request, answer));
        }
        self.cycle = cycle + 1;
        Ok(())
    }
}

/// Raises `halt` after a pause, and holds it for some cycles more when `empty` is up; notes both in every cycle.
pub struct Halts {
    pub halt: Pin,
    pub empty: Pin,
    pub gaps: Gaps,
    pub left: Option<u64>,
    pub seen: Vec<(u64, bool, bool)>,
}

impl Model for Halts {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        if self.left.is_none() && !self.gaps.pause() {
            self.left = Some(self.gaps.noise() % 6);
        }
        self.halt.set(engine, self.left.is_some().into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation> {
        let empty = self.empty.is_high(engine);
        self.seen.push((cycle, self.left.is_some(), empty));
        if empty {
            self.left = self.left.and_then(|left| left.checked_sub(1));
        }
        Ok(())
    }
}
