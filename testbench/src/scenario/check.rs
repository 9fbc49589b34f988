//! Checks of what the types cannot say: ranges, alignment, references, combinations of keys.
//!
//! What the message brings is not checked against the tables: an index that is not registered, a portal entry that is
//! not there, a wrong length are tests of the hardware.

use super::check_message::{Checked, check_host, check_message, phase};
use super::regions;
use super::schema::{Fault, Gpu, Kernel, Memory, Pauses, Portal, Queue, Scenario};
use crate::input::KeyFault;
use std::collections::BTreeSet;

/// Contexts of the NIC.
const CONTEXTS: u8 = 4;
/// Portal table entries of a context.
const PORTALS: u8 = 16;
/// Entries of each lookup table.
const ENTRIES: u8 = 64;
/// Packets of a ring, places of an event ring.
const LARGEST_RING: u32 = 1 << 16;
/// Cycles of one step of the GPU.
const LONGEST_DURATION: u64 = 1 << 40;

/// The first fault of a scenario.
pub(super) fn check(scenario: &Scenario) -> Checked {
    check_surroundings(scenario)?;
    check_contexts(scenario)?;
    for (i, portal) in scenario.portals.iter().enumerate() {
        check_portal(&format!("portals[{i}]"), portal, scenario.allow_invalid)?;
    }
    for (i, queue) in scenario.queues.iter().enumerate() {
        check_queue(&format!("queues[{i}]"), queue, scenario.allow_invalid)?;
    }
    for (i, kernel) in scenario.kernels.iter().enumerate() {
        check_kernel(&format!("kernels[{i}]"), kernel, scenario.allow_invalid)?;
    }
    check_duplicates(scenario)?;
    for (i, signal) in scenario.signals.iter().enumerate() {
        let key = format!("signals[{i}].handle");
        if signal.handle == 0 {
            return Err(KeyFault::value(key, "handle 0 means: no signal"));
        }
        aligned(&key, signal.handle, 8)?;
    }
    check_faults("faults", &scenario.faults)?;
    for (i, message) in scenario.messages.iter().enumerate() {
        check_message(&format!("messages[{i}]"), message)?;
    }
    for (i, raw) in scenario.raw_packets.iter().enumerate() {
        phase(&format!("raw_packets[{i}].phase"), raw.phase)?;
        if raw.bytes.0.is_empty() {
            return Err(KeyFault::value(
                format!("raw_packets[{i}].bytes"),
                "a packet has at least one byte",
            ));
        }
    }
    check_host(scenario)?;
    regions::check_overlap(scenario)?;
    if scenario.messages.is_empty() && scenario.raw_packets.is_empty() {
        return Err(KeyFault::value("messages", "there is no message")
            .help("add [[messages]]; docs/scenario.md has examples"));
    }
    Ok(())
}

fn check_surroundings(scenario: &Scenario) -> Checked {
    check_max_cycles(scenario.max_cycles)?;
    check_memory("memory", &scenario.memory)?;
    check_gpu("gpu", &scenario.gpu)?;
    pause("network.pauses", scenario.network.pauses)
}

pub(super) fn check_max_cycles(cycles: u64) -> Checked {
    match cycles {
        0 => Err(KeyFault::value("max_cycles", "nothing runs in 0 cycles")),
        _ => Ok(()),
    }
}

pub(super) fn check_memory(key: &str, memory: &Memory) -> Checked {
    let [beats, cycles] = memory.beats;
    if beats == 0 || beats > cycles {
        let message = format!("{beats} beats in {cycles} cycles are not between 0 and 1 a cycle");
        return Err(KeyFault::value(format!("{key}.beats"), message));
    }
    let Pauses { aw, w, b, ar, r } = memory.pauses;
    let channels = [("aw", aw), ("w", w), ("b", b), ("ar", ar), ("r", r)];
    for (name, probability) in channels {
        pause(&format!("{key}.pauses.{name}"), probability)?;
    }
    Ok(())
}

pub(super) fn check_gpu(key: &str, gpu: &Gpu) -> Checked {
    duration(&format!("{key}.poll"), gpu.poll)?;
    duration(&format!("{key}.launch"), gpu.launch)?;
    duration(&format!("{key}.duration"), gpu.duration)?;
    for (i, task) in gpu.tasks.iter().enumerate() {
        duration(&format!("{key}.tasks[{i}].cycles"), task.cycles)?;
    }
    Ok(())
}

