//! Room `lists`: match lists: which entry takes a message, and what becomes of those that none takes.

pub mod exact_match;
pub mod hash_match;
pub mod list_arbiter;
pub mod list_completer;
pub mod list_responses;
pub mod list_unit;
pub mod list_waits;
pub mod long_messages;
pub mod match_stage;
pub mod match_unit;
pub mod partitioned_match;
