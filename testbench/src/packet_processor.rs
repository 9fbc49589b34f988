//! The packet processor of a GPU: the consumer of one user-mode AQL queue.
//!
//! It follows the queue protocol of the HSA runtime specification and knows nothing of the hardware that fills the
//! queue. It looks only at ids that a doorbell has announced, and sees only what its memory shows it:
//!
//! * Launch is in order of packet id. A slot whose type is INVALID is waited for, never skipped.
//! * The barrier bit holds a packet, whatever its type, until every earlier packet is complete. Without it packets run
//!   side by side and complete in any order.
//! * Barrier-AND completes when each of its non-null signals *has been observed* 0 while the packet was active, at any
//!   time and not together. Barrier-OR completes when any of its non-null signals is observed 0; with none it never
//!   does. Both hold back all later packets and do not imply the barrier bit.
//! * Completion decrements the completion signal (if the handle is not 0) at once. Then, in order only, the slot's
//!   header becomes INVALID and the read index advances.
//! * A malformed packet ([`crate::packet_check`]) is an error when its turn to launch comes: the queue launches nothing
//!   further, for ever. Tasks already running still complete. Vendor specific packets (type 0, also a zeroed slot) are
//!   malformed here, since no vendor format is registered.
//! * An id is looked at only while `id - read index < size`: the slot of a later one still belongs to an earlier
//!   packet.
//!
//! Time is the caller's: [`PacketProcessor::step`] does everything that can be done now and returns what happened.

use crate::aql::{Header, PACKET_BYTES, Packet, field, packet_type, slot_address};
use crate::bytes::Bytes;
use crate::packet_check::{Checks, INVALID_PACKET_FORMAT, Malformed, check_packet};
use crate::signals::Signals;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// What a doorbell store carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum DoorbellValue {
    /// The id of the newest packet (HSA).
    #[default]
    PacketId,
    /// That id + 1 (AMD doorbell types 0 and 1).
    NextPacketId,
}

/// A queue as its consumer knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueConfig {
    /// Address of slot 0, a multiple of 64.
    pub base: u64,
    /// Number of slots, a power of two.
    pub size: u64,
    /// Id of the first packet to launch; also the first read index. 0 in a new queue.
    pub first_id: u64,
    /// Address of the 64-bit read index, if producers read it from memory.
    pub read_index_address: Option<u64>,
    /// What a doorbell store carries.
    pub doorbell: DoorbellValue,
    /// When a packet counts as malformed.
    pub checks: Checks,
}

/// A queue that cannot exist, or a task that does not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProcessorError {
    /// The size is not a power of two.
    #[error("queue size {0} is not a power of two")]
    Size(u64),
    /// The base is not a multiple of 64.
    #[error("queue base {0:#x} is not a multiple of 64")]
    Base(u64),
    /// The ring passes the end of the address space.
    #[error("a ring of {size} packets at {base:#x} does not fit 64-bit addresses")]
    Range {
        /// Base address.
        base: u64,
        /// Packets.
        size: u64,
    },
    /// The task was never launched, is a barrier packet, or has finished before.
    #[error("packet {0} is not running")]
    NotRunning(u64),
}

/// Something the processor did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A kernel or agent task starts; the caller ends it with [`PacketProcessor::finish`].
    Launch {
        /// Packet id.
        id: u64,
        /// The packet as it was read from its slot.
        packet: Packet,
    },
    /// A packet is complete and its completion signal decremented.
    Complete {
        /// Packet id.
        id: u64,
    },
    /// The packet cannot be launched; the queue is in the error state from now on.
    Error {
        /// Packet id.
        id: u64,
        /// Status given to the queue's error callback.
        code: u32,
        /// What is wrong with the packet.
        cause: Malformed,
    },
}

/// A barrier packet that is active: it is the newest one launched and holds back all later packets.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Barrier {
    id: u64,
    /// Barrier-AND, else barrier-OR.
    all: bool,
    /// Signals that have not yet been observed 0.
    waiting: Vec<u64>,
    signal: u64,
}

impl Barrier {
    fn new(id: u64, packet: &Packet) -> Self {
        let handles = field::DEP_SIGNAL.iter().map(|f| f.read(packet));
        Self {
            id,
            all: Header::of(packet).kind == packet_type::BARRIER_AND,
            waiting: handles.filter(|&handle| handle != 0).collect(),
            signal: field::COMPLETION_SIGNAL.read(packet),
        }
    }

    /// Looks at the signals once; whether the barrier is complete.
    fn observe<M: Signals + ?Sized>(&mut self, mem: &M) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|&handle| mem.load_signal(handle) != 0);
        match self.all {
            true => self.waiting.is_empty(),
            false => self.waiting.len() < before,
        }
    }
}

/// The consumer of one queue.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct PacketProcessor {
    config: QueueConfig,
    /// Ids below this were announced by a doorbell (running maximum).
    announced: u64,
    /// Next id to launch.
    next_id: u64,
    /// Id of the oldest packet not retired.
    read_index: u64,
    /// Running kernel and agent tasks: id to completion signal.
    running: BTreeMap<u64, u64>,
    /// Complete, but not retired because an earlier packet is not complete.
    complete: BTreeSet<u64>,
    barrier: Option<Barrier>,
    error: Option<u32>,
}

