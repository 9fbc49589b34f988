//! The register map: every register of the AXI4-Lite slave, once, for hardware, host models and documents.

/// Value of VERSION: version of the register map.
pub const VERSION: u32 = 1;
/// Contexts; the small configuration has half of them.
pub const CONTEXTS: u32 = 4;
/// Portal entries of a context.
pub const PORTALS: u32 = 16;
/// Queues of a context.
pub const QUEUES: u32 = 64;

/// Value of BUILD, of hardware with so many contexts, with or without AXI5 atomics; the lookup cache has 4 ways and 2^4
/// sets.
pub const fn build(contexts: u32, atomics: bool) -> u32 {
    contexts | PORTALS << 8 | QUEUES << 16 | (atomics as u32) << 24 | 4 << 25 | 4 << 28
}

/// Responses of the slave.
pub mod response {
    /// Done.
    pub const OKAY: u8 = 0;
    /// Refused.
    pub const SLVERR: u8 = 2;
    /// There is no such register.
    pub const DECERR: u8 = 3;
}

codes! {
    /// Words of a portal entry's window.
    pub mod portal_word: u32 {
        /// Start address of the buffer, bits 31:0.
        START_LO = 0,
        /// Start address, bits 63:32.
        START_HI = 1,
        /// Length of the buffer in bytes, bits 31:0.
        LENGTH_LO = 2,
        /// Length, bits 63:32.
        LENGTH_HI = 3,
        /// See [`portal_options`](super::portal_options).
        OPTIONS = 4,
        /// Offset at which the next message lands, bits 31:0.
        OFFSET_LO = 5,
        /// Offset, bits 63:32.
        OFFSET_HI = 6,
        /// See [`portal_control`](super::portal_control); reads 1 if enabled.
        CONTROL = 7,
    }
}

codes! {
    /// Bits of a portal entry's OPTIONS.
    pub mod portal_options: u32 {
        /// Exhaustion disables the entry.
        FLOW_CONTROL = 1,
        /// Event for a delivered message.
        EVENT_SUCCESS = 2,
        /// Event for a failed message.
        EVENT_FAILURE = 4,
    }
}

codes! {
    /// Values of a portal entry's CONTROL.
    pub mod portal_control: u32 {
        /// remaining := max(0, length - offset), enable.
        ENABLE = 1,
        /// Disable at once; answered when no message that has read the entry as enabled is being decided about any
        /// more.
        DISABLE = 2,
        /// As `DISABLE`, and the entry is no single buffer any more: it may be given to lists.
        RELEASE = 3,
    }
}

/// Words of an event ring's window; those from PRODUCER on are read only.
pub mod event_word {
    /// Address of the ring, bits 31:0, 64-byte aligned.
    pub const BASE_LO: u32 = 0;
    /// Address, bits 63:32.
    pub const BASE_HI: u32 = 1;
    /// Events in the ring, a power of two.
    pub const SIZE: u32 = 2;
    /// Running count of the events taken.
    pub const CONSUMER: u32 = 3;
    /// Running count of the visible events.
    pub const PRODUCER: u32 = 4;
    /// Events lost since the last one that was posted.
    pub const DROPPED: u32 = 5;
}

/// Words of a command ring's window; HEAD is read only.
pub mod command_word {
    /// Address of the ring, bits 31:0, 128-byte aligned.
    pub const BASE_LO: u32 = 0;
    /// Address, bits 63:32.
    pub const BASE_HI: u32 = 1;
    /// Commands in the ring, a power of two up to 32,768.
    pub const SIZE: u32 = 2;
    /// Running count of the commands posted: the doorbell.
    pub const TAIL: u32 = 3;
    /// Running count of the commands taken.
    pub const HEAD: u32 = 4;
}

