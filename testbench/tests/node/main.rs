//! The whole target pipeline in its surroundings, against the golden model.

mod bad_input;
mod basic;
mod disable;
mod failed_queue;
mod fixture;
mod memory_errors;
mod ordering;
mod performance;
mod random;
mod shared;
