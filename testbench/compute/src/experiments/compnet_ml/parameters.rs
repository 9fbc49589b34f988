//! The parameter file.

use crate::compute_node::{Cp, Gpu, Nic};
use crate::experiments::compnet_allreduce::{self, Adding, Beside, DESIGNS, Point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::compnet::design::Host;
use xtq_testbench::experiments::{Wrong, read_parameters};
use xtq_testbench::input::InputError;

/// A network that learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// Bytes of its gradients.
    pub bytes: u64,
    /// Share of the time in allreduce, with dGPU: above 0, below 1.
    pub share: f64,
}

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Nodes.
    pub nodes: usize,
    /// Bytes of vectors that run, upwards; with one there is no line, and so no projection.
    pub bytes: Vec<u64>,
    /// The smallest of them runs on so many nodes too: a run that is soon repeated.
    pub few_nodes: usize,
    /// Rings: work-groups that call, each with its part of the vector.
    pub rings: u64,
    /// Service threads of a node.
    pub threads: u8,
    /// Seed of vectors and of memory's latencies.
    pub seed: u64,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
    /// The networks.
    pub networks: Vec<Network>,
    /// Other shares for all networks.
    pub shares: Vec<f64>,
}

/// Parameters of the experiment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What is swept.
    pub sweep: Sweep,
    /// Who adds, of the designs whose hosts call.
    pub adding: Adding,
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

    /// Two nodes and smaller vectors: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        let lines = 64 * 2 * self.sweep.rings;
        (self.sweep.nodes, self.sweep.few_nodes) = (2, 2);
        self.sweep.bytes = vec![32 * lines, 128 * lines];
        self
    }

    /// All runs.
    pub(super) fn points(&self) -> Vec<Point> {
        let (runs, sweep) = (self.allreduce(), &self.sweep);
        let mut all = runs.points();
        if sweep.few_nodes != sweep.nodes {
            let few = |design| runs.point(design, sweep.few_nodes, sweep.bytes[0]);
            all.splice(0..0, DESIGNS.map(few));
        }
        all
    }

    /// The allreduces that run.
    pub(super) fn allreduce(&self) -> compnet_allreduce::Parameters {
        let sweep = &self.sweep;
        compnet_allreduce::Parameters {
            sweep: compnet_allreduce::Sweep {
                nodes: vec![sweep.nodes],
                bytes: sweep.bytes.clone(),
                check_bytes: 0,
                check_nodes: Vec::new(),
                extrapolated_bytes: 1,
                extrapolated_nodes: Vec::new(),
                rings: sweep.rings,
                threads: sweep.threads,
                seed: sweep.seed,
                kernel_ns: sweep.kernel_ns,
            },
            // Nothing here asks for it.
            energy: compnet_allreduce::Energy {
                cp_watts: 1.0,
                host_watts: 1.0,
                factor: 1.0,
            },
            beside: Beside::default(),
            adding: self.adding.clone(),
            gpu: self.gpu.clone(),
            cp: self.cp.clone(),
            host: self.host.clone(),
            nic: self.nic.clone(),
        }
    }

    /// What makes no sense: the key, and why.
    fn check(&self) -> Result<(), Wrong> {
        let is_share = |share: f64| share > 0.0 && share < 1.0;
        for (number, network) in self.sweep.networks.iter().enumerate() {
            let key = |key: &str| format!("sweep.networks[{number}].{key}");
            if !is_share(network.share) {
                return Err((
                    key("share"),
                    format!("{} is not above 0 and below 1", network.share),
                ));
            }
            if !(1..=1 << 32).contains(&network.bytes) {
                return Err((key("bytes"), "not from 1 to 2^32".to_owned()));
            }
        }
        if self.sweep.networks.is_empty() {
            return Err(("sweep.networks".to_owned(), "no network at all".to_owned()));
        }
        if !self.sweep.shares.iter().copied().all(is_share) {
            let why = "not all above 0 and below 1".to_owned();
            return Err(("sweep.shares".to_owned(), why));
        }
        self.allreduce().check()?;
        let few = self.sweep.few_nodes;
        let whole = |bytes: &u64| Point::fits(*bytes, few, self.sweep.rings);
        if !(2..=32).contains(&few) || !self.sweep.bytes.first().is_none_or(whole) {
            let why = "not from 2 to 32, with whole lines for each ring of each node".to_owned();
            return Err(("sweep.few_nodes".to_owned(), why));
        }
        Ok(())
    }
}
