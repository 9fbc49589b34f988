//! `KeyHash`: the two buckets in which a key can be.
//!
//! **Purpose.** The hash functions of [`HashMatch`](super::HashMatch). Two keys that share one bucket rarely share the
//! other.
//!
//! ```text
//!         +---------+--> first
//!   key-->| KeyHash |
//!         +---------+--> second
//! ```
//!
//! **Contract.** Combinational. `first` and `second` are the remainders of `key`, as a polynomial over GF(2) with bit 0
//! as its constant term, by two polynomials of degree `B` without a common factor: two cyclic redundancy checks. Keys
//! that differ only in `B` neighbouring bits are in `2^B` different buckets.
//!
//! **Internals.** Each bit is the parity of the key's bits of a mask, which the constructor makes from the polynomial.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Pairs of polynomials of degree 1 to 10, the first and the second; from degree 3 on primitive.
const POLYNOMIALS: [[u64; 2]; 10] = [
    [0x3, 0x2],
    [0x7, 0x5],
    [0xb, 0xd],
    [0x13, 0x19],
    [0x25, 0x2f],
    [0x43, 0x5b],
    [0x8f, 0x9d],
    [0x11d, 0x12b],
    [0x21b, 0x22d],
    [0x41b, 0x427],
];

/// Two hash functions of `B` bits.
#[block]
#[check((1..=10).contains(&B), "KeyHash: hashes of {B} bits, must be 1 to 10")]
pub struct KeyHash<const B: usize> {
    /// Key.
    pub key: Signal<In, Bits<96>>,
    /// Its first bucket.
    pub first: Signal<Out, Bits<B>>,
    /// Its second bucket.
    pub second: Signal<Out, Bits<B>>,
    #[value(masks(B, 0))]
    first_masks: Vec<Constant<Bits<96>>>,
    #[value(masks(B, 1))]
    second_masks: Vec<Constant<Bits<96>>>,
    #[value((0..B).map(|bit| Constant::new((1u64 << bit).to_bits())).collect())]
    weights: Vec<Constant<Bits<B>>>,
    first_sum: Signal<Local, Bits<B>>,
    second_sum: Signal<Local, Bits<B>>,
}

/// For each bit of hash `which` the bits of the key whose parity it is.
fn masks(degree: usize, which: usize) -> Vec<Constant<Bits<96>>> {
    let polynomial = POLYNOMIALS[degree - 1][which];
    let mut masks = vec![[false; 96]; degree];
    let mut remainder = 1;
    for place in 0..96 {
        for (bit, mask) in masks.iter_mut().enumerate() {
            mask[place] = remainder >> bit & 1 == 1;
        }
        remainder <<= 1;
        if remainder >> degree & 1 == 1 {
            remainder ^= polynomial;
        }
    }
    let masks = masks.into_iter();
    masks
        .map(|mask| Constant::new(Bits::Long(mask.into())))
        .collect()
}

#[kernel]
impl<const B: usize> Logic for KeyHash<B> {
    fn update(&mut self) {
        self.first_sum.next = 0.into();
        self.second_sum.next = 0.into();
        for i in 0..B {
            if (self.key.val() & self.first_masks[i].val()).xor() {
                self.first_sum.next = self.first_sum.val() | self.weights[i].val();
            }
            if (self.key.val() & self.second_masks[i].val()).xor() {
                self.second_sum.next = self.second_sum.val() | self.weights[i].val();
            }
        }
        self.first.next = self.first_sum.val();
        self.second.next = self.second_sum.val();
    }
}
