//! Messages as the tests make them.

use rust_hdl::prelude::ToBits;
use xtq_types::pipe::PacketHead;

pub const KERNEL: u64 = 0;
pub const FUNCTION: u64 = 1;
pub const QUEUE: u64 = 2;

/// A message as the test made it.
#[derive(Clone, Debug)]
pub struct Packet {
    pub head: PacketHead,
    pub aql: [u64; 8],
}

impl Packet {
    pub fn put() -> Self {
        let head = PacketHead {
            first: 1u64.to_bits(),
            ..PacketHead::default()
        };
        Self {
            head,
            aql: [u64::MAX; 8],
        }
    }

    /// The first packet of an XTQ put; `task` is the kernel or function index.
    pub fn xtq(packet_type: u64, context: u64, task: u64, queue: u64) -> Self {
        let mut aql = [0x5555_5555_5555_5555; 8];
        aql[0] = 0x1234_5678_9abc_1500 | packet_type;
        aql[if packet_type == 4 { 1 } else { 4 }] = task;
        aql[6] = queue;
        let head = PacketHead {
            xtq: 1u64.to_bits(),
            first: 1u64.to_bits(),
            context: context.to_bits(),
            ..PacketHead::default()
        };
        Self { head, aql }
    }

    pub fn asks(&self) -> bool {
        self.head.xtq.any() && self.head.first.any() && matches!(self.aql[0] & 255, 2 | 4)
    }

    /// Kind and index of the task and of the queue entry.
    pub fn entries(&self) -> [(u64, u64); 2] {
        let task = match self.aql[0] & 255 {
            4 => (FUNCTION, self.aql[1]),
            _ => (KERNEL, self.aql[4]),
        };
        [task, (QUEUE, self.aql[6])]
    }
}
