//! Plays a case of kind `xtq` to the hardware: tables in memory, one message after the other, each to quiescence.
//!
//! Only the model's own surroundings lie at addresses a case does not name: tables, event ring, indices and doorbells
//! are in a part of the address space that the case's rings and buffers do not touch. A message whose landing address
//! is not 64 bytes after a line is placed there all the same; the hardware refuses it.

use std::collections::BTreeMap;

use xtq_types::event::status;

use super::NotRun;
use super::hex_bytes::{HexArray, HexBytes};
use super::xtq::{Enqueued, Given, Message, MessageResult, QueueResult, Results};
use crate::aql::{Header, PACKET_BYTES, packet_type, slot_address};
use crate::bytes::{Bytes, SparseMemory};
use crate::node::{Buffer, ContextConfig, Node, NodeConfig, NodeError};
use crate::tables::HostQueue;
use crate::tables::format::{BYTES, EVENT};

/// Cycles in which one message must be done.
const MESSAGE_CYCLES: u64 = 100_000;
/// Payload of each message: the cases give none.
const PAYLOAD: [u8; 64] = [0xa5; 64];
/// Bytes of everything the surroundings need: tables and ring in the first 16 MiB, then a line each for indices and
/// doorbells.
const SURROUNDINGS: u64 = 1 << 28;
/// Indices and doorbell of a queue, after the tables.
const QUEUE_PLACES: u64 = 1 << 24;
/// Most bytes of arguments whose length, with the packet, a header can express.
const MOST_ARGUMENTS: usize = u16::MAX as usize - BYTES;
/// Entries of a table; the hardware's largest queue table.
const ENTRIES: u32 = 64;

/// A case with its node.
struct Run<'a> {
    given: &'a Given,
    node: Node,
    /// First address of the surroundings.
    base: u64,
}

/// Runs the messages through the hardware.
pub(super) fn run(given: &Given) -> Result<Results, NotRun> {
    let base = free_part(given)?;
    let stopped = |error: NodeError| NotRun::Failed(format!("the hardware stopped: {error}"));
    let node = Node::new(&NodeConfig::default()).map_err(stopped)?;
    let mut run = Run { given, node, base };
    run.set_up()?;
    let mut results = Vec::new();
    for (number, message) in given.messages.iter().enumerate() {
        results.push(run.message(number, message)?);
    }
    let queues = given
        .queue_table
        .keys()
        .map(|index| (*index, run.queue_result(*index)));
    let queues = queues.collect();
    Ok(Results { results, queues })
}

fn malformed(why: impl std::fmt::Display) -> NotRun {
    NotRun::Malformed(why.to_string())
}

/// An address from which on nothing of the case lies within [`SURROUNDINGS`].
fn free_part(given: &Given) -> Result<u64, NotRun> {
    let rings = given.queue_table.values().map(|queue| {
        let bytes = queue.size.saturating_mul(PACKET_BYTES as u64);
        (queue.base, queue.base.saturating_add(bytes))
    });
    let buffers = given.messages.iter().map(|message| {
        let (start, length) = landing(message);
        (start, start.saturating_add(length))
    });
    let used: Vec<(u64, u64)> = rings.chain(buffers).collect();
    let candidates = (1..u64::MAX / SURROUNDINGS).map(|part| part * SURROUNDINGS);
    let free = |base: &u64| {
        used.iter()
            .all(|(start, end)| *end <= *base || base + SURROUNDINGS <= *start)
    };
    let mut candidates = candidates.take(2 * used.len() + 2);
    candidates
        .find(free)
        .ok_or_else(|| malformed("given: rings and buffers leave no room"))
}

/// Where a message must land, and its bytes.
fn landing(message: &Message) -> (u64, u64) {
    let start = message.kernarg_landing_addr.wrapping_sub(BYTES as u64);
    let bytes = BYTES + message.kernargs_hex.0.len() + PAYLOAD.len();
    (start, bytes as u64)
}

