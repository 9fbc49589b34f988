//! The interpreter: the operations of a part one after the other. The reference for the code generators, and what runs
//! where they have nothing yet.

use std::collections::HashMap;
use std::ops::Range;

use crate::compiled::plan::{Group, Mark, Plan};
use crate::netlist::{Id, Netlist, Op};

/// All parts.
pub(crate) struct Interpreter {
    parts: Vec<Program>,
    /// Values of the largest part.
    values: usize,
}

/// What a run has computed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ran {
    pub(crate) parts: usize,
    pub(crate) operations: usize,
}

/// A part.
struct Program {
    flag: Mark,
    steps: Vec<Step>,
    /// Operations among the steps; the others fetch operands.
    operations: usize,
    stores: Vec<(usize, usize)>,
    groups: Vec<Grouped>,
}

/// Values by their steps.
struct Grouped {
    values: Vec<(usize, usize)>,
    shadow: Option<usize>,
    marks: Vec<Mark>,
}

/// An operation with its operands as numbers of steps.
#[derive(Clone, Copy)]
enum Step {
    Const(u64),
    Load(usize),
    Read {
        start: usize,
        words: usize,
        last: usize,
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
        let parts = 0..plan.parts.len();
        let parts: Vec<Program> = parts
            .map(|part| Program::new(netlist, plan, part))
            .collect();
        Self {
            values: parts.iter().map(|part| part.steps.len()).max().unwrap_or(0),
            parts,
        }
    }

    /// Computes those of these parts whose flags are set.
    pub(crate) fn run(&self, parts: Range<usize>, buffer: &mut [u64]) -> Ran {
        let mut values = Vec::with_capacity(self.values);
        let mut ran = Ran::default();
        for part in &self.parts[parts] {
            if buffer[part.flag.word] & part.flag.bits != 0 {
                buffer[part.flag.word] &= !part.flag.bits;
                part.run(&mut values, buffer);
                ran.parts += 1;
                ran.operations += part.operations;
            }
        }
        ran
    }
}

impl Program {
    fn new(netlist: &Netlist, plan: &Plan, number: usize) -> Self {
        let part = &plan.parts[number];
        let mut fetch = Fetch {
            netlist,
            plan,
            steps: Vec::new(),
            known: HashMap::new(),
        };
        for &id in &part.nodes {
            let step = fetch.operation(id);
            fetch.add(id, step);
        }
        let mut grouped = |group: &Group| {
            let values = group.values.iter();
            Grouped {
                values: values.map(|(id, word)| (fetch.at(*id), *word)).collect(),
                shadow: group.shadow,
                marks: group.marks.clone(),
            }
        };
        let groups = part.groups.iter().map(&mut grouped).collect();
        let stores = part.stores.iter();
        Self {
            flag: plan.flag(number),
            operations: part.nodes.len(),
            stores: stores.map(|(id, word)| (fetch.at(*id), *word)).collect(),
            groups,
            steps: fetch.steps,
        }
    }

    fn run(&self, values: &mut Vec<u64>, buffer: &mut [u64]) {
        values.clear();
        for step in &self.steps {
            let at = |i: usize| values[i];
            let value = match *step {
                Step::Const(value) => value,
                Step::Load(word) => buffer[word],
                Step::Read {
                    start,
                    words,
                    last,
                    addr,
                } => buffer[start + (at(addr) as usize & last) * words],
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
        for (step, word) in &self.stores {
            buffer[*word] = values[*step];
        }
        for group in &self.groups {
            let mut differs = 0;
            for (step, word) in &group.values {
                differs |= values[*step] ^ buffer[*word];
            }
            if let Some(shadow) = group.shadow {
                for ((step, _), word) in group.values.iter().zip(shadow..) {
                    buffer[word] = values[*step];
                }
            }
            if differs == 0 {
                continue;
            }
            if group.shadow.is_none() {
                for (step, word) in &group.values {
                    buffer[*word] = values[*step];
                }
            }
            for mark in &group.marks {
                buffer[mark.word] |= mark.bits;
            }
        }
    }
}

/// Steps of a part, and those that fetch what it needs.
struct Fetch<'a> {
    netlist: &'a Netlist,
    plan: &'a Plan,
    steps: Vec<Step>,
    known: HashMap<Id, usize>,
}

impl Fetch<'_> {
    fn add(&mut self, id: Id, step: Step) -> usize {
        self.steps.push(step);
        self.known.insert(id, self.steps.len() - 1);
        self.steps.len() - 1
    }

    /// The step that has the value.
    fn at(&mut self, id: Id) -> usize {
        if let Some(step) = self.known.get(&id) {
            return *step;
        }
        let step = match self.netlist.graph.op(id) {
            Op::Const(value) => Step::Const(value),
            Op::Load(word) => Step::Load(self.plan.place[word as usize]),
            // The plan has seen to it that the value is there.
            _ => Step::Load(self.plan.kept(id).unwrap_or(0)),
        };
        self.add(id, step)
    }

    fn operation(&mut self, id: Id) -> Step {
        match self.netlist.graph.op(id) {
            Op::Read { memory, word, addr } => {
                let kept = &self.netlist.memories[memory as usize];
                Step::Read {
                    start: self.plan.memories[memory as usize] + word as usize,
                    words: kept.words,
                    last: kept.depth.saturating_sub(1),
                    addr: self.at(addr),
                }
            }
            // Sources are no operations, and a finished graph has no placeholders.
            Op::Const(_) | Op::Load(_) | Op::Later(_) => Step::Const(0),
            Op::And(a, b) => Step::And(self.at(a), self.at(b)),
            Op::Or(a, b) => Step::Or(self.at(a), self.at(b)),
            Op::Xor(a, b) => Step::Xor(self.at(a), self.at(b)),
            Op::Add(a, b) => Step::Add(self.at(a), self.at(b)),
            Op::Sub(a, b) => Step::Sub(self.at(a), self.at(b)),
            Op::Eq(a, b) => Step::Eq(self.at(a), self.at(b)),
            Op::Lt(a, b) => Step::Lt(self.at(a), self.at(b)),
            Op::Shl(a, b) => Step::Shl(self.at(a), self.at(b)),
            Op::Shr(a, b) => Step::Shr(self.at(a), self.at(b)),
            Op::Parity(a) => Step::Parity(self.at(a)),
            Op::Mux(c, a, b) => Step::Mux(self.at(c), self.at(a), self.at(b)),
        }
    }
}

fn shift(amount: u64, by: impl FnOnce(u64) -> u64) -> u64 {
    if amount < 64 { by(amount) } else { 0 }
}