/// Global registers: offsets in page 0, in bytes.
pub mod global {
    /// Version of the register map.
    pub const VERSION: u32 = 0x000;
    /// Build parameters.
    pub const BUILD: u32 = 0x004;
    /// This node.
    pub const NODE: u32 = 0x008;
    /// The MAC has checked the frames.
    pub const LINK_CHECKED: u32 = 0x00c;
    /// Clears the counters.
    pub const COUNTERS_CLEAR: u32 = 0x010;
    /// Messages of a context that may be under way at once.
    pub const MESSAGE_LIMIT: u32 = 0x014;
    /// Time in which a message of several packets must go on.
    pub const MESSAGE_TIMEOUT: u32 = 0x018;
    /// User id of the process of context 0; those of the others follow, 4 bytes each.
    pub const USER_ID: u32 = 0x020;
    /// First counter; 4 bytes each, in the order of [`COUNTERS`](super::COUNTERS).
    pub const COUNTERS: u32 = 0x040;
}

/// Registers of a context: offsets in page 1 + context, in bytes.
pub mod context {
    /// Bytes of a page.
    pub const PAGE_BYTES: u32 = 0x1000;
    /// Takes messages.
    pub const ENABLE: u32 = 0x000;
    /// What went wrong, see [`error_cause`](super::error_cause).
    pub const ERROR_CAUSE: u32 = 0x004;
    /// Causes that interrupt, see [`irq_cause`](super::irq_cause).
    pub const IRQ_MASK: u32 = 0x008;
    /// Causes that are pending.
    pub const IRQ_STATUS: u32 = 0x00c;
    /// Event ring; the words of [`event_word`](super::event_word) follow each other.
    pub const EQ_BASE_LO: u32 = 0x010;
    /// Event ring, address bits 63:32.
    pub const EQ_BASE_HI: u32 = 0x014;
    /// Event ring, places.
    pub const EQ_SIZE: u32 = 0x018;
    /// Event ring, events taken.
    pub const EQ_CONSUMER: u32 = 0x01c;
    /// Event ring, visible events.
    pub const EQ_PRODUCER: u32 = 0x020;
    /// Event ring, events lost since the last one.
    pub const EQ_DROPPED: u32 = 0x024;
    /// Kernel table, address bits 31:0.
    pub const KERNEL_BASE_LO: u32 = 0x040;
    /// Kernel table, address bits 63:32.
    pub const KERNEL_BASE_HI: u32 = 0x044;
    /// Kernel table, entries.
    pub const KERNEL_SIZE: u32 = 0x048;
    /// Function table, address bits 31:0.
    pub const FUNCTION_BASE_LO: u32 = 0x050;
    /// Function table, address bits 63:32.
    pub const FUNCTION_BASE_HI: u32 = 0x054;
    /// Function table, entries.
    pub const FUNCTION_SIZE: u32 = 0x058;
    /// Queue table, address bits 31:0.
    pub const QUEUE_BASE_LO: u32 = 0x060;
    /// Queue table, address bits 63:32.
    pub const QUEUE_BASE_HI: u32 = 0x064;
    /// Queue table, entries.
    pub const QUEUE_SIZE: u32 = 0x068;
    /// A table entry has changed: bits 17:16 table, 15:0 index.
    pub const TABLE_INVALIDATE: u32 = 0x070;
    /// Command ring; the words of [`command_word`](super::command_word) follow each other.
    pub const CQ_BASE_LO: u32 = 0x080;
    /// Command ring, address bits 63:32.
    pub const CQ_BASE_HI: u32 = 0x084;
    /// Command ring, places.
    pub const CQ_SIZE: u32 = 0x088;
    /// Command ring, commands posted.
    pub const CQ_TAIL: u32 = 0x08c;
    /// Command ring, commands taken.
    pub const CQ_HEAD: u32 = 0x090;
    /// The most bytes of a message for the lists.
    pub const MAX_MESSAGE_SIZE: u32 = 0x0a0;
    /// The most bytes of an atomic.
    pub const MAX_ATOMIC_SIZE: u32 = 0x0a4;
    /// Requests to the lists that were dropped, or met a disabled portal entry.
    pub const DROP_COUNT: u32 = 0x0b0;
    /// Requests that a match entry refused because of their user.
    pub const PERMISSION_VIOLATIONS: u32 = 0x0b4;
    /// Requests that a match entry refused because of their operation.
    pub const OPERATION_VIOLATIONS: u32 = 0x0b8;
    /// First portal entry; the words of [`portal_word`](super::portal_word) follow each other.
    pub const PORTAL: u32 = 0x200;
    /// Bytes of a portal entry.
    pub const PORTAL_STRIDE: u32 = 0x20;
}

