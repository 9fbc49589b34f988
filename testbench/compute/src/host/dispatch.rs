//! Dispatch of a kernel by the host: the HSA way.

use super::{HostThread, ProgramError, Wait};
use crate::gpu::KernelPacket;
use crate::place::{Spent, World};
use xtq_testbench::aql::slot_address;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::tables::HostQueue;

/// Bytes of a packet, and of an index.
const PACKET: u64 = 64;
const INDEX: u64 = 8;

impl HostThread {
    /// Puts a kernel into a queue of the node's GPU and rings: reserves a slot by the write index, writes the packet,
    /// its header last, and stores the doorbell, which arrives as a store to a register does. Waits while the queue is
    /// full. Gives the packet id. Errors: the GPU does not serve the queue.
    pub async fn dispatch(
        &self,
        queue: &HostQueue,
        packet: &KernelPacket,
    ) -> Result<u64, ProgramError> {
        let instructions = self.with(|world| world.costs.aql_dispatch);
        self.work(instructions).await;
        let id = self.reserve(queue).await;
        let slot = slot_address(queue.base, queue.size.into(), id);
        let slot = slot.ok_or_else(|| ProgramError::new("a queue without slots"))?;
        let ns = self.with(|world| {
            world.access(self.id, queue.write_index_address, INDEX, true)
                + world.access(self.id, slot, PACKET, true)
        });
        self.spend(ns, Spent::Busy).await;
        self.with(|world| {
            world.memory_mut().write(slot, &packet.bytes());
            world.changed = true;
            let due = world.threads[self.id].clock + world.system.cpu.mmio_write_ns;
            let number = world.gpu.queue_of(queue.doorbell_address);
            let none =
                || ProgramError::new(format!("no GPU serves the queue at {:#x}", queue.base));
            world.ring(due, number.ok_or_else(none)?, id);
            Ok(id)
        })
    }

    /// The next packet id, when its slot is free.
    async fn reserve(&self, queue: &HostQueue) -> u64 {
        let size = u64::from(queue.size);
        let id = self.with(|world| {
            let id = world.memory().read_u64(queue.write_index_address);
            let next = id.wrapping_add(1);
            world
                .memory_mut()
                .write_u64(queue.write_index_address, next);
            id
        });
        let seen = |world: &mut World| {
            let indices = &world.threads[self.id].read_indices;
            indices.get(&queue.base).copied().unwrap_or(0)
        };
        // The read index is looked at only if the queue was full when it was looked at last.
        if id >= self.with(seen) + size {
            let (address, at_least) = (queue.read_index_address, id + 1 - size);
            self.wait(&[Wait::Word { address, at_least }]).await;
            self.with(|world| {
                let read = world.memory().read_u64(address);
                let indices = &mut world.threads[self.id].read_indices;
                indices.insert(queue.base, read);
            });
        }
        id
    }
}
