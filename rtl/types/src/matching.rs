//! What goes in and out of the match unit: Portals 4 lists of a NIC with four contexts.
//!
//! Each context has match entries, portal entries and unexpected headers of its own, so a number names something only together with a context. Entry ids are 8 bits wide in
//! answers, enough for the large configuration; a smaller one uses the low bits.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// Kinds of request.
pub mod request_kind {
    /// One-sided write.
    pub const PUT: u8 = 0;
    /// One-sided read.
    pub const GET: u8 = 1;
    /// Atomic update without a reply.
    pub const ATOMIC: u8 = 2;
    /// Atomic update that replies with the old value.
    pub const FETCH: u8 = 3;
    /// Swap, replies with the old value.
    pub const SWAP: u8 = 4;
    /// Put that launches a task: a locally managed offset is rounded up to 64 first.
    pub const XTQ_PUT: u8 = 5;
}

/// What became of a request; the values are those of Portals' `ni_fail` where it has one.
pub mod outcome {
    /// An entry takes it.
    pub const MATCHED: u8 = 0;
    /// The portal entry does not exist or is not allocated; told to the initiator as DROPPED.
    pub const NO_PORTAL: u8 = 1;
    /// No entry, or no unexpected header left to the context, and no flow control.
    pub const DROPPED: u8 = 2;
    /// The portal entry is disabled, or this request made flow control disable it.
    pub const PT_DISABLED: u8 = 3;
    /// The entry is for another user.
    pub const PERM_VIOLATION: u8 = 4;
    /// The entry does not allow the operation.
    pub const OP_VIOLATION: u8 = 5;
}

/// Bits of a match entry's options (Portals 4.2; bit 19 is of 4.3).
pub mod me_option {
    /// Start names a list of pieces: no XTQ puts, no atomics.
    pub const IOVEC: u32 = 1 << 0;
    /// Puts, atomics, fetches and swaps are allowed.
    pub const OP_PUT: u32 = 1 << 1;
    /// Gets, fetches and swaps are allowed.
    pub const OP_GET: u32 = 1 << 2;
    /// Unlinked by the first message.
    pub const USE_ONCE: u32 = 1 << 3;
    /// No acknowledgement. Not looked at here.
    pub const ACK_DISABLE: u32 = 1 << 4;
    /// In the overflow list: messages leave no header.
    pub const UNEXPECTED_HDR_DISABLE: u32 = 1 << 5;
    /// Hint. Not looked at.
    pub const IS_ACCESSIBLE: u32 = 1 << 6;
    /// No LINK event. Not looked at here.
    pub const LINK_DISABLE: u32 = 1 << 7;
    /// No event for a message.
    pub const COMM_DISABLE: u32 = 1 << 8;
    /// No PT_DISABLED event. Not looked at here.
    pub const FLOWCTRL_DISABLE: u32 = 1 << 9;
    /// No event for a message that succeeded. Not looked at here.
    pub const SUCCESS_DISABLE: u32 = 1 << 10;
    /// No event for a header taken. Not looked at here.
    pub const OVER_DISABLE: u32 = 1 << 11;
    /// Neither AUTO_UNLINK nor AUTO_FREE.
    pub const UNLINK_DISABLE: u32 = 1 << 12;
    /// Messages count. Not looked at here.
    pub const CT_COMM: u32 = 1 << 13;
    /// Headers taken count. Not looked at here.
    pub const CT_OVERFLOW: u32 = 1 << 14;
    /// Bytes count instead of events. Not looked at here.
    pub const CT_BYTES: u32 = 1 << 15;
    /// The entry keeps the offset.
    pub const MANAGE_LOCAL: u32 = 1 << 16;
    /// A message that does not fit does not match.
    pub const NO_TRUNCATE: u32 = 1 << 17;
    /// Hint. Not looked at.
    pub const MAY_ALIGN: u32 = 1 << 18;
    /// Headers taken by an append move the local offset by their requested lengths (4.3).
    pub const LOCAL_INC_UH_RLENGTH: u32 = 1 << 19;
}

/// The lists of a portal entry.
pub mod list {
    /// Searched first.
    pub const PRIORITY: u8 = 0;
    /// Searched behind the priority list; its messages are unexpected.
    pub const OVERFLOW: u8 = 1;
}

