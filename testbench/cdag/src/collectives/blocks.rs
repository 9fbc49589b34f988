//! Collectives of which each rank gets a block of each: allgather and alltoall.

use super::tree::{down, gather_up, own};
use super::{Built, Parameters};
use crate::error::GraphError;
use crate::flow::Flow;
use crate::graph::Slice;
use crate::topology::{Tree, core, rounds};

/// An allgather under way.
struct Allgather<'a> {
    flow: Flow,
    parameters: &'a Parameters,
    all: Vec<Slice>,
}

impl<'a> Allgather<'a> {
    fn new(parameters: &'a Parameters) -> Result<Self, GraphError> {
        let mut flow = Flow::new(parameters.nodes)?;
        let all = flow.buffers(parameters.all()?)?;
        Ok(Self {
            flow,
            parameters,
            all,
        })
    }

    /// The blocks of `count` ranks from `first` on go from one rank to another; beyond the last rank comes rank 0.
    fn send(
        &mut self,
        from: usize,
        to: usize,
        first: usize,
        count: usize,
    ) -> Result<(), GraphError> {
        let ranks = self.parameters.nodes;
        let upper = count.min(ranks - first);
        for (first, count) in [(first, upper), (0, count - upper)] {
            let [from, to] =
                [from, to].map(|rank| (rank, self.parameters.blocks(self.all[rank], first, count)));
            if from.1.length > 0 {
                self.flow.message(from, to)?;
            }
        }
        Ok(())
    }

    fn built(self) -> Built {
        let input = own(self.parameters, &self.all);
        Built::new(self.flow, input, self.all)
    }
}

/// Ring: each block goes once around.
pub(super) fn allgather_ring(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut gather = Allgather::new(parameters)?;
    for step in 0..ranks - 1 {
        for rank in 0..ranks {
            gather.send(rank, (rank + 1) % ranks, (rank + ranks - step) % ranks, 1)?;
        }
    }
    Ok(gather.built())
}

/// Pairwise exchange: each block goes straight to everybody.
pub(super) fn allgather_pairwise(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut gather = Allgather::new(parameters)?;
    for step in 1..ranks {
        for rank in 0..ranks {
            gather.send(rank, (rank + step) % ranks, rank, 1)?;
        }
    }
    Ok(gather.built())
}

/// Dissemination (Bruck et al.): in round k a rank sends all it has to the one 2^k before. Blocks lie where they will
/// be, so nothing is rotated; what wraps is two messages.
pub(super) fn allgather_dissemination(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut gather = Allgather::new(parameters)?;
    for k in 0..rounds(ranks) {
        let has = 1 << k;
        for rank in 0..ranks {
            gather.send(
                rank,
                (rank + ranks - has) % ranks,
                rank,
                has.min(ranks - has),
            )?;
        }
    }
    Ok(gather.built())
}

/// Butterfly: in round k two ranks that differ in bit k exchange the blocks they have. Ranks beyond the power of two
/// hand in their block before and get all after.
pub(super) fn allgather_butterfly(parameters: &Parameters) -> Result<Built, GraphError> {
    let (ranks, core) = (parameters.nodes, core(parameters.nodes));
    let mut gather = Allgather::new(parameters)?;
    for rank in core..ranks {
        gather.send(rank, rank - core, rank, 1)?;
    }
    for k in 0..rounds(core) {
        for rank in 0..core {
            let (to, group) = (rank ^ (1 << k), rank >> k << k);
            gather.send(rank, to, group, 1 << k)?;
            let extra = (1 << k).min(ranks.saturating_sub(core + group));
            if extra > 0 {
                gather.send(rank, to, core + group, extra)?;
            }
        }
    }
    for rank in core..ranks {
        // All but its own block, which may be in the middle.
        gather.send(rank - core, rank, 0, rank)?;
        if rank + 1 < ranks {
            gather.send(rank - core, rank, rank + 1, ranks - rank - 1)?;
        }
    }
    Ok(gather.built())
}

/// Broadcast after gather, along a tree.
pub(super) fn allgather_tree(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut gather = Allgather::new(parameters)?;
    gather_up(&mut gather.flow, parameters, tree, &gather.all)?;
    down(&mut gather.flow, parameters, tree, &gather.all)?;
    Ok(gather.built())
}

/// Alltoall by pairwise exchange; a rank's own block is where it belongs.
pub(super) fn alltoall_pairwise(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut flow = Flow::new(ranks)?;
    let all = parameters.all()?;
    let (send, recv) = (flow.buffers(all)?, flow.buffers(all)?);
    for step in 1..ranks {
        for (rank, sent) in send.iter().enumerate() {
            let to = (rank + step) % ranks;
            let from = (rank, parameters.block(*sent, to));
            flow.message(from, (to, parameters.block(recv[to], rank)))?;
        }
    }
    Ok(Built::new(flow, send, recv))
}
