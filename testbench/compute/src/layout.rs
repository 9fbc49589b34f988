//! `Layout`: where the things of a process lie in its memory.

use std::ops::Range;
use xtq_testbench::host::{HostQueue, ProcessConfig, Ring};

/// Addresses of context 0 of each node.
#[derive(Clone, Copy, Debug)]
pub struct Layout;

/// Between two queues of the GPU.
const QUEUE_STRIDE: u64 = 0x1_0000;
/// Between two signals: a line each.
const SIGNAL_STRIDE: u64 = 64;

impl Layout {
    /// Places of the event ring.
    pub const EVENTS: u32 = 1024;
    /// Places of the command ring.
    pub const COMMANDS: u32 = 256;
    /// Packets of a queue of the GPU.
    pub const PACKETS: u32 = 256;
    /// From here on memory is the program's.
    pub const HEAP: u64 = 0x1_0000_0000;
    const REGISTERS: u64 = 0x2000_0000;
    const QUEUES: u64 = 0x3000_0000;
    const SIGNALS: u64 = 0x4000_0000;

    /// Rings and tables.
    pub(crate) fn process() -> ProcessConfig {
        ProcessConfig {
            commands: Ring {
                base: 0x1010_0000,
                size: Self::COMMANDS,
            },
            events: Ring {
                base: 0x1020_0000,
                size: Self::EVENTS,
            },
            ..ProcessConfig::default()
        }
    }

    /// Addresses of the command ring.
    pub fn commands() -> Range<u64> {
        let ring = Self::process().commands;
        ring.base..ring.base + u64::from(ring.size) * 128
    }

    /// Addresses of the event ring.
    pub fn events() -> Range<u64> {
        let ring = Self::process().events;
        ring.base..ring.base + u64::from(ring.size) * 64
    }

    /// Queue `number` of the GPU.
    pub fn queue(number: u16) -> HostQueue {
        let base = Self::QUEUES + u64::from(number) * QUEUE_STRIDE;
        let after = base + u64::from(Self::PACKETS) * 64;
        HostQueue {
            base,
            size: Self::PACKETS,
            write_index_address: after,
            read_index_address: after + 64,
            doorbell_address: after + 128,
            ..HostQueue::default()
        }
    }

    /// Where a device finds a register of the NIC, for the mailbox of a signal.
    pub fn register(register: u16) -> u64 {
        Self::REGISTERS + u64::from(register)
    }

    /// The register at an address.
    pub(crate) fn register_at(address: u64) -> Option<u16> {
        u16::try_from(address.checked_sub(Self::REGISTERS)?).ok()
    }

    /// HSA handle of signal `number`: an `amd_signal_t`, of which the value is 8 bytes further, the mailbox 16 and the
    /// event 24.
    pub fn signal(number: u64) -> u64 {
        Self::SIGNALS + number * SIGNAL_STRIDE
    }
}