/// Bits of ERROR_CAUSE.
pub mod error_cause {
    /// An event could not be written.
    pub const EVENT_FAILED: u32 = 1;
    /// An event was lost, the ring was full.
    pub const EVENT_LOST: u32 = 2;
    /// A message failed with a memory error.
    pub const MEMORY_ERROR: u32 = 4;
    /// A doorbell of the command ring was impossible and ignored.
    pub const BAD_TAIL: u32 = 8;
}

/// Bits of IRQ_MASK and IRQ_STATUS.
pub mod irq_cause {
    /// An event became visible.
    pub const EVENT: u32 = 1;
    /// A bit of ERROR_CAUSE was set.
    pub const ERROR: u32 = 2;
}

/// The counters of page 0, in order: name and what they count.
pub const COUNTERS: [(&str, &str); 15] = [
    ("PACKETS", "Packets received."),
    ("DROP_VERSION", "Packets dropped: wire format version."),
    ("DROP_OPCODE", "Packets dropped: opcode."),
    ("DROP_TARGET", "Packets dropped: for another node."),
    (
        "DROP_CONTEXT",
        "Packets dropped: no such context, or the first packet of a message for one that is not enabled.",
    ),
    (
        "DROP_LENGTH",
        "Packets dropped or damaged: a length is wrong.",
    ),
    ("CACHE_HIT", "Lookups served from the cache."),
    ("CACHE_MISS", "Lookups that read memory."),
    ("MESSAGES_OK", "Messages delivered."),
    ("MESSAGES_FAILED", "Messages that failed."),
    ("DOORBELLS", "Doorbells written."),
    ("EVENTS_LOST", "Events lost, the ring was full."),
    ("MEMORY_ERRORS", "Messages that failed with a memory error."),
    (
        "DROP_STRAY",
        "Packets dropped: a later packet of a message that is not open, because it was refused, has ended or never began; or a reply that no GET waits for.",
    ),
    (
        "STRAY_ANSWERS",
        "Acknowledgements thrown away: no message of this node waits for them.",
    ),
];

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and write.
    ReadWrite,
    /// Read; a write is answered with SLVERR.
    ReadOnly,
    /// Write; a read is answered with SLVERR.
    WriteOnly,
    /// Read; a write of 1 clears the bit.
    WriteOneToClear,
}

/// One register, for host models and documents.
#[derive(Clone, Copy, Debug)]
pub struct RegisterInfo {
    /// Name.
    pub name: &'static str,
    /// Offset in its page in bytes.
    pub offset: u32,
    /// Who may do what.
    pub access: Access,
    /// Bits that exist; the others read 0 and are ignored.
    pub width: u32,
    /// What it is.
    pub doc: &'static str,
}

const fn register(
    name: &'static str,
    offset: u32,
    access: Access,
    width: u32,
    doc: &'static str,
) -> RegisterInfo {
    RegisterInfo {
        name,
        offset,
        access,
        width,
        doc,
    }
}

/// Address of the register at `offset` in the page of `context`.
pub const fn context_address(context: u32, offset: u32) -> u16 {
    ((1 + context) * context::PAGE_BYTES + offset) as u16
}

impl RegisterInfo {
    /// Its address in the global page.
    pub const fn global_address(&self) -> u16 {
        self.offset as u16
    }

    /// Its address in the page of `context`.
    pub const fn context_address(&self, context: u32) -> u16 {
        context_address(context, self.offset)
    }

