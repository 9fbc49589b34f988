//! The parameter file.

use super::point::{Point, Variant};
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
/// Most bytes of a vector that runs, and of one that is extrapolated to.
const MOST_BYTES: [u64; 2] = [1 << 26, 1 << 32];

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Nodes.
    pub nodes: Vec<usize>,
    /// Bytes of a node's vector, upwards.
    pub bytes: Vec<u64>,
    /// A larger vector, to see how far the line through the others is off; 0: none.
    pub check_bytes: u64,
    /// Numbers of nodes that it runs on.
    pub check_nodes: Vec<usize>,
    /// Vector of the figure, which no run has.
    pub extrapolated_bytes: u64,
    /// Numbers of nodes of the figure, which no run has.
    pub extrapolated_nodes: Vec<usize>,
    /// Rings: work-groups that call, each with its part of the vector. A ring sends its part for a node whole.
    pub rings: u64,
    /// Service threads of a node.
    pub threads: u8,
    /// Seed of vectors and of memory's latencies.
    pub seed: u64,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
}

/// Runs with something different, on one number of nodes with the smallest vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// Nodes.
    pub nodes: usize,
    /// Service threads, of designs with queues.
    pub threads: Vec<u8>,
    /// Rings, of designs with queues.
    pub rings: Vec<u64>,
    /// Cores of the host that add.
    pub cores: Vec<u64>,
    /// Work-groups of the kernel that adds.
    pub work_groups: Vec<u64>,
    /// Seeds, of all designs.
    pub seeds: Vec<u64>,
}

/// Who adds, of the designs whose hosts call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adding {
    /// Cores of the host. Each has the loads of 1,024 bytes under way at a time.
    pub cores: u64,
    /// From the fork to the join of several cores, beside adding.
    pub join_ns: f64,
    /// Cycles of a core for adding 1,024 bytes, beside loads and stores.
    pub core_cycles: f64,
    /// Work-groups of a kernel at most; each adds 1,024 bytes or more.
    pub work_groups: u64,
    /// GPU cycles of a work-group for adding 1,024 bytes, beside loads and stores.
    pub group_cycles: u64,
}

/// Energy of service threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Energy {
    /// Power of a core of the command processor that polls and computes, in W.
    pub cp_watts: f64,
    /// The same of a core of the host.
    pub host_watts: f64,
    /// The power of each may be so many times less or more.
    pub factor: f64,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// Runs with something different.
    pub beside: Beside,
    /// Who adds, of the designs whose hosts call.
    pub adding: Adding,
    /// Energy of service threads.
    pub energy: Energy,
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

