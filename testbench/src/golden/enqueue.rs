//! The second half of the golden delivery: landing, queues, publication, reports.

use xtq_rtl::types::event::{access, status};

use super::arrival::Head;
use super::delivery::{Accepted, Command, Delivery, OpenMessage, Reports};
use super::outcome::{Outcome, Task};
use super::state::Queue;
use crate::aql::{Packet, slot_address};
use crate::bus::Access;
use crate::bytes::Bytes;
use crate::node::format::{BYTES, QUEUE_ENTRY, WIRE};

/// First word of the packet that fills a place whose message failed: a barrier-AND without dependencies.
const FILLER: u32 = 3;

/// A queue table entry, taken apart.
struct QueueEntry {
    size: u64,
    shared: bool,
    plus_one: bool,
    base: u64,
    write_index: u64,
    read_index: u64,
    doorbell: u64,
}

impl QueueEntry {
    fn of(bytes: &[u8; BYTES]) -> Self {
        let get = |name| QUEUE_ENTRY.get(bytes, name);
        Self {
            size: get("size"),
            shared: get("shared") == 1,
            plus_one: get("doorbell_plus_one") == 1,
            base: get("ring_base"),
            write_index: get("write_index_address"),
            read_index: get("read_index_address"),
            doorbell: get("doorbell_address"),
        }
    }
}

impl Delivery {
    /// Whether an access touches a fault.
    pub(super) fn fails(&self, context: u8, access: Access, address: u64, bytes: u64) -> bool {
        let last = address.saturating_add(bytes.saturating_sub(1));
        self.faults.iter().any(|fault| {
            fault.context.is_none_or(|c| c == context)
                && (fault.access == Access::Both || fault.access == access)
                && *fault.addresses.start() <= last
                && address <= *fault.addresses.end()
        })
    }

    /// Writes unless it fails; whether it did not.
    fn store(&mut self, context: u8, address: u64, bytes: &[u8]) -> bool {
        let fails = self.fails(context, Access::Write, address, bytes.len() as u64);
        if !fails {
            self.memories[usize::from(context)].write(address, bytes);
        }
        !fails
    }

    fn load(&self, context: u8, address: u64) -> Result<u64, (u8, u8)> {
        if self.fails(context, Access::Read, address, 8) {
            return Err((status::MEMORY_ERROR, access::INDEX));
        }
        Ok(self.memories[usize::from(context)].read_u64(address))
    }

    /// Promises a place in a queue; the first use opens it. Errors: status and access.
    pub(super) fn promise(
        &mut self,
        context: u8,
        index: u16,
        entry: &[u8; BYTES],
    ) -> Result<(), (u8, u8)> {
        let entry = QueueEntry::of(entry);
        let key = (context, index);
        if entry.shared && !self.atomics {
            return Err((status::SHARED_REFUSED, access::NONE));
        }
        if !self.state.queues.contains_key(&key) {
            if !entry.size.is_power_of_two() {
                return Err((status::BAD_QUEUE_SIZE, access::NONE));
            }
            let write = self.load(context, entry.write_index)?;
            self.load(context, entry.read_index)?;
            let promised = write;
            self.state
                .queues
                .insert(key, Queue::Open { promised, write });
        }
        let Some(Queue::Open { promised, write }) = self.state.queues.get(&key).copied() else {
            return Err((status::BAD_QUEUE_INDEX, access::NONE));
        };
        if entry.shared {
            return Ok(());
        }
        let read = self.load(context, entry.read_index)?;
        if promised.wrapping_sub(read) >= entry.size {
            return Err((status::QUEUE_FULL, access::NONE));
        }
        let promised = promised.wrapping_add(1);
        self.state
            .queues
            .insert(key, Queue::Open { promised, write });
        Ok(())
    }

    /// Writes a packet's body to where it belongs, the command rewritten.
    pub(super) fn land(&mut self, open: &mut OpenMessage, head: &Head) {
        let message = &mut open.message;
        let Some((landing, _)) = message.outcome.landing else {
            return;
        };
        let mut body = head.body.to_vec();
        if let (Some(command), 0) = (&mut message.command, head.offset) {
            let length = WIRE.get(&head.header, "command_length");
            command.entry.rewrite(&mut body, landing, length);
            command.packet.copy_from_slice(&body[..BYTES]);
        }
        let context = message.outcome.context;
        if !body.is_empty() && !self.store(context, landing.wrapping_add(head.offset), &body) {
            (message.outcome.status, message.outcome.access) =
                (status::MEMORY_ERROR, access::PAYLOAD);
        }
    }

