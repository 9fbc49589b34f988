//! The blocks on the JIT engine, and a run of the whole.

use std::sync::{Arc, OnceLock};

use rust_hdl::prelude::Block;
use xtq_engine::blocks::boxed;
use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_rtl::atomics::atomic_alu::AtomicAlu;
use xtq_testbench::bus::{Bench, Gaps, Pin};
use xtq_types::Field;
use xtq_types::atomic::{AtomicBeat, AtomicResult};

use crate::model::{self, Beat};

/// A block of this type.
pub fn block<D: Block + Default + Send + 'static>() -> Box<D> {
    let mut block = boxed(D::default).expect("there is a thread to build it on");
    block.connect_all();
    block
}

/// An engine for a block of this type.
pub fn engine<D: Block + Default + Send + 'static>() -> Compiled {
    let body = Body::new(block::<D>().as_ref(), Backend::Jit);
    let mut engine = Compiled::new(Arc::new(body.unwrap_or_else(|error| panic!("{error}"))));
    if engine.port("rst").is_ok() {
        engine.reset(2).expect("it has rst");
    }
    engine
}

/// Pins of a block, by name.
pub struct Pins<E>(pub E);

impl<E: Engine> Pins<E> {
    pub fn set(&mut self, name: &str, value: u64) {
        let pin = Pin::input(&self.0, name).expect("is an input");
        pin.set(&mut self.0, value).expect("is an input");
    }

    pub fn get(&self, name: &str) -> u64 {
        Pin::output(&self.0, name)
            .expect("is an output")
            .get(&self.0)
    }
}

/// An engine for the whole, compiled once.
pub fn alu() -> Compiled {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let body = BODY.get_or_init(|| {
        let body = Body::new(block::<AtomicAlu>().as_ref(), Backend::Jit);
        Arc::new(body.unwrap_or_else(|error| panic!("{error}")))
    });
    Compiled::new(body.clone())
}

/// Offset of a field in bits.
fn offset(fields: &[Field], name: &str) -> usize {
    let field = fields.iter().find(|field| field.name == name);
    field.expect("the format has the field").offset
}

/// Puts 64 bits (or what is left of the words) at a bit offset.
fn put(words: &mut [u64], offset: usize, value: u64) {
    let (word, shift) = (offset / 64, offset % 64);
    words[word] |= value << shift;
    if shift > 0 && word + 1 < words.len() {
        words[word + 1] |= value >> (64 - shift);
    }
}

/// Takes 64 bits from a bit offset.
fn take(words: &[u64], offset: usize) -> u64 {
    let (word, shift) = (offset / 64, offset % 64);
    let high = if shift > 0 { words.get(word + 1) } else { None };
    words[word] >> shift | high.map_or(0, |high| high << (64 - shift))
}

/// The words of the stream `beat`.
pub fn words(beat: &Beat) -> Vec<u64> {
    let at = |name| offset(AtomicBeat::FIELDS, name);
    let mut words = vec![0; 19];
    put(&mut words, at("operation"), beat.operation.into());
    put(&mut words, at("datatype"), beat.datatype.into());
    put(&mut words, at("operand"), beat.operand);
    put(&mut words, at("mask"), beat.mask);
    for i in 0..8 {
        let word =
            |bytes: &[u8; 64]| u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * i + byte]));
        put(&mut words, at("old") + 64 * i, word(&beat.old));
        put(&mut words, at("source") + 64 * i, word(&beat.source));
    }
    words
}

/// What comes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub mask: u64,
    pub updated: [u8; 64],
}

impl Line {
    pub fn from_words(words: &[u64]) -> Self {
        let at = |name| offset(AtomicResult::FIELDS, name);
        let line = |name| {
            let word = |i: usize| take(words, at(name) + 64 * (i / 8)).to_le_bytes();
            std::array::from_fn(|i| word(i)[i % 8])
        };
        Self {
            mask: take(words, at("mask")),
            updated: line("updated"),
        }
    }

    /// What the model says.
    pub fn expected(beat: &Beat) -> Self {
        Self {
            mask: beat.mask,
            updated: model::updated(beat),
        }
    }
}

/// Share of cycles in which the source and the sink pause, and the seed of the pauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pauses {
    pub beat: f64,
    pub result: f64,
    pub seed: u64,
}

/// What a run gave, with the cycle of each handshake.
#[derive(Debug, Default)]
pub struct Run {
    pub lines: Vec<Line>,
    pub accepted: Vec<u64>,
    pub given: Vec<u64>,
}

/// Gives the beats to the whole and waits for as many results.
pub fn run(engine: &mut dyn Engine, beats: &[Beat], pauses: Pauses) -> Run {
    let mut bench = Bench::new(engine).expect("the engine settles");
    let gaps = |share: f64, seed| {
        if share == 0.0 {
            Gaps::none()
        } else {
            Gaps::random(share, seed)
        }
    };
    let source = bench.source("beat", gaps(pauses.beat, pauses.seed));
    let source = source.expect("there is a stream 'beat'");
    let sink = bench.sink("result", gaps(pauses.result, !pauses.seed));
    let sink = sink.expect("there is a stream 'result'");
    for beat in beats {
        bench.sources[source].push(&words(beat));
    }
    let limit = 10_000 + 1_000 * beats.len() as u64;
    let done = |bench: &Bench| bench.sinks[sink].received().len() == beats.len();
    let ended = bench.run_until(done, limit);
    ended.unwrap_or_else(|error| panic!("{error} ({pauses:?})"));
    let received = bench.sinks[sink].received();
    Run {
        lines: received
            .iter()
            .map(|(_, words)| Line::from_words(words))
            .collect(),
        accepted: bench.sources[source].accepted().to_vec(),
        given: received.iter().map(|(cycle, _)| *cycle).collect(),
    }
}

/// Runs the beats on the JIT engine and compares every result with the model.
pub fn check(beats: &[Beat], pauses: Pauses) -> Run {
    check_on(&mut alu(), beats, pauses)
}

/// The same on any engine.
pub fn check_on(engine: &mut dyn Engine, beats: &[Beat], pauses: Pauses) -> Run {
    let run = run(engine, beats, pauses);
    for (beat, line) in beats.iter().zip(&run.lines) {
        let expected = Line::expected(beat);
        assert!(
            *line == expected,
            "{pauses:?}\n{beat:02x?}\nexpected {expected:02x?}\nfound    {line:02x?}"
        );
    }
    run
}
