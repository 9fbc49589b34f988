//! What runs on a node: rings of work-groups that call, or one ring of the host, which adds itself or starts kernels.

use super::measure::Vector;
use crate::compute_node::{HOST_HEAP, HostCalls, Local, Shmem};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Cycles of a work-group, and of a core of the host, for adding 1,024 bytes beside loads and stores.
const KERNEL_ADD_CYCLES: u64 = 32;
const HOST_ADD_CYCLES: u64 = 12;
/// Flag of the host: messages that have come.
const ARRIVED: u64 = HOST_HEAP;
/// Flags of work-groups: kernels that have ended.
const ENDED: u64 = HOST_HEAP + 64;

/// Cycles at which programs began and ended.
#[derive(Default)]
pub(super) struct Times {
    pub(super) begun: Vec<u64>,
    pub(super) ended: Vec<u64>,
}

pub(super) type Told = Rc<RefCell<Times>>;

/// The kernel that runs, counted from 1, and what it adds: sum, and what is added to it.
pub(super) type Kernel = Rc<Cell<(u64, [u64; 2])>>;

/// A ring of a work-group over its part of the vectors.
pub(super) async fn ring(mut shmem: Shmem, vector: Vector, told: Told) {
    shmem.barrier_all().await;
    told.borrow_mut().begun.push(shmem.now());
    shmem.ring(vector.data, vector.scratch, vector.words).await;
    told.borrow_mut().ended.push(shmem.now());
}

/// Who adds what has come.
pub(super) enum Adds {
    /// The host.
    Host,
    /// So many work-groups of a kernel; the time between kernels in GPU cycles.
    Kernel {
        kernel: Kernel,
        groups: u64,
        cycles: u64,
    },
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
            Adds::Host => {
                calls.refresh();
                calls.add(sum, into, bytes, HOST_ADD_CYCLES).await;
                calls.flush().await;
            }
            Adds::Kernel {
                kernel,
                groups,
                cycles,
            } => {
                calls.work(*cycles).await;
                let number = step + 1;
                kernel.set((number, [sum, into]));
                for group in 0..*groups {
                    calls.wait_until(ENDED + 64 * group, number).await;
                }
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

/// A work-group of the kernels that add: its share of the bytes of each.
pub(super) async fn add(group: Local, kernel: Kernel, kernels: u64, share: [u64; 2]) {
    let [offset, bytes] = share;
    for number in 1..=kernels {
        while kernel.get().0 < number {
            group.work(1).await;
        }
        let [sum, more] = kernel.get().1.map(|at| at + offset);
        group.acquire(more, bytes).await;
        group.add(sum, more, bytes, KERNEL_ADD_CYCLES).await;
        group.release(sum, bytes).await;
        let ended = ENDED + 64 * (offset / bytes.max(1));
        group.store(ended, &number.to_le_bytes()).await;
        group.flush().await;
    }
}
