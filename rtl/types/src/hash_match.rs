//! What goes in and out of the hash matcher, and what it stores.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    /// `op` values of a request.
    pub mod hash_op: u8 {
        /// A receive is posted.
        POST = 0,
        /// A message arrives.
        ARRIVE = 1,
        /// The portal entry takes posts and arrivals from now on.
        OPEN = 2,
        /// It takes none from now on.
        CLOSE = 3,
    }
}

codes! {
    /// `mode` values of a POST or an ARRIVE: what it does if it finds a partner, and if not.
    pub mod hash_mode: u8 {
        /// It takes its partner, or waits.
        WAIT = 0,
        /// It takes its partner, or nothing happens.
        TAKE = 1,
        /// Nothing happens; it only says which partner it would take.
        LOOK = 2,
        /// No partner is looked for: its own number does not wait any more.
        CANCEL = 3,
    }
}

codes! {
    /// `outcome` values of a result.
    pub mod hash_outcome: u8 {
        /// It has found its partner; both are gone. LOOK: there is one.
        MATCHED = 0,
        /// It waits now.
        WAITS = 1,
        /// No place for another key; nothing has changed.
        NO_SPACE = 2,
        /// The portal entry is not open; nothing has changed.
        NOT_OPEN = 3,
        /// The portal entry is opened or closed.
        DONE = 4,
        /// Opening or closing is refused: something waits in the portal entry. Nothing has changed.
        IN_USE = 5,
        /// CANCEL: it waited, and does not any more.
        CANCELLED = 6,
        /// TAKE, LOOK: there is no partner. CANCEL: it did not wait. Nothing has changed.
        NOT_FOUND = 7,
    }
}

wire_struct! {
    /// To the hash matcher.
    pub struct HashRequest / HashRequestUnpack : 112 {
        /// What to do, see [`hash_op`].
        op: 2,
        /// POST: number of the match entry; ARRIVE: number of the header; {number 10, context 2}. TAKE and LOOK need
        /// none, it only comes back.
        number: 12,
        /// Context.
        context: 2,
        /// Portal entry of the context.
        portal: 6,
        /// Source node, which has to be equal.
        source_node: 16,
        /// Source context, which has to be equal.
        source_context: 8,
        /// Match bits, which have to be equal.
        match_bits: 64,
        /// POST, ARRIVE: what becomes of it, see [`hash_mode`].
        mode: 2,
    }
}

wire_struct! {
    /// From the hash matcher: what became of a request.
    pub struct HashResult / HashResultUnpack : 29 {
        /// What it was, see [`hash_op`].
        op: 2,
        /// Its number.
        number: 12,
        /// What became of it, see [`hash_outcome`].
        outcome: 3,
        /// MATCHED: number of the partner, a header of a POST, a match entry of an ARRIVE; else 0.
        partner: 12,
    }
}

wire_struct! {
    /// A slot of the hash table: a key, and the chain of what waits with it. All of a chain are of one kind.
    pub struct HashSlot / HashSlotUnpack : 134 {
        /// The slot is in use.
        valid: 1,
        /// Headers wait; else match entries do.
        headers: 1,
        /// Context, portal entry, source node, source context and match bits of a request.
        key: 96,
        /// Number that has waited longest.
        head: 12,
        /// Number after it; means nothing if `head` is `tail`.
        second: 12,
        /// Number that came last.
        tail: 12,
    }
}

wire_struct! {
    /// A portal entry of the hash matcher.
    pub struct HashPortal / HashPortalUnpack : 15 {
        /// It takes posts and arrivals.
        open: 1,
        /// Match entries and headers that wait in it.
        waiting: 14,
    }
}
