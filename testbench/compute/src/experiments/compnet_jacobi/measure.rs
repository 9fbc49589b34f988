//! One run: some steps on all nodes, whose numbers must be those of one processor.

use super::field::{Shape, first_row, serial};
use super::parameters::Parameters;
use super::plan::{LEADER, Plan, Rows, SIDES, Told};
use super::point::{Point, Variant, Way};
use super::{device, host};
use crate::compute_node::{ComputeCluster, ComputeError};
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::ExperimentError;

/// NIC cycles in which a step is over, beside its computing, kernels, and calls.
const PATIENCE: u64 = 400_000;
/// Ways over PCIe, and calls, in a row in a step at most.
const IN_A_ROW: f64 = 100.0;
/// Awake cycles of NICs that a ns of a node costs: 8 banks of the L2 at 1.5 GHz, a third each.
const CYCLES_PER_NS: f64 = 4.0;

/// What came out of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Time of a step, in us: from one residual to the next, by the last node that knows it.
    pub step_us: f64,
    /// The residual of each step.
    pub residuals: Vec<f32>,
    /// The field after the last step, row by row.
    pub field: Vec<Vec<f32>>,
}

impl Point {
    /// What its runs cost, as [`Prepared::million_cycles`](xtq_testbench::experiments::Prepared::million_cycles)
    /// counts, from what a step takes beside computing.
    pub(super) fn million_cycles(&self, parameters: &Parameters) -> f64 {
        let messages = match self.design {
            Design::Cpu => 11_000.0,
            Design::InterKernel => 13_000.0 + self.kernel_ns(parameters),
            Design::Dgpu => 18_000.0,
            _ => 16_000.0,
        };
        let step = messages + parameters.compute.roofline_ns(self.design, self.points);
        let steps = (parameters.sweep.steps + 1) * self.seeds.len() as u64;
        steps as f64 * step * parameters.sweep.nodes as f64 * CYCLES_PER_NS / 1e6
    }

    fn kernel_ns(&self, parameters: &Parameters) -> f64 {
        match self.variant {
            Variant::NoBoundary => 0.0,
            _ => parameters.sweep.kernel_ns,
        }
    }

    /// A run; the time of a step in us. Errors: of a node; other numbers than those of one processor.
    pub fn measure(&self, parameters: &Parameters, seed: u64) -> Result<f64, ExperimentError> {
        let failed = |why: String| {
            let name = self.design.parts().name;
            ExperimentError::Failed(format!(
                "{name}, {} points, seed {seed}: {why}",
                self.points
            ))
        };
        let outcome = self.run(parameters, seed);
        let outcome = outcome.map_err(|error| failed(error.to_string()))?;
        let (shape, nodes) = (Shape::of(self.points), parameters.sweep.nodes);
        let (field, residuals) = serial(shape, nodes, parameters.sweep.steps + 1, seed);
        if bits(&outcome.residuals) != bits(&residuals) {
            let found = &outcome.residuals;
            return Err(failed(format!(
                "residuals {found:?}, but {residuals:?} of one processor"
            )));
        }
        match bits(&outcome.field.concat()) == bits(&field.concat()) {
            true => Ok(outcome.step_us),
            false => Err(failed("the field is not that of one processor".into())),
        }
    }

