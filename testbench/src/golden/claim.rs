//! The golden model's places in shared queues: room, compare-and-swap, found full.

use xtq_types::event::{access, status};

use super::delivery::Delivery;
use super::enqueue::QueueEntry;
use crate::aql::slot_address;
use crate::bytes::Bytes;
use crate::tables::format::WIRE;
use crate::tables::{Outcome, Stop};

/// Whether there is room by these indices. Of those that were seen before others moved them the write index can be the
/// older one.
fn has_room(write: u64, read: u64, size: u64) -> bool {
    let used = write.wrapping_sub(read);
    used < size || used >> 63 == 1
}

impl Delivery {
    /// Claims a place in a shared queue for a message whose payload is written. Gives its packet id; if there is none,
    /// the outcome says why. Nobody else moves the write index meanwhile.
    pub(super) fn claim(
        &mut self,
        outcome: &mut Outcome,
        entry: &QueueEntry,
        key: (u8, u16),
        number: Option<usize>,
    ) -> Option<u64> {
        if outcome.status != status::OK {
            return None;
        }
        let context = key.0;
        let memory = &self.memories[usize::from(context)];
        let next = memory.read_u64(entry.write_index);
        let room = has_room(next, memory.read_u64(entry.read_index), entry.size);
        let slot = slot_address(entry.base, entry.size, next).filter(|_| room);
        if !self.claims(key, number, slot, outcome.landing.unwrap_or((0, 0))) {
            outcome.status = status::BAD_QUEUE_INDEX;
            return None;
        }
        let mut queue = *self.state.queues.get(&key)?;
        loop {
            if !has_room(queue.write, queue.read, entry.size) {
                match self.load(context, entry.read_index) {
                    Ok(read) => queue.read = read,
                    Err(failed) => {
                        (outcome.status, outcome.access) = failed;
                        return None;
                    }
                }
            }
            if !has_room(queue.write, queue.read, entry.size) {
                self.found_full(outcome);
                return None;
            }
            if self.faults.strike_swap(context, entry.write_index) {
                (outcome.status, outcome.access) = (status::MEMORY_ERROR, access::INDEX);
                self.fail_queue(key, number, Stop::Claim);
                return None;
            }
            if queue.write == next {
                break;
            }
            // Lost: the swap showed what others made of the index.
            queue.write = next;
        }
        queue.write = next.wrapping_add(1);
        self.memories[usize::from(context)].write_u64(entry.write_index, queue.write);
        self.state.queues.insert(key, queue);
        Some(next)
    }

    /// A shared queue is found full after the payload: flow control disables the portal entry, once.
    fn found_full(&mut self, outcome: &mut Outcome) {
        let index = WIRE.get(&outcome.header, "portal_index") as usize;
        let portal = &mut self.state.contexts[usize::from(outcome.context)].portals[index];
        outcome.status = match portal.flow_control && !portal.enabled {
            true => status::PT_DISABLED,
            false => status::QUEUE_FULL,
        };
        outcome.disabled = portal.flow_control && portal.enabled;
        portal.enabled &= !outcome.disabled;
    }
}
