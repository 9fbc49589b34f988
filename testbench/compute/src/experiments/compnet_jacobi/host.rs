//! The programs of the host: of a node without a GPU, and of one that starts a kernel for each step.

use super::field::step_row;
use super::plan::{Plan, SIDES, SIGNAL, host_flag};
use crate::compute_node::HostCalls;

/// All steps on the host's cores, of which this one calls.
pub(super) async fn compute(mut calls: HostCalls, plan: Plan) {
    for step in 1..=plan.steps {
        let mut halos = Vec::new();
        for side in SIDES {
            if step > 1 {
                wait_for_halo(&mut calls, side, step - 1).await;
            }
            halos.push(plan.load_halo(&calls, side, step).await);
        }
        calls.work(plan.host_cycles).await;
        let mut most = 0.0f32;
        let last = plan.shape.rows - 1;
        for row in 0..=last {
            let up = match row {
                0 => halos[0].clone(),
                _ => plan.load_row(&calls, step, row - 1).await,
            };
            let own = plan.load_row(&calls, step, row).await;
            let down = match row {
                _ if row == last => halos[1].clone(),
                _ => plan.load_row(&calls, step, row + 1).await,
            };
            let (numbers, change) = step_row(&up, &own, &down);
            most = most.max(change);
            plan.store_row(&calls, step, row, numbers).await;
        }
        exchange(&mut calls, &plan, step).await;
        let residual = calls.maximum(most.to_bits()).await;
        plan.tell(&calls, step, residual);
    }
}

/// Starts a kernel for each step, and calls when it has ended.
pub(super) async fn start_kernels(mut calls: HostCalls, plan: Plan) {
    for step in 1..=plan.steps {
        if let Some(kernels) = &plan.kernels {
            kernels.set(step);
        }
        calls.wait_until(SIGNAL, step << 32).await;
        let residual = calls.load(SIGNAL).await as u32;
        calls.work(plan.kernel_cycles).await;
        exchange(&mut calls, &plan, step).await;
        let residual = calls.maximum(residual).await;
        plan.tell(&calls, step, residual);
        for side in SIDES {
            wait_for_halo(&mut calls, side, step).await;
        }
    }
}

/// Sends both edges, and says so when they are there.
async fn exchange(calls: &mut HostCalls, plan: &Plan, step: u64) {
    calls.flush().await;
    for side in SIDES {
        if let Some(neighbour) = Plan::neighbour(calls, side) {
            let (to, from) = (plan.halo_there(side, step), plan.edge(side, step));
            calls
                .put_nbi(to, from, plan.shape.row_bytes(), neighbour)
                .await;
        }
    }
    calls.quiet().await;
    for side in SIDES {
        if let Some(neighbour) = Plan::neighbour(calls, side) {
            calls.p(host_flag(1 - side), step, 7, neighbour).await;
        }
    }
}

async fn wait_for_halo(calls: &mut HostCalls, side: usize, step: u64) {
    if Plan::neighbour(calls, side).is_some() {
        calls.wait_until(host_flag(side), step).await;
    }
}
