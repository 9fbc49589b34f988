//! `MatchCodes`: the codes of the match unit as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +------------+--> me_append, ...  (operations)
//!   |            |--> linked, ...     (how a command ended)
//!   | MatchCodes |--> matched, ...    (outcomes)
//!   |            |--> put, ...        (kinds of request)
//!   +------------+--> hit, ...        (kinds of response)
//! ```
//!
//! **Contract.** Constant outputs, 4 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::matching::{match_code, match_op, outcome, request_kind, response_kind};

constants! {
    /// The codes of the match unit.
    pub struct MatchCodes : 4 {
        /// [`match_op::ME_APPEND`].
        me_append / me_append_code = match_op::ME_APPEND;
        /// [`match_op::ME_UNLINK`].
        me_unlink / me_unlink_code = match_op::ME_UNLINK;
        /// [`match_op::ME_SEARCH_ONLY`].
        me_search_only / me_search_only_code = match_op::ME_SEARCH_ONLY;
        /// [`match_op::ME_SEARCH_DELETE`].
        me_search_delete / me_search_delete_code = match_op::ME_SEARCH_DELETE;
        /// [`match_op::PT_ALLOC`].
        pt_alloc / pt_alloc_code = match_op::PT_ALLOC;
        /// [`match_op::PT_FREE`].
        pt_free / pt_free_code = match_op::PT_FREE;
        /// [`match_op::PT_ENABLE`].
        pt_enable / pt_enable_code = match_op::PT_ENABLE;
        /// [`match_op::PT_DISABLE`].
        pt_disable / pt_disable_code = match_op::PT_DISABLE;
        /// [`match_code::LINKED`].
        linked / linked_code = match_code::LINKED;
        /// [`match_code::CONSUMED`].
        consumed / consumed_code = match_code::CONSUMED;
        /// [`match_code::UNLINKED`].
        unlinked / unlinked_code = match_code::UNLINKED;
        /// [`match_code::NOT_LINKED`].
        not_linked / not_linked_code = match_code::NOT_LINKED;
        /// [`match_code::IN_USE`].
        in_use / in_use_code = match_code::IN_USE;
        /// [`match_code::FOUND`].
        found / found_code = match_code::FOUND;
        /// [`match_code::NOT_FOUND`].
        not_found / not_found_code = match_code::NOT_FOUND;
        /// [`match_code::OK`].
        ok / ok_code = match_code::OK;
        /// [`match_code::ID_BUSY`].
        id_busy / id_busy_code = match_code::ID_BUSY;
        /// [`match_code::NO_SPACE`].
        no_space / no_space_code = match_code::NO_SPACE;
        /// [`match_code::BAD_PORTAL`].
        bad_portal / bad_portal_code = match_code::BAD_PORTAL;
        /// [`match_code::PORTAL_IN_USE`].
        portal_in_use / portal_in_use_code = match_code::PORTAL_IN_USE;
        /// [`match_code::BAD_COMMAND`].
        bad_command / bad_command_code = match_code::BAD_COMMAND;
        /// [`outcome::MATCHED`].
        matched / matched_code = outcome::MATCHED;
        /// [`outcome::NO_PORTAL`].
        no_portal / no_portal_code = outcome::NO_PORTAL;
        /// [`outcome::DROPPED`].
        dropped / dropped_code = outcome::DROPPED;
        /// [`outcome::PT_DISABLED`].
        disabled / disabled_code = outcome::PT_DISABLED;
        /// [`outcome::PERM_VIOLATION`].
        permission / permission_code = outcome::PERM_VIOLATION;
        /// [`outcome::OP_VIOLATION`].
        operation / operation_code = outcome::OP_VIOLATION;
        /// [`request_kind::PUT`].
        put / put_code = request_kind::PUT;
        /// [`request_kind::GET`].
        get / get_code = request_kind::GET;
        /// [`request_kind::ATOMIC`].
        atomic / atomic_code = request_kind::ATOMIC;
        /// [`request_kind::FETCH`].
        fetch / fetch_code = request_kind::FETCH;
        /// [`request_kind::SWAP`].
        swap / swap_code = request_kind::SWAP;
        /// [`request_kind::XTQ_PUT`].
        xtq_put / xtq_put_code = request_kind::XTQ_PUT;
        /// [`response_kind::FINAL`].
        last / last_code = response_kind::FINAL;
        /// [`response_kind::HIT`].
        hit / hit_code = response_kind::HIT;
        /// [`response_kind::AUTO_FREE`].
        auto_free / auto_free_code = response_kind::AUTO_FREE;
    }
}
