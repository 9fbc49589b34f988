//! Commands: 128 bytes in a context's ring, or in the trigger store; and the codes with which they end.
//!
//! One format for both (architecture: "there is one command format"). What an operation does not use is ignored.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// Bytes of a command: two beats.
pub const COMMAND_BYTES: usize = 128;

/// `operation` values.
pub mod operation {
    /// Nothing.
    pub const NOP: u8 = 0;
    /// One-sided write. Sends use the value of the wire's opcode.
    pub const PUT: u8 = 1;
    /// One-sided read.
    pub const GET: u8 = 2;
    /// Atomic update.
    pub const ATOMIC: u8 = 4;
    /// Atomic update that gives the old value back.
    pub const FETCH_ATOMIC: u8 = 5;
    /// Swap, conditional or not, that gives the old value back.
    pub const SWAP: u8 = 6;
    /// Put that launches a task.
    pub const XTQ_PUT: u8 = 8;
    /// Ends when the context's messages before it are answered.
    pub const FENCE: u8 = 9;
    /// Adds to one field of a counter.
    pub const CT_INC: u8 = 16;
    /// Sets both fields of a counter.
    pub const CT_SET: u8 = 17;
    /// Tells both fields of a counter, in the completion.
    pub const CT_GET: u8 = 18;
    /// Removes what is pending on a counter.
    pub const CT_CANCEL: u8 = 19;
    /// Makes a counter; both fields are 0.
    pub const CT_ALLOC: u8 = 20;
    /// Gives a counter back, and removes what is pending on it.
    pub const CT_FREE: u8 = 21;
    /// Appends a match entry.
    pub const ME_APPEND: u8 = 24;
    /// Removes a match entry.
    pub const ME_UNLINK: u8 = 25;
    /// Searches the unexpected headers.
    pub const ME_SEARCH: u8 = 26;
    /// Makes a portal entry.
    pub const PT_ALLOC: u8 = 28;
    /// Lets a portal entry take messages.
    pub const PT_ENABLE: u8 = 29;
    /// Stops a portal entry.
    pub const PT_DISABLE: u8 = 30;
    /// Gives a portal entry back.
    pub const PT_FREE: u8 = 31;
    /// Makes a memory descriptor.
    pub const MD_BIND: u8 = 32;
    /// Removes a memory descriptor.
    pub const MD_RELEASE: u8 = 33;
    /// Writes an entry of the kernel table and forgets the old one.
    pub const XTQ_REGISTER_KERNEL: u8 = 40;
    /// The same for the function table.
    pub const XTQ_REGISTER_FUNCTION: u8 = 41;
    /// The same for the queue table.
    pub const XTQ_REGISTER_QUEUE: u8 = 42;
}

/// Bits of `flags`.
pub mod flag {
    /// Waits until `trigger_counter` reaches `threshold`.
    pub const TRIGGERED: u8 = 1;
    /// Posts an event when it ends, whatever its status; without, only when it fails.
    pub const COMPLETION: u8 = 2;
}

/// How a command ends.
pub mod command_status {
    /// Done.
    pub const OK: u8 = 0;
    /// There is no such operation.
    pub const BAD_OPERATION: u8 = 1;
    /// A value is not allowed (both fields of a CT_INC, an unknown list, ack request, atomic operation or datatype).
    pub const BAD_ARGUMENT: u8 = 2;
    /// There is no such memory descriptor.
    pub const BAD_DESCRIPTOR: u8 = 3;
    /// The span is not inside the descriptor.
    pub const DESCRIPTOR_OVERFLOW: u8 = 4;
    /// There is no such counter.
    pub const BAD_COUNTER: u8 = 5;
    /// There is no such portal entry.
    pub const BAD_PORTAL: u8 = 6;
    /// The number of the match entry is out of range or taken.
    pub const BAD_ENTRY: u8 = 7;
    /// The trigger store, or a list, is full.
    pub const NO_SPACE: u8 = 8;
    /// What is named is still needed.
    pub const IN_USE: u8 = 9;
    /// A search found nothing.
    pub const NOT_FOUND: u8 = 10;
    /// Host memory answered with an error.
    pub const MEMORY_ERROR: u8 = 11;
    /// The message is longer than a message may be.
    pub const TOO_LONG: u8 = 12;
    /// The index is beyond the table.
    pub const BAD_INDEX: u8 = 13;
    /// The operation on this datatype is not built (products of floating point numbers, complex numbers).
    pub const UNSUPPORTED: u8 = 14;
    /// A list of more than [`MAX_PIECES`](super::MAX_PIECES) pieces.
    pub const TOO_MANY_PIECES: u8 = 15;
    /// The pieces of a list have 2^64 bytes together, or more.
    pub const PIECES_OVERFLOW: u8 = 16;
}

/// Most pieces of a list (Portals: `max_iovecs`).
pub const MAX_PIECES: u64 = 1024;

/// Bits of the options of a memory descriptor (Portals 4.2, `ptl_md_t`; the others are ignored).
pub mod md_option {
    /// `start` names a list of pieces, `length` is their number.
    pub const IOVEC: u32 = 1 << 0;
    /// Counts sent messages.
    pub const CT_SEND: u32 = 1 << 1;
    /// Counts replies.
    pub const CT_REPLY: u32 = 1 << 2;
    /// Counts acknowledgements.
    pub const CT_ACK: u32 = 1 << 3;
    /// No events of what succeeded.
    pub const SUCCESS_DISABLE: u32 = 1 << 5;
    /// No SEND events of what succeeded.
    pub const SEND_DISABLE: u32 = 1 << 7;
    /// Counts bytes, not messages.
    pub const CT_BYTES: u32 = 1 << 15;
    /// Posts events (the descriptor has an event queue).
    pub const EVENTS: u32 = 1 << 14;
}

/// Bits of the options of ME_APPEND and ME_SEARCH beside those of Portals: the source that is not looked at.
pub mod me_source {
    /// Any node.
    pub const ANY_NODE: u32 = 1 << 29;
    /// Any context.
    pub const ANY_CONTEXT: u32 = 1 << 30;
    /// Any user id.
    pub const ANY_USER: u32 = 1 << 31;
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
        /// Atomics: operation (portals.md 8).
        atomic: 8,
        /// Atomics: datatype (portals.md 8).
        datatype: 8,
        /// ME_APPEND: 0 priority, 1 overflow. ME_SEARCH: 0 only, 1 delete.
        list: 8,
        /// Triggered: success + failure at which it fires.
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
        /// Sends: offset in the descriptor. ME_APPEND, MD_BIND: address; with IOVEC of a list of pieces, a multiple of 8.
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
