//! Values of any width as vectors of 64-bit nodes, lowest word first; the bits above the width are zero.

use super::graph::{Graph, Id, Op};
use crate::base::mask;
use crate::design::{BinaryOp, UnaryOp};

/// A value.
pub(super) type Words = Vec<Id>;

/// Words of a value of `width` bits.
pub(super) fn count(width: usize) -> usize {
    width.div_ceil(64)
}

impl Graph {
    /// The number whose words are `value`.
    pub(super) fn number(&mut self, value: &num_bigint::BigUint, width: usize) -> Words {
        let digits = value.to_u64_digits();
        (0..count(width))
            .map(|word| self.constant(digits.get(word).copied().unwrap_or(0)))
            .collect()
    }

    /// Cuts the words to `width` bits, and adds zeros up to there.
    pub(super) fn cut(&mut self, mut words: Words, width: usize) -> Words {
        let zero = self.constant(0);
        words.resize(count(width), zero);
        if let (Some(last), true) = (words.last_mut(), !width.is_multiple_of(64)) {
            let mask = self.constant(mask(width % 64));
            *last = self.add(Op::And(*last, mask));
        }
        words
    }

    /// Two's complement: the bits from `from` up to `to` are the sign.
    pub(super) fn extend_sign(&mut self, words: Words, from: usize, to: usize) -> Words {
        let ones = self.number_of_ones(to);
        let above = self.shift_left_const(ones, from, to);
        let sign = self.bit(&words, from - 1);
        let words = self.cut(words, to);
        let zero = self.constant(0);
        let fill: Words = above
            .iter()
            .map(|&bits| self.add(Op::Mux(sign, bits, zero)))
            .collect();
        self.each(&words, &fill, Op::Or)
    }

    fn number_of_ones(&mut self, width: usize) -> Words {
        let ones = self.constant(u64::MAX);
        let words = vec![ones; count(width)];
        self.cut(words, width)
    }

    fn each(&mut self, a: &[Id], b: &[Id], op: fn(Id, Id) -> Op) -> Words {
        a.iter().zip(b).map(|(&a, &b)| self.add(op(a, b))).collect()
    }

    /// Bit `index`, which must exist.
    pub(super) fn bit(&mut self, words: &[Id], index: usize) -> Id {
        let by = self.constant((index % 64) as u64);
        let one = self.constant(1);
        let low = self.add(Op::Shr(words[index / 64], by));
        self.add(Op::And(low, one))
    }

    /// `width` bits from bit `offset` on.
    pub(super) fn slice(&mut self, words: &[Id], offset: usize, width: usize) -> Words {
        let (skip, by) = (offset / 64, (offset % 64) as u64);
        let zero = self.constant(0);
        let word = |i: usize| words.get(i).copied().unwrap_or(zero);
        let (down, up) = (self.constant(by), self.constant(64 - by));
        let words = (0..count(width)).map(|i| {
            let low = self.add(Op::Shr(word(skip + i), down));
            let high = self.add(Op::Shl(word(skip + i + 1), up));
            self.add(Op::Or(low, high))
        });
        let words = words.collect();
        self.cut(words, width)
    }

    fn shift_left_const(&mut self, words: Words, by: usize, width: usize) -> Words {
        let (skip, by) = (by / 64, (by % 64) as u64);
        let zero = self.constant(0);
        let (up, down) = (self.constant(by), self.constant(64 - by));
        let word = |i: Option<usize>| i.and_then(|i| words.get(i)).copied().unwrap_or(zero);
        let shifted = (0..count(width)).map(|i| {
            let low = self.add(Op::Shl(word(i.checked_sub(skip)), up));
            let high = self.add(Op::Shr(word(i.checked_sub(skip + 1)), down));
            self.add(Op::Or(low, high))
        });
        let shifted = shifted.collect();
        self.cut(shifted, width)
    }

    /// `base` with `value` (cut to `width` bits) at `offset`; the bits there must be zero in `base`.
    pub(super) fn insert(&mut self, base: &[Id], offset: usize, value: Words, to: usize) -> Words {
        let value = self.shift_left_const(value, offset, to);
        self.each(base, &value, Op::Or)
    }

