//! The interpreter: the nodes one after the other. The reference for the JIT, and what runs where there is none.

use crate::compiled::plan::Plan;
use crate::netlist::{Netlist, Op};

/// A node with its operands as positions in the values.
pub(crate) struct Interpreter {
    ops: Vec<Step>,
    /// Position in the values and slot of each root.
    roots: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
enum Step {
    Const(u64),
    Load(usize),
    Read {
        start: usize,
        words: usize,
        addr: usize,
    },
    And(usize, usize),
    Or(usize, usize),
    Xor(usize, usize),
    Add(usize, usize),
    Sub(usize, usize),
    Eq(usize, usize),
    Lt(usize, usize),
    Shl(usize, usize),
    Shr(usize, usize),
    Parity(usize),
    Mux(usize, usize, usize),
}

impl Interpreter {
    pub(crate) fn new(netlist: &Netlist, plan: &Plan) -> Self {
        let mut place = vec![usize::MAX; netlist.graph.ops().len()];
        let ops = plan.order.iter().enumerate().map(|(position, &id)| {
            place[id.index()] = position;
            let at = |id: crate::netlist::Id| place[id.index()];
            match netlist.graph.op(id) {
                Op::Const(value) => Step::Const(value),
                Op::Load(word) => Step::Load(word as usize),
                Op::Read { memory, word, addr } => Step::Read {
                    start: plan.memories[memory as usize] + word as usize,
                    words: netlist.memories[memory as usize].words,
                    addr: at(addr),
                },
                // A finished graph has none.
                Op::Later(_) => Step::Const(0),
                Op::And(a, b) => Step::And(at(a), at(b)),
                Op::Or(a, b) => Step::Or(at(a), at(b)),
                Op::Xor(a, b) => Step::Xor(at(a), at(b)),
                Op::Add(a, b) => Step::Add(at(a), at(b)),
                Op::Sub(a, b) => Step::Sub(at(a), at(b)),
                Op::Eq(a, b) => Step::Eq(at(a), at(b)),
                Op::Lt(a, b) => Step::Lt(at(a), at(b)),
                Op::Shl(a, b) => Step::Shl(at(a), at(b)),
                Op::Shr(a, b) => Step::Shr(at(a), at(b)),
                Op::Parity(a) => Step::Parity(at(a)),
                Op::Mux(c, a, b) => Step::Mux(at(c), at(a), at(b)),
            }
        });
        let ops = ops.collect();
        let roots = plan.roots.iter().enumerate();
        let roots = roots.map(|(i, id)| (place[id.index()], plan.slots + i));
        Self {
            ops,
            roots: roots.collect(),
        }
    }

    pub(crate) fn eval(&self, buffer: &mut [u64]) {
        let mut values: Vec<u64> = Vec::with_capacity(self.ops.len());
        for step in &self.ops {
            let at = |i: usize| values[i];
            let value = match *step {
                Step::Const(value) => value,
                Step::Load(word) => buffer[word],
                Step::Read { start, words, addr } => buffer[start + at(addr) as usize * words],
                Step::And(a, b) => at(a) & at(b),
                Step::Or(a, b) => at(a) | at(b),
                Step::Xor(a, b) => at(a) ^ at(b),
                Step::Add(a, b) => at(a).wrapping_add(at(b)),
                Step::Sub(a, b) => at(a).wrapping_sub(at(b)),
                Step::Eq(a, b) => (at(a) == at(b)).into(),
                Step::Lt(a, b) => (at(a) < at(b)).into(),
                Step::Shl(a, b) => shift(at(b), |n| at(a) << n),
                Step::Shr(a, b) => shift(at(b), |n| at(a) >> n),
                Step::Parity(a) => u64::from(at(a).count_ones() & 1),
                Step::Mux(c, a, b) => at(if at(c) != 0 { a } else { b }),
            };
            values.push(value);
        }
        for &(position, slot) in &self.roots {
            buffer[slot] = values[position];
        }
    }
}

fn shift(amount: u64, by: impl FnOnce(u64) -> u64) -> u64 {
    if amount < 64 { by(amount) } else { 0 }
}
