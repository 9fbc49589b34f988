//! Where everything is: one buffer of words an instance, and which nodes are computed.

use std::hash::{Hash, Hasher};

use crate::base::{CHAIN_START, chain};
use crate::netlist::{Graph, Id, Netlist, Op};

/// Layout of an instance's buffer, in words: state, slots of the roots, memories.
#[derive(Clone)]
pub(crate) struct Plan {
    /// Nodes to compute, operands first; constants and state words are among them.
    pub(crate) order: Vec<Id>,
    /// Values that are kept: slot `slots + i` is `roots[i]`.
    pub(crate) roots: Vec<Id>,
    /// First slot.
    pub(crate) slots: usize,
    /// First word of each memory.
    pub(crate) memories: Vec<usize>,
    /// State word of each root that is a register's next value; these are the first roots.
    pub(crate) next: Vec<usize>,
    /// Memory writes.
    pub(crate) writes: Vec<Write>,
    /// First root of each output.
    pub(crate) outputs: Vec<usize>,
    /// First root of the observed signals, which are the last roots, one signal's words after the other's.
    pub(crate) observed: usize,
    /// Words in all.
    pub(crate) words: usize,
    /// State words that are inputs; they come first.
    pub(crate) inputs: usize,
}

/// Where a memory write finds what it needs.
#[derive(Clone, Copy)]
pub(crate) struct Write {
    /// First slot: enable, addr, data..., mask...
    pub(crate) slot: usize,
    /// First word of the memory.
    pub(crate) memory: usize,
    /// Words of an entry.
    pub(crate) words: usize,
}

impl Plan {
    /// A plan that also keeps the values of the signals `observed` (positions in [`Netlist::signals`]).
    pub(crate) fn new(netlist: &Netlist, observed: &[usize]) -> Self {
        let mut roots: Vec<Id> = netlist.next.iter().map(|(_, id)| *id).collect();
        let next = netlist
            .next
            .iter()
            .map(|(word, _)| *word as usize)
            .collect();
        let mut first_roots = Vec::new();
        for write in &netlist.writes {
            first_roots.push(roots.len());
            roots.extend([write.enable, write.addr]);
            roots.extend(write.data.iter().chain(&write.mask));
        }
        let mut place = |words: &[Id]| {
            roots.extend(words);
            roots.len() - words.len()
        };
        let outputs = netlist
            .outputs
            .iter()
            .map(|(_, _, words)| place(words))
            .collect();
        let first_observed = place(&[]);
        for &signal in observed {
            place(&netlist.signals[signal].words);
        }
        let order = reachable(&netlist.graph, &roots);
        let slots = netlist.initial.len();
        let mut words = slots + roots.len();
        let mut memories = Vec::new();
        for memory in &netlist.memories {
            memories.push(words);
            words += memory.initial.len();
        }
        let writes = netlist.writes.iter().zip(first_roots);
        let writes = writes.map(|(write, first)| Write {
            slot: slots + first,
            memory: memories[write.memory],
            words: netlist.memories[write.memory].words,
        });
        let writes = writes.collect();
        let inputs = netlist
            .inputs
            .iter()
            .map(|port| port.width.div_ceil(64))
            .sum();
        Self {
            order,
            roots,
            slots,
            memories,
            next,
            writes,
            outputs,
            observed: first_observed,
            words,
            inputs,
        }
    }

    /// The same for plans that compute the same in the same places: code that was generated for one is code for the
    /// other.
    pub(crate) fn fingerprint(&self, netlist: &Netlist) -> u64 {
        let mut hasher = Chain(CHAIN_START);
        for &id in &self.order {
            (id, netlist.graph.op(id)).hash(&mut hasher);
        }
        (&self.roots, self.slots, &self.memories, self.words).hash(&mut hasher);
        for memory in &netlist.memories {
            (memory.words, memory.depth).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The slots of all outputs.
    pub(crate) fn output_words(&self) -> std::ops::Range<usize> {
        let first = self.outputs.first().copied().unwrap_or(self.observed);
        self.slots + first..self.slots + self.observed
    }

    /// The words of all memories.
    pub(crate) fn memory_words(&self) -> std::ops::Range<usize> {
        self.slots + self.roots.len()..self.words
    }

    /// The buffer at power-up.
    pub(crate) fn buffer(&self, netlist: &Netlist) -> Vec<u64> {
        let mut buffer = vec![0; self.words];
        buffer[..netlist.initial.len()].copy_from_slice(&netlist.initial);
        for (memory, &start) in netlist.memories.iter().zip(&self.memories) {
            buffer[start..start + memory.initial.len()].copy_from_slice(&memory.initial);
        }
        buffer
    }
}

/// The same for designs whose inputs, registers and memories are the same.
pub(crate) fn shape(netlist: &Netlist) -> u64 {
    let mut hasher = Chain(CHAIN_START);
    for port in netlist.inputs.iter().chain(&netlist.registers) {
        (&port.name, port.width, port.word).hash(&mut hasher);
    }
    for memory in &netlist.memories {
        (&memory.path, memory.width, memory.depth).hash(&mut hasher);
    }
    hasher.finish()
}

/// A hash that is the same in every process.
struct Chain(u64);

impl Hasher for Chain {
    fn write(&mut self, bytes: &[u8]) {
        let words: Vec<u64> = bytes.iter().map(|byte| u64::from(*byte)).collect();
        self.0 = chain(self.0, &words);
    }

    fn finish(&self) -> u64 {
        self.0
    }
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

/// Value of `id` computed from an instance's buffer, for looking at what no plan keeps.
pub(crate) fn look(netlist: &Netlist, plan: &Plan, buffer: &[u64], ids: &[Id]) -> Vec<u64> {
    let graph = &netlist.graph;
    let mut values = std::collections::HashMap::new();
    for id in reachable(graph, ids) {
        let op = graph.op(id);
        let value = match op {
            Op::Load(word) => buffer[word as usize],
            Op::Read { memory, word, addr } => {
                let memory = memory as usize;
                let entry = values[&addr] as usize * netlist.memories[memory].words;
                buffer[plan.memories[memory] + entry + word as usize]
            }
            // Complete graphs have no placeholders; the other operations only need operands.
            _ => op.fold(|id| values[&id]).unwrap_or(0),
        };
        values.insert(id, value);
    }
    ids.iter().map(|id| values[id]).collect()
}
