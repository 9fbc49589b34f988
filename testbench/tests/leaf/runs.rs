//! Blocks by name, and what a bench has received, for the tests of several rooms.

use xtq_engine::{Engine, EngineKind, blocks};
use xtq_testbench::bus::Bench;

/// The block of this name.
pub fn engine(name: &str) -> Box<dyn Engine> {
    blocks::engine(name, EngineKind::Jit).expect("is a block")
}

/// Runs until a sink has this many words.
pub fn run_until_received(bench: &mut Bench, sink: usize, count: usize, max_cycles: u64) {
    let run = bench.run_until(|b| b.sinks[sink].received().len() >= count, max_cycles);
    run.unwrap_or_else(|error| panic!("{error}"));
}

/// The cycles in which a sink received.
pub fn cycles(bench: &Bench, sink: usize) -> Vec<u64> {
    let received = bench.sinks[sink].received().iter();
    received.map(|(cycle, _)| *cycle).collect()
}
