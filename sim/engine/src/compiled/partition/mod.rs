//! Which operations are computed together, and only when something that they read has changed.
//!
//! **Idea.** In a cycle few operations have an operand with another value than in the cycle before. So the operations
//! are cut into *parts*, each with a flag. A part is computed if its flag is set; what it finds changed sets the flags
//! of those who read it. [`clusters`] and [`merge`] choose the parts, [`order`] their order and which registers are
//! written at once, [`activity`] is what a run has shown, for better parts. [`Partition::check`] sees that the rules
//! below hold, whoever chose.
//!
//! **Soundness.** Each sentence has a test in `tests.rs`.
//! 1. After a step every part whose flag is clear would compute what its words hold. A flag is cleared only when its
//!    part is computed, and set whenever an input, a register, a memory or a value of an earlier part that it reads
//!    changes. This is decided by comparison, never by prediction. Any partition is right whose parts can be ordered so
//!    that a part reads values of parts before it.
//! 2. `eval` computes the parts that outputs need, and changes no state, so that it may be called again with other
//!    inputs. `step` computes these parts again if an input moved, then the others.
//! 3. A register is written at once, *in place*, if its part is none that outputs need, every other part that reads the
//!    register comes before it, and no write of a memory and no other register takes its value directly. So all have
//!    read it. Its readers are computed in the next cycle: the flags that it sets are those of parts that have had
//!    their turn. All other registers have a shadow word, which is taken over at the end of the step.
//! 4. Flags for the next cycle and marks of shadows may be set too often (`eval` was repeated), never too seldom.
//! 5. A write of a memory that is left out would have changed nothing: with equal operands of all writes of a memory,
//!    repeating them all gives the same contents. So a step in which anything is computed makes all writes, in the
//!    order of the design, and one that is slept through makes none. A register that is directly an operand of a write
//!    has a flag of its own that keeps the instance awake.
//! 6. A register whose next value is a constant, an input or a register is copied by a part without operations.
//! 7. Whoever changes the state from outside sets all flags, and so does every step while sleep is switched off. That
//!    is the run without gates, which gives the same.
//! 8. An operation that is copied into every part that uses it reads one register and constants only; it has no word.
//! 9. A group of observed words has a flag of its own, which keeps nobody awake. It is set as the flags of readers are,
//!    so a waveform need only look at the groups whose flags are set.
//!
//! **Cost.** A part costs its test, and its values that others read cost a comparison. [`merge`] says what it weighs.
//! Where nearly everything changes in every cycle there is nothing to leave out, and the parts are as large as
//! functions.

use std::collections::HashSet;

use crate::netlist::{Id, Netlist, Op, is_source, reachable};
use crate::{Error, Result};

pub(crate) mod activity;
mod clusters;
mod copies;
mod line;
mod merge;
mod order;
#[cfg(test)]
mod tests;

use activity::{Activity, SAMPLES};

/// What a body has to compute.
pub(crate) struct Needs<'a> {
    pub(crate) netlist: &'a Netlist,
    /// Values of outputs and of signals that are looked at.
    pub(crate) shown: Vec<Id>,
    /// Operands of memory writes.
    pub(crate) written: Vec<Id>,
    /// Operations, operands first.
    pub(crate) order: Vec<Id>,
}

impl<'a> Needs<'a> {
    /// Outputs, next state and the signals `observed` (positions in [`Netlist::signals`]).
    pub(crate) fn new(netlist: &'a Netlist, observed: &[usize]) -> Self {
        let outputs = netlist.outputs.iter().flat_map(|(_, _, words)| words);
        let observed = observed.iter().flat_map(|at| &netlist.signals[*at].words);
        let shown: Vec<Id> = outputs.chain(observed).copied().collect();
        let mut written = Vec::new();
        for write in &netlist.writes {
            written.extend([write.enable, write.addr]);
            written.extend(write.data.iter().chain(&write.mask));
        }
        let next = netlist.next.iter().map(|(_, id)| id);
        let roots: Vec<Id> = shown.iter().chain(&written).chain(next).copied().collect();
        let mut order = reachable(&netlist.graph, &roots);
        order.retain(|id| !is_source(netlist.graph.op(*id)));
        Self {
            netlist,
            shown,
            written,
            order,
        }
    }

    /// Whether a value is one that must have a word or is a register's next one; by node.
    fn roots(&self) -> Vec<bool> {
        let mut roots = vec![false; self.netlist.graph.ops().len()];
        let next = self.netlist.next.iter().map(|(_, id)| id);
        for id in self.shown.iter().chain(&self.written).chain(next) {
            roots[id.index()] = true;
        }
        roots
    }

    /// By node: whether something shown needs it.
    fn for_shown(&self) -> Vec<bool> {
        let mut needed = vec![false; self.netlist.graph.ops().len()];
        for id in reachable(&self.netlist.graph, &self.shown) {
            needed[id.index()] = true;
        }
        needed
    }

    /// By state word: whether a write of a memory or a register's next value is this word itself.
    fn taken_directly(&self) -> Vec<bool> {
        let mut taken = vec![false; self.netlist.initial.len()];
        let next = self.netlist.next.iter().map(|(_, id)| id);
        for id in self.written.iter().chain(next) {
            if let Op::Load(word) = self.netlist.graph.op(*id) {
                taken[word as usize] = true;
            }
        }
        taken
    }
}

