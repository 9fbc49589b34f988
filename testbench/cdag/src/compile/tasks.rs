//! Operations that are tasks of the rank's own GPU: those that it knows and the NIC does not, and long ones.
//!
//! A task is no atomic, so nobody else may change its target meanwhile. The graph orders all other uses of the bytes,
//! but for the same operation into the same bytes, which needs no order. *Rule:* of operations of a kind into
//! overlapping bytes all are tasks, or none. A GPU does the tasks of a rank one after the other.

use super::net::{Net, What};
use super::{Flaw, GpuTasks, Options};
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
pub(super) fn apply(net: &mut Net, gpu: GpuTasks, options: &Options) {
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
        if options.flaw != Some(Flaw::SomeTasks) {
            spread(&mut candidates);
        }
        for one in candidates.into_iter().filter(|one| one.is_task) {
            net.nodes[one.node].what = What::Task {
                from: one.from,
                into: one.into,
                arithmetic: one.arithmetic,
            };
        }
    }
}

/// Makes tasks of those that share bytes with one, and so on.
fn spread(candidates: &mut [Candidate]) {
    let all = 0..candidates.len();
    let mut tasks: Vec<usize> = all.filter(|one| candidates[*one].is_task).collect();
    while let Some(task) = tasks.pop() {
        let (into, arithmetic) = (candidates[task].into, candidates[task].arithmetic);
        for (number, one) in candidates.iter_mut().enumerate() {
            if !one.is_task && one.arithmetic == arithmetic && one.into.overlaps(into) {
                one.is_task = true;
                tasks.push(number);
            }
        }
    }
}