    /// Its address in the portal entry `entry` of `context`.
    pub const fn portal_address(&self, context: u32, entry: u32) -> u16 {
        self.context_address(context) + (entry * context::PORTAL_STRIDE) as u16
    }
}

/// The global registers but the counters.
pub const GLOBAL_REGISTERS: [RegisterInfo; 6] = [
    register(
        "VERSION",
        global::VERSION,
        Access::ReadOnly,
        32,
        "Version of the register map: 1.",
    ),
    register(
        "BUILD",
        global::BUILD,
        Access::ReadOnly,
        32,
        "Build parameters: contexts (7:0), portal entries a context (15:8), queues a context (23:16), atomics (24), ways (27:25) and log2 of the sets (31:28) of the lookup cache.",
    ),
    register(
        "NODE",
        global::NODE,
        Access::ReadWrite,
        16,
        "This node, bits 15:0; 0 after reset.",
    ),
    register(
        "MESSAGE_TIMEOUT",
        global::MESSAGE_TIMEOUT,
        Access::ReadWrite,
        5,
        "N: a message of several packets for which no packet comes in 2^N to 2^(N + 1) cycles ends with BAD_LENGTH, 1 to 31; 0, after reset: it waits for ever.",
    ),
    register(
        "LINK_CHECKED",
        global::LINK_CHECKED,
        Access::ReadOnly,
        1,
        "1: the MAC has checked the frames; the only mode so far.",
    ),
    register(
        "COUNTERS_CLEAR",
        global::COUNTERS_CLEAR,
        Access::WriteOnly,
        32,
        "Any write clears all counters.",
    ),
];

const fn user_id(name: &'static str, context: u32) -> RegisterInfo {
    let doc = "User id of the process of the context with this number, which every message that it sends carries; 0 after reset. It is not in the page of the context, so that a process that is given its page cannot choose it.";
    register(
        name,
        global::USER_ID + 4 * context,
        Access::ReadWrite,
        32,
        doc,
    )
}

/// The global registers that only the whole NIC has: those of the initiator.
pub const GLOBAL_INITIATOR_REGISTERS: [RegisterInfo; 5] = [
    register(
        "MESSAGE_LIMIT",
        global::MESSAGE_LIMIT,
        Access::ReadWrite,
        7,
        "Messages of each context that may be under way at once, 1 to 64 (65 to 127 count as 64; 0: none is sent); 64 after reset. In a network of N nodes 64 / (N - 1), rounded down, keeps the queues of replies of all nodes from getting full (a node that sends to itself counts as one more).",
    ),
    user_id("USER_ID_0", 0),
    user_id("USER_ID_1", 1),
    user_id("USER_ID_2", 2),
    user_id("USER_ID_3", 3),
];

