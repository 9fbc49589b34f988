//! Commands: 128 bytes in a context's ring, or in the trigger store; and the codes with which they end.
//!
//! One format for both (architecture: "there is one command format"). What an operation does not use is ignored.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// Bytes of a command: two beats.
pub const COMMAND_BYTES: usize = 128;

codes! {
    /// `operation` values.
    pub mod operation: u8 {
        /// Nothing.
        NOP = 0,
        /// One-sided write. Sends use the value of the wire's opcode.
        PUT = 1,
        /// One-sided read.
        GET = 2,
        /// Atomic update.
        ATOMIC = 4,
        /// Atomic update that gives the old value back.
        FETCH_ATOMIC = 5,
        /// Swap, conditional or not, that gives the old value back.
        SWAP = 6,
        /// Put that launches a task.
        XTQ_PUT = 8,
        /// Ends when the context's messages before it are answered.
        FENCE = 9,
        /// Adds to one field of a counter.
        CT_INC = 16,
        /// Sets both fields of a counter.
        CT_SET = 17,
        /// Reports both fields of a counter, in the completion.
        CT_GET = 18,
        /// Removes what is pending on a counter.
        CT_CANCEL = 19,
        /// Makes a counter; both fields are 0.
        CT_ALLOC = 20,
        /// Gives a counter back, and removes what is pending on it.
        CT_FREE = 21,
        /// Appends a match entry.
        ME_APPEND = 24,
        /// Removes a match entry.
        ME_UNLINK = 25,
        /// Searches the unexpected headers.
        ME_SEARCH = 26,
        /// Makes a portal entry.
        PT_ALLOC = 28,
        /// Lets a portal entry take messages.
        PT_ENABLE = 29,
        /// Stops a portal entry.
        PT_DISABLE = 30,
        /// Gives a portal entry back.
        PT_FREE = 31,
        /// Makes a memory descriptor.
        MD_BIND = 32,
        /// Removes a memory descriptor.
        MD_RELEASE = 33,
        /// Writes an entry of the kernel table and forgets the old one.
        XTQ_REGISTER_KERNEL = 40,
        /// The same for the function table.
        XTQ_REGISTER_FUNCTION = 41,
        /// The same for the queue table.
        XTQ_REGISTER_QUEUE = 42,
    }
}

codes! {
    /// Bits of `flags`.
    pub mod flag: u8 {
        /// Waits until `trigger_counter` reaches `threshold`.
        TRIGGERED = 1,
        /// Posts an event when it ends, whatever its status; without, only when it fails.
        COMPLETION = 2,
        /// With TRIGGERED: waits again when it has fired and left, see `threshold`.
        REARM = 4,
    }
}

codes! {
    ($)
    /// How a command ends.
    pub mod command_status: u8 as command_statuses {
        /// Done.
        OK = 0 => Ok,
        /// There is no such operation.
        BAD_OPERATION = 1 => BadOperation,
        /// A value is not allowed (both fields of a CT_INC, an unknown list, ack request, atomic operation or
        /// datatype, REARM without TRIGGERED or without a period).
        BAD_ARGUMENT = 2 => BadArgument,
        /// There is no such memory descriptor.
        BAD_DESCRIPTOR = 3 => BadDescriptor,
        /// The span is not inside the descriptor.
        DESCRIPTOR_OVERFLOW = 4 => DescriptorOverflow,
        /// There is no such counter.
        BAD_COUNTER = 5 => BadCounter,
        /// There is no such portal entry.
        BAD_PORTAL = 6 => BadPortal,
        /// The number of the match entry is out of range or taken.
        BAD_ENTRY = 7 => BadEntry,
        /// The trigger store, or a list, is full.
        NO_SPACE = 8 => NoSpace,
        /// What is named is still needed.
        IN_USE = 9 => InUse,
        /// A search found nothing.
        NOT_FOUND = 10 => NotFound,
        /// Host memory answered with an error.
        MEMORY_ERROR = 11 => MemoryError,
        /// The message is longer than a message may be.
        TOO_LONG = 12 => TooLong,
        /// The index is beyond the table.
        BAD_INDEX = 13 => BadIndex,
        /// The operation on this datatype is not built (`long double`; conditional swaps of DOUBLE_COMPLEX).
        UNSUPPORTED = 14 => Unsupported,
        /// A list of more than 1,024 pieces.
        TOO_MANY_PIECES = 15 => TooManyPieces,
        /// The pieces of a list have 2^64 bytes together, or more.
        PIECES_OVERFLOW = 16 => PiecesOverflow,
    }
}

