//! Designs of networking for kernels, as one table: where the queues lie, who serves them, and what is between. LeBeane
//! et al., PACT 2018, section 5.1.

use super::host_memory::{HostMemory, HostTimes};
use super::machine::Machine;
use super::place::Place;
use super::queue;
use super::routes::{HostSide, Link, Side};
use super::service::MUTEX;
use super::system::{Load, System};
use crate::bus::LINE_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xtq_engine::{Body, Error};

/// A design.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// No GPU: the host computes and calls.
    Cpu,
    /// The host calls when a kernel has ended, and starts another after it.
    InterKernel,
    /// Service threads on the command processor, queues in the GPU's L2.
    CompNet,
    /// On the host of an APU, queues in its coherent memory.
    Apu,
    /// On the host over PCIe, queues in the host's memory.
    Dgpu,
    /// On the host over PCIe, queues in the GPU's memory.
    DgpuGpuQueue,
}

/// What a design is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Name in reports.
    pub name: &'static str,
    /// Where the queues lie; `None`: the host calls itself.
    pub queues: Option<Side>,
    /// Who gives commands to the NIC.
    pub service: Side,
    /// Whether PCIe is between GPU and host; else they are on one die.
    pub pcie: bool,
    /// Where data lie.
    pub heap: Side,
    /// Whether a kernel has to end before its data are sent.
    pub kernel_ends: bool,
}

impl Design {
    /// The table.
    pub fn parts(self) -> Parts {
        let intra = |name, queues, service, pcie| Parts {
            name,
            queues: Some(queues),
            service,
            pcie,
            heap: Side::Gpu,
            kernel_ends: false,
        };
        let host = |name, heap, kernel_ends| Parts {
            name,
            queues: None,
            service: Side::Host,
            pcie: true,
            heap,
            kernel_ends,
        };
        match self {
            Self::Cpu => host("CPU", Side::Host, false),
            Self::InterKernel => host("Inter-Kernel", Side::Gpu, true),
            Self::CompNet => intra("ComP-Net", Side::Gpu, Side::Gpu, false),
            Self::Apu => intra("APU", Side::Host, Side::Host, false),
            Self::Dgpu => intra("dGPU", Side::Host, Side::Host, true),
            Self::DgpuGpuQueue => intra("dGPU, queue in GPU memory", Side::Gpu, Side::Host, true),
        }
    }
}

/// The host, and what is between it and the GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// Cycles to a line in the thread's own cache.
    pub own_cycles: f64,
    /// Cycles to a line in the cache that all cores share.
    pub shared_cycles: f64,
    /// Time to memory, caches passed.
    pub memory_ns: f64,
    /// Computing for one poll, beside its load.
    pub poll_ns: f64,
    /// Computing for one call.
    pub call_ns: f64,
    /// The part of it in which the core needs the network library's mutex.
    pub critical_ns: f64,
    /// One way over PCIe.
    pub pcie_ns: f64,
    /// Bandwidth of PCIe each way, in GB/s.
    pub pcie_gigabytes_per_second: f64,
    /// One way between the GPU and the host's memory on the die of an APU.
    pub die_ns: f64,
    /// Bandwidth there each way, in GB/s.
    pub die_gigabytes_per_second: f64,
}

impl Host {
    /// What makes no sense: the key, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, value, least) in [
            ("clock_mhz", self.clock_mhz, 1.0),
            ("own_cycles", self.own_cycles, 0.0),
            ("shared_cycles", self.shared_cycles, 0.0),
            ("memory_ns", self.memory_ns, 0.0),
            ("poll_ns", self.poll_ns, 0.0),
            ("call_ns", self.call_ns, 0.0),
            ("critical_ns", self.critical_ns, 0.0),
            ("pcie_ns", self.pcie_ns, 0.0),
            (
                "pcie_gigabytes_per_second",
                self.pcie_gigabytes_per_second,
                0.01,
            ),
            ("die_ns", self.die_ns, 0.0),
            (
                "die_gigabytes_per_second",
                self.die_gigabytes_per_second,
                0.01,
            ),
        ] {
            if !(least..=1e6).contains(&value) {
                return Err((key, format!("{value:?} is not from {least:?} to 1e6")));
            }
        }
        match self.critical_ns <= self.call_ns {
            true => Ok(()),
            false => Err(("critical_ns", "more than call_ns".into())),
        }
    }

    /// Times of its memory in cycles of the system.
    pub fn times(&self, system: &System) -> HostTimes {
        let cycles = |cycles: f64| system.cycles(cycles * 1000.0 / self.clock_mhz);
        HostTimes {
            own: cycles(self.own_cycles),
            shared: cycles(self.shared_cycles),
            memory: system.cycles(self.memory_ns),
        }
    }

    /// What is between it and the GPU, in cycles of the system: PCIe, or the die of an APU.
    pub fn link(&self, system: &System, pcie: bool) -> Link {
        let (ns, gigabytes) = match pcie {
            true => (self.pcie_ns, self.pcie_gigabytes_per_second),
            false => (self.die_ns, self.die_gigabytes_per_second),
        };
        // GB/s are bytes a ns.
        Link::new(system.cycles(ns), gigabytes * system.ns(1))
    }
}

/// The system with the service threads of this design: so many of the command processor, or of the host.
pub fn served_by(system: &System, host: &Host, design: Design, threads: u8) -> System {
    let mut system = system.clone();
    let cp = &mut system.cp;
    cp.threads = threads;
    if design.parts().service == Side::Host {
        // The host's caches are those of `HostMemory`, in front of which the thread keeps nothing.
        (cp.clock_mhz, cp.l1_bytes, cp.l1_ways) = (host.clock_mhz, LINE_BYTES, 1);
        (cp.poll_ns, cp.call_ns, cp.critical_ns) = (host.poll_ns, host.call_ns, host.critical_ns);
        cp.private_bytes = 0;
    }
    system
}

/// A machine of this design, which is about to run this load on a system of [`served_by`]; `body` is that of a bank of
/// its L2. Errors: the design has no queues; of the engine.
pub fn machine(
    system: &System,
    host: &Host,
    design: Design,
    body: &Arc<Body>,
    load: Load,
) -> xtq_engine::Result<Machine<Place>> {
    let parts = design.parts();
    let Some(queues) = parts.queues else {
        return Err(Error::BadDesign(format!("{} has no queues", parts.name)));
    };
    let mut places = Vec::new();
    // What is only called for in the host's memory never comes to the L2.
    if queues == Side::Gpu {
        let banks = system.banks(body, load.seed)?;
        places.extend(banks.into_iter().map(|bank| Place::L2(Box::new(bank))));
    }
    if parts.service == Side::Gpu {
        return Ok(system.machine(places, load));
    }
    places.push(Place::Host(Box::new(HostMemory::new(host.times(system)))));
    let mut machine = system.machine(places, load);
    let queues = (queues == Side::Host).then_some(queue::ADDRESSES);
    let mutex = std::iter::once(MUTEX..MUTEX + LINE_BYTES);
    machine.set_host(HostSide {
        addresses: mutex.chain(queues).collect(),
        service: parts.service,
        link: host.link(system, parts.pcie),
    });
    Ok(machine)
}