    /// `words` without the bits `offset .. offset + width`.
    pub(super) fn clear(&mut self, words: &[Id], offset: usize, width: usize, of: usize) -> Words {
        let ones = self.number_of_ones(width);
        let hole = self.shift_left_const(ones, offset, of);
        let all = self.number_of_ones(of);
        let keep = self.each(&hole, &all, Op::Xor);
        self.each(words, &keep, Op::And)
    }

    /// The first if `test`, else the second.
    pub(super) fn choose(&mut self, test: Id, a: &[Id], b: &[Id]) -> Words {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| self.add(Op::Mux(test, a, b)))
            .collect()
    }

    /// Shifts by a variable amount of at most 64 bits.
    fn shift(&mut self, words: Words, by: Id, left: bool, width: usize) -> Words {
        let n = words.len();
        let zero = self.constant(0);
        let mut words = words;
        // Whole words: one level a bit of the amount above the lowest six.
        let mut level = 0;
        while (1 << level) < n {
            let step = 1usize << level;
            let bit = self.bit(&[by], 6 + level);
            let moved: Words = (0..n)
                .map(|i| {
                    let from = if left {
                        i.checked_sub(step)
                    } else {
                        Some(i + step)
                    };
                    from.and_then(|from| words.get(from))
                        .copied()
                        .unwrap_or(zero)
                })
                .collect();
            words = self.choose(bit, &moved, &words);
            level += 1;
        }
        let bits = {
            let low = self.constant(63);
            self.add(Op::And(by, low))
        };
        let rest = {
            let sixty_four = self.constant(64);
            self.add(Op::Sub(sixty_four, bits))
        };
        let shifted: Words = (0..n)
            .map(|i| {
                let (near, far) = match left {
                    true => (Op::Shl(words[i], bits), i.checked_sub(1)),
                    false => (Op::Shr(words[i], bits), Some(i + 1)),
                };
                let far = far.and_then(|far| words.get(far)).copied().unwrap_or(zero);
                let far = if left {
                    Op::Shr(far, rest)
                } else {
                    Op::Shl(far, rest)
                };
                let (near, far) = (self.add(near), self.add(far));
                self.add(Op::Or(near, far))
            })
            .collect();
        // Everything is gone if the amount has a bit above those looked at.
        let limit = self.constant(64 << level);
        let small = self.add(Op::Lt(by, limit));
        let nothing = vec![zero; n];
        let shifted = self.choose(small, &shifted, &nothing);
        self.cut(shifted, width)
    }

    /// `width` bits from the variable bit `offset` on.
    pub(super) fn slice_at(&mut self, words: Words, offset: &[Id], width: usize) -> Words {
        let all = 64 * words.len();
        let offset = self.saturated(offset);
        let shifted = self.shift(words, offset, false, all);
        self.cut(shifted, width)
    }

    /// A value of several words as one that is at least as large as any shift if a higher word is not zero.
    fn saturated(&mut self, words: &[Id]) -> Id {
        let zero = self.constant(0);
        let (low, above) = words
            .split_first()
            .map_or((zero, &[][..]), |(l, a)| (*l, a));
        let above = above
            .iter()
            .fold(zero, |all, &word| self.add(Op::Or(all, word)));
        let none = self.add(Op::Eq(above, zero));
        let huge = self.constant(u64::MAX);
        self.add(Op::Mux(none, low, huge))
    }

    /// `words` with bit `index` replaced by `value`; unchanged if there is no such bit.
    pub(super) fn replace_bit(
        &mut self,
        words: &[Id],
        index: &[Id],
        value: Id,
        width: usize,
    ) -> Words {
        let index = self.saturated(index);
        let (one, six, zero) = (self.constant(1), self.constant(6), self.constant(0));
        let low = self.constant(63);
        let which = self.add(Op::Shr(index, six));
        let place = self.add(Op::And(index, low));
        let bit = self.add(Op::Shl(one, place));
        let all = self.constant(u64::MAX);
        let replaced = words.iter().enumerate().map(|(i, &word)| {
            let i = self.constant(i as u64);
            let here = self.add(Op::Eq(which, i));
            let hole = self.add(Op::Mux(here, bit, zero));
            let keep = self.add(Op::Xor(hole, all));
            let kept = self.add(Op::And(word, keep));
            let new = self.add(Op::Mux(value, hole, zero));
            self.add(Op::Or(kept, new))
        });
        let replaced = replaced.collect();
        self.cut(replaced, width)
    }

    /// A unary operation on a value of `width` bits.
    pub(super) fn unary(&mut self, op: UnaryOp, words: Words, width: usize) -> Words {
        let (zero, ones) = (self.constant(0), self.number_of_ones(width));
        let one = match op {
            UnaryOp::Not => return self.each(&words, &ones, Op::Xor),
            UnaryOp::Neg => {
                let nothing = vec![zero; words.len()];
                return self.subtract(&nothing, &words, width);
            }
            UnaryOp::All => self.equal(&words, &ones),
            UnaryOp::Any => {
                let none = vec![zero; words.len()];
                let equal = self.equal(&words, &none);
                self.not(equal)
            }
            UnaryOp::Xor => {
                let folded = words.iter().fold(zero, |all, &w| self.add(Op::Xor(all, w)));
                self.add(Op::Parity(folded))
            }
        };
        vec![one]
    }

    /// 1 for 0 and 0 for 1.
    pub(super) fn not(&mut self, bit: Id) -> Id {
        let one = self.constant(1);
        self.add(Op::Xor(bit, one))
    }

    fn equal(&mut self, a: &[Id], b: &[Id]) -> Id {
        let one = self.constant(1);
        a.iter().zip(b).fold(one, |all, (&a, &b)| {
            let same = self.add(Op::Eq(a, b));
            self.add(Op::And(all, same))
        })
    }

    fn less(&mut self, a: &[Id], b: &[Id]) -> Id {
        let zero = self.constant(0);
        a.iter().zip(b).fold(zero, |below, (&a, &b)| {
            let (less, same) = (self.add(Op::Lt(a, b)), self.add(Op::Eq(a, b)));
            let below = self.add(Op::And(same, below));
            self.add(Op::Or(less, below))
        })
    }

    fn sum(&mut self, a: &[Id], b: &[Id], width: usize) -> Words {
        let mut carry = self.constant(0);
        let words = a.iter().zip(b).map(|(&a, &b)| {
            let partial = self.add(Op::Add(a, b));
            let total = self.add(Op::Add(partial, carry));
            let first = self.add(Op::Lt(partial, a));
            let second = self.add(Op::Lt(total, partial));
            carry = self.add(Op::Or(first, second));
            total
        });
        let words = words.collect();
        self.cut(words, width)
    }

    fn subtract(&mut self, a: &[Id], b: &[Id], width: usize) -> Words {
        let mut borrow = self.constant(0);
        let words = a.iter().zip(b).map(|(&a, &b)| {
            let partial = self.add(Op::Sub(a, b));
            let total = self.add(Op::Sub(partial, borrow));
            let first = self.add(Op::Lt(a, b));
            let second = self.add(Op::Lt(partial, borrow));
            borrow = self.add(Op::Or(first, second));
            total
        });
        let words = words.collect();
        self.cut(words, width)
    }

    /// A binary operation on values of `width` bits; comparisons give one bit.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: Words,
        b: Words,
        width: usize,
        signed: bool,
    ) -> Words {
        let (a, b) = match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if signed => {
                // With the sign bit inverted the order is that of unsigned numbers.
                let one = self.constant(1);
                let sign = self.shift_left_const(vec![one], width - 1, width);
                (self.each(&a, &sign, Op::Xor), self.each(&b, &sign, Op::Xor))
            }
            _ => (a, b),
        };
        let bit = match op {
            BinaryOp::Add => return self.sum(&a, &b, width),
            BinaryOp::Sub => return self.subtract(&a, &b, width),
            BinaryOp::And => return self.each(&a, &b, Op::And),
            BinaryOp::Or => return self.each(&a, &b, Op::Or),
            BinaryOp::Xor => return self.each(&a, &b, Op::Xor),
            BinaryOp::Shl | BinaryOp::Shr => {
                let by = self.saturated(&b);
                return self.shift(a, by, op == BinaryOp::Shl, width);
            }
            BinaryOp::Eq => self.equal(&a, &b),
            BinaryOp::Ne => {
                let equal = self.equal(&a, &b);
                self.not(equal)
            }
            BinaryOp::Lt => self.less(&a, &b),
            BinaryOp::Gt => self.less(&b, &a),
            BinaryOp::Le => {
                let greater = self.less(&b, &a);
                self.not(greater)
            }
            BinaryOp::Ge => {
                let less = self.less(&a, &b);
                self.not(less)
            }
        };
        vec![bit]
    }
}
