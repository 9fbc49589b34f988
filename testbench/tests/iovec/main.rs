//! Lists of pieces as buffers, block by block on the JIT: `IovecReader`, `IovecSum`, `IovecWalker`, `IovecGather`, `IovecScatter` against lists of bytes, their contracts in cycles, and their Verilog.

use xtq_catalogue as _;
mod gather;
mod list;
mod memory;
mod reader;
mod scatter;
mod sum;
mod walker;

use xtq_engine::blocks;
use xtq_engine::{Engine, EngineKind};
use xtq_testbench::verilog_tools;

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

#[test]
fn the_verilog_is_accepted_by_all_tools() {
    for name in [
        "iovec_reader",
        "iovec_walker",
        "iovec_sum",
        "iovec_gather",
        "iovec_scatter",
    ] {
        let block = blocks::design(name).expect("is a block");
        verilog_tools::accept(name, block.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    }
}