impl Run<'_> {
    fn queue(&self, index: u64) -> Result<HostQueue, NotRun> {
        let entry = self.given.queue_table.get(&index);
        let entry = entry.ok_or_else(|| malformed(format!("an event names queue {index}")))?;
        let size = entry
            .size
            .try_into()
            .map_err(|_| malformed("given.queue_table: size past 32 bits"))?;
        let places = self.base + QUEUE_PLACES + index * 4096;
        Ok(HostQueue {
            base: entry.base,
            size,
            write_index_address: places,
            read_index_address: places + 64,
            doorbell_address: places + 128,
            ..HostQueue::default()
        })
    }

    fn set_up(&mut self) -> Result<(), NotRun> {
        let (base, given) = (self.base, self.given);
        let table = |number: u64| (base + number * 65_536, ENTRIES);
        let config = ContextConfig {
            tables: [table(0), table(1), table(2)],
            events: (base + 3 * 65_536, 64),
        };
        self.node.open_context(0, &config).map_err(malformed)?;
        let narrow = |index: &u64| -> Result<u16, NotRun> {
            match u16::try_from(*index) {
                Ok(index) if u32::from(index) < ENTRIES => Ok(index),
                _ => Err(NotRun::unsupported(
                    "TABLES",
                    format!("table index {index} is past {ENTRIES} entries"),
                )),
            }
        };
        let word = |name: &str, value: u64| -> Result<u32, NotRun> {
            value
                .try_into()
                .map_err(|_| malformed(format!("given.kernel_table: {name} past 32 bits")))
        };
        for (index, entry) in &given.kernel_table {
            let size = word("kernarg_size", entry.kernarg_size)?;
            let offset = word("rewrite_offset", entry.rewrite_offset)?;
            let id = narrow(index)?;
            let (buffer, signal) = (entry.buffer_pointer, entry.completion_signal);
            self.node
                .register_kernel(0, id, buffer, size, offset, signal, entry.kernel)
                .map_err(malformed)?;
        }
        for (index, entry) in &given.function_table {
            let id = narrow(index)?;
            self.node
                .register_function(0, id, entry.buffer_pointer, entry.function)
                .map_err(malformed)?;
        }
        for (index, entry) in &given.queue_table {
            let (id, queue) = (narrow(index)?, self.queue(*index)?);
            // Slots keep the zeros of untouched memory: a ring may be too long to be filled with INVALID.
            let memory = self.node.memory.memory_mut(0);
            memory.write_u64(queue.write_index_address, entry.write_index);
            memory.write_u64(queue.read_index_address, entry.read_index);
            self.node.register_queue(0, id, queue).map_err(malformed)?;
        }
        Ok(())
    }

    fn message(&mut self, number: usize, message: &Message) -> Result<MessageResult, NotRun> {
        let (start, length) = landing(message);
        let behind = message
            .kernarg_landing_addr
            .wrapping_add(message.kernargs_hex.0.len() as u64);
        if behind != message.payload_landing_addr {
            let why =
                format!("given.messages[{number}]: the payload does not land behind the arguments");
            return Err(NotRun::unsupported("LANDING", why));
        }
        self.node
            .post_buffer(0, 0, &Buffer::new(start, length))
            .map_err(malformed)?;
        let (packet, arguments) = (&message.packet_hex.0, &message.kernargs_hex.0);
        if arguments.len() > MOST_ARGUMENTS {
            let why =
                format!("given.messages[{number}]: more than {MOST_ARGUMENTS} bytes of arguments");
            return Err(NotRun::unsupported("ARGUMENTS", why));
        }
        let wire = crate::node::Message::xtq(number as u16, packet, arguments, &PAYLOAD);
        self.node.send(&wire);
        self.node
            .run_to_quiescence(MESSAGE_CYCLES)
            .map_err(malformed)?;
        let events = self.node.take_events(0).map_err(malformed)?;
        let [event] = events.as_slice() else {
            return Err(malformed(format!(
                "messages[{number}] gave {} events",
                events.len()
            )));
        };
        let status = EVENT.get(event, "status") as u8;
        let enqueued = match status {
            status::OK => Some(self.enqueued(event, start, arguments.len())?),
            _ => None,
        };
        Ok(MessageResult {
            status: status_name(status),
            enqueued,
        })
    }

    /// What memory holds of an enqueued message.
    fn enqueued(
        &self,
        event: &[u8; BYTES],
        start: u64,
        arguments: usize,
    ) -> Result<Enqueued, NotRun> {
        let index = EVENT.get(event, "queue_index");
        let packet_id = EVENT.get(event, "packet_id");
        let queue = self.queue(index)?;
        let slot_addr = slot_address(queue.base, queue.size.into(), packet_id)
            .ok_or_else(|| malformed("the ring does not fit 64-bit addresses"))?;
        let memory: &SparseMemory = self.node.memory.memory(0);
        let mut packet = [0; BYTES];
        memory.read(slot_addr, &mut packet);
        let mut kernargs = vec![0; arguments];
        let kernarg_addr = start.wrapping_add(BYTES as u64);
        memory.read(kernarg_addr, &mut kernargs);
        let is_kernel = Header::of(&packet).kind == packet_type::KERNEL_DISPATCH;
        Ok(Enqueued {
            queue: index,
            packet_id,
            slot_addr,
            doorbell_value: memory.read_u64(queue.doorbell_address),
            packet_hex: HexArray(packet),
            kernargs_hex: HexBytes(kernargs),
            kernarg_addr: is_kernel.then_some(kernarg_addr),
        })
    }

    fn queue_result(&self, index: u64) -> QueueResult {
        let places = self.base + QUEUE_PLACES + index * 4096;
        let memory = self.node.memory.memory(0);
        let rung = self
            .node
            .memory
            .log()
            .iter()
            .filter(|record| record.writes(places + 128));
        let value = |data: &[u8]| {
            data.iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        QueueResult {
            write_index: memory.read_u64(places),
            read_index: memory.read_u64(places + 64),
            doorbells: rung.map(|record| value(&record.data[..8])).collect(),
        }
    }
}

/// Status codes as the cases call them.
fn status_name(code: u8) -> String {
    let names = BTreeMap::from([
        (status::OK, "enqueued"),
        (status::BAD_TYPE, "bad_type"),
        (status::BAD_ALIGNMENT, "bad_alignment"),
        (status::BAD_KERNEL_INDEX, "bad_kernel_index"),
        (status::BAD_FUNCTION_INDEX, "bad_function_index"),
        (status::BAD_KERNARG_SIZE, "bad_kernarg_size"),
        (status::BAD_QUEUE_INDEX, "bad_queue_index"),
        (status::QUEUE_FULL, "queue_full"),
        (status::BAD_QUEUE_SIZE, "bad_queue_size"),
    ]);
    names
        .get(&code)
        .map_or_else(|| format!("status {code}"), |name| (*name).to_owned())
}
