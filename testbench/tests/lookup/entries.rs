//! Table entries that show where they come from.

use rust_hdl::prelude::*;
use xtq_types::Wire;

/// The entry at `address` after `version` writes: every word depends on both.
pub fn entry(address: u64, version: u64) -> Bits<512> {
    let words: Vec<u64> = (0..8)
        .map(|word| match word {
            0 => address,
            1 => version,
            _ => (address ^ version.rotate_left(17)).wrapping_mul(2 * word + 1),
        })
        .collect();
    Bits::from_words(&words)
}
