//! Random and special operands.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use xtq_types::atomic::datatype as d;

use crate::model::{Beat, size_of};

/// FLOATs at the borders: zeros, subnormal and normal limits, infinities, NaNs (quiet, signalling, with sign and
/// payload), neighbours of powers of two, and what makes ties.
pub const FLOATS: [u32; 34] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x00FF_FFFF,
    0x0100_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0x3F7F_FFFF,
    0xBF7F_FFFF,
    0x3380_0000,
    0xB380_0000,
    0x3380_0001,
    0x3300_0000,
    0x4B80_0000,
    0x4B7F_FFFF,
    0x4B80_0001,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7380_0000,
    0x7300_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_1234,
    0x7F80_0001,
    0xFFBF_FFFF,
];

/// The same for DOUBLE.
pub const DOUBLES: [u64; 34] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x0000_0000_0000_0002,
    0x000F_FFFF_FFFF_FFFF,
    0x800F_FFFF_FFFF_FFFF,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x001F_FFFF_FFFF_FFFF,
    0x0020_0000_0000_0000,
    0x3FF0_0000_0000_0000,
    0xBFF0_0000_0000_0000,
    0x3FF0_0000_0000_0001,
    0x3FEF_FFFF_FFFF_FFFF,
    0xBFEF_FFFF_FFFF_FFFF,
    0x3CA0_0000_0000_0000,
    0xBCA0_0000_0000_0000,
    0x3CA0_0000_0000_0001,
    0x3C90_0000_0000_0000,
    0x4340_0000_0000_0000,
    0x433F_FFFF_FFFF_FFFF,
    0x4340_0000_0000_0001,
    0x7FEF_FFFF_FFFF_FFFF,
    0xFFEF_FFFF_FFFF_FFFF,
    0x7CA0_0000_0000_0000,
    0x7C90_0000_0000_0000,
    0x7FF0_0000_0000_0000,
    0xFFF0_0000_0000_0000,
    0x7FF8_0000_0000_0000,
    0xFFF8_0000_0000_1234,
    0x7FF0_0000_0000_0001,
    0xFFF7_FFFF_FFFF_FFFF,
];

/// A FLOAT: special, any bits, or few bits set and an exponent near 1, so that two of them meet, cancel, and tie.
pub fn float(random: &mut ChaCha8Rng) -> u32 {
    match random.random_range(0..4) {
        0 => *FLOATS.choose(random).expect("there are some"),
        1 => random.random(),
        _ => {
            let exponent: u32 = match random.random_range(0..8) {
                0 => random.random_range(0..4),
                1 => random.random_range(251..255),
                _ => random.random_range(115..140),
            };
            random.random::<u32>() & 0x8000_0000 | exponent << 23 | sparse(random, 23) as u32
        }
    }
}

/// The same for DOUBLE.
pub fn double(random: &mut ChaCha8Rng) -> u64 {
    match random.random_range(0..4) {
        0 => *DOUBLES.choose(random).expect("there are some"),
        1 => random.random(),
        _ => {
            let exponent: u64 = match random.random_range(0..8) {
                0 => random.random_range(0..4),
                1 => random.random_range(2043..2047),
                _ => random.random_range(993..1053),
            };
            random.random::<u64>() & 1 << 63 | exponent << 52 | sparse(random, 52)
        }
    }
}

/// A number of `bits` bits: any, few ones, few zeros, or a run of ones at the bottom or the top.
fn sparse(random: &mut ChaCha8Rng, bits: u32) -> u64 {
    let all = (1 << bits) - 1;
    let place = random.random_range(0..=bits);
    let few = random.random::<u64>() & random.random::<u64>() & random.random::<u64>();
    all & match random.random_range(0..5) {
        0 => random.random(),
        1 => few,
        2 => !few,
        3 => (1 << place) - 1,
        _ => !((1 << place) - 1),
    }
}

/// A datum, in the low bytes: special or any.
pub fn datum(random: &mut ChaCha8Rng, datatype: u8) -> u128 {
    match datatype {
        d::FLOAT => float(random).into(),
        d::DOUBLE => double(random).into(),
        d::FLOAT_COMPLEX => [float(random), float(random)]
            .iter()
            .fold(0, |datum, part| datum << 32 | u128::from(*part)),
        d::DOUBLE_COMPLEX => u128::from(double(random)) << 64 | u128::from(double(random)),
        _ => {
            let bits = 8 * size_of(datatype) as u32;
            let top = 1u64 << (bits - 1);
            let bits: u64 = match random.random_range(0..4) {
                0 => *[0, 1, u64::MAX, top, top - 1, top + 1, 2, u64::MAX - 1]
                    .choose(random)
                    .expect("there are some"),
                1 => random.random::<u64>() & random.random::<u64>() & random.random::<u64>(),
                _ => random.random(),
            };
            bits.into()
        }
    }
}

/// A mask of whole data: one, all, none, or any.
fn mask(random: &mut ChaCha8Rng, size: usize) -> u64 {
    let places = 64 / size;
    let data: u64 = match random.random_range(0..8) {
        0 => 0,
        1 | 2 => u64::MAX,
        3 | 4 => 1 << random.random_range(0..places),
        _ => random.random(),
    };
    let datum = (1 << size) - 1;
    (0..places).fold(0, |mask, place| {
        mask | ((data >> place & 1) * datum) << (place * size)
    })
}

/// A line of data. Some are equal to `other`'s or differ in the lowest bit, so that comparisons meet equal data and
/// neighbours.
fn line(random: &mut ChaCha8Rng, datatype: u8, other: Option<&[u8; 64]>) -> [u8; 64] {
    let size = size_of(datatype);
    let mut line = [0; 64];
    for first in (0..64).step_by(size) {
        let datum = datum(random, datatype).to_le_bytes();
        line[first..first + size].copy_from_slice(&datum[..size]);
        if let Some(other) = other.filter(|_| random.random_bool(0.2)) {
            line[first..first + size].copy_from_slice(&other[first..first + size]);
            // Or its neighbour.
            line[first] ^= u8::from(random.random_bool(0.5));
        }
    }
    line
}

/// A beat of this operation on this datatype.
pub fn beat(random: &mut ChaCha8Rng, operation: u8, datatype: u8) -> Beat {
    let old = line(random, datatype, None);
    let size = size_of(datatype);
    // Often one of the data, so that a conditional swap meets an equal one.
    let mut operand = datum(random, datatype) as u64;
    if random.random_bool(0.5) {
        let first = size * random.random_range(0..64 / size);
        let mut bytes = [0; 16];
        bytes[..size].copy_from_slice(&old[first..first + size]);
        operand = u128::from_le_bytes(bytes) as u64;
    }
    // What stands above the datum does not count.
    if size < 8 {
        operand = operand & ((1 << (8 * size)) - 1) | random.random::<u64>() << (8 * size);
    }
    Beat {
        operation,
        datatype,
        operand,
        mask: mask(random, size),
        source: line(random, datatype, Some(&old)),
        old,
    }
}
