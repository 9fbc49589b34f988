//! `FloatAdder` against the machine's own arithmetic and `rustc_apfloat`; the model's comparisons against
//! `rustc_apfloat`.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};
use xtq_engine::Engine;
use xtq_rtl::atomics::atomic_alu::FloatAdder;
use xtq_types::atomic::{datatype as d, operation as o};

use crate::draw::{self, DOUBLES, FLOATS};
use crate::hardware::{Pauses, check, engine};
use crate::model::{self, Beat};

/// Cycles from `start` to `done`.
const LATENCY: usize = 14;

/// Adds pairs, one a cycle, and checks index and latency; the sums.
fn sums(single: bool, pairs: &[(u64, u64)]) -> Vec<u64> {
    let mut engine = engine::<FloatAdder>();
    let names = [
        "start",
        "index",
        "single",
        "a",
        "b",
        "done",
        "index_out",
        "sum",
    ];
    let [start, index, mode, a, b, done, index_out, sum] =
        names.map(|name| engine.port(name).unwrap());
    engine.set(mode, &[single.into()]).unwrap();
    let mut sums = Vec::new();
    for cycle in 0..pairs.len() + LATENCY {
        let pair = pairs.get(cycle);
        engine.set(start, &[pair.is_some().into()]).unwrap();
        engine.set(index, &[cycle as u64 % 16]).unwrap();
        let (left, right) = pair.copied().unwrap_or_default();
        engine.set(a, &[left]).unwrap();
        engine.set(b, &[right]).unwrap();
        engine.eval().unwrap();
        let word = |port| {
            let mut words = [0];
            engine.get(port, &mut words);
            words[0]
        };
        assert_eq!(word(done) == 1, cycle >= LATENCY, "cycle {cycle}");
        if cycle >= LATENCY {
            assert_eq!(word(index_out), (cycle - LATENCY) as u64 % 16);
            sums.push(word(sum));
        }
        engine.step().unwrap();
    }
    sums
}

/// Compares with the machine and with rustc_apfloat; NaN only as NaN, for payloads differ from machine to machine.
fn check_float_sums(pairs: &[(u32, u32)]) {
    let words: Vec<(u64, u64)> = pairs
        .iter()
        .map(|(a, b)| ((*a).into(), (*b).into()))
        .collect();
    for ((a, b), sum) in pairs.iter().zip(sums(true, &words)) {
        let machine = f32::from_bits(*a) + f32::from_bits(*b);
        let apfloat = (Single::from_bits((*a).into()) + Single::from_bits((*b).into())).value;
        assert_eq!(machine.is_nan(), apfloat.is_nan());
        let expected = if machine.is_nan() {
            0x7FC0_0000
        } else {
            machine.to_bits()
        };
        assert!(apfloat.is_nan() || apfloat.to_bits() == u128::from(expected));
        assert_eq!(
            sum,
            u64::from(expected),
            "{a:#010x} + {b:#010x}: {sum:#x}, not {expected:#x}"
        );
    }
}

/// The same for DOUBLE.
fn check_double_sums(pairs: &[(u64, u64)]) {
    for ((a, b), sum) in pairs.iter().zip(sums(false, pairs)) {
        let machine = f64::from_bits(*a) + f64::from_bits(*b);
        let apfloat = (Double::from_bits((*a).into()) + Double::from_bits((*b).into())).value;
        assert_eq!(machine.is_nan(), apfloat.is_nan());
        let nan = 0x7FF8_0000_0000_0000;
        let expected = if machine.is_nan() {
            nan
        } else {
            machine.to_bits()
        };
        assert!(apfloat.is_nan() || apfloat.to_bits() == u128::from(expected));
        assert_eq!(
            sum, expected,
            "{a:#018x} + {b:#018x}: {sum:#x}, not {expected:#x}"
        );
    }
}

/// All pairs of a list.
fn pairs<T: Copy>(values: &[T]) -> Vec<(T, T)> {
    let pairs = values.iter().flat_map(|a| values.iter().map(|b| (*a, *b)));
    pairs.collect()
}

#[test]
fn sums_of_special_numbers_are_those_of_ieee_754() {
    check_float_sums(&pairs(&FLOATS));
    check_double_sums(&pairs(&DOUBLES));
}

#[test]
fn sums_of_random_floats_are_those_of_ieee_754() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let pair = |_| (draw::float(&mut random), draw::float(&mut random));
    check_float_sums(&(0..300_000).map(pair).collect::<Vec<_>>());
}

#[test]
fn sums_of_random_doubles_are_those_of_ieee_754() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let pair = |_| (draw::double(&mut random), draw::double(&mut random));
    check_double_sums(&(0..300_000).map(pair).collect::<Vec<_>>());
}

/// Every distance of exponents, so that each place of the shift is used, with and without cancellation.
#[test]
fn sums_at_every_distance_are_those_of_ieee_754() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let (mut floats, mut doubles) = (Vec::new(), Vec::new());
    for distance in 0..70u32 {
        for _ in 0..300 {
            let exponent = random.random_range(1..254 - distance.min(200));
            let small = random.random::<u32>() & 0x807F_FFFF | exponent << 23;
            let exponent = exponent + distance.min(200);
            let large = random.random::<u32>() & 0x807F_FFFF | exponent << 23;
            floats.push((small, large));
            let exponent = random.random_range(1..2046 - u64::from(distance));
            let low = random.random::<u64>() & 0x800F_FFFF_FFFF_FFFF | exponent << 52;
            let exponent = exponent + u64::from(distance);
            let high = random.random::<u64>() & 0x800F_FFFF_FFFF_FFFF | exponent << 52;
            doubles.push((high, low));
        }
    }
    check_float_sums(&floats);
    check_double_sums(&doubles);
}