/// The registers of a context that only the whole NIC has: those of the initiator.
pub const INITIATOR_REGISTERS: [RegisterInfo; 10] = [
    register(
        "CQ_BASE_LO",
        context::CQ_BASE_LO,
        Access::ReadWrite,
        32,
        "Command ring: address bits 31:0, 128-byte aligned.",
    ),
    register(
        "CQ_BASE_HI",
        context::CQ_BASE_HI,
        Access::ReadWrite,
        32,
        "Command ring: address bits 63:32.",
    ),
    register(
        "CQ_SIZE",
        context::CQ_SIZE,
        Access::ReadWrite,
        32,
        "Command ring: places, a power of two up to 32,768; another value is taken as 0, no ring. Writing it empties the ring and zeroes the counts; 0 after reset.",
    ),
    register(
        "CQ_TAIL",
        context::CQ_TAIL,
        Access::ReadWrite,
        32,
        "Command ring: running count of the commands posted, the doorbell. More than CQ_SIZE before CQ_HEAD: ignored, and bit 3 of ERROR_CAUSE is set.",
    ),
    register(
        "CQ_HEAD",
        context::CQ_HEAD,
        Access::ReadOnly,
        32,
        "Command ring: running count of the commands taken; their places may be used again.",
    ),
    register(
        "MAX_MESSAGE_SIZE",
        context::MAX_MESSAGE_SIZE,
        Access::ReadWrite,
        32,
        "The most bytes of a put or a get that a match entry of this process takes; the rest is cut off (Portals: max_msg_size). An XTQ put that is longer ends with BUFFER_TOO_SMALL. 2^32 - 1 after reset. Counts for messages that come after the answer to the write.",
    ),
    register(
        "MAX_ATOMIC_SIZE",
        context::MAX_ATOMIC_SIZE,
        Access::ReadWrite,
        10,
        "The most bytes of an atomic that are done, also of one that fetches or swaps (max_atomic_size); one with an operand does one datum, whatever this says. More than 512 is taken as 512, as it is after reset.",
    ),
    register(
        "DROP_COUNT",
        context::DROP_COUNT,
        Access::ReadOnly,
        32,
        "Requests to portal entries with lists that ended with ni_fail DROPPED or PT_DISABLED, also those refused after the match (Portals: PTL_SR_DROP_COUNT). Searches never count.",
    ),
    register(
        "PERMISSION_VIOLATIONS",
        context::PERMISSION_VIOLATIONS,
        Access::ReadOnly,
        32,
        "Requests refused by a match entry for another user (PTL_SR_PERMISSION_VIOLATIONS).",
    ),
    register(
        "OPERATION_VIOLATIONS",
        context::OPERATION_VIOLATIONS,
        Access::ReadOnly,
        32,
        "Requests refused by a match entry that does not allow the operation (PTL_SR_OPERATION_VIOLATIONS).",
    ),
];

/// The registers of a context but the portal entries.
pub const CONTEXT_REGISTERS: [RegisterInfo; 20] = [
    register(
        "ENABLE",
        context::ENABLE,
        Access::ReadWrite,
        1,
        "Bit 0: the context takes messages. Cleared: those of which packets are missing end with BAD_LENGTH; first packets that the parser has let through by then are decided about as ever, so disable the portal entries first.",
    ),
    register(
        "ERROR_CAUSE",
        context::ERROR_CAUSE,
        Access::WriteOneToClear,
        4,
        "Bit 0 an event could not be written, 1 an event was lost, 2 a message failed with a memory error, 3 an impossible CQ_TAIL was ignored.",
    ),
    register(
        "IRQ_MASK",
        context::IRQ_MASK,
        Access::ReadWrite,
        2,
        "Bits as IRQ_STATUS: these interrupt.",
    ),
    register(
        "IRQ_STATUS",
        context::IRQ_STATUS,
        Access::WriteOneToClear,
        2,
        "Bit 0 an event became visible, 1 a bit of ERROR_CAUSE was set.",
    ),
    register(
        "EQ_BASE_LO",
        context::EQ_BASE_LO,
        Access::ReadWrite,
        32,
        "Event ring: address bits 31:0, 64-byte aligned; counts when EQ_SIZE is written.",
    ),
    register(
        "EQ_BASE_HI",
        context::EQ_BASE_HI,
        Access::ReadWrite,
        32,
        "Event ring: address bits 63:32.",
    ),
    register(
        "EQ_SIZE",
        context::EQ_SIZE,
        Access::ReadWrite,
        32,
        "Event ring: places, a power of two; another value is taken as 0, no ring. Writing it empties the ring and zeroes the counts; 0 after reset.",
    ),
    register(
        "EQ_CONSUMER",
        context::EQ_CONSUMER,
        Access::ReadWrite,
        32,
        "Event ring: running count of the events taken; a count beyond EQ_PRODUCER is ignored.",
    ),
    register(
        "EQ_PRODUCER",
        context::EQ_PRODUCER,
        Access::ReadOnly,
        32,
        "Event ring: running count of the visible events.",
    ),
    register(
        "EQ_DROPPED",
        context::EQ_DROPPED,
        Access::ReadOnly,
        8,
        "Event ring: events lost since the last one that was posted, at most 255.",
    ),
    register(
        "KERNEL_BASE_LO",
        context::KERNEL_BASE_LO,
        Access::ReadWrite,
        32,
        "Kernel table: address bits 31:0, 64-byte aligned.",
    ),
    register(
        "KERNEL_BASE_HI",
        context::KERNEL_BASE_HI,
        Access::ReadWrite,
        32,
        "Kernel table: address bits 63:32.",
    ),
    register(
        "KERNEL_SIZE",
        context::KERNEL_SIZE,
        Access::ReadWrite,
        32,
        "Kernel table: entries, at most 65,535; 0 after reset.",
    ),
    register(
        "FUNCTION_BASE_LO",
        context::FUNCTION_BASE_LO,
        Access::ReadWrite,
        32,
        "Function table: address bits 31:0, 64-byte aligned.",
    ),
    register(
        "FUNCTION_BASE_HI",
        context::FUNCTION_BASE_HI,
        Access::ReadWrite,
        32,
        "Function table: address bits 63:32.",
    ),
    register(
        "FUNCTION_SIZE",
        context::FUNCTION_SIZE,
        Access::ReadWrite,
        32,
        "Function table: entries, at most 65,535; 0 after reset.",
    ),
    register(
        "QUEUE_BASE_LO",
        context::QUEUE_BASE_LO,
        Access::ReadWrite,
        32,
        "Queue table: address bits 31:0, 64-byte aligned.",
    ),
    register(
        "QUEUE_BASE_HI",
        context::QUEUE_BASE_HI,
        Access::ReadWrite,
        32,
        "Queue table: address bits 63:32.",
    ),
    register(
        "QUEUE_SIZE",
        context::QUEUE_SIZE,
        Access::ReadWrite,
        32,
        "Queue table: entries, at most 65,535; queues above 63 are refused; 0 after reset.",
    ),
    register(
        "TABLE_INVALIDATE",
        context::TABLE_INVALIDATE,
        Access::WriteOnly,
        18,
        "A table entry has changed: bits 17:16 table (0 kernel, 1 function, 2 queue; 3 is refused), 15:0 index. Answered when every message that may have the old entry is decided about; those after it read the new one.",
    ),
];

