//! The order of computation, with branches: what is needed only if a condition holds is computed only then.
//!
//! **Idea.** A node whose users are all in the first operand of multiplexers on condition `c` is needed only if `c`
//! is 1. So every node gets a context: the conditions under which it is needed, nested like `if` statements. It is the
//! innermost one that holds all its users. The multiplexers of a context on the same condition that are ready at the
//! same time become one [`Branch`].
//!
//! **Soundness.** Nodes have no effects, so computing one where it is not needed, or twice, changes nothing; and a
//! multiplexer does not look at the operand that it does not choose.
//!
//! **Cost.** A branch that is guessed wrongly costs about as much as [`FEWEST`] nodes, so smaller groups stay
//! multiplexers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::netlist::{Graph, Id, Op};

#[cfg(test)]
mod tests;

/// Nodes from which on a branch is worth it.
const FEWEST: usize = 6;
/// Branches in each other.
const DEEPEST: usize = 16;

/// A step of the computation.
#[derive(Debug)]
pub(crate) enum Item {
    /// Computes a node whose operands are there.
    Node(Id),
    /// Computes one of two lists.
    Branch(Branch),
}

/// Computes `muxes`, all on the condition `cond`, and what only they need.
#[derive(Debug)]
pub(crate) struct Branch {
    /// The condition.
    pub(crate) cond: Id,
    /// What the second operands need.
    pub(crate) then: Vec<Item>,
    /// What the third operands need.
    pub(crate) otherwise: Vec<Item>,
    /// The multiplexers.
    pub(crate) muxes: Vec<Id>,
}

impl Item {
    /// What it gives to those after it.
    pub(crate) fn results(&self) -> &[Id] {
        match self {
            Self::Node(id) => std::slice::from_ref(id),
            Self::Branch(branch) => &branch.muxes,
        }
    }
}

/// Orders `nodes`, operands first, of which others need the `roots`. What is not among the nodes is there already.
pub(crate) fn schedule(graph: &Graph, nodes: &[Id], roots: &[Id]) -> Vec<Item> {
    let contexts = Contexts::new(graph, nodes, roots).without_small_ones();
    let nodes = nodes.iter().copied();
    let top = nodes.filter(|id| contexts.of(*id) == Some(Contexts::TOP));
    contexts.ordered(Contexts::TOP, top.collect())
}

/// Nested conditions, and the one each node is in.
struct Contexts<'a> {
    graph: &'a Graph,
    /// By context: the one around it, condition, which operand. The first is always computed; outer ones stand before
    /// inner ones.
    list: Vec<(usize, Id, bool)>,
    depth: Vec<usize>,
    known: HashMap<(usize, Id, bool), usize>,
    /// By node; none of what is there already.
    place: HashMap<Id, Option<usize>>,
}

impl<'a> Contexts<'a> {
    const TOP: usize = 0;

    fn new(graph: &'a Graph, nodes: &[Id], roots: &[Id]) -> Self {
        let mut contexts = Self {
            graph,
            list: vec![(Self::TOP, Id::FIRST, true)],
            depth: vec![0],
            known: HashMap::new(),
            place: nodes.iter().map(|id| (*id, None)).collect(),
        };
        for root in roots {
            contexts.used(*root, Self::TOP);
        }
        for &id in nodes.iter().rev() {
            let Some(here) = contexts.of(id) else {
                continue;
            };
            match graph.op(id) {
                Op::Mux(c, a, b) if contexts.depth[here] < DEEPEST => {
                    contexts.used(c, here);
                    let (then, otherwise) = (
                        contexts.inner(here, c, true),
                        contexts.inner(here, c, false),
                    );
                    contexts.used(a, then);
                    contexts.used(b, otherwise);
                }
                op => op.operands().for_each(|id| contexts.used(id, here)),
            }
        }
        contexts
    }

    fn inner(&mut self, outer: usize, cond: Id, choice: bool) -> usize {
        let next = self.list.len();
        let found = *self.known.entry((outer, cond, choice)).or_insert(next);
        if found == next {
            self.list.push((outer, cond, choice));
            self.depth.push(self.depth[outer] + 1);
        }
        found
    }

