//! What a node holds: portals, match entries, memory descriptors, counters, and their limits (rules 1 of
//! `docs/portals-model.md`).

use super::codes::{MdOption, MdOptions, MeOption, MeOptions};
use super::ids::{CounterId, EntryId, Portal, QueueId, Rank};
use super::iovec::Buffer;
use super::message::{Request, RequestKind};
use crate::aql::PACKET_BYTES;
use crate::tables::{List, NiFail};

/// How much of everything there may be (rules 1 of `docs/portals-model.md`; the reference's defaults).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Match entries of a node, linked, waiting for their headers to be taken, or promised to a pending append.
    pub max_entries: u64,
    /// Unexpected headers of a node.
    pub max_unexpected_headers: u64,
    /// Memory descriptors.
    pub max_mds: u64,
    /// Counters.
    pub max_cts: u64,
    /// Entries of one list of a portal.
    pub max_list_size: u64,
    /// Pending triggered operations of a node.
    pub max_triggered_ops: u64,
    /// The last portal.
    pub max_pt_index: u32,
    /// Bytes of a put or get.
    pub max_msg_size: u64,
    /// Bytes of an atomic.
    pub max_atomic_size: u64,
    /// Bytes of a fetch or a swap.
    pub max_fetch_atomic_size: u64,
    /// Bytes of a put from a volatile descriptor.
    pub max_volatile_size: u64,
    /// Pieces of a list.
    pub max_iovecs: u64,
    /// Entries of each of the tables of kernels, functions and queues.
    pub max_tasks: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_entries: 1024,
            max_unexpected_headers: 1024,
            max_mds: 1024,
            max_cts: 1024,
            max_list_size: 1024,
            max_triggered_ops: 1024,
            max_pt_index: 63,
            max_msg_size: 1 << 30,
            max_atomic_size: 512,
            max_fetch_atomic_size: 512,
            max_volatile_size: 8,
            max_iovecs: 1024,
            max_tasks: 64,
        }
    }
}

/// What a node is built from.
#[derive(Clone, Debug, Default)]
pub struct NodeConfig {
    /// Limits.
    pub limits: Limits,
    /// Address and bytes of each piece of memory; there is nothing else.
    pub memory: Vec<(u64, usize)>,
    /// Places of each event queue.
    pub queues: Vec<usize>,
    /// What a counter reaches runs by [`super::Action::Fire`] only, as hardware may do other things first; else every
    /// call runs it before it returns.
    pub fires_by_step: bool,
    /// Atomics that land at no multiple of their datum fail with OP_VIOLATION, as in the hardware (`docs/atomics.md`);
    /// Portals does not ask for it.
    pub aligned_atomics: bool,
}

/// What PtlPTAlloc is given (rules 1, 4 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortalOptions {
    /// Exhaustion disables the portal instead of dropping the message.
    pub flowctrl: bool,
    /// Its interface matches; else the first entry takes everything.
    pub matching: bool,
    /// Where events go.
    pub queue: Option<QueueId>,
}

/// A portal table entry and its lists.
#[derive(Clone, Debug)]
pub struct PortalEntry {
    /// As allocated.
    pub options: PortalOptions,
    /// Takes messages.
    pub enabled: bool,
    /// Entries in the order of appending.
    pub priority: Vec<EntryId>,
    /// Entries in the order of appending.
    pub overflow: Vec<EntryId>,
    /// Messages that came unexpected, oldest first.
    pub unexpected: Vec<Header>,
}

/// A message that landed in an overflow entry and has not been taken (rules 3 of `docs/portals-model.md`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The message, without its data.
    pub request: Request,
    /// Where it landed.
    pub entry: EntryId,
    /// Address at which it landed (with IOVEC: start of the list + offset).
    pub start: u64,
    /// Bytes that landed.
    pub mlength: u64,
    /// Whether they did.
    pub ni_fail: NiFail,
}

/// What PtlMEAppend and PtlMESearch are given (rules 1, 2 of `docs/portals-model.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchEntry {
    /// Address of the buffer, with IOVEC of the list of its pieces.
    pub start: u64,
    /// Bytes of the buffer; as given with IOVEC pieces, from then on their bytes.
    pub length: u64,
    /// Options.
    pub options: MeOptions,
    /// Bits to compare.
    pub match_bits: u64,
    /// Bits not to compare.
    pub ignore_bits: u64,
    /// The only source that matches, or any.
    pub source: Option<Rank>,
    /// The only user that may, or any.
    pub uid: Option<u32>,
    /// What counts.
    pub counter: Option<CounterId>,
    /// Unlinked when fewer bytes are left; 0: never.
    pub min_free: u64,
    /// Given back in events.
    pub user_ptr: u64,
}

