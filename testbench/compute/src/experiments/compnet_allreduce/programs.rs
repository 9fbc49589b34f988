//! What runs on a node: rings of work-groups that call, or one ring of the host, which adds itself or starts kernels.

use crate::compute_node::{HOST_HEAP, HostCalls, Local, Shmem};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Where a vector lies, the same on all nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    pub(super) data: u64,
    pub(super) scratch: u64,
    pub(super) words: u64,
}

/// Least bytes of a work-group that adds: what it adds at once.
const LEAST: u64 = 1024;
/// Flag of the host: messages that have come.
const ARRIVED: u64 = HOST_HEAP;
/// Flag of kernels: how many have ended.
const ENDED: u64 = HOST_HEAP + 64;

/// Cycles at which programs began and ended.
#[derive(Default)]
pub(super) struct Times {
    pub(super) begun: Vec<u64>,
    pub(super) ended: Vec<u64>,
}

pub(super) type Told = Rc<RefCell<Times>>;

/// Whether rings of a node have begun.
pub(super) type Start = Rc<Cell<bool>>;

/// Kernels of a node.
#[derive(Clone)]
pub(super) struct Kernel {
    /// The one that runs, counted from 1, and what it adds: sum, and what is added to it.
    runs: Rc<Cell<(u64, [u64; 2])>>,
    /// Work-groups of a kernel.
    groups: u64,
    /// Work-groups that have ended, of all kernels.
    ended: Rc<Cell<u64>>,
}

impl Kernel {
    /// Kernels of so many work-groups.
    pub(super) fn of(groups: u64) -> Self {
        Self {
            runs: Rc::default(),
            groups,
            ended: Rc::default(),
        }
    }
}

/// Offset and bytes of each work-group that adds these bytes: whole lines, alike, not less than 1 KiB for each, and not
/// more work-groups than these.
pub(super) fn shares(bytes: u64, groups: u64) -> Vec<[u64; 2]> {
    let groups = (bytes / LEAST).clamp(1, groups);
    let each = (bytes / 64).div_ceil(groups) * 64;
    let offsets = (0..bytes).step_by(each as usize);
    offsets.map(|at| [at, each.min(bytes - at)]).collect()
}

/// A ring of a work-group over its part of the vectors. The first of a node waits for other nodes, the rest for it.
pub(super) async fn ring(
    mut shmem: Shmem,
    vector: Vector,
    (is_first, start): (bool, Start),
    told: Told,
) {
    if is_first {
        shmem.barrier_all().await;
        start.set(true);
    }
    while !start.get() {
        shmem.work(1).await;
    }
    told.borrow_mut().begun.push(shmem.now());
    shmem.ring(vector.data, vector.scratch, vector.words).await;
    told.borrow_mut().ended.push(shmem.now());
}

/// Who adds what has come.
pub(super) enum Adds {
    /// So many cores of the host; GPU cycles of one for 1,024 bytes, and of their fork and join.
    Host { cores: u64, cycles: u64, join: u64 },
    /// A kernel; the time between kernels in GPU cycles.
    Kernel { kernel: Kernel, cycles: u64 },
}

/// One ring of the hosts over whole vectors: messages that do not block, as Baidu's.
pub(super) async fn host(mut calls: HostCalls, vector: Vector, adds: Adds, told: Told) {
    let (pe, nodes) = (calls.pe() as u64, calls.nodes() as u64);
    let Vector {
        data,
        scratch,
        words,
    } = vector;
    let bytes = words / nodes * 8;
    let part = |number: u64| number % nodes * bytes;
    calls.maximum(0).await;
    told.borrow_mut().begun.push(calls.now());
    let mut messages = 0;
    for step in 0..nodes - 1 {
        let into = scratch + step * bytes;
        messages += 1;
        pass_on(
            &mut calls,
            into,
            data + part(pe + nodes - step),
            bytes,
            messages,
        )
        .await;
        let sum = data + part(pe + nodes - step - 1);
        match &adds {
            Adds::Host {
                cores,
                cycles,
                join,
            } => {
                calls.refresh();
                calls.work(*join).await;
                calls.add_by(*cores, sum, into, bytes, *cycles).await;
                calls.flush().await;
            }
            Adds::Kernel { kernel, cycles } => {
                calls.work(*cycles).await;
                let number = step + 1;
                kernel.runs.set((number, [sum, into]));
                calls.wait_until(ENDED, number).await;
            }
        }
    }
    for step in 0..nodes - 1 {
        let from = data + part(pe + 1 + nodes - step);
        messages += 1;
        pass_on(&mut calls, from, from, bytes, messages).await;
    }
    told.borrow_mut().ended.push(calls.now());
}

/// Puts bytes to the next node, and waits until the node before has done the same.
async fn pass_on(calls: &mut HostCalls, remote: u64, local: u64, bytes: u64, messages: u64) {
    let next = (calls.pe() + 1) % calls.nodes();
    calls.put_nbi(remote, local, bytes, next).await;
    calls.quiet().await;
    calls.p(ARRIVED, messages, 7, next).await;
    calls.wait_until(ARRIVED, messages).await;
}

/// A work-group of the kernels that add: its share of the bytes of each. The last of a kernel tells the host.
pub(super) async fn add(
    group: Local,
    kernel: Kernel,
    kernels: u64,
    [offset, bytes]: [u64; 2],
    cycles: u64,
) {
    for number in 1..=kernels {
        while kernel.runs.get().0 < number {
            group.work(1).await;
        }
        let [sum, more] = kernel.runs.get().1.map(|at| at + offset);
        group.acquire(more, bytes).await;
        group.add(sum, more, bytes, cycles).await;
        group.release(sum, bytes).await;
        // The count is in the L2: an access to it.
        group.refresh();
        group.load(sum).await;
        kernel.ended.set(kernel.ended.get() + 1);
        if kernel.ended.get() == number * kernel.groups {
            group.store(ENDED, &number.to_le_bytes()).await;
            group.flush().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_cover_all_bytes_once_in_whole_lines() {
        for (bytes, groups) in [(64, 8), (4096, 3), (65_536, 64), (3 * 1024 + 64, 2)] {
            let mut end = 0;
            for [at, share] in shares(bytes, groups) {
                assert!(
                    at == end && share > 0 && share % 64 == 0,
                    "{bytes}, {groups}"
                );
                end += share;
            }
            assert_eq!(end, bytes, "{groups}");
            assert!(shares(bytes, groups).len() as u64 <= groups);
        }
    }
}
