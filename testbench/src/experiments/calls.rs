//! Calls of many work-groups, served by one of the designs: one run, and what it measured.

use super::{BANK_CYCLES_OF_A_NIC_CYCLE, ExperimentError, Interval};
use crate::compnet::access::Requester;
use crate::compnet::design::{Design, Host, machine, served_by};
use crate::compnet::{Class, Counts, HostCounts, Load, Machine, Phases, Place, Side, System, body};
use serde::Serialize;
use std::sync::Arc;
use xtq_engine::Body;

/// A run to do, but for its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The design.
    pub design: Design,
    /// Work-groups that call.
    pub work_groups: u64,
    /// Service threads.
    pub threads: u8,
}

/// How long a run is: as many rounds of the service threads, in each of which every work-group has its turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Rounds before anything is counted.
    pub warm_up_rounds: f64,
    /// Rounds in which it is.
    pub window_rounds: f64,
    /// Neither is shorter than this.
    pub least_ns: f64,
}

impl Times {
    /// Both times of a point, in ns.
    fn of(self, system: &System, host: &Host, point: &Point) -> [f64; 2] {
        let round_ns = round_ns(system, host, point);
        let rounds = [self.warm_up_rounds, self.window_rounds];
        rounds.map(|rounds| (rounds * round_ns).max(self.least_ns).round())
    }
}

/// What a round of the service threads takes at least, in ns: a poll and a call of each queue.
pub fn round_ns(system: &System, host: &Host, point: &Point) -> f64 {
    let parts = point.design.parts();
    let l2_ns = system.ns(system.l2.cycles);
    let load_ns = match (parts.queues, parts.service) {
        // The entry, and both halves of the mutex.
        (Some(Side::Gpu), Side::Gpu) => 3.0 * l2_ns,
        (Some(Side::Gpu), Side::Host) => l2_ns + 2.0 * host.pcie_ns,
        _ => host.memory_ns,
    };
    let turn_ns = load_ns + system.cp.poll_ns + system.cp.call_ns;
    turn_ns * point.work_groups as f64 / f64::from(point.threads)
}

/// What the service threads did in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Activity {
    /// Time of all threads together, in ns: they never sleep.
    pub thread_ns: f64,
    /// Time in which they computed, and did not wait for a load.
    pub computing_ns: f64,
    /// Polls.
    pub polls: u64,
    /// Calls that they found.
    pub calls: u64,
    /// Times that they tried to take the mutex of the network library.
    pub tries: u64,
    /// Accesses that found their line in their own cache.
    pub own: u64,
    /// In the cache that cores of the host share, or in the GPU's L2.
    pub shared: u64,
    /// In memory.
    pub memory: u64,
    /// Bytes that they had carried between GPU and host.
    pub link_bytes: u64,
}

/// What a run measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// From a call to the work-group's seeing it complete, on average, in us.
    pub call_us: f64,
    /// Calls in a us.
    pub calls_per_us: f64,
    /// What the service threads did.
    pub activity: Activity,
}

/// A mean of seeds.
pub fn mean(samples: &[Sample], of: fn(&Sample) -> f64) -> Interval {
    let values: Vec<f64> = samples.iter().map(of).collect();
    Interval::of(&values).unwrap_or_default()
}

/// Whether this is a service thread.
pub fn is_service(requester: Requester) -> bool {
    matches!(requester, Requester::CpThread(_))
}

/// What a machine has counted so far.
pub struct Snapshot {
    /// Accesses of service threads.
    pub counts: Counts,
    /// Accesses of service threads to the host's memory.
    pub host: HostCounts,
    /// What calls took.
    pub phases: Phases,
    /// Bytes that service threads had carried between GPU and host.
    pub link_bytes: u64,
}

impl Snapshot {
    /// Of a machine as it is now.
    pub fn of(machine: &Machine<Place>) -> Self {
        let host = machine.banks().iter().find_map(|place| match place {
            Place::Host(memory) => Some(memory.counts()),
            Place::L2(_) | Place::Whole(_) => None,
        });
        Self {
            counts: machine.counts(is_service),
            host: host.unwrap_or_default(),
            phases: machine.phases(),
            link_bytes: machine.routes().service_bytes(),
        }
    }
}

