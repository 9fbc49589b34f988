//! Codes of the counters and of the operations that wait for them (Portals counting events and triggered operations).
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// What is done to a counter.
pub mod counter_operation {
    /// Read both fields.
    pub const GET: u8 = 0;
    /// Add to success and failure what a message counts: bytes, 1, or 0.
    pub const COUNT: u8 = 1;
    /// `PtlCTInc`: add to success or to failure, exactly one of which is not 0.
    pub const INC: u8 = 2;
    /// `PtlCTSet`: replace both fields.
    pub const SET: u8 = 3;
    /// Take a counter that nobody has; both fields become 0.
    pub const ALLOC: u8 = 4;
    /// Give the counter back.
    pub const FREE: u8 = 5;
}

/// What a change of a counter is for those who follow it.
pub mod counter_change {
    /// It has another value.
    pub const VALUE: u8 = 0;
    /// It has an owner and is 0.
    pub const ALLOC: u8 = 1;
    /// It has no owner any more.
    pub const FREE: u8 = 2;
}

/// How an operation on a counter, or a request to the trigger engine, ends.
pub mod counter_status {
    /// Done.
    pub const OK: u8 = 0;
    /// Nobody has the counter.
    pub const NOT_ALLOCATED: u8 = 1;
    /// Another context has it.
    pub const NOT_OWNER: u8 = 2;
    /// The arguments are not allowed, or there is no such operation.
    pub const ARGUMENT_INVALID: u8 = 3;
    /// The counter to be allocated is not free.
    pub const IN_USE: u8 = 4;
    /// The store of triggered operations is full.
    pub const NO_SPACE: u8 = 5;
}

wire_struct! {
    /// Inside the trigger engine: the lowest threshold that is pending on a counter.
    pub struct Floor / FloorUnpack : 65 {
        /// Something is pending.
        some: 1,
        /// The lowest threshold, if `some`.
        threshold: 64,
    }
}
