//! `RegisterAddresses`: the offsets of the [register map](xtq_types::register_map) as signals.
//!
//! **Purpose.** Names for [`RegisterDecoder`](crate::host::register_decoder::RegisterDecoder); see
//! [`constants!`](crate::codes::constants).
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

use rust_hdl::prelude::*;
use xtq_types::register_map::{context, global};

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
        /// [`global::MESSAGE_TIMEOUT`].
        message_timeout / message_timeout_at = global::MESSAGE_TIMEOUT;
        /// [`global::MESSAGE_LIMIT`].
        message_limit / message_limit_at = global::MESSAGE_LIMIT;
        /// [`global::USER_ID`], the first of the user ids.
        user_ids / user_ids_at = global::USER_ID;
        /// [`global::COUNTERS`].
        counters / counters_at = global::COUNTERS;
        /// [`context::ENABLE`], the first of the flags.
        flags / flags_at = context::ENABLE;
        /// [`context::EQ_BASE_LO`], the first word of the event ring's window.
        ring / ring_at = context::EQ_BASE_LO;
        /// [`context::EQ_PRODUCER`].
        producer / producer_at = context::EQ_PRODUCER;
        /// [`context::EQ_DROPPED`].
        dropped / dropped_at = context::EQ_DROPPED;
        /// [`context::KERNEL_BASE_LO`], the first word of the lookup tables' windows.
        tables / tables_at = context::KERNEL_BASE_LO;
        /// [`context::TABLE_INVALIDATE`].
        table_invalidate / table_invalidate_at = context::TABLE_INVALIDATE;
        /// [`context::CQ_BASE_LO`], the first word of the command ring's window.
        command_ring / command_ring_at = context::CQ_BASE_LO;
        /// [`context::CQ_HEAD`].
        command_head / command_head_at = context::CQ_HEAD;
        /// [`context::MAX_MESSAGE_SIZE`], the first of the size limits.
        size_limits / size_limits_at = context::MAX_MESSAGE_SIZE;
        /// [`context::DROP_COUNT`], the first status counter.
        status_counts / status_counts_at = context::DROP_COUNT;
        /// [`context::CT_INC`].
        increment / increment_at = context::CT_INC;
        /// [`context::PORTAL`].
        portal / portal_at = context::PORTAL;
    }
}
