//! How generated code is laid out: the items of each part, and which parts a function has.
//!
//! Eight flags lie in a byte, so that one test passes over eight parts. The parts are cut into functions of about
//! [`FUNCTION`] nodes, because the time to compile a function grows faster than its size.

use std::collections::HashSet;
use std::ops::Range;

use super::plan::Plan;
use super::schedule::{Item, schedule};
use crate::netlist::{Graph, Id, Netlist, is_source};
use crate::{Error, Result};

/// Nodes of a function, about.
const FUNCTION: usize = 1000;
/// Flags that are tested at once.
const TESTED: usize = 8;

/// The code of a plan, for a generator to write down.
pub(crate) struct Layout {
    /// The items of each part.
    pub(crate) parts: Vec<Vec<Item>>,
    /// To be run in this order.
    pub(crate) functions: Vec<Function>,
}

/// Parts that are compiled together.
pub(crate) struct Function {
    /// Whether they give what is shown.
    pub(crate) shown: bool,
    /// Parts whose flags are tested together.
    pub(crate) tests: Vec<Range<usize>>,
}

impl Layout {
    /// Errors: those of [`items`].
    pub(crate) fn new(netlist: &Netlist, plan: &Plan) -> Result<Self> {
        let parts = 0..plan.parts.len();
        Ok(Self {
            parts: parts
                .map(|part| items(netlist, plan, part))
                .collect::<Result<_>>()?,
            functions: functions(plan),
        })
    }
}

impl Function {
    /// Its parts.
    pub(crate) fn parts(&self) -> Range<usize> {
        let ends = (self.tests.first(), self.tests.last());
        match ends {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }
}

/// The code of a part. Errors: [`Error::Compile`] if a value would be used that is not there, so that generators need
/// not look.
pub(crate) fn items(netlist: &Netlist, plan: &Plan, part: usize) -> Result<Vec<Item>> {
    let (graph, part) = (&netlist.graph, &plan.parts[part]);
    let values = part.groups.iter().flat_map(|group| &group.values);
    let roots = values.chain(&part.stores).map(|(id, _)| *id);
    let roots: Vec<Id> = roots.collect();
    let items = schedule(graph, &part.nodes, &roots);
    let mut known = HashSet::new();
    let own: HashSet<Id> = part.nodes.iter().copied().collect();
    let kept = |id: Id| plan.kept(id).is_some() && !own.contains(&id);
    check(graph, &kept, &items, &mut known)?;
    let missing = roots
        .iter()
        .find(|id| !known.contains(id) && !is_source(graph.op(**id)));
    match missing {
        Some(id) => Err(Error::Compile(format!(
            "value {} is never computed",
            id.index()
        ))),
        None => Ok(items),
    }
}

/// Cuts the parts into functions.
pub(crate) fn functions(plan: &Plan) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let (mut size, mut start) = (0, 0);
    while start < plan.parts.len() {
        let shown = start < plan.shown;
        let most = if shown { plan.shown } else { plan.parts.len() };
        let most = ((start / TESTED + 1) * TESTED).min(most);
        let size_of = |part: usize| plan.parts[part].nodes.len() + 2;
        let (mut end, mut nodes) = (start + 1, size_of(start));
        while end < most && nodes + size_of(end) <= FUNCTION {
            nodes += size_of(end);
            end += 1;
        }
        match functions.last_mut() {
            Some(last) if last.shown == shown && size + nodes <= FUNCTION => {
                last.tests.push(start..end);
                size += nodes;
            }
            _ => {
                functions.push(Function {
                    shown,
                    tests: std::iter::once(start..end).collect(),
                });
                size = nodes;
            }
        }
        start = end;
    }
    functions
}

/// Sees that every operand is a source, in `known`, or the value of another part, which `kept` names; adds the results.
/// The plan has seen to it that the other part comes before.
fn check(
    graph: &Graph,
    kept: &dyn Fn(Id) -> bool,
    items: &[Item],
    known: &mut HashSet<Id>,
) -> Result<()> {
    let there = |id: Id, known: &HashSet<Id>| match known.contains(&id)
        || kept(id)
        || is_source(graph.op(id))
    {
        true => Ok(()),
        false => Err(Error::Compile(format!(
            "value {} is used before it is computed",
            id.index()
        ))),
    };
    for item in items {
        match item {
            Item::Node(id) => {
                let mut operands = graph.op(*id).operands();
                operands.try_for_each(|id| there(id, known))?;
            }
            Item::Branch(branch) => {
                there(branch.cond, known)?;
                for (items, operand) in [(&branch.then, 1), (&branch.otherwise, 2)] {
                    let mut inside = known.clone();
                    check(graph, kept, items, &mut inside)?;
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

    fn checked(graph: &Graph, items: &[Item], kept: &[Id]) -> Result<()> {
        check(graph, &|id| kept.contains(&id), items, &mut HashSet::new())
    }

    #[test]
    fn a_value_that_is_not_there_is_an_error() {
        let mut graph = Graph::default();
        let mut items = chain(&mut graph, 4);
        assert!(checked(&graph, &items, &[]).is_ok());
        let Item::Node(first) = items.remove(0) else {
            unreachable!()
        };
        // Nobody computes it; another part does; one after this one does.
        assert!(checked(&graph, &items, &[]).is_err());
        assert!(checked(&graph, &items, &[first]).is_ok());
        items.swap(0, 1);
        assert!(checked(&graph, &items, &[first]).is_err());
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
        assert!(checked(&graph, &[good], &[]).is_ok());
        // In the arm that does not need it; on another condition; used after the branch.
        let swapped = branch(cond, Vec::new(), nodes());
        assert!(checked(&graph, &[swapped], &[]).is_err());
        let foreign = branch(other, nodes(), Vec::new());
        assert!(checked(&graph, &[foreign], &[]).is_err());
        let leaked = [branch(cond, nodes(), Vec::new()), Item::Node(after)];
        assert!(checked(&graph, &leaked, &[]).is_err());
    }
}