pub(super) fn check_faults(key: &str, faults: &[Fault]) -> Checked {
    for (i, fault) in faults.iter().enumerate() {
        let key = format!("{key}[{i}]");
        context(&key, fault.context.unwrap_or(0))?;
        extent(&key, "address", fault.address, fault.length)?;
        if fault.length == 0 {
            return Err(KeyFault::value(format!("{key}.length"), "no byte can fail"));
        }
    }
    Ok(())
}

pub(super) fn duration(key: &str, cycles: u64) -> Checked {
    match cycles <= LONGEST_DURATION {
        true => Ok(()),
        false => {
            let message = format!("{cycles} cycles are more than {LONGEST_DURATION}");
            Err(KeyFault::value(key, message))
        }
    }
}

fn pause(key: &str, probability: f64) -> Checked {
    match (0.0..1.0).contains(&probability) {
        true => Ok(()),
        false => Err(KeyFault::value(
            key,
            format!("{probability:?} is not a probability from 0 up to, but not, 1"),
        )),
    }
}

fn check_contexts(scenario: &Scenario) -> Checked {
    let mut known = BTreeSet::new();
    for (i, found) in scenario.contexts.iter().enumerate() {
        let key = format!("contexts[{i}]");
        if found.id >= CONTEXTS || !known.insert(found.id) {
            let message = format!(
                "{} is not a new number from 0 to {}",
                found.id,
                CONTEXTS - 1
            );
            return Err(KeyFault::value(format!("{key}.id"), message));
        }
        let tables = [
            ("kernel_table", found.kernel_table),
            ("function_table", found.function_table),
            ("queue_table", found.queue_table),
            ("event_ring", found.event_ring),
        ];
        for (name, address) in tables {
            aligned(&format!("{key}.{name}"), address, 64)?;
            extent(&key, name, address, 64 * u64::from(ENTRIES))?;
        }
        if found.events != 0 {
            ring_size(&format!("{key}.events"), found.events)?;
            extent(
                &key,
                "event_ring",
                found.event_ring,
                64 * u64::from(found.events),
            )?;
        }
    }
    if known.is_empty() {
        known.insert(0);
    }
    let users = (scenario
        .portals
        .iter()
        .map(|p| p.context)
        .enumerate()
        .map(|u| ("portals", u)))
    .chain(
        scenario
            .queues
            .iter()
            .map(|q| q.context)
            .enumerate()
            .map(|u| ("queues", u)),
    )
    .chain(
        scenario
            .kernels
            .iter()
            .map(|k| k.context)
            .enumerate()
            .map(|u| ("kernels", u)),
    )
    .chain(
        scenario
            .functions
            .iter()
            .map(|f| f.context)
            .enumerate()
            .map(|u| ("functions", u)),
    )
    .chain(
        scenario
            .signals
            .iter()
            .map(|s| s.context)
            .enumerate()
            .map(|u| ("signals", u)),
    )
    .chain(
        scenario
            .data
            .iter()
            .map(|d| d.context)
            .enumerate()
            .map(|u| ("data", u)),
    )
    .chain(
        scenario
            .host
            .iter()
            .map(|h| h.context)
            .enumerate()
            .map(|u| ("host", u)),
    );
    for (what, (i, number)) in users {
        if !known.contains(&number) {
            let message = format!("there is no context {number}");
            return Err(KeyFault::value(format!("{what}[{i}].context"), message)
                .help("list every context in [[contexts]]; without that table there is only context 0"));
        }
    }
    Ok(())
}

fn check_portal(key: &str, portal: &Portal, allow_invalid: bool) -> Checked {
    below(&format!("{key}.index"), portal.index, PORTALS)?;
    if !allow_invalid {
        aligned(&format!("{key}.start"), portal.start, 64).map_err(allow)?;
    }
    extent(key, "start", portal.start, portal.length)
}

