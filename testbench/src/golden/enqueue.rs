//! The second half of the golden delivery: landing, queues, publication, reports.

use xtq_types::event::{access, status};

use super::delivery::Delivery;
use super::delivery::Head;
use crate::aql::{Packet, slot_address};
use crate::bus::Access;
use crate::bytes::Bytes;
use crate::tables::format::{BYTES, QUEUE_ENTRY, WIRE};
use crate::tables::{Accepted, Command, Outcome, Queue, Reached, Reports, Stop, Task};

/// First word of the packet that fills a place whose message failed: a barrier-AND without dependencies.
const FILLER: u32 = 3;

/// A queue table entry, taken apart.
pub(super) struct QueueEntry {
    pub(super) size: u64,
    pub(super) shared: bool,
    plus_one: bool,
    pub(super) base: u64,
    pub(super) write_index: u64,
    pub(super) read_index: u64,
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
    /// Writes unless it fails; whether it did not.
    fn store(&mut self, context: u8, address: u64, bytes: &[u8]) -> bool {
        let length = bytes.len() as u64;
        let fails = self.faults.strike(context, Access::Write, address, length);
        if !fails {
            self.memories[usize::from(context)].write(address, bytes);
        }
        !fails
    }

    pub(super) fn load(&mut self, context: u8, address: u64) -> Result<u64, (u8, u8)> {
        if self.faults.strike(context, Access::Read, address, 8) {
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
        number: Option<usize>,
    ) -> Result<(), (u8, u8)> {
        let entry = QueueEntry::of(entry);
        let key = (context, index);
        if self.refuses(key, number) {
            return Err((status::BAD_QUEUE_INDEX, access::NONE));
        }
        if !entry.size.is_power_of_two() {
            return Err((status::BAD_QUEUE_SIZE, access::NONE));
        }
        if entry.shared && !self.atomics {
            return Err((status::SHARED_REFUSED, access::NONE));
        }
        let mut queue = match self.state.queues.get(&key) {
            Some(queue) => *queue,
            None => {
                let write = self.load(context, entry.write_index)?;
                let read = self.load(context, entry.read_index)?;
                Queue {
                    promised: write,
                    write,
                    read,
                    failure: None,
                }
            }
        };
        self.state.queues.insert(key, queue);
        if entry.shared {
            return Ok(());
        }
        let read = self.load(context, entry.read_index)?;
        if queue.promised.wrapping_sub(read) >= entry.size {
            return Err((status::QUEUE_FULL, access::NONE));
        }
        queue.promised = queue.promised.wrapping_add(1);
        self.state.queues.insert(key, queue);
        Ok(())
    }

    /// Writes a packet's body to where it belongs, the command rewritten.
    pub(super) fn land(&mut self, message: &mut Accepted, head: &Head) {
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
            number,
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
            self.enqueue(&mut outcome, &command, number);
        }
        self.report(outcome, reports);
    }

    fn enqueue(&mut self, outcome: &mut Outcome, command: &Command, number: Option<usize>) {
        let entry = QueueEntry::of(&command.queue);
        let context = outcome.context;
        let key = (context, command.queue_index);
        let packet_id = match entry.shared {
            true => self.claim(outcome, &entry, key, number),
            false => self.state.queues.get_mut(&key).map(|queue| {
                queue.write = queue.write.wrapping_add(1);
                queue.write.wrapping_sub(1)
            }),
        };
        let Some(packet_id) = packet_id else {
            return;
        };
        let Some(slot) = slot_address(entry.base, entry.size, packet_id) else {
            return;
        };
        let task = Task {
            queue: command.queue_index,
            packet_id,
            slot,
            write_index: entry.write_index,
            doorbell: entry.doorbell,
            doorbell_value: packet_id.wrapping_add(entry.plus_one.into()),
            shared: entry.shared,
            reached: Reached::Slot,
            announced: false,
        };
        let way = self.stop(key, number, &task);
        if let Err(access) = self.publish(outcome, task, &command.packet, way) {
            // A packet that does nothing needs no doorbell: its message keeps its error.
            if access != access::DOORBELL || outcome.status == status::OK {
                (outcome.status, outcome.access) = (status::MEMORY_ERROR, access);
            }
            let latest = match access {
                access::SLOT | access::INDEX => Stop::Header,
                access::HEADER => Stop::Doorbell,
                _ => Stop::Not,
            };
            self.fail_queue(key, number, latest);
        }
    }

