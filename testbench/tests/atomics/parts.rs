//! The integer parts by themselves: steps that stand still, and more operands than the whole sees.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::Engine;
use xtq_rtl::atomics::atomic_alu::{DatumAdder, DatumOrder, Multiplier};
use xtq_types::atomic::{datatype as d, operation as o};

use crate::draw;
use crate::hardware::{Pins, engine};
use crate::model::{datum, size_of};

/// Unsigned and signed types, by log2 of their size.
const UNSIGNED: [u8; 4] = [d::UINT8, d::UINT16, d::UINT32, d::UINT64];
const SIGNED: [u8; 4] = [d::INT8, d::INT16, d::INT32, d::INT64];

/// Random data side by side in a word.
fn word(random: &mut ChaCha8Rng, datatype: u8) -> u64 {
    let size = size_of(datatype);
    (0..8 / size).fold(0, |word, place| {
        let bits = draw::datum(random, datatype) as u64;
        word | (bits & u64::MAX >> (64 - 8 * size)) << (8 * size * place)
    })
}

/// Applies a function to each datum of two words.
fn each(size: usize, a: u64, b: u64, function: impl Fn(u64, u64) -> u64) -> u64 {
    let bits = 8 * size;
    let all = u64::MAX >> (64 - bits);
    (0..8 / size).fold(0, |word, place| {
        let shift = bits * place;
        word | (function(a >> shift & all, b >> shift & all) & all) << shift
    })
}

#[test]
fn the_adder_adds_each_datum_and_stands_still_without_enable() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut pins = Pins(engine::<DatumAdder>());
    let mut expected = Vec::new();
    for _ in 0..20_000 {
        let size = random.random_range(0..4);
        let (a, b) = (
            word(&mut random, UNSIGNED[size]),
            word(&mut random, UNSIGNED[size]),
        );
        let en = random.random_bool(0.8);
        pins.set("en", en.into());
        pins.set("size", size as u64);
        pins.set("a", a);
        pins.set("b", b);
        pins.0.eval().unwrap();
        if let Some(sum) = expected.iter().rev().nth(2) {
            assert_eq!(pins.get("sum"), *sum);
        }
        if en {
            let add = |a, b| datum(o::SUM, UNSIGNED[size], a, b, 0);
            expected.push(each(1 << size, a, b, add));
        }
        pins.0.step().unwrap();
    }
}

#[test]
fn the_order_is_that_of_each_datum() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut pins = Pins(engine::<DatumOrder>());
    pins.set("en", 1);
    pins.set("float", 0);
    let mut expected = Vec::new();
    for _ in 0..20_000 {
        let (size, signed) = (random.random_range(0..4), random.random_bool(0.5));
        let datatype = if signed { SIGNED[size] } else { UNSIGNED[size] };
        let a = word(&mut random, datatype);
        let b = if random.random_bool(0.3) {
            a ^ 1 << random.random_range(0..64)
        } else {
            word(&mut random, datatype)
        };
        pins.set("size", size as u64);
        pins.set("twos_complement", signed.into());
        pins.set("a", a);
        pins.set("b", b);
        pins.0.eval().unwrap();
        if let Some((less, equal)) = expected.iter().rev().nth(2) {
            assert_eq!((pins.get("less"), pins.get("equal")), (*less, *equal));
        }
        // A flag at the lowest byte of each datum: each datum of the word becomes 0 or 1, and of each byte one bit is
        // left.
        let flags = |operation| {
            let word = each(1 << size, a, b, |a, b| {
                let replaced = datum(operation, datatype, !b, b, a) != b;
                replaced.into()
            });
            (0..8).fold(0, |flags, byte| flags | (word >> (8 * byte) & 1) << byte)
        };
        expected.push((flags(o::CSWAP_LT), flags(o::CSWAP)));
        pins.0.step().unwrap();
    }
}

#[test]
fn the_multiplier_multiplies_each_datum_in_the_promised_time() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut pins = Pins(engine::<Multiplier>());
    for _ in 0..4_000 {
        let size = random.random_range(0..4);
        let (a, b) = (
            word(&mut random, UNSIGNED[size]),
            word(&mut random, UNSIGNED[size]),
        );
        pins.set("start", 1);
        pins.set("size", size as u64);
        pins.set("a", a);
        pins.set("b", b);
        pins.0.step().unwrap();
        pins.set("start", 0);
        for name in ["size", "a", "b"] {
            pins.set(name, random.random());
        }
        let mut cycles = 1;
        pins.0.eval().unwrap();
        while pins.get("done") == 0 {
            cycles += 1;
            assert!(cycles < 100, "no product");
            pins.0.step().unwrap();
            pins.0.eval().unwrap();
        }
        assert_eq!(cycles, (2 << size) + 5);
        let multiply = |a, b| datum(o::PROD, UNSIGNED[size], a, b, 0);
        assert_eq!(
            pins.get("product"),
            each(1 << size, a, b, multiply),
            "{size} {a:#x} {b:#x}"
        );
    }
}
