//! The graph of 64-bit operations: equal nodes exist once, constants are folded, and what is known of a value is used
//! (`graph/simplify.rs`).
//!
//! **Idea.** Every value is a `u64`. A narrower one has zeros above, so widening costs nothing and a narrowing is a
//! visible `And` with a mask, which disappears where the operand is known to be small. Operands stand before their
//! users, so the order of the nodes is an order of evaluation.

use crate::base::QuickMap;

mod simplify;

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

impl Id {
    /// The first node of every graph.
    pub(crate) const FIRST: Self = Self(0);

    /// Position in [`Graph::ops`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A number.
    Const(u64),
    /// Word of the state: an input or a register.
    Load(u32),
    /// Word `word` of the memory's entry `addr`.
    Read {
        /// Which memory.
        memory: u32,
        /// Which word of the entry.
        word: u32,
        /// Which entry; below the memory's depth.
        addr: Id,
    },
    /// Word of a signal whose driver is not known yet; not in a finished graph.
    Later(u32),
    /// Bitwise and.
    And(Id, Id),
    /// Bitwise or.
    Or(Id, Id),
    /// Bitwise exclusive or.
    Xor(Id, Id),
    /// Sum, carry lost.
    Add(Id, Id),
    /// Difference, borrow lost.
    Sub(Id, Id),
    /// 1 if equal.
    Eq(Id, Id),
    /// 1 if less, unsigned.
    Lt(Id, Id),
    /// Shift left; 0 from 64 on.
    Shl(Id, Id),
    /// Shift right; 0 from 64 on.
    Shr(Id, Id),
    /// Number of ones modulo 2.
    Parity(Id),
    /// The second if the first is 1, the third if it is 0.
    Mux(Id, Id, Id),
}

impl Op {
    /// The operands.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let list = match self {
            Op::Const(_) | Op::Load(_) | Op::Later(_) => [None; 3],
            Op::Read { addr, .. } => [Some(addr), None, None],
            Op::Parity(a) => [Some(a), None, None],
            Op::And(a, b)
            | Op::Or(a, b)
            | Op::Xor(a, b)
            | Op::Add(a, b)
            | Op::Sub(a, b)
            | Op::Eq(a, b)
            | Op::Lt(a, b)
            | Op::Shl(a, b)
            | Op::Shr(a, b) => [Some(a), Some(b), None],
            Op::Mux(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// The result for operands by position in [`operands`](Op::operands); `None` for what depends on the state.
    pub fn fold(self, mut value: impl FnMut(Id) -> u64) -> Option<u64> {
        Some(match self {
            Op::Const(value) => value,
            Op::Load(_) | Op::Read { .. } | Op::Later(_) => return None,
            Op::And(a, b) => value(a) & value(b),
            Op::Or(a, b) => value(a) | value(b),
            Op::Xor(a, b) => value(a) ^ value(b),
            Op::Add(a, b) => value(a).wrapping_add(value(b)),
            Op::Sub(a, b) => value(a).wrapping_sub(value(b)),
            Op::Eq(a, b) => (value(a) == value(b)).into(),
            Op::Lt(a, b) => (value(a) < value(b)).into(),
            Op::Shl(a, b) => shift(value(b), |n| value(a) << n),
            Op::Shr(a, b) => shift(value(b), |n| value(a) >> n),
            Op::Parity(a) => u64::from(value(a).count_ones() & 1),
            Op::Mux(c, a, b) => match value(c) {
                0 => value(b),
                _ => value(a),
            },
        })
    }
}

fn shift(amount: u64, by: impl FnOnce(u64) -> u64) -> u64 {
    match amount {
        0..64 => by(amount),
        _ => 0,
    }
}

/// What is known of a value: it is a multiple of `2^low` and below `2^high`.
#[derive(Clone, Copy)]
struct Range {
    low: u32,
    high: u32,
}

/// A graph under construction or finished.
#[derive(Clone, Default)]
pub struct Graph {
    ops: Vec<Op>,
    ranges: Vec<Range>,
    known: QuickMap<Op, Id>,
}

impl Graph {
    /// All nodes, operands first.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The nodes in this order.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        (0..self.ops.len() as u32).map(Id)
    }

    /// The node at this position of [`ops`](Self::ops).
    pub(crate) fn id(&self, position: u32) -> Option<Id> {
        ((position as usize) < self.ops.len()).then_some(Id(position))
    }

