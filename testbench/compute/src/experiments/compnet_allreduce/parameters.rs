//! The parameter file.

use super::measure::Point;
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
const MOST_BYTES: [u64; 2] = [1 << 24, 1 << 32];

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Nodes.
    pub nodes: Vec<usize>,
    /// Bytes of a node's vector, upwards.
    pub bytes: Vec<u64>,
    /// A larger vector on the fewest nodes, to see how far the line through the others is off; 0: none.
    pub check_bytes: u64,
    /// Vector of the figure, which no run has.
    pub extrapolated_bytes: u64,
    /// Numbers of nodes of the figure, which no run has.
    pub extrapolated_nodes: Vec<usize>,
    /// Rings: work-groups that call, each with its part of the vector.
    pub rings: u64,
    /// Seed of vectors and of memory's latencies.
    pub seed: u64,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
}

/// Energy of service threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Energy {
    /// Power of a core of the command processor that polls and computes, in W.
    pub cp_watts: f64,
    /// The same of a core of the host.
    pub host_watts: f64,
    /// Each may be so many times less or more.
    pub factor: f64,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
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

    /// The smallest vector on the fewest nodes: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let sweep = &mut self.sweep;
        sweep.nodes.truncate(1);
        sweep.bytes.truncate(1);
        sweep.check_bytes = 0;
        sweep.extrapolated_nodes.clear();
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
            threads: 1,
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
            pcie_ns: self.nic.pcie_ns,
            kernel_ns: self.sweep.kernel_ns,
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
            all.extend(DESIGNS.map(|design| self.point(design, sweep.nodes[0], sweep.check_bytes)));
        }
        all
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
        if sweep.check_bytes != 0 && !fits(&sweep.check_bytes) {
            return fault("sweep.check_bytes", why);
        }
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
            ("cp_watts", cp_watts, 0.0),
            ("host_watts", host_watts, 0.0),
            ("factor", factor, 1.0),
        ] {
            if !(least..=1e6).contains(&value) {
                return fault(
                    &format!("energy.{key}"),
                    format!("{value:?} is not from {least} to 1e6"),
                );
            }
        }
        let mut designs = DESIGNS.iter();
        designs.try_for_each(|design| self.config(*design, nodes[0], 1).check())
    }
}
