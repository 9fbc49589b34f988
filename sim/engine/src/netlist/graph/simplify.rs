//! Simpler nodes for the same value: constants, masks that cut nothing, shifts of shifts, choices that are no choice.
//!
//! Every rule is an identity of 64-bit words, given what is known of the operands' ranges.

use super::{Graph, Id, Op, Range};
use crate::base::mask;

impl Graph {
    /// The same value by a node that exists or a simpler one.
    pub(super) fn simpler(&mut self, op: Op) -> Option<Id> {
        match op {
            Op::And(a, b) => self.simpler_and(a, b),
            Op::Or(a, b) => match (self.value(a), self.value(b)) {
                (Some(0), _) => Some(b),
                (_, Some(0)) => Some(a),
                (Some(u64::MAX), _) => Some(a),
                (_, Some(u64::MAX)) => Some(b),
                (_, Some(1)) if self.range(a).high <= 1 => Some(b),
                (Some(1), _) if self.range(b).high <= 1 => Some(a),
                _ if a == b => Some(a),
                _ => None,
            },
            Op::Xor(a, b) => match (self.value(a), self.value(b), self.op(a), self.op(b)) {
                (Some(0), ..) => Some(b),
                (_, Some(0), ..) => Some(a),
                _ if a == b => Some(self.constant(0)),
                // Twice with constants: once with their difference.
                (_, Some(k), Op::Xor(c, d), _) => self.xor_again(c, d, k),
                (Some(k), _, _, Op::Xor(c, d)) => self.xor_again(c, d, k),
                _ => None,
            },
            Op::Add(a, b) => match (self.value(a), self.value(b)) {
                (Some(0), _) => Some(b),
                (_, Some(0)) => Some(a),
                _ => None,
            },
            Op::Sub(a, b) if a == b => Some(self.constant(0)),
            Op::Sub(a, b) => (self.value(b) == Some(0)).then_some(a),
            Op::Eq(a, b) => self.simpler_eq(a, b),
            Op::Lt(a, b) => match (self.value(a), self.value(b)) {
                _ if a == b => Some(self.constant(0)),
                (_, Some(0)) => Some(self.constant(0)),
                (Some(0), _) if self.range(b).high <= 1 => Some(b),
                (Some(k), _) if k >= mask(self.range(b).high as usize) => Some(self.constant(0)),
                (_, Some(k))
                    if self.range(a).high < 64 && k > mask(self.range(a).high as usize) =>
                {
                    Some(self.constant(1))
                }
                _ => None,
            },
            Op::Shl(a, b) => self.simpler_shift(a, b, true),
            Op::Shr(a, b) => self.simpler_shift(a, b, false),
            Op::Parity(a) if self.range(a).high <= 1 => Some(a),
            Op::Mux(c, a, b) => self.simpler_mux(c, a, b),
            _ => None,
        }
    }

    fn xor_again(&mut self, c: Id, d: Id, k: u64) -> Option<Id> {
        let (inner, other) = match (self.value(c), self.value(d)) {
            (Some(inner), _) => (inner, d),
            (_, Some(inner)) => (inner, c),
            _ => return None,
        };
        let both = self.constant(inner ^ k);
        Some(self.add(Op::Xor(other, both)))
    }