    /// What the node computes.
    pub fn op(&self, id: Id) -> Op {
        self.ops[id.index()]
    }

    fn range(&self, id: Id) -> Range {
        self.ranges[id.index()]
    }

    /// An upper bound of the bits of a value.
    pub fn width(&self, id: Id) -> usize {
        self.range(id).high as usize
    }

    fn value(&self, id: Id) -> Option<u64> {
        match self.op(id) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A number.
    pub fn constant(&mut self, value: u64) -> Id {
        self.intern(Op::Const(value), 64)
    }

    /// A value from outside the graph of at most `width` bits.
    pub fn source(&mut self, op: Op, width: usize) -> Id {
        self.intern(op, width as u32)
    }

    fn intern(&mut self, op: Op, width: u32) -> Id {
        if let Some(id) = self.known.get(&op) {
            return *id;
        }
        let id = Id(self.ops.len() as u32);
        let mut range = self.range_of(op);
        range.high = range.high.min(width);
        self.ops.push(op);
        self.ranges.push(range);
        self.known.insert(op, id);
        id
    }

    fn range_of(&self, op: Op) -> Range {
        let full = Range { low: 0, high: 64 };
        match op {
            Op::Const(0) => Range { low: 64, high: 0 },
            Op::Const(value) => Range {
                low: value.trailing_zeros(),
                high: 64 - value.leading_zeros(),
            },
            Op::Load(_) | Op::Read { .. } | Op::Later(_) => full,
            Op::And(a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                Range {
                    low: a.low.max(b.low),
                    high: a.high.min(b.high),
                }
            }
            Op::Or(a, b) | Op::Xor(a, b) | Op::Mux(_, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                Range {
                    low: a.low.min(b.low),
                    high: a.high.max(b.high),
                }
            }
            Op::Add(a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                Range {
                    low: a.low.min(b.low),
                    high: (a.high.max(b.high) + 1).min(64),
                }
            }
            Op::Sub(a, b) => Range {
                low: self.range(a).low.min(self.range(b).low),
                high: 64,
            },
            Op::Eq(..) | Op::Lt(..) | Op::Parity(_) => Range { low: 0, high: 1 },
            Op::Shl(a, b) => match self.value(b) {
                Some(n) if n < 64 => Range {
                    low: (self.range(a).low + n as u32).min(64),
                    high: (self.range(a).high + n as u32).min(64),
                },
                _ => Range {
                    low: self.range(a).low,
                    high: 64,
                },
            },
            Op::Shr(a, b) => match self.value(b) {
                Some(n) if n < 64 => Range {
                    low: self.range(a).low.saturating_sub(n as u32),
                    high: self.range(a).high.saturating_sub(n as u32),
                },
                _ => Range {
                    low: 0,
                    high: self.range(a).high,
                },
            },
        }
    }

    /// Adds a node or finds the one that computes the same.
    pub fn add(&mut self, op: Op) -> Id {
        let op = ordered(op);
        if op.operands().next().is_some()
            && !matches!(op, Op::Read { .. })
            && op.operands().all(|id| self.value(id).is_some())
        {
            let folded = op.fold(|id| self.value(id).unwrap_or(0));
            if let Some(value) = folded {
                return self.constant(value);
            }
        }
        match self.simpler(op) {
            Some(id) => id,
            None => self.intern(op, 64),
        }
    }
}

/// Operands of a symmetric operation in a fixed order.
fn ordered(op: Op) -> Op {
    match op {
        Op::And(a, b) if b < a => Op::And(b, a),
        Op::Or(a, b) if b < a => Op::Or(b, a),
        Op::Xor(a, b) if b < a => Op::Xor(b, a),
        Op::Add(a, b) if b < a => Op::Add(b, a),
        Op::Eq(a, b) if b < a => Op::Eq(b, a),
        op => op,
    }
}

/// Whether every part has the value for nothing.
pub(crate) fn is_source(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Load(_))
}

/// The nodes that `roots` need, operands first.
pub(crate) fn reachable(graph: &Graph, roots: &[Id]) -> Vec<Id> {
    let mut needed = vec![false; graph.ops().len()];
    let mut stack: Vec<Id> = roots.to_vec();
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut needed[id.index()], true) {
            stack.extend(graph.op(id).operands());
        }
    }
    graph.ids().filter(|id| needed[id.index()]).collect()
}
