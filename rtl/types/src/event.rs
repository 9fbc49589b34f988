//! Events: 64 bytes in the context's event ring; and the status codes they carry.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    ($)
    /// `kind` values.
    pub mod kind: u8 as event_kinds {
        /// Target: a get was answered or failed.
        GET = 0 => Get,
        /// Append: a get that came before the entry.
        GET_OVERFLOW = 1 => GetOverflow,
        /// Target: a put was delivered or failed.
        PUT = 2 => Put,
        /// Append: a put that came before the entry.
        PUT_OVERFLOW = 3 => PutOverflow,
        /// Target: an atomic was performed or failed.
        ATOMIC = 4 => Atomic,
        /// Append: an atomic that came before the entry.
        ATOMIC_OVERFLOW = 5 => AtomicOverflow,
        /// Target: a fetch or swap was performed or failed.
        FETCH_ATOMIC = 6 => FetchAtomic,
        /// Append: a fetch or swap that came before the entry.
        FETCH_ATOMIC_OVERFLOW = 7 => FetchAtomicOverflow,
        /// Initiator: the reply to a get, fetch or swap has come.
        REPLY = 8 => Reply,
        /// Initiator: the message is with the link, its bytes may change.
        SEND = 9 => Send,
        /// Initiator: the acknowledgement has come.
        ACK = 10 => Ack,
        /// Flow control disabled a portal entry.
        PT_DISABLED = 11 => PtDisabled,
        /// A match entry is in its list.
        LINK = 12 => Link,
        /// A match entry was unlinked by a message, or by a header that it took.
        AUTO_UNLINK = 13 => AutoUnlink,
        /// Nothing refers any more to the buffer of an overflow entry that was unlinked.
        AUTO_FREE = 14 => AutoFree,
        /// A search found a header; `ni_fail` NO_MATCH: it found none.
        SEARCH = 15 => Search,
        /// Target: an XTQ put was enqueued or refused.
        XTQ_PUT = 32 => XtqPut,
        /// A command has ended; `status` is one of commands, `access` the operation.
        COMMAND = 40 => Command,
    }
}

codes! {
    /// `status` values: the outcome of a message at the target.
    pub mod status: u8 {
        /// Delivered; an XTQ put is enqueued and its doorbell rung.
        OK = 0,
        /// AQL packet type is not 2 (kernel dispatch) or 4 (agent dispatch).
        BAD_TYPE = 1,
        /// The landing address of an XTQ put is not a multiple of 64.
        BAD_ALIGNMENT = 2,
        /// Kernel index out of range or not registered.
        BAD_KERNEL_INDEX = 3,
        /// Function index out of range or not registered.
        BAD_FUNCTION_INDEX = 4,
        /// Command length and table disagree, or the rewritten pair does not fit.
        BAD_KERNARG_SIZE = 5,
        /// Queue index out of range, not registered, or the queue failed before.
        BAD_QUEUE_INDEX = 6,
        /// The queue has no free slot.
        QUEUE_FULL = 7,
        /// The queue size is zero or not a power of two.
        BAD_QUEUE_SIZE = 8,
        /// The entry says shared, the hardware was built without atomics.
        SHARED_REFUSED = 9,
        /// The message does not fit into what is left of the receive buffer.
        BUFFER_TOO_SMALL = 10,
        /// The packet ended early or late.
        BAD_LENGTH = 11,
        /// A memory access failed; `access` says which.
        MEMORY_ERROR = 12,
        /// The portal entry is disabled.
        PT_DISABLED = 13,
        /// The portal entry does not exist or was never set up.
        NO_PORTAL = 14,
        /// No room to follow another message of several packets.
        NO_MESSAGE_SLOT = 15,
        /// No match entry takes the message, or the context has no unexpected header left.
        NO_MATCH = 16,
        /// The match entry is for another user.
        PERM_VIOLATION = 17,
        /// The match entry does not allow the operation.
        OP_VIOLATION = 18,
        /// The context does not exist, or takes no messages. It is reported to the sender only.
        BAD_CONTEXT = 19,
    }
}

codes! {
    /// `access` values: the memory access that failed.
    pub mod access: u8 {
        /// None failed.
        NONE = 0,
        /// Read of a lookup table.
        TABLE = 1,
        /// Write of AQL packet, arguments or payload to the receive buffer.
        PAYLOAD = 2,
        /// Write of the queue slot's body.
        SLOT = 3,
        /// Read or write of a queue index.
        INDEX = 4,
        /// Write of the queue slot's header word.
        HEADER = 5,
        /// Write of the doorbell; or the queue had failed before it: the packet is published, not rung.
        DOORBELL = 6,
        /// Write of an event.
        EVENT = 7,
        /// Read of what a message of this process sends, or of what is sent in reply to a GET.
        GATHER = 8,
    }
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
        /// Outcome as it is reported to the initiator, see [`ni_fail`](super::wire_header::ni_fail).
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
        /// Offset asked for; XTQ put that a match entry took: user pointer of the entry. ACK: offset used. COMMAND
        /// (CT_GET): failure.
        remote_offset: 64,
        /// XTQ put: packet id in the queue, the doorbell value of HSA. REPLY, SEND, ACK, COMMAND: user pointer of the
        /// command. Others: user pointer of the match entry, 0 without one.
        packet_id: 64,
    }
}