/// What is cut off is exactly half of the last place, or that and one bit more, at every distance and every place of
/// that bit.
#[test]
fn ties_at_every_distance_and_one_bit_beside_them_are_rounded_right() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut floats, mut doubles) = (Vec::new(), Vec::new());
    for distance in 1..=53u32 {
        // The last round is the tie itself.
        for place in 0..distance {
            let half = 1u64 << (distance - 1);
            let cut = half | if place + 1 < distance { 1 << place } else { 0 };
            for _ in 0..4 {
                let significand = random.random::<u64>() >> 12 & !(2 * half - 1) | cut;
                let sign = random.random::<u64>() & 1 << 63;
                let small = 500 << 52 | significand & ((1 << 52) - 1);
                let large = (500 + u64::from(distance)) << 52 | random.random::<u64>() >> 12;
                doubles.push((small ^ sign, large));
                if distance <= 24 {
                    let small = 80 << 23 | (significand & ((1 << 23) - 1)) as u32;
                    let large = (80 + distance) << 23 | random.random::<u32>() >> 9;
                    floats.push((large, small ^ (sign >> 32) as u32));
                }
            }
        }
    }
    check_float_sums(&floats);
    check_double_sums(&doubles);
}

/// Differences of neighbours: the result is a few of the lowest bits, at exponents where it becomes subnormal and where
/// not.
#[test]
fn differences_of_neighbours_are_exact() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let (mut floats, mut doubles) = (Vec::new(), Vec::new());
    for exponent in 0..255u32 {
        for _ in 0..40 {
            let a = exponent << 23 | random.random::<u32>() >> 9;
            let distance = random.random::<u32>() >> random.random_range(6..32);
            let near = a.wrapping_add(distance);
            floats.push((a, near ^ 0x8000_0000));
        }
    }
    for exponent in (0..70).chain(1000..1070).chain(1990..2047u64) {
        for _ in 0..60 {
            let a = exponent << 52 | random.random::<u64>() >> 12;
            let distance = random.random::<u64>() >> random.random_range(9..64);
            let near = a.wrapping_add(distance);
            doubles.push((a, near ^ 1 << 63));
        }
    }
    check_float_sums(&floats);
    check_double_sums(&doubles);
}

/// What the model of these tests chooses, and what `rustc_apfloat` says of the order: of source and target, and of
/// operand and target.
macro_rules! check_choices {
    ($values:ident, $soft:ty, $datatype:expr) => {
        for (old, other) in pairs(&$values) {
            let (target, value) = (
                <$soft>::from_bits(old.into()),
                <$soft>::from_bits(other.into()),
            );
            let (old, other) = (u64::from(old), u64::from(other));
            for (operation, replaced) in [(o::MIN, value < target), (o::MAX, value > target)] {
                let expected = if replaced { other } else { old };
                let found = model::datum(operation, $datatype, other, old, 0);
                assert_eq!(found, expected, "{operation}: {old:#x} {other:#x}");
            }
            for (operation, replaced) in [
                (o::CSWAP, value == target),
                (o::CSWAP_NE, value != target),
                (o::CSWAP_LE, value <= target),
                (o::CSWAP_LT, value < target),
                (o::CSWAP_GE, value >= target),
                (o::CSWAP_GT, value > target),
            ] {
                let expected = if replaced { 12345 } else { old };
                let found = model::datum(operation, $datatype, 12345, old, other);
                assert_eq!(found, expected, "{operation}: {old:#x} {other:#x}");
            }
        }
    };
}

#[test]
fn the_model_compares_as_ieee_754() {
    check_choices!(FLOATS, Single, d::FLOAT);
    check_choices!(DOUBLES, Double, d::DOUBLE);
}

/// Every pair of special numbers meets in every operation, in the whole ALU.
#[test]
fn all_pairs_of_special_numbers_meet_in_every_operation() {
    let mut beats = Vec::new();
    let operations = (o::MIN..=o::PROD).chain(o::SWAP..=o::CSWAP_GT);
    for operation in operations {
        for operand in DOUBLES {
            let data: Vec<u8> = DOUBLES.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            beats.extend(lines(
                operation,
                d::DOUBLE,
                operand,
                &operand.to_le_bytes(),
                &data,
            ));
        }
        for operand in FLOATS {
            let data: Vec<u8> = FLOATS.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            beats.extend(lines(
                operation,
                d::FLOAT,
                operand.into(),
                &operand.to_le_bytes(),
                &data,
            ));
        }
    }
    check(&beats, Pauses::default());
}

/// Beats whose old data are `data`; the source is `datum` everywhere.
fn lines(operation: u8, datatype: u8, operand: u64, datum: &[u8], data: &[u8]) -> Vec<Beat> {
    let beat = |old: &[u8]| {
        let mut beat = Beat {
            operation,
            datatype,
            operand,
            mask: u64::MAX,
            old: [0; 64],
            source: std::array::from_fn(|i| datum[i % datum.len()]),
        };
        beat.old[..old.len()].copy_from_slice(old);
        // A conditional swap compares the operand, so the source is another number.
        if operation > o::SWAP {
            beat.source = [0x5A; 64];
        }
        beat
    };
    data.chunks(64).map(beat).collect()
}
