//! The parameter file.

use super::field::Shape;
use super::point::{Point, Variant, Way};
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
    /// The same, whose rows cost what the roofline says; messages are real. None is below the largest of `points`.
    pub roofline_points: Vec<u64>,
    /// Larger ones than all above, computed from the largest of those.
    pub extrapolated_points: Vec<u64>,
    /// Steps that count, after one that warms the caches.
    pub steps: u64,
    /// Seeds of the field and of memory's latencies, from 1 to 255.
    pub seeds: Vec<u64>,
    /// Sizes that are run with all seeds; the others with the first.
    pub seeded_points: Vec<u64>,
    /// Service threads of a node. A host without queues has two cores that call.
    pub threads: u8,
    /// Size of the runs beside: a host as near as an APU's, no time between kernels, other numbers of service threads.
    pub isolated_points: u64,
    /// Numbers of service threads of the runs beside.
    pub isolated_threads: Vec<u8>,
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
    /// Bytes that the host's caches hold; a larger field comes from memory.
    pub cache_bytes: u64,
    /// Bandwidth of the host's shared cache, in GB/s.
    pub cache_gigabytes_per_second: f64,
    /// The same, slower: judged beside, with cores without vector instructions.
    pub slow_cache_gigabytes_per_second: f64,
    /// Bytes that the GPU's L2 holds; a larger field comes from memory.
    pub l2_bytes: u64,
    /// Bandwidth of the GPU's L2, in GB/s.
    pub l2_gigabytes_per_second: f64,
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
    /// Time of a step of so many points by a design, computing and moving numbers only, in ns. Two numbers of four
    /// bytes move for a point: through a cache that holds both fields, else to and from memory.
    pub fn roofline_ns(&self, design: Design, points: u64) -> f64 {
        let (operations, bytes) = (points as f64 * self.operations, points as f64 * 8.0);
        let (held, cache) = match design {
            Design::Cpu => (self.cache_bytes, self.cache_gigabytes_per_second),
            _ => (self.l2_bytes, self.l2_gigabytes_per_second),
        };
        let rate = match bytes <= held as f64 {
            true => cache,
            false => self.memory_gigabytes_per_second,
        };
        let moving = bytes / rate;
        if design != Design::Cpu {
            return moving.max(operations / self.gpu_rate);
        }
        let cores = (points / self.core_points).clamp(1, self.cores);
        let join = if cores > 1 { self.join_ns } else { 0.0 };
        join + moving.max(operations / (cores as f64 * self.core_rate))
    }

    /// The same of a slower host: no vector instructions, slower caches.
    pub(super) fn slow_host(&self) -> Self {
        Self {
            core_rate: self.scalar_core_rate,
            cache_gigabytes_per_second: self.slow_cache_gigabytes_per_second,
            ..self.clone()
        }
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
        sweep.isolated_threads.clear();
        self
    }

    /// Nodes of a design; three work-groups of each call, or two cores of the host.
    pub fn config(&self, design: Design, seed: u64) -> ComputeConfig {
        ComputeConfig {
            design,
            gpu: self.gpu.clone(),
            cp: self.cp.clone(),
            host: self.host.clone(),
            nic: self.nic.clone(),
            nodes: self.sweep.nodes,
            contexts: 3,
            threads: match design.parts().queues {
                Some(_) => self.sweep.threads,
                None => 2,
            },
            leaves: Leaves::default(),
            seed,
        }
    }

    /// All runs.
    pub(super) fn points(&self) -> Vec<Point> {
        let sweep = &self.sweep;
        let mut all: Vec<Point> = Vec::new();
        let mut add = |points: u64, way, variant, design: Design| {
            let way = match design {
                Design::Cpu => Way::Roofline,
                _ => way,
            };
            let same = |one: &Point| (one.design, one.points, one.way) == (design, points, way);
            // The host computes by its roofline in any case: once is enough.
            if variant == Variant::Base && all.iter().any(same) {
                return;
            }
            let once = way == Way::Roofline && design != Design::Cpu;
            let seeds = match sweep.seeded_points.contains(&points) && !once {
                true => sweep.seeds.clone(),
                false => sweep.seeds[..1].to_vec(),
            };
            all.push(Point {
                design,
                points,
                way,
                variant,
                seeds,
            });
        };
        let streamed = sweep.points.iter().map(|points| (points, Way::Streams));
        let by_roofline = sweep
            .roofline_points
            .iter()
            .map(|points| (points, Way::Roofline));
        for (points, way) in streamed.chain(by_roofline) {
            for design in DESIGNS {
                add(*points, way, Variant::Base, design);
            }
        }
        if sweep.isolated_points > 0 {
            let mut beside =
                |variant, design| add(sweep.isolated_points, Way::Streams, variant, design);
            beside(Variant::HostOnDie, Design::Dgpu);
            beside(Variant::NoBoundary, Design::InterKernel);
            for threads in &sweep.isolated_threads {
                for design in [Design::Apu, Design::Dgpu, Design::CompNet] {
                    beside(Variant::Threads(*threads), design);
                }
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
        let Some(streamed) = sweep.points.last() else {
            return fault("sweep.points", "no size at all".into());
        };
        if sweep
            .roofline_points
            .first()
            .is_some_and(|first| first < streamed)
        {
            let why = format!("one is below the largest of sweep.points, {streamed}");
            return fault("sweep.roofline_points", why);
        }
        let largest = sweep.roofline_points.last().unwrap_or(streamed);
        if sweep
            .extrapolated_points
            .first()
            .is_some_and(|first| first <= largest)
        {
            let why = format!("one is not above the largest that runs, {largest}");
            return fault("sweep.extrapolated_points", why);
        }
        if !(2..=32).contains(&sweep.nodes) {
            return fault("sweep.nodes", "not from 2 to 32".into());
        }
        if !(1..=100).contains(&sweep.steps) {
            return fault("sweep.steps", "not from 1 to 100".into());
        }
        let is_seed = |seed: &u64| (1..=255).contains(seed);
        if sweep.seeds.is_empty()
            || !sweep.seeds.iter().all(is_seed)
            || !sweep.seeds.is_sorted_by(|a, b| a < b)
        {
            let why = "not a list upwards of different seeds from 1 to 255".into();
            return fault("sweep.seeds", why);
        }
        if !sweep.isolated_threads.is_sorted_by(|a, b| a < b)
            || sweep.isolated_threads.contains(&sweep.threads)
        {
            let why = "not a list upwards of other numbers than sweep.threads".into();
            return fault("sweep.isolated_threads", why);
        }
        if sweep.isolated_points != 0 && !sweep.points.contains(&sweep.isolated_points) {
            return fault("sweep.isolated_points", "not one of sweep.points".into());
        }
        if !(0.0..=1e6).contains(&sweep.kernel_ns) {
            return fault("sweep.kernel_ns", "not from 0 to 1e6".into());
        }
        self.check_compute()?;
        let places = self.gpu.work_groups * u64::from(self.gpu.units);
        if self.compute.work_groups > places {
            let why = format!("the GPU has {places} places: more work-groups would never run");
            return fault("compute.work_groups", why);
        }
        let in_sweep = |(key, why): Wrong| match key.as_str() {
            "threads" => ("sweep.threads".to_owned(), why),
            _ => (key, why),
        };
        for design in DESIGNS {
            let mut config = self.config(design, 1);
            config.check().map_err(in_sweep)?;
            for threads in &sweep.isolated_threads {
                config.threads = *threads;
                let checked = config.check();
                checked.map_err(|(_, why)| ("sweep.isolated_threads".to_owned(), why))?;
            }
        }
        Ok(())
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
                "cache_gigabytes_per_second",
                compute.cache_gigabytes_per_second,
                0.01,
            ),
            (
                "slow_cache_gigabytes_per_second",
                compute.slow_cache_gigabytes_per_second,
                0.01,
            ),
            (
                "l2_gigabytes_per_second",
                compute.l2_gigabytes_per_second,
                0.01,
            ),
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
