//! The parameter file.

use super::field::Shape;
use super::measure::{Point, Way};
use crate::compute_node::{ComputeConfig, Cp, Gpu, Leaves, Nic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::compnet::design::{Design, Host};
use xtq_testbench::experiments::{Wrong, read_parameters};
use xtq_testbench::input::InputError;

/// The designs of the figure.
pub const DESIGNS: [Design; 5] = [
    Design::Cpu,
    Design::InterKernel,
    Design::Apu,
    Design::Dgpu,
    Design::CompNet,
];
/// Fewest points of a node: rows of whole lines for four work-groups.
const LEAST_POINTS: u64 = 1 << 8;
/// Most points that a run computes, and most of all.
const MOST_POINTS: [u64; 2] = [1 << 20, 1 << 30];

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Nodes.
    pub nodes: usize,
    /// Points of a node, powers of two, whose rows cross the L2.
    pub points: Vec<u64>,
    /// The same, whose rows cost what the roofline says; messages are real.
    pub roofline_points: Vec<u64>,
    /// Larger ones, computed from the largest of those above.
    pub extrapolated_points: Vec<u64>,
    /// Steps that count, after one that warms the caches.
    pub steps: u64,
    /// Seeds of the field and of memory's latencies.
    pub seeds: Vec<u64>,
    /// Sizes that are run with all seeds; the others with the first.
    pub seeded_points: Vec<u64>,
    /// Size of the runs without PCIe and without the time between kernels.
    pub isolated_points: u64,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
}

/// What computing costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compute {
    /// Work-groups of a kernel, at most: a power of two.
    pub work_groups: u64,
    /// Instructions of a work-item for a point, beside loads and stores; a wave takes four cycles for one.
    pub instructions: f64,
    /// Operations for a point.
    pub operations: f64,
    /// Operations a ns of the GPU.
    pub gpu_rate: f64,
    /// Operations a ns of a core of the host.
    pub core_rate: f64,
    /// The same without vector instructions.
    pub scalar_core_rate: f64,
    /// Cores of the host.
    pub cores: u64,
    /// Points from which on another core helps.
    pub core_points: u64,
    /// From the fork to the join of several cores, beside computing.
    pub join_ns: f64,
    /// Bytes that the host's caches hold; more come from memory.
    pub cache_bytes: u64,
    /// Bandwidth of memory, of the GPU and of the host, in GB/s.
    pub memory_gigabytes_per_second: f64,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// What computing costs.
    pub compute: Compute,
    /// The GPU.
    pub gpu: Gpu,
    /// The command processor.
    pub cp: Cp,
    /// The host, and what is between it and the GPU.
    pub host: Host,
    /// The NIC's way to memory.
    pub nic: Nic,
}

/// JSON Schema of a file of parameters.
pub(super) fn schema() -> serde_json::Value {
    schemars::schema_for!(Parameters).to_value()
}

impl Compute {
    /// Time of a step of so many points by a design, computing and memory only, in ns. Two numbers of four bytes cross
    /// memory for a point.
    pub fn roofline_ns(&self, design: Design, points: u64) -> f64 {
        let (operations, bytes) = (points as f64 * self.operations, points as f64 * 8.0);
        let memory = bytes / self.memory_gigabytes_per_second;
        if design != Design::Cpu {
            return memory.max(operations / self.gpu_rate);
        }
        let cores = (points / self.core_points).clamp(1, self.cores);
        let join = if cores > 1 { self.join_ns } else { 0.0 };
        let memory = if bytes > self.cache_bytes as f64 {
            memory
        } else {
            0.0
        };
        join + memory.max(operations / (cores as f64 * self.core_rate))
    }
}

