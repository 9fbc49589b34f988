//! `System`: what a GPU with one compute unit, its command processor and their L2 are like, and how a [`Machine`] of it
//! is built.

use super::Bank;
use super::access::Requester;
use super::core::{Core, CoreConfig};
use super::machine::Machine;
use super::queue::{Queue, ReadIndex};
use super::record::Ledger;
use super::rtl_bank::{LockLimits, RtlBank};
use super::service::{self, Service};
use super::streaming::{self, Streamer, Streams};
use super::work_group::{self, Producer};
use crate::bus::{LINE_BYTES, MemoryTiming, Stalls};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use xtq_engine::Body;

/// Where private data of the command processor's cores lie, and how far apart.
const PRIVATE: u64 = 0x8000_0000;
/// More than any working set.
pub(super) const PRIVATE_STRIDE: u64 = 0x100_0000;
/// Where arrays of streaming work-groups lie, and how far apart.
const ARRAYS: u64 = 0x10_0000_0000;
/// Bytes over which the beginnings of arrays are spread, so that work-groups do not all start at one bank and set; and
/// cycles over which they start.
const SPREAD: u64 = 0x1_0000;
/// Cycles of the bank's own pipeline, from request to response: part of the L2's latency.
pub(super) const BANK_CYCLES: u64 = 4;
/// Numbers of compute units at the L2: 8,192 requests may be under way, more than all work-groups have.
pub(super) const UNIT_NUMBERS: u8 = 32;
/// Denominator of the memory's bandwidth in lines a cycle.
const BANDWIDTH_CYCLES: u32 = 1000;

/// The compute unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Clock of the compute unit and of the L2, in MHz.
    pub clock_mhz: f64,
    /// Compute units; work-groups go round them.
    pub units: u8,
    /// Work-groups that a compute unit holds.
    pub work_groups: u64,
    /// Bytes of its L1.
    pub l1_bytes: u64,
    /// Ways of its L1.
    pub l1_ways: usize,
    /// Latency of its L1, in GPU cycles.
    pub l1_cycles: u64,
    /// Bytes that a wavefront loads with one instruction.
    pub vector_bytes: u64,
    /// Such loads that a streaming work-group has in flight.
    pub vectors_in_flight: u64,
    /// Bytes of each array of a streaming work-group.
    pub array_bytes: u64,
    /// What streaming work-groups do.
    pub streams: Streams,
}

/// The L2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct L2 {
    /// Banks, a power of two; lines go round them.
    pub banks: usize,
    /// Sets of a bank.
    pub sets: usize,
    /// Latency of a hit, from the core and back, in GPU cycles.
    pub cycles: u64,
    /// Ways of a set that locked stores may lock.
    pub locked_ways: u8,
    /// Ways of a set that only misses of the command processor fill.
    pub cp_ways: u8,
    /// Writes to memory that a bank has under way.
    pub writes: usize,
    /// Time after which the watchdog drops a lock; without it there is no watchdog.
    pub watchdog_ns: Option<f64>,
}

/// The memory below each bank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Least and most time of a read, and of a write.
    pub latency_ns: [f64; 2],
    /// Bandwidth of reads and writes together, in GB/s.
    pub gigabytes_per_second: f64,
}

/// The command processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cp {
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// Cores; each runs one service thread.
    pub threads: u8,
    /// Bytes of a core's L1.
    pub l1_bytes: u64,
    /// Ways of it.
    pub l1_ways: usize,
    /// Latency of it, in CP cycles.
    pub l1_cycles: u64,
    /// Misses that a core can have under way.
    pub in_flight: usize,
    /// Computing for one poll, beside its load.
    pub poll_ns: f64,
    /// Computing for one call.
    pub call_ns: f64,
    /// The part of it in which the core needs the network library's mutex.
    pub critical_ns: f64,
    /// Whether the network library has a mutex.
    pub mutex: bool,
    /// Bytes of a core's private working set.
    pub private_bytes: u64,
    /// Lines of it that a call touches, drawn evenly.
    pub private_lines: usize,
    /// Share of those that are written.
    pub private_writes: f64,
    /// Whether service threads begin with all that they poll and own in the caches.
    pub warm_start: bool,
    /// Whether an acquire drops private lines from the L1 too.
    pub acquire_drops_private: bool,
    /// Rounds of polling after which blocking calls are completed.
    pub completion_rounds: u64,
    /// Time from a call to the network's acknowledgement.
    pub network_ns: f64,
    /// Whether read indices lie in the host's memory, which is no access to the L2.
    pub read_index_on_host: bool,
    /// Time of a load from the host's memory.
    pub host_ns: f64,
}

