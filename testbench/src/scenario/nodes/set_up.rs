//! From the tables of a file of several nodes to the cluster: its configuration, and what is in memory before the
//! programs begin.

use xtq_engine::EngineKind;

use super::calls::Call;
use super::compile::host_queue;
use super::plan::NodesPlan;
use super::program::PlannedProcess;
use super::schema::{DataTable, NodeTable, ProcessTable};
use crate::aql::{Layout, encode};
use crate::bytes::Bytes;
use crate::cluster::{Cluster, ClusterError};
use crate::host::{Process, ProcessConfig, ProcessError, Ring};
use crate::node::{Node, NodeConfig, NodeError, Top};
use crate::scenario::plan::{agent_fields, kernel_fields};
use crate::scenario::set_up::{fault, gpu_timing, memory_timing};
use crate::signals::Signals;

/// Entries of each lookup table.
const ENTRIES: u32 = 64;

/// Why a cluster stopped.
pub(super) type Stop = ClusterError<NodeError>;

/// A node with the whole NIC.
pub(super) fn node_config(node: &NodeTable, atomics: bool, engine: EngineKind) -> NodeConfig {
    NodeConfig {
        top: Top::Nic,
        engine,
        timing: memory_timing(&node.memory),
        atomics,
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

/// Fills memories, attaches GPUs, and opens the processes, in the order of the file. Errors: of a node.
pub(super) fn open(
    cluster: &mut Cluster<Node>,
    plan: &NodesPlan,
) -> Result<Vec<Process>, ProcessError<Stop>> {
    for (n, written) in plan.scenario.nodes.iter().enumerate() {
        let node = &mut cluster.nodes_mut()[n];
        written
            .faults
            .iter()
            .for_each(|written| node.memory.inject(fault(written)));
    }
    let mut processes = Vec::new();
    for planned in &plan.processes {
        let number = usize::from(planned.id.node);
        let node = &mut cluster.nodes_mut()[number];
        let filled = fill(node, plan, planned);
        filled.map_err(|error| {
            ProcessError::Port(ClusterError::Node {
                node: number,
                error,
            })
        })?;
        let config = process_config(planned.written(&plan.scenario));
        let mut port = cluster.port(number);
        processes.push(Process::open(&mut port, planned.id.context, &config)?);
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
