//! The blocks that join the lists to the target pipeline, each against its rules.

use xtq_catalogue as _;

mod exact_match;
mod hash_match;
mod list_unit;
mod match_stage;
mod match_unit;
mod partitioned_match;
