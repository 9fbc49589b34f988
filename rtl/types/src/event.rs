//! Events: 64 bytes in the context's event ring; and the status codes they carry.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// `kind` values.
pub mod kind {
    /// A get was answered or failed.
    pub const GET: u8 = 0;
    /// A match entry took the header of a get.
    pub const GET_OVERFLOW: u8 = 1;
    /// A put was delivered or failed.
    pub const PUT: u8 = 2;
    /// A match entry took the header of a put.
    pub const PUT_OVERFLOW: u8 = 3;
    /// An atomic update was done or failed.
    pub const ATOMIC: u8 = 4;
    /// A match entry took the header of an atomic update.
    pub const ATOMIC_OVERFLOW: u8 = 5;
    /// An atomic update with a reply, or a swap, was done or failed.
    pub const FETCH_ATOMIC: u8 = 6;
    /// A match entry took the header of one.
    pub const FETCH_ATOMIC_OVERFLOW: u8 = 7;
    /// A reply to a message of this process came.
    pub const REPLY: u8 = 8;
    /// A message of this process is with the link.
    pub const SEND: u8 = 9;
    /// A message of this process was acknowledged.
    pub const ACK: u8 = 10;
    /// The portal entry was disabled by flow control.
    pub const PT_DISABLED: u8 = 11;
    /// A match entry is in its list.
    pub const LINK: u8 = 12;
    /// A match entry was unlinked by a message, or by a header that it took.
    pub const AUTO_UNLINK: u8 = 13;
    /// Nothing refers any more to the buffer of an overflow entry that was unlinked.
    pub const AUTO_FREE: u8 = 14;
    /// A search found a header; `ni_fail` NO_MATCH: it found none.
    pub const SEARCH: u8 = 15;
    /// An XTQ put was enqueued or refused.
    pub const XTQ_PUT: u8 = 32;
    /// A command of this process ended; `status` is a [`command_status`](super::command::command_status), `access` the operation.
    pub const COMMAND: u8 = 40;
}

/// `status` values: the outcome of a message at the target.
pub mod status {
    /// Delivered; an XTQ put is enqueued and its doorbell rung.
    pub const OK: u8 = 0;
    /// AQL packet type is not 2 (kernel dispatch) or 4 (agent dispatch).
    pub const BAD_TYPE: u8 = 1;
    /// The landing address of an XTQ put is not a multiple of 64.
    pub const BAD_ALIGNMENT: u8 = 2;
    /// Kernel index out of range or not registered.
    pub const BAD_KERNEL_INDEX: u8 = 3;
    /// Function index out of range or not registered.
    pub const BAD_FUNCTION_INDEX: u8 = 4;
    /// Command length and table disagree, or the rewritten pair does not fit.
    pub const BAD_KERNARG_SIZE: u8 = 5;
    /// Queue index out of range, not registered, or the queue failed before.
    pub const BAD_QUEUE_INDEX: u8 = 6;
    /// The queue has no free slot.
    pub const QUEUE_FULL: u8 = 7;
    /// The queue size is zero or not a power of two.
    pub const BAD_QUEUE_SIZE: u8 = 8;
    /// The entry says shared, the hardware was built without atomics.
    pub const SHARED_REFUSED: u8 = 9;
    /// The message does not fit into what is left of the receive buffer.
    pub const BUFFER_TOO_SMALL: u8 = 10;
    /// The packet ended early or late.
    pub const BAD_LENGTH: u8 = 11;
    /// A memory access failed; `access` says which.
    pub const MEMORY_ERROR: u8 = 12;
    /// The portal entry is disabled.
    pub const PT_DISABLED: u8 = 13;
    /// The portal entry does not exist or was never set up.
    pub const NO_PORTAL: u8 = 14;
    /// No room to follow another message of several packets.
    pub const NO_MESSAGE_SLOT: u8 = 15;
    /// No match entry takes the message, or the context has no unexpected header left.
    pub const NO_MATCH: u8 = 16;
    /// The match entry is for another user.
    pub const PERM_VIOLATION: u8 = 17;
    /// The match entry does not allow the operation.
    pub const OP_VIOLATION: u8 = 18;
    /// The context does not exist, or takes no messages. Only its sender is told.
    pub const BAD_CONTEXT: u8 = 19;
}

/// `access` values: the memory access that failed.
pub mod access {
    /// None failed.
    pub const NONE: u8 = 0;
    /// Read of a lookup table.
    pub const TABLE: u8 = 1;
    /// Write of AQL packet, arguments or payload to the receive buffer.
    pub const PAYLOAD: u8 = 2;
    /// Write of the queue slot's body.
    pub const SLOT: u8 = 3;
    /// Read or write of a queue index.
    pub const INDEX: u8 = 4;
    /// Write of the queue slot's header word.
    pub const HEADER: u8 = 5;
    /// Write of the doorbell; or the queue had failed before it: the packet is published, not rung.
    pub const DOORBELL: u8 = 6;
    /// Write of an event.
    pub const EVENT: u8 = 7;
    /// Read of what a message of this process sends, or of what is sent in reply to a GET.
    pub const GATHER: u8 = 8;
}

wire_struct! {
    /// An event, 64 bytes.
    pub struct Event / EventUnpack : 512 {
        /// What happened, see [`kind`].
        kind: 8,
        /// Outcome, see [`status`].
        status: 8,
        /// Memory access that failed, see [`access`].
        access: 8,
        /// Outcome as the initiator is told, see [`ni_fail`](super::wire_header::ni_fail).
        ni_fail: 8,
        /// Node that sent the message; SEND, ACK: node that it went to.
        source_node: 16,
        /// Portal table entry.
        portal_index: 16,
        /// User id of the sender.
        user_id: 32,
        /// XTQ put: queue table index. Other messages: list of the match entry, 0 priority, 1 overflow.
        queue_index: 16,
        /// Context that sent it; SEND, ACK: context that it went to.
        source_context: 8,
        /// Events lost just before this one because the ring was full, at most 255.
        dropped: 8,
        /// Match bits.
        match_bits: 64,
        /// Header data.
        header_data: 64,
        /// Address where the message landed. COMMAND (CT_GET): success.
        start: 64,
        /// Message length in bytes.
        requested_length: 32,
        /// Bytes delivered.
        delivered_length: 32,
        /// Offset asked for; XTQ put that a match entry took: user pointer of the entry. ACK: offset used. COMMAND (CT_GET): failure.
        remote_offset: 64,
        /// XTQ put: packet id in the queue, the doorbell value of HSA. REPLY, SEND, ACK, COMMAND: user pointer of the command. Others: user pointer of the match entry, 0 without one.
        packet_id: 64,
    }
}
