//! Operations that are tasks of the rank's own GPU: those that it knows and the NIC does not, and long ones.
//!
//! A task is no atomic, so nobody else may change its target meanwhile. The graph orders all other uses of the bytes, but
//! for the same operation into the same bytes, which needs no order. *Rule:* of operations of a kind into overlapping
//! bytes all are tasks, or none. A GPU does the tasks of a rank one after the other.

use super::Tasks;
use super::net::{Net, What};
use crate::arithmetic::{Datatype, Operation};
use crate::graph::Slice;

/// An operation of a rank that may be a task.
struct Candidate {
    node: usize,
    into: Slice,
    from: Slice,
    arithmetic: (Operation, Datatype),
    is_task: bool,
}

/// Makes tasks of operations.
pub(super) fn apply(net: &mut Net, gpu: Tasks) {
    let mut of_rank: Vec<Vec<Candidate>> = (0..net.ranks()).map(|_| Vec::new()).collect();
    for (number, node) in net.nodes.iter().enumerate() {
        if let What::Local {
            from,
            into,
            arithmetic: Some(arithmetic),
        } = node.what
            && (gpu.knows)(arithmetic.0, arithmetic.1)
        {
            of_rank[node.rank].push(Candidate {
                node: number,
                into,
                from,
                arithmetic,
                is_task: gpu.takes(arithmetic, from.length),
            });
        }
    }
    for mut candidates in of_rank {
        while spread(&mut candidates) {}
        for one in candidates.into_iter().filter(|one| one.is_task) {
            net.nodes[one.node].what = What::Task {
                from: one.from,
                into: one.into,
                arithmetic: one.arithmetic,
            };
        }
    }
}

/// Makes tasks of those that share bytes with one; whether there was one.
fn spread(candidates: &mut [Candidate]) -> bool {
    let shares = |one: &Candidate| {
        let mut tasks = candidates.iter().filter(|other| other.is_task);
        tasks.any(|task| task.arithmetic == one.arithmetic && task.into.overlaps(one.into))
    };
    let more = candidates
        .iter()
        .position(|one| !one.is_task && shares(one));
    more.is_some_and(|more| {
        candidates[more].is_task = true;
        true
    })
}
