//! What nodes are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::compnet::design::{Design, Host, served_by};
use xtq_testbench::compnet::{self, System};

/// The GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Clock of compute units and L2, in MHz.
    pub clock_mhz: f64,
    /// Compute units; work-groups go round them.
    pub units: u8,
    /// Work-groups that a compute unit holds.
    pub work_groups: u64,
    /// Bytes of a compute unit's L1.
    pub l1_bytes: u64,
    /// Ways of it.
    pub l1_ways: usize,
    /// Latency of it, in GPU cycles.
    pub l1_cycles: u64,
    /// Latency of a hit in the L2, from the core and back, in GPU cycles.
    pub l2_cycles: u64,
    /// Ways of a set that locked stores may lock.
    pub locked_ways: u8,
    /// Least and most time of a read or a write of memory.
    pub memory_ns: [f64; 2],
    /// The barrier of a work-group after each call, in GPU cycles.
    pub barrier_cycles: u64,
}

/// The command processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cp {
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// Bytes of a core's L1.
    pub l1_bytes: u64,
    /// Ways of it.
    pub l1_ways: usize,
    /// Latency of it, in CP cycles.
    pub l1_cycles: u64,
    /// Computing for one poll, beside its load.
    pub poll_ns: f64,
    /// Computing for one call, beside its stores.
    pub call_ns: f64,
}

/// The NIC's way to memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// One way over PCIe.
    pub pcie_ns: f64,
    /// Bandwidth there each way, in GB/s.
    pub gigabytes_per_second: f64,
}

/// Synchronisation that programs leave out, to show what it is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    /// Lines that the NIC will read are not written back.
    pub write_backs: bool,
    /// Lines that the NIC has written are not forgotten.
    pub invalidates: bool,
}

/// What a cluster of nodes is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputeConfig {
    /// Who serves the queues, and where they lie.
    pub design: Design,
    /// The GPU.
    pub gpu: Gpu,
    /// The command processor.
    pub cp: Cp,
    /// The host, and what is between it and the GPU.
    pub host: Host,
    /// The NIC's way to memory.
    pub nic: Nic,
    /// Nodes.
    pub nodes: usize,
    /// Contexts of work-groups on each node, a queue each.
    pub contexts: u64,
    /// Service threads of each node; each has a context of the NIC.
    pub threads: u8,
    /// What programs leave out.
    pub leaves: Leaves,
    /// Seed of memory's latencies.
    pub seed: u64,
}

/// Most service threads: contexts of the NIC.
const MOST_THREADS: u8 = 4;
/// Longest time, in ns.
const LONGEST_NS: f64 = 1e6;

impl ComputeConfig {
    /// What makes no sense: the key, and why.
    pub fn check(&self) -> Result<(), (String, String)> {
        let within =
            |key: &str, value: f64, least: f64, most: f64| match (least..=most).contains(&value) {
                true => Ok(()),
                false => Err((
                    key.to_owned(),
                    format!("{value:?} is not from {least:?} to {most:?}"),
                )),
            };
        let host = self.host.check();
        host.map_err(|(key, why)| (format!("host.{key}"), why))?;
        within("nic.pcie_ns", self.nic.pcie_ns, 0.0, LONGEST_NS)?;
        // A beat of 64 bytes a cycle of 1 ns is the port's rate.
        let rate = self.nic.gigabytes_per_second;
        within("nic.gigabytes_per_second", rate, 0.1, 64.0)?;
        let gpu = &self.gpu;
        within("gpu.units", f64::from(gpu.units), 1.0, 16.0)?;
        within("gpu.barrier_cycles", gpu.barrier_cycles as f64, 0.0, 1e6)?;
        let [least, most] = gpu.memory_ns;
        if !(0.0 < least && least <= most && most <= LONGEST_NS) {
            let why = "not from less to more, above 0".to_owned();
            return Err(("gpu.memory_ns".to_owned(), why));
        }
        if !(1..=MOST_THREADS).contains(&self.threads) {
            let why = format!("{} is not from 1 to {MOST_THREADS}", self.threads);
            return Err(("threads".to_owned(), why));
        }
        if self.contexts > gpu.work_groups * u64::from(gpu.units) {
            let why = "work-groups that have no place would never run".to_owned();
            return Err(("contexts".to_owned(), why));
        }
        let system = self.system().check();
        system.map_err(|(key, why)| (key.to_owned(), why))
    }

    /// The same as the models of the GPU take it: no work-group of theirs runs, so what they do has no meaning.
    pub(super) fn system(&self) -> System {
        let (gpu, cp) = (&self.gpu, &self.cp);
        let system = System {
            gpu: compnet::Gpu {
                clock_mhz: gpu.clock_mhz,
                units: gpu.units,
                work_groups: gpu.work_groups,
                l1_bytes: gpu.l1_bytes,
                l1_ways: gpu.l1_ways,
                l1_cycles: gpu.l1_cycles,
                vector_bytes: 64,
                vectors_in_flight: 1,
                array_bytes: 1 << 16,
                streams: compnet::Streams::Copy,
            },
            l2: compnet::L2 {
                banks: 8,
                sets: 128,
                // The ports of the whole L2 take one cycle more than a bank.
                cycles: gpu.l2_cycles.saturating_sub(1),
                locked_ways: gpu.locked_ways,
                cp_ways: 0,
                writes: 4,
                watchdog_ns: None,
            },
            memory: compnet::Memory {
                latency_ns: gpu.memory_ns,
                // The one port of the whole L2: a line a cycle.
                gigabytes_per_second: 64.0 * gpu.clock_mhz / 1000.0,
            },
            cp: compnet::Cp {
                clock_mhz: cp.clock_mhz,
                threads: self.threads,
                l1_bytes: cp.l1_bytes,
                l1_ways: cp.l1_ways,
                l1_cycles: cp.l1_cycles,
                in_flight: 1,
                poll_ns: cp.poll_ns,
                call_ns: cp.call_ns,
                critical_ns: 0.0,
                mutex: false,
                private_bytes: 0,
                private_lines: 0,
                private_writes: 0.0,
                warm_start: false,
                acquire_drops_private: false,
                completion_rounds: 1,
                network_ns: 0.0,
                read_index_on_host: false,
                host_ns: 0.0,
            },
            calls: compnet::Calls {
                blocking: 0.0,
                payload_bytes: 0,
                batch: 1,
                compute_ns: 0.0,
                lock_status_only: false,
                padding: 0,
            },
        };
        served_by(&system, &self.host, self.design, self.threads)
    }
}
