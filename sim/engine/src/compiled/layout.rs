//! How generated code is laid out: functions, and where values lie that another function needs.
//!
//! The items are cut into functions of about [`FUNCTION`] nodes, because the time to compile a function grows faster
//! than its size. What another function needs is kept in the buffer: in the slot of a root if it is one, else in a word
//! after the others.

use std::collections::{HashMap, HashSet};

use super::plan::Plan;
use super::schedule::{Item, is_source, schedule};
use crate::netlist::{Graph, Id, Netlist};
use crate::{Error, Result};

/// Nodes of a function, about.
const FUNCTION: usize = 1000;

/// The code of a plan, for a generator to write down.
pub(crate) struct Layout {
    /// The items of each function; to be run in this order.
    pub(crate) functions: Vec<Vec<Item>>,
    /// By node: the word in which other functions find it.
    kept: HashMap<Id, usize>,
    /// By node: the slots of the roots that it is.
    slots: HashMap<Id, Vec<usize>>,
    /// Words a buffer needs.
    pub(crate) words: usize,
}

impl Layout {
    /// Errors: [`Error::Compile`] if a value would be used that is not there, so that generators need not look.
    pub(crate) fn new(netlist: &Netlist, plan: &Plan) -> Result<Self> {
        let graph = &netlist.graph;
        let mut slots: HashMap<Id, Vec<usize>> = HashMap::new();
        for (i, &id) in plan.roots.iter().enumerate() {
            slots.entry(id).or_default().push(plan.slots + i);
        }
        let mut functions: Vec<Vec<Item>> = vec![Vec::new()];
        let mut size = 0;
        for item in schedule(graph, &plan.order, &plan.roots) {
            if size > 0 && size + item.size() > FUNCTION {
                functions.push(Vec::new());
                size = 0;
            }
            size += item.size();
            if let Some(function) = functions.last_mut() {
                function.push(item);
            }
        }
        let mut layout = Self {
            functions,
            kept: HashMap::new(),
            slots,
            words: plan.words,
        };
        layout.keep(graph);
        let mut earlier = HashSet::new();
        for items in &layout.functions {
            layout.check(graph, items, &earlier, &mut HashSet::new())?;
            earlier.extend(items.iter().flat_map(Item::results).copied());
        }
        all_computed(&plan.roots, &earlier)?;
        Ok(layout)
    }

    /// Sees that every operand is a source, in `known`, or kept by an `earlier` function; adds the results.
    fn check(
        &self,
        graph: &Graph,
        items: &[Item],
        earlier: &HashSet<Id>,
        known: &mut HashSet<Id>,
    ) -> Result<()> {
        let there = |id: Id, known: &HashSet<Id>| {
            let kept = earlier.contains(&id) && self.kept.contains_key(&id);
            let found = known.contains(&id) || kept;
            match found || is_source(graph.op(id)) {
                true => Ok(()),
                false => Err(Error::Compile(format!(
                    "value {} is used before it is computed",
                    id.index()
                ))),
            }
        };
        for item in items {
            match item {
                Item::Node(id) => {
                    let mut operands = graph.op(*id).operands();
                    operands.try_for_each(|operand| there(operand, known))?;
                }
                Item::Branch(branch) => {
                    there(branch.cond, known)?;
                    for (items, operand) in [(&branch.then, 1), (&branch.otherwise, 2)] {
                        let mut inside = known.clone();
                        self.check(graph, items, earlier, &mut inside)?;
                        for mux in &branch.muxes {
                            let operands: Vec<Id> = graph.op(*mux).operands().collect();
                            if operands.len() != 3 || operands[0] != branch.cond {
                                let number = mux.index();
                                return Err(Error::Compile(format!(
                                    "value {number} is no choice of its branch"
                                )));
                            }
                            there(operands[operand], &inside)?;
                        }
                    }
                }
            }
            known.extend(item.results());
        }
        Ok(())
    }

    /// Finds a place for every value that leaves its function.
    fn keep(&mut self, graph: &Graph) {
        let mut home: HashMap<Id, usize> = HashMap::new();
        for (number, items) in self.functions.iter().enumerate() {
            items.iter().flat_map(Item::results).for_each(|id| {
                home.insert(*id, number);
            });
        }
        for (number, items) in self.functions.iter().enumerate() {
            let mut used = HashSet::new();
            items
                .iter()
                .for_each(|item| operands(graph, item, &mut used));
            let mut used: Vec<Id> = used.into_iter().collect();
            used.sort_unstable();
            for id in used {
                let elsewhere = home.get(&id).is_some_and(|home| *home != number);
                if elsewhere && !is_source(graph.op(id)) && !self.kept.contains_key(&id) {
                    let word = match self.slots.get(&id) {
                        Some(slots) => slots[0],
                        None => {
                            self.words += 1;
                            self.words - 1
                        }
                    };
                    self.kept.insert(id, word);
                }
            }
        }
    }

