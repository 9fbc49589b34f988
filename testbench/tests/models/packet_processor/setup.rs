//! A queue, its processor and its memory, driven by hand.

use xtq_testbench::aql::Packet;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_testbench::packet_check::Checks;
use xtq_testbench::packet_processor::{Event, PacketProcessor, ProcessorError, QueueConfig};
use xtq_testbench::signals::Signals;

pub const BASE: u64 = 0x1_0000;
/// Where the processor keeps the read index for producers.
pub const READ_INDEX: u64 = 0x2_0000;
/// Header bit 8.
pub const BARRIER_BIT: u8 = 1;

/// A packet typed by hand: type, high byte of the header, dependencies, completion signal.
pub fn packet(kind: u8, high: u8, deps: [u64; 5], signal: u64) -> Packet {
    let mut bytes = [0; 64];
    bytes[0] = kind;
    bytes[1] = high;
    if kind == 2 {
        bytes[2] = 1;
    }
    for (i, dep) in deps.iter().enumerate() {
        bytes[8 + 8 * i..16 + 8 * i].copy_from_slice(&dep.to_le_bytes());
    }
    bytes[56..].copy_from_slice(&signal.to_le_bytes());
    bytes
}

/// A kernel without barrier bit.
pub fn kernel(signal: u64) -> Packet {
    packet(2, 0, [0; 5], signal)
}

/// A barrier-AND packet without barrier bit.
pub fn barrier_and(deps: [u64; 5], signal: u64) -> Packet {
    packet(3, 0, deps, signal)
}

/// A barrier-OR packet without barrier bit.
pub fn barrier_or(deps: [u64; 5], signal: u64) -> Packet {
    packet(5, 0, deps, signal)
}

/// A queue under test; the log is one line for each event.
pub struct Queue {
    pub processor: PacketProcessor,
    pub memory: SparseMemory,
    pub size: u64,
}

impl Queue {
    pub fn new(size: u64) -> Self {
        Self::with(QueueConfig {
            base: BASE,
            size,
            read_index_address: Some(READ_INDEX),
            checks: Checks::Format,
            ..QueueConfig::default()
        })
    }

    pub fn with(config: QueueConfig) -> Self {
        let processor = PacketProcessor::new(config).expect("a legal queue");
        let mut memory = SparseMemory::new();
        processor.clear_ring(&mut memory);
        let size = config.size;
        Self {
            processor,
            memory,
            size,
        }
    }

    pub fn slot(&self, id: u64) -> u64 {
        BASE + 64 * (id % self.size)
    }

    /// Writes a whole slot.
    pub fn publish(&mut self, id: u64, packet: Packet) {
        self.memory.write(self.slot(id), &packet);
    }

    /// Publishes packets from id 0, rings the last id and steps.
    pub fn submit(&mut self, packets: &[Packet]) -> Vec<String> {
        for (id, packet) in packets.iter().enumerate() {
            self.publish(id as u64, *packet);
        }
        self.ring(packets.len() as u64 - 1)
    }

    pub fn step(&mut self) -> Vec<String> {
        self.processor
            .step(&mut self.memory)
            .iter()
            .map(line)
            .collect()
    }

    pub fn ring(&mut self, value: u64) -> Vec<String> {
        self.processor.doorbell(value);
        self.step()
    }

    pub fn store(&mut self, signal: u64, value: i64) -> Vec<String> {
        self.memory.store_signal(signal, value);
        self.step()
    }

    /// Ends a task that must be running.
    pub fn finish(&mut self, id: u64) -> Vec<String> {
        let mut log = vec![line(&self.try_finish(id).expect("the task runs"))];
        log.extend(self.step());
        log
    }

    pub fn try_finish(&mut self, id: u64) -> Result<Event, ProcessorError> {
        self.processor.finish(id, &mut self.memory)
    }

    pub fn signal(&self, handle: u64) -> i64 {
        self.memory.load_signal(handle)
    }

    /// The type of every slot.
    pub fn types(&self) -> Vec<u8> {
        let header = |slot| self.memory.read_u16(BASE + 64 * slot) as u8;
        (0..self.size).map(header).collect()
    }
}

/// An event as text.
pub fn line(event: &Event) -> String {
    match event {
        Event::Launch { id, .. } => format!("launch {id}"),
        Event::Complete { id } => format!("complete {id}"),
        Event::Error { id, code, .. } => format!("error {id} {code:#x}"),
    }
}
