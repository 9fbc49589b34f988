//! Draws the blocks and writes them into `OUT_DIR`.

#[path = "generate/block.rs"]
mod block;
#[path = "generate/expr.rs"]
mod expr;
#[path = "generate/top.rs"]
mod top;

use std::error::Error;
use std::path::Path;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The seed, unless the environment gives another.
const SEED: u64 = 20_261_121;

/// Number of blocks.
const BLOCKS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=generate");
    println!("cargo::rerun-if-env-changed=XTQ_BLOCKS_SEED");
    let seed = match std::env::var("XTQ_BLOCKS_SEED") {
        Ok(text) => text.parse()?,
        Err(_) => SEED,
    };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut blocks: Vec<block::Drawn> = Vec::new();
    for number in 0..BLOCKS {
        let drawn = block::draw(&mut random, number, &blocks);
        blocks.push(drawn);
    }
    let mut text = format!("/// The seed of the blocks.\npub const SEED: u64 = {seed};\n");
    text += block::HEAD;
    text.extend(blocks.iter().map(|block| block.text.as_str()));
    text += &top::top(&mut random, &blocks);
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    std::fs::write(Path::new(&folder).join("blocks.rs"), text)?;
    Ok(())
}
