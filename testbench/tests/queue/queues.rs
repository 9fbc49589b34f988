//! Queues for the tests.

use rust_hdl::prelude::*;
use xtq_types::queue::QueueInfo;

/// A queue of the tests; its indices lie where nobody else's do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    pub context: u64,
    pub index: u64,
    pub size: u64,
    pub shared: bool,
}

impl Queue {
    pub const fn new(context: u64, index: u64, size: u64) -> Self {
        Self {
            context,
            index,
            size,
            shared: false,
        }
    }

    /// The same queue, to which others write too.
    pub const fn shared(self) -> Self {
        Self {
            shared: true,
            ..self
        }
    }

    pub fn key(self) -> u64 {
        self.context << 6 | self.index
    }

    /// Same for all contexts, so that mixing contexts up shows.
    pub fn write_index(self) -> u64 {
        0x1_0000 + self.index * 24
    }

    pub fn read_index(self) -> u64 {
        0x2_0000 + self.index * 40
    }

    pub fn ring(self) -> u64 {
        0x100_0000 + self.index * 0x1000
    }

    pub fn doorbell(self) -> u64 {
        0x3_0000 + self.index * 8
    }

    /// Address of the slot of packet `id`.
    pub fn slot(self, id: u64) -> u64 {
        self.ring() + 64 * (id % self.size)
    }

    /// What is rung for packet `id`.
    pub fn bell(self, id: u64) -> u64 {
        id.wrapping_add(self.index & 1)
    }

    pub fn info(self) -> QueueInfo {
        QueueInfo {
            index: self.index.to_bits(),
            doorbell_plus_one: (self.index & 1).to_bits(),
            shared: u64::from(self.shared).to_bits(),
            size: self.size.to_bits(),
            ring_base: self.ring().to_bits(),
            write_index_address: self.write_index().to_bits(),
            read_index_address: self.read_index().to_bits(),
            doorbell_address: self.doorbell().to_bits(),
        }
    }
}
