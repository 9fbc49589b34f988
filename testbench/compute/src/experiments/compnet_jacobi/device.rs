//! The work-groups: the same program whether its kernel calls the network itself or ends for it.

use super::field::step_row;
use super::plan::{LEADER, Plan, SIGNAL};
use crate::compute_node::{Local, Shmem};
use std::ops::Deref;

/// A work-group, with a context if it calls.
pub(super) enum Group {
    Local(Local),
    Calls(Shmem),
}

impl Deref for Group {
    type Target = Local;

    fn deref(&self) -> &Local {
        match self {
            Self::Local(local) => local,
            Self::Calls(shmem) => shmem,
        }
    }
}

/// The side whose edge a work-group has.
pub(super) fn side_of(plan: &Plan, number: usize) -> Option<usize> {
    match number {
        0 => Some(0),
        _ => (number + 1 == plan.groups).then_some(1),
    }
}

/// All steps of the work-group with this number.
pub(super) async fn run(mut group: Group, plan: Plan, number: usize) {
    for step in 1..=plan.steps {
        if let Some(kernels) = &plan.kernels {
            while kernels.get() < step {
                group.work(1).await;
            }
        }
        group.refresh();
        let residual = part(&mut group, &plan, number, step).await;
        let word = step << 32 | u64::from(residual.to_bits());
        let own = plan.residuals + 64 * number as u64;
        group.store(own, &word.to_le_bytes()).await;
        group.flush().await;
        tell_neighbour(&mut group, &plan, number, step).await;
        match number {
            LEADER => lead(&mut group, &plan, step).await,
            _ if plan.kernels.is_none() => loop {
                group.refresh();
                if group.load(plan.known).await >= step {
                    break;
                }
            },
            _ => {}
        }
    }
    // For who looks at memory; not before the residual of the last step is told, as its time counts.
    if let Some(kernels) = &plan.kernels {
        while kernels.get() <= plan.steps {
            group.work(1).await;
        }
    }
    if let super::plan::Rows::Heap(fields) = plan.rows {
        let bytes = plan.shape.row_bytes() * (plan.shape.rows / plan.groups) as u64;
        let own = fields[(plan.steps % 2) as usize] + bytes * number as u64;
        group.release(own, bytes).await;
    }
}

/// A work-group's rows, from the edge that it has inwards; the largest change.
async fn part(group: &mut Group, plan: &Plan, number: usize, step: u64) -> f32 {
    let each = plan.shape.rows / plan.groups;
    let mut rows: Vec<usize> = (number * each..(number + 1) * each).collect();
    let side = side_of(plan, number);
    let upwards = side == Some(1);
    if upwards {
        rows.reverse();
    }
    let mut behind = match side {
        Some(side) => {
            wait_for_halo(group, plan, side, step).await;
            plan.load_halo(group, side, step).await
        }
        None => plan.load_row(group, step, rows[0] - 1).await,
    };
    let mut here = plan.load_row(group, step, rows[0]).await;
    let mut most = 0.0f32;
    for row in rows {
        let next = if upwards { row - 1 } else { row + 1 };
        let ahead = plan.load_row(group, step, next).await;
        let (up, down) = match upwards {
            true => (&ahead, &behind),
            false => (&behind, &ahead),
        };
        group.work(plan.row_cycles).await;
        let (numbers, change) = step_row(up, &here, down);
        most = most.max(change);
        plan.store_row(group, step, row, numbers).await;
        if row == 0 || row + 1 == plan.shape.rows {
            send(group, plan, side, step).await;
        }
        (behind, here) = (here, ahead);
    }
    most
}

/// Waits for what the neighbour had after the step before.
async fn wait_for_halo(group: &mut Group, plan: &Plan, side: usize, step: u64) {
    if Plan::neighbour(group, side).is_none() {
        return;
    }
    if let Group::Calls(shmem) = group
        && step > 1
    {
        shmem.wait_until(plan.flag(side), step - 1).await;
    }
    group
        .acquire(plan.halo(side, step), plan.shape.row_bytes())
        .await;
}

/// Sends the row at the edge, or leaves it in memory for the host to send.
async fn send(group: &mut Group, plan: &Plan, side: Option<usize>, step: u64) {
    let Some(side) = side else {
        return;
    };
    let Some(neighbour) = Plan::neighbour(group, side) else {
        return;
    };
    let (from, bytes) = (plan.edge(side, step), plan.shape.row_bytes());
    match group {
        Group::Local(local) => local.release(from, bytes).await,
        Group::Calls(shmem) => {
            let to = plan.halo_there(side, step);
            shmem.put_nbi(to, from, bytes, neighbour).await;
        }
    }
}

/// Says that the edge is there.
async fn tell_neighbour(group: &mut Group, plan: &Plan, number: usize, step: u64) {
    let Group::Calls(shmem) = group else {
        return;
    };
    if let Some(side) = side_of(plan, number)
        && let Some(neighbour) = Plan::neighbour(shmem, side)
    {
        shmem.fence().await;
        shmem.p(plan.flag(1 - side), step, 7, neighbour).await;
    }
}

/// Collects the residuals of the node, and has them compared with those of others.
async fn lead(group: &mut Group, plan: &Plan, step: u64) {
    let residual = loop {
        group.refresh();
        let lines = group
            .load_lines(plan.residuals, 64 * plan.groups as u64)
            .await;
        let words = lines
            .iter()
            .map(|line| u64::from_le_bytes(line[..8].try_into().unwrap_or([0; 8])));
        let words: Vec<u64> = words.collect();
        if words.iter().all(|word| word >> 32 >= step) {
            break words.into_iter().map(|word| word as u32).max().unwrap_or(0);
        }
    };
    match group {
        Group::Local(local) => {
            let word = step << 32 | u64::from(residual);
            local.store(SIGNAL, &word.to_le_bytes()).await;
        }
        Group::Calls(shmem) => {
            let residual = shmem.maximum(residual).await;
            plan.tell(shmem, step, residual);
            shmem.store(plan.known, &step.to_le_bytes()).await;
        }
    }
    group.flush().await;
}
