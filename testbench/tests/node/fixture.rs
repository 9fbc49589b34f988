//! A process that takes messages: tables, one queue, one receive buffer; and the messages to send to it.

use xtq_testbench::aql::{Layout, encode};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{Buffer, ContextConfig, Message, Node, NodeConfig};
use xtq_testbench::tables::{HostQueue, Outcome};

/// Kernel index of the paper's figure 6.
pub const KERNEL: u64 = 42;
pub const KERNEL_ARGUMENTS: usize = 64;
pub const KERNEL_OBJECT: u64 = 0x7f00_dead_beef_0000;
pub const KERNEL_SIGNAL: u64 = 0x6000_0040;
pub const FUNCTION: u64 = 3;
pub const FUNCTION_POINTER: u64 = 0x0040_3010;
pub const TARGET_BUFFER: u64 = 0x5000_0000;
pub const QUEUE: u16 = 5;
pub const BUFFER: u64 = 0x4000_0000;
pub const BUFFER_BYTES: u64 = 1 << 20;

/// The queue `id`: every index and doorbell in a line of its own.
pub fn queue(id: u16) -> HostQueue {
    let at = u64::from(id) << 16;
    HostQueue {
        base: 0x2000_0000 + at,
        size: 8,
        write_index_address: 0x2100_0000 + at,
        read_index_address: 0x2100_0040 + at,
        doorbell_address: 0x2200_0000 + at,
        ..HostQueue::default()
    }
}

/// A process in `context` with kernel 42, function 3, queue 5 and a buffer at portal entry 0.
pub fn set_up(node: &mut Node, context: u8) {
    node.open_context(context, &ContextConfig::default())
        .unwrap();
    let size = KERNEL_ARGUMENTS as u32;
    node.register_kernel(
        context,
        KERNEL as u16,
        TARGET_BUFFER,
        size,
        0,
        KERNEL_SIGNAL,
        KERNEL_OBJECT,
    )
    .unwrap();
    node.register_function(context, FUNCTION as u16, TARGET_BUFFER, FUNCTION_POINTER)
        .unwrap();
    node.create_queue(context, &queue(QUEUE));
    node.register_queue(context, QUEUE, queue(QUEUE)).unwrap();
    node.post_buffer(context, 0, &Buffer::new(BUFFER, BUFFER_BYTES))
        .unwrap();
}

/// A node with a process in context 0, compared with the golden model.
pub fn checked(config: &NodeConfig) -> Checked {
    let mut node = Node::new(config).unwrap();
    set_up(&mut node, 0);
    Checked::new(node)
}

/// Bytes that differ from each other.
pub fn pattern(length: usize, seed: usize) -> Vec<u8> {
    (0..length)
        .map(|i| (i * 7 + seed * 31 + i / 256) as u8)
        .collect()
}

/// A kernel dispatch packet as the initiator sends it.
pub fn kernel_packet(kernel: u64, queue: u64) -> [u8; 64] {
    let fields = [
        ("header", 0x1402),
        ("setup", 1),
        ("workgroup_size_x", 64),
        ("workgroup_size_y", 1),
        ("workgroup_size_z", 1),
        ("grid_size_x", 1024),
        ("grid_size_y", 1),
        ("grid_size_z", 1),
        ("kernel_object", kernel),
        ("reserved2", queue),
    ];
    encode(Layout::KernelDispatch, fields)
        .unwrap()
        .try_into()
        .unwrap()
}

/// An agent dispatch packet as the initiator sends it.
pub fn agent_packet(function: u64, queue: u64) -> [u8; 64] {
    let fields = [
        ("header", 0x1404),
        ("type", 0x8001),
        ("return_address", function),
        ("arg2", 0x33),
        ("arg3", 0x44),
        ("reserved2", queue),
        ("completion_signal", 0x6000_0080),
    ];
    encode(Layout::AgentDispatch, fields)
        .unwrap()
        .try_into()
        .unwrap()
}

/// A message for kernel 42 and queue 5 with this much payload.
pub fn kernel_message(id: u16, payload: usize) -> Message {
    let packet = kernel_packet(KERNEL, QUEUE.into());
    let arguments = pattern(KERNEL_ARGUMENTS, 1);
    let mut message = Message::xtq(id, &packet, &arguments, &pattern(payload, id.into()));
    message.ack_request = 1;
    message.user_id = 77;
    message.match_bits = 0x1234_5678_9abc_def0;
    message.header_data = 0x0fed_cba9_8765_4321;
    message.initiator_handle = id.wrapping_add(500);
    message
}

/// A message for function 3 and queue 5 with this much payload.
pub fn agent_message(id: u16, payload: usize) -> Message {
    let packet = agent_packet(FUNCTION, QUEUE.into());
    Message {
        ack_request: 1,
        ..Message::xtq(id, &packet, &[], &pattern(payload, id.into()))
    }
}

/// Delivers one message; it must be as the golden model says. Its outcome, `None` if it was dropped.
pub fn deliver(checked: &mut Checked, message: &Message) -> Option<Outcome> {
    deliver_packets(checked, &message.packets())
}

/// Delivers packets; all must be as the golden model says. The outcome of the last message.
pub fn deliver_packets(checked: &mut Checked, packets: &[Vec<u8>]) -> Option<Outcome> {
    let outcomes = checked
        .deliver(packets, 50_000)
        .unwrap_or_else(|error| panic!("{error}"));
    outcomes.last().cloned()
}

/// The queue's consumer retires everything.
pub fn drain(node: &mut Node, context: u8, queue: &HostQueue) {
    let memory = node.memory.memory_mut(context);
    let written = memory.read_u64(queue.write_index_address);
    memory.write_u64(queue.read_index_address, written);
}
