//! Values as little-endian 64-bit words, and numbers out of rust-hdl's literals.

use num_bigint::{BigInt, BigUint};
use rust_hdl::core::ast::VerilogLiteral;

/// The lowest `width` bits; all from 64 on.
pub fn mask(width: usize) -> u64 {
    match width {
        0 => 0,
        1..64 => u64::MAX >> (64 - width),
        _ => u64::MAX,
    }
}

/// `width` bits of a value from bit `offset` on.
pub(crate) fn slice(words: &[u64], offset: usize, width: usize) -> Vec<u64> {
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let (skip, by) = (offset / 64, offset % 64);
    let piece = |i: usize| {
        let high = word(skip + i + 1).checked_shl(64 - by as u32).unwrap_or(0);
        (word(skip + i) >> by | high) & mask(width - 64 * i)
    };
    (0..width.div_ceil(64)).map(piece).collect()
}

/// A value cut to `width` bits.
pub(crate) fn cut(value: &BigUint, width: usize) -> BigUint {
    value & ((BigUint::from(1u8) << width) - 1u8)
}

/// The digits of `width'hdigits`, with sign.
pub(crate) fn digits(literal: &VerilogLiteral) -> BigInt {
    let text = format!("{literal:x}");
    let digits = text.rsplit_once('h').map_or("", |(_, digits)| digits);
    BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default()
}

/// The number as two's complement in `width` bits.
pub(crate) fn number(literal: &VerilogLiteral, width: usize) -> BigUint {
    let value = digits(literal);
    let modulus = BigInt::from(1u8) << width;
    let (_, magnitude) = (((value % &modulus) + &modulus) % &modulus).into_parts();
    cut(&magnitude, width)
}

/// The next link of the chain over outputs (FNV-1a by words).
pub(crate) fn chain(digest: u64, words: &[u64]) -> u64 {
    words.iter().fold(digest, |digest, word| {
        (digest ^ word)
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(23)
    })
}

/// The start of the chain.
pub(crate) const CHAIN_START: u64 = 0xCBF2_9CE4_8422_2325;
