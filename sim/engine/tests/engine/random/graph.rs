//! The graph of 64-bit operations: what `add` gives computes what was asked for, and is as small as the graph says.

use proptest::prelude::*;
use xtq_engine::mask;
use xtq_engine::netlist::{Graph, Id, Op};

use crate::random::tape::{Tape, tape};

/// Values of the sources for which each graph is computed.
const VALUATIONS: usize = 8;

/// What a node was asked to compute, by positions of earlier nodes.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Constant(u64),
    Source(usize),
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

/// Nodes as asked for and as the graph has them.
#[derive(Default)]
struct Pair {
    asked: Vec<Asked>,
    graph: Graph,
    ids: Vec<Id>,
    /// Nodes that are 0 or 1.
    bits: Vec<usize>,
    /// Widths of the sources.
    widths: Vec<usize>,
}

impl Pair {
    fn add(&mut self, asked: Asked, op: Op) -> usize {
        let id = match asked {
            Asked::Constant(value) => self.graph.constant(value),
            Asked::Source(source) => self.graph.source(op, self.widths[source]),
            _ => {
                let id = self.graph.add(op);
                assert_eq!(self.graph.add(op), id, "equal operations are one node");
                id
            }
        };
        self.ids.push(id);
        self.asked.push(asked);
        self.ids.len() - 1
    }

    fn node(&mut self, tape: &mut Tape) {
        let last = self.ids.len() - 1;
        // Recent nodes more often: chains are what is simplified.
        let mut any = || match tape.pick(3) {
            0 => last - tape.pick(last.min(3) + 1),
            _ => tape.pick(last + 1),
        };
        let (a, b) = (any(), any());
        let (x, y) = (self.ids[a], self.ids[b]);
        match tape.pick(15) {
            0 => {
                let value = constant(tape);
                let number = self.add(Asked::Constant(value), Op::Const(value));
                if value < 2 {
                    self.bits.push(number);
                }
            }
            1 => {
                self.widths.push(tape.of(&[1, 1, 7, 32, 63, 64]));
                let source = self.widths.len() - 1;
                let number = self.add(Asked::Source(source), Op::Load(source as u32));
                if self.widths[source] == 1 {
                    self.bits.push(number);
                }
            }
            2 | 3 => self.logic(Asked::And(a, b), Op::And(x, y), a, b),
            4 | 5 => self.logic(Asked::Or(a, b), Op::Or(x, y), a, b),
            6 => self.logic(Asked::Xor(a, b), Op::Xor(x, y), a, b),
            7 => _ = self.add(Asked::Add(a, b), Op::Add(x, y)),
            8 => _ = self.add(Asked::Sub(a, b), Op::Sub(x, y)),
            9 => self.bit(Asked::Eq(a, b), Op::Eq(x, y)),
            10 => self.bit(Asked::Lt(a, b), Op::Lt(x, y)),
            11 => _ = self.add(Asked::Shl(a, b), Op::Shl(x, y)),
            12 => _ = self.add(Asked::Shr(a, b), Op::Shr(x, y)),
            13 => self.bit(Asked::Parity(a), Op::Parity(x)),
            _ => {
                let c = tape.of(&self.bits);
                let both = self.bits.contains(&a) && self.bits.contains(&b);
                let number = self.add(Asked::Mux(c, a, b), Op::Mux(self.ids[c], x, y));
                if both {
                    self.bits.push(number);
                }
            }
        }
    }

    fn bit(&mut self, asked: Asked, op: Op) {
        let number = self.add(asked, op);
        self.bits.push(number);
    }

    fn logic(&mut self, asked: Asked, op: Op, a: usize, b: usize) {
        let number = self.add(asked, op);
        if self.bits.contains(&a) && self.bits.contains(&b) {
            self.bits.push(number);
        }
    }

    /// What was asked for, without the graph.
    fn expected(&self, sources: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::new();
        for asked in &self.asked {
            let at = |i: usize| u128::from(values[i]);
            let value = match *asked {
                Asked::Constant(value) => value.into(),
                Asked::Source(source) => sources[source].into(),
                Asked::And(a, b) => at(a) & at(b),
                Asked::Or(a, b) => at(a) | at(b),
                Asked::Xor(a, b) => at(a) ^ at(b),
                Asked::Add(a, b) => at(a) + at(b),
                Asked::Sub(a, b) => at(a) + (1 << 64) - at(b),
                Asked::Eq(a, b) => u128::from(at(a) == at(b)),
                Asked::Lt(a, b) => u128::from(at(a) < at(b)),
                Asked::Shl(a, b) => at(a) << at(b).min(64),
                Asked::Shr(a, b) => at(a) >> at(b).min(64),
                Asked::Parity(a) => u128::from(at(a).count_ones() % 2),
                Asked::Mux(c, a, b) => at(if at(c) == 1 { a } else { b }),
            };
            values.push(value as u64);
        }
        values
    }

    /// What the graph computes.
    fn found(&self, sources: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::new();
        for op in self.graph.ops() {
            let value = match op {
                Op::Load(source) => sources[*source as usize],
                op => op.fold(|id| values[id.index()]).expect("no memories here"),
            };
            values.push(value);
        }
        values
    }
}

/// Shift amounts, masks, single bits, corner values.
fn constant(tape: &mut Tape) -> u64 {
    match tape.pick(6) {
        0 => tape.of(&[0, 1, u64::MAX]),
        1 | 2 => tape.pick(66) as u64,
        3 => mask(tape.pick(65)),
        4 => 1 << tape.pick(64),
        _ => mask(tape.pick(65)) << tape.pick(64),
    }
}

/// Ends of ranges, which random constants seldom are.
#[test]
fn narrow_comparisons_with_every_constant_are_right() {
    for (width, k) in (1..=3).flat_map(|width| (0..=mask(width) + 1).map(move |k| (width, k))) {
        let mut pair = Pair::default();
        pair.widths.push(width);
        let x = pair.add(Asked::Source(0), Op::Load(0));
        let c = pair.add(Asked::Constant(k), Op::Const(k));
        let (a, b) = (pair.ids[x], pair.ids[c]);
        pair.add(Asked::Lt(x, c), Op::Lt(a, b));
        pair.add(Asked::Lt(c, x), Op::Lt(b, a));
        pair.add(Asked::Eq(x, c), Op::Eq(a, b));
        for value in 0..=mask(width) {
            let (expected, values) = (pair.expected(&[value]), pair.found(&[value]));
            let found: Vec<u64> = pair.ids.iter().map(|id| values[id.index()]).collect();
            assert_eq!(found, expected, "{width} bits: {value} and {k}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn every_node_computes_what_was_asked_for(mut tape in tape(400), seed: u64) {
        let mut pair = Pair::default();
        pair.bits.push(0);
        pair.widths.push(1);
        pair.add(Asked::Source(0), Op::Load(0));
        for _ in 0..80 {
            pair.node(&mut tape);
        }
        let mut random = crate::random::Random::new(seed);
        for _ in 0..VALUATIONS {
            let sources: Vec<u64> = pair.widths.iter().map(|w| random.word() & mask(*w)).collect();
            let (expected, values) = (pair.expected(&sources), pair.found(&sources));
            for (position, (expected, id)) in expected.iter().zip(&pair.ids).enumerate() {
                let value = values[id.index()];
                prop_assert_eq!(value, *expected, "node {} of {:?}", position, &pair.asked);
                let width = pair.graph.width(*id);
                prop_assert!(value <= mask(width), "node {} has more than {} bits", position, width);
            }
        }
    }
}
