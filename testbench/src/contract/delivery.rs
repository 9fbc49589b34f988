//! Delivery, at the pins of a NIC: the receive stream, the write channel, the doorbell.

use super::{ContractError, unexpected};
use crate::aql::{Layout, encode};
use crate::bus::MemoryTiming;
use crate::host::{
    HostQueue, Kernel, MatchEntry, Me, Process, ProcessConfig, Pt, Ring, me_option, portal_option,
    ptl_me_append, ptl_pt_alloc, xtq_register_kernel, xtq_register_queue,
};
use crate::node::{Buffer, ContextConfig, Message, Node, NodeConfig, Top};

/// Kernel of all messages.
const KERNEL: u16 = 42;
/// Queue of all messages.
const QUEUE: u16 = 5;
/// Bytes of kernel arguments and of payload.
const BYTES: usize = 64;
/// Where messages land.
const BUFFER: u64 = 0x4000_0000;
/// Bytes there.
const BUFFER_BYTES: u64 = 1 << 20;
/// The portal entry with a buffer, and the one with lists.
const SINGLE: Pt = Pt(0);
const LISTS: Pt = Pt(33);
/// The event ring.
const EVENTS: Ring = Ring {
    base: 0x3800_0000,
    size: 4096,
};
/// Cycles in which everything must be done.
const CYCLES: u64 = 50_000;
/// The queue that nobody reads.
const QUEUE_AT: HostQueue = HostQueue {
    base: 0x2000_0000,
    size: 4096,
    write_index_address: 0x2100_0000,
    read_index_address: 0x2100_0040,
    doorbell_address: 0x2200_0000,
    doorbell_plus_one: false,
    shared: false,
};

/// How messages find their buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One buffer of the portal entry.
    Buffer,
    /// The first entry of a match list.
    Lists,
}

impl Way {
    fn portal(self) -> Pt {
        match self {
            Self::Buffer => SINGLE,
            Self::Lists => LISTS,
        }
    }
}

/// A node whose process takes messages of [`smallest`], and puts.
pub struct Target {
    /// The node.
    pub node: Node,
    way: Way,
}

impl Target {
    /// A process with kernel, queue and a buffer at `start` bytes into its memory; `silent`: without events. Errors: of
    /// the node.
    pub(super) fn new(
        top: Top,
        way: Way,
        timing: MemoryTiming,
        start: u64,
        silent: bool,
    ) -> Result<Self, ContractError> {
        let node = Node::new(&NodeConfig {
            timing,
            top,
            ..NodeConfig::default()
        })?;
        Self::open(node, top, way, start, silent)
    }

    /// The same without events, and the inputs of all cycles are recorded. Errors: of the node.
    pub fn recorded(top: Top, way: Way, timing: MemoryTiming) -> Result<Self, ContractError> {
        let mut node = Node::new(&NodeConfig {
            timing,
            top,
            ..NodeConfig::default()
        })?;
        node.record();
        Self::open(node, top, way, 0, true)
    }

    fn open(
        mut node: Node,
        top: Top,
        way: Way,
        start: u64,
        silent: bool,
    ) -> Result<Self, ContractError> {
        let start = BUFFER + start;
        node.create_queue(0, &QUEUE_AT);
        match top {
            Top::Target => registers(&mut node)?,
            Top::Nic | Top::LargeNic | Top::SmallNic => commands(&mut node, way, start, silent)?,
        }
        if way == Way::Buffer {
            let buffer = Buffer {
                event_success: !silent,
                event_failure: !silent,
                ..Buffer::new(start, BUFFER_BYTES)
            };
            node.post_buffer(0, SINGLE.0 as u8, &buffer)?;
        }
        node.run_to_quiescence(CYCLES)?;
        Ok(Self { node, way })
    }

    /// Queues a message for the buffer.
    pub fn send(&mut self, message: &Message) {
        self.send_at(0, message);
    }

    /// The same, in this cycle at the earliest.
    pub fn send_at(&mut self, cycle: u64, message: &Message) {
        let portal_index = self.way.portal().0;
        let message = Message {
            portal_index,
            ..message.clone()
        };
        self.node.send_at(cycle, &message);
    }

    /// Runs until everything is delivered.
    pub fn settle(&mut self) -> Result<(), ContractError> {
        self.node.run_to_quiescence(CYCLES)?;
        Ok(())
    }

