//! `CommandCodes`: the codes of [`operation`], [`command_status`] and [`flag`] as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +--------------+--> nop, put, ...             (operation)
//!   | CommandCodes |--> ok, bad_operation, ...    (status)
//!   +--------------+--> triggered, rearm, ...     (bits of the flags)
//! ```
//!
//! **Contract.** Constant outputs, 8 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::command::{command_status, flag, operation};

constants! {
    /// The codes of commands.
    pub struct CommandCodes : 8 {
        /// [`operation::NOP`].
        nop / nop_code = operation::NOP;
        /// [`operation::PUT`].
        put / put_code = operation::PUT;
        /// [`operation::GET`].
        get / get_code = operation::GET;
        /// [`operation::ATOMIC`].
        atomic / atomic_code = operation::ATOMIC;
        /// [`operation::FETCH_ATOMIC`].
        fetch_atomic / fetch_atomic_code = operation::FETCH_ATOMIC;
        /// [`operation::SWAP`].
        swap / swap_code = operation::SWAP;
        /// [`operation::XTQ_PUT`].
        xtq_put / xtq_put_code = operation::XTQ_PUT;
        /// [`operation::FENCE`].
        fence / fence_code = operation::FENCE;
        /// [`operation::CT_INC`].
        ct_inc / ct_inc_code = operation::CT_INC;
        /// [`operation::CT_SET`].
        ct_set / ct_set_code = operation::CT_SET;
        /// [`operation::CT_GET`].
        ct_get / ct_get_code = operation::CT_GET;
        /// [`operation::CT_CANCEL`].
        ct_cancel / ct_cancel_code = operation::CT_CANCEL;
        /// [`operation::CT_ALLOC`].
        ct_alloc / ct_alloc_code = operation::CT_ALLOC;
        /// [`operation::CT_FREE`].
        ct_free / ct_free_code = operation::CT_FREE;
        /// [`operation::ME_APPEND`].
        me_append / me_append_code = operation::ME_APPEND;
        /// [`operation::ME_UNLINK`].
        me_unlink / me_unlink_code = operation::ME_UNLINK;
        /// [`operation::ME_SEARCH`].
        me_search / me_search_code = operation::ME_SEARCH;
        /// [`operation::PT_ALLOC`].
        pt_alloc / pt_alloc_code = operation::PT_ALLOC;
        /// [`operation::PT_ENABLE`].
        pt_enable / pt_enable_code = operation::PT_ENABLE;
        /// [`operation::PT_DISABLE`].
        pt_disable / pt_disable_code = operation::PT_DISABLE;
        /// [`operation::PT_FREE`].
        pt_free / pt_free_code = operation::PT_FREE;
        /// [`operation::MD_BIND`].
        md_bind / md_bind_code = operation::MD_BIND;
        /// [`operation::MD_RELEASE`].
        md_release / md_release_code = operation::MD_RELEASE;
        /// [`operation::XTQ_REGISTER_KERNEL`].
        register_kernel / register_kernel_code = operation::XTQ_REGISTER_KERNEL;
        /// [`operation::XTQ_REGISTER_FUNCTION`].
        register_function / register_function_code = operation::XTQ_REGISTER_FUNCTION;
        /// [`operation::XTQ_REGISTER_QUEUE`].
        register_queue / register_queue_code = operation::XTQ_REGISTER_QUEUE;
        /// [`command_status::OK`].
        ok / ok_code = command_status::OK;
        /// [`command_status::BAD_OPERATION`].
        bad_operation / bad_operation_code = command_status::BAD_OPERATION;
        /// [`command_status::BAD_ARGUMENT`].
        bad_argument / bad_argument_code = command_status::BAD_ARGUMENT;
        /// [`command_status::BAD_COUNTER`].
        bad_counter / bad_counter_code = command_status::BAD_COUNTER;
        /// [`command_status::NO_SPACE`].
        no_space / no_space_code = command_status::NO_SPACE;
        /// [`command_status::IN_USE`].
        in_use / in_use_code = command_status::IN_USE;
        /// [`command_status::MEMORY_ERROR`].
        memory_error / memory_error_code = command_status::MEMORY_ERROR;
        /// [`command_status::TOO_LONG`].
        too_long / too_long_code = command_status::TOO_LONG;
        /// [`command_status::BAD_INDEX`].
        bad_index / bad_index_code = command_status::BAD_INDEX;
        /// [`command_status::UNSUPPORTED`].
        unsupported / unsupported_code = command_status::UNSUPPORTED;
        /// [`command_status::TOO_MANY_PIECES`].
        too_many_pieces / too_many_pieces_code = command_status::TOO_MANY_PIECES;
        /// [`command_status::PIECES_OVERFLOW`].
        pieces_overflow / pieces_overflow_code = command_status::PIECES_OVERFLOW;
        /// [`flag::TRIGGERED`].
        triggered / triggered_code = flag::TRIGGERED;
        /// [`flag::REARM`].
        rearm / rearm_code = flag::REARM;
        /// [`flag::COMPLETION`].
        completion / completion_code = flag::COMPLETION;
    }
}
