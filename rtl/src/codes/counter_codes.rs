//! `CounterStatusCodes`: the codes of counters as signals; `CounterChangeCodes`, `CounterOperationCodes`.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of these blocks instead, so that every code is
//! typed once.
//!
//! ```text
//!   +--------------------+--> ok, not_allocated, ...
//!   | CounterStatusCodes |
//!   +--------------------+
//! ```
//!
//! **Contract.** Constant outputs. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::counter::{counter_change, counter_operation, counter_status};

constants! {
    /// The codes of [`counter_status`].
    pub struct CounterStatusCodes : 3 {
        /// [`counter_status::OK`].
        ok / ok_code = counter_status::OK;
        /// [`counter_status::NOT_ALLOCATED`].
        not_allocated / not_allocated_code = counter_status::NOT_ALLOCATED;
        /// [`counter_status::NOT_OWNER`].
        not_owner / not_owner_code = counter_status::NOT_OWNER;
        /// [`counter_status::ARGUMENT_INVALID`].
        argument_invalid / argument_invalid_code = counter_status::ARGUMENT_INVALID;
        /// [`counter_status::IN_USE`].
        in_use / in_use_code = counter_status::IN_USE;
        /// [`counter_status::NO_SPACE`].
        no_space / no_space_code = counter_status::NO_SPACE;
    }
}

constants! {
    /// The codes of [`counter_change`].
    pub struct CounterChangeCodes : 2 {
        /// [`counter_change::VALUE`].
        value / value_code = counter_change::VALUE;
        /// [`counter_change::ALLOC`].
        alloc / alloc_code = counter_change::ALLOC;
        /// [`counter_change::FREE`].
        free / free_code = counter_change::FREE;
    }
}

constants! {
    /// The codes of [`counter_operation`].
    pub struct CounterOperationCodes : 3 {
        /// [`counter_operation::GET`].
        get / get_code = counter_operation::GET;
        /// [`counter_operation::COUNT`].
        count / count_code = counter_operation::COUNT;
        /// [`counter_operation::INC`].
        inc / inc_code = counter_operation::INC;
        /// [`counter_operation::SET`].
        set / set_code = counter_operation::SET;
        /// [`counter_operation::ALLOC`].
        alloc / alloc_code = counter_operation::ALLOC;
        /// [`counter_operation::FREE`].
        free / free_code = counter_operation::FREE;
    }
}
