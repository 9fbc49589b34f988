//! What happened to each message at which cycle.

use super::harness::{Node, Sent};
use super::trace::Trace;
use crate::aql::{Header, field, packet_type, slot_address};
use crate::bus::WriteRecord;
use crate::tables::format::{BYTES, WIRE};
use serde::{Deserialize, Serialize};
use xtq_types::wire_header::opcode;

/// The stations of one message, in clock cycles. A station that was not reached is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Node that sent it.
    pub source_node: u16,
    /// Number given by the sender.
    pub message_id: u16,
    /// What it is ([`opcode`](xtq_types::wire_header::opcode)). An acknowledgement only arrives.
    pub opcode: u8,
    /// Context it is for.
    pub context: u8,
    /// Its header beat was accepted.
    pub arrived: Option<u64>,
    /// The parser gave its head.
    pub parsed: Option<u64>,
    /// It was decided about.
    pub admitted: Option<u64>,
    /// The lookup of kernel or function was served from the cache.
    pub task_hit: bool,
    /// The lookup of the queue was served from the cache.
    pub queue_hit: bool,
    /// Its AQL packet was rewritten.
    pub rewritten: Option<u64>,
    /// The last byte of packet, arguments and payload in the buffer is visible (of XTQ puts that were enqueued).
    pub payload_visible: Option<u64>,
    /// Its header word in the queue is visible.
    pub enqueued: Option<u64>,
    /// A doorbell that announces it is visible.
    pub doorbell: Option<u64>,
    /// Its task starts.
    pub launched: Option<u64>,
    /// Its task is complete, the signal decremented.
    pub completed: Option<u64>,
    /// It left the pipeline.
    pub done: Option<u64>,
    /// Outcome ([`status`](xtq_types::event::status)).
    pub status: Option<u8>,
    /// Its event took its place in the ring of its context.
    pub told: Option<u64>,
    /// XTQ put that was enqueued: queue table index and packet id.
    pub packet: Option<(u16, u64)>,
    slot: Option<u8>,
    /// XTQ put: the queue asked for.
    queue_index: Option<u16>,
}

/// The writes that belong to one packet id of a queue.
struct Writes<'a> {
    log: &'a [WriteRecord],
    context: u8,
    from: u64,
}

impl<'a> Writes<'a> {
    fn all(&self) -> impl Iterator<Item = &'a WriteRecord> {
        let (context, from) = (self.context, self.from);
        let ours = move |r: &&WriteRecord| r.context == context && r.aw_cycle >= from;
        self.log.iter().filter(ours)
    }

    fn with_strobes(&self, line: u64, strobes: u64) -> Option<&'a WriteRecord> {
        self.all().find(|r| r.line == line && r.strobes == strobes)
    }

    /// When the last byte of the message at `landing` became visible.
    fn landed(&self, landing: u64, length: u64) -> Option<u64> {
        self.all()
            .filter(|r| r.touches(landing, length))
            .map(|r| r.visible_cycle)
            .max()
            .flatten()
    }

    fn doorbell(&self, address: u64, value: u64) -> Option<u64> {
        let at = (address % 64) as usize;
        let rung = |r: &WriteRecord| {
            r.data[at..at + 8]
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        let found = self.all().find(|r| r.writes(address) && rung(r) >= value);
        found.and_then(|r| r.visible_cycle)
    }
}

/// Where the message of an enqueued packet landed, from its rewritten fields.
fn landing(packet: &[u8; BYTES]) -> u64 {
    match Header::of(packet).kind {
        packet_type::AGENT_DISPATCH => field::ARG[1].read(packet),
        _ => field::KERNARG_ADDRESS.read(packet),
    }
    .wrapping_sub(BYTES as u64)
}

impl Node {
    /// The stations of every message sent, in the order of sending. A message that shares source node and number with
    /// an earlier one gets the pulses after that one's.
    pub fn timelines(&self) -> Vec<Timeline> {
        let beats = |sent: &Sent| self.streams.accepted(sent.class);
        let begin = |sent| begin(sent, beats(sent));
        let mut lines: Vec<Timeline> = self.sent.iter().map(begin).collect();
        for (cycle, trace) in self.trace.records() {
            follow(&mut lines, *cycle, *trace);
        }
        for (line, sent) in lines.iter_mut().zip(&self.sent) {
            self.follow_packet(line, sent);
        }
        lines
    }

