//! `HashCodes`: the codes of the hash matcher as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +-----------+--> post, arrive, open, close  (operations)
//!   | HashCodes |--> mode_wait, ...             (modes)
//!   +-----------+--> matched, ...               (outcomes)
//! ```
//!
//! **Contract.** Constant outputs, 4 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::hash_match::{hash_mode, hash_op, hash_outcome};

constants! {
    /// The codes of the hash matcher.
    pub struct HashCodes : 4 {
        /// [`hash_op::POST`].
        post / post_code = hash_op::POST;
        /// [`hash_op::ARRIVE`].
        arrive / arrive_code = hash_op::ARRIVE;
        /// [`hash_op::OPEN`].
        open / open_code = hash_op::OPEN;
        /// [`hash_op::CLOSE`].
        close / close_code = hash_op::CLOSE;
        /// [`hash_mode::WAIT`].
        mode_wait / mode_wait_code = hash_mode::WAIT;
        /// [`hash_mode::TAKE`].
        mode_take / mode_take_code = hash_mode::TAKE;
        /// [`hash_mode::LOOK`].
        mode_look / mode_look_code = hash_mode::LOOK;
        /// [`hash_mode::CANCEL`].
        mode_cancel / mode_cancel_code = hash_mode::CANCEL;
        /// [`hash_outcome::MATCHED`].
        matched / matched_code = hash_outcome::MATCHED;
        /// [`hash_outcome::WAITS`].
        waits / waits_code = hash_outcome::WAITS;
        /// [`hash_outcome::NO_SPACE`].
        no_space / no_space_code = hash_outcome::NO_SPACE;
        /// [`hash_outcome::NOT_OPEN`].
        not_open / not_open_code = hash_outcome::NOT_OPEN;
        /// [`hash_outcome::DONE`].
        done / done_code = hash_outcome::DONE;
        /// [`hash_outcome::IN_USE`].
        in_use / in_use_code = hash_outcome::IN_USE;
        /// [`hash_outcome::CANCELLED`].
        cancelled / cancelled_code = hash_outcome::CANCELLED;
        /// [`hash_outcome::NOT_FOUND`].
        not_found / not_found_code = hash_outcome::NOT_FOUND;
    }
}
