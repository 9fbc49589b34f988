//! `FloatMultiplier` against the machine's own arithmetic and `rustc_apfloat`, and in the promised time.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};
use xtq_engine::{Compiled, Engine};
use xtq_rtl::atomics::atomic_alu::FloatMultiplier;

use crate::draw::{self, DOUBLES, FLOATS};
use crate::hardware::{Pins, engine};

/// A multiplier and what its pins are.
struct Unit(Pins<Compiled>);

impl Unit {
    fn new() -> Self {
        Self(Pins(engine::<FloatMultiplier>()))
    }

    /// The product, and the cycles from `start` to `done`.
    fn product(&mut self, single: bool, a: u64, b: u64) -> (u64, u64) {
        let pins = &mut self.0;
        for (name, value) in [("start", 1), ("single", single.into()), ("a", a), ("b", b)] {
            pins.set(name, value);
        }
        pins.0.step().unwrap();
        // What stands there afterwards does not count.
        for (name, value) in [
            ("start", 0),
            ("single", u64::from(!single)),
            ("a", !a),
            ("b", 7),
        ] {
            pins.set(name, value);
        }
        let mut cycles = 1;
        pins.0.eval().unwrap();
        while pins.get("done") == 0 {
            cycles += 1;
            assert!(cycles < 200, "no product of {a:#x} and {b:#x}");
            pins.0.step().unwrap();
            pins.0.eval().unwrap();
        }
        (pins.get("product"), cycles)
    }
}

/// Whether a number is neither zero nor subnormal nor special.
fn is_normal(single: bool, bits: u64) -> bool {
    match single {
        true => f32::from_bits(bits as u32).is_normal(),
        false => f64::from_bits(bits).is_normal(),
    }
}

/// Compares with the machine and with rustc_apfloat; NaN only as NaN, for payloads differ from machine to machine.
fn check(unit: &mut Unit, single: bool, a: u64, b: u64) {
    let (machine, apfloat, nan) = if single {
        let machine = f32::from_bits(a as u32) * f32::from_bits(b as u32);
        let apfloat = (Single::from_bits(a.into()) * Single::from_bits(b.into())).value;
        let bits = (!machine.is_nan()).then(|| machine.to_bits().into());
        (
            bits,
            (!apfloat.is_nan()).then(|| apfloat.to_bits()),
            0x7FC0_0000,
        )
    } else {
        let machine = f64::from_bits(a) * f64::from_bits(b);
        let apfloat = (Double::from_bits(a.into()) * Double::from_bits(b.into())).value;
        let bits = (!machine.is_nan()).then(|| machine.to_bits());
        (
            bits,
            (!apfloat.is_nan()).then(|| apfloat.to_bits()),
            0x7FF8 << 48,
        )
    };
    assert_eq!(machine.map(u128::from), apfloat);
    let expected = machine.unwrap_or(nan);
    let (product, cycles) = unit.product(single, a, b);
    assert_eq!(
        product, expected,
        "{a:#x} * {b:#x}: {product:#x}, not {expected:#x}"
    );
    let most = match [a, b, expected].iter().all(|bits| is_normal(single, *bits)) {
        true => 21,
        false => 20 + 65,
    };
    assert!(
        (20..=most).contains(&cycles),
        "{a:#x} * {b:#x}: {cycles} cycles"
    );
}

#[test]
fn products_of_special_numbers_are_those_of_ieee_754() {
    let mut unit = Unit::new();
    for a in FLOATS {
        for b in FLOATS {
            check(&mut unit, true, a.into(), b.into());
        }
    }
    for a in DOUBLES {
        for b in DOUBLES {
            check(&mut unit, false, a, b);
        }
    }
}

#[test]
fn products_of_random_numbers_are_those_of_ieee_754() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut unit = Unit::new();
    for _ in 0..60_000 {
        let (a, b) = (draw::float(&mut random), draw::float(&mut random));
        check(&mut unit, true, a.into(), b.into());
        let (a, b) = (draw::double(&mut random), draw::double(&mut random));
        check(&mut unit, false, a, b);
    }
}

/// Products around the smallest numbers, where the place at which they are rounded depends on their exponent, and
/// around the largest.
#[test]
fn products_at_both_ends_are_those_of_ieee_754() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut unit = Unit::new();
    for below in 0..60u64 {
        for _ in 0..60 {
            let first = random.random_range(64..960);
            let mut of = |exponent: u64| random.random::<u64>() >> 12 | exponent << 52;
            check(
                &mut unit,
                false,
                of(first),
                of(1023 - first + 2 - below.min(64)),
            );
            check(
                &mut unit,
                false,
                of(first + 1023),
                of(2046 - first + 2 - below % 4),
            );
            check(&mut unit, false, of(0) >> below.min(51), of(1000 + below));
            let first = random.random_range(40..80);
            let mut of = |exponent: u64| random.random::<u64>() >> 41 | exponent << 23;
            check(
                &mut unit,
                true,
                of(first),
                of(127 - first + 2 - below.min(30)),
            );
            check(
                &mut unit,
                true,
                of(first + 127),
                of(254 - first + 2 - below % 4),
            );
            check(&mut unit, true, of(0) >> below.min(22), of(120 + below));
        }
    }
}

/// Products exactly half way between two numbers: rounded up and down to the even one, in each place of a subnormal.
#[test]
fn products_half_way_are_those_of_ieee_754() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut unit = Unit::new();
    for _ in 0..300 {
        // Three halves of an odd significand below two thirds have one bit too many.
        let double = (random.random_range(0..1u64 << 51) / 3 * 2) | 1 | 600 << 52;
        check(&mut unit, false, double, 0x3ff8 << 48);
        let single = (random.random_range(0..1u64 << 22) / 3 * 2) | 1 | 90 << 23;
        check(&mut unit, true, single, 0x3fc0_0000);
    }
    for lost in 1..=52 {
        for _ in 0..6 {
            // The half, and the bit above it at random.
            let low = |bits: u64| bits & !((2 << (lost - 1)) - 1) | 1 << (lost - 1);
            let double = low(random.random::<u64>() >> 12) & ((1 << 52) - 1) | 900 << 52;
            check(&mut unit, false, double, (1023 - 899 - lost) << 52);
            if lost <= 23 {
                let single = low(random.random::<u64>() >> 41) & ((1 << 23) - 1) | 60 << 23;
                check(&mut unit, true, single, (127 - 59 - lost) << 23);
            }
        }
    }
}
