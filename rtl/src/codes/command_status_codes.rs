//! `CommandStatusCodes`: codes of [`command_status`] as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +--------------------+
//!   | CommandStatusCodes |--> ok, bad_descriptor, descriptor_overflow, in_use
//!   +--------------------+
//! ```
//!
//! **Contract.** Constant outputs, 8 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::command::command_status;

constants! {
    /// How a command ends.
    pub struct CommandStatusCodes : 8 {
        /// [`command_status::OK`].
        ok / ok_code = command_status::OK;
        /// [`command_status::BAD_DESCRIPTOR`].
        bad_descriptor / bad_descriptor_code = command_status::BAD_DESCRIPTOR;
        /// [`command_status::DESCRIPTOR_OVERFLOW`].
        descriptor_overflow / descriptor_overflow_code = command_status::DESCRIPTOR_OVERFLOW;
        /// [`command_status::IN_USE`].
        in_use / in_use_code = command_status::IN_USE;
    }
}