    /// All packets of a message came, or it was broken off (`bad`).
    pub(super) fn complete(&mut self, message: Accepted, bad: bool) {
        let Accepted {
            mut outcome,
            reports,
            command,
        } = message;
        if bad && outcome.status == status::OK {
            outcome.status = status::BAD_LENGTH;
        }
        if outcome.status != status::OK
            && let Some((landing, length)) = outcome.landing
        {
            self.undefined.push((outcome.context, landing, length));
        }
        if let Some(command) = command {
            self.enqueue(&mut outcome, &command);
        }
        self.report(outcome, reports);
    }

    fn enqueue(&mut self, outcome: &mut Outcome, command: &Command) {
        let entry = QueueEntry::of(&command.queue);
        let context = outcome.context;
        let key = (context, command.queue_index);
        let Some(Queue::Open {
            promised,
            mut write,
        }) = self.state.queues.get(&key).copied()
        else {
            return;
        };
        if entry.shared {
            write = self.memories[usize::from(context)].read_u64(entry.write_index);
            let read = self.memories[usize::from(context)].read_u64(entry.read_index);
            if outcome.status != status::OK {
                return;
            }
            if write.wrapping_sub(read) >= entry.size {
                return self.found_full(outcome);
            }
        }
        let packet_id = write;
        write = write.wrapping_add(1);
        self.state
            .queues
            .insert(key, Queue::Open { promised, write });
        let Some(slot) = slot_address(entry.base, entry.size, packet_id) else {
            return;
        };
        let doorbell_value = if entry.plus_one { write } else { packet_id };
        let task = Task {
            queue: command.queue_index,
            packet_id,
            slot,
            write_index: entry.write_index,
            doorbell: entry.doorbell,
            doorbell_value,
        };
        if let Err(access) = self.publish(outcome, &task, &command.packet) {
            (outcome.status, outcome.access) = (status::MEMORY_ERROR, access);
            self.state.queues.insert(key, Queue::Failed);
        }
    }

    /// A shared queue is found full behind the payload: flow control disables the portal entry, once.
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

    /// Slot body, write index, header word, doorbell; a failed message's place is filled with a packet that does nothing.
    /// Errors: the access that failed.
    fn publish(&mut self, outcome: &mut Outcome, task: &Task, packet: &Packet) -> Result<(), u8> {
        let context = outcome.context;
        let body_written = self.store(context, task.slot + 4, &packet[4..]);
        let next = task.packet_id.wrapping_add(1).to_le_bytes();
        let index_written = self.store(context, task.write_index, &next);
        outcome.task = Some(*task);
        if !body_written {
            return Err(access::SLOT);
        }
        if !index_written {
            return Err(access::INDEX);
        }
        let mut header = [packet[0], packet[1], packet[2], packet[3]];
        if outcome.status != status::OK {
            self.store(context, task.slot + 4, &[0; BYTES - 4]);
            header = FILLER.to_le_bytes();
        }
        if !self.store(context, task.slot, &header) {
            return Err(access::HEADER);
        }
        if !self.store(context, task.doorbell, &task.doorbell_value.to_le_bytes()) {
            return Err(access::DOORBELL);
        }
        Ok(())
    }

    /// Posts the event, makes the acknowledgement.
    pub(super) fn report(&mut self, mut outcome: Outcome, reports: Reports) {
        let context = usize::from(outcome.context);
        let ring = &mut self.state.contexts[context].events;
        if reports.reserved {
            ring.reserved -= 1;
            let wanted = match outcome.status {
                status::OK => reports.success,
                _ => reports.failure || outcome.disabled,
            };
            if wanted {
                let place = ring.base + BYTES as u64 * u64::from(ring.produced % ring.size);
                let bytes = outcome.event_bytes(reports.queue_index, ring.dropped);
                ring.produced = ring.produced.wrapping_add(1);
                ring.dropped = 0;
                self.memories[context].write(place, &bytes);
                outcome.event = Some((place, bytes));
            }
        }
        outcome.ack = outcome.ack_bytes(self.state.node);
        self.outcomes.push(outcome);
    }
}
