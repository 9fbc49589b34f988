//! Looks at a run, for the parts of a body: in which cycles what changed.

use super::partition::activity::{Activity, SAMPLES};
use super::plan::Plan;
use crate::netlist::{Netlist, Op};

/// Looks at a run, cycle by cycle.
pub(crate) struct Sampler {
    activity: Activity,
    /// Of the cycle before.
    values: Vec<u64>,
    state: Vec<u64>,
    memories: Vec<u64>,
    started: bool,
}

impl Sampler {
    pub(crate) fn new(netlist: &Netlist) -> Self {
        let nodes = netlist.graph.ops().len();
        Self {
            activity: Activity {
                operands: vec![[0; _]; nodes],
                changed: vec![[0; _]; nodes],
                state: vec![[0; _]; netlist.initial.len()],
                cycles: 0,
            },
            values: vec![0; nodes],
            state: vec![0; netlist.initial.len()],
            memories: Vec::new(),
            started: false,
        }
    }

    /// Adds the cycle whose inputs and state the buffer holds; says whether more are wanted.
    pub(crate) fn sample(&mut self, netlist: &Netlist, plan: &Plan, buffer: &[u64]) -> bool {
        let Activity {
            operands,
            changed,
            state,
            cycles,
        } = &mut self.activity;
        if *cycles >= SAMPLES {
            return false;
        }
        let (word, bit) = (*cycles / 64, u64::from(self.started) << (*cycles % 64));
        for (at, (old, place)) in self.state.iter_mut().zip(&plan.place).enumerate() {
            if std::mem::replace(old, buffer[*place]) != *old {
                state[at][word] |= bit;
            }
        }
        let contents = &buffer[plan.memory_words()];
        if !self.started {
            self.memories = contents.to_vec();
        }
        let mut moved = Vec::new();
        for (memory, start) in netlist.memories.iter().zip(&plan.memories) {
            let start = start - plan.memory_words().start;
            let range = start..start + memory.initial.len();
            let (old, new) = (&mut self.memories[range.clone()], &contents[range]);
            moved.push(old != new);
            old.copy_from_slice(new);
        }
        // By node: whether its value differs from that of the cycle before.
        let mut differs = vec![false; self.values.len()];
        for id in netlist.graph.ids() {
            let op = netlist.graph.op(id);
            let mut operand = op.operands().any(|id| differs[id.index()]);
            let value = match op {
                Op::Load(word) => buffer[plan.place[word as usize]],
                Op::Read { memory, word, addr } => {
                    let memory = memory as usize;
                    operand |= moved[memory];
                    let entry = self.values[addr.index()] as usize * netlist.memories[memory].words;
                    buffer[plan.memories[memory] + entry + word as usize]
                }
                // It is what it was.
                _ if self.started && !operand => continue,
                // A finished graph has no placeholders.
                _ => op.fold(|id| self.values[id.index()]).unwrap_or(0),
            };
            let at = id.index();
            differs[at] = std::mem::replace(&mut self.values[at], value) != value;
            if operand {
                operands[at][word] |= bit;
            }
            if differs[at] {
                changed[at][word] |= bit;
            }
        }
        self.started = true;
        *cycles += 1;
        *cycles < SAMPLES
    }

    pub(crate) fn activity(self) -> Activity {
        self.activity
    }
}