/// Thresholds of a command with REARM are below this.
pub const REARM_THRESHOLDS: u64 = 1 << 48;

/// Most pieces of a list (Portals: `max_iovecs`).
pub const MAX_PIECES: u64 = 1024;

codes! {
    /// Bits of the options of a memory descriptor (Portals 4.2, `ptl_md_t`; the others are ignored).
    pub mod md_option: u32 {
        /// `start` names a list of pieces, `length` is their number.
        IOVEC = 1 << 0,
        /// Counts sent messages.
        CT_SEND = 1 << 1,
        /// Counts replies.
        CT_REPLY = 1 << 2,
        /// Counts acknowledgements.
        CT_ACK = 1 << 3,
        /// No events of what succeeded.
        SUCCESS_DISABLE = 1 << 5,
        /// No SEND events of what succeeded.
        SEND_DISABLE = 1 << 7,
        /// Counts bytes, not messages.
        CT_BYTES = 1 << 15,
        /// Posts events (the descriptor has an event queue).
        EVENTS = 1 << 14,
    }
}

codes! {
    /// Bits of the options of ME_APPEND and ME_SEARCH beside those of Portals: the source that is not looked at.
    pub mod me_source: u32 {
        /// Any node.
        ANY_NODE = 1 << 29,
        /// Any context.
        ANY_CONTEXT = 1 << 30,
        /// Any user id.
        ANY_USER = 1 << 31,
    }
}

/// `counter` of ME_APPEND and MD_BIND: none.
pub const NO_COUNTER: u16 = 0xffff;

/// Byte of an XTQ_REGISTER_* command at which the table entry begins.
pub const ENTRY_OFFSET: usize = 64;

wire_struct! {
    /// A command, 128 bytes.
    pub struct Command / CommandUnpack : 1024 {
        /// What to do, see [`operation`].
        operation: 8,
        /// See [`flag`].
        flags: 8,
        /// Triggered: counter that it waits for.
        trigger_counter: 16,
        /// Sends: acknowledgement asked for, see [`ack`](super::wire_header::ack).
        ack_request: 8,
        /// Atomics: operation.
        atomic: 8,
        /// Atomics: datatype.
        datatype: 8,
        /// ME_APPEND: 0 priority, 1 overflow. ME_SEARCH: 0 only, 1 delete.
        list: 8,
        /// Triggered: success + failure at which it fires. With REARM that in bits 47:0, and in bits 63:48 what is
        /// added to it each time that the command has left, not 0.
        threshold: 64,
        /// Returned in the events that come of it.
        user_pointer: 64,
        /// Sends: descriptor of the data (XTQ_PUT: of packet and arguments; GET: unused). MD_*: the descriptor.
        descriptor: 16,
        /// XTQ_PUT: descriptor of the payload. GET, FETCH_ATOMIC, SWAP: descriptor that the reply goes to.
        second_descriptor: 16,
        /// CT_*: the counter. ME_*, MD_BIND: counter that counts, or [`NO_COUNTER`].
        counter: 16,
        /// ME_*: the match entry. XTQ_REGISTER_*: the index.
        entry: 16,
        /// Sends: portal entry of the target. ME_*, PT_*: portal entry.
        portal_index: 16,
        /// Sends: target. ME_*: source that matches, if the options do not say any.
        node: 16,
        /// Sends: target. ME_*: source that matches, if the options do not say any.
        context: 8,
        /// Zero.
        reserved: 8,
        /// XTQ_PUT: bytes of packet and arguments.
        command_length: 16,
        /// ME_*, MD_BIND, PT_ALLOC: options.
        options: 32,
        /// ME_*: user id that may use the entry, if the options do not say any.
        user_id: 32,
        /// Sends, ME_*: match bits.
        match_bits: 64,
        /// ME_*: bits that need not match. Sends: header data. CT_INC, CT_SET: success.
        ignore_bits: 64,
        /// Sends: offset in the descriptor. ME_APPEND, MD_BIND: address; with IOVEC of a list of pieces, a multiple
        /// of 8.
        start: 64,
        /// Sends: bytes (XTQ_PUT: of the payload). ME_APPEND, MD_BIND: bytes; with IOVEC pieces.
        length: 64,
        /// Sends: offset at the target. ME_APPEND: least free bytes. CT_INC, CT_SET: failure.
        remote_offset: 64,
        /// XTQ_PUT, GET, FETCH_ATOMIC, SWAP: offset in the second descriptor.
        second_start: 64,
        /// SWAP: operand, one datum.
        operand: 64,
        /// Zero. XTQ_REGISTER_*: the second 64 bytes of the command are the entry.
        reserved_2: 192,
    }
}
