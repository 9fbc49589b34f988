//! Barriers: messages without bytes, so that nobody has heard from all before all are there.

use super::{Built, Parameters};
use crate::error::GraphError;
use crate::flow::Flow;
use crate::graph::{Slice, VertexId};
use crate::topology::{Tree, core, rounds};

/// Rounds of messages in which the last message of each rank waits for all before.
struct Rounds {
    flow: Flow,
    /// What the next send of a rank waits for.
    heard: Vec<Vec<VertexId>>,
}

impl Rounds {
    fn new(parameters: &Parameters) -> Result<Self, GraphError> {
        Ok(Self {
            flow: Flow::new(parameters.nodes)?,
            heard: vec![Vec::new(); parameters.nodes],
        })
    }

    /// All of these messages; none waits for another of the round.
    fn round(&mut self, messages: impl Iterator<Item = (usize, usize)>) -> Result<(), GraphError> {
        let mut sent: Vec<Option<VertexId>> = vec![None; self.heard.len()];
        let mut received = Vec::new();
        for (from, to) in messages {
            let (send, recv) = self.flow.token(from, to, &self.heard[from])?;
            sent[from] = Some(send);
            received.push((to, recv));
        }
        // A send stands for all that it waited for.
        for (rank, send) in sent.into_iter().enumerate() {
            if let Some(send) = send {
                self.heard[rank] = vec![send];
            }
        }
        for (rank, recv) in received {
            self.heard[rank].push(recv);
        }
        Ok(())
    }

    fn built(self) -> Built {
        let none = vec![Slice::default(); self.heard.len()];
        Built::new(self.flow, none.clone(), none)
    }
}

/// Dissemination: in round k each rank sends to the one 2^k further.
pub(super) fn dissemination(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut barrier = Rounds::new(parameters)?;
    for k in 0..rounds(ranks) {
        barrier.round((0..ranks).map(|rank| (rank, (rank + (1 << k)) % ranks)))?;
    }
    Ok(barrier.built())
}

/// Butterfly: in round k two ranks that differ in bit k send to each other.
pub(super) fn butterfly(parameters: &Parameters) -> Result<Built, GraphError> {
    let (ranks, core) = (parameters.nodes, core(parameters.nodes));
    let mut barrier = Rounds::new(parameters)?;
    barrier.round((core..ranks).map(|rank| (rank, rank - core)))?;
    for k in 0..rounds(core) {
        barrier.round((0..core).map(|rank| (rank, rank ^ (1 << k))))?;
    }
    barrier.round((core..ranks).map(|rank| (rank - core, rank)))?;
    Ok(barrier.built())
}

/// Pairwise exchange: everybody sends to everybody.
pub(super) fn pairwise(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut barrier = Rounds::new(parameters)?;
    barrier.round(
        (1..ranks).flat_map(|step| (0..ranks).map(move |rank| (rank, (rank + step) % ranks))),
    )?;
    Ok(barrier.built())
}

/// Up a tree and down again; the flat tree is listing 1 of the paper, the barrier of Open MPI for few ranks.
pub(super) fn tree(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let mut heard = vec![Vec::new(); parameters.nodes];
    for (rank, children) in tree.children.iter().enumerate().rev() {
        for child in children {
            let (_, recv) = flow.token(*child, rank, &heard[*child])?;
            heard[rank].push(recv);
        }
    }
    for (rank, children) in tree.children.iter().enumerate() {
        for child in children {
            let (_, recv) = flow.token(rank, *child, &heard[rank])?;
            heard[*child] = vec![recv];
        }
    }
    let none = vec![Slice::default(); parameters.nodes];
    Ok(Built::new(flow, none.clone(), none))
}
