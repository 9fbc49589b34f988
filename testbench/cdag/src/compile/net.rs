//! The graph as the passes see it: matched, and without protocols that the hardware does not have.

use crate::arithmetic::{Datatype, Operation};
use crate::check::sends;
use crate::choice::Class;
use crate::error::GraphError;
use crate::graph::{Graph, Kind, Slice, VertexId};
use crate::matching::Matching;
use crate::order::{Order, Step};
use crate::schedule::{ANY_TAG_BITS, Entry, open_bits};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// What is done to the bytes that a message lands on; without, they are written over.
pub(super) type Arithmetic = Option<(Operation, Datatype)>;

/// What the entry of a receive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Takes {
    pub(super) source: Option<usize>,
    pub(super) bits: u64,
    pub(super) ignore: u64,
    /// Its place in the list.
    pub(super) place: usize,
}

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
    /// Sends to rank `to`, whose NIC finds the receive.
    Cast { from: Slice, to: usize, bits: u64 },
    /// Receives what comes first of what its entry takes.
    Catch { into: Slice, takes: Takes },
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
            What::Send { from, .. } | What::Cast { from, .. } => (from, none),
            What::Serve { from, .. } => (from, none),
            What::Recv { into, .. } | What::Catch { into, .. } | What::Fetch { into, .. } => {
                (none, into)
            }
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
        matches!(
            self.what,
            What::Recv { .. } | What::Catch { .. } | What::Serve { .. }
        )
    }
}

/// All ranks.
#[derive(Clone, Debug)]
pub(super) struct Net<'a> {
    pub(super) graph: &'a Graph,
    pub(super) memory: Vec<u64>,
    pub(super) nodes: Vec<Node>,
    /// What the NICs match, and of each vertex the sends of which one is its.
    pub(super) open: &'a [Class],
    pub(super) sends: Vec<Vec<usize>>,
    /// The send of each receive in the run that matched; it stands before it.
    partner: Vec<Option<VertexId>>,
}

impl<'a> Net<'a> {
    /// The matched graph; the messages of `open` stay as they are, and `schedule` is the tag of their bits.
    pub(super) fn new(
        graph: &'a Graph,
        matching: &Matching,
        open: &'a [Class],
        schedule: u64,
    ) -> Self {
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
        let mut net = Self {
            graph,
            memory: (0..graph.ranks()).map(|rank| graph.memory(rank)).collect(),
            nodes: nodes.collect(),
            open,
            sends: sends(graph, matching, open),
            partner: matching.partner.clone(),
        };
        net.leave_open(schedule);
        net
    }

    /// Messages of the open classes are matched where they arrive.
    fn leave_open(&mut self, schedule: u64) {
        let vertices = self.graph.vertices();
        let mut lengths: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for class in self.open {
            let all = class
                .recvs
                .iter()
                .map(|recv| vertices[recv.0].accesses().1.length);
            lengths.entry(class.rank).or_default().extend(all);
        }
        let bits = |rank: usize, length: u64, tag: u32| {
            let shorter = lengths[&rank].range(..length).count();
            open_bits(schedule, shorter, tag)
        };
        let mut place = 0;
        for class in self.open {
            for send in &class.sends {
                if let Kind::Send { to, tag, bytes } = vertices[send.0].kind {
                    self.nodes[send.0].what = What::Cast {
                        from: bytes,
                        to,
                        bits: bits(to, bytes.length, tag),
                    };
                }
            }
            for recv in &class.recvs {
                if let Kind::Recv { from, tag, bytes } = vertices[recv.0].kind {
                    self.nodes[recv.0].what = What::Catch {
                        into: bytes,
                        takes: Takes {
                            source: from,
                            bits: bits(class.rank, bytes.length, tag.unwrap_or(0)),
                            ignore: tag.map_or(ANY_TAG_BITS, |_| 0),
                            place,
                        },
                    };
                    place += 1;
                }
            }
        }
    }

    /// Its place in the list, after those that no message but theirs finds.
    pub(super) fn place(&self, node: usize) -> Option<usize> {
        match self.nodes[node].what {
            What::Catch { takes, .. } => Some(takes.place),
            _ => None,
        }
    }

    /// The entry of a receive that the NIC matches, without its counter.
    pub(super) fn entry(&self, node: usize) -> Option<Entry> {
        match self.nodes[node].what {
            What::Catch { into, takes } => Some(Entry {
                bits: takes.bits,
                ignore: takes.ignore,
                source: takes.source,
                into: Some(into),
                once: true,
                ..Entry::default()
            }),
            _ => None,
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
            let cause = match node.what {
                What::Recv { send: cause, .. } | What::Serve { fetch: cause, .. } => Some(cause),
                What::Catch { .. } => self.partner[node.origin.0].map(|send| send.0),
                _ => None,
            };
            if let Some(cause) = cause {
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
            sends: match &node.what {
                What::Recv { send, .. } => std::slice::from_ref(send),
                What::Catch { .. } => &self.sends[node.origin.0],
                _ => &[],
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
