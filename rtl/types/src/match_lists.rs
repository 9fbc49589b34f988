//! What the match unit stores, and what travels between its parts.
//!
//! Here the context is part of every number: an entry is {id 10, context 2}, a portal entry {index 6, context 2}, a
//! list of entries {list 1, portal entry 8}.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// A portal entry.
    pub struct PortalState / PortalStateUnpack : 4 {
        /// It is allocated.
        allocated: 1,
        /// It takes messages.
        enabled: 1,
        /// Exhaustion disables it.
        flow_control: 1,
        /// Its entries match.
        matching: 1,
    }
}

wire_struct! {
    /// A slot of an entry list: what decides whether a message matches.
    pub struct EntryKey / EntryKeyUnpack : 168 {
        /// Bits to compare.
        match_bits: 64,
        /// Bits not to compare.
        ignore_bits: 64,
        /// Source node that matches.
        source_node: 16,
        /// Source context that matches.
        source_context: 8,
        /// Any source node matches.
        any_node: 1,
        /// Any source context matches.
        any_context: 1,
        /// A message that does not fit does not match.
        no_truncate: 1,
        /// The entry keeps the offset.
        manage_local: 1,
        /// Entry.
        id: 12,
    }
}

wire_struct! {
    /// What of a message decides whether it matches.
    pub struct MessageKey / MessageKeyUnpack : 185 {
        /// Match bits.
        match_bits: 64,
        /// Sender's node.
        source_node: 16,
        /// Sender's context.
        source_context: 8,
        /// Length asked for.
        length: 32,
        /// Offset asked for + length, low half.
        end_low: 32,
        /// High half, with the carry.
        end_high: 33,
    }
}

wire_struct! {
    /// A slot of a header list.
    pub struct HeaderKey / HeaderKeyUnpack : 198 {
        /// Match bits.
        match_bits: 64,
        /// Sender's node.
        source_node: 16,
        /// Sender's context.
        source_context: 8,
        /// Length asked for.
        length: 32,
        /// Offset asked for + length, low half.
        end_low: 32,
        /// High half, with the carry.
        end_high: 33,
        /// Name of the header: its number, and in the lowest bit its turn.
        id: 13,
    }
}

wire_struct! {
    /// The rest of an unexpected header.
    pub struct HeaderRecord / HeaderRecordUnpack : 271 {
        /// Kind of request.
        kind: 3,
        /// Sender's user id.
        user_id: 32,
        /// Bytes moved.
        mlength: 32,
        /// Offset asked for.
        remote_offset: 64,
        /// Header data.
        header_data: 64,
        /// Offset at which the message landed.
        offset: 64,
        /// Overflow entry in whose buffer it is.
        entry: 12,
    }
}

wire_struct! {
    /// What of an entry does not change while it exists.
    pub struct EntryFacts / EntryFactsUnpack : 288 {
        /// Portal entry.
        portal: 8,
        /// List.
        list: 1,
        /// Options.
        options: 20,
        /// It is unlinked when too little is left.
        has_min_free: 1,
        /// Any user may.
        any_user: 1,
        /// User that may.
        user_id: 32,
        /// Address of the buffer, or of its list of pieces.
        start: 64,
        /// Length of the buffer.
        length: 64,
        /// Pieces of the list; 0: it has none.
        pieces: 11,
        /// Counter.
        counter: 8,
        /// User pointer.
        user_ptr: 64,
        /// Chunk in which its key is.
        chunk: 12,
        /// Slot of the chunk.
        slot: 2,
    }
}

wire_struct! {
    /// How far a locally managed buffer is filled.
    pub struct EntryFill / EntryFillUnpack : 193 {
        /// Where the next message lands.
        offset: 64,
        /// Bytes after the offset.
        room: 64,
        /// Bytes that may come without that fewer than `min_free` are left.
        spare: 64,
        /// Fewer than `min_free` are left already.
        full: 1,
    }
}

wire_struct! {
    /// Whether an entry exists, and for whom.
    pub struct EntryHold / EntryHoldUnpack : 13 {
        /// It is in its list.
        linked: 1,
        /// It was unlinked by itself and headers need it.
        lingering: 1,
        /// Headers that need it.
        headers: 11,
    }
}

wire_struct! {
    /// A position of the walk through a portal entry's lists.
    pub struct WalkOp / WalkOpUnpack : 30 {
        /// Request.
        pointer: 3,
        /// Portal entry.
        portal: 8,
        /// List.
        list: 1,
        /// There is a chunk; else the list is empty or this is the end.
        some: 1,
        /// The chunk.
        chunk: 12,
        /// Slots that were looked at before and do not match.
        skip: 4,
        /// After both lists.
        ends: 1,
    }
}

wire_struct! {
    /// What the walk found for a request.
    pub struct FoundEntry / FoundEntryUnpack : 43 {
        /// Request.
        pointer: 3,
        /// Portal entry.
        portal: 8,
        /// List.
        list: 1,
        /// Chunk of the entry.
        chunk: 12,
        /// Slots of the chunk that were looked at before.
        skip: 4,
        /// There is an entry; else the fields after it and `chunk` have no meaning.
        matched: 1,
        /// Slot of the entry.
        slot: 2,
        /// The entry.
        id: 12,
    }
}
