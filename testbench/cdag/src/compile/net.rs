//! The graph as the passes see it: matched, and without protocols that the hardware does not have.

use crate::arithmetic::{Datatype, Operation};
use crate::error::GraphError;
use crate::graph::{Graph, Kind, Slice, VertexId};
use crate::matching::Matching;
use crate::order::{Order, Step};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is done to the bytes that a message lands on; without, they are written over.
pub(super) type Arithmetic = Option<(Operation, Datatype)>;

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Sends to the rank of node `to`, which receives.
    Send { from: Slice, to: usize },
    /// Receives from node `send`.
    Recv {
        into: Slice,
        send: usize,
        arithmetic: Arithmetic,
    },
    /// Fetches what node `serve` of another rank gives.
    Fetch { into: Slice, serve: usize },
    /// Gives to node `fetch`.
    Serve { from: Slice, fetch: usize },
    /// A message to the rank itself.
    Local {
        from: Slice,
        into: Slice,
        arithmetic: Arithmetic,
    },
    /// The host works so many cycles, and counts.
    Work { cycles: u64 },
    /// The GPU combines, and counts.
    Task {
        from: Slice,
        into: Slice,
        arithmetic: (Operation, Datatype),
    },
    /// Taken out by a pass.
    Gone,
}

/// A vertex, or what a protocol added.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) rank: usize,
    pub(super) what: What,
    pub(super) after: Vec<usize>,
    /// The vertex that it comes from.
    pub(super) origin: VertexId,
    /// Figures 5 and 7: counts on the counter of the one node that waits for it.
    pub(super) joins: bool,
}

impl Node {
    /// Bytes that it reads, and bytes that it writes.
    pub(super) fn accesses(&self) -> (Slice, Slice) {
        let none = Slice::default();
        match self.what {
            What::Send { from, .. } => (from, none),
            What::Serve { from, .. } => (from, none),
            What::Recv { into, .. } | What::Fetch { into, .. } => (none, into),
            What::Local { from, into, .. } | What::Task { from, into, .. } => (from, into),
            What::Work { .. } | What::Gone => (none, none),
        }
    }

    /// Whether it uses bytes that the other writes, or the reverse.
    pub(super) fn touches(&self, bytes: Slice) -> bool {
        let (read, written) = self.accesses();
        read.overlaps(bytes) || written.overlaps(bytes)
    }

    /// It does nothing by itself: another node's message completes it.
    pub(super) fn is_passive(&self) -> bool {
        matches!(self.what, What::Recv { .. } | What::Serve { .. })
    }
}

/// All ranks.
#[derive(Clone, Debug)]
pub(super) struct Net<'a> {
    pub(super) graph: &'a Graph,
    pub(super) memory: Vec<u64>,
    pub(super) nodes: Vec<Node>,
}

impl<'a> Net<'a> {
    /// The matched graph.
    pub(super) fn new(graph: &'a Graph, matching: &Matching) -> Self {
        let nodes = graph.vertices().iter().enumerate().map(|(number, vertex)| {
            let partner = matching.partner[number].map_or(number, |id| id.0);
            Node {
                rank: vertex.rank,
                what: match vertex.kind {
                    Kind::Send { bytes, .. } => What::Send {
                        from: bytes,
                        to: partner,
                    },
                    Kind::Recv { bytes, .. } => What::Recv {
                        into: bytes,
                        send: partner,
                        arithmetic: None,
                    },
                    Kind::Local {
                        arithmetic,
                        from,
                        into,
                    } => What::Local {
                        from,
                        into,
                        arithmetic,
                    },
                    Kind::Work { cycles } => What::Work { cycles },
                },
                after: vertex.after.iter().map(|id| id.0).collect(),
                origin: VertexId(number),
                joins: false,
            }
        });
        Self {
            graph,
            memory: (0..graph.ranks()).map(|rank| graph.memory(rank)).collect(),
            nodes: nodes.collect(),
        }
    }

    pub(super) fn ranks(&self) -> usize {
        self.memory.len()
    }

    /// Scratch memory of a rank, at a multiple of 64.
    pub(super) fn allocate(&mut self, rank: usize, length: u64) -> Slice {
        let at = self.memory[rank].div_ceil(64) * 64;
        self.memory[rank] = at + length;
        Slice { at, length }
    }

    /// Adds a node.
    pub(super) fn add(&mut self, like: usize, what: What, after: Vec<usize>) -> usize {
        let Node { rank, origin, .. } = self.nodes[like];
        self.nodes.push(Node {
            rank,
            what,
            after,
            origin,
            joins: false,
        });
        self.nodes.len() - 1
    }

    /// For each node, those that wait for it.
    pub(super) fn dependents(&self) -> Vec<Vec<usize>> {
        let mut dependents = vec![Vec::new(); self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            node.after
                .iter()
                .for_each(|before| dependents[*before].push(number));
        }
        dependents
    }

    /// All nodes that are left, each after those it waits for and receives after their sends; what was added first
    /// comes first where that leaves a choice. Errors: there is no such order, since a sender waits for a receiver that
    /// waits for it.
    pub(super) fn sorted(&self) -> Result<Vec<usize>, GraphError> {
        let mut waits = vec![0; self.nodes.len()];
        let mut dependents = self.dependents();
        for (number, node) in self.nodes.iter().enumerate() {
            waits[number] += node.after.len();
            if let What::Recv { send: cause, .. } | What::Serve { fetch: cause, .. } = node.what {
                waits[number] += 1;
                dependents[cause].push(number);
            }
        }
        let is_left = |number: &usize| self.nodes[*number].what != What::Gone;
        // What a protocol added stands where its vertex stood.
        let key = |number: usize| Reverse((self.nodes[number].origin, number));
        let free = (0..self.nodes.len())
            .filter(is_left)
            .filter(|number| waits[*number] == 0);
        let mut ready: BinaryHeap<_> = free.map(key).collect();
        let mut sorted = Vec::new();
        while let Some(Reverse((_, number))) = ready.pop() {
            sorted.push(number);
            for dependent in &dependents[number] {
                waits[*dependent] -= 1;
                if waits[*dependent] == 0 {
                    ready.push(key(*dependent));
                }
            }
        }
        match (0..self.nodes.len())
            .filter(is_left)
            .find(|number| waits[*number] > 0)
        {
            None => Ok(sorted),
            Some(stuck) => {
                let stuck = self.graph.describe(self.nodes[stuck].origin);
                Err(GraphError::RendezvousStuck(format!("{stuck} never starts")))
            }
        }
    }

    /// The order of each rank. Errors: as [`sorted`](Self::sorted).
    pub(super) fn orders(&self, sorted: &[usize]) -> Vec<Order> {
        let steps = self.nodes.iter().map(|node| Step {
            rank: node.rank,
            after: &node.after,
            send: match node.what {
                What::Recv { send, .. } => Some(send),
                _ => None,
            },
            asked: match node.what {
                What::Serve { fetch, .. } => Some(fetch),
                _ => None,
            },
            needs_start: !node.is_passive(),
        });
        let steps: Vec<Step> = steps.collect();
        (0..self.ranks())
            .map(|rank| Order::of(rank, &steps, sorted))
            .collect()
    }
}