impl PacketProcessor {
    /// The processor of an empty queue, waiting for its first doorbell.
    pub fn new(config: QueueConfig) -> Result<Self, ProcessorError> {
        let (base, size) = (config.base, config.size);
        if !size.is_power_of_two() {
            return Err(ProcessorError::Size(size));
        }
        if base % PACKET_BYTES as u64 != 0 {
            return Err(ProcessorError::Base(base));
        }
        if slot_address(base, size, size - 1).is_none() {
            return Err(ProcessorError::Range { base, size });
        }
        Ok(Self {
            config,
            announced: config.first_id,
            next_id: config.first_id,
            read_index: config.first_id,
            running: BTreeMap::new(),
            complete: BTreeSet::new(),
            barrier: None,
            error: None,
        })
    }

    /// What the host does when it creates the queue: every slot's header becomes INVALID.
    pub fn clear_ring<M: Bytes + ?Sized>(&self, mem: &mut M) {
        for slot in 0..self.config.size {
            self.invalidate(slot, mem);
        }
    }

    /// A store to the queue's doorbell. Smaller values than before change nothing.
    pub fn doorbell(&mut self, value: u64) {
        let announced = match self.config.doorbell {
            DoorbellValue::PacketId => value.saturating_add(1),
            DoorbellValue::NextPacketId => value,
        };
        self.announced = self.announced.max(announced);
    }

    /// Does all that can be done now: observes signals, completes barrier packets, launches.
    pub fn step<M: Signals + ?Sized>(&mut self, mem: &mut M) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            if let Some(mut barrier) = self.barrier.take() {
                if !barrier.observe(mem) {
                    self.barrier = Some(barrier);
                    break;
                }
                events.push(self.complete(barrier.id, barrier.signal, mem));
            }
            let Some(packet) = self.fetch(mem) else { break };
            let id = self.next_id;
            if let Err(cause) = check_packet(&packet, self.config.checks) {
                let code = INVALID_PACKET_FORMAT;
                self.error = Some(code);
                events.push(Event::Error { id, code, cause });
                break;
            }
            self.next_id += 1;
            match Header::of(&packet).kind {
                packet_type::BARRIER_AND | packet_type::BARRIER_OR => {
                    self.barrier = Some(Barrier::new(id, &packet));
                }
                _ => {
                    let signal = field::COMPLETION_SIGNAL.read(&packet);
                    self.running.insert(id, signal);
                    events.push(Event::Launch { id, packet });
                }
            }
        }
        events
    }

    /// A running kernel or agent task ends. The caller steps the processor afterwards.
    pub fn finish<M: Signals + ?Sized>(
        &mut self,
        id: u64,
        mem: &mut M,
    ) -> Result<Event, ProcessorError> {
        match self.running.remove(&id) {
            Some(signal) => Ok(self.complete(id, signal, mem)),
            None => Err(ProcessorError::NotRunning(id)),
        }
    }

    /// Id of the oldest packet not retired: all earlier slots belong to the producers again.
    pub fn read_index(&self) -> u64 {
        self.read_index
    }

    /// Id of the next packet to launch.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Status of the queue's error, if it is in the error state.
    pub fn error(&self) -> Option<u32> {
        self.error
    }

    /// Ids of the kernel and agent tasks that run, oldest first.
    pub fn running(&self) -> impl Iterator<Item = u64> {
        self.running.keys().copied()
    }

    /// The next packet, if its turn to launch has come.
    fn fetch<M: Bytes + ?Sized>(&self, mem: &M) -> Option<Packet> {
        let id = self.next_id;
        let full = id - self.read_index >= self.config.size;
        if self.error.is_some() || id >= self.announced || full {
            return None;
        }
        let mut packet = [0; PACKET_BYTES];
        mem.read(self.slot(id), &mut packet);
        let header = Header::of(&packet);
        let held = header.barrier && self.read_index != id;
        (header.kind != packet_type::INVALID && !held).then_some(packet)
    }

    /// Decrements the completion signal and retires what is complete in order.
    fn complete<M: Signals + ?Sized>(&mut self, id: u64, signal: u64, mem: &mut M) -> Event {
        if signal != 0 {
            let value = mem.load_signal(signal);
            mem.store_signal(signal, value.wrapping_sub(1));
        }
        self.complete.insert(id);
        while self.complete.remove(&self.read_index) {
            self.invalidate(self.read_index, mem);
            self.read_index += 1;
            if let Some(address) = self.config.read_index_address {
                mem.write_u64(address, self.read_index);
            }
        }
        Event::Complete { id }
    }

    fn invalidate<M: Bytes + ?Sized>(&self, id: u64, mem: &mut M) {
        mem.write_u16(self.slot(id), u16::from(packet_type::INVALID));
    }

    fn slot(&self, id: u64) -> u64 {
        slot_address(self.config.base, self.config.size, id)
            .expect("`new` refused rings that do not fit")
    }
}
