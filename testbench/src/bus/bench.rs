//! `Bench`: a block with word streams around it, run cycle by cycle.

use thiserror::Error;
use xtq_engine::{Direction, Engine};

use super::{Gaps, Model, Pin, Violation, WordSink, WordSource, run_cycle};

/// Why a run stopped.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The design broke a protocol rule.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// The engine refused or could not settle.
    #[error(transparent)]
    Engine(#[from] xtq_engine::Error),
    /// The awaited state was not reached.
    #[error("cycle {cycle}: not done after {max_cycles} cycles")]
    Timeout {
        /// Cycle at which it was given up.
        cycle: u64,
        /// Cycles allowed.
        max_cycles: u64,
    },
    /// A valid output follows a ready input within the cycle.
    #[error("cycle {cycle}: '{valid}' changes with the ready inputs in the same cycle")]
    ReadyPath {
        /// Cycle of the test.
        cycle: u64,
        /// Name of the valid output.
        valid: String,
    },
}

/// A design, the sources and sinks on its streams, and other models on its pins.
///
/// ```no_run
/// use xtq_testbench::bus::{Bench, BenchError, Gaps};
///
/// fn words_come_out_in_order(engine: &mut dyn xtq_engine::Engine) -> Result<(), BenchError> {
///     let mut bench = Bench::new(engine)?;
///     let input = bench.source("data_in", Gaps::random(0.3, 1))?;
///     let output = bench.sink("data_out", Gaps::random(0.5, 2))?;
///     for word in 0..10 {
///         bench.sources[input].push(&[word]);
///     }
///     bench.run_until(|b| b.sinks[output].received().len() == 10, 1000)?;
///     let words: Vec<u64> = bench.sinks[output].received().iter().map(|(_, words)| words[0]).collect();
///     assert_eq!(words, (0..10).collect::<Vec<u64>>());
///     Ok(())
/// }
/// ```
pub struct Bench<'a> {
    /// The design.
    pub engine: &'a mut dyn Engine,
    /// Sources, in the order in which they were added.
    pub sources: Vec<WordSource>,
    /// Sinks, in the order in which they were added.
    pub sinks: Vec<WordSink>,
    /// Other models, run after the sources and sinks.
    pub models: Vec<&'a mut dyn Model>,
}

impl<'a> Bench<'a> {
    /// A bench without models; resets the design for two cycles if it has a port `rst`. Errors: of the engine.
    pub fn new(engine: &'a mut dyn Engine) -> xtq_engine::Result<Self> {
        if engine.port("rst").is_ok() {
            engine.reset(2)?;
        }
        Ok(Self {
            engine,
            sources: Vec::new(),
            sinks: Vec::new(),
            models: Vec::new(),
        })
    }

    /// Adds a source on the stream `name`; gives its position in `sources`. Errors: a port is missing.
    pub fn source(&mut self, name: &str, gaps: Gaps) -> xtq_engine::Result<usize> {
        self.sources.push(WordSource::new(self.engine, name, gaps)?);
        Ok(self.sources.len() - 1)
    }

    /// Adds a sink with its checker on the stream `name`; gives its position in `sinks`. Errors: a port is missing.
    pub fn sink(&mut self, name: &str, gaps: Gaps) -> xtq_engine::Result<usize> {
        self.sinks.push(WordSink::new(self.engine, name, gaps)?);
        Ok(self.sinks.len() - 1)
    }

    /// Sets an input that belongs to no stream. Errors: there is none of this name.
    pub fn set(&mut self, name: &str, words: &[u64]) -> xtq_engine::Result<()> {
        Pin::input(self.engine, name)?.set_words(self.engine, words)
    }

    /// Value of a port as of the last settling. Errors: there is none of this name.
    pub fn get(&self, name: &str) -> xtq_engine::Result<Vec<u64>> {
        Ok(Pin::any(self.engine, name)?.get_words(self.engine))
    }

    /// Runs one cycle. Errors: as [`run_cycle`].
    pub fn cycle(&mut self) -> Result<(), BenchError> {
        let sources = self.sources.iter_mut().map(|model| model as &mut dyn Model);
        let sinks = self.sinks.iter_mut().map(|model| model as &mut dyn Model);
        let mut models: Vec<&mut dyn Model> = sources.chain(sinks).collect();
        models.extend(
            self.models
                .iter_mut()
                .map(|model| &mut **model as &mut dyn Model),
        );
        run_cycle(self.engine, &mut models)
    }

    /// Runs until `done` holds, tested before each cycle; gives the cycles run. Errors: as [`run_cycle`], and a
    /// timeout.
    pub fn run_until(
        &mut self,
        done: impl Fn(&Self) -> bool,
        max_cycles: u64,
    ) -> Result<u64, BenchError> {
        for cycle in 0..=max_cycles {
            if done(self) {
                return Ok(cycle);
            }
            if cycle < max_cycles {
                self.cycle()?;
            }
        }
        Err(BenchError::Timeout {
            cycle: self.engine.cycle(),
            max_cycles,
        })
    }

    /// Checks, in the present state, that no valid output follows a ready input: settles with all ready inputs low,
    /// then high, and compares the outputs whose names end in `valid`. Takes no cycle; leaves the ready inputs high.
    /// Errors: of the engine, or the name of an output that follows.
    pub fn check_ready_paths(&mut self) -> Result<(), BenchError> {
        let ports = self.engine.ports().to_vec();
        let ports_of = |direction, suffix| {
            let ports = ports.iter();
            ports.filter(move |port| port.direction == direction && port.name.ends_with(suffix))
        };
        let mut seen = [Vec::new(), Vec::new()];
        for (level, seen) in seen.iter_mut().enumerate() {
            for port in ports_of(Direction::In, "ready") {
                Pin::input(self.engine, &port.name)?.set(self.engine, level as u64)?;
            }
            self.engine.eval()?;
            for port in ports_of(Direction::Out, "valid") {
                seen.push(Pin::output(self.engine, &port.name)?.get(self.engine));
            }
        }
        let [low, high] = seen;
        for (port, (low, high)) in ports_of(Direction::Out, "valid").zip(low.into_iter().zip(high))
        {
            if low != high {
                return Err(BenchError::ReadyPath {
                    cycle: self.engine.cycle(),
                    valid: port.name.clone(),
                });
            }
        }
        Ok(())
    }
}
