//! `RegisterAddresses`: the offsets of the [register map](crate::types::register_map) as signals.
//!
//! **Purpose.** Names for the address decoder of [`Registers`](crate::registers::Registers); see [`constants!`](crate::constants).
//!
//! ```text
//!   +-------------------+
//!   | RegisterAddresses |--> version, node, ...
//!   +-------------------+
//! ```
//!
//! **Contract.** Constant outputs of 12 bits: offset in the page, in bytes.
//!
//! **Internals.** One constant an output.

use crate::types::register_map::{context, global};
use rust_hdl::prelude::*;

constants! {
    /// Offsets of registers in their page.
    pub struct RegisterAddresses : 12 {
        /// [`global::VERSION`].
        version / version_at = global::VERSION;
        /// [`global::BUILD`].
        build / build_at = global::BUILD;
        /// [`global::NODE`].
        node / node_at = global::NODE;
        /// [`global::LINK_CHECKED`].
        link_checked / link_checked_at = global::LINK_CHECKED;
        /// [`global::COUNTERS_CLEAR`].
        counters_clear / counters_clear_at = global::COUNTERS_CLEAR;
        /// [`context::TABLE_INVALIDATE`].
        table_invalidate / table_invalidate_at = context::TABLE_INVALIDATE;
    }
}
