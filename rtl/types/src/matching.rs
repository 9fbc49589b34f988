//! What goes in and out of the match unit: Portals 4 lists of a NIC with four contexts.
//!
//! Each context has match entries, portal entries and unexpected headers of its own, so a number names something only
//! together with a context. Entry ids are 10 bits wide in answers, enough for the large configuration; a smaller one
//! uses the low bits.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    /// Kinds of request.
    pub mod request_kind: u8 {
        /// One-sided write.
        PUT = 0,
        /// One-sided read.
        GET = 1,
        /// Atomic update without a reply.
        ATOMIC = 2,
        /// Atomic update that replies with the old value.
        FETCH = 3,
        /// Swap, replies with the old value.
        SWAP = 4,
        /// Put that launches a task: a locally managed offset is rounded up to 64 first.
        XTQ_PUT = 5,
    }
}

codes! {
    /// What became of a request; the values are those of Portals' `ni_fail` where it has one.
    pub mod outcome: u8 {
        /// An entry takes it.
        MATCHED = 0,
        /// The portal entry does not exist or is not allocated; reported to the initiator as DROPPED.
        NO_PORTAL = 1,
        /// No entry, or no unexpected header left to the context, and no flow control.
        DROPPED = 2,
        /// The portal entry is disabled, or this request made flow control disable it.
        PT_DISABLED = 3,
        /// The entry is for another user.
        PERM_VIOLATION = 4,
        /// The entry does not allow the operation.
        OP_VIOLATION = 5,
    }
}

codes! {
    /// Bits of a match entry's options (Portals 4.2; bit 19 is of 4.3).
    pub mod me_option: u32 {
        /// Start names a list of pieces: no XTQ puts, no atomics.
        IOVEC = 1 << 0,
        /// Puts, atomics, fetches and swaps are allowed.
        OP_PUT = 1 << 1,
        /// Gets, fetches and swaps are allowed.
        OP_GET = 1 << 2,
        /// Unlinked by the first message.
        USE_ONCE = 1 << 3,
        /// No acknowledgement. Not looked at here.
        ACK_DISABLE = 1 << 4,
        /// In the overflow list: messages leave no header.
        UNEXPECTED_HDR_DISABLE = 1 << 5,
        /// Hint. Not looked at.
        IS_ACCESSIBLE = 1 << 6,
        /// No LINK event. Not looked at here.
        LINK_DISABLE = 1 << 7,
        /// No event for a message.
        COMM_DISABLE = 1 << 8,
        /// No PT_DISABLED event. Not looked at here.
        FLOWCTRL_DISABLE = 1 << 9,
        /// No event for a message that succeeded. Not looked at here.
        SUCCESS_DISABLE = 1 << 10,
        /// No event for a header taken. Not looked at here.
        OVER_DISABLE = 1 << 11,
        /// Neither AUTO_UNLINK nor AUTO_FREE.
        UNLINK_DISABLE = 1 << 12,
        /// Messages count. Not looked at here.
        CT_COMM = 1 << 13,
        /// Headers taken count. Not looked at here.
        CT_OVERFLOW = 1 << 14,
        /// Bytes count instead of events. Not looked at here.
        CT_BYTES = 1 << 15,
        /// The entry keeps the offset.
        MANAGE_LOCAL = 1 << 16,
        /// A message that does not fit does not match.
        NO_TRUNCATE = 1 << 17,
        /// Hint. Not looked at.
        MAY_ALIGN = 1 << 18,
        /// Headers taken by an append move the local offset by their requested lengths (4.3).
        LOCAL_INC_UH_RLENGTH = 1 << 19,
    }
}

codes! {
    ($)
    /// The lists of a portal entry.
    pub mod list: u8 as portal_lists {
        /// Searched first.
        PRIORITY = 0 => Priority,
        /// Searched after the priority list; its messages are unexpected.
        OVERFLOW = 1 => Overflow,
    }
}

