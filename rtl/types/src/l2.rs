//! What goes into and comes out of the L2: requests, responses, and the end of a lock.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    ($)
    /// `op` values of a request.
    pub mod op: u8 as l2_operations {
        /// Reads the line.
        LOAD = 0 => Load,
        /// Writes bytes of the line.
        STORE = 1 => Store,
        /// The same; if a compute unit asks, the line stays until the command processor has touched it (lock STORE).
        LOCKED_STORE = 2 => LockedStore,
        /// Reads and locks the line (lock RMW), command processor only.
        RMW_READ = 3 => RmwRead,
        /// Adds to a word.
        ATOMIC_ADD = 4 => AtomicAdd,
        /// Exchanges a word.
        ATOMIC_SWAP = 5 => AtomicSwap,
        /// Exchanges a word if it is as expected.
        ATOMIC_CAS = 6 => AtomicCas,
        /// Writes the line back if it is dirty, then forgets it.
        INVALIDATE = 7 => Invalidate,
        /// Writes the line back if it is dirty.
        WRITE_BACK = 8 => WriteBack,
        /// Writes and unlocks, by the thread that has locked the line; only on the port `rmw_write`.
        RMW_WRITE = 9 => RmwWrite,
    }
}

codes! {
    /// `status` values of a response.
    pub mod status: u8 {
        /// Done.
        OK = 0,
        /// Not allowed; nothing changed.
        REFUSED = 1,
        /// The line could not be fetched; nothing changed.
        MEMORY = 2,
    }
}

codes! {
    /// `cause` values of the end of a lock.
    pub mod cause: u8 {
        /// The owner's write, or an access of the command processor to a STORE lock.
        RELEASE = 0,
        /// It was held for too long.
        WATCHDOG = 1,
        /// A STORE lock whose way a read-modify-write needed.
        DROPPED = 2,
    }
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