const fn portal(name: &'static str, word: u32, width: u32, doc: &'static str) -> RegisterInfo {
    let offset = context::PORTAL + 4 * word;
    register(name, offset, Access::ReadWrite, width, doc)
}

/// The registers of a portal entry; the offsets are those of entry 0.
pub const PORTAL_REGISTERS: [RegisterInfo; 8] = [
    portal(
        "START_LO",
        portal_word::START_LO,
        32,
        "Receive buffer: address bits 31:0.",
    ),
    portal(
        "START_HI",
        portal_word::START_HI,
        32,
        "Receive buffer: address bits 63:32.",
    ),
    portal(
        "LENGTH_LO",
        portal_word::LENGTH_LO,
        32,
        "Receive buffer: length in bytes, bits 31:0.",
    ),
    portal(
        "LENGTH_HI",
        portal_word::LENGTH_HI,
        32,
        "Receive buffer: length, bits 63:32.",
    ),
    portal(
        "OPTIONS",
        portal_word::OPTIONS,
        3,
        "Bit 0 exhaustion disables the entry (flow control), 1 event for a delivered message, 2 event for a failed message; 0 after reset.",
    ),
    portal(
        "OFFSET_LO",
        portal_word::OFFSET_LO,
        32,
        "Where the next message lands in bytes from the start, bits 31:0.",
    ),
    portal(
        "OFFSET_HI",
        portal_word::OFFSET_HI,
        32,
        "Where the next message lands, bits 63:32.",
    ),
    portal(
        "CONTROL",
        portal_word::CONTROL,
        1,
        "Write 1: enable, with length - offset bytes left; write 2: disable, answered when no message that has read the entry as enabled is being decided about any more; write 3: as 2, and the entry is no single buffer any more, so that PT_ALLOC can give it lists. Reads 1 if enabled; 0 after reset. While the entry is enabled, START, LENGTH, OFFSET and CONTROL = 1 are refused.",
    ),
];
