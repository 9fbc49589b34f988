//! Whether MPI allows a matching: the judge of runs whose matching is left open. It shares no code with the compiler.
//!
//! A message belongs to one receive, of its target, source, tag and length. Messages of one rank keep their order: if
//! two messages fit the receive that started first, it has the one that was sent first. What was before what follows
//! from the edges and from the matching itself.

use crate::graph::{Graph, Kind, VertexId};

/// Says what is wrong with a matching: of each vertex, the other end of its message.
pub fn fault(graph: &Graph, partner: &[Option<VertexId>]) -> Option<String> {
    let vertices = graph.vertices();
    let name = |id: usize| graph.describe(VertexId(id));
    let fits = |send: usize, recv: usize| match (vertices[send].kind, vertices[recv].kind) {
        (
            Kind::Send { to, tag, bytes },
            Kind::Recv {
                from,
                tag: wanted,
                bytes: into,
            },
        ) => {
            to == vertices[recv].rank
                && [None, Some(vertices[send].rank)].contains(&from)
                && [None, Some(tag)].contains(&wanted)
                && bytes.length == into.length
        }
        _ => false,
    };
    let mut pairs = Vec::new();
    for (number, vertex) in vertices.iter().enumerate() {
        let other = partner.get(number).copied().flatten().map(|id| id.0);
        match (vertex.kind, other) {
            (Kind::Recv { .. }, Some(send)) if fits(send, number) => pairs.push((send, number)),
            (Kind::Send { .. }, Some(recv)) if fits(number, recv) => {}
            (Kind::Local { .. } | Kind::Work { .. }, None) => continue,
            (_, Some(other)) => {
                return Some(format!("{} does not fit {}", name(number), name(other)));
            }
            (_, None) => return Some(format!("{} has no other end", name(number))),
        }
        let back = other.and_then(|other| partner[other]);
        if back != Some(VertexId(number)) {
            return Some(format!("the other end of {} has another", name(number)));
        }
    }
    let later: Vec<Vec<bool>> = (0..vertices.len())
        .map(|from| reached(graph, partner, from))
        .collect();
    for (first, its) in &pairs {
        for (second, other) in &pairs {
            let same = vertices[*first].rank == vertices[*second].rank;
            // `second` was sent later and went to a receive that started earlier and that `first` fits.
            if same && later[*first][*second] && later[*other][*its] && fits(*first, *other) {
                return Some(format!(
                    "{} overtakes {}, which fits {}",
                    name(*second),
                    name(*first),
                    name(*other)
                ));
            }
        }
    }
    None
}

/// What comes after a vertex has completed.
fn reached(graph: &Graph, partner: &[Option<VertexId>], from: usize) -> Vec<bool> {
    let vertices = graph.vertices();
    let mut after = vec![false; vertices.len()];
    let mut open = vec![from];
    while let Some(before) = open.pop() {
        for (number, vertex) in vertices.iter().enumerate() {
            let is_send = matches!(vertices[before].kind, Kind::Send { .. });
            let lands = is_send && partner[before] == Some(VertexId(number));
            if !after[number] && (lands || vertex.after.contains(&VertexId(before))) {
                after[number] = true;
                open.push(number);
            }
        }
    }
    after
}
