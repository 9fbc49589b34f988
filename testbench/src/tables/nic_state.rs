//! What the NIC knows between messages: tables, portal entries, event rings, queues, open messages.
//!
//! The host model writes the part the host configures; the golden model moves the rest on.

use std::collections::BTreeMap;

use super::messages::OpenMessage;

/// Contexts of the NIC.
pub const CONTEXTS: usize = 4;
/// Portal entries of a context.
pub const PORTALS: usize = 16;

/// A lookup table in the context's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Address of entry 0, 64-byte aligned.
    pub base: u64,
    /// Entries.
    pub entries: u32,
}

/// An event ring in the context's memory. Counts run on and wrap at 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventRing {
    /// Address of place 0.
    pub base: u64,
    /// Places, a power of two; 0: no ring.
    pub size: u32,
    /// Events posted.
    pub produced: u32,
    /// Events taken by the host.
    pub consumed: u32,
    /// Places held by messages under way.
    pub reserved: u32,
    /// Events lost since the last one posted, at most 255.
    pub dropped: u8,
}

impl EventRing {
    /// Places that are neither filled nor held.
    pub fn free(&self) -> u32 {
        let used = self.produced.wrapping_sub(self.consumed) + self.reserved;
        self.size.saturating_sub(used)
    }
}

/// A portal entry: one locally managed receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Portal {
    /// Takes messages.
    pub enabled: bool,
    /// Exhaustion disables the entry.
    pub flow_control: bool,
    /// Event for a delivered message.
    pub event_success: bool,
    /// Event for a failed message.
    pub event_failure: bool,
    /// Address of the buffer.
    pub start: u64,
    /// Bytes of the buffer.
    pub length: u64,
    /// Offset at which the next message lands.
    pub offset: u64,
    /// Bytes after the offset as of the last enable and the messages since.
    pub remaining: u64,
}

/// A process.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Takes messages.
    pub enabled: bool,
    /// Kernel, function and queue table, by [`table_id`](xtq_types::tables::table_id).
    pub tables: [Table; 3],
    /// Event ring.
    pub events: EventRing,
    /// Portal table.
    pub portals: [Portal; PORTALS],
}

/// Where a message was stopped because its queue had failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// In front of its place in a shared queue.
    Claim,
    /// In front of its header word. Its place in a shared queue is filled.
    Header,
    /// After its header word, in front of its doorbell.
    Doorbell,
    /// Nowhere.
    Not,
}

/// What the NIC keeps of a queue it has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Next id to promise; those below are given away.
    pub promised: u64,
    /// Next id to write; those below are in the ring. Of a shared queue as last seen: others move it on.
    pub write: u64,
    /// Shared queue: read index as last seen.
    pub read: u64,
    /// A write to it failed: it publishes nothing more until its entry is registered again.
    pub failure: Option<QueueFailure>,
}

/// A queue that has failed, and how far its messages under way may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFailure {
    /// Where the next message is stopped at the latest.
    pub gate: Stop,
    /// The message whose write failed was met; else only one in front of it that the failure stopped.
    pub met: bool,
    /// Cycle in which the message that was met left the NIC: from then on every stage stops what comes to it.
    pub known: u64,
    /// A message was refused at admission, so all later ones are.
    pub refuses: bool,
}

/// Where a message comes from and goes to: source node, source context, context.
pub type Source = (u16, u8, u8);

/// Everything the NIC knows.
#[derive(Clone, Debug, Default)]
pub struct NicState {
    /// This node.
    pub node: u16,
    /// The contexts.
    pub contexts: [Context; CONTEXTS],
    /// Queues used since their entry was registered, by context and index.
    pub queues: BTreeMap<(u8, u16), Queue>,
    /// Messages of which more packets are to come.
    pub open: BTreeMap<Source, OpenMessage>,
}
