//! From the tables of a scenario to the node: its configuration, and what the host does before the first message.

use xtq_engine::EngineKind;

use super::schema::{Context as WrittenContext, Fault as WrittenFault};
use super::schema::{
    DoorbellKind, FaultAccess, FaultResponse, Gpu, Memory, Queue, Scenario, Timing,
};
use crate::bus::{Access, ErrorResponse, Fault, MemoryTiming, Stalls};
use crate::bytes::Bytes;
use crate::node::{Buffer, ContextConfig, GpuTiming, Node, NodeConfig, NodeError, Top};
use crate::signals::Signals;
use crate::tables::HostQueue;

/// How the surroundings of the node behave.
pub(super) fn node_config(scenario: &Scenario, engine: EngineKind) -> NodeConfig {
    let network = &scenario.network;
    NodeConfig {
        top: Top::default(),
        engine,
        timing: memory_timing(&scenario.memory),
        receive_gaps: network.pauses,
        transmit_gaps: network.pauses,
        register_gaps: 0.0,
        seed: network.seed,
        atomics: scenario.atomics,
        sleeps: true,
    }
}

/// How the memory model times its answers.
pub(super) fn memory_timing(memory: &Memory) -> MemoryTiming {
    match memory.timing {
        Timing::Ideal => MemoryTiming::ideal(),
        Timing::Random => MemoryTiming::random(memory.seed),
        Timing::Fixed => MemoryTiming {
            read_latency: memory.read_latency.least..=memory.read_latency.most,
            write_latency: memory.write_latency.least..=memory.write_latency.most,
            bandwidth: (memory.beats[0], memory.beats[1]),
            stalls: Stalls {
                aw: memory.pauses.aw,
                w: memory.pauses.w,
                ar: memory.pauses.ar,
                b: memory.pauses.b,
                r: memory.pauses.r,
            },
            reorder: memory.reorder,
            seed: memory.seed,
        },
    }
}

/// How long the GPU takes.
pub(super) fn gpu_timing(gpu: &Gpu) -> GpuTiming {
    let tasks = gpu.tasks.iter().map(|task| (task.code, task.cycles));
    GpuTiming {
        poll: gpu.poll,
        launch: gpu.launch,
        task: gpu.duration,
        tasks: tasks.collect(),
    }
}

/// A queue as the host model registers it.
pub(super) fn host_queue(queue: &Queue) -> HostQueue {
    HostQueue {
        base: queue.base,
        size: queue.size,
        write_index_address: queue.write_index_address,
        read_index_address: queue.read_index_address,
        doorbell_address: queue.doorbell_address,
        doorbell_plus_one: queue.kind == DoorbellKind::Amd,
        shared: queue.shared,
    }
}

/// A fault as the memory model injects it.
pub(super) fn fault(fault: &WrittenFault) -> Fault {
    Fault {
        context: fault.context,
        addresses: fault.address..=fault.address + (fault.length - 1),
        access: match fault.access {
            FaultAccess::Read => Access::Read,
            FaultAccess::Write => Access::Write,
            FaultAccess::Both => Access::Both,
        },
        response: match fault.response {
            FaultResponse::Slverr => ErrorResponse::SlaveError,
            FaultResponse::Decerr => ErrorResponse::DecodeError,
        },
        code: 2,
        count: fault.count,
    }
}

/// What the host does before the first message: memory contents, contexts, queues, registrations, receive buffers.
pub(super) fn set_up(node: &mut Node, scenario: &Scenario) -> Result<(), NodeError> {
    node.set_node_id(scenario.node)?;
    for contents in &scenario.data {
        node.memory
            .memory_mut(contents.context)
            .write(contents.address, &contents.bytes.0);
    }
    for signal in &scenario.signals {
        node.memory
            .memory_mut(signal.context)
            .store_signal(signal.handle, signal.value);
    }
    let default = [WrittenContext::new(0)];
    let contexts = if scenario.contexts.is_empty() {
        &default[..]
    } else {
        &scenario.contexts
    };
    for context in contexts {
        let config = ContextConfig {
            tables: [
                context.kernel_table,
                context.function_table,
                context.queue_table,
            ]
            .map(|base| (base, 64)),
            events: (context.event_ring, context.events),
        };
        node.open_context(context.id, &config)?;
    }
    for queue in &scenario.queues {
        set_up_queue(node, scenario, queue)?;
    }
    for kernel in &scenario.kernels {
        node.register_kernel(
            kernel.context,
            kernel.index.into(),
            kernel.buffer_pointer.unwrap_or(0),
            kernel.kernarg_size,
            kernel.rewrite_offset,
            kernel.completion_signal.unwrap_or(0),
            kernel.kernel,
        )?;
    }
    for function in &scenario.functions {
        let buffer = function.buffer_pointer.unwrap_or(0);
        node.register_function(
            function.context,
            function.index.into(),
            buffer,
            function.function,
        )?;
    }
    for portal in &scenario.portals {
        let buffer = Buffer {
            start: portal.start,
            length: portal.length,
            offset: 0,
            flow_control: portal.flow_control,
            event_success: portal.event_success,
            event_failure: portal.event_failure,
        };
        node.post_buffer(portal.context, portal.index, &buffer)?;
    }
    Ok(())
}

fn set_up_queue(node: &mut Node, scenario: &Scenario, queue: &Queue) -> Result<(), NodeError> {
    let host = host_queue(queue);
    node.create_queue(queue.context, &host);
    let memory = node.memory.memory_mut(queue.context);
    memory.write_u64(queue.write_index_address, queue.first_id);
    memory.write_u64(queue.read_index_address, queue.first_id);
    // A ring that no GPU could have (`allow_invalid`) has none.
    if scenario.gpu.enabled && queue.size.is_power_of_two() {
        node.attach_gpu(queue.context, &host, gpu_timing(&scenario.gpu))?;
    }
    node.register_queue(queue.context, queue.index.into(), host)
}
