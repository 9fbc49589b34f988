//! The parameter file.

use crate::compute_node::{Cp, Gpu, Nic};
use crate::experiments::compnet_allreduce;
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
    /// Rings: work-groups that call, each with its part of the vector.
    pub rings: u64,
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
        (self.sweep.nodes, self.sweep.bytes) = (2, vec![32 * lines, 128 * lines]);
        self
    }

    /// The allreduces that run.
    pub(super) fn allreduce(&self) -> compnet_allreduce::Parameters {
        let sweep = &self.sweep;
        compnet_allreduce::Parameters {
            sweep: compnet_allreduce::Sweep {
                nodes: vec![sweep.nodes],
                bytes: sweep.bytes.clone(),
                check_bytes: 0,
                extrapolated_bytes: 1,
                extrapolated_nodes: Vec::new(),
                rings: sweep.rings,
                seed: sweep.seed,
                kernel_ns: sweep.kernel_ns,
            },
            // Nothing here asks for it.
            energy: compnet_allreduce::Energy {
                cp_watts: 0.0,
                host_watts: 0.0,
                factor: 1.0,
            },
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
        self.allreduce().check()
    }
}
