//! What is posted to the NIC: counters, match entries, memory descriptors and triggered operations of each rank.
//!
//! Names are numbers of the rank: counter 0 is the one that starts the schedule. Each entry and descriptor of a rank
//! covers all its memory, so offsets are addresses in it.

use crate::arithmetic::{Datatype, Operation};
use crate::graph::Slice;

/// A counter has reached a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gate {
    /// The counter.
    pub counter: usize,
    /// Successes that it has at least.
    pub threshold: u64,
}

/// A match entry; it takes puts and atomics with its bits. Messages look for one in the order of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Match bits.
    pub bits: u64,
    /// Of them, those that need not match.
    pub ignore: u64,
    /// The only rank that it takes messages from; none: it takes all.
    pub source: Option<usize>,
    /// The bytes that it covers; none: all memory of the rank, and the sender says where.
    pub into: Option<Slice>,
    /// Counter of the messages that have landed, if anybody asks for them.
    pub counter: Option<usize>,
    /// It also gives bytes to GETs.
    pub gives: bool,
    /// Gone after one message (figures 5 and 7); else it stays.
    pub once: bool,
    /// Posted when the communicator is made, before any schedule (section IV.B: the start barrier).
    pub early: bool,
}

impl Entry {
    /// Whether it takes a put of this rank with these bits.
    pub fn takes(&self, source: usize, bits: u64) -> bool {
        (self.bits ^ bits) & !self.ignore == 0 && self.source.is_none_or(|only| only == source)
    }
}

/// A memory descriptor; messages read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Counter of the messages of which all bytes have been read.
    pub counter: Option<usize>,
    /// It counts the replies to GETs instead.
    pub replies: bool,
}

/// What a triggered operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends a message; with an operation it is an ATOMIC.
    Send {
        /// Descriptor that it reads from.
        descriptor: usize,
        /// What is sent.
        from: Slice,
        /// The rank; the sender itself for what stays there.
        target: usize,
        /// Match bits.
        bits: u64,
        /// Where it lands.
        at: u64,
        /// What is done to the bytes there.
        arithmetic: Option<(Operation, Datatype)>,
    },
    /// Fetches bytes of another rank.
    Get {
        /// Descriptor that they are written through.
        descriptor: usize,
        /// Where they are written.
        into: Slice,
        /// The rank.
        target: usize,
        /// Match bits.
        bits: u64,
        /// Where they are there.
        at: u64,
    },
    /// Wakes the host, which works and then adds 1 to a counter: the one thing that a NIC does not do alone.
    Work {
        /// For how long.
        cycles: u64,
        /// The counter, if anybody asks.
        counter: Option<usize>,
    },
    /// A task of the rank's own GPU, which adds 1 to a counter when its result is there (`CT_INC`).
    Task {
        /// Source.
        from: Slice,
        /// Target, which is combined with the source value by value.
        into: Slice,
        /// What is done.
        arithmetic: (Operation, Datatype),
        /// The counter, if anybody asks.
        counter: Option<usize>,
    },
    /// Appends an entry to the list.
    Append {
        /// Its number among those that are appended.
        number: usize,
        /// The entry.
        entry: Entry,
    },
    /// Removes it again, if it is still there.
    Unlink {
        /// Its number.
        number: usize,
    },
    /// Adds 1 to a counter.
    Count {
        /// The counter.
        counter: usize,
    },
}

/// A triggered operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triggered {
    /// When it is done.
    pub gate: Gate,
    /// What is done.
    pub action: Action,
}

/// What a rank posts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// How many counters.
    pub counters: usize,
    /// The match entries.
    pub entries: Vec<Entry>,
    /// The memory descriptors.
    pub descriptors: Vec<Descriptor>,
    /// The triggered operations, in the order in which they are posted: those of one gate fire in it.
    pub triggered: Vec<Triggered>,
    /// The counter that the host counts up by 1 to start.
    pub start: usize,
    /// When all is complete.
    pub done: Gate,
}

/// What all ranks post.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// By rank.
    pub programs: Vec<Program>,
    /// Bytes of memory of each rank, with what the compiler added.
    pub memory: Vec<u64>,
    /// Whether it has its own start barrier. Without, nobody may start before all have posted.
    pub barrier: bool,
    /// How often a host counts up [`Program::start`] in one use: once, or once for each of several schedules that are
    /// outstanding at once.
    pub starts: u64,
}

/// Match bits: what the message is in bits 63:62, the schedule in bits 61:48, a number below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The NIC of the target finds its receive.
    Open = 0,
    /// Ready to receive (figure 6), and the messages of start barriers.
    Ready = 1,
    /// Ready to send (figure 6).
    Asks = 2,
    /// Data.
    Data = 3,
}

/// Schedules that can be outstanding at once: bits 61:48.
pub const SCHEDULE_TAGS: u64 = 1 << 14;

/// The bit of the messages of figure 6.
const HANDSHAKE: usize = 1 << 47;

/// Match bits of a message of figure 6, named by a number.
pub fn handshake_bits(kind: MessageKind, schedule: u64, number: usize) -> u64 {
    match_bits(kind, schedule, HANDSHAKE | number)
}

/// Whether nobody need take a message with these bits: of figure 6, and without data.
pub fn may_be_dropped(bits: u64) -> bool {
    bits & HANDSHAKE as u64 != 0 && [MessageKind::Ready, MessageKind::Asks].contains(&kind(bits))
}

/// The kind of a message.
fn kind(bits: u64) -> MessageKind {
    match bits >> 62 {
        0 => MessageKind::Open,
        1 => MessageKind::Ready,
        2 => MessageKind::Asks,
        _ => MessageKind::Data,
    }
}

/// Bits that a receive of any tag ignores.
pub const ANY_TAG_BITS: u64 = 0xFFFF_FFFF;

/// Bits that name the length of such a message.
pub const LENGTH_BITS: u64 = 0xFFFF << 32;

/// Match bits of a message whose receive the NIC of the target finds: its tag in bits 31:0, and above it which of the
/// lengths of such messages it has.
pub fn open_bits(schedule: u64, length: usize, tag: u32) -> u64 {
    match_bits(MessageKind::Open, schedule, length << 32 | tag as usize)
}

/// The schedule tag of match bits.
pub fn tag(bits: u64) -> u64 {
    bits >> 48 & (SCHEDULE_TAGS - 1)
}

/// Puts match bits together (section IV.B: kinds, schedules, messages).
pub fn match_bits(kind: MessageKind, schedule: u64, number: usize) -> u64 {
    (kind as u64) << 62 | (schedule % SCHEDULE_TAGS) << 48 | number as u64
}
