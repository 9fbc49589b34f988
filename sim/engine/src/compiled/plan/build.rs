//! Makes a plan: who reads what, then where everything lies.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Group, Mark, Part, Plan, Shadow, Write};
use crate::compiled::partition::{Needs, Partition};
use crate::netlist::{Graph, Id, Netlist, Op};
use crate::wave::GROUP;

/// Registers that are copies of sources, a part.
const COPIED: usize = 4;

/// Who reads what, as numbers of flags in order.
struct Readers {
    state: Vec<Vec<usize>>,
    memories: Vec<Vec<usize>>,
    values: HashMap<Id, Vec<usize>>,
}

/// State words with their next values.
type Registers = Vec<(usize, Id)>;

/// Registers that a part writes, with the same readers.
struct Written {
    part: usize,
    at_once: bool,
    readers: Vec<usize>,
    list: Registers,
}

/// A plan that is not finished.
pub(super) struct Builder<'a> {
    netlist: &'a Netlist,
    plan: Plan,
    readers: Readers,
    homes: Vec<usize>,
    /// By part: the registers it writes.
    registers: Vec<Registers>,
    /// Words that are chosen for values.
    placed: HashMap<Id, usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(needs: &Needs<'a>, partition: Partition, observed: &[usize]) -> Self {
        let netlist = needs.netlist;
        let homes = partition.homes(netlist);
        let mut registers = vec![Vec::new(); partition.parts.len()];
        let mut copied: Registers = Vec::new();
        for (word, id) in &netlist.next {
            match registers.get_mut(homes[id.index()]) {
                Some(list) => list.push((*word as usize, *id)),
                None => copied.push((*word as usize, *id)),
            }
        }
        copied.sort_by_key(|(word, id)| (*id, *word));
        registers.extend(copied.chunks(COPIED).map(<[_]>::to_vec));
        let inputs = netlist.inputs.iter();
        let inputs = inputs.map(|port| port.width.div_ceil(64)).sum();
        let parts = registers.len();
        // After the parts' flags come that of the outputs and that of what only wakes.
        let work_words = (parts + 2).div_ceil(64);
        let observed = observed.iter().flat_map(|at| &netlist.signals[*at].words);
        let observed: Vec<Id> = observed.copied().collect();
        let flag_words = work_words + observed.len().div_ceil(64 * GROUP);
        let mark = |flag: usize| Mark {
            word: inputs + flag / 64,
            bits: 1 << (flag % 64),
        };
        let plan = Plan {
            parts: vec![Part::default(); parts],
            shown: partition.shown,
            place: (0..netlist.initial.len())
                .map(|word| if word < inputs { word } else { usize::MAX })
                .collect(),
            inputs,
            input_marks: Vec::new(),
            flags: inputs,
            flag_words,
            work_words,
            output_mark: mark(parts),
            wake_mark: mark(parts + 1),
            shadows: Vec::new(),
            kept: HashMap::new(),
            numbers: Vec::new(),
            memories: Vec::new(),
            writes: Vec::new(),
            enables: 0..0,
            outputs: Vec::new(),
            output_words: Vec::new(),
            observed_words: Vec::new(),
            words: inputs + 2 * flag_words,
            partition,
        };
        let readers = Readers::new(needs, &plan, &registers, &homes, &observed);
        Self {
            netlist,
            plan,
            readers,
            homes,
            registers,
            placed: HashMap::new(),
        }
    }

    fn take(&mut self, words: usize) -> usize {
        self.plan.words += words;
        self.plan.words - words
    }

    /// Finds a place for the registers, one part's after the other's, and groups them by who reads them.
    pub(super) fn registers(&mut self) {
        let plan = &mut self.plan;
        let registers = std::mem::take(&mut self.registers);
        let mut grouped: Vec<Written> = Vec::new();
        for (part, list) in registers.into_iter().enumerate() {
            let mut groups: BTreeMap<(bool, &[usize]), Registers> = BTreeMap::new();
            for (word, id) in list {
                let at_once = plan.partition.in_place.contains(&word);
                let key = (at_once, &*self.readers.state[word]);
                groups.entry(key).or_default().push((word, id));
            }
            for ((at_once, readers), list) in groups {
                grouped.push(Written {
                    part,
                    at_once,
                    readers: readers.to_vec(),
                    list,
                });
            }
        }
        let shadowed = grouped.iter().filter(|one| !one.at_once).count();
        let dirty = self.take(shadowed.div_ceil(64));
        for one in grouped {
            let Written {
                part,
                at_once,
                readers,
                list,
            } = one;
            let first = self.take(list.len());
            let values: Vec<(Id, usize)> = list.iter().map(|(_, id)| *id).zip(first..).collect();
            for ((word, _), place) in list.iter().zip(first..) {
                self.plan.place[*word] = place;
            }
            let mut marks = self.plan.marks(&readers, at_once);
            let mut shadow = None;
            if !at_once {
                let number = self.plan.shadows.len();
                marks.push(Mark {
                    word: dirty + number / 64,
                    bits: 1 << (number % 64),
                });
                self.plan.shadows.push(Shadow {
                    first,
                    shadow: 0,
                    words: list.len(),
                });
                shadow = Some(number);
            }
            self.plan.parts[part].groups.push(Group {
                values,
                shadow,
                marks,
            });
        }
        // Words that nobody writes.
        for word in 0..self.plan.place.len() {
            if self.plan.place[word] == usize::MAX {
                self.plan.place[word] = self.take(1);
            }
        }
        for number in 0..self.plan.shadows.len() {
            self.plan.shadows[number].shadow = self.take(self.plan.shadows[number].words);
        }
        let Plan { parts, shadows, .. } = &mut self.plan;
        for group in parts.iter_mut().flat_map(|part| &mut part.groups) {
            group.shadow = group.shadow.map(|number| shadows[number].shadow);
        }
    }

    /// Finds words side by side for the enables of writes, if each has one of its own that is computed.
    pub(super) fn enables(&mut self) {
        let enables = self.netlist.writes.iter().map(|write| write.enable);
        let enables: Vec<Id> = enables.collect();
        let mut known = HashSet::new();
        let own = |id: &Id| self.homes[id.index()] != usize::MAX && known.insert(*id);
        if enables.iter().all(own) {
            let first = self.take(enables.len());
            self.plan.enables = first..first + enables.len();
            self.placed = enables.into_iter().zip(first..).collect();
        }
    }

    /// Finds a word for each value that others need.
    pub(super) fn values(&mut self, needs: &Needs) {
        let mut kept = vec![false; self.homes.len()];
        let roots = needs.shown.iter().chain(&needs.written);
        for id in roots.chain(self.readers.values.keys()) {
            kept[id.index()] = true;
        }
        for number in 0..self.plan.partition.parts.len() {
            let nodes = self.plan.partition.parts[number].clone();
            let mut groups: BTreeMap<Vec<usize>, Vec<Id>> = BTreeMap::new();
            for &id in &nodes {
                if !kept[id.index()] || self.homes[id.index()] != number {
                    continue;
                }
                let readers = self.readers.values.get(&id).cloned();
                groups
                    .entry(readers.unwrap_or_default())
                    .or_default()
                    .push(id);
            }
            let mut found = Vec::new();
            for (readers, list) in groups {
                let values = list.into_iter().map(|id| {
                    let word = self.placed.get(&id).copied();
                    (id, word.unwrap_or_else(|| self.take(1)))
                });
                let values: Vec<(Id, usize)> = values.collect();
                self.plan.kept.extend(values.iter().copied());
                if readers.is_empty() {
                    self.plan.parts[number].stores = values;
                } else {
                    found.push(Group {
                        values,
                        shadow: None,
                        marks: self.plan.marks(&readers, true),
                    });
                }
            }
            let part = &mut self.plan.parts[number];
            part.nodes = nodes;
            part.groups.splice(0..0, found);
        }
    }

    /// The word of a value that is needed as a word.
    fn word(&mut self, id: Id) -> usize {
        match self.netlist.graph.op(id) {
            Op::Load(word) => self.plan.place[word as usize],
            Op::Const(value) => {
                let known = self.plan.numbers.iter().find(|(_, known)| *known == value);
                match known {
                    Some((word, _)) => *word,
                    None => {
                        let word = self.take(1);
                        self.plan.numbers.push((word, value));
                        word
                    }
                }
            }
            // It was kept: a root.
            _ => self.plan.kept.get(&id).copied().unwrap_or(0),
        }
    }

    pub(super) fn finish(mut self, needs: &Needs, observed: &[usize]) -> Plan {
        let netlist = needs.netlist;
        for (_, _, words) in &netlist.outputs {
            self.plan.outputs.push(self.plan.output_words.len());
            for id in words {
                let word = self.word(*id);
                self.plan.output_words.push(word);
            }
        }
        for id in observed.iter().flat_map(|at| &netlist.signals[*at].words) {
            let word = self.word(*id);
            self.plan.observed_words.push(word);
        }
        let mut writes = Vec::new();
        for write in &netlist.writes {
            let words = write.data.iter().zip(&write.mask);
            writes.push(Write {
                enable: self.word(write.enable),
                addr: self.word(write.addr),
                words: words
                    .map(|(data, mask)| (self.word(*data), self.word(*mask)))
                    .collect(),
                memory: write.memory,
                last: netlist.memories[write.memory].depth.saturating_sub(1),
                marks: self.plan.marks(&self.readers.memories[write.memory], false),
            });
        }
        for memory in &netlist.memories {
            let start = self.take(memory.initial.len());
            self.plan.memories.push(start);
        }
        for write in &mut writes {
            write.memory = self.plan.memories[write.memory];
        }
        let mut plan = self.plan;
        plan.writes = writes;
        let inputs = self.readers.state[..plan.inputs].iter();
        plan.input_marks = inputs.map(|readers| plan.marks(readers, true)).collect();
        plan
    }
}