    /// A run. Errors: of a node.
    pub fn run(&self, parameters: &Parameters, seed: u64) -> Result<Outcome, ComputeError> {
        let parts = self.design.parts();
        let mut config = parameters.config(self.design, seed);
        match self.variant {
            Variant::HostOnDie => {
                let host = &mut config.host;
                host.pcie_ns = host.die_ns;
                host.pcie_gigabytes_per_second = host.die_gigabytes_per_second;
            }
            Variant::Threads(threads) if parts.queues.is_some() => config.threads = threads,
            _ => {}
        }
        let (sweep, shape) = (&parameters.sweep, Shape::of(self.points));
        let mut cluster = ComputeCluster::new(&config)?;
        let cycles = |ns: f64| (ns * config.gpu.clock_mhz / 1000.0).round() as u64;
        let groups = parameters.groups(shape, self.way);
        let roofline_ns = parameters.compute.roofline_ns(self.design, self.points);
        let waves = shape.width.div_ceil(64) as f64;
        let row_cycles = match self.way {
            Way::Streams => (4.0 * parameters.compute.instructions * waves).round() as u64,
            _ => cycles(roofline_ns * groups as f64 / shape.rows as f64),
        };
        let host_cycles = cycles(roofline_ns);
        let kernel_cycles = cycles(self.kernel_ns(parameters));
        let costs = [row_cycles, host_cycles, kernel_cycles];
        let in_heap = self.way == Way::Streams && self.design != Design::Cpu;
        let steps = sweep.steps + 1;
        let plan = Plan::new(&mut cluster, shape, [steps, groups], costs, in_heap)?;
        let mut plans = Vec::new();
        for pe in 0..sweep.nodes {
            let own = plan.of_node(parts.kernel_ends);
            set_up(&mut cluster, &own, pe, (sweep.nodes, seed));
            if parts.queues.is_none() {
                let of_host = own.clone();
                cluster.launch_host(pe, |calls| async move {
                    match of_host.kernels {
                        Some(_) => host::start_kernels(calls, of_host).await,
                        None => host::compute(calls, of_host).await,
                    }
                })?;
                let exchanged = own.clone();
                cluster.launch_host(pe, |calls| host::exchange(calls, exchanged))?;
            }
            if self.design != Design::Cpu {
                launch_groups(&mut cluster, &own, pe, parts.queues.is_some())?;
            }
            plans.push(own);
        }
        let call_ns = config.host.call_ns.max(config.cp.call_ns);
        let way_ns = config.host.pcie_ns + config.nic.pcie_ns + config.host.die_ns;
        let rows_ns = (row_cycles * shape.rows as u64) as f64 * 1000.0 / config.gpu.clock_mhz;
        let more_ns = roofline_ns + rows_ns + self.kernel_ns(parameters);
        let patience = PATIENCE + (2.0 * more_ns + IN_A_ROW * (way_ns + call_ns)) as u64;
        cluster.run(steps * patience)?;
        let told = plan.told.borrow();
        let ns = |cycles: u64| cycles as f64 * 1000.0 / config.gpu.clock_mhz;
        let last = |step| {
            told.iter()
                .filter(|told| told.step == step)
                .map(|told| told.cycle)
                .max()
        };
        let counted = last(steps)
            .zip(last(1))
            .map_or(0, |(end, start)| end - start);
        Ok(Outcome {
            step_us: ns(counted) / sweep.steps as f64 / 1000.0,
            residuals: (1..=steps).map(|step| residual(&told, step)).collect(),
            field: field(&cluster, &plans),
        })
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The residual of a step, if all nodes know the same.
fn residual(told: &[Told], step: u64) -> f32 {
    let mut of_step = told
        .iter()
        .filter(|told| told.step == step)
        .map(|told| told.residual);
    match of_step.next() {
        Some(first) if of_step.all(|other| other == first) => f32::from_bits(first),
        _ => f32::NAN,
    }
}

/// Writes what a node has at the beginning.
fn set_up(cluster: &mut ComputeCluster, plan: &Plan, pe: usize, (nodes, seed): (usize, u64)) {
    let bytes = |row: &[f32]| -> Vec<u8> { row.iter().flat_map(|one| one.to_le_bytes()).collect() };
    let Plan { shape, .. } = plan;
    let top = pe * shape.rows;
    let rows: Vec<_> = (top..top + shape.rows)
        .map(|row| first_row(row, shape.width, seed))
        .collect();
    match &plan.rows {
        Rows::Heap([first, _]) => {
            for (at, row) in (*first..).step_by(shape.row_bytes() as usize).zip(&rows) {
                cluster.write(pe, at, &bytes(row));
            }
        }
        Rows::Program(fields) => *fields.borrow_mut() = [rows.clone(), rows],
    }
    let beyond = [
        top.checked_sub(1),
        Some(top + shape.rows).filter(|_| pe + 1 < nodes),
    ];
    for side in SIDES {
        if let Some(row) = beyond[side] {
            let row = first_row(row, shape.width, seed);
            cluster.write(pe, plan.halo(side, 1), &bytes(&row));
        }
    }
}

/// Starts all work-groups of a node; three have contexts if they call.
fn launch_groups(
    cluster: &mut ComputeCluster,
    plan: &Plan,
    pe: usize,
    calls: bool,
) -> Result<(), ComputeError> {
    for number in 0..plan.groups {
        let own = plan.clone();
        let context = match device::side_of(plan, number) {
            Some(side) => Some(side as u64),
            None => (number == LEADER).then_some(2),
        };
        match context.filter(|_| calls) {
            Some(context) => cluster.launch(pe, context, |shmem| {
                device::run(device::Group::Calls(shmem), own, number)
            })?,
            None => cluster.launch_local(pe, |local| {
                device::run(device::Group::Local(local), own, number)
            })?,
        }
    }
    Ok(())
}

/// The whole field after the last step.
fn field(cluster: &ComputeCluster, plans: &[Plan]) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    for (pe, plan) in plans.iter().enumerate() {
        let Plan { shape, steps, .. } = plan;
        let parity = (steps % 2) as usize;
        match &plan.rows {
            Rows::Program(fields) => all.extend(fields.borrow()[parity].iter().cloned()),
            Rows::Heap(fields) => {
                let bytes = shape.row_bytes() as usize;
                for row in 0..shape.rows {
                    let at = fields[parity] + (row * bytes) as u64;
                    let found = cluster.read(pe, at, bytes);
                    let (words, _) = found.as_chunks();
                    all.push(words.iter().map(|word| f32::from_le_bytes(*word)).collect());
                }
            }
        }
    }
    all
}
