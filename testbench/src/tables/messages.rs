//! What the NIC knows of a message: from its first packet until its end is reported.

use super::format::BYTES;
use crate::aql::Packet;

/// How far the publication of a packet came. Each step is begun when the one before is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// The body of its slot and the write index.
    Slot,
    /// The header word.
    Header,
    /// The doorbell.
    Doorbell,
}

/// A packet id used up in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Queue table index.
    pub queue: u16,
    /// Packet id.
    pub packet_id: u64,
    /// Address of the packet's place in the ring.
    pub slot: u64,
    /// Address of the write index.
    pub write_index: u64,
    /// Address of the doorbell.
    pub doorbell: u64,
    /// Value rung.
    pub doorbell_value: u64,
    /// Other producers use the queue too.
    pub shared: bool,
    /// How far it came.
    pub reached: Reached,
    /// Its doorbell was written.
    pub announced: bool,
}

/// What becomes of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Header beat of its first packet.
    pub header: [u8; BYTES],
    /// Target context.
    pub context: u8,
    /// See [`status`](xtq_types::event::status).
    pub status: u8,
    /// See [`access`](xtq_types::event::access).
    pub access: u8,
    /// Where it lands: address and bytes; known of every message that met a portal entry.
    pub landing: Option<(u64, u64)>,
    /// It was admitted: what came of it was written there.
    pub accepted: bool,
    /// Local offset it uses; reported only of a delivered message.
    pub offset: u64,
    /// The id it used up, also for a slot that was repaired or a message that was stopped; none if it claimed none.
    pub task: Option<Task>,
    /// It made flow control disable its portal entry.
    pub disabled: bool,
    /// The event: address of its place and bytes.
    pub event: Option<(u64, [u8; BYTES])>,
    /// The acknowledgement.
    pub ack: Option<[u8; BYTES]>,
}

/// The entry of a kernel or function table, as bytes.
#[derive(Clone, Debug)]
pub(crate) struct TaskEntry {
    pub(crate) bytes: [u8; BYTES],
    pub(crate) agent: bool,
}

/// A message of which more packets are to come.
#[derive(Clone, Debug)]
pub struct OpenMessage {
    pub(crate) message: Accepted,
    /// Offset in the message of the next packet.
    pub(crate) expected: u64,
    /// A packet had the wrong length.
    pub(crate) bad: bool,
    /// Which of its context's places for open messages it takes.
    pub(crate) place: usize,
}

/// A message that passed every test at its first packet.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    /// Number in the order of admission, if it was admitted in this delivery.
    pub(crate) number: Option<usize>,
    pub(crate) outcome: Outcome,
    pub(crate) reports: Reports,
    pub(crate) command: Option<Command>,
}

/// What an XTQ put becomes.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) entry: TaskEntry,
    /// Queue table entry.
    pub(crate) queue: [u8; BYTES],
    pub(crate) queue_index: u16,
    /// The packet for the slot; rewritten when the message lands.
    pub(crate) packet: Packet,
}

/// What is to be reported of a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reports {
    pub(crate) success: bool,
    pub(crate) failure: bool,
    /// A place in the event ring is held.
    pub(crate) reserved: bool,
    pub(crate) queue_index: u16,
}