impl Parameters {
    /// Reads `text`; `file` names it in errors. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_parameters(file, text, Self::check)
    }

    /// The smallest field on two nodes: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        (sweep.nodes, sweep.steps) = (2, 1);
        sweep.points.truncate(1);
        sweep.roofline_points.clear();
        sweep.extrapolated_points.clear();
        sweep.seeds.truncate(1);
        sweep.seeded_points.clear();
        sweep.isolated_points = 0;
        self
    }

    /// Nodes of a design; three work-groups of each call.
    pub fn config(&self, design: Design, seed: u64) -> ComputeConfig {
        ComputeConfig {
            design,
            gpu: self.gpu.clone(),
            cp: self.cp.clone(),
            host: self.host.clone(),
            nic: self.nic.clone(),
            nodes: self.sweep.nodes,
            contexts: 3,
            threads: 1,
            leaves: Leaves::default(),
            seed,
        }
    }

    /// All runs.
    pub(super) fn points(&self) -> Vec<Point> {
        let sweep = &self.sweep;
        let mut all = Vec::new();
        let mut add = |points: u64, way, free: Option<Design>| {
            let seeds = match sweep.seeded_points.contains(&points) && free.is_none() {
                true => &sweep.seeds[..],
                false => &sweep.seeds[..1],
            };
            let wanted = |design: &&Design| match free {
                None => true,
                Some(Design::InterKernel) => **design == Design::InterKernel,
                Some(_) => [Design::Dgpu, Design::CompNet, Design::Apu].contains(*design),
            };
            for design in DESIGNS.iter().filter(wanted) {
                all.push(Point {
                    design: *design,
                    points,
                    way,
                    pcie_ns: match free {
                        Some(Design::Dgpu) => 0.0,
                        _ => self.nic.pcie_ns,
                    },
                    kernel_ns: match free {
                        Some(Design::InterKernel) => 0.0,
                        _ => sweep.kernel_ns,
                    },
                    seeds: seeds.to_vec(),
                });
            }
        };
        for points in &sweep.points {
            add(*points, Way::Streams, None);
        }
        for points in &sweep.roofline_points {
            add(*points, Way::Roofline, None);
        }
        if sweep.isolated_points > 0 {
            for without in [Design::Dgpu, Design::InterKernel] {
                add(sweep.isolated_points, Way::Streams, Some(without));
            }
        }
        all
    }

    /// What makes no sense: the key, and why.
    fn check(&self) -> Result<(), Wrong> {
        let fault = |key: &str, why: String| Err((key.to_owned(), why));
        let sweep = &self.sweep;
        let upwards = |list: &[u64], most: u64| {
            let fits =
                |points: &u64| points.is_power_of_two() && (LEAST_POINTS..=most).contains(points);
            list.iter().all(fits) && list.is_sorted_by(|a, b| a < b)
        };
        let [computed, all] = MOST_POINTS;
        for (key, list, most) in [
            ("points", &sweep.points, computed),
            ("roofline_points", &sweep.roofline_points, computed),
            ("extrapolated_points", &sweep.extrapolated_points, all),
        ] {
            if !upwards(list, most) {
                let why =
                    format!("not a list upwards of powers of two from {LEAST_POINTS} to {most}");
                return fault(&format!("sweep.{key}"), why);
            }
        }
        if sweep.points.is_empty() {
            return fault("sweep.points", "no size at all".into());
        }
        if !(2..=32).contains(&sweep.nodes) {
            return fault("sweep.nodes", "not from 2 to 32".into());
        }
        if !(1..=100).contains(&sweep.steps) {
            return fault("sweep.steps", "not from 1 to 100".into());
        }
        if sweep.seeds.is_empty() || !sweep.seeds.is_sorted_by(|a, b| a < b) {
            return fault(
                "sweep.seeds",
                "not a list upwards of different seeds".into(),
            );
        }
        if sweep.isolated_points != 0 && !sweep.points.contains(&sweep.isolated_points) {
            return fault("sweep.isolated_points", "not one of sweep.points".into());
        }
        if !(0.0..=1e6).contains(&sweep.kernel_ns) {
            return fault("sweep.kernel_ns", "not from 0 to 1e6".into());
        }
        self.check_compute()?;
        DESIGNS
            .iter()
            .try_for_each(|design| self.config(*design, 1).check())
    }

    fn check_compute(&self) -> Result<(), Wrong> {
        let compute = &self.compute;
        if !compute.work_groups.is_power_of_two() || !(4..=256).contains(&compute.work_groups) {
            let why = "not a power of two from 4 to 256".to_owned();
            return Err(("compute.work_groups".to_owned(), why));
        }
        if !(1..=64).contains(&compute.cores) || compute.core_points == 0 {
            return Err((
                "compute.cores".to_owned(),
                "not from 1 to 64, for some points".to_owned(),
            ));
        }
        for (key, value, least) in [
            ("instructions", compute.instructions, 0.0),
            ("operations", compute.operations, 0.0),
            ("gpu_rate", compute.gpu_rate, 0.01),
            ("core_rate", compute.core_rate, 0.01),
            ("scalar_core_rate", compute.scalar_core_rate, 0.01),
            ("join_ns", compute.join_ns, 0.0),
            (
                "memory_gigabytes_per_second",
                compute.memory_gigabytes_per_second,
                0.01,
            ),
        ] {
            if !(least..=1e6).contains(&value) {
                return Err((
                    format!("compute.{key}"),
                    format!("{value:?} is not from {least} to 1e6"),
                ));
            }
        }
        Ok(())
    }

    /// Work-groups of a field: each has four rows at least.
    pub(super) fn groups(&self, shape: Shape, way: Way) -> u64 {
        match way {
            Way::Streams => (shape.rows as u64 / 4).clamp(4, self.compute.work_groups),
            _ => 4,
        }
    }
}
