//! The sending half of the initiator, block by block on the JIT: `BurstCutter`, `BytePacker`, `GatherUnit`,
//! `Packetiser`, `TxArbiter` against naive models, their contracts in cycles, and their Verilog.

mod burst_cutter;
mod byte_packer;
mod gather_memory;
mod gather_unit;
mod gather_unit_cycles;
mod packetiser;
mod packetiser_cycles;
mod packetiser_model;
mod packetiser_target;
mod tx_arbiter;

use xtq_engine::blocks;
use xtq_engine::{Engine, EngineKind};
use xtq_testbench::bus::Bench;

/// The block of this name.
fn engine(name: &str) -> Box<dyn Engine> {
    blocks::engine(name, EngineKind::Jit).expect("is a block")
}

/// Little-endian words of the bytes of a beat.
fn words(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0; 8];
    for (i, byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words
}

/// The bytes of the first eight words.
fn bytes(words: &[u64]) -> Vec<u8> {
    words[..8]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

/// `bits` bits of a value from bit `from` on; they lie in one word.
fn field(words: &[u64], from: usize, bits: usize) -> u64 {
    words[from / 64] >> (from % 64) & ((1 << bits) - 1)
}

/// Runs until a sink has this many words.
fn run_until_received(bench: &mut Bench, sink: usize, count: usize, max_cycles: u64) {
    let run = bench.run_until(|b| b.sinks[sink].received().len() >= count, max_cycles);
    run.unwrap_or_else(|error| panic!("{error}"));
}

/// The cycles in which a sink received.
fn cycles(bench: &Bench, sink: usize) -> Vec<u64> {
    let received = bench.sinks[sink].received().iter();
    received.map(|(cycle, _)| *cycle).collect()
}
