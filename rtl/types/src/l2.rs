//! What goes into and comes out of the L2: requests, responses, and the end of a lock.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// `op` values of a request.
pub mod op {
    /// Reads.
    pub const LOAD: u8 = 0;
    /// Writes the bytes of the strobe.
    pub const STORE: u8 = 1;
    /// The same; locks the line (STORE) if a compute unit asks.
    pub const LOCKED_STORE: u8 = 2;
    /// Reads and locks the line (RMW); command processor only.
    pub const RMW_READ: u8 = 3;
    /// Word := word + operand.
    pub const ATOMIC_ADD: u8 = 4;
    /// Word := operand.
    pub const ATOMIC_SWAP: u8 = 5;
    /// Word := operand if word = compare.
    pub const ATOMIC_CAS: u8 = 6;
    /// Writes back if dirty, then forgets the line.
    pub const INVALIDATE: u8 = 7;
    /// Writes back if dirty.
    pub const WRITE_BACK: u8 = 8;
    /// On the port `rmw_write` only: writes and unlocks.
    pub const RMW_WRITE: u8 = 9;
}

/// `status` values of a response.
pub mod status {
    /// Done.
    pub const OK: u8 = 0;
    /// Not allowed; nothing changed.
    pub const REFUSED: u8 = 1;
    /// The line could not be fetched; nothing changed.
    pub const MEMORY: u8 = 2;
}

/// `cause` values of the end of a lock.
pub mod cause {
    /// The owner's write, or an access of the command processor to a STORE lock.
    pub const RELEASE: u8 = 0;
    /// It was held for too long.
    pub const WATCHDOG: u8 = 1;
    /// A STORE lock whose way a read-modify-write needed.
    pub const DROPPED: u8 = 2;
}

wire_struct! {
    /// Compute unit or CP thread to the L2; strobe and data travel beside it.
    pub struct L2Request / L2RequestUnpack : 147 {
        /// What to do, see [`op`].
        op: 4,
        /// Atomics: 8 bytes, else 4.
        wide: 1,
        /// The requester is a CP thread, else a compute unit.
        cp: 1,
        /// Number of the thread or unit.
        requester: 5,
        /// Returned with the response.
        tag: 8,
        /// Byte address.
        address: 64,
        /// ATOMIC_CAS: expected value (4 bytes: the lower half).
        compare: 64,
    }
}

wire_struct! {
    /// The L2 to the requester; the line as it was before the access travels beside it.
    pub struct L2Response / L2ResponseUnpack : 18 {
        /// The request's.
        cp: 1,
        /// The request's.
        requester: 5,
        /// The request's.
        tag: 8,
        /// The line was in the cache.
        hit: 1,
        /// Served without keeping the line.
        uncached: 1,
        /// Outcome, see [`status`].
        status: 2,
    }
}

wire_struct! {
    /// The end of a lock.
    pub struct LockEnd / LockEndUnpack : 86 {
        /// Why, see [`cause`].
        cause: 2,
        /// It was an RMW lock, else a STORE lock.
        rmw: 1,
        /// RMW: the CP thread; STORE: the compute unit.
        owner: 5,
        /// Cycles from lock to unlock.
        age: 20,
        /// Address bits 63:6.
        line: 58,
    }
}