    /// The doorbells from write number `first` on: the cycle of their data, and the number of the last packet they say.
    pub(super) fn doorbells(&self, first: usize) -> Vec<(u64, u64)> {
        let log = self.node.memory.log()[first..].iter();
        let rung = log.filter(|record| record.writes(QUEUE_AT.doorbell_address));
        let last = |data: &[u8; 64]| {
            data[..8]
                .iter()
                .rev()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        rung.map(|record| (record.w_cycle, last(&record.data)))
            .collect()
    }

    /// What the queue's consumer would have read by now is free again.
    pub fn drain(&mut self) {
        use crate::bytes::Bytes;
        let memory = self.node.memory.memory_mut(0);
        let written = memory.read_u64(QUEUE_AT.write_index_address);
        memory.write_u64(QUEUE_AT.read_index_address, written);
    }
}

/// A context of the target side alone, set up through registers.
fn registers(node: &mut Node) -> Result<(), ContractError> {
    let config = ContextConfig {
        events: (EVENTS.base, EVENTS.size),
        ..ContextConfig::default()
    };
    node.open_context(0, &config)?;
    let Kernel {
        kernel,
        kernarg_size,
        rewrite_offset,
        buffer_pointer,
        completion_signal,
    } = kernel();
    node.register_kernel(
        0,
        KERNEL,
        buffer_pointer,
        kernarg_size,
        rewrite_offset,
        completion_signal,
        kernel,
    )?;
    node.register_queue(0, QUEUE, QUEUE_AT)?;
    Ok(())
}

/// A process of the whole NIC, set up by commands.
fn commands(node: &mut Node, way: Way, start: u64, silent: bool) -> Result<(), ContractError> {
    let config = ProcessConfig {
        events: EVENTS,
        ..ProcessConfig::default()
    };
    let mut process = Process::open(node, 0, &config)?;
    let mut commands = vec![
        xtq_register_kernel(KERNEL, &kernel()),
        xtq_register_queue(QUEUE, &QUEUE_AT),
    ];
    if way == Way::Lists {
        let events = if silent { me_option::COMM_DISABLE } else { 0 };
        commands.push(ptl_pt_alloc(LISTS, portal_option::MATCHING));
        commands.push(ptl_me_append(&MatchEntry {
            me: Me(7),
            pt_index: LISTS,
            start,
            length: BUFFER_BYTES,
            options: me_option::OP_PUT | me_option::MANAGE_LOCAL | events,
            ..MatchEntry::default()
        }));
    }
    Ok(process.post_all(node, &commands)?)
}

/// The kernel of all messages.
fn kernel() -> Kernel {
    Kernel {
        kernel: 0x7f00_0000,
        kernarg_size: BYTES as u32,
        rewrite_offset: 0,
        buffer_pointer: 0x5000_0000,
        completion_signal: 0x6000_0040,
    }
}

/// The smallest XTQ message: packet, 64 bytes of arguments, 64 bytes of payload; no acknowledgement.
pub fn smallest(id: u16) -> Message {
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
    let packet = packet.try_into().unwrap_or([0; 64]);
    let payload: Vec<u8> = (0..BYTES as u16).map(|i| (i * 7 + id) as u8).collect();
    Message::xtq(id, &packet, &[7; BYTES], &payload)
}

/// Beats a cycle of the receive stream with puts of a full packet each into a buffer at this offset. Errors: of the
/// node.
pub(super) fn stream_rate(top: Top, way: Way, start: u64) -> Result<f64, ContractError> {
    const PUTS: u16 = 20;
    let mut target = Target::new(top, way, MemoryTiming::ideal(), start, true)?;
    let before = target.node.received_beats().len();
    for id in 0..PUTS {
        let body = (0..4096u32).map(|i| (i * 5 + u32::from(id)) as u8);
        target.send(&Message::put(id, body.collect()));
    }
    target.settle()?;
    let beats = &target.node.received_beats()[before..];
    match (beats.first(), beats.last(), beats.len()) {
        (Some(first), Some(last), 1300) => Ok(1299.0 / (last - first) as f64),
        (.., count) => unexpected("the receive stream", format!("{count} beats")),
    }
}

/// How the write channel is used.
pub(super) struct WriteChannel {
    /// Share of the cycles in which it moves data, in the middle of the run.
    pub busy: f64,
    /// Beats a message.
    pub beats: f64,
}

/// So many smallest messages back to back. Errors: of the node.
pub(super) fn write_channel(
    top: Top,
    way: Way,
    timing: MemoryTiming,
    messages: u16,
) -> Result<WriteChannel, ContractError> {
    let mut target = Target::new(top, way, timing, 0, false)?;
    // The first one fills the caches.
    target.send(&smallest(0));
    target.settle()?;
    let writes = target.node.memory.log().len();
    for id in 1..=messages {
        target.send(&smallest(id));
    }
    target.settle()?;
    let log = &target.node.memory.log()[writes..];
    let mut cycles: Vec<u64> = log.iter().map(|record| record.w_cycle).collect();
    cycles.sort_unstable();
    let (first, last) = (cycles.len() / 3, cycles.len() * 2 / 3);
    let launched = log
        .iter()
        .filter(|record| record.line == QUEUE_AT.doorbell_address);
    if launched.count() == 0 {
        return unexpected("the write channel", "no doorbell");
    }
    Ok(WriteChannel {
        busy: (last - first) as f64 / (cycles[last] - cycles[first]) as f64,
        beats: cycles.len() as f64 / f64::from(messages),
    })
}

/// Cycles from the last beat of a smallest message to the data of its doorbell, the NIC idle and the caches warm.
/// Errors: of the node.
pub(super) fn doorbell(top: Top, way: Way) -> Result<f64, ContractError> {
    let mut target = Target::new(top, way, MemoryTiming::ideal(), 0, false)?;
    target.send(&smallest(0));
    target.settle()?;
    let writes = target.node.memory.log().len();
    target.send(&smallest(1));
    target.settle()?;
    let last_beat = target.node.received_beats().last().copied();
    let log = &target.node.memory.log()[writes..];
    let rung = log
        .iter()
        .find(|record| record.writes(QUEUE_AT.doorbell_address));
    match (last_beat, rung) {
        (Some(last_beat), Some(rung)) => Ok((rung.w_cycle - last_beat) as f64),
        _ => unexpected("the doorbell", "none"),
    }
}