fn check_queue(key: &str, queue: &Queue, allow_invalid: bool) -> Checked {
    below(&format!("{key}.index"), queue.index, ENTRIES)?;
    aligned(&format!("{key}.base"), queue.base, 64)?;
    let words = [
        ("write_index_address", queue.write_index_address),
        ("read_index_address", queue.read_index_address),
        ("doorbell_address", queue.doorbell_address),
    ];
    for (name, address) in words {
        aligned(&format!("{key}.{name}"), address, 8)?;
    }
    let size_key = format!("{key}.size");
    if queue.size > LARGEST_RING {
        let message = format!("{} packets are more than {LARGEST_RING}", queue.size);
        return Err(KeyFault::value(size_key, message));
    }
    if !allow_invalid {
        ring_size(&size_key, queue.size).map_err(allow)?;
    }
    if queue.first_id > u64::MAX / 2 {
        return Err(KeyFault::value(
            format!("{key}.first_id"),
            "ids beyond 2^63 are not simulated",
        ));
    }
    extent(key, "base", queue.base, 64 * u64::from(queue.size))
}

fn check_kernel(key: &str, kernel: &Kernel, allow_invalid: bool) -> Checked {
    below(&format!("{key}.index"), kernel.index, ENTRIES)?;
    if kernel.kernarg_size > u32::from(u16::MAX) - 64 {
        let message = format!(
            "{} bytes of arguments do not fit a command of 65,535 bytes",
            kernel.kernarg_size
        );
        return Err(KeyFault::value(format!("{key}.kernarg_size"), message));
    }
    if allow_invalid || kernel.kernarg_size < 16 {
        return Ok(());
    }
    let (offset, offset_key) = (kernel.rewrite_offset, format!("{key}.rewrite_offset"));
    aligned(&offset_key, offset.into(), 8).map_err(allow)?;
    if u64::from(offset) + 16 > u64::from(kernel.kernarg_size) {
        let message = format!(
            "the two arguments at {offset} end behind the {} bytes of arguments",
            kernel.kernarg_size
        );
        return Err(allow(KeyFault::value(offset_key, message)));
    }
    Ok(())
}

fn check_duplicates(scenario: &Scenario) -> Checked {
    unique(
        "portals",
        scenario.portals.iter().map(|p| (p.context, p.index)),
    )?;
    unique(
        "queues",
        scenario.queues.iter().map(|q| (q.context, q.index)),
    )?;
    unique(
        "kernels",
        scenario.kernels.iter().map(|k| (k.context, k.index)),
    )?;
    unique(
        "functions",
        scenario.functions.iter().map(|f| (f.context, f.index)),
    )?;
    for (i, function) in scenario.functions.iter().enumerate() {
        below(&format!("functions[{i}].index"), function.index, ENTRIES)?;
    }
    Ok(())
}

fn unique(what: &str, entries: impl Iterator<Item = (u8, u8)>) -> Checked {
    let mut seen = BTreeSet::new();
    for (i, (context, index)) in entries.enumerate() {
        if !seen.insert((context, index)) {
            let message = format!("entry {index} of context {context} was given before");
            return Err(KeyFault::value(format!("{what}[{i}].index"), message));
        }
    }
    Ok(())
}

fn context(key: &str, number: u8) -> Checked {
    below(&format!("{key}.context"), number, CONTEXTS)
}

fn below(key: &str, index: u8, end: u8) -> Checked {
    match index < end {
        true => Ok(()),
        false => Err(KeyFault::value(
            key,
            format!("{index} is not from 0 to {}", end - 1),
        )),
    }
}

pub(super) fn aligned(key: &str, address: u64, to: u64) -> Checked {
    match address.is_multiple_of(to) {
        true => Ok(()),
        false => Err(KeyFault::value(
            key,
            format!("{address:#x} is not a multiple of {to}"),
        )),
    }
}

pub(super) fn ring_size(key: &str, size: u32) -> Checked {
    match size.is_power_of_two() && size <= LARGEST_RING {
        true => Ok(()),
        false => Err(KeyFault::value(
            key,
            format!("{size} is not a power of two up to {LARGEST_RING}"),
        )),
    }
}

/// The bytes must not pass the end of the address space.
pub(super) fn extent(key: &str, name: &str, address: u64, length: u64) -> Checked {
    match address.checked_add(length) {
        Some(_) => Ok(()),
        None => {
            let message =
                format!("{length} bytes at {address:#x} pass the end of the address space");
            Err(KeyFault::value(format!("{key}.{name}"), message))
        }
    }
}

/// Says that the setting can be tried on purpose.
fn allow(fault: KeyFault) -> KeyFault {
    fault.help("`allow_invalid = true` accepts it, to see how the hardware reports it")
}
