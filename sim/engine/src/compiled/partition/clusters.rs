//! Clusters of operations, from which the parts are made, and the first ones: what only one of them needs is in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::activity::{Activity, Cycles, either, ones};
use super::{NOWHERE, Needs};
use crate::netlist::{Id, Op};

/// Operations of a cluster at most: chosen by a run, and without.
const MOST: usize = 300;
const MOST_UNSEEN: usize = 40;
/// What a computed cluster costs beside its operations, each of its values that others read, and its test: as many
/// operations. Measured on the shipped tops.
pub(super) const OVERHEAD: f64 = 16.0;
pub(super) const OUTPUT: f64 = 6.0;
pub(super) const TEST: f64 = 3.0;
/// What a memory counts as among the state words that are read.
const MEMORIES: u32 = 1 << 31;

/// Operations that are computed together.
#[derive(Default)]
pub(super) struct Cluster {
    pub(super) nodes: Vec<Id>,
    /// Cycles in which one of them had another operand.
    pub(super) active: Cycles,
    /// Whether something shown needs them.
    pub(super) shown: bool,
    /// Clusters whose values it reads, and those that read its, in order.
    pub(super) before: Vec<u32>,
    pub(super) after: Vec<u32>,
    /// State words and memories that it reads, in order.
    pub(super) sources: Vec<u32>,
    /// The operations that are read elsewhere.
    pub(super) outputs: Vec<Id>,
}

/// All clusters, some of them joined to others.
pub(super) struct Clusters<'a> {
    pub(super) needs: &'a Needs<'a>,
    pub(super) activity: Option<&'a Activity>,
    copies: &'a BTreeMap<Id, u32>,
    /// By node: what reads it.
    users: Vec<Vec<Id>>,
    roots: Vec<bool>,
    /// By node: its cluster.
    home: Vec<usize>,
    pub(super) list: Vec<Cluster>,
}

impl<'a> Clusters<'a> {
    pub(super) fn new(
        needs: &'a Needs,
        activity: Option<&'a Activity>,
        copies: &'a BTreeMap<Id, u32>,
    ) -> Self {
        let graph = &needs.netlist.graph;
        let mut users: Vec<Vec<Id>> = vec![Vec::new(); graph.ops().len()];
        for &id in needs.order.iter().filter(|id| !copies.contains_key(id)) {
            for operand in graph.op(id).operands() {
                if users[operand.index()].last() != Some(&id) {
                    users[operand.index()].push(id);
                }
            }
        }
        let mut clusters = Self {
            needs,
            activity,
            copies,
            users,
            roots: needs.roots(),
            home: vec![NOWHERE; graph.ops().len()],
            list: Vec::new(),
        };
        clusters.fill();
        clusters.connect();
        clusters
    }

    /// Operations of a cluster at most.
    pub(super) fn most(&self) -> usize {
        match self.activity {
            Some(_) => MOST,
            None => MOST_UNSEEN,
        }
    }

    fn active(&self, id: Id) -> Cycles {
        let of = |activity: &Activity| activity.operands[id.index()];
        self.activity.map_or([0; _], of)
    }

    /// Finds a cluster for every operation, the last ones first.
    fn fill(&mut self) {
        let graph = &self.needs.netlist.graph;
        let shown = self.needs.for_shown();
        // What is read of an entry is read together, so that a write elsewhere stops at its comparison.
        let mut entries: HashMap<(u32, Id), usize> = HashMap::new();
        for &id in &self.needs.order {
            if let Op::Read { memory, addr, .. } = graph.op(id) {
                let cluster = *entries.entry((memory, addr)).or_insert(self.list.len());
                if cluster == self.list.len() {
                    self.list.push(Cluster::default());
                }
                self.put(id, cluster, shown[id.index()]);
            }
        }
        let entries = self.list.len();
        for &id in self.needs.order.iter().rev() {
            if self.home[id.index()] != NOWHERE || self.copies.contains_key(&id) {
                continue;
            }
            let users = &self.users[id.index()];
            let home = users.first().map(|user| self.home[user.index()]);
            let only =
                home.filter(|home| users.iter().all(|user| self.home[user.index()] == *home));
            let cluster = only.filter(|home| {
                *home >= entries
                    && !self.roots[id.index()]
                    && self.list[*home].shown == shown[id.index()]
                    && self.list[*home].nodes.len() < self.most()
                    && self.belongs(id, *home)
            });
            let cluster = cluster.unwrap_or_else(|| {
                self.list.push(Cluster::default());
                self.list.len() - 1
            });
            self.put(id, cluster, shown[id.index()]);
        }
    }

    /// Whether, as the run was, it costs no more to compute the operation whenever the cluster is computed.
    fn belongs(&self, id: Id, cluster: usize) -> bool {
        let Some(activity) = self.activity else {
            return true;
        };
        let cluster = &self.list[cluster];
        let (own, size) = (self.active(id), cluster.nodes.len() as f64);
        let both = f64::from(ones(&either(&cluster.active, &own)));
        let alone = f64::from(ones(&own)) * (1.0 + OVERHEAD + OUTPUT);
        both * (size + 1.0)
            <= f64::from(ones(&cluster.active)) * size + alone + TEST * activity.cycles as f64
    }

