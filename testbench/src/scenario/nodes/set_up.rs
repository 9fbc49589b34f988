//! From the tables of a file of several nodes to the cluster: its configuration, and what is in memory before the
//! programs begin.

use xtq_engine::EngineKind;
use xtq_types::register_map::{context as reg, context_address, global};

use super::calls::Call;
use super::compile::host_queue;
use super::plan::NodesPlan;
use super::program::PlannedProcess;
use super::schema::{DataTable, NodeTable, NodesScenario, ProcessTable};
use crate::aql::{Layout, encode};
use crate::bytes::Bytes;
use crate::cluster::ClusterError;
use crate::host::{Process, ProcessConfig, ProcessError, Ring};
use crate::node::{Node, NodeConfig, NodeError};
use crate::scenario::plan::{agent_fields, kernel_fields};
use crate::scenario::set_up::{fault, gpu_timing, memory_timing};
use crate::signals::Signals;

/// Entries of each lookup table.
const ENTRIES: u32 = 64;

/// Why a cluster stopped.
pub(super) type Stop = ClusterError<NodeError>;

/// How a node is built.
pub(super) fn node_config(
    scenario: &NodesScenario,
    node: &NodeTable,
    engine: EngineKind,
    sleeps: bool,
) -> NodeConfig {
    NodeConfig {
        top: scenario.nic_of(node).top(),
        engine,
        timing: memory_timing(&node.memory),
        atomics: scenario.atomics,
        sleeps,
        ..NodeConfig::default()
    }
}

fn process_config(process: &ProcessTable) -> ProcessConfig {
    let tables = [
        process.kernel_table,
        process.function_table,
        process.queue_table,
    ];
    ProcessConfig {
        commands: Ring {
            base: process.command_ring,
            size: process.commands,
        },
        events: Ring {
            base: process.event_ring,
            size: process.events,
        },
        tables: tables.map(|base| (base, ENTRIES)),
        user_id: process.user_id,
    }
}

fn contents(data: &DataTable) -> Vec<u8> {
    let packet = |layout, fields: &[(&'static str, u64)]| encode(layout, fields.iter().copied());
    let bytes = match (&data.kernel, &data.agent, &data.bytes) {
        (Some(kernel), ..) => packet(Layout::KernelDispatch, &kernel_fields(kernel)),
        (_, Some(agent), _) => packet(Layout::AgentDispatch, &agent_fields(agent)),
        (.., bytes) => Ok(bytes.as_ref().map_or_else(Vec::new, |data| data.0.clone())),
    };
    // The fields have the widths of the format.
    bytes.unwrap_or_default()
}

/// Fills the memories of a node, attaches its GPUs, and opens its processes, in the order of the file; runs its clock.
/// Errors: of the node.
pub(super) fn open(
    node: &mut Node,
    number: usize,
    plan: &NodesPlan,
) -> Result<Vec<Process>, ProcessError<NodeError>> {
    let table = &plan.scenario.nodes[number];
    for written in &table.faults {
        node.memory.inject(fault(written));
    }
    let registers = [
        (global::MESSAGE_LIMIT, table.message_limit),
        (global::MESSAGE_TIMEOUT, table.message_timeout),
    ];
    for (register, value) in registers {
        if let Some(value) = value {
            node.post_register(register as u16, value);
        }
    }
    let mut processes = Vec::new();
    for planned in plan.processes_of(number) {
        fill(node, plan, planned).map_err(ProcessError::Port)?;
        let written = planned.written(&plan.scenario);
        let context = planned.id.context;
        let registers = [
            (reg::MAX_MESSAGE_SIZE, written.max_message_size),
            (reg::MAX_ATOMIC_SIZE, written.max_atomic_size),
        ];
        for (register, value) in registers {
            if let Some(value) = value {
                node.post_register(context_address(context.into(), register), value);
            }
        }
        node.watch_events(context, written.event_ring, written.events);
        processes.push(Process::open(node, context, &process_config(written))?);
    }
    Ok(processes)
}

fn fill(node: &mut Node, plan: &NodesPlan, planned: &PlannedProcess) -> Result<(), NodeError> {
    let context = planned.id.context;
    let process = planned.written(&plan.scenario);
    for data in &process.data {
        let memory = node.memory.memory_mut(context);
        memory.write(data.address, &contents(data));
    }
    for signal in &process.signals {
        let memory = node.memory.memory_mut(context);
        memory.store_signal(signal.handle, signal.value);
    }
    let gpu = &plan.scenario.nodes[usize::from(planned.id.node)].gpu;
    for queue in &process.queues {
        let queue = host_queue(queue);
        node.create_queue(context, &queue);
        if gpu.enabled {
            node.attach_gpu(context, &queue, gpu_timing(gpu))?;
        }
    }
    for step in &process.program {
        for (_, call) in step.calls() {
            if let Call::RegisterQueue(call) = call {
                let named = process.queues.iter().find(|queue| queue.name == call.queue);
                let queue = named.map(host_queue).unwrap_or_default();
                node.note_queue(context, call.index, queue);
            }
        }
    }
    Ok(())
}
