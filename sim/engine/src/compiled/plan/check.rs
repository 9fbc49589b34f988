//! Sees that a plan forgets no reader.

use std::collections::{HashMap, HashSet};

use super::{Mark, Plan};
use crate::netlist::{Id, Netlist, Op};
use crate::wave::GROUP;
use crate::{Error, Result};

impl Plan {
    /// Sees that whoever reads something is among the marks of who writes it. Errors: [`Error::Compile`].
    pub(in crate::compiled) fn check(&self, netlist: &Netlist, observed: &[usize]) -> Result<()> {
        let graph = &netlist.graph;
        // By word: the flags that are set when it changes, and the part that does.
        let mut marked: HashMap<usize, (usize, &[Mark])> = HashMap::new();
        for (number, part) in self.parts.iter().enumerate() {
            for group in &part.groups {
                for (_, word) in &group.values {
                    marked.insert(*word, (number, &group.marks));
                }
            }
        }
        let sets = |marks: &[Mark], flag: Mark| {
            let next = flag.word + self.flag_words;
            let at = |mark: &&Mark| mark.word == flag.word || mark.word == next;
            marks
                .iter()
                .filter(at)
                .any(|mark| mark.bits & flag.bits != 0)
        };
        let tell = |id: Id, own: usize, flag: Mark| {
            let told = match graph.op(id) {
                Op::Const(_) => true,
                Op::Load(word) if (word as usize) < self.inputs => {
                    sets(&self.input_marks[word as usize], flag)
                }
                Op::Load(word) => match marked.get(&self.place[word as usize]) {
                    Some((_, marks)) => sets(marks, flag),
                    // Nobody writes it.
                    None => true,
                },
                _ => match self.kept(id).and_then(|word| marked.get(&word)) {
                    Some((home, marks)) => *home < own && sets(marks, flag),
                    None => false,
                },
            };
            match told {
                true => Ok(()),
                false => Err(Error::Compile(format!(
                    "nobody is told that value {} has changed",
                    id.index()
                ))),
            }
        };
        for (number, part) in self.parts.iter().enumerate() {
            let flag = self.flag(number);
            let own: HashSet<Id> = part.nodes.iter().copied().collect();
            let values = part.groups.iter().flat_map(|group| &group.values);
            let values = values.map(|(id, _)| *id).filter(|id| !own.contains(id));
            let operands = part.nodes.iter().flat_map(|id| graph.op(*id).operands());
            for id in operands.filter(|id| !own.contains(id)).chain(values) {
                tell(id, number, flag)?;
            }
            for &id in &part.nodes {
                if let Op::Read { memory, .. } = graph.op(id) {
                    let writes = netlist.writes.iter().zip(&self.writes);
                    let mut of = writes.filter(|(write, _)| write.memory == memory as usize);
                    if !of.all(|(_, write)| sets(&write.marks, flag)) {
                        return Err(Error::Compile(format!(
                            "nobody is told that memory {memory} was written"
                        )));
                    }
                }
            }
        }
        for &id in netlist.outputs.iter().flat_map(|(_, _, words)| words) {
            tell(id, self.parts.len(), self.output_mark)?;
        }
        let observed = observed.iter().flat_map(|at| &netlist.signals[*at].words);
        for (at, &id) in observed.enumerate() {
            let flag = Mark {
                word: self.flags + self.work_words + at / GROUP / 64,
                bits: 1 << (at / GROUP % 64),
            };
            tell(id, self.parts.len(), flag)?;
        }
        for write in &netlist.writes {
            let operands = [&write.enable, &write.addr].into_iter();
            for &id in operands.chain(&write.data).chain(&write.mask) {
                if matches!(graph.op(id), Op::Load(_)) {
                    tell(id, self.parts.len(), self.wake_mark)?;
                }
            }
        }
        Ok(())
    }
}