codes! {
    ($)
    /// `list` of ME_SEARCH: what a search does with what it finds.
    pub mod search: u8 as searches {
        /// Leaves it.
        ONLY = 0 => Only,
        /// Takes it.
        DELETE = 1 => Delete,
    }
}

codes! {
    /// Commands.
    pub mod match_op: u8 {
        /// Append a match entry, after a search of the unexpected headers if it is for the priority list.
        ME_APPEND = 0,
        /// Unlink a match entry.
        ME_UNLINK = 1,
        /// Search the unexpected headers.
        ME_SEARCH_ONLY = 2,
        /// Search the unexpected headers and take what is found.
        ME_SEARCH_DELETE = 3,
        /// Set up a portal entry, see [`portal_option`](super::portal_option).
        PT_ALLOC = 4,
        /// Give it up.
        PT_FREE = 5,
        /// Enable it.
        PT_ENABLE = 6,
        /// Disable it.
        PT_DISABLE = 7,
    }
}

codes! {
    /// `options` of PT_ALLOC.
    pub mod portal_option: u32 {
        /// Exhaustion disables the entry.
        FLOW_CONTROL = 1 << 0,
        /// Its entries match; else the first entry takes every message.
        MATCHING = 1 << 1,
        /// Starts disabled.
        DISABLED = 1 << 2,
    }
}

codes! {
    /// Kinds of response.
    pub mod response_kind: u8 {
        /// The end of a command, with a [`match_code`](super::match_code).
        FINAL = 0,
        /// An unexpected header that was found.
        HIT = 1,
        /// The last header of an overflow entry that was unlinked by itself is gone.
        AUTO_FREE = 2,
    }
}

codes! {
    /// How a command ended.
    pub mod match_code: u8 {
        /// Append: the entry is in its list.
        LINKED = 0,
        /// Append: a header used the entry up; it was never linked (AUTO_UNLINK).
        CONSUMED = 1,
        /// Unlink: the entry is not in its list any more.
        UNLINKED = 2,
        /// Unlink: the context has no entry of this id, or it was consumed; nothing happens.
        NOT_LINKED = 3,
        /// Unlink: refused, unexpected headers need the entry.
        IN_USE = 4,
        /// Search: at least one header was found.
        FOUND = 5,
        /// Search: none was found.
        NOT_FOUND = 6,
        /// Portal command: done.
        OK = 7,
        /// Append: the id is in use.
        ID_BUSY = 8,
        /// Append: there is no entry of this id; the context's share ends below it.
        NO_SPACE = 9,
        /// The portal entry does not exist or is not allocated.
        BAD_PORTAL = 10,
        /// PT_ALLOC: allocated already. PT_FREE: it has entries or headers.
        PORTAL_IN_USE = 11,
        /// The operation does not exist.
        BAD_COMMAND = 12,
    }
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
    /// Match unit to deliver: what becomes of a message. `entry_id`, `list`, `options`, `counter`, `user_ptr` and
    /// `start` are valid if an entry matched, whatever came of it then; `options` is 0 if none did; the fields after
    /// them if the outcome is MATCHED.
    pub struct MatchResult / MatchResultUnpack : 320 {
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
        entry_id: 10,
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
        header: 13,
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
    pub struct MatchResponse / MatchResponseUnpack : 588 {
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
        entry_id: 10,
        /// HIT, FINAL: the command's options; AUTO_FREE: the overflow entry's.
        options: 20,
        /// HIT, FINAL: the command's counter; AUTO_FREE: the overflow entry's.
        counter: 8,
        /// HIT, FINAL: the command's user pointer; AUTO_FREE: the overflow entry's.
        user_ptr: 64,
        /// HIT, AUTO_FREE: address of the overflow entry's buffer.
        start: 64,
        /// HIT: offset at which the message landed; the fields after it are the message's too.
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
        /// HIT: name of the header, as in the result of its message.
        header: 13,
    }
}
