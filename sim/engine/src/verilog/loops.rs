//! Groups that are part of a circle through other blocks are split until they are not.
//!
//! **Idea.** All instances are laid out with a node for each group; an edge goes from a group to those that read what
//! it writes. A strongly connected part is logic that simulators would evaluate again and again (for ever, if a block
//! sets a default first), although no bit depends on itself. Its groups are split where they can be, and the test is
//! repeated. What remains is a signal of several bits that goes in a circle with different bits, or a group of several
//! signals that cannot be split, as they share an accumulator. As one assignment each it settles; as `always` blocks it
//! may not: [`kept`] names those.

use std::collections::BTreeSet;

use super::groups::{Group, groups, split};
use crate::design::{Body, Design, Leaf, Name, Stmt};

/// The groups of each module, split as far as circles ask for it. Storage has none.
pub(super) fn plan(design: &Design) -> Vec<Vec<Group>> {
    let kernel = |module: &crate::design::Module| match &module.body {
        Body::Logic(statements) => groups(statements),
        Body::Storage(_) => Vec::new(),
    };
    let mut plan: Vec<Vec<Group>> = design.modules.iter().map(kernel).collect();
    loop {
        let circles = circles(design, &plan);
        let circles: Vec<_> = circles
            .into_iter()
            .filter(|(module, group)| !plan[*module][*group].smallest)
            .collect();
        if circles.is_empty() {
            return plan;
        }
        // From the last one on, so that the numbers of the others stay.
        for (module, group) in circles.into_iter().rev() {
            let parts = split(&plan[module][group]);
            plan[module].splice(group..=group, parts);
        }
    }
}

/// The groups that stay in a circle and are `always` blocks: the path of the module's first instance, and the signals.
pub(super) fn kept(design: &Design) -> Vec<(String, Vec<String>)> {
    let plan = plan(design);
    let circles = circles(design, &plan).into_iter();
    let blocks = circles.filter(|(module, group)| {
        let body = &plan[*module][*group].body;
        !matches!(body[..], [Stmt::Assign { .. }])
    });
    let named = blocks.map(|(number, group)| {
        let module = &design.modules[number];
        let targets = plan[number][group].targets.iter();
        let names = targets.map(|name| match name {
            Name::Own(_) => design.decl(module, *name).name.clone(),
            Name::Port { child, .. } => {
                let child = &module.children[*child].name;
                format!("{child}.{}", design.decl(module, *name).name)
            }
        });
        (design.first_path[number].clone(), names.collect())
    });
    named.collect()
}

/// Module and number of all groups that some instance has in a circle.
fn circles(design: &Design, plan: &[Vec<Group>]) -> BTreeSet<(usize, usize)> {
    let reads: Vec<Vec<BTreeSet<Name>>> = plan
        .iter()
        .map(|groups| groups.iter().map(Group::reads).collect())
        .collect();
    let mut flat = Flat {
        design,
        plan,
        reads,
        nets: 0,
        nodes: Vec::new(),
    };
    flat.instance(design.top);
    // From net to the nodes that read it.
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); flat.nets];
    for (number, node) in flat.nodes.iter().enumerate() {
        node.reads.iter().for_each(|net| readers[*net].push(number));
    }
    let edges: Vec<Vec<usize>> = flat
        .nodes
        .iter()
        .map(|node| {
            node.writes
                .iter()
                .flat_map(|net| readers[*net].iter().copied())
                .collect()
        })
        .collect();
    let connected = strongly_connected(&edges);
    let mut sizes = vec![0; edges.len()];
    connected.iter().for_each(|part| sizes[*part] += 1);
    (flat.nodes.iter().zip(&connected))
        .filter(|(_, part)| sizes[**part] > 1)
        .filter_map(|(node, _)| node.group)
        .collect()
}

/// A group of an instance, or a memory that is read without a clock.
struct Node {
    group: Option<(usize, usize)>,
    reads: Vec<usize>,
    writes: Vec<usize>,
}

struct Flat<'a> {
    design: &'a Design,
    plan: &'a [Vec<Group>],
    /// Of each group.
    reads: Vec<Vec<BTreeSet<Name>>>,
    /// Number of nets so far.
    nets: usize,
    nodes: Vec<Node>,
}

impl Flat<'_> {
    /// Adds an instance; gives the net of its first signal.
    fn instance(&mut self, number: usize) -> usize {
        let module = &self.design.modules[number];
        let first = self.nets;
        self.nets += module.signals.len();
        let children: Vec<usize> = module
            .children
            .iter()
            .map(|child| self.instance(child.module))
            .collect();
        let net = |name: &Name| match name {
            Name::Own(signal) => first + signal,
            Name::Port { child, signal } => children[*child] + signal,
        };
        for (at, group) in self.plan[number].iter().enumerate() {
            self.nodes.push(Node {
                group: Some((number, at)),
                reads: self.reads[number][at].iter().map(net).collect(),
                writes: group.targets.iter().map(net).collect(),
            });
        }
        if let Body::Storage(Leaf::Ram {
            read_addr,
            read_data,
            asynchronous: true,
            ..
        }) = &module.body
        {
            self.nodes.push(Node {
                group: None,
                reads: vec![first + read_addr],
                writes: vec![first + read_data],
            });
        }
        first
    }
}

/// For each node the number of its strongly connected part (Tarjan, without recursion).
fn strongly_connected(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let (mut order, mut low, mut part) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let (mut visited, mut parts) = (0, 0);
    for start in 0..count {
        if order[start] == NONE {
            path.push((start, 0));
        }
        while let Some((node, edge)) = path.last().copied() {
            if edge == 0 {
                order[node] = visited;
                low[node] = visited;
                visited += 1;
                open.push(node);
            }
            if let Some(&next) = edges[node].get(edge) {
                path.last_mut().expect("not empty").1 += 1;
                if order[next] == NONE {
                    path.push((next, 0));
                } else if part[next] == NONE {
                    low[node] = low[node].min(order[next]);
                }
                continue;
            }
            path.pop();
            if let Some((above, _)) = path.last() {
                low[*above] = low[*above].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    part[member] = parts;
                    if member == node {
                        break;
                    }
                }
                parts += 1;
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::strongly_connected;

    #[test]
    fn circles_are_found_and_chains_are_none() {
        let edges = [vec![1], vec![2, 3], vec![0], vec![4], vec![], vec![5, 4]];
        let part = strongly_connected(&edges);
        assert!(part[0] == part[1] && part[1] == part[2]);
        let mut others = vec![part[0], part[3], part[4], part[5]];
        others.sort_unstable();
        others.dedup();
        assert_eq!(others.len(), 4);
    }
}
