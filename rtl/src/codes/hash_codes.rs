//! `HashCodes`: the codes of the hash matcher as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +-----------+--> arrive, open, close  (operations)
//!   | HashCodes |
//!   +-----------+--> matched, ...         (outcomes)
//! ```
//!
//! **Contract.** Constant outputs, 4 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::hash_match::{hash_op, hash_outcome};

constants! {
    /// The codes of the hash matcher.
    pub struct HashCodes : 4 {
        /// [`hash_op::ARRIVE`].
        arrive / arrive_code = hash_op::ARRIVE;
        /// [`hash_op::OPEN`].
        open / open_code = hash_op::OPEN;
        /// [`hash_op::CLOSE`].
        close / close_code = hash_op::CLOSE;
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
    }
}