impl Readers {
    fn new(
        needs: &Needs,
        plan: &Plan,
        registers: &[Vec<(usize, Id)>],
        homes: &[usize],
        observed: &[Id],
    ) -> Self {
        let netlist = needs.netlist;
        let graph = &netlist.graph;
        let (outputs, wake) = (plan.parts.len(), plan.parts.len() + 1);
        let mut readers = Self {
            state: vec![Vec::new(); netlist.initial.len()],
            memories: vec![Vec::new(); netlist.memories.len()],
            values: HashMap::new(),
        };
        for (number, part) in plan.partition.parts.iter().enumerate() {
            for &id in part {
                if let Op::Read { memory, .. } = graph.op(id) {
                    readers.memories[memory as usize].push(number);
                }
                for operand in graph.op(id).operands() {
                    readers.add(graph, homes, operand, number);
                }
            }
        }
        let copying = registers
            .iter()
            .enumerate()
            .skip(plan.partition.parts.len());
        for (number, list) in copying {
            list.iter()
                .for_each(|(_, id)| readers.add(graph, homes, *id, number));
        }
        for id in netlist.outputs.iter().flat_map(|(_, _, words)| words) {
            readers.add(graph, homes, *id, outputs);
        }
        for (at, id) in observed.iter().enumerate() {
            readers.add(graph, homes, *id, 64 * plan.work_words + at / GROUP);
        }
        for id in &needs.written {
            if let Op::Load(word) = graph.op(*id) {
                readers.state[word as usize].push(wake);
            }
        }
        let lists = readers.state.iter_mut().chain(&mut readers.memories);
        for list in lists.chain(readers.values.values_mut()) {
            list.sort_unstable();
            list.dedup();
        }
        readers
    }

    fn add(&mut self, graph: &Graph, homes: &[usize], id: Id, reader: usize) {
        let home = homes[id.index()];
        match graph.op(id) {
            Op::Load(word) => self.state[word as usize].push(reader),
            // Those without a home are constants and copies.
            _ if home == usize::MAX || home == reader => {}
            _ => self.values.entry(id).or_default().push(reader),
        }
    }
}