/// What networking work-groups do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Share of calls that block.
    pub blocking: f64,
    /// Payload of a call in bytes.
    pub payload_bytes: u64,
    /// Calls before the work-group waits for all of them.
    pub batch: u64,
    /// Time it computes after each call, on average: from half to one and a half of it.
    pub compute_ns: f64,
    /// Whether, with locking, only the store of the status is a locked store, and not that of the other fields.
    pub lock_status_only: bool,
    /// Lines left free between one queue and the next.
    pub padding: u64,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// The compute unit.
    pub gpu: Gpu,
    /// The L2.
    pub l2: L2,
    /// The memory below each bank.
    pub memory: Memory,
    /// The command processor.
    pub cp: Cp,
    /// What networking work-groups do.
    pub calls: Calls,
}

/// The work-groups of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Load {
    /// Networking work-groups.
    pub networking: u64,
    /// Streaming work-groups.
    pub streaming: u64,
    /// Whether networking work-groups lock the lines that they write.
    pub locking: bool,
    /// Seed of every draw.
    pub seed: u64,
}

impl System {
    /// GPU cycles of a time.
    pub fn cycles(&self, ns: f64) -> u64 {
        (ns * self.gpu.clock_mhz / 1000.0).round() as u64
    }

    /// Time of GPU cycles in ns.
    pub fn ns(&self, cycles: u64) -> f64 {
        cycles as f64 * 1000.0 / self.gpu.clock_mhz
    }

    /// Bits of the line number that name the bank.
    pub fn bank_bits(&self) -> u8 {
        self.l2.banks.trailing_zeros() as u8
    }

    /// Lines of the L2.
    pub fn lines(&self) -> usize {
        self.l2.banks * self.l2.sets * 16
    }

    /// Cycles of the watchdog, at least one; 0: there is none.
    fn watchdog_cycles(&self) -> u64 {
        let cycles = self.l2.watchdog_ns.map(|ns| self.cycles(ns).max(1));
        cycles.unwrap_or(0)
    }

    /// The static inputs of the banks.
    pub fn limits(&self) -> LockLimits {
        LockLimits {
            watchdog_cycles: u16::try_from(self.watchdog_cycles()).unwrap_or(u16::MAX),
            ways: self.l2.locked_ways,
            // The lowest.
            cp_ways: ((1u32 << self.l2.cp_ways) - 1) as u16,
        }
    }

    /// The memory below bank `bank`.
    pub fn memory_timing(&self, bank: u64, seed: u64) -> MemoryTiming {
        let [least, most] = self.memory.latency_ns.map(|ns| self.cycles(ns) as u32);
        let line_ns = 64.0 / self.memory.gigabytes_per_second;
        let share = self.ns(1) / line_ns * f64::from(BANDWIDTH_CYCLES);
        MemoryTiming {
            read_latency: least.max(1)..=most.max(1),
            write_latency: least.max(1)..=most.max(1),
            bandwidth: (
                (share.round() as u32).clamp(1, BANDWIDTH_CYCLES),
                BANDWIDTH_CYCLES,
            ),
            stalls: Stalls::default(),
            reorder: true,
            seed: seed.wrapping_mul(64).wrapping_add(bank),
        }
    }

    /// The banks, with a memory below each. Errors: of the engine.
    pub fn banks(&self, body: &Arc<Body>, seed: u64) -> xtq_engine::Result<Vec<RtlBank>> {
        let bank = |number| {
            let timing = self.memory_timing(number, seed);
            let mut bank = RtlBank::new(body.clone(), timing, self.limits())?;
            bank.memory().share_bandwidth();
            Ok(bank)
        };
        (0..self.l2.banks as u64).map(bank).collect()
    }

    /// A machine with these banks, which is about to run this load.
    pub fn machine<B: Bank>(&self, banks: Vec<B>, load: Load) -> Machine<B> {
        self.machine_served_by(banks, load, 0..self.cp.threads)
    }

    /// The same, but only these service threads are alive.
    pub fn machine_served_by<B: Bank>(
        &self,
        banks: Vec<B>,
        load: Load,
        threads: Range<u8>,
    ) -> Machine<B> {
        let way = self.l2.cycles.saturating_sub(BANK_CYCLES);
        let ledger = Ledger::new(load.networking as usize);
        let mut machine = Machine::new(banks, [way / 2, way - way / 2], ledger);
        let queues: Vec<_> = (0..load.networking)
            .map(|number| self.queue(number))
            .collect();
        self.add_compute_units(&mut machine, load, &queues);
        for thread in threads {
            self.add_service(&mut machine, load, thread, &queues);
        }
        machine
    }

