//! Where everything is: one buffer of words an instance, and what each part does with it.
//!
//! A buffer holds, one after the other: the inputs; the flags; part by part the registers that it writes and the values
//! that it gives to others; shadows of registers; numbers that somebody reads like a word; the memories.

use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::partition::{Needs, Partition};
use crate::Result;
use crate::base::{CHAIN_START, chain};
use crate::netlist::{Id, Netlist, Op, reachable};
use crate::wave::GROUP;

mod build;
mod check;

use build::Builder;

/// Bits of a word of the buffer that are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark {
    pub(crate) word: usize,
    pub(crate) bits: u64,
}

/// Values with the same readers. If one differs from what its word holds, the marks are set.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Group {
    /// The values and their words.
    pub(crate) values: Vec<(Id, usize)>,
    /// The first of as many words into which they are written; none: they are written into their own, if one differs.
    pub(crate) shadow: Option<usize>,
    pub(crate) marks: Vec<Mark>,
}

/// What is computed together.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Part {
    /// Operations, operands first.
    pub(crate) nodes: Vec<Id>,
    /// Values that are written without a look.
    pub(crate) stores: Vec<(Id, usize)>,
    pub(crate) groups: Vec<Group>,
}

/// A memory write: where it finds what it needs, and where it writes.
#[derive(Clone)]
pub(crate) struct Write {
    pub(crate) enable: usize,
    pub(crate) addr: usize,
    /// Data and mask of each word of an entry.
    pub(crate) words: Vec<(usize, usize)>,
    /// First word of the memory.
    pub(crate) memory: usize,
    /// Entries - 1.
    pub(crate) last: usize,
    /// Who reads the memory.
    pub(crate) marks: Vec<Mark>,
}

/// Registers that are taken over from their shadows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shadow {
    pub(crate) first: usize,
    pub(crate) shadow: usize,
    pub(crate) words: usize,
}

/// Layout of an instance's buffer.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) partition: Partition,
    /// In the order in which they are computed. The flag of part `i` is bit `i`.
    pub(crate) parts: Vec<Part>,
    /// How many, the first ones, give what is shown.
    pub(crate) shown: usize,
    /// By state word: its word in the buffer. Inputs lie where they are in the state, at the start.
    pub(crate) place: Vec<usize>,
    /// Words of the inputs.
    pub(crate) inputs: usize,
    /// By input word: who reads it.
    pub(crate) input_marks: Vec<Vec<Mark>>,
    /// First word of the flags, and how many. As many follow for the next cycle, then marks of shadows.
    pub(crate) flags: usize,
    pub(crate) flag_words: usize,
    /// How many of them, the first ones, have flags that keep an instance awake. The others have a bit for each
    /// [`GROUP`] of observed words: one of them may have changed since the bit was cleared.
    pub(crate) work_words: usize,
    /// A bit of the flags that is set when a shown value of the outputs may have changed.
    pub(crate) output_mark: Mark,
    /// A bit of the flags that only keeps an instance awake.
    pub(crate) wake_mark: Mark,
    /// By bit after the flags for the next cycle.
    pub(crate) shadows: Vec<Shadow>,
    /// By computed value that others need: its word.
    kept: HashMap<Id, usize>,
    /// Words of numbers.
    numbers: Vec<(usize, u64)>,
    /// First word of each memory.
    pub(crate) memories: Vec<usize>,
    pub(crate) writes: Vec<Write>,
    /// The words of their enables, if these lie side by side in the order of the writes.
    pub(crate) enables: Range<usize>,
    /// By output port: the first of its words in `output_words`.
    pub(crate) outputs: Vec<usize>,
    /// Where each word of the outputs is.
    pub(crate) output_words: Vec<usize>,
    /// Where each word of the observed signals is, one signal's words after the other's.
    pub(crate) observed_words: Vec<usize>,
    /// Words in all.
    pub(crate) words: usize,
}

impl Plan {
    /// A plan of these parts. `needs` are those that they were made for, `observed` the signals that are looked at.
    /// Errors: the parts are wrong.
    pub(crate) fn new(needs: &Needs, partition: Partition, observed: &[usize]) -> Result<Self> {
        partition.check(needs)?;
        let mut builder = Builder::new(needs, partition, observed);
        builder.registers();
        builder.enables();
        builder.values(needs);
        let plan = builder.finish(needs, observed);
        plan.check(needs.netlist, observed)?;
        Ok(plan)
    }

