//! Checks of what the types of a file of several nodes cannot say: ranges, alignment, overlaps.

use super::check_network::check_network;
use super::names::process_key;
use super::schema::{NodesScenario, ProcessTable};
use crate::input::KeyFault;
use crate::scenario::check::{
    aligned, check_faults, check_gpu, check_max_cycles, check_memory, extent, ring_size,
};
use crate::scenario::check_message::Checked;
use crate::scenario::regions::{Region, TABLE, check_regions};
use crate::scenario::values::Data;

/// Messages of a process that can be under way, MESSAGE_LIMIT after reset.
const MESSAGES: u32 = 64;
/// Largest MESSAGE_TIMEOUT.
const LONGEST_TIMEOUT: u32 = 31;
/// Most bytes of an atomic.
const ATOMIC: u32 = 512;
/// Commands in a ring.
const LARGEST_COMMAND_RING: u32 = 32_768;
/// Bytes of a command.
const COMMAND: u64 = 128;
/// Most nodes of a scenario: more run out of memory and patience.
pub const MOST_NODES: usize = 1024;

/// The first fault of a scenario.
pub(super) fn check(scenario: &NodesScenario) -> Checked {
    check_max_cycles(scenario.max_cycles)?;
    if scenario.nodes.is_empty() || scenario.nodes.len() > MOST_NODES {
        let message = format!(
            "{} nodes are not from 1 to {MOST_NODES}",
            scenario.nodes.len()
        );
        return Err(KeyFault::value("nodes", message));
    }
    check_network(&scenario.network, scenario.nodes.len())?;
    for (n, node) in scenario.nodes.iter().enumerate() {
        let key = format!("nodes[{n}]");
        check_memory(&format!("{key}.memory"), &node.memory)?;
        check_gpu(&format!("{key}.gpu"), &node.gpu)?;
        check_faults(&format!("{key}.faults"), &node.faults)?;
        within(&key, "message_limit", node.message_limit, 1, MESSAGES)?;
        within(
            &key,
            "message_timeout",
            node.message_timeout,
            0,
            LONGEST_TIMEOUT,
        )?;
        let nic = scenario.nic_of(node);
        let contexts = usize::from(nic.shares().contexts);
        if node.processes.len() > contexts {
            let message = format!("a '{}' has {} contexts", nic.name(), contexts);
            return Err(KeyFault::value(process_key(n, contexts), message));
        }
        for (p, process) in node.processes.iter().enumerate() {
            check_process(&process_key(n, p), process)?;
        }
    }
    Ok(())
}

/// Errors: a register is set to something that it does not take.
fn within(key: &str, name: &str, value: Option<u32>, least: u32, most: u32) -> Checked {
    match value.filter(|value| !(least..=most).contains(value)) {
        None => Ok(()),
        Some(value) => {
            let message = format!("{value} is not from {least} to {most}");
            Err(KeyFault::value(format!("{key}.{name}"), message))
        }
    }
}

/// The bytes of the table with this key, `bytes` at `address`: there is one, and they do not pass the end of the
/// address space.
pub(super) fn some_bytes(key: &str, address: u64, bytes: &Data) -> Checked {
    let Some(last) = bytes.0.len().checked_sub(1) else {
        let message = "no bytes: there must be at least one";
        return Err(KeyFault::value(format!("{key}.bytes"), message));
    };
    extent(key, "address", address, last as u64)
}

fn check_process(key: &str, process: &ProcessTable) -> Checked {
    within(key, "max_atomic_size", process.max_atomic_size, 1, ATOMIC)?;
    let mut regions = Vec::new();
    let mut add = |name: &str, start: u64, length: u64| {
        regions.push(Region {
            context: 0,
            start,
            length,
            key: format!("{key}.{name}"),
        });
        extent(key, name, start, length)
    };
    aligned(
        &format!("{key}.command_ring"),
        process.command_ring,
        COMMAND,
    )?;
    let size_key = format!("{key}.commands");
    ring_size(&size_key, process.commands)?;
    if process.commands > LARGEST_COMMAND_RING {
        let message = format!("more than {LARGEST_COMMAND_RING} commands");
        return Err(KeyFault::value(size_key, message));
    }
    ring_size(&format!("{key}.events"), process.events)?;
    add(
        "command_ring",
        process.command_ring,
        COMMAND * u64::from(process.commands),
    )?;
    for (name, address, bytes) in [
        (
            "event_ring",
            process.event_ring,
            64 * u64::from(process.events),
        ),
        ("kernel_table", process.kernel_table, TABLE),
        ("function_table", process.function_table, TABLE),
        ("queue_table", process.queue_table, TABLE),
    ] {
        aligned(&format!("{key}.{name}"), address, 64)?;
        add(name, address, bytes)?;
    }
    for (i, queue) in process.queues.iter().enumerate() {
        let name = format!("queues[{i}]");
        ring_size(&format!("{key}.{name}.size"), queue.size)?;
        aligned(&format!("{key}.{name}.base"), queue.base, 64)?;
        let bytes = 64 * u64::from(queue.size);
        add(&format!("{name}.base"), queue.base, bytes)?;
        for (word, address) in [
            ("write_index_address", queue.write_index_address),
            ("read_index_address", queue.read_index_address),
            ("doorbell_address", queue.doorbell_address),
        ] {
            aligned(&format!("{key}.{name}.{word}"), address, 8)?;
            add(&format!("{name}.{word}"), address, 8)?;
        }
    }
    for (i, signal) in process.signals.iter().enumerate() {
        let name = format!("signals[{i}].handle");
        if signal.handle == 0 {
            let message = "handle 0 means: no signal";
            return Err(KeyFault::value(format!("{key}.{name}"), message));
        }
        aligned(&format!("{key}.{name}"), signal.handle, 8)?;
        // The value is at handle + 8.
        add(&name, signal.handle.wrapping_add(8), 8)?;
    }
    for (i, data) in process.data.iter().enumerate() {
        let key = format!("{key}.data[{i}]");
        let given = [
            data.bytes.is_some(),
            data.kernel.is_some(),
            data.agent.is_some(),
        ];
        if given.iter().filter(|given| **given).count() != 1 {
            let message = "exactly one of 'bytes', 'kernel' and 'agent' says what is there";
            return Err(KeyFault::value(key, message));
        }
        match &data.bytes {
            Some(bytes) => some_bytes(&key, data.address, bytes)?,
            None => extent(&key, "address", data.address, 64)?,
        }
    }
    check_regions(regions)
}