/// Commands.
pub mod match_op {
    /// Append a match entry, after a search of the unexpected headers if it is for the priority list.
    pub const ME_APPEND: u8 = 0;
    /// Unlink a match entry.
    pub const ME_UNLINK: u8 = 1;
    /// Search the unexpected headers.
    pub const ME_SEARCH_ONLY: u8 = 2;
    /// Search the unexpected headers and take what is found.
    pub const ME_SEARCH_DELETE: u8 = 3;
    /// Set up a portal entry, see [`portal_option`](super::portal_option).
    pub const PT_ALLOC: u8 = 4;
    /// Give it up.
    pub const PT_FREE: u8 = 5;
    /// Enable it.
    pub const PT_ENABLE: u8 = 6;
    /// Disable it.
    pub const PT_DISABLE: u8 = 7;
}

/// `options` of PT_ALLOC.
pub mod portal_option {
    /// Exhaustion disables the entry.
    pub const FLOW_CONTROL: u32 = 1 << 0;
    /// Its entries match; else the first entry takes every message.
    pub const MATCHING: u32 = 1 << 1;
    /// Starts disabled.
    pub const DISABLED: u32 = 1 << 2;
}

/// Kinds of response.
pub mod response_kind {
    /// The end of a command, with a [`match_code`](super::match_code).
    pub const FINAL: u8 = 0;
    /// An unexpected header that was found.
    pub const HIT: u8 = 1;
    /// The last header of an overflow entry that was unlinked by itself is gone.
    pub const AUTO_FREE: u8 = 2;
}

/// How a command ended.
pub mod match_code {
    /// Append: the entry is in its list.
    pub const LINKED: u8 = 0;
    /// Append: a header used the entry up; it was never linked (AUTO_UNLINK).
    pub const CONSUMED: u8 = 1;
    /// Unlink: the entry is not in its list any more.
    pub const UNLINKED: u8 = 2;
    /// Unlink: the context has no entry of this id, or it was consumed; nothing happens.
    pub const NOT_LINKED: u8 = 3;
    /// Unlink: refused, unexpected headers need the entry.
    pub const IN_USE: u8 = 4;
    /// Search: at least one header was found.
    pub const FOUND: u8 = 5;
    /// Search: none was found.
    pub const NOT_FOUND: u8 = 6;
    /// Portal command: done.
    pub const OK: u8 = 7;
    /// Append: the id is in use.
    pub const ID_BUSY: u8 = 8;
    /// Append: there is no entry of this id; the context's share ends below it.
    pub const NO_SPACE: u8 = 9;
    /// The portal entry does not exist or is not allocated.
    pub const BAD_PORTAL: u8 = 10;
    /// PT_ALLOC: allocated already. PT_FREE: it has entries or headers.
    pub const PORTAL_IN_USE: u8 = 11;
    /// The operation does not exist.
    pub const BAD_COMMAND: u8 = 12;
}

wire_struct! {
    /// Parser to match unit: a message's header.
    pub struct MatchRequest / MatchRequestUnpack : 352 {
        /// Kind, see [`request_kind`].
        kind: 3,
        /// Places that the event ring has for this message, beyond those reserved for PT_DISABLED; 3: three or more.
        event_room: 2,
        /// There is no place to follow its packets: it ends like one that finds nothing.
        crowded: 1,
        /// Target context.
        context: 2,
        /// Portal entry.
        portal_index: 16,
        /// Sender's node.
        source_node: 16,
        /// Sender's context.
        source_context: 8,
        /// Sender's user id.
        user_id: 32,
        /// Match bits.
        match_bits: 64,
        /// Length asked for in bytes.
        length: 32,
        /// Most bytes that may move: the largest message, the largest atomic, or one datum.
        limit: 32,
        /// Offset asked for in bytes.
        remote_offset: 64,
        /// Header data.
        header_data: 64,
        /// Returned with the result.
        handle: 16,
    }
}