/// Compiles the bank of the system's L2. Errors: of the engine.
pub fn bank(system: &System) -> Result<Arc<Body>, ExperimentError> {
    let l2 = &system.l2;
    Ok(body(l2.sets, l2.writes, system.bank_bits())?)
}

/// What a run costs, as [`Prepared::million_cycles`](super::Prepared::million_cycles) counts: only banks are hardware.
pub fn million_cycles(system: &System, host: &Host, point: &Point, times: Times) -> f64 {
    let served = served_by(system, host, point.design, point.threads);
    million_cycles_of(system, point, times.of(&served, host, point).iter().sum())
}

/// The same of a run of so many ns.
pub fn million_cycles_of(system: &System, point: &Point, ns: f64) -> f64 {
    let banks = match point.design.parts().queues {
        Some(Side::Gpu) => system.l2.banks,
        _ => 0,
    };
    system.cycles(ns) as f64 * banks as f64 / BANK_CYCLES_OF_A_NIC_CYCLE / 1e6
}

/// One run. Errors: of the machine; a window in which no call was complete.
pub fn measure(
    system: &System,
    host: &Host,
    point: &Point,
    seed: u64,
    times: Times,
    bank: &Arc<Body>,
) -> Result<Sample, ExperimentError> {
    let system = served_by(system, host, point.design, point.threads);
    let load = Load {
        networking: point.work_groups,
        streaming: 0,
        locking: true,
        seed,
    };
    let mut machine = machine(&system, host, point.design, bank, load)?;
    let failed = |why: String| {
        let Point {
            work_groups,
            threads,
            ..
        } = point;
        let name = point.design.parts().name;
        ExperimentError::Failed(format!(
            "{name}, {work_groups} work-groups, {threads} threads, seed {seed}: {why}"
        ))
    };
    let [warm_up_ns, window_ns] = times.of(&system, host, point);
    let patience = system.cycles(warm_up_ns + window_ns);
    let mut run = |ns| {
        let ran = machine.run(system.cycles(ns), patience);
        ran.map_err(|error| failed(error.to_string()))?;
        Ok::<_, ExperimentError>(Snapshot::of(&machine))
    };
    let before = run(warm_up_ns)?;
    let after = run(window_ns)?;
    let phases = after.phases.since(before.phases);
    if phases.calls == 0 {
        return Err(failed("no call was complete in the window".into()));
    }
    let us = |cycles: u64| system.ns(cycles) / 1000.0;
    Ok(Sample {
        call_us: us(phases.waited + phases.served) / phases.calls as f64,
        calls_per_us: 1000.0 * phases.calls as f64 / window_ns,
        activity: activity(&system, &before, &after, window_ns),
    })
}

/// What the service threads did between two moments, so many ns apart.
pub fn activity(system: &System, before: &Snapshot, after: &Snapshot, window_ns: f64) -> Activity {
    let counts = after.counts.since(&before.counts);
    let calls = counts.of(Class::PollFound).accesses();
    let polls = calls + counts.of(Class::PollEmpty).accesses();
    let all = counts.sum(&Class::ALL);
    let own = after.host.own - before.host.own;
    let shared = after.host.shared - before.host.shared;
    let memory = after.host.memory - before.host.memory;
    // What the host's memory did not answer, the L2 did; there all but `own` counts as a miss.
    let in_l2 = all.accesses().saturating_sub(own + shared + memory);
    let l2_misses = all.misses.saturating_sub(shared + memory);
    let computing = polls as f64 * system.cp.poll_ns + calls as f64 * system.cp.call_ns;
    let thread_ns = window_ns * f64::from(system.cp.threads);
    Activity {
        thread_ns,
        computing_ns: computing.min(thread_ns),
        polls,
        calls,
        // Its accesses are reads of read-modify-writes, and a store for each call that gives it back.
        tries: counts.of(Class::Mutex).accesses().saturating_sub(calls),
        own,
        shared: shared + in_l2,
        memory: memory + l2_misses,
        link_bytes: after.link_bytes - before.link_bytes,
    }
}
