//! The register map: addresses, words and bits of the registers of the AXI4-Lite slave, for hardware and host models.
//! [`register_list`](super::register_list) says of each what it is.

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
    /// First counter; 4 bytes each, in the order of [`COUNTERS`](crate::register_list::COUNTERS).
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
    /// Adds to a counter of the context: bits 31:24 counter, 23:0 amount.
    pub const CT_INC: u32 = 0x0c0;
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

/// Address of the register at `offset` in the page of `context`.
pub const fn context_address(context: u32, offset: u32) -> u16 {
    ((1 + context) * context::PAGE_BYTES + offset) as u16
}
