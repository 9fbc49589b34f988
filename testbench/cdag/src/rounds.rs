//! libNBC's rounds: what a rank does in a round starts when all of its round before has completed.
//!
//! Before it had cDAG, libNBC had no edges (section II.B of the paper): "all communication operation in a round had to
//! be finished before the next round could start". A graph becomes rounds by more edges, so everything that takes a
//! graph takes these too: they are the baseline of what edges are for.
//!
//! A send and its receive are in the same round, later than what either waits for, and a pair of ranks exchanges one
//! message a round, as libNBC's pipelines do. Rounds have the same numbers on all ranks, so no rank waits in a round
//! for what another does in a later one.

use crate::error::GraphError;
use crate::graph::{Graph, Kind, VertexId};
use crate::matching::{Matching, matching};
use crate::order::in_order;
use std::collections::BTreeMap;

/// The graph with an edge from each vertex of a round to each of the next round of its rank. Errors: it cannot end; two
/// messages would each have to be in an earlier round than the other.
pub fn in_rounds(graph: &Graph) -> Result<Graph, GraphError> {
    let matching = matching(graph)?;
    let rounds = rounds(graph, &matching)?;
    let mut of_rank: Vec<BTreeMap<usize, Vec<VertexId>>> = vec![BTreeMap::new(); graph.ranks()];
    for (number, vertex) in graph.vertices().iter().enumerate() {
        let round = of_rank[vertex.rank].entry(rounds[number]).or_default();
        round.push(VertexId(number));
    }
    let mut in_rounds = graph.clone();
    for rounds in of_rank {
        let rounds: Vec<Vec<VertexId>> = rounds.into_values().collect();
        for pair in rounds.windows(2) {
            for (before, after) in pair[0]
                .iter()
                .flat_map(|b| pair[1].iter().map(move |a| (b, a)))
            {
                in_rounds.after(*after, *before)?;
            }
        }
    }
    Ok(in_rounds)
}

/// The round of each vertex, from 0.
fn rounds(graph: &Graph, matching: &Matching) -> Result<Vec<usize>, GraphError> {
    let vertices = graph.vertices();
    // A message is one thing, which has its send's number.
    let thing = |number: usize| match vertices[number].kind {
        Kind::Recv { .. } => matching.partner[number].map_or(number, |send| send.0),
        _ => number,
    };
    let mut earlier = vec![Vec::new(); vertices.len()];
    for (number, vertex) in vertices.iter().enumerate() {
        let before = vertex.after.iter().map(|before| thing(before.0));
        earlier[thing(number)].extend(before);
    }
    let mut last: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for id in &matching.order {
        if let Kind::Send { to, .. } = vertices[id.0].kind
            && let Some(before) = last.insert((vertices[id.0].rank, to), id.0)
        {
            earlier[id.0].push(before);
        }
    }
    let order = in_order(&earlier)
        .map_err(|stuck| GraphError::NoRounds(graph.describe(VertexId(stuck))))?;
    let mut round = vec![0; vertices.len()];
    for number in order {
        let after = earlier[number].iter().map(|before| round[*before] + 1);
        round[number] = after.max().unwrap_or(0);
    }
    Ok((0..vertices.len())
        .map(|number| round[thing(number)])
        .collect())
}