    fn put(&mut self, id: Id, cluster: usize, shown: bool) {
        self.home[id.index()] = cluster;
        let active = self.active(id);
        let cluster = &mut self.list[cluster];
        cluster.nodes.push(id);
        cluster.active = either(&cluster.active, &active);
        cluster.shown |= shown;
    }

    /// Finds who reads whom.
    fn connect(&mut self) {
        let graph = &self.needs.netlist.graph;
        let mut sets: Vec<[BTreeSet<u32>; 3]> = Vec::new();
        sets.resize_with(self.list.len(), Default::default);
        for number in 0..self.list.len() {
            for at in 0..self.list[number].nodes.len() {
                let id = self.list[number].nodes[at];
                if let Op::Read { memory, .. } = graph.op(id) {
                    sets[number][2].insert(MEMORIES + memory);
                }
                for operand in graph.op(id).operands() {
                    let home = self.home[operand.index()];
                    if let Op::Load(word) = graph.op(operand) {
                        sets[number][2].insert(word);
                    } else if let Some(word) = self.copies.get(&operand) {
                        sets[number][2].insert(*word);
                        if let Some(activity) = self.activity {
                            let cluster = &mut self.list[number].active;
                            *cluster = either(cluster, &activity.state[*word as usize]);
                        }
                    } else if home != NOWHERE && home != number {
                        sets[number][0].insert(home as u32);
                        sets[home][1].insert(number as u32);
                    }
                }
            }
        }
        for (number, sets) in sets.into_iter().enumerate() {
            let outputs = self.list[number].nodes.iter().copied();
            let outputs = outputs
                .filter(|id| self.leaves(*id, number, number))
                .collect();
            let cluster = &mut self.list[number];
            cluster.outputs = outputs;
            [cluster.before, cluster.after, cluster.sources] =
                sets.map(|set| set.into_iter().collect());
        }
    }

    /// Whether the operation of one of two clusters is read outside both.
    fn leaves(&self, id: Id, x: usize, y: usize) -> bool {
        let outside = |user: &Id| {
            let home = self.home[user.index()];
            home != x && home != y
        };
        self.roots[id.index()] || self.users[id.index()].iter().any(outside)
    }

    /// The operations of two clusters that are read outside both.
    pub(super) fn joint_outputs(&self, x: usize, y: usize) -> impl Iterator<Item = Id> {
        let both = self.list[x].outputs.iter().chain(&self.list[y].outputs);
        both.copied().filter(move |id| self.leaves(*id, x, y))
    }

    /// Puts the operations of cluster `y` into `x`.
    pub(super) fn join(&mut self, x: usize, y: usize) {
        let outputs = self.joint_outputs(x, y).collect();
        let gone = std::mem::take(&mut self.list[y]);
        for id in &gone.nodes {
            self.home[id.index()] = x;
        }
        for &before in &gone.before {
            replace(&mut self.list[before as usize].after, y as u32, x as u32);
        }
        for &after in &gone.after {
            replace(&mut self.list[after as usize].before, y as u32, x as u32);
        }
        let cluster = &mut self.list[x];
        cluster.outputs = outputs;
        cluster.active = either(&cluster.active, &gone.active);
        cluster.nodes.extend(gone.nodes);
        for (own, more) in [
            (&mut cluster.before, gone.before),
            (&mut cluster.after, gone.after),
            (&mut cluster.sources, gone.sources),
        ] {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
        for own in [&mut cluster.before, &mut cluster.after] {
            own.retain(|other| *other as usize != x && *other as usize != y);
        }
    }

    /// The clusters that are left: their operations, operands first, with copies of what they use, and in how many
    /// cycles they were active.
    pub(super) fn parts(self) -> Vec<(Vec<Id>, u32)> {
        let graph = &self.needs.netlist.graph;
        let left = self.list.into_iter().filter(|one| !one.nodes.is_empty());
        let parts = left.map(|cluster| {
            let mut stack = cluster.nodes.clone();
            let mut nodes: BTreeSet<Id> = cluster.nodes.into_iter().collect();
            while let Some(id) = stack.pop() {
                let copies = graph
                    .op(id)
                    .operands()
                    .filter(|id| self.copies.contains_key(id));
                copies.for_each(|id| {
                    if nodes.insert(id) {
                        stack.push(id);
                    }
                });
            }
            (nodes.into_iter().collect(), ones(&cluster.active))
        });
        parts.collect()
    }
}

/// Replaces a number in an ordered list.
fn replace(list: &mut Vec<u32>, old: u32, new: u32) {
    if let Ok(at) = list.binary_search(&old) {
        list.remove(at);
    }
    if let Err(at) = list.binary_search(&new) {
        list.insert(at, new);
    }
}
