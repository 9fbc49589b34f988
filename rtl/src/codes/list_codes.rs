//! `ListCodes`: the codes that the events and answers of lists need, as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +-----------+--> put_overflow, ...       (kind)
//!   | ListCodes |--> ok, none                (status, access); ni_ok, ni_no_match (ni_fail)
//!   +-----------+--> done, bad_portal, ...   (command_status)
//! ```
//!
//! **Contract.** Constant outputs, 8 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::command::command_status;
use xtq_types::event::{access, kind, status};
use xtq_types::wire_header::ni_fail;

constants! {
    /// Codes of lists.
    pub struct ListCodes : 8 {
        /// [`kind::GET_OVERFLOW`].
        get_overflow / get_overflow_code = kind::GET_OVERFLOW;
        /// [`kind::PUT_OVERFLOW`].
        put_overflow / put_overflow_code = kind::PUT_OVERFLOW;
        /// [`kind::ATOMIC_OVERFLOW`].
        atomic_overflow / atomic_overflow_code = kind::ATOMIC_OVERFLOW;
        /// [`kind::FETCH_ATOMIC_OVERFLOW`].
        fetch_overflow / fetch_overflow_code = kind::FETCH_ATOMIC_OVERFLOW;
        /// [`kind::LINK`].
        link / link_code = kind::LINK;
        /// [`kind::AUTO_UNLINK`].
        auto_unlink / auto_unlink_code = kind::AUTO_UNLINK;
        /// [`kind::AUTO_FREE`].
        auto_free / auto_free_code = kind::AUTO_FREE;
        /// [`kind::SEARCH`].
        search / search_code = kind::SEARCH;
        /// [`status::OK`].
        ok / ok_code = status::OK;
        /// [`access::NONE`].
        none / none_code = access::NONE;
        /// [`ni_fail::OK`].
        ni_ok / ni_ok_code = ni_fail::OK;
        /// [`ni_fail::NO_MATCH`].
        ni_no_match / ni_no_match_code = ni_fail::NO_MATCH;
        /// [`command_status::OK`].
        done / done_code = command_status::OK;
        /// [`command_status::BAD_OPERATION`].
        bad_operation / bad_operation_code = command_status::BAD_OPERATION;
        /// [`command_status::BAD_PORTAL`].
        bad_portal / bad_portal_code = command_status::BAD_PORTAL;
        /// [`command_status::BAD_ENTRY`].
        bad_entry / bad_entry_code = command_status::BAD_ENTRY;
        /// [`command_status::IN_USE`].
        in_use / in_use_code = command_status::IN_USE;
        /// [`command_status::NOT_FOUND`].
        not_found / not_found_code = command_status::NOT_FOUND;
    }
}
