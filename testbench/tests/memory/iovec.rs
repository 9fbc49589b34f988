//! Lists of pieces as buffers, block by block on the JIT: `IovecReader`, `IovecSum`, `IovecWalker`, `IovecGather`,
//! `IovecScatter` against lists of bytes, their contracts in cycles, and their Verilog.

mod gather;
mod list;
mod memory;
mod reader;
mod scatter;
mod sum;
mod walker;

use xtq_engine::blocks;
use xtq_engine::{Engine, EngineKind};

/// The block of this name, out of reset.
fn engine(name: &str) -> Box<dyn Engine> {
    let mut engine = blocks::engine(name, EngineKind::Jit).expect("is a block");
    engine.reset(2).expect("it has rst");
    engine
}

/// `bits` bits of a value from bit `from` on, at most 64.
fn field(words: &[u64], from: usize, bits: usize) -> u64 {
    let bit = |i: usize| words[(from + i) / 64] >> ((from + i) % 64) & 1;
    (0..bits).fold(0, |value, i| value | bit(i) << i)
}
