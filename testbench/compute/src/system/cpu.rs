//! The host's cores and caches.

use super::{LONGEST_NS, Wrong, at_most, positive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a line.
pub(crate) const LINE: u64 = 64;

/// A cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Bytes, a multiple of 64 times the ways.
    pub bytes: u64,
    /// Ways.
    pub ways: u32,
    /// Cycles of the core from request to data.
    pub cycles: u32,
}

impl Cache {
    const fn new(bytes: u64, ways: u32, cycles: u32) -> Self {
        Self {
            bytes,
            ways,
            cycles,
        }
    }

    fn check(&self, key: &str) -> Result<(), Wrong> {
        let row = u64::from(self.ways) * LINE;
        let fault = |name: &str, message: String| Err((format!("cpu.{key}.{name}"), message));
        if !(1..=1024).contains(&self.ways) {
            return fault("ways", format!("{} is not from 1 to 1024", self.ways));
        }
        if self.bytes == 0 || self.bytes > 1 << 32 || !self.bytes.is_multiple_of(row) {
            let message = format!("{} is not a multiple of {row} up to 4 GiB", self.bytes);
            return fault("bytes", message);
        }
        match self.cycles <= 10_000 {
            true => Ok(()),
            false => fault("cycles", format!("{} is above 10000", self.cycles)),
        }
    }
}

/// The host of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// Clock, MHz.
    pub clock_mhz: f64,
    /// Cores, each with one thread.
    pub cores: u32,
    /// Instructions that a core can begin in a cycle.
    pub width: u32,
    /// Instructions that it ends in a cycle without waiting for memory; at most the width.
    pub ipc: f64,
    /// First-level data cache, of each core.
    pub l1: Cache,
    /// Second level, of each core.
    pub l2: Cache,
    /// Third level, of all cores.
    pub l3: Cache,
    /// Lines that a core has under way at once.
    pub misses: u32,
    /// Bytes of a vector register for sums: 0 (none), 16 or 32, for which loops were counted.
    pub simd_bytes: u32,
    /// Cores that share the sums and copies of a program: 1, the application's own.
    pub sum_cores: u32,
    /// From a store to a register of a device until it is there, ns; the core does not wait.
    pub mmio_write_ns: f64,
    /// A load of a register of a device, ns; the core waits.
    pub mmio_read_ns: f64,
}

impl Cpu {
    pub(super) fn xtq_paper() -> Self {
        Self {
            clock_mhz: 3000.0,
            cores: 8,
            width: 4,
            ipc: 4.0,
            l1: Cache::new(64 << 10, 2, 2),
            l2: Cache::new(2 << 20, 8, 4),
            l3: Cache::new(16 << 20, 16, 20),
            misses: 10,
            simd_bytes: 16,
            sum_cores: 1,
            mmio_write_ns: 50.0,
            mmio_read_ns: 100.0,
        }
    }

    /// Time of so many instructions, ns.
    pub(crate) fn instructions_ns(&self, instructions: u64) -> f64 {
        instructions as f64 / self.ipc * self.cycle_ns()
    }

    /// A cycle, ns.
    pub(crate) fn cycle_ns(&self) -> f64 {
        1000.0 / self.clock_mhz
    }

    pub(super) fn check(&self) -> Result<(), Wrong> {
        positive("cpu.clock_mhz", self.clock_mhz, 100_000.0)?;
        positive("cpu.cores", self.cores.into(), 1024.0)?;
        positive("cpu.width", self.width.into(), 64.0)?;
        positive("cpu.ipc", self.ipc, self.width.into())?;
        self.l1.check("l1")?;
        self.l2.check("l2")?;
        self.l3.check("l3")?;
        positive("cpu.misses", self.misses.into(), 1024.0)?;
        if !matches!(self.simd_bytes, 0 | 16 | 32) {
            let message = format!("{} is not 0, 16 or 32", self.simd_bytes);
            return Err(("cpu.simd_bytes".to_owned(), message));
        }
        positive("cpu.sum_cores", self.sum_cores.into(), self.cores.into())?;
        at_most("cpu.mmio_write_ns", self.mmio_write_ns, LONGEST_NS)?;
        at_most("cpu.mmio_read_ns", self.mmio_read_ns, LONGEST_NS)
    }
}