    /// The marks of these flags: for this cycle, or for the next one.
    fn marks(&self, flags: &[usize], now: bool) -> Vec<Mark> {
        let start = self.flags + if now { 0 } else { self.flag_words };
        let mut marks: BTreeMap<usize, u64> = BTreeMap::new();
        for flag in flags {
            *marks.entry(start + flag / 64).or_default() |= 1 << (flag % 64);
        }
        let marks = marks.into_iter();
        marks.map(|(word, bits)| Mark { word, bits }).collect()
    }

    /// The flag of a part.
    pub(crate) fn flag(&self, part: usize) -> Mark {
        Mark {
            word: self.flags + part / 64,
            bits: 1 << (part % 64),
        }
    }

    /// The flags of some parts.
    pub(crate) fn flags_of(&self, parts: Range<usize>) -> Vec<Mark> {
        let parts: Vec<usize> = parts.collect();
        self.marks(&parts, true)
    }

    /// The flags of this cycle.
    pub(crate) fn flag_range(&self) -> Range<usize> {
        self.flags..self.flags + self.flag_words
    }

    /// The bits of this cycle for groups of observed words.
    pub(crate) fn group_range(&self) -> Range<usize> {
        self.flags + self.work_words..self.flags + self.flag_words
    }

    /// Sets all flags: whatever was computed may be wrong.
    pub(crate) fn mark_all(&self, buffer: &mut [u64]) {
        let (flags, groups) = (
            self.parts.len() + 2,
            self.observed_words.len().div_ceil(GROUP),
        );
        let start = self.flags + self.work_words;
        for (from, to, count) in [
            (self.flags, start, flags),
            (start, self.flags + self.flag_words, groups),
        ] {
            for (number, word) in buffer[from..to].iter_mut().enumerate() {
                *word = crate::base::mask(count - 64 * number);
            }
        }
    }

    /// Whether a part that gives what is shown has its flag set.
    pub(crate) fn is_stale(&self, buffer: &[u64]) -> bool {
        let (words, rest) = (self.shown / 64, self.shown % 64);
        let flags = &buffer[self.flag_range()];
        flags[..words].iter().any(|word| *word != 0) || flags[words] & crate::base::mask(rest) != 0
    }

    /// The words of all memories.
    pub(crate) fn memory_words(&self) -> Range<usize> {
        self.memories.first().copied().unwrap_or(self.words)..self.words
    }

    /// The word of a computed value that others need.
    pub(crate) fn kept(&self, id: Id) -> Option<usize> {
        self.kept.get(&id).copied()
    }

    /// The buffer at power-up.
    pub(crate) fn buffer(&self, netlist: &Netlist) -> Vec<u64> {
        let mut buffer = vec![0; self.words];
        for (place, value) in self.place.iter().zip(&netlist.initial) {
            buffer[*place] = *value;
        }
        for (word, value) in &self.numbers {
            buffer[*word] = *value;
        }
        for (memory, &start) in netlist.memories.iter().zip(&self.memories) {
            buffer[start..start + memory.initial.len()].copy_from_slice(&memory.initial);
        }
        self.mark_all(&mut buffer);
        buffer
    }

    /// The same for plans that compute the same in the same places: code that was generated for one is code for the
    /// other.
    pub(crate) fn fingerprint(&self, netlist: &Netlist) -> u64 {
        let mut hasher = Chain(CHAIN_START);
        for part in &self.parts {
            part.hash(&mut hasher);
            let ops = part.nodes.iter().map(|id| netlist.graph.op(*id));
            ops.for_each(|op| op.hash(&mut hasher));
        }
        let writes = self.writes.iter();
        writes.for_each(|write| {
            (write.enable, write.addr, &write.words, write.memory).hash(&mut hasher)
        });
        (&self.place, self.shown, &self.memories, self.words).hash(&mut hasher);
        for memory in &netlist.memories {
            (memory.words, memory.depth).hash(&mut hasher);
        }
        hasher.finish()
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
        for byte in bytes {
            self.0 = chain(self.0, &[u64::from(*byte)]);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Value of `id` computed from an instance's buffer, for looking at what no plan keeps.
pub(crate) fn look(netlist: &Netlist, plan: &Plan, buffer: &[u64], ids: &[Id]) -> Vec<u64> {
    let graph = &netlist.graph;
    let mut values = HashMap::new();
    for id in reachable(graph, ids) {
        let op = graph.op(id);
        let value = match op {
            Op::Load(word) => buffer[plan.place[word as usize]],
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