    /// Adds what the memory and the GPU saw of an enqueued message.
    fn follow_packet(&self, line: &mut Timeline, sent: &Sent) {
        let Some((index, id)) = line.packet else {
            return;
        };
        let Some(queue) = self.queue(line.context, index) else {
            return;
        };
        let Some(slot) = slot_address(queue.base, queue.size.into(), id) else {
            return;
        };
        let writes = Writes {
            log: self.memory.log(),
            context: line.context,
            from: line.admitted.unwrap_or(0),
        };
        line.enqueued = writes.with_strobes(slot, 0xf).and_then(|r| r.visible_cycle);
        let value = id.wrapping_add(queue.doorbell_plus_one.into());
        line.doorbell = writes.doorbell(queue.doorbell_address, value);
        if let (Some(body), Some(header)) = (
            writes.with_strobes(slot, !0xf),
            writes.with_strobes(slot, 0xf),
        ) {
            let mut packet = body.data;
            packet[..4].copy_from_slice(&header.data[..4]);
            let length = WIRE.get(&sent.header, "message_length");
            line.payload_visible = writes.landed(landing(&packet), length);
        }
        let consumer = |gpu: &&super::gpu::Gpu| {
            (gpu.context(), gpu.doorbell()) == (line.context, queue.doorbell_address)
        };
        let gpu = self.gpus.iter().find(consumer);
        if let Some(run) = gpu.and_then(|gpu| gpu.runs().iter().find(|run| run.id == id)) {
            line.launched = Some(run.launched);
            line.completed = run.completed;
        }
    }
}

fn begin(sent: &Sent, beats: &[u64]) -> Timeline {
    let get = |name| WIRE.get(&sent.header, name);
    let xtq = get("opcode") == u64::from(opcode::XTQ_PUT);
    Timeline {
        source_node: get("source_node") as u16,
        message_id: get("message_id") as u16,
        opcode: get("opcode") as u8,
        context: get("target_context") as u8,
        arrived: match sent.inside {
            Some(cycle) => Some(cycle),
            None => beats.get(sent.beat).copied(),
        },
        queue_index: xtq.then_some(sent.queue_index as u16),
        ..Timeline::default()
    }
}

/// Gives a pulse to the first message that waits for it.
fn follow(lines: &mut [Timeline], cycle: u64, trace: Trace) {
    // Acknowledgements do not come into the pipeline; their numbers may be those of messages.
    let named = |line: &Timeline, source, message| {
        line.opcode != opcode::ACK && line.source_node == source && line.message_id == message
    };
    let holds = |line: &Timeline, slot| line.slot == Some(slot) && line.done.is_none();
    match trace {
        Trace::Parsed {
            source_node,
            message_id,
        } => {
            let waits = |l: &&mut Timeline| named(l, source_node, message_id) && l.parsed.is_none();
            if let Some(line) = lines.iter_mut().find(waits) {
                line.parsed = Some(cycle);
            }
        }
        Trace::Admitted {
            slot,
            source_node,
            message_id,
            task_hit,
            queue_hit,
            ..
        } => {
            let waits = |l: &&mut Timeline| {
                named(l, source_node, message_id) && l.parsed.is_some() && l.admitted.is_none()
            };
            if let Some(line) = lines.iter_mut().find(waits) {
                line.admitted = Some(cycle);
                (line.task_hit, line.queue_hit) = (task_hit, queue_hit);
                line.slot = Some(slot);
            }
        }
        Trace::Rewritten { slot } => {
            let waits = |l: &&mut Timeline| holds(l, slot) && l.rewritten.is_none();
            if let Some(line) = lines.iter_mut().find(waits) {
                line.rewritten = Some(cycle);
            }
        }
        Trace::Done {
            slot,
            status,
            packet_id,
        } => {
            if let Some(line) = lines.iter_mut().find(|line| holds(line, slot)) {
                line.done = Some(cycle);
                line.status = Some(status);
                let enqueued = status == xtq_types::event::status::OK;
                line.packet = line
                    .queue_index
                    .filter(|_| enqueued)
                    .map(|queue| (queue, packet_id));
            }
        }
        Trace::Told {
            context,
            source_node,
            message_id,
        } => {
            // Numbers of messages come again, and not every message has an event: the latest is meant.
            let is_of = |l: &&mut Timeline| {
                named(l, source_node, message_id) && l.context == context && l.admitted.is_some()
            };
            if let Some(line) = lines.iter_mut().rev().find(is_of) {
                line.told = Some(cycle);
            }
        }
        Trace::Taken { .. } | Trace::Opened { .. } => {}
    }
}