    /// The node is needed in this context too.
    fn used(&mut self, id: Id, context: usize) {
        let Some(known) = self.place.get(&id).copied() else {
            return;
        };
        let common = known.map_or(context, |known| self.common(known, context));
        self.place.insert(id, Some(common));
    }

    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.depth[a] < self.depth[b] {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.list[a].0;
        }
        a
    }

    /// Nodes by context, those of inner contexts included.
    fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.list.len()];
        for place in self.place.values().flatten() {
            sizes[*place] += 1;
        }
        for inner in (1..self.list.len()).rev() {
            sizes[self.list[inner].0] += sizes[inner];
        }
        sizes
    }

    /// Nodes of both operands, by context and condition.
    fn groups(&self) -> BTreeMap<(usize, Id), usize> {
        let mut groups = BTreeMap::new();
        for (inner, size) in self.sizes().into_iter().enumerate().skip(1) {
            let (outer, cond, _) = self.list[inner];
            *groups.entry((outer, cond)).or_default() += size;
        }
        groups
    }

    /// Moves the nodes of small groups into the context around them.
    fn without_small_ones(mut self) -> Self {
        let groups = self.groups();
        let small = |&(outer, cond, _): &(usize, Id, bool)| {
            groups.get(&(outer, cond)).is_none_or(|size| *size < FEWEST)
        };
        let mut lasting = vec![Self::TOP];
        for (context, entry) in self.list.iter().enumerate().skip(1) {
            lasting.push(if small(entry) {
                lasting[entry.0]
            } else {
                context
            });
        }
        for place in self.place.values_mut().flatten() {
            *place = lasting[*place];
        }
        self.known
            .retain(|(outer, cond, _), _| groups[&(*outer, *cond)] >= FEWEST);
        self
    }

    fn of(&self, id: Id) -> Option<usize> {
        self.place.get(&id).copied().flatten()
    }

    /// Whether the node is needed in this context or inside it only.
    fn is_inside(&self, id: Id, context: usize) -> bool {
        let Some(mut place) = self.of(id) else {
            return false;
        };
        while self.depth[place] > self.depth[context] {
            place = self.list[place].0;
        }
        place == context
    }

    /// The contexts of a multiplexer's operands, if they are contexts of their own and something is in them.
    fn arms(&self, id: Id) -> Option<(Id, [(usize, Id); 2])> {
        let Op::Mux(c, a, b) = self.graph.op(id) else {
            return None;
        };
        let here = self.of(id)?;
        let then = *self.known.get(&(here, c, true))?;
        let otherwise = *self.known.get(&(here, c, false))?;
        let worth = self.of(a) == Some(then) || self.of(b) == Some(otherwise);
        worth.then_some((c, [(then, a), (otherwise, b)]))
    }

    /// The nodes of exactly this context that `wanted` need, by way of inner ones too; in the order of the graph.
    fn needed(&self, context: usize, wanted: impl Iterator<Item = Id>) -> BTreeSet<Id> {
        let mut seen = HashSet::new();
        let mut needed = BTreeSet::new();
        let mut stack: Vec<Id> = wanted.collect();
        while let Some(id) = stack.pop() {
            if !self.is_inside(id, context) || !seen.insert(id) {
                continue;
            }
            if self.of(id) == Some(context) {
                needed.insert(id);
            }
            stack.extend(self.graph.op(id).operands());
        }
        needed
    }

    /// What must be computed in this context before the node or the branch it is in.
    fn before(&self, context: usize, id: Id) -> BTreeSet<Id> {
        let mut before = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut stack: Vec<Id> = self.graph.op(id).operands().collect();
        while let Some(id) = stack.pop() {
            if self.of(id) == Some(context) {
                before.insert(id);
            } else if self.is_inside(id, context) && seen.insert(id) {
                stack.extend(self.graph.op(id).operands());
            }
        }
        before
    }

    /// The nodes of a context as items: nodes as soon as they are ready, branches when nothing else is.
    fn ordered(&self, context: usize, nodes: BTreeSet<Id>) -> Vec<Item> {
        let mut users: HashMap<Id, Vec<Id>> = HashMap::new();
        let mut missing: HashMap<Id, usize> = HashMap::new();
        let mut ready = BTreeSet::new();
        let mut branches: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        let arrive =
            |id: Id, ready: &mut BTreeSet<Id>, branches: &mut BTreeMap<Id, Vec<Id>>| match self
                .arms(id)
            {
                Some((cond, _)) => branches.entry(cond).or_default().push(id),
                None => {
                    ready.insert(id);
                }
            };
        for &id in &nodes {
            let before = self.before(context, id);
            let before: Vec<Id> = before.into_iter().filter(|id| nodes.contains(id)).collect();
            if before.is_empty() {
                arrive(id, &mut ready, &mut branches);
            }
            missing.insert(id, before.len());
            for operand in before {
                users.entry(operand).or_default().push(id);
            }
        }
        let mut items = Vec::new();
        loop {
            let done = if let Some(id) = ready.pop_first() {
                items.push(Item::Node(id));
                vec![id]
            } else if let Some(cond) = largest(&branches) {
                let muxes = branches.remove(&cond).unwrap_or_default();
                items.push(Item::Branch(self.branch(cond, muxes.clone())));
                muxes
            } else {
                return items;
            };
            for user in done.iter().flat_map(|id| users.get(id)).flatten() {
                if let Some(count) = missing.get_mut(user) {
                    *count -= 1;
                    if *count == 0 {
                        arrive(*user, &mut ready, &mut branches);
                    }
                }
            }
        }
    }

    fn branch(&self, cond: Id, muxes: Vec<Id>) -> Branch {
        let arm = |number: usize| {
            let arms = || {
                muxes
                    .iter()
                    .filter_map(|id| self.arms(*id))
                    .map(|(_, arms)| arms[number])
            };
            match arms().next() {
                Some((context, _)) => {
                    self.ordered(context, self.needed(context, arms().map(|(_, id)| id)))
                }
                None => Vec::new(),
            }
        };
        Branch {
            cond,
            then: arm(0),
            otherwise: arm(1),
            muxes,
        }
    }
}

/// The condition with the most multiplexers.
fn largest(branches: &BTreeMap<Id, Vec<Id>>) -> Option<Id> {
    let most = branches
        .iter()
        .max_by_key(|(cond, muxes)| (muxes.len(), std::cmp::Reverse(**cond)));
    most.map(|(cond, _)| *cond)
}
