//! Recorded inputs of one NIC: saturated, and nearly idle.

use super::BenchError;
use xtq_engine::Tape;
use xtq_testbench::aql::{Layout, encode};
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{Buffer, ContextConfig, HostQueue, Message, Node, NodeConfig, NodeError};

/// Kernel of all messages.
const KERNEL: u16 = 42;
/// Queue of all messages.
const QUEUE: u16 = 5;
/// Cycles from a write's last beat to its answer.
const MEMORY_CYCLES: u32 = 20;
/// Cycles after which the consumer has read all packets.
const CONSUMER_CYCLES: u64 = 256;
/// Cycles between the messages of nearly idle traffic.
const IDLE_CYCLES: u64 = 2_000;

/// So many smallest XTQ messages (packet, 64 bytes of arguments, 64 bytes of payload) back to back.
pub fn saturated(messages: u16) -> Result<Tape, BenchError> {
    record(messages, 0).map_err(|error| BenchError::new("saturated traffic", error))
}

/// So many of them, one every 2,000 cycles.
pub fn nearly_idle(messages: u16) -> Result<Tape, BenchError> {
    record(messages, IDLE_CYCLES).map_err(|error| BenchError::new("nearly idle traffic", error))
}

fn record(messages: u16, distance: u64) -> Result<Tape, NodeError> {
    let mut node = Node::new(&NodeConfig {
        timing: MemoryTiming::fixed_write(MEMORY_CYCLES),
        ..NodeConfig::default()
    })?;
    node.record();
    let queue = HostQueue {
        base: 0x2000_0000,
        size: 4096,
        write_index_address: 0x2100_0000,
        read_index_address: 0x2100_0040,
        doorbell_address: 0x2200_0000,
        ..HostQueue::default()
    };
    node.open_context(0, &ContextConfig::default())?;
    node.register_kernel(0, KERNEL, 0x5000_0000, 64, 0, 0x6000_0040, 0x7f00_0000)?;
    node.create_queue(0, &queue);
    node.register_queue(0, QUEUE, queue)?;
    let silent = Buffer {
        event_success: false,
        event_failure: false,
        ..Buffer::new(0x4000_0000, 1 << 20)
    };
    node.post_buffer(0, 0, &silent)?;
    let start = node.cycle_count();
    for id in 0..messages {
        node.send_at(start + u64::from(id) * distance, &message(id));
    }
    let mut cycles = 0;
    while !node.all_received() || node.trace().under_way() > 0 {
        node.cycle()?;
        cycles += 1;
        if cycles % CONSUMER_CYCLES == 0 {
            let memory = node.memory.memory_mut(0);
            let written = memory.read_u64(queue.write_index_address);
            memory.write_u64(queue.read_index_address, written);
        }
    }
    // Recording was begun above.
    Ok(node.take_tape().unwrap_or_else(|| Tape::new(node.engine())))
}

fn message(id: u16) -> Message {
    let fields = [
        ("header", 0x1402),
        ("setup", 1),
        ("workgroup_size_x", 64),
        ("workgroup_size_y", 1),
        ("workgroup_size_z", 1),
        ("grid_size_x", 1024),
        ("grid_size_y", 1),
        ("grid_size_z", 1),
        ("kernel_object", KERNEL.into()),
        ("reserved2", QUEUE.into()),
    ];
    // The fields are those of the layout.
    let packet = encode(Layout::KernelDispatch, fields).unwrap_or_default();
    let payload: Vec<u8> = (0..64).map(|i| (i * 7 + id) as u8).collect();
    Message {
        ack_request: 0,
        ..Message::xtq(
            id,
            &packet.try_into().unwrap_or([0; 64]),
            &[7; 64],
            &payload,
        )
    }
}
