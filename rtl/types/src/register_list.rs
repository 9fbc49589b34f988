//! The list of registers: name, place, access and meaning of each, for host models and documents.

use super::register_map::{context, context_address, global, portal_word};

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

/// Registers, each `NAME Access bits: "what it is";`. `bytes(global)`: the constant of that name in module `global` of
/// the map is the offset; a function makes it of that constant.
macro_rules! registers {
    ($place:ident($map:ident): $($name:ident $access:ident $width:literal: $doc:literal;)*) => {
        [$(RegisterInfo {
            name: stringify!($name),
            offset: $place($map::$name),
            access: Access::$access,
            width: $width,
            doc: $doc,
        }),*]
    };
}

const fn bytes(offset: u32) -> u32 {
    offset
}

/// Of a word of portal entry 0.
const fn portal(word: u32) -> u32 {
    context::PORTAL + 4 * word
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
pub const GLOBAL_REGISTERS: [RegisterInfo; 6] = registers! { bytes(global):
    VERSION ReadOnly 32:
        "Version of the register map: 1.";
    BUILD ReadOnly 32:
        "Build parameters: contexts (7:0), portal entries a context (15:8), queues a context (23:16), atomics (24), ways (27:25) and log2 of the sets (31:28) of the lookup cache.";
    NODE ReadWrite 16:
        "This node, bits 15:0; 0 after reset.";
    MESSAGE_TIMEOUT ReadWrite 5:
        "N: a message of several packets for which no packet comes in 2^N to 2^(N + 1) cycles ends with BAD_LENGTH, 1 to 31; 0, after reset: it waits for ever.";
    LINK_CHECKED ReadOnly 1:
        "1: the MAC has checked the frames; the only mode so far.";
    COUNTERS_CLEAR WriteOnly 32:
        "Any write clears all counters.";
};

const MESSAGE_LIMIT: [RegisterInfo; 1] = registers! { bytes(global):
    MESSAGE_LIMIT ReadWrite 7:
        "Messages of each context that may wait for an acknowledgement or a reply at once, 1 to 64 (65 to 127 count as 64; 0: none is sent); 64 after reset. A throttle against bursts of answers; no network needs it to go on.";
};

const fn user_id(name: &'static str, context: u32) -> RegisterInfo {
    RegisterInfo {
        name,
        offset: global::USER_ID + 4 * context,
        access: Access::ReadWrite,
        width: 32,
        doc: "User id of the process of the context with this number, which every message that it sends carries; 0 after reset. It is not in the page of the context, so that a process that is given its page cannot choose it.",
    }
}

/// The global registers that only the whole NIC has: those of the initiator.
pub const GLOBAL_INITIATOR_REGISTERS: [RegisterInfo; 5] = [
    MESSAGE_LIMIT[0],
    user_id("USER_ID_0", 0),
    user_id("USER_ID_1", 1),
    user_id("USER_ID_2", 2),
    user_id("USER_ID_3", 3),
];

/// The registers of a context that only the whole NIC has: those of the initiator.
pub const INITIATOR_REGISTERS: [RegisterInfo; 11] = registers! { bytes(context):
    CQ_BASE_LO ReadWrite 32:
        "Command ring: address bits 31:0, 128-byte aligned.";
    CQ_BASE_HI ReadWrite 32:
        "Command ring: address bits 63:32.";
    CQ_SIZE ReadWrite 32:
        "Command ring: places, a power of two up to 32,768; another value is taken as 0, no ring. Writing it empties the ring and zeroes the counts; 0 after reset.";
    CQ_TAIL ReadWrite 32:
        "Command ring: running count of the commands posted, the doorbell. More than CQ_SIZE before CQ_HEAD: ignored, and bit 3 of ERROR_CAUSE is set.";
    CQ_HEAD ReadOnly 32:
        "Command ring: running count of the commands taken; their places may be used again.";
    MAX_MESSAGE_SIZE ReadWrite 32:
        "The most bytes of a put or a get that a match entry of this process takes; the rest is cut off (Portals: max_msg_size). An XTQ put that is longer ends with BUFFER_TOO_SMALL. 2^32 - 1 after reset. Counts for messages that come after the answer to the write.";
    MAX_ATOMIC_SIZE ReadWrite 10:
        "The most bytes of an atomic that are done, also of one that fetches or swaps (max_atomic_size); one with an operand does one datum, whatever this says. More than 512 is taken as 512, as it is after reset.";
    DROP_COUNT ReadOnly 32:
        "Requests to portal entries with lists that ended with ni_fail DROPPED or PT_DISABLED, also those refused after the match (Portals: PTL_SR_DROP_COUNT). Searches never count.";
    PERMISSION_VIOLATIONS ReadOnly 32:
        "Requests refused by a match entry for another user (PTL_SR_PERMISSION_VIOLATIONS).";
    OPERATION_VIOLATIONS ReadOnly 32:
        "Requests refused by a match entry that does not allow the operation (PTL_SR_OPERATION_VIOLATIONS).";
    CT_INC WriteOnly 32:
        "Adds bits 23:0 to the successes of the counter of this context that bits 31:24 name, as a message would; one that nobody has: nothing happens. So a store of a GPU, or of the host, fires triggered operations (XTQ: chains of tasks without a CPU). Answered when the counter unit has it.";
};

/// The registers of a context but the portal entries.
pub const CONTEXT_REGISTERS: [RegisterInfo; 20] = registers! { bytes(context):
    ENABLE ReadWrite 1:
        "Bit 0: the context takes messages. Cleared: those of which packets are missing end with BAD_LENGTH; first packets that the parser has let through by then are decided about as ever, so disable the portal entries first.";
    ERROR_CAUSE WriteOneToClear 4:
        "Bit 0 an event could not be written, 1 an event was lost, 2 a message failed with a memory error, 3 an impossible CQ_TAIL was ignored.";
    IRQ_MASK ReadWrite 2:
        "Bits as IRQ_STATUS: these interrupt.";
    IRQ_STATUS WriteOneToClear 2:
        "Bit 0 an event became visible, 1 a bit of ERROR_CAUSE was set.";
    EQ_BASE_LO ReadWrite 32:
        "Event ring: address bits 31:0, 64-byte aligned; counts when EQ_SIZE is written.";
    EQ_BASE_HI ReadWrite 32:
        "Event ring: address bits 63:32.";
    EQ_SIZE ReadWrite 32:
        "Event ring: places, a power of two; another value is taken as 0, no ring. Writing it empties the ring and zeroes the counts; 0 after reset.";
    EQ_CONSUMER ReadWrite 32:
        "Event ring: running count of the events taken; a count beyond EQ_PRODUCER is ignored.";
    EQ_PRODUCER ReadOnly 32:
        "Event ring: running count of the visible events.";
    EQ_DROPPED ReadOnly 8:
        "Event ring: events lost since the last one that was posted, at most 255.";
    KERNEL_BASE_LO ReadWrite 32:
        "Kernel table: address bits 31:0, 64-byte aligned.";
    KERNEL_BASE_HI ReadWrite 32:
        "Kernel table: address bits 63:32.";
    KERNEL_SIZE ReadWrite 32:
        "Kernel table: entries, at most 65,535; 0 after reset.";
    FUNCTION_BASE_LO ReadWrite 32:
        "Function table: address bits 31:0, 64-byte aligned.";
    FUNCTION_BASE_HI ReadWrite 32:
        "Function table: address bits 63:32.";
    FUNCTION_SIZE ReadWrite 32:
        "Function table: entries, at most 65,535; 0 after reset.";
    QUEUE_BASE_LO ReadWrite 32:
        "Queue table: address bits 31:0, 64-byte aligned.";
    QUEUE_BASE_HI ReadWrite 32:
        "Queue table: address bits 63:32.";
    QUEUE_SIZE ReadWrite 32:
        "Queue table: entries, at most 65,535; queues above 63 are refused; 0 after reset.";
    TABLE_INVALIDATE WriteOnly 18:
        "A table entry has changed: bits 17:16 table (0 kernel, 1 function, 2 queue; 3 is refused), 15:0 index. Answered when every message that may have the old entry is decided about; those after it read the new one.";
};

/// The registers of a portal entry; the offsets are those of entry 0.
pub const PORTAL_REGISTERS: [RegisterInfo; 8] = registers! { portal(portal_word):
    START_LO ReadWrite 32:
        "Receive buffer: address bits 31:0.";
    START_HI ReadWrite 32:
        "Receive buffer: address bits 63:32.";
    LENGTH_LO ReadWrite 32:
        "Receive buffer: length in bytes, bits 31:0.";
    LENGTH_HI ReadWrite 32:
        "Receive buffer: length, bits 63:32.";
    OPTIONS ReadWrite 3:
        "Bit 0 exhaustion disables the entry (flow control), 1 event for a delivered message, 2 event for a failed message; 0 after reset.";
    OFFSET_LO ReadWrite 32:
        "Where the next message lands in bytes from the start, bits 31:0.";
    OFFSET_HI ReadWrite 32:
        "Where the next message lands, bits 63:32.";
    CONTROL ReadWrite 1:
        "Write 1: enable, with length - offset bytes left; write 2: disable, answered when no message that has read the entry as enabled is being decided about any more; write 3: as 2, and the entry is no single buffer any more, so that PT_ALLOC can give it lists. Reads 1 if enabled; 0 after reset. While the entry is enabled, START, LENGTH, OFFSET and CONTROL = 1 are refused.";
};
