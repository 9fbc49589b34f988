//! What a graph must be before it is run or compiled: it ends, and its ranks use their memory in an order.

use crate::choice::{Class, choices};
use crate::error::GraphError;
use crate::graph::{Graph, Kind, Slice, VertexId};
use crate::matching::{Matching, matching};
use crate::order::{Order, Step};

/// Words that the order of all vertices may take: 1 GiB.
const MOST_WORDS: usize = 1 << 27;

/// Checks the graph and decides which messages match. Errors: it cannot end; two vertices of a rank use the same bytes,
/// one of them writes, and no order of the graph holds between them, whatever matches; more vertices than can be
/// ordered.
pub fn check(graph: &Graph) -> Result<Matching, GraphError> {
    let vertices = graph.vertices();
    let mut of_rank = vec![0; graph.ranks()];
    vertices.iter().for_each(|vertex| of_rank[vertex.rank] += 1);
    // Two sets of the rank's places, and the place of each vertex.
    let words: usize = of_rank
        .iter()
        .map(|count: &usize| (2 * (count / 64 + 1) + 2).saturating_mul(vertices.len()))
        .fold(0, usize::saturating_add);
    if words > MOST_WORDS {
        return Err(GraphError::TooManyVertices {
            vertices: vertices.len(),
            ranks: graph.ranks(),
        });
    }
    let matching = matching(graph)?;
    let orders = orders(graph, &matching, &choices(graph, &matching));
    for (rank, order) in orders.iter().enumerate() {
        races(graph, rank, order)?;
    }
    Ok(matching)
}

/// The order of each rank.
fn orders(graph: &Graph, matching: &Matching, classes: &[Class]) -> Vec<Order> {
    let vertices = graph.vertices();
    let sends = sends(graph, matching, classes);
    let after: Vec<Vec<usize>> = vertices
        .iter()
        .map(|vertex| vertex.after.iter().map(|id| id.0).collect())
        .collect();
    let steps = vertices.iter().enumerate().map(|(number, vertex)| {
        let receives = matches!(vertex.kind, Kind::Recv { .. });
        Step {
            rank: vertex.rank,
            after: &after[number],
            sends: &sends[number],
            asked: None,
            needs_start: !receives,
        }
    });
    let steps: Vec<Step> = steps.collect();
    let sorted: Vec<usize> = matching.order.iter().map(|id| id.0).collect();
    (0..graph.ranks())
        .map(|rank| Order::of(rank, &steps, &sorted))
        .collect()
}

/// Of each receive the sends of which one is its.
pub(crate) fn sends(graph: &Graph, matching: &Matching, classes: &[Class]) -> Vec<Vec<usize>> {
    let vertices = graph.vertices().iter().zip(&matching.partner);
    let mut sends: Vec<Vec<usize>> = vertices
        .map(|(vertex, partner)| match vertex.kind {
            Kind::Recv { .. } => partner.iter().map(|send| send.0).collect(),
            _ => Vec::new(),
        })
        .collect();
    for class in classes {
        for recv in &class.recvs {
            let candidates = class.candidates(graph, *recv).into_iter();
            sends[recv.0] = candidates.map(|send| send.0).collect();
        }
    }
    sends
}

fn races(graph: &Graph, rank: usize, order: &Order) -> Result<(), GraphError> {
    let vertices = graph.vertices();
    let of_rank: Vec<usize> = (0..vertices.len())
        .filter(|number| vertices[*number].rank == rank)
        .collect();
    // A receive lands when its send has started, so when it completes counts.
    let follows = |first: usize, second: usize| match vertices[second].kind {
        Kind::Recv { .. } => order.before_end(first, second),
        _ => order.before_begin(first, second),
    };
    for (place, first) in of_rank.iter().enumerate() {
        for second in &of_rank[place + 1..] {
            let conflict = conflict(&vertices[*first].kind, &vertices[*second].kind);
            if conflict && !follows(*first, *second) && !follows(*second, *first) {
                return Err(GraphError::Race {
                    first: graph.describe(VertexId(*first)),
                    second: graph.describe(VertexId(*second)),
                });
            }
        }
    }
    Ok(())
}

/// Whether the order of the two matters: one writes what the other uses, and they are not the same operation on it.
pub(crate) fn conflict(first: &Kind, second: &Kind) -> bool {
    let ((read, written), (other_read, other_written)) = (accesses(first), accesses(second));
    let both_write = written.overlaps(other_written) && !commute(first, second);
    both_write || written.overlaps(other_read) || read.overlaps(other_written)
}

/// Operations of a kind may be done in any order.
fn commute(first: &Kind, second: &Kind) -> bool {
    match (first, second) {
        (
            Kind::Local {
                arithmetic: Some(one),
                ..
            },
            Kind::Local {
                arithmetic: Some(other),
                ..
            },
        ) => one == other,
        _ => false,
    }
}

fn accesses(kind: &Kind) -> (Slice, Slice) {
    match *kind {
        Kind::Send { bytes, .. } => (bytes, Slice::default()),
        Kind::Recv { bytes, .. } => (Slice::default(), bytes),
        Kind::Local { from, into, .. } => (from, into),
        Kind::Work { .. } => (Slice::default(), Slice::default()),
    }
}
