//! Collectives that combine: reduce, reduce_scatter, allreduce, scan, exscan.

use super::tree::{down, own, scatter_down};
use super::{Built, Parameters};
use crate::error::GraphError;
use crate::flow::Flow;
use crate::graph::Slice;
use crate::topology::{Tree, core, rounds};

/// `from` of one rank is combined into `into` of another: a message into scratch memory, and an operation.
fn combine(
    flow: &mut Flow,
    parameters: &Parameters,
    from: (usize, Slice),
    (rank, into): (usize, Slice),
) -> Result<(), GraphError> {
    let scratch = flow.scratch(rank, into.length)?;
    flow.message(from, (rank, scratch))?;
    flow.op(rank, parameters.arithmetic(), scratch, into)?;
    Ok(())
}

/// All ranks send, and then all combine what came into what they sent.
fn exchange(
    flow: &mut Flow,
    parameters: &Parameters,
    data: &[Slice],
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Result<(), GraphError> {
    let mut came = Vec::new();
    for (from, to) in pairs {
        let scratch = flow.scratch(to, parameters.bytes)?;
        flow.message((from, data[from]), (to, scratch))?;
        came.push((to, scratch));
    }
    for (rank, scratch) in came {
        flow.op(rank, parameters.arithmetic(), scratch, data[rank])?;
    }
    Ok(())
}

/// Combines the vectors of all ranks up a tree into the root's.
fn up(
    flow: &mut Flow,
    parameters: &Parameters,
    tree: &Tree,
    data: &[Slice],
) -> Result<(), GraphError> {
    for (place, children) in tree.children.iter().enumerate().rev() {
        for segment in 0..parameters.segments {
            for child in children {
                let [from, into] = [*child, place]
                    .map(|place| parameters.rank(place))
                    .map(|rank| (rank, parameters.segment(data[rank], segment)));
                if from.1.length > 0 {
                    combine(flow, parameters, from, into)?;
                }
            }
        }
    }
    Ok(())
}

/// Reduce along a tree; the others keep what they had, with their subtree's combined into it.
pub(super) fn reduce(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let data = flow.buffers(parameters.bytes)?;
    up(&mut flow, parameters, tree, &data)?;
    let output = parameters.only_root(&data);
    Ok(Built::new(flow, data, output))
}

/// Reduce_scatter by pairwise exchange: each block goes straight to whom it is for, and is combined there.
pub(super) fn reduce_scatter_pairwise(parameters: &Parameters) -> Result<Built, GraphError> {
    let ranks = parameters.nodes;
    let mut flow = Flow::new(ranks)?;
    let all = flow.buffers(parameters.all()?)?;
    for step in 1..ranks {
        for rank in 0..ranks {
            let to = (rank + step) % ranks;
            let from = (rank, parameters.block(all[rank], to));
            combine(
                &mut flow,
                parameters,
                from,
                (to, parameters.block(all[to], to)),
            )?;
        }
    }
    let output = own(parameters, &all);
    Ok(Built::new(flow, all, output))
}

/// Reduce_scatter as a scatter after a reduce, both along a tree.
pub(super) fn reduce_scatter_tree(
    parameters: &Parameters,
    tree: &Tree,
) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let all = flow.buffers(parameters.all()?)?;
    up(&mut flow, parameters, tree, &all)?;
    scatter_down(&mut flow, parameters, tree, &all)?;
    let output = own(parameters, &all);
    Ok(Built::new(flow, all, output))
}

/// Allreduce as a broadcast after a reduce, both along a tree.
pub(super) fn allreduce_tree(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let data = flow.buffers(parameters.bytes)?;
    up(&mut flow, parameters, tree, &data)?;
    down(&mut flow, parameters, tree, &data)?;
    Ok(Built::new(flow, data.clone(), data))
}

/// Allreduce in rounds: `partner` says to whom a rank of the power of two sends in round k. The other ranks hand in
/// their vector before, and get the result after.
fn allreduce(
    parameters: &Parameters,
    partner: impl Fn(usize, usize, usize) -> usize,
) -> Result<Built, GraphError> {
    let (ranks, core) = (parameters.nodes, core(parameters.nodes));
    let mut flow = Flow::new(ranks)?;
    let data = flow.buffers(parameters.bytes)?;
    for rank in core..ranks {
        combine(
            &mut flow,
            parameters,
            (rank, data[rank]),
            (rank - core, data[rank - core]),
        )?;
    }
    for k in 0..rounds(core) {
        let pairs = (0..core).map(|rank| (rank, partner(rank, k, core)));
        exchange(&mut flow, parameters, &data, pairs)?;
    }
    for rank in core..ranks {
        flow.message((rank - core, data[rank - core]), (rank, data[rank]))?;
    }
    Ok(Built::new(flow, data.clone(), data))
}

/// Allreduce by a butterfly (recursive doubling).
pub(super) fn allreduce_butterfly(parameters: &Parameters) -> Result<Built, GraphError> {
    allreduce(parameters, |rank, k, _| rank ^ (1 << k))
}

/// Allreduce by dissemination among a power of two: else some vectors would count twice.
pub(super) fn allreduce_dissemination(parameters: &Parameters) -> Result<Built, GraphError> {
    allreduce(parameters, |rank, k, core| (rank + (1 << k)) % core)
}

/// Scan along the chain, in segments: each rank combines what came into its own and sends that on.
pub(super) fn scan(parameters: &Parameters) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let data = flow.buffers(parameters.bytes)?;
    for rank in 1..parameters.nodes {
        for segment in 0..parameters.segments {
            let [from, into] =
                [rank - 1, rank].map(|rank| (rank, parameters.segment(data[rank], segment)));
            if from.1.length > 0 {
                combine(&mut flow, parameters, from, into)?;
            }
        }
    }
    Ok(Built::new(flow, data.clone(), data))
}

/// Exscan along the chain, in segments: what comes is the result, and with the rank's own it goes on. A rank's own
/// vector is not kept. Rank 0 has no result.
pub(super) fn exscan(parameters: &Parameters) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let (own, result) = (
        flow.buffers(parameters.bytes)?,
        flow.buffers(parameters.bytes)?,
    );
    let last = parameters.nodes - 1;
    for rank in 1..parameters.nodes {
        for segment in 0..parameters.segments {
            let segment = |bytes: Slice| parameters.segment(bytes, segment);
            if segment(own[rank]).length == 0 {
                continue;
            }
            flow.message(
                (rank - 1, segment(own[rank - 1])),
                (rank, segment(result[rank])),
            )?;
            if rank < last {
                flow.op(
                    rank,
                    parameters.arithmetic(),
                    segment(result[rank]),
                    segment(own[rank]),
                )?;
            }
        }
    }
    let mut output = result;
    output[0] = Slice::default();
    Ok(Built::new(flow, own, output))
}