    /// The queue of a work-group, and its shared read index.
    fn queue(&self, number: u64) -> (Queue, ReadIndex) {
        let queue = Queue {
            number,
            padding: self.calls.padding,
        };
        let read_index = match self.cp.read_index_on_host {
            true => ReadIndex::Host {
                value: Rc::new(Cell::new(0)),
                cycles: self.cycles(self.cp.host_ns),
            },
            false => ReadIndex::L2(queue.read_index()),
        };
        (queue, read_index)
    }

    /// Numbers that a compute unit has at the L2: each names 256 requests under way.
    pub(super) fn unit_numbers(&self) -> u8 {
        (UNIT_NUMBERS / self.gpu.units.max(1)).max(1)
    }

    fn add_compute_units<B: Bank>(
        &self,
        machine: &mut Machine<B>,
        load: Load,
        queues: &[(Queue, ReadIndex)],
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(load.seed);
        let numbers = self.unit_numbers();
        let unit = |number: u8| {
            Core::new(CoreConfig {
                requester: Requester::ComputeUnit(number * numbers),
                numbers,
                l1_bytes: self.gpu.l1_bytes,
                l1_ways: self.gpu.l1_ways,
                l1_cycles: self.gpu.l1_cycles,
                private: 0..0,
                acquire_drops_private: true,
            })
        };
        let units = (0..self.gpu.units).map(|number| machine.add_core(unit(number)));
        let units: Vec<usize> = units.collect();
        let mut turn = units.iter().copied().cycle();
        let mut next_unit = || turn.next().unwrap_or(0);
        for (queue, shared) in queues {
            let producer = Producer {
                queue: *queue,
                shared: shared.clone(),
                locking: load.locking,
                lock_status_only: self.calls.lock_status_only,
                blocking: self.calls.blocking,
                payload_bytes: self.calls.payload_bytes,
                batch: self.calls.batch,
                compute_cycles: self.cycles(self.calls.compute_ns),
                seed: rng.random(),
            };
            machine.start(next_unit(), |thread, ledger| {
                work_group::run(thread, producer, ledger)
            });
        }
        for number in 0..load.streaming {
            let mut array = |position| {
                let line = rng.random_range(0..SPREAD / LINE_BYTES);
                ARRAYS + position * (self.gpu.array_bytes + SPREAD) + line * LINE_BYTES
            };
            let streamer = Streamer {
                streams: self.gpu.streams,
                arrays: [array(2 * number), array(2 * number + 1)],
                array_bytes: self.gpu.array_bytes,
                lines: self.stream_lines(),
                start: rng.random_range(0..SPREAD / LINE_BYTES),
            };
            machine.start(next_unit(), |thread, _| streaming::run(thread, streamer));
        }
    }

    /// Lines that a streaming work-group has in flight.
    pub(super) fn stream_lines(&self) -> u64 {
        self.gpu.vector_bytes / LINE_BYTES * self.gpu.vectors_in_flight
    }

    fn add_service<B: Bank>(
        &self,
        machine: &mut Machine<B>,
        load: Load,
        thread: u8,
        queues: &[(Queue, ReadIndex)],
    ) {
        let start = PRIVATE + u64::from(thread) * PRIVATE_STRIDE;
        let private = start..start + self.cp.private_bytes;
        let l1_ns = self.cp.l1_cycles as f64 * 1000.0 / self.cp.clock_mhz;
        let core = machine.add_core(Core::new(CoreConfig {
            requester: Requester::CpThread(thread),
            numbers: 1,
            l1_bytes: self.cp.l1_bytes,
            l1_ways: self.cp.l1_ways,
            l1_cycles: self.cycles(l1_ns),
            private: private.clone(),
            acquire_drops_private: self.cp.acquire_drops_private,
        }));
        let mine = queues.iter().skip(usize::from(thread));
        let service = Service {
            queues: mine.step_by(self.cp.threads.into()).cloned().collect(),
            poll_cycles: self.cycles(self.cp.poll_ns),
            call_cycles: self.cycles(self.cp.call_ns),
            critical_cycles: self.cp.mutex.then(|| self.cycles(self.cp.critical_ns)),
            completion_rounds: self.cp.completion_rounds,
            network_cycles: self.cycles(self.cp.network_ns),
            private,
            private_lines: self.cp.private_lines,
            private_writes: self.cp.private_writes,
            in_flight: self.cp.in_flight,
            warm_start: self.cp.warm_start,
            seed: load.seed.wrapping_add(thread.into()),
        };
        machine.start(core, |thread, ledger| service::run(thread, service, ledger));
    }
}