wire_struct! {
    /// Match unit to deliver: what becomes of a message. `entry_id`, `list`, `options`, `counter`, `user_ptr` and `start` are valid if an
    /// entry matched, whatever came of it then; `options` is 0 if none did; the fields behind them if the outcome is MATCHED.
    pub struct MatchResult / MatchResultUnpack : 316 {
        /// The request's.
        handle: 16,
        /// Outcome, see [`outcome`].
        outcome: 3,
        /// Target context.
        context: 2,
        /// Portal entry.
        portal: 6,
        /// This request made flow control disable the portal entry.
        portal_disabled: 1,
        /// The portal entry has flow control.
        flow_control: 1,
        /// An entry matched, but the message was `crowded`.
        crowded: 1,
        /// Entry of the context that matched.
        entry_id: 8,
        /// Its list, see [`list`].
        list: 1,
        /// Its options, see [`me_option`].
        options: 20,
        /// Its counter.
        counter: 8,
        /// Its user pointer.
        user_ptr: 64,
        /// Address of its buffer, or of the list of pieces that is its buffer.
        start: 64,
        /// Pieces of the list; 0: it has none.
        pieces: 11,
        /// Offset used in bytes.
        offset: 64,
        /// Bytes to move.
        mlength: 32,
        /// The entry is unlinked.
        auto_unlink: 1,
        /// It is an overflow entry that no header needs, unlinked: nothing refers to its buffer any more.
        auto_free: 1,
        /// The message left an unexpected header.
        unexpected: 1,
        /// With `unexpected`: name of the header, see `HeaderStore`.
        header: 11,
    }
}

wire_struct! {
    /// Command processor to match unit.
    pub struct MatchCommand / MatchCommandUnpack : 537 {
        /// Operation, see [`match_op`].
        op: 4,
        /// Context that gives the command.
        context: 2,
        /// Portal entry.
        portal_index: 16,
        /// Match entry.
        id: 16,
        /// List, see [`list`].
        list: 1,
        /// Options, see [`me_option`]; PT_ALLOC: [`portal_option`].
        options: 20,
        /// Any source node matches.
        any_node: 1,
        /// Any source context matches.
        any_context: 1,
        /// Any user may.
        any_user: 1,
        /// Source node that matches.
        source_node: 16,
        /// Source context that matches.
        source_context: 8,
        /// User that may.
        user_id: 32,
        /// Bits to compare.
        match_bits: 64,
        /// Bits not to compare.
        ignore_bits: 64,
        /// Address of the buffer, or of the list of pieces that is the buffer.
        start: 64,
        /// Length of the buffer in bytes, of all pieces together.
        length: 64,
        /// Pieces of the list; 0: it has none.
        pieces: 11,
        /// With MANAGE_LOCAL: unlinked when fewer bytes are left; 0 never.
        min_free: 64,
        /// Counter.
        counter: 8,
        /// Given back in events.
        user_ptr: 64,
        /// Returned with the responses.
        handle: 16,
    }
}

wire_struct! {
    /// Match unit to command processor: a header found, a buffer free, or the end of a command.
    pub struct MatchResponse / MatchResponseUnpack : 584 {
        /// The command's.
        handle: 16,
        /// Kind, see [`response_kind`].
        kind: 2,
        /// FINAL: how it ended, see [`match_code`]; else 0.
        code: 4,
        /// The command's context.
        context: 2,
        /// Portal entry.
        portal: 6,
        /// FINAL: the command's entry; HIT, AUTO_FREE: the overflow entry.
        entry_id: 8,
        /// HIT, FINAL: the command's options; AUTO_FREE: the overflow entry's.
        options: 20,
        /// HIT, FINAL: the command's counter; AUTO_FREE: the overflow entry's.
        counter: 8,
        /// HIT, FINAL: the command's user pointer; AUTO_FREE: the overflow entry's.
        user_ptr: 64,
        /// HIT, AUTO_FREE: address of the overflow entry's buffer.
        start: 64,
        /// HIT: offset at which the message landed; the fields behind are the message's too.
        offset: 64,
        /// Bytes moved.
        mlength: 32,
        /// Kind of request.
        request_kind: 3,
        /// Sender's node.
        source_node: 16,
        /// Sender's context.
        source_context: 8,
        /// Sender's user id.
        user_id: 32,
        /// Match bits.
        match_bits: 64,
        /// Length asked for.
        length: 32,
        /// Offset asked for.
        remote_offset: 64,
        /// Header data.
        header_data: 64,
        /// HIT: name of the header, as the result of its message said it.
        header: 11,
    }
}
