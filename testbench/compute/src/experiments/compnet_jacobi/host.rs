//! The programs of the host: of a node without a GPU, and of one that starts a kernel for each step.

use super::field::step_row;
use super::plan::{COMPUTED, Plan, SIDES, SIGNAL, host_flag};
use crate::compute_node::HostCalls;

/// All steps on the host's cores, of which this one has residuals compared.
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
        computed(&calls, step).await;
        let residual = calls.maximum(most.to_bits()).await;
        plan.tell(&calls, step, residual);
    }
}

/// Starts a kernel for each step, and has residuals compared when it has ended.
pub(super) async fn start_kernels(mut calls: HostCalls, plan: Plan) {
    for step in 1..=plan.steps {
        if let Some(kernels) = &plan.kernels {
            kernels.set(step);
        }
        calls.wait_until(SIGNAL, step << 32).await;
        let residual = calls.load(SIGNAL).await as u32;
        calls.work(plan.kernel_cycles).await;
        computed(&calls, step).await;
        let residual = calls.maximum(residual).await;
        plan.tell(&calls, step, residual);
        for side in SIDES {
            wait_for_halo(&mut calls, side, step).await;
        }
    }
    if let Some(kernels) = &plan.kernels {
        kernels.set(plan.steps + 1);
    }
}

/// Tells the core that exchanges that the edges are there.
async fn computed(calls: &HostCalls, step: u64) {
    calls.store(COMPUTED, &step.to_le_bytes()).await;
    calls.flush().await;
}

/// The other core of the host that calls: sends both edges after each step, and says so when they are there, while the
/// first has residuals compared.
pub(super) async fn exchange(mut calls: HostCalls, plan: Plan) {
    for step in 1..=plan.steps {
        calls.wait_until(COMPUTED, step).await;
        for side in SIDES {
            if let Some(neighbour) = Plan::neighbour(&calls, side) {
                let (to, from) = (plan.halo_there(side, step), plan.edge(side, step));
                calls
                    .put_nbi(to, from, plan.shape.row_bytes(), neighbour)
                    .await;
            }
        }
        calls.quiet().await;
        for side in SIDES {
            if let Some(neighbour) = Plan::neighbour(&calls, side) {
                calls.p(host_flag(1 - side), step, 7, neighbour).await;
            }
        }
    }
    calls.quiet().await;
}

async fn wait_for_halo(calls: &mut HostCalls, side: usize, step: u64) {
    if Plan::neighbour(calls, side).is_some() {
        calls.wait_until(host_flag(side), step).await;
    }
}