    /// Slot body, write index, header word, doorbell, or what comes of them before `stop`. A failed message's place is
    /// filled with a packet that does nothing (its body perhaps also before it is stopped: `repaired`), and so is the
    /// place of one that is stopped in a shared queue. Errors: the access that failed.
    fn publish(
        &mut self,
        outcome: &mut Outcome,
        mut task: Task,
        packet: &Packet,
        (stop, repaired): (Stop, bool),
    ) -> Result<(), u8> {
        let context = outcome.context;
        let body_written = self.store(context, task.slot + 4, &packet[4..]);
        let next = task.packet_id.wrapping_add(1).to_le_bytes();
        let index_written = task.shared || self.store(context, task.write_index, &next);
        outcome.task = Some(task);
        let spoiled = outcome.status != status::OK;
        if stop == Stop::Header {
            let filled = task.shared && body_written;
            if filled || (spoiled && repaired) {
                let cleared = self.store(context, task.slot + 4, &[0; BYTES - 4]);
                if filled && cleared {
                    task.reached = Reached::Header;
                    outcome.task = Some(task);
                    self.store(context, task.slot, &FILLER.to_le_bytes());
                }
            }
            (outcome.status, outcome.access) = (status::BAD_QUEUE_INDEX, access::NONE);
            return Ok(());
        }
        if !body_written {
            return Err(access::SLOT);
        }
        if !index_written {
            return Err(access::INDEX);
        }
        let mut header = [packet[0], packet[1], packet[2], packet[3]];
        if spoiled {
            if !self.store(context, task.slot + 4, &[0; BYTES - 4]) {
                return Err(access::SLOT);
            }
            header = FILLER.to_le_bytes();
        }
        task.reached = Reached::Header;
        outcome.task = Some(task);
        let header_written = self.store(context, task.slot, &header);
        if stop == Stop::Doorbell {
            // Published and not announced, which of a packet that does nothing does not count, or not even published.
            if !header_written {
                (outcome.status, outcome.access) = (status::BAD_QUEUE_INDEX, access::NONE);
            } else if !spoiled {
                (outcome.status, outcome.access) = (status::MEMORY_ERROR, access::DOORBELL);
            }
            return Ok(());
        }
        if !header_written {
            return Err(access::HEADER);
        }
        task.reached = Reached::Doorbell;
        outcome.task = Some(task);
        if !self.store(context, task.doorbell, &task.doorbell_value.to_le_bytes()) {
            return Err(access::DOORBELL);
        }
        task.announced = true;
        outcome.task = Some(task);
        Ok(())
    }

    /// Posts the event, makes the acknowledgement.
    pub(super) fn report(&mut self, mut outcome: Outcome, reports: Reports) {
        let context = usize::from(outcome.context);
        if reports.reserved {
            self.state.contexts[context].events.reserved -= 1;
            let wanted = match outcome.status {
                status::OK => reports.success,
                _ => reports.failure || outcome.disabled,
            };
            if wanted {
                let dropped = self.tell_losses(outcome.context);
                let ring = &mut self.state.contexts[context].events;
                let place = ring.base + BYTES as u64 * u64::from(ring.produced % ring.size);
                let mut bytes = outcome.event_bytes(reports.queue_index, dropped);
                ring.produced = ring.produced.wrapping_add(1);
                if !self.store(outcome.context, place, &bytes) {
                    // The place counts as an event: the host finds what was there.
                    self.memories[context].read(place, &mut bytes);
                    self.counts.fail_event(outcome.context);
                }
                outcome.event = Some((place, bytes));
            }
        }
        self.counts.complete(&outcome);
        outcome.ack = outcome.ack_bytes(self.state.node);
        self.outcomes.push(outcome);
    }
}