    /// Where another function left the value.
    pub(crate) fn kept(&self, id: Id) -> Option<usize> {
        self.kept.get(&id).copied()
    }

    /// The words into which the function that computes the value writes it.
    pub(crate) fn places(&self, id: Id) -> impl Iterator<Item = usize> {
        let slots = self.slots.get(&id).map_or(&[][..], |slots| &slots[..]);
        let kept = self.kept(id).filter(|word| !slots.contains(word));
        slots.iter().copied().chain(kept)
    }
}

/// Errors: a root is not among the results.
fn all_computed(roots: &[Id], results: &HashSet<Id>) -> Result<()> {
    match roots.iter().find(|root| !results.contains(root)) {
        Some(root) => Err(Error::Compile(format!(
            "value {} is never computed",
            root.index()
        ))),
        None => Ok(()),
    }
}

/// Adds all operands in an item.
fn operands(graph: &Graph, item: &Item, used: &mut HashSet<Id>) {
    let results = item.results().iter();
    results.for_each(|id| used.extend(graph.op(*id).operands()));
    if let Item::Branch(branch) = item {
        let inner = branch.then.iter().chain(&branch.otherwise);
        inner.for_each(|item| operands(graph, item, used));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::schedule::Branch;
    use crate::netlist::Op;

    /// Additions, each of the one before.
    fn chain(graph: &mut Graph, length: usize) -> Vec<Item> {
        let [step, mut value] = [0, 1].map(|word| graph.source(Op::Load(word), 64));
        let next = |_| {
            value = graph.add(Op::Add(value, step));
            Item::Node(value)
        };
        (0..length).map(next).collect()
    }

    fn check(layout: &Layout, graph: &Graph, items: &[Item], earlier: &[Id]) -> Result<()> {
        let earlier = earlier.iter().copied().collect();
        layout.check(graph, items, &earlier, &mut HashSet::new())
    }

    #[test]
    fn a_value_that_is_not_there_is_an_error() {
        let mut graph = Graph::default();
        let mut items = chain(&mut graph, 4);
        let mut layout = Layout {
            functions: Vec::new(),
            kept: HashMap::new(),
            slots: HashMap::new(),
            words: 0,
        };
        assert!(check(&layout, &graph, &items, &[]).is_ok());
        let Item::Node(first) = items.remove(0) else {
            unreachable!()
        };
        // Nobody computes it; another function does, but keeps it not; one after this one does.
        assert!(check(&layout, &graph, &items, &[]).is_err());
        assert!(check(&layout, &graph, &items, &[first]).is_err());
        layout.kept.insert(first, 7);
        assert!(check(&layout, &graph, &items, &[]).is_err());
        assert!(check(&layout, &graph, &items, &[first]).is_ok());
        items.swap(0, 1);
        assert!(check(&layout, &graph, &items, &[first]).is_err());
    }

    #[test]
    fn a_root_that_nobody_computes_is_an_error() {
        let mut graph = Graph::default();
        let ids = [1, 2, 3].map(|word| graph.source(Op::Load(word), 64));
        let results = HashSet::from([ids[0], ids[2]]);
        assert!(all_computed(&[ids[2], ids[0]], &results).is_ok());
        assert!(all_computed(&ids, &results).is_err());
    }

    #[test]
    fn an_arm_of_a_branch_may_use_its_own_values_only() {
        let mut graph = Graph::default();
        let items = chain(&mut graph, 2);
        let ids: Vec<Id> = items.iter().flat_map(Item::results).copied().collect();
        let cond = graph.source(Op::Load(2), 1);
        let other = graph.source(Op::Load(3), 64);
        let mux = graph.add(Op::Mux(cond, ids[1], other));
        let after = graph.add(Op::Add(ids[1], other));
        let layout = Layout {
            functions: Vec::new(),
            kept: HashMap::new(),
            slots: HashMap::new(),
            words: 0,
        };
        let branch = |cond, then, otherwise| {
            Item::Branch(Branch {
                cond,
                then,
                otherwise,
                muxes: vec![mux],
            })
        };
        let nodes = || ids.iter().map(|id| Item::Node(*id)).collect::<Vec<_>>();
        let good = branch(cond, nodes(), Vec::new());
        assert!(check(&layout, &graph, &[good], &[]).is_ok());
        // In the arm that does not need it; on another condition; used after the branch.
        let swapped = branch(cond, Vec::new(), nodes());
        assert!(check(&layout, &graph, &[swapped], &[]).is_err());
        let foreign = branch(other, nodes(), Vec::new());
        assert!(check(&layout, &graph, &[foreign], &[]).is_err());
        let leaked = [branch(cond, nodes(), Vec::new()), Item::Node(after)];
        assert!(check(&layout, &graph, &leaked, &[]).is_err());
    }
}