impl MatchEntry {
    pub(super) fn buffer(&self) -> Buffer {
        Buffer {
            start: self.start,
            iovec: self.options.has(MeOption::Iovec),
        }
    }

    /// The entry as a non-matching interface knows it (rules 3 of `docs/portals-model.md`, LE): nothing looks at
    /// source, bits and NO_TRUNCATE there, and without a local offset min_free and LOCAL_INC_UH_RLENGTH mean nothing.
    pub(super) fn into_list_entry(mut self) -> Self {
        self.options.0 &= !(1 << MeOption::ManageLocal as u8);
        self
    }

    /// Offset in the buffer at which a message lands (rules 2.2, 2.6 of `docs/portals-model.md`). An XTQ put moves a
    /// local one up to a multiple of 64.
    pub(super) fn offset(&self, local_offset: u64, request: &Request) -> u64 {
        let task = matches!(request.kind, RequestKind::XtqPut { .. });
        match self.options.has(MeOption::ManageLocal) {
            true if task => {
                let whole = local_offset.checked_next_multiple_of(PACKET_BYTES as u64);
                whole.unwrap_or(u64::MAX)
            }
            true => local_offset,
            false => request.roffset,
        }
    }

    /// Whether a message that lands at an offset matches: source, length under NO_TRUNCATE, bits (rule 2.2 of
    /// `docs/portals-model.md`).
    pub(super) fn matches(&self, offset: u64, request: &Request) -> bool {
        let source = self.source.is_none_or(|source| source == request.source);
        let offset = u128::from(offset);
        let fits = !self.options.has(MeOption::NoTruncate)
            || offset + u128::from(request.rlength) <= u128::from(self.length);
        let bits = (self.match_bits ^ request.match_bits) & !self.ignore_bits == 0;
        source && fits && bits
    }

    /// Whether an entry that is appended takes a message that has come before. It has landed, so an XTQ put is not
    /// moved.
    pub(super) fn takes(&self, local_offset: u64, request: &Request) -> bool {
        let offset = match self.options.has(MeOption::ManageLocal) {
            true => local_offset,
            false => request.roffset,
        };
        self.matches(offset, request)
    }

    /// Whether too little is left after the local offset: strictly less than `min_free` (rule 2.8 of
    /// `docs/portals-model.md`).
    pub(super) fn is_full(&self, local_offset: u64) -> bool {
        let left = self.length.saturating_sub(local_offset);
        self.options.has(MeOption::ManageLocal) && self.min_free != 0 && left < self.min_free
    }
}

/// A match entry that exists: linked, or unlinked by itself and still in use by unexpected headers.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As given.
    pub me: MatchEntry,
    /// Portal and list.
    pub portal: Portal,
    /// Which list it is for.
    pub list: List,
    /// Where the next message lands, if it is locally managed.
    pub local_offset: u64,
    /// In its list; else it was unlinked automatically.
    pub linked: bool,
}

/// What PtlMDBind is given (rules 1 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryDescriptor {
    /// Address of the buffer, with IOVEC of the list of its pieces.
    pub start: u64,
    /// Bytes of the buffer; as given with IOVEC pieces, from then on their bytes.
    pub length: u64,
    /// Options.
    pub options: MdOptions,
    /// Where events go.
    pub queue: Option<QueueId>,
    /// What counts.
    pub counter: Option<CounterId>,
}

impl MemoryDescriptor {
    pub(super) fn buffer(&self) -> Buffer {
        Buffer {
            start: self.start,
            iovec: self.options.has(MdOption::Iovec),
        }
    }

    /// The counter, if this kind of event counts.
    pub(super) fn counter_of(&self, option: MdOption) -> Option<CounterId> {
        self.counter.filter(|_| self.options.has(option))
    }
}

/// A counter: events (or bytes) that succeeded, events that failed (rules 6 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Successes, or bytes of them.
    pub success: u64,
    /// Failures.
    pub failure: u64,
}

impl Counter {
    /// Whether an operation with this threshold fires: success + failure >= threshold (rule 7.2 of
    /// `docs/portals-model.md`).
    pub fn reaches(self, threshold: u64) -> bool {
        u128::from(self.success) + u128::from(self.failure) >= u128::from(threshold)
    }
}
