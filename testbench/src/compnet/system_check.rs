//! Which parameters of a [`System`] make sense.

use super::core::{RESERVED, TAGS};
use super::queue::{MOST_PADDING, MOST_PAYLOAD};
use super::rtl_bank::BANKS;
use super::system::{BANK_CYCLES, PRIVATE_STRIDE, System};
use crate::bus::LINE_BYTES;
use std::ops::RangeInclusive;

/// The key, and why its value makes no sense.
type Wrong = (&'static str, String);
/// Largest L1, in bytes; and most ways.
const LARGEST_L1: u64 = 1 << 20;
/// Largest array of a streaming work-group, in bytes.
const LARGEST_ARRAY: u64 = 1 << 30;
/// Longest time, in ns.
const LONGEST_NS: f64 = 1e9;

/// That a value is in its range. Errors: the key, and why not.
pub(crate) fn within<T: PartialOrd + std::fmt::Debug>(
    key: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), Wrong> {
    match range.contains(&value) {
        true => Ok(()),
        false => {
            let (least, most) = range.into_inner();
            // Of numbers with a point, this form has an exponent where they are very large or small.
            Err((key, format!("{value:?} is not from {least:?} to {most:?}")))
        }
    }
}

impl System {
    /// What makes no sense: the key, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        self.check_gpu()?;
        self.check_l2()?;
        self.check_cp()?;
        within("calls.blocking", self.calls.blocking, 0.0..=1.0)?;
        within(
            "calls.payload_bytes",
            self.calls.payload_bytes,
            0..=MOST_PAYLOAD,
        )?;
        within("calls.batch", self.calls.batch, 1..=1 << 20)?;
        within("calls.compute_ns", self.calls.compute_ns, 0.0..=LONGEST_NS)?;
        within("calls.padding", self.calls.padding, 0..=MOST_PADDING)
    }

    fn check_gpu(&self) -> Result<(), Wrong> {
        let gpu = &self.gpu;
        within("gpu.clock_mhz", gpu.clock_mhz, 1.0..=1e5)?;
        within("gpu.units", gpu.units, 1..=64)?;
        within("gpu.work_groups", gpu.work_groups, 1..=1024)?;
        within("gpu.l1_bytes", gpu.l1_bytes, LINE_BYTES..=LARGEST_L1)?;
        within("gpu.l1_ways", gpu.l1_ways, 1..=1024)?;
        within("gpu.l1_cycles", gpu.l1_cycles, 0..=1000)?;
        within("gpu.vector_bytes", gpu.vector_bytes, LINE_BYTES..=4096)?;
        within("gpu.vectors_in_flight", gpu.vectors_in_flight, 1..=1024)?;
        // All loads of a round must have a place, or work-groups wait for each other's.
        let places = TAGS * usize::from(self.unit_numbers());
        let lines = self.stream_lines();
        let most = (places - RESERVED) as u64 / gpu.work_groups;
        if lines > most {
            let message = format!("{lines} lines in flight for a work-group, more than {most}");
            return Err(("gpu.vectors_in_flight", message));
        }
        let whole = gpu.array_bytes.is_multiple_of(lines * LINE_BYTES);
        if !whole || !gpu.vector_bytes.is_multiple_of(LINE_BYTES) {
            let message = "an array is no multiple of what is in flight, in whole lines";
            return Err(("gpu.array_bytes", message.into()));
        }
        within(
            "gpu.array_bytes",
            gpu.array_bytes,
            LINE_BYTES..=LARGEST_ARRAY,
        )
    }

    fn check_l2(&self) -> Result<(), Wrong> {
        let (l2, memory) = (&self.l2, &self.memory);
        if !l2.banks.is_power_of_two() || l2.banks > 64 {
            return Err(("l2.banks", "not a power of two up to 64".into()));
        }
        let depths = BANKS.iter().filter(|(sets, ..)| *sets == l2.sets);
        let depths: Vec<_> = depths.map(|(_, writes, _)| *writes).collect();
        if depths.is_empty() {
            return Err(("l2.sets", "not 8, 16, 32, 64 or 128".into()));
        }
        if !depths.contains(&l2.writes) {
            let message = format!("a bank of {} sets has one of {depths:?}", l2.sets);
            return Err(("l2.writes", message));
        }
        within("l2.cycles", l2.cycles, BANK_CYCLES + 2..=100_000)?;
        within("l2.locked_ways", l2.locked_ways, 0..=16)?;
        within("l2.cp_ways", l2.cp_ways, 0..=15)?;
        if let Some(ns) = l2.watchdog_ns {
            within("l2.watchdog_ns", ns, 0.0..=self.ns(u16::MAX.into()))?;
        }
        let [least, most] = memory.latency_ns;
        within("memory.latency_ns", least, 0.0..=1e6)?;
        within("memory.latency_ns", most, least..=1e6)?;
        let speed = memory.gigabytes_per_second;
        within("memory.gigabytes_per_second", speed, 0.01..=1e6)
    }

    fn check_cp(&self) -> Result<(), Wrong> {
        let cp = &self.cp;
        within("cp.clock_mhz", cp.clock_mhz, 1.0..=1e5)?;
        within("cp.threads", cp.threads, 1..=32)?;
        within("cp.l1_bytes", cp.l1_bytes, LINE_BYTES..=LARGEST_L1)?;
        within("cp.l1_ways", cp.l1_ways, 1..=1024)?;
        within("cp.l1_cycles", cp.l1_cycles, 0..=1000)?;
        within("cp.in_flight", cp.in_flight, 1..=TAGS - RESERVED)?;
        within("cp.poll_ns", cp.poll_ns, 0.0..=LONGEST_NS)?;
        within("cp.call_ns", cp.call_ns, 0.0..=LONGEST_NS)?;
        within("cp.critical_ns", cp.critical_ns, 0.0..=cp.call_ns)?;
        within("cp.private_bytes", cp.private_bytes, 0..=PRIVATE_STRIDE)?;
        within("cp.private_lines", cp.private_lines, 0..=10_000)?;
        within("cp.private_writes", cp.private_writes, 0.0..=1.0)?;
        within("cp.completion_rounds", cp.completion_rounds, 1..=1 << 20)?;
        within("cp.network_ns", cp.network_ns, 0.0..=LONGEST_NS)?;
        within("cp.host_ns", cp.host_ns, 0.0..=LONGEST_NS)
    }
}
