//! A tape of choices that is played as a graph, an expression or a design.
//!
//! proptest makes and shrinks the tape: fewer and smaller choices give a smaller design. The end of the tape reads as
//! zeros, and the choice 0 is always the one that ends, so that every tape is a design.

use num_bigint::BigUint;
use proptest::prelude::*;
use xtq_engine::design::Ty;

/// Choices, played once.
#[derive(Clone, Debug)]
pub struct Tape {
    choices: Vec<u32>,
    at: usize,
}

/// Tapes of at most `length` choices.
pub fn tape(length: usize) -> impl Strategy<Value = Tape> {
    proptest::collection::vec(any::<u32>(), 0..length).prop_map(|choices| Tape { choices, at: 0 })
}

impl Tape {
    fn next(&mut self) -> u32 {
        self.at += 1;
        self.choices.get(self.at - 1).copied().unwrap_or(0)
    }

    /// A number below `n`.
    pub fn pick(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len())]
    }

    /// A width of 1 to 200 bits, often at a boundary of words.
    pub fn width(&mut self) -> usize {
        match self.pick(4) {
            0 => 1,
            1 => 1 + self.pick(16),
            2 => self.of(&[8, 16, 32, 63, 64, 65, 127, 128, 129]),
            _ => 1 + self.pick(200),
        }
    }

    /// A type of 1 to 200 bits.
    pub fn ty(&mut self) -> Ty {
        let width = self.width();
        Ty {
            width,
            signed: self.pick(4) == 3,
        }
    }

    /// A number of `width` bits: zero, one, all ones, the sign bit, a small number, or any.
    pub fn number(&mut self, width: usize) -> BigUint {
        let full = BigUint::from(1u8) << width;
        match self.pick(8) {
            0 => BigUint::ZERO,
            1 => BigUint::from(1u8),
            2 => full - 1u8,
            3 => full >> 1,
            4 | 5 => BigUint::from(self.next() % 130) % full,
            _ => BigUint::new((0..width.div_ceil(32)).map(|_| self.next()).collect()) % full,
        }
    }
}
