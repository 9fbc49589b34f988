//! Where the graph leaves the matching open: several ranks race to a receive from any source.
//!
//! The messages to a rank fall into *classes*: a send and a receive that may match are in one. A class to which one
//! rank sends is no choice: that rank's order decides, which the compiler knows, so its messages are matched
//! beforehand. In the others what arrives first decides.

use crate::graph::{Graph, Kind, Slice, VertexId};
use crate::matching::{Matching, matches};
use std::collections::{BTreeMap, BTreeSet};

/// Messages to a rank whose matching the graph leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The rank that receives.
    pub rank: usize,
    /// Its sends, of two ranks at least.
    pub sends: Vec<VertexId>,
    /// Its receives, in the order in which the rank starts them.
    pub recvs: Vec<VertexId>,
}

impl Class {
    /// The sends that a receive of it may match.
    pub fn candidates(&self, graph: &Graph, recv: VertexId) -> Vec<VertexId> {
        let sends = self.sends.iter().copied();
        sends.filter(|send| matches(graph, *send, recv)).collect()
    }

    /// Whether a message may come that both receives take.
    pub fn compete(&self, graph: &Graph, one: VertexId, other: VertexId) -> bool {
        let both = |send: &VertexId| matches(graph, *send, one) && matches(graph, *send, other);
        self.sends.iter().any(both)
    }
}

/// All classes with a choice.
pub fn choices(graph: &Graph, matching: &Matching) -> Vec<Class> {
    let vertices = graph.vertices();
    let mut open = BTreeSet::new();
    for vertex in vertices {
        if let Kind::Recv { from: None, .. } = vertex.kind {
            open.insert(vertex.rank);
        }
    }
    let mut to: BTreeMap<usize, Class> = BTreeMap::new();
    for id in &matching.started {
        let vertex = &vertices[id.0];
        let (rank, sends) = match vertex.kind {
            Kind::Send { to, .. } => (to, true),
            Kind::Recv { .. } => (vertex.rank, false),
            Kind::Local { .. } | Kind::Work { .. } => continue,
        };
        if !open.contains(&rank) {
            continue;
        }
        let class = to.entry(rank).or_insert_with(|| Class {
            rank,
            sends: Vec::new(),
            recvs: Vec::new(),
        });
        match sends {
            true => class.sends.push(*id),
            false => class.recvs.push(*id),
        }
    }
    let classes = to.into_values().flat_map(|all| split(graph, all));
    let is_open = |class: &Class| {
        let sources = class.sends.iter().map(|send| vertices[send.0].rank);
        sources.collect::<BTreeSet<_>>().len() > 1
    };
    classes.filter(is_open).collect()
}

/// The classes of a rank.
fn split(graph: &Graph, mut all: Class) -> Vec<Class> {
    let mut classes = Vec::new();
    while let Some(first) = all.recvs.first().copied() {
        let mut class = Class {
            rank: all.rank,
            sends: Vec::new(),
            recvs: vec![first],
        };
        loop {
            let of = |send: &VertexId| class.recvs.iter().any(|recv| matches(graph, *send, *recv));
            let sends: Vec<VertexId> = all.sends.iter().copied().filter(of).collect();
            let of = |recv: &VertexId| sends.iter().any(|send| matches(graph, *send, *recv));
            let mut recvs: Vec<VertexId> = all.recvs.iter().copied().filter(of).collect();
            if recvs.is_empty() {
                recvs.push(first);
            }
            let grows = sends.len() > class.sends.len() || recvs.len() > class.recvs.len();
            (class.sends, class.recvs) = (sends, recvs);
            if !grows {
                break;
            }
        }
        all.sends.retain(|send| !class.sends.contains(send));
        all.recvs.retain(|recv| !class.recvs.contains(recv));
        classes.push(class);
    }
    classes
}

/// Bytes of each rank that may depend on what arrives first: what lands in a receive of an open class, and all that is
/// sent, combined or copied from there. The rest is the same whatever the matching.
pub fn undetermined(graph: &Graph, matching: &Matching) -> Vec<Vec<Slice>> {
    let vertices = graph.vertices();
    let mut open: Vec<Vec<Slice>> = vec![Vec::new(); graph.ranks()];
    let mut is_open = vec![false; vertices.len()];
    for recv in choices(graph, matching)
        .iter()
        .flat_map(|class| &class.recvs)
    {
        is_open[recv.0] = true;
    }
    loop {
        let mut grows = false;
        for (number, vertex) in vertices.iter().enumerate() {
            let (read, written) = vertex.accesses();
            let from = match vertex.kind {
                Kind::Recv { .. } => matching.partner[number].map(|send| {
                    let send = &vertices[send.0];
                    (send.rank, send.accesses().0)
                }),
                _ => Some((vertex.rank, read)),
            };
            let spreads = from
                .is_some_and(|(rank, bytes)| open[rank].iter().any(|open| open.overlaps(bytes)));
            let is_known = written.length == 0 || open[vertex.rank].contains(&written);
            if (is_open[number] || spreads) && !is_known {
                open[vertex.rank].push(written);
                grows = true;
            }
        }
        if !grows {
            return open;
        }
    }
}
