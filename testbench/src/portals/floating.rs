//! Atomic operations on floating and complex numbers (rules 8 of `docs/portals-model.md`).
//!
//! FLOAT and DOUBLE are the machine's `f32` and `f64`: every sum and every product is rounded to nearest even by
//! itself, nothing is fused. A computed number that is none is written as the positive quiet NaN without payload. MIN
//! and MAX keep the target unless the source is less (greater), so also when either is no number or both are zero. What
//! is not computed is copied byte by byte and keeps its bits. A complex number is its real and then its imaginary part;
//! its product is (ac - bd) + (ad + bc)i and nothing is done about infinities that this loses.

use crate::tables::AtomicOp;
use std::ops::{Add, Mul, Sub};

/// A floating number.
pub(super) trait Floating:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The number that these bytes are; bytes that are missing are 0.
    fn read(bytes: &[u8]) -> Self;
    /// The bytes of a number that was computed.
    fn written(self) -> Vec<u8>;
}

macro_rules! floating {
    ($float:ty, $no_number:literal) => {
        impl Floating for $float {
            fn read(bytes: &[u8]) -> Self {
                let mut item = [0; size_of::<Self>()];
                item[..bytes.len()].copy_from_slice(bytes);
                Self::from_le_bytes(item)
            }

            fn written(self) -> Vec<u8> {
                let bits = if self.is_nan() {
                    $no_number
                } else {
                    self.to_bits()
                };
                bits.to_le_bytes().to_vec()
            }
        }
    };
}

floating!(f32, 0x7fc0_0000);
floating!(f64, 0x7ff8_0000_0000_0000);

/// New contents of a target that is one number.
pub(super) fn real<T: Floating>(
    op: AtomicOp,
    target: &[u8],
    source: &[u8],
    operand: &[u8],
) -> Vec<u8> {
    let (old, new) = (T::read(target), T::read(source));
    let taken = match op {
        AtomicOp::Sum => return (old + new).written(),
        AtomicOp::Prod => return (old * new).written(),
        AtomicOp::Min => new < old,
        AtomicOp::Max => new > old,
        AtomicOp::Swap => true,
        _ => condition(op, T::read(operand), old),
    };
    if taken { source } else { target }.to_vec()
}

/// New contents of a target that is one complex number. Numbers are equal if both parts are.
pub(super) fn complex<T: Floating>(
    op: AtomicOp,
    target: &[u8],
    source: &[u8],
    operand: &[u8],
) -> Vec<u8> {
    let value = |bytes: &[u8]| {
        let (real, imaginary) = bytes.split_at(bytes.len() / 2);
        (T::read(real), T::read(imaginary))
    };
    let ((a, b), (c, d)) = (value(target), value(source));
    let taken = match op {
        AtomicOp::Sum => return [(a + c).written(), (b + d).written()].concat(),
        AtomicOp::Prod => {
            return [(a * c - b * d).written(), (a * d + b * c).written()].concat();
        }
        AtomicOp::Swap => true,
        _ => condition(op, value(operand), value(target)),
    };
    if taken { source } else { target }.to_vec()
}

/// Whether a conditional swap happens: **operand x target**. No other operation has a condition.
pub(super) fn condition<T: PartialOrd>(op: AtomicOp, operand: T, target: T) -> bool {
    match op {
        AtomicOp::Cswap => operand == target,
        AtomicOp::CswapNe => operand != target,
        AtomicOp::CswapLe => operand <= target,
        AtomicOp::CswapLt => operand < target,
        AtomicOp::CswapGe => operand >= target,
        AtomicOp::CswapGt => operand > target,
        _ => false,
    }
}