impl Parameters {
    /// Reads `text`; `file` names it in errors. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_parameters(file, text, Self::check)
    }

    /// Smaller vectors on the fewest nodes: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        sweep.nodes.truncate(1);
        let lines = 64 * sweep.nodes[0] as u64 * sweep.rings;
        sweep.bytes = vec![32 * lines, 128 * lines];
        sweep.check_bytes = 0;
        sweep.extrapolated_nodes.clear();
        self.beside = Beside::default();
        self
    }

    /// Nodes of a design with a work-group for each ring.
    pub fn config(&self, design: Design, nodes: usize, seed: u64) -> ComputeConfig {
        ComputeConfig {
            design,
            gpu: self.gpu.clone(),
            cp: self.cp.clone(),
            host: self.host.clone(),
            nic: self.nic.clone(),
            nodes,
            contexts: self.sweep.rings,
            threads: match design.parts().queues {
                Some(_) => self.sweep.threads,
                None => 1,
            },
            leaves: Leaves::default(),
            seed,
        }
    }

    /// A run of a design.
    pub fn point(&self, design: Design, nodes: usize, bytes: u64) -> Point {
        Point {
            design,
            nodes,
            bytes,
            variant: Variant::Base,
        }
    }

    /// All runs.
    pub fn points(&self) -> Vec<Point> {
        let sweep = &self.sweep;
        let mut all = Vec::new();
        for nodes in &sweep.nodes {
            for bytes in &sweep.bytes {
                all.extend(DESIGNS.map(|design| self.point(design, *nodes, *bytes)));
            }
        }
        if sweep.check_bytes > 0 {
            for nodes in &sweep.check_nodes {
                let bytes = sweep.check_bytes;
                all.extend(DESIGNS.map(|design| self.point(design, *nodes, bytes)));
            }
        }
        for (variant, designs) in self.beside() {
            all.extend(designs.iter().map(|design| Point {
                variant,
                ..self.point(*design, self.beside.nodes, sweep.bytes[0])
            }));
        }
        all
    }

    /// What runs beside, and of which designs.
    fn beside(&self) -> Vec<(Variant, &'static [Design])> {
        let Beside {
            threads,
            rings,
            cores,
            work_groups,
            seeds,
            ..
        } = &self.beside;
        let queues: &[Design] = &DESIGNS[2..];
        let threads = threads.iter().map(|one| (Variant::Threads(*one), queues));
        let rings = rings.iter().map(|one| (Variant::Rings(*one), queues));
        let cores = cores
            .iter()
            .map(|one| (Variant::Cores(*one), &DESIGNS[..1]));
        let groups = work_groups.iter();
        let groups = groups.map(|one| (Variant::Groups(*one), &DESIGNS[1..2]));
        let seeds = seeds.iter().map(|one| (Variant::Seed(*one), &DESIGNS[..]));
        let all = threads.chain(rings).chain(cores).chain(groups);
        all.chain(seeds).collect()
    }

    /// What makes no sense: the key, and why.
    pub(in crate::experiments) fn check(&self) -> Result<(), Wrong> {
        let fault = |key: &str, why: String| Err((key.to_owned(), why));
        let sweep = &self.sweep;
        let nodes = &sweep.nodes;
        let few = |nodes: &usize| (2..=32).contains(nodes);
        if nodes.is_empty() || !nodes.iter().all(few) || !nodes.is_sorted_by(|a, b| a < b) {
            return fault("sweep.nodes", "not a list upwards of 2 to 32 nodes".into());
        }
        let extrapolated = &sweep.extrapolated_nodes;
        if !extrapolated.iter().all(|nodes| (2..=4096).contains(nodes))
            || !extrapolated.is_sorted_by(|a, b| a < b)
        {
            return fault(
                "sweep.extrapolated_nodes",
                "not a list upwards of 2 to 4096 nodes".into(),
            );
        }
        if !(1..=64).contains(&sweep.rings) {
            return fault("sweep.rings", "not from 1 to 64".into());
        }
        let [run, all] = MOST_BYTES;
        let fits = |bytes: &u64| {
            let mut nodes = nodes.iter();
            *bytes <= run && nodes.all(|nodes| Point::fits(*bytes, *nodes, sweep.rings))
        };
        let why = format!("not whole lines for each ring of each node, or more than {run}");
        if sweep.bytes.is_empty()
            || !sweep.bytes.iter().all(fits)
            || !sweep.bytes.is_sorted_by(|a, b| a < b)
        {
            return fault("sweep.bytes", format!("not a list upwards: {why}"));
        }
        let largest = sweep.bytes.last().copied().unwrap_or(0);
        if sweep.check_bytes != 0 && (!fits(&sweep.check_bytes) || sweep.check_bytes <= largest) {
            let why = format!("not above the largest of sweep.bytes, or {why}");
            return fault("sweep.check_bytes", why);
        }
        if !sweep.check_nodes.iter().all(|one| nodes.contains(one))
            || !sweep.check_nodes.is_sorted_by(|a, b| a < b)
        {
            return fault(
                "sweep.check_nodes",
                "not some of sweep.nodes, upwards".into(),
            );
        }
        self.check_beside()?;
        if !(1..=all).contains(&sweep.extrapolated_bytes) {
            return fault("sweep.extrapolated_bytes", format!("not from 1 to {all}"));
        }
        if !(0.0..=1e6).contains(&sweep.kernel_ns) {
            return fault("sweep.kernel_ns", "not from 0 to 1e6".into());
        }
        let Energy {
            cp_watts,
            host_watts,
            factor,
        } = self.energy;
        for (key, value, least) in [
            ("cp_watts", cp_watts, 0.001),
            ("host_watts", host_watts, 0.001),
            ("factor", factor, 1.0),
        ] {
            if !(least..=1e6).contains(&value) {
                return fault(
                    &format!("energy.{key}"),
                    format!("{value:?} is not from {least} to 1e6"),
                );
            }
        }
        let in_sweep = |(key, why): Wrong| match key.as_str() {
            "threads" => ("sweep.threads".to_owned(), why),
            "contexts" => ("sweep.rings".to_owned(), why),
            _ => (key, why),
        };
        let mut designs = DESIGNS.iter();
        designs.try_for_each(|design| {
            let config = self.config(*design, nodes[0], 1);
            config.check().map_err(in_sweep)
        })
    }

    fn check_beside(&self) -> Result<(), Wrong> {
        let fault = |key: &str, why: &str| Err((key.to_owned(), why.to_owned()));
        let (beside, adding) = (&self.beside, &self.adding);
        let cores = |cores: &u64| (1..=64).contains(cores);
        let groups = |groups: &u64| (1..=256).contains(groups);
        if !cores(&adding.cores) {
            return fault("adding.cores", "not from 1 to 64");
        }
        if !groups(&adding.work_groups)
            || adding.work_groups > self.gpu.work_groups * u64::from(self.gpu.units)
        {
            return fault(
                "adding.work_groups",
                "not from 1 to 256, or more than a GPU has places for",
            );
        }
        if !(0.0..=1e6).contains(&adding.join_ns) {
            return fault("adding.join_ns", "not from 0 to 1e6");
        }
        if !(0.0..=1e6).contains(&adding.core_cycles) || adding.group_cycles > 1_000_000 {
            return fault(
                "adding.core_cycles",
                "one of the cycles is not from 0 to 1e6",
            );
        }
        if self.beside().is_empty() {
            return Ok(());
        }
        if !self.sweep.nodes.contains(&beside.nodes) {
            return fault("beside.nodes", "not one of sweep.nodes");
        }
        if !beside.threads.iter().all(|one| (1..=4).contains(one)) {
            return fault("beside.threads", "not all from 1 to 4");
        }
        let fits = |rings: &u64| {
            (1..=64).contains(rings) && Point::fits(self.sweep.bytes[0], beside.nodes, *rings)
        };
        if !beside.rings.iter().all(fits) {
            return fault(
                "beside.rings",
                "not all from 1 to 64 with whole lines for each",
            );
        }
        if !beside.cores.iter().all(cores) {
            return fault("beside.cores", "not all from 1 to 64");
        }
        match beside.work_groups.iter().all(groups) {
            true => Ok(()),
            false => fault("beside.work_groups", "not all from 1 to 256"),
        }
    }
}
