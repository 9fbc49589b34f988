//! Streams of a block, and numbers given out.

use crate::bus::Pin;
use std::collections::BTreeMap;
use xtq_engine::{Engine, Error};

/// Cycles without an outcome after which a matcher is given up.
pub(super) const PATIENCE: u64 = 20_000;

/// A stream by name.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    data: Pin,
    valid: Pin,
    ready: Pin,
}

impl Stream {
    pub(super) fn new(engine: &dyn Engine, name: &str) -> Result<Self, Error> {
        let pin = |suffix: &str| Pin::any(engine, &format!("{name}{suffix}"));
        Ok(Self {
            data: pin("")?,
            valid: pin("_valid")?,
            ready: pin("_ready")?,
        })
    }

    /// Offers this word, or nothing.
    pub(super) fn offer(
        &self,
        engine: &mut dyn Engine,
        words: Option<&[u64]>,
    ) -> Result<(), Error> {
        self.valid.set(engine, words.is_some().into())?;
        words.map_or(Ok(()), |words| self.data.set_words(engine, words))
    }

    /// Whether what is offered is taken at the edge.
    pub(super) fn takes(&self, engine: &dyn Engine) -> bool {
        self.ready.is_high(engine)
    }

    /// Takes all that comes.
    pub(super) fn open(&self, engine: &mut dyn Engine) -> Result<(), Error> {
        self.ready.set(engine, 1)
    }

    /// What comes in this cycle.
    pub(super) fn comes(&self, engine: &dyn Engine) -> Option<Vec<u64>> {
        self.valid
            .is_high(engine)
            .then(|| self.data.get_words(engine))
    }
}

/// Waits until the block takes requests after reset. Errors: it does not.
pub(super) fn settle(engine: &mut dyn Engine, request: &Stream) -> Result<(), Error> {
    for _ in 0..PATIENCE {
        engine.eval()?;
        if request.takes(engine) {
            return Ok(());
        }
        engine.step()?;
    }
    Err(stuck())
}

pub(super) fn stuck() -> Error {
    Error::BadDesign(format!("a matcher has said nothing for {PATIENCE} cycles"))
}

/// Hardware numbers below a limit, and for whom they stand.
pub(super) struct Numbers {
    free: Vec<u64>,
    used: BTreeMap<u64, usize>,
}

impl Numbers {
    pub(super) fn below(limit: u64) -> Self {
        Self {
            free: (0..limit).rev().collect(),
            used: BTreeMap::new(),
        }
    }

    /// How many stand for nobody.
    pub(super) fn free(&self) -> usize {
        self.free.len()
    }

    /// A number that stands for `step` from now on.
    pub(super) fn take(&mut self, step: usize) -> Option<u64> {
        let number = self.free.pop()?;
        self.used.insert(number, step);
        Some(number)
    }

    /// The number that stands for `step`.
    pub(super) fn of(&self, step: usize) -> Option<u64> {
        let mut used = self.used.iter();
        used.find(|(_, other)| **other == step)
            .map(|(number, _)| *number)
    }

    /// For whom a number stands.
    pub(super) fn step(&self, number: u64) -> Option<usize> {
        self.used.get(&number).copied()
    }

    /// Gives a number back; for whom it stood.
    pub(super) fn give(&mut self, number: u64) -> Option<usize> {
        let step = self.used.remove(&number)?;
        self.free.push(number);
        Some(step)
    }
}

/// Communicators by 16-bit numbers, in the order in which they come. Errors: there are more.
#[derive(Default)]
pub(super) struct Communicators(BTreeMap<u64, u64>);

impl Communicators {
    pub(super) fn number(&mut self, comm: u64) -> Result<u64, Error> {
        let next = self.0.len() as u64;
        let number = *self.0.entry(comm).or_insert(next);
        match number >> 16 {
            0 => Ok(number),
            _ => Err(Error::BadDesign("more than 65,536 communicators".into())),
        }
    }
}
