//! Collectives along a tree, in segments: broadcast, scatter, gather, and the broadcast in blocks of least rounds.

use super::{Built, Parameters};
use crate::error::GraphError;
use crate::flow::Flow;
use crate::graph::Slice;
use crate::round_optimal;
use crate::topology::Tree;

/// Sends `data` of the root down the tree, segment by segment.
pub(super) fn down(
    flow: &mut Flow,
    parameters: &Parameters,
    tree: &Tree,
    data: &[Slice],
) -> Result<(), GraphError> {
    for (place, children) in tree.children.iter().enumerate() {
        for segment in 0..parameters.segments {
            for child in children {
                let [from, to] = [place, *child]
                    .map(|place| parameters.rank(place))
                    .map(|rank| (rank, parameters.segment(data[rank], segment)));
                if from.1.length > 0 {
                    flow.message(from, to)?;
                }
            }
        }
    }
    Ok(())
}

/// Broadcast along a tree.
pub(super) fn broadcast(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let data = flow.buffers(parameters.bytes)?;
    down(&mut flow, parameters, tree, &data)?;
    Ok(Built::new(flow, parameters.only_root(&data), data))
}

/// Broadcast in the least number of rounds.
pub(super) fn broadcast_round_optimal(parameters: &Parameters) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let data = flow.buffers(parameters.bytes)?;
    for step in round_optimal::rounds(parameters.nodes, parameters.segments as usize)
        .iter()
        .flatten()
    {
        let [from, to] = [step.from, step.to]
            .map(|place| parameters.rank(place))
            .map(|rank| (rank, parameters.segment(data[rank], step.block as u64)));
        if from.1.length > 0 {
            flow.message(from, to)?;
        }
    }
    Ok(Built::new(flow, parameters.only_root(&data), data))
}

/// Sends the blocks of each subtree down to it.
pub(super) fn scatter_down(
    flow: &mut Flow,
    parameters: &Parameters,
    tree: &Tree,
    all: &[Slice],
) -> Result<(), GraphError> {
    for (rank, children) in tree.children.iter().enumerate() {
        for child in children {
            edge(flow, parameters, tree, all, (rank, *child), *child)?;
        }
    }
    Ok(())
}

/// Scatter along a tree.
pub(super) fn scatter(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let all = flow.buffers(parameters.all()?)?;
    scatter_down(&mut flow, parameters, tree, &all)?;
    Ok(Built::new(
        flow,
        parameters.only_root(&all),
        own(parameters, &all),
    ))
}

/// Sends the blocks of each subtree up to the root.
pub(super) fn gather_up(
    flow: &mut Flow,
    parameters: &Parameters,
    tree: &Tree,
    all: &[Slice],
) -> Result<(), GraphError> {
    for (rank, children) in tree.children.iter().enumerate().rev() {
        for child in children {
            edge(flow, parameters, tree, all, (*child, rank), *child)?;
        }
    }
    Ok(())
}

/// Gather along a tree.
pub(super) fn gather(parameters: &Parameters, tree: &Tree) -> Result<Built, GraphError> {
    let mut flow = Flow::new(parameters.nodes)?;
    let all = flow.buffers(parameters.all()?)?;
    gather_up(&mut flow, parameters, tree, &all)?;
    let input = own(parameters, &all);
    // The others hold some blocks of their subtrees too, which nobody asked for.
    let mut output = input.clone();
    output[parameters.root] = all[parameters.root];
    Ok(Built::new(flow, input, output))
}

/// The blocks of the subtree below `subtree` go from one place to another. Blocks lie in the order of ranks, so that of
/// a place that is the root's rank lies before the others.
fn edge(
    flow: &mut Flow,
    parameters: &Parameters,
    tree: &Tree,
    all: &[Slice],
    (from, to): (usize, usize),
    subtree: usize,
) -> Result<(), GraphError> {
    let (first, end, root) = (subtree, subtree + tree.size[subtree], parameters.root);
    let runs = match (first..end).contains(&root) && root > 0 {
        true => vec![(first, root), (0, 1), (root + 1, end)],
        false => vec![(first, end)],
    };
    for (first, end) in runs {
        for segment in 0..parameters.segments {
            let [from, to] = [from, to].map(|place| {
                let rank = parameters.rank(place);
                let blocks = parameters.blocks(all[rank], first, end - first);
                (rank, parameters.segment(blocks, segment))
            });
            if from.1.length > 0 {
                flow.message(from, to)?;
            }
        }
    }
    Ok(())
}

/// Each rank's own block.
pub(super) fn own(parameters: &Parameters, all: &[Slice]) -> Vec<Slice> {
    let blocks = all
        .iter()
        .enumerate()
        .map(|(rank, all)| parameters.block(*all, rank));
    blocks.collect()
}