    fn simpler_and(&mut self, a: Id, b: Id) -> Option<Id> {
        let (k, x) = match (self.value(a), self.value(b)) {
            (Some(k), _) => (k, b),
            (_, Some(k)) => (k, a),
            _ => return (a == b).then_some(a),
        };
        let Range { low, high } = self.range(x);
        let possible = mask(high as usize) & !mask(low as usize);
        if k & possible == 0 {
            return Some(self.constant(0));
        }
        if k & possible == possible {
            return Some(x);
        }
        match self.op(x) {
            Op::And(c, d) => {
                let (inner, other) = match (self.value(c), self.value(d)) {
                    (Some(inner), _) => (inner, d),
                    (_, Some(inner)) => (inner, c),
                    _ => return None,
                };
                let both = self.constant(inner & k);
                Some(self.add(Op::And(other, both)))
            }
            // Of two parts put together only one may be left.
            Op::Or(c, d) => {
                let part = |graph: &Self, id: Id| {
                    let Range { low, high } = graph.range(id);
                    k & mask(high as usize) & !mask(low as usize)
                };
                let k = self.constant(k);
                match (part(self, c), part(self, d)) {
                    (0, _) => Some(self.add(Op::And(d, k))),
                    (_, 0) => Some(self.add(Op::And(c, k))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn simpler_eq(&mut self, a: Id, b: Id) -> Option<Id> {
        if a == b {
            return Some(self.constant(1));
        }
        let (k, x) = match (self.value(a), self.value(b)) {
            (Some(k), _) => (k, b),
            (_, Some(k)) => (k, a),
            _ => return None,
        };
        let high = self.range(x).high as usize;
        match k {
            _ if k > mask(high) => Some(self.constant(0)),
            1 if high == 1 => Some(x),
            0 if high == 1 => {
                let one = self.constant(1);
                Some(self.add(Op::Xor(x, one)))
            }
            _ => None,
        }
    }

    fn simpler_shift(&mut self, a: Id, b: Id, left: bool) -> Option<Id> {
        let Some(n) = self.value(b) else {
            return (self.value(a) == Some(0)).then_some(a);
        };
        let Range { low, high } = self.range(a);
        // An amount may be any number: nothing is added to it.
        let gone = match left {
            true => n >= 64 - u64::from(low),
            false => n >= u64::from(high),
        };
        if n >= 64 || gone {
            return Some(self.constant(0));
        }
        if n == 0 {
            return Some(a);
        }
        match (left, self.op(a)) {
            (true, Op::Shl(x, m)) => {
                let m = self.value(m)?;
                let n = self.constant((n + m).min(64));
                Some(self.add(Op::Shl(x, n)))
            }
            (false, Op::Shr(x, m)) => {
                let m = self.value(m)?;
                let n = self.constant((n + m).min(64));
                Some(self.add(Op::Shr(x, n)))
            }
            (false, Op::Shl(x, m)) => {
                let m = self.value(m)?;
                if m + u64::from(self.range(x).high) > 64 {
                    return None;
                }
                let (op, by) = match m.cmp(&n) {
                    std::cmp::Ordering::Equal => return Some(x),
                    std::cmp::Ordering::Less => (Op::Shr as fn(Id, Id) -> Op, n - m),
                    std::cmp::Ordering::Greater => (Op::Shl as fn(Id, Id) -> Op, m - n),
                };
                let by = self.constant(by);
                Some(self.add(op(x, by)))
            }
            // Of two parts put together only one may be left.
            (false, Op::Or(c, d)) => {
                let n_id = self.constant(n);
                if u64::from(self.range(c).high) <= n {
                    Some(self.add(Op::Shr(d, n_id)))
                } else if u64::from(self.range(d).high) <= n {
                    Some(self.add(Op::Shr(c, n_id)))
                } else if u64::from(self.range(c).low) >= n || u64::from(self.range(d).low) >= n {
                    let c = self.add(Op::Shr(c, n_id));
                    let d = self.add(Op::Shr(d, n_id));
                    Some(self.add(Op::Or(c, d)))
                } else {
                    None
                }
            }
            (false, Op::And(c, d)) => {
                let (k, x) = match (self.value(c), self.value(d)) {
                    (Some(k), _) => (k, d),
                    (_, Some(k)) => (k, c),
                    _ => return None,
                };
                let (n_id, k) = (self.constant(n), self.constant(k >> n));
                let x = self.add(Op::Shr(x, n_id));
                Some(self.add(Op::And(x, k)))
            }
            _ => None,
        }
    }

    fn simpler_mux(&mut self, c: Id, a: Id, b: Id) -> Option<Id> {
        if a == b {
            return Some(a);
        }
        match self.value(c) {
            Some(0) => return Some(b),
            Some(_) => return Some(a),
            None => {}
        }
        if let Op::Xor(x, y) = self.op(c)
            && self.value(y) == Some(1)
        {
            return Some(self.add(Op::Mux(x, b, a)));
        }
        if let Op::Xor(x, y) = self.op(c)
            && self.value(x) == Some(1)
        {
            return Some(self.add(Op::Mux(y, b, a)));
        }
        // The same choice again.
        if let Op::Mux(d, x, _) = self.op(a)
            && d == c
        {
            return Some(self.add(Op::Mux(c, x, b)));
        }
        if let Op::Mux(d, _, y) = self.op(b)
            && d == c
        {
            return Some(self.add(Op::Mux(c, a, y)));
        }
        if self.range(a).high > 1 || self.range(b).high > 1 {
            return None;
        }
        let one = self.constant(1);
        match (self.value(a), self.value(b)) {
            (Some(1), Some(0)) => Some(c),
            (Some(0), Some(1)) => Some(self.add(Op::Xor(c, one))),
            (Some(1), _) => Some(self.add(Op::Or(c, b))),
            (_, Some(0)) => Some(self.add(Op::And(c, a))),
            (Some(0), _) => {
                let not = self.add(Op::Xor(c, one));
                Some(self.add(Op::And(not, b)))
            }
            (_, Some(1)) => {
                let not = self.add(Op::Xor(c, one));
                Some(self.add(Op::Or(not, a)))
            }
            _ => None,
        }
    }
}
