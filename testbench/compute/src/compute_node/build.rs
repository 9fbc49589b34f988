//! The models of a node before anything runs: the GPU with its L2 and service cores, and memory as the NIC sees it.

use super::config::ComputeConfig;
use super::open::RINGS;
use super::{HEAP, HEAP_BYTES, HOST_HEAP};
use std::sync::Arc;
use xtq_engine::Body;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::compnet::access::Requester;
use xtq_testbench::compnet::queue;
use xtq_testbench::compnet::{
    Core, CoreConfig, HostMemory, HostSide, Load, Machine, Place, RtlL2, Side, System,
};

/// Cycles of the NIC of a time.
pub(super) fn cycles(ns: f64) -> u32 {
    ns.round() as u32
}

/// What the NIC sees of memory: over PCIe and back.
pub(super) fn nic_timing(config: &ComputeConfig, seed: u64) -> MemoryTiming {
    let there_and_back = 2.0 * config.nic.pcie_ns;
    let [least, most] = config
        .gpu
        .memory_ns
        .map(|ns| cycles(there_and_back + ns).max(1));
    // A beat has 64 bytes.
    let share = (1000.0 * config.nic.gigabytes_per_second / 64.0).round() as u32;
    MemoryTiming {
        read_latency: least..=most,
        write_latency: least..=most,
        bandwidth: (share.clamp(1, 1000), 1000),
        seed,
        ..MemoryTiming::ideal()
    }
}

/// The GPU's L2 with compute units and service cores, of which no program runs; the numbers of the service cores.
pub(super) fn machine(
    config: &ComputeConfig,
    system: &System,
    body: &Arc<Body>,
    seed: u64,
) -> xtq_engine::Result<(Machine<Place>, Vec<usize>)> {
    let parts = config.design.parts();
    let timing = system.memory_timing(0, seed);
    let mut l2 = RtlL2::new(body.clone(), timing, system.limits())?;
    l2.memory().share_bandwidth();
    let mut places = vec![Place::Whole(Box::new(l2))];
    let host = parts.service == Side::Host;
    if host {
        places.push(Place::Host(Box::new(HostMemory::new(
            config.host.times(system),
        ))));
    }
    places.iter_mut().for_each(Place::note_lines);
    let load = Load {
        seed,
        ..Load::default()
    };
    let mut machine = system.machine_served_by(places, load, 0..0);
    if host {
        let mut addresses = vec![RINGS, HOST_HEAP..HEAP + HEAP_BYTES];
        if parts.queues == Some(Side::Host) {
            addresses.push(queue::ADDRESSES);
        }
        if parts.heap == Side::Host {
            addresses.push(HEAP..HEAP + HEAP_BYTES);
        }
        machine.set_host(HostSide {
            addresses,
            service: parts.service,
            link: config.host.link(system, parts.pcie),
        });
    }
    let cp = &system.cp;
    let l1_ns = cp.l1_cycles as f64 * 1000.0 / cp.clock_mhz;
    let core = |thread| {
        Core::new(CoreConfig {
            requester: Requester::CpThread(thread),
            numbers: 1,
            l1_bytes: cp.l1_bytes,
            l1_ways: cp.l1_ways,
            l1_cycles: system.cycles(l1_ns),
            private: 0..0,
            acquire_drops_private: false,
        })
    };
    let cores = (0..config.threads).map(|thread| machine.add_core(core(thread)));
    let cores = cores.collect();
    Ok((machine, cores))
}
