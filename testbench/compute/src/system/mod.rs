//! What a node and its network are made of: the tables of a parameter file.

mod cpu;
mod gpu;

pub(crate) use cpu::LINE;
pub use cpu::{Cache, Cpu};
pub use gpu::{GpuConfig, Preset};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::network::{Link, NetworkConfig};

/// A key with a value that no system can have, and why.
pub(crate) type Wrong = (String, String);

/// Errors: `value` is not above 0 and at most `most`.
pub(crate) fn positive(key: &str, value: f64, most: f64) -> Result<(), Wrong> {
    match value > 0.0 && value <= most {
        true => Ok(()),
        false => Err((
            key.to_owned(),
            format!("{value} is not above 0 and at most {most}"),
        )),
    }
}

/// Errors: `value` is not from 0 to `most`.
pub(crate) fn at_most(key: &str, value: f64, most: f64) -> Result<(), Wrong> {
    match (0.0..=most).contains(&value) {
        true => Ok(()),
        false => Err((key.to_owned(), format!("{value} is not from 0 to {most}"))),
    }
}

/// Longest time that a key can give, in ns.
pub(crate) const LONGEST_NS: f64 = 1e6;

/// Memory of a node, which NIC, GPU and host share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// From a device's request to the data, ns.
    pub latency_ns: f64,
    /// Drawn for each access: so many ns less or more.
    pub spread_ns: f64,
    /// Of all channels together, GB/s.
    pub gigabytes_per_second: f64,
}

impl Memory {
    fn check(&self) -> Result<(), Wrong> {
        positive("memory.latency_ns", self.latency_ns, LONGEST_NS)?;
        at_most("memory.spread_ns", self.spread_ns, self.latency_ns - 1.0)?;
        positive(
            "memory.gigabytes_per_second",
            self.gigabytes_per_second,
            1e5,
        )
    }

    /// The same for the NIC's port, where a cycle is 1 ns.
    pub(crate) fn timing(&self, seed: u64) -> MemoryTiming {
        let least = (self.latency_ns - self.spread_ns).round().max(1.0) as u32;
        let most = (self.latency_ns + self.spread_ns).round().max(1.0) as u32;
        MemoryTiming {
            read_latency: least..=most,
            write_latency: least..=most,
            seed,
            ..MemoryTiming::ideal()
        }
    }
}

/// The star network between nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkTimes {
    /// Of a link in one direction, Gbit/s.
    pub gigabits_per_second: u32,
    /// From node to node, ns.
    pub switch_ns: u32,
    /// Most ns that a packet is held up beyond that, drawn for each.
    pub jitter_ns: u32,
}

impl NetworkTimes {
    fn check(&self) -> Result<(), Wrong> {
        positive(
            "network.gigabits_per_second",
            self.gigabits_per_second.into(),
            512.0,
        )?;
        let switch = f64::from(self.switch_ns);
        if !(3.0..=LONGEST_NS).contains(&switch) {
            let message = format!("{switch} is not from 3 to {LONGEST_NS}");
            return Err(("network.switch_ns".to_owned(), message));
        }
        at_most("network.jitter_ns", self.jitter_ns.into(), LONGEST_NS)
    }

    /// The network; links have the least latency there is, one cycle each.
    pub(crate) fn config(&self, seed: u64) -> NetworkConfig {
        NetworkConfig {
            link: Link {
                latency: 1,
                bandwidth: (self.gigabits_per_second, 8),
            },
            switch_latency: u64::from(self.switch_ns.saturating_sub(2)),
            jitter: self.jitter_ns.into(),
            seed,
            ..NetworkConfig::default()
        }
    }
}

/// What the library of messages decides, and how late its callers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Library {
    /// Most bytes of a message that is sent without asking.
    pub eager_bytes: u64,
    /// Accumulates to one target after which a two-sided way waits for its answer. With many ranks it waits earlier:
    /// the unexpected messages that a target can keep are divided among all others.
    pub unanswered: u64,
    /// Most ns that a rank calls a collective after the others, drawn for each.
    pub late_ns: u64,
    /// Whether the target of an XTQ put of a collective says first that there is room (XTQ, section V-C). Without it a
    /// run shows what that costs; a place that is not free then is an error.
    pub synchronise: bool,
}

impl Default for Library {
    /// "Often around 4 KB" (Schneider et al., section V); the others are assumed.
    fn default() -> Self {
        Self {
            eager_bytes: 4096,
            unanswered: 8,
            late_ns: 0,
            synchronise: true,
        }
    }
}

impl Library {
    fn check(&self) -> Result<(), Wrong> {
        at_most("mpi.eager_bytes", self.eager_bytes as f64, 32768.0)?;
        positive("mpi.unanswered", self.unanswered as f64, 32.0)?;
        at_most("mpi.late_ns", self.late_ns as f64, LONGEST_NS)
    }
}

/// A node and the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// The host.
    pub cpu: Cpu,
    /// Memory.
    pub memory: Memory,
    /// The GPU.
    pub gpu: GpuConfig,
    /// The network.
    pub network: NetworkTimes,
    /// The library of messages.
    #[serde(default)]
    pub mpi: Library,
}

impl System {
    /// Table I of the XTQ paper (SC'16), section V. What it does not state is assumed: see `docs/compute.md`.
    pub fn xtq_paper() -> Self {
        Self {
            cpu: Cpu::xtq_paper(),
            memory: Memory {
                latency_ns: 60.0,
                spread_ns: 10.0,
                gigabytes_per_second: 102.4,
            },
            gpu: GpuConfig::of(Preset::Apu),
            network: NetworkTimes {
                gigabits_per_second: 100,
                switch_ns: 100,
                jitter_ns: 0,
            },
            mpi: Library::default(),
        }
    }

    /// Errors: the first key with a value that cannot be, as `cpu.clock_mhz`, and why.
    pub fn check(&self) -> Result<(), (String, String)> {
        self.cpu.check()?;
        self.memory.check()?;
        self.gpu.check()?;
        self.network.check()?;
        self.mpi.check()
    }
}