/// Parts in the order in which they are computed.
#[derive(Clone, Default)]
pub(crate) struct Partition {
    /// The operations of each, operands first; copies are in every part that uses them.
    pub(crate) parts: Vec<Vec<Id>>,
    /// How many of them, the first ones, are needed for what is shown.
    pub(crate) shown: usize,
    /// State words that are written at once.
    pub(crate) in_place: HashSet<usize>,
    /// Operations that are copied.
    pub(crate) copies: HashSet<Id>,
}

/// The share of the operations with another operand from which on everything is computed.
const BUSY: f64 = 0.6;
/// Operations of a large part.
const LARGE: usize = 1000;

/// No part.
const NOWHERE: usize = usize::MAX;

impl Partition {
    /// The parts for what is known of a run; without, by what reads the same.
    pub(crate) fn new(needs: &Needs, activity: Option<&Activity>) -> Self {
        if activity.is_some_and(|activity| activity.share(&needs.order) > BUSY) {
            return Self::large(needs);
        }
        let copies = copies::copies(needs, activity);
        let mut clusters = clusters::Clusters::new(needs, activity, &copies);
        merge::merge(&mut clusters);
        order::ordered(needs, clusters.parts(), copies.keys().copied().collect())
    }

    /// As few parts as there can be, for a design in which nearly everything changes: their flags and comparisons cost
    /// next to nothing.
    pub(crate) fn large(needs: &Needs) -> Self {
        let shown = needs.for_shown();
        let (first, then): (Vec<Id>, Vec<Id>) =
            needs.order.iter().partition(|id| shown[id.index()]);
        let parts = first.chunks(LARGE).chain(then.chunks(LARGE));
        let parts = parts.map(|part| (part.to_vec(), SAMPLES as u32));
        order::ordered(needs, parts.collect(), HashSet::new())
    }

    /// By node: the part that computes it; none for sources and copies.
    pub(crate) fn homes(&self, netlist: &Netlist) -> Vec<usize> {
        let mut homes = vec![NOWHERE; netlist.graph.ops().len()];
        for (number, part) in self.parts.iter().enumerate() {
            for id in part.iter().filter(|id| !self.copies.contains(id)) {
                homes[id.index()] = number;
            }
        }
        homes
    }

    /// Signals in an order in which those that the same part computes lie together.
    pub(crate) fn in_order(&self, netlist: &Netlist, signals: &[usize]) -> Vec<usize> {
        let homes = self.homes(netlist);
        let mut writer = vec![NOWHERE; netlist.initial.len()];
        for (word, id) in &netlist.next {
            writer[*word as usize] = homes[id.index()];
        }
        let key = |signal: &usize| {
            let id = netlist.signals[*signal].words.first().copied();
            let part = id.map(|id| match netlist.graph.op(id) {
                Op::Load(word) => (true, writer[word as usize]),
                _ => (false, homes[id.index()]),
            });
            (part, id, *signal)
        };
        let mut signals = signals.to_vec();
        signals.sort_by_cached_key(key);
        signals
    }

    /// Sees that the parts compute what is needed by the rules of the module's head. Errors: [`Error::Compile`].
    pub(crate) fn check(&self, needs: &Needs) -> Result<()> {
        let graph = &needs.netlist.graph;
        let wrong = |id: Id, what: &str| {
            let text = format!("value {} {what}", id.index());
            Err(Error::Compile(text))
        };
        let homes = self.homes(needs.netlist);
        let home = |id: Id| (homes[id.index()] != NOWHERE).then_some(homes[id.index()]);
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); needs.netlist.initial.len()];
        let mut known = HashSet::new();
        for (number, part) in self.parts.iter().enumerate() {
            known.clear();
            for &id in part {
                let is_copy = self.copies.contains(&id);
                if !known.insert(id) || (!is_copy && home(id) != Some(number)) {
                    return wrong(id, "is computed twice");
                }
                for operand in graph.op(id).operands() {
                    let before = home(operand).is_some_and(|home| home < number);
                    match graph.op(operand) {
                        Op::Const(_) => {}
                        Op::Load(word) => readers[word as usize].push(number),
                        _ if known.contains(&operand) => {}
                        _ if before && !is_copy => {}
                        _ => return wrong(operand, "is used before it is computed"),
                    }
                }
                if is_copy && matches!(graph.op(id), Op::Read { .. }) {
                    return wrong(id, "reads a memory and is copied");
                }
            }
        }
        for &id in &needs.order {
            if home(id).is_none() && !self.copies.contains(&id) {
                return wrong(id, "is never computed");
            }
        }
        for &id in &needs.shown {
            if home(id).is_some_and(|home| home >= self.shown) {
                return wrong(id, "is shown and computed too late");
            }
        }
        let roots = needs.roots();
        if let Some(id) = self.copies.iter().find(|id| roots[id.index()]) {
            return wrong(*id, "is copied and has a word");
        }
        let taken = needs.taken_directly();
        let next = needs.netlist.next.iter();
        for (word, id) in next.filter(|(word, _)| self.in_place.contains(&(*word as usize))) {
            let word = *word as usize;
            let Some(writer) = home(*id).filter(|home| *home >= self.shown) else {
                return wrong(*id, "is written in place by no part of its own");
            };
            if taken[word] || readers[word].iter().any(|reader| *reader > writer) {
                return wrong(*id, "is written in place before it was read");
            }
        }
        Ok(())
    }
}
