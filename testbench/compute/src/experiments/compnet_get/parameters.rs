//! The parameter file.

use crate::compute_node::{ComputeConfig, Cp, Gpu, Leaves, Nic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::compnet::design::{Design, Host};
use xtq_testbench::experiments::{Wrong, read_parameters};
use xtq_testbench::input::InputError;

/// Largest payload: two of them are in the heap.
const MOST_BYTES: u64 = 1 << 26;
/// Longest time, in ns.
const LONGEST_NS: f64 = 1e6;
/// The designs of the figure, and two beside it that have no queues.
pub(super) const DESIGNS: [Design; 5] = [
    Design::Dgpu,
    Design::Apu,
    Design::CompNet,
    Design::InterKernel,
    Design::Cpu,
];
/// Those of the figure.
pub(super) const FIGURE: [Design; 3] = [Design::Dgpu, Design::Apu, Design::CompNet];

/// One way over PCIe, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pcie {
    /// Between the host and the GPU: where a dGPU's queues are read.
    pub host_ns: f64,
    /// Between the NIC and memory: register, command, data, event.
    pub nic_ns: f64,
}

impl Pcie {
    /// "450 ns", or both if they differ.
    pub(super) fn name(self) -> String {
        let Self { host_ns, nic_ns } = self;
        match host_ns == nic_ns {
            true => format!("{host_ns} ns"),
            false => format!("{host_ns} ns of the host, {nic_ns} ns of the NIC"),
        }
    }
}

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Bytes of a get.
    pub bytes: Vec<u64>,
    /// Up to so many bytes a get follows one that warms the caches, and all seeds are run.
    pub repeated_bytes: u64,
    /// Seeds of memory's latencies.
    pub seeds: Vec<u64>,
    /// Other ways over PCIe, for the smallest payload.
    pub pcie: Vec<Pcie>,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
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

    /// The same on the smallest payload: to see that everything works, not to see a result.
    pub fn quick(mut self) -> Self {
        self.sweep.bytes.truncate(1);
        self.sweep.pcie.clear();
        self.sweep.seeds.truncate(1);
        self
    }

    /// The ways over PCIe of the file.
    pub fn pcie(&self) -> Pcie {
        Pcie {
            host_ns: self.host.pcie_ns,
            nic_ns: self.nic.pcie_ns,
        }
    }

    /// Two nodes of a design with one work-group.
    pub fn config(&self, design: Design, seed: u64) -> ComputeConfig {
        ComputeConfig {
            design,
            gpu: self.gpu.clone(),
            cp: self.cp.clone(),
            host: self.host.clone(),
            nic: self.nic.clone(),
            nodes: 2,
            contexts: 1,
            threads: 1,
            leaves: Leaves::default(),
            seed,
        }
    }

    /// What makes no sense: the key, and why.
    fn check(&self) -> Result<(), Wrong> {
        let fault = |key: &str, why: &str| Err((format!("sweep.{key}"), why.to_owned()));
        let Sweep {
            bytes,
            seeds,
            pcie,
            kernel_ns,
            ..
        } = &self.sweep;
        let fits = bytes.iter().all(|bytes| (1..=MOST_BYTES).contains(bytes));
        if bytes.is_empty() || !fits || !bytes.is_sorted_by(|a, b| a < b) {
            let why = format!("not a list upwards of 1 to {MOST_BYTES} bytes");
            return fault("bytes", &why);
        }
        if seeds.is_empty() || !seeds.is_sorted_by(|a, b| a < b) {
            return fault("seeds", "not a list upwards of different seeds");
        }
        let can_be = |Pcie { host_ns, nic_ns }: &Pcie| {
            [host_ns, nic_ns]
                .iter()
                .all(|ns| (0.0..=LONGEST_NS).contains(*ns))
        };
        if !pcie.iter().all(can_be) {
            return fault("pcie", &format!("not from 0 to {LONGEST_NS}"));
        }
        if !(0.0..=LONGEST_NS).contains(kernel_ns) {
            return fault("kernel_ns", &format!("not from 0 to {LONGEST_NS}"));
        }
        for design in DESIGNS {
            self.config(design, 1).check()?;
        }
        Ok(())
    }
}
