//! Which send goes to which receive, decided before anything runs (the pre-matching of section IV.A).
//!
//! One run of the graph in a fixed order decides: a vertex starts as soon as it may, the one that was added first goes
//! first, and a receive takes the oldest send that matches. Where several matchings are possible the paper leaves the
//! choice open and asks that each be right, so this one is. A graph that gets stuck here has a cycle, or a message
//! without an end. Where ranks race to a receive from any source, [`choice`](crate::choice) leaves the matching to the
//! NIC; of this run it keeps the order in which receives start.

use crate::error::GraphError;
use crate::graph::{Graph, Kind, VertexId};
use std::collections::{BTreeMap, BTreeSet};

/// Vertices named in a message about a graph that is stuck.
const NAMED: usize = 3;

/// The outcome of the run.
#[derive(Clone, Debug)]
pub struct Matching {
    /// All vertices; each stands after those it waits for, and a receive after its send.
    pub order: Vec<VertexId>,
    /// The receive of each send and the send of each receive, by vertex.
    pub partner: Vec<Option<VertexId>>,
    /// All vertices in the order in which they started.
    pub started: Vec<VertexId>,
}

/// What started and has not met its partner, of the messages to one rank.
#[derive(Default)]
struct Outstanding {
    sends: Vec<VertexId>,
    recvs: Vec<VertexId>,
}

/// Runs the graph. Errors: it cannot end; a send and a receive match but in their lengths.
pub fn matching(graph: &Graph) -> Result<Matching, GraphError> {
    let vertices = graph.vertices();
    let mut waits: Vec<usize> = vertices.iter().map(|vertex| vertex.after.len()).collect();
    let mut dependents = vec![Vec::new(); vertices.len()];
    for (number, vertex) in vertices.iter().enumerate() {
        for before in &vertex.after {
            dependents[before.0].push(number);
        }
    }
    let free = |(number, waits): (usize, &usize)| (*waits == 0).then_some(number);
    let mut ready: BTreeSet<usize> = waits.iter().enumerate().filter_map(free).collect();
    let mut outstanding: BTreeMap<usize, Outstanding> = BTreeMap::new();
    let mut done = Matching {
        order: Vec::new(),
        partner: vec![None; vertices.len()],
        started: Vec::new(),
    };
    while let Some(number) = ready.pop_first() {
        let id = VertexId(number);
        let vertex = &vertices[number];
        let mut completed = Vec::new();
        done.started.push(id);
        if !matches!(vertex.kind, Kind::Recv { .. }) {
            done.order.push(id);
            completed.push(id);
        }
        let met = match vertex.kind {
            Kind::Local { .. } | Kind::Work { .. } => None,
            Kind::Send { to, .. } => outstanding.entry(to).or_default().add_send(graph, id),
            Kind::Recv { .. } => {
                let outstanding = outstanding.entry(vertex.rank).or_default();
                outstanding.add_recv(graph, id)
            }
        };
        if let Some((send, recv)) = met {
            done.partner[send.0] = Some(recv);
            done.partner[recv.0] = Some(send);
            done.order.push(recv);
            completed.push(recv);
        }
        for id in completed {
            for dependent in &dependents[id.0] {
                waits[*dependent] -= 1;
                if waits[*dependent] == 0 {
                    ready.insert(*dependent);
                }
            }
        }
    }
    let left = outstanding
        .values()
        .any(|left| !left.sends.is_empty() || !left.recvs.is_empty());
    match done.order.len() == vertices.len() && !left {
        true => Ok(done),
        false => Err(why_stuck(graph, &waits, &outstanding)),
    }
}

impl Outstanding {
    /// A send meets the oldest receive that it matches, or waits.
    fn add_send(&mut self, graph: &Graph, send: VertexId) -> Option<(VertexId, VertexId)> {
        let found = self
            .recvs
            .iter()
            .position(|recv| matches(graph, send, *recv));
        match found {
            Some(place) => Some((send, self.recvs.remove(place))),
            None => {
                self.sends.push(send);
                None
            }
        }
    }

    /// A receive meets the oldest send that it matches, or waits.
    fn add_recv(&mut self, graph: &Graph, recv: VertexId) -> Option<(VertexId, VertexId)> {
        let found = self
            .sends
            .iter()
            .position(|send| matches(graph, *send, recv));
        match found {
            Some(place) => Some((self.sends.remove(place), recv)),
            None => {
                self.recvs.push(recv);
                None
            }
        }
    }
}

/// Whether they match, lengths included.
pub(crate) fn matches(graph: &Graph, send: VertexId, recv: VertexId) -> bool {
    envelopes_match(graph, send, recv) && length(graph, send) == length(graph, recv)
}

/// Whether target, source and tag match.
fn envelopes_match(graph: &Graph, send: VertexId, recv: VertexId) -> bool {
    let vertex = |id: VertexId| &graph.vertices()[id.0];
    let (sender, receiver) = (vertex(send).rank, vertex(recv).rank);
    match (vertex(send).kind, vertex(recv).kind) {
        (
            Kind::Send { to, tag, .. },
            Kind::Recv {
                from, tag: wanted, ..
            },
        ) => {
            to == receiver
                && from.is_none_or(|from| from == sender)
                && wanted.is_none_or(|wanted| wanted == tag)
        }
        _ => false,
    }
}

fn length(graph: &Graph, id: VertexId) -> u64 {
    let (read, written) = graph.vertices()[id.0].accesses();
    read.length + written.length
}

fn why_stuck(
    graph: &Graph,
    waits: &[usize],
    outstanding: &BTreeMap<usize, Outstanding>,
) -> GraphError {
    for left in outstanding.values() {
        for send in &left.sends {
            if let Some(recv) = left
                .recvs
                .iter()
                .find(|recv| envelopes_match(graph, *send, **recv))
            {
                return GraphError::LengthMismatch {
                    send: graph.describe(*send),
                    recv: graph.describe(*recv),
                };
            }
        }
    }
    let alone = outstanding.values().flat_map(|left| {
        let sends = left
            .sends
            .iter()
            .map(|id| format!("no receive takes {}", graph.describe(*id)));
        sends.chain(
            left.recvs
                .iter()
                .map(|id| format!("nothing is sent for {}", graph.describe(*id))),
        )
    });
    let waiting = waits.iter().enumerate().filter(|(_, waits)| **waits > 0);
    let waiting =
        waiting.map(|(number, _)| format!("{} never starts", graph.describe(VertexId(number))));
    let all: Vec<String> = alone.chain(waiting).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let named = all.into_iter().take(NAMED).collect::<Vec<_>>().join("; ");
    GraphError::Stuck(format!("{named}{more}"))
}
