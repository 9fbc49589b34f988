//! `StatusCodes`: the codes of [`status`] and [`access`] as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +-------------+--> ok, bad_type, ... (status)
//!   | StatusCodes |
//!   +-------------+--> none, table_access, ... (access)
//! ```
//!
//! **Contract.** Constant outputs, 8 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::event::{access, status};

constants! {
    /// The status and access codes.
    pub struct StatusCodes : 8 {
        /// [`status::OK`].
        ok / ok_code = status::OK;
        /// [`status::BAD_TYPE`].
        bad_type / bad_type_code = status::BAD_TYPE;
        /// [`status::BAD_ALIGNMENT`].
        bad_alignment / bad_alignment_code = status::BAD_ALIGNMENT;
        /// [`status::BAD_KERNEL_INDEX`].
        bad_kernel_index / bad_kernel_index_code = status::BAD_KERNEL_INDEX;
        /// [`status::BAD_FUNCTION_INDEX`].
        bad_function_index / bad_function_index_code = status::BAD_FUNCTION_INDEX;
        /// [`status::BAD_KERNARG_SIZE`].
        bad_kernarg_size / bad_kernarg_size_code = status::BAD_KERNARG_SIZE;
        /// [`status::BAD_QUEUE_INDEX`].
        bad_queue_index / bad_queue_index_code = status::BAD_QUEUE_INDEX;
        /// [`status::QUEUE_FULL`].
        queue_full / queue_full_code = status::QUEUE_FULL;
        /// [`status::BAD_QUEUE_SIZE`].
        bad_queue_size / bad_queue_size_code = status::BAD_QUEUE_SIZE;
        /// [`status::SHARED_REFUSED`].
        shared_refused / shared_refused_code = status::SHARED_REFUSED;
        /// [`status::BUFFER_TOO_SMALL`].
        buffer_too_small / buffer_too_small_code = status::BUFFER_TOO_SMALL;
        /// [`status::MEMORY_ERROR`].
        memory_error / memory_error_code = status::MEMORY_ERROR;
        /// [`status::PT_DISABLED`].
        pt_disabled / pt_disabled_code = status::PT_DISABLED;
        /// [`status::NO_PORTAL`].
        no_portal / no_portal_code = status::NO_PORTAL;
        /// [`status::NO_MESSAGE_SLOT`].
        no_message_slot / no_message_slot_code = status::NO_MESSAGE_SLOT;
        /// [`status::NO_MATCH`].
        no_match / no_match_code = status::NO_MATCH;
        /// [`status::PERM_VIOLATION`].
        perm_violation / perm_violation_code = status::PERM_VIOLATION;
        /// [`status::OP_VIOLATION`].
        op_violation / op_violation_code = status::OP_VIOLATION;
        /// [`access::NONE`].
        none / none_code = access::NONE;
        /// [`access::TABLE`].
        table_access / table_access_code = access::TABLE;
        /// [`status::BAD_LENGTH`].
        bad_length / bad_length_code = status::BAD_LENGTH;
        /// [`access::PAYLOAD`].
        payload_access / payload_access_code = access::PAYLOAD;
        /// [`access::SLOT`].
        slot_access / slot_access_code = access::SLOT;
        /// [`access::INDEX`].
        index_access / index_access_code = access::INDEX;
        /// [`access::HEADER`].
        header_access / header_access_code = access::HEADER;
        /// [`access::DOORBELL`].
        doorbell_access / doorbell_access_code = access::DOORBELL;
    }
}
