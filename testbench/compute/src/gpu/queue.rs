//! `Queue`: a user-mode queue as the command processor serves it.

use super::kernel::work_items;
use std::collections::VecDeque;
use xtq_testbench::aql::Packet;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_testbench::packet_processor::{Event, PacketProcessor, ProcessorError, QueueConfig};
use xtq_testbench::signals::Signals;
use xtq_testbench::tables::HostQueue;

/// Memory that takes note of what is written.
pub(super) struct Noted<'a> {
    pub(super) memory: &'a mut SparseMemory,
    /// Address and length of each write.
    pub(super) written: Vec<(u64, u64)>,
}

impl<'a> Noted<'a> {
    pub(super) fn new(memory: &'a mut SparseMemory) -> Self {
        Self {
            memory,
            written: Vec::new(),
        }
    }
}

impl Bytes for Noted<'_> {
    fn read(&self, address: u64, out: &mut [u8]) {
        self.memory.read(address, out);
    }

    fn write(&mut self, address: u64, data: &[u8]) {
        self.memory.write(address, data);
        self.written.push((address, data.len() as u64));
    }
}

impl Signals for Noted<'_> {}

/// A doorbell on its way through the command processor.
#[derive(Clone, Copy, Debug)]
struct Ring {
    /// When it was rung.
    rung: u64,
    /// When the packets that it announces have been read, ns.
    read: f64,
    value: u64,
}

/// A packet that was read.
pub(super) struct Read {
    pub(super) id: u64,
    pub(super) packet: Packet,
    /// When the newest doorbell that announced it was rung.
    pub(super) rung: u64,
}

impl Read {
    /// Work-items of the grid.
    pub(super) fn work_items(&self) -> u64 {
        work_items(&self.packet)
    }
}

/// One queue's consumer.
pub(super) struct Queue {
    pub(super) queue: HostQueue,
    processor: PacketProcessor,
    rings: VecDeque<Ring>,
    /// The doorbell that was looked at last.
    last: u64,
    /// What was wrong with the packet that stopped the queue.
    pub(super) error: Option<String>,
}

impl Queue {
    /// The consumer of an empty queue. Errors: the queue cannot exist.
    pub(super) fn new(queue: HostQueue) -> Result<Self, ProcessorError> {
        let config = QueueConfig {
            base: queue.base,
            size: queue.size.into(),
            read_index_address: Some(queue.read_index_address),
            ..QueueConfig::default()
        };
        Ok(Self {
            queue,
            processor: PacketProcessor::new(config)?,
            rings: VecDeque::new(),
            last: 0,
            error: None,
        })
    }

    /// The doorbell became visible in cycle `now`; packets are read at `read`, ns.
    pub(super) fn ring(&mut self, now: u64, read: f64, value: u64) {
        // Packets are read in order.
        let read = self.rings.back().map_or(read, |ring| ring.read.max(read));
        let rung = now;
        self.rings.push_back(Ring { rung, read, value });
    }

    pub(super) fn is_idle(&self) -> bool {
        self.rings.is_empty()
    }

    pub(super) fn next_event(&self) -> u64 {
        let first = self.rings.front();
        first.map_or(u64::MAX, |ring| ring.read.ceil() as u64)
    }

    /// The packets whose turn it is in cycle `now`.
    pub(super) fn step(&mut self, now: u64, memory: &mut Noted) -> Vec<Read> {
        while let Some(ring) = self.rings.front().copied()
            && ring.read <= now as f64
        {
            self.rings.pop_front();
            self.last = ring.rung;
            self.processor.doorbell(ring.value);
        }
        let mut reads = Vec::new();
        for event in self.processor.step(memory) {
            match event {
                Event::Launch { id, packet } => reads.push(Read {
                    id,
                    packet,
                    rung: self.last,
                }),
                Event::Error { id, code, cause } => {
                    self.error = Some(format!("packet {id}: {cause} (status {code:#x})"));
                }
                Event::Complete { .. } => {}
            }
        }
        reads
    }

    /// A kernel has ended: its signal is decremented, its slot given back. Errors: it does not run.
    pub(super) fn finish(&mut self, id: u64, memory: &mut Noted) -> Result<(), ProcessorError> {
        self.processor.finish(id, memory).map(|_| ())
    }
}
