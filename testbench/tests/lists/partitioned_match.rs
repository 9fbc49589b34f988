//! `PartitionedMatch` with the test bench of [`MatchUnit`](crate::match_unit), whose model is one unit with one list.

mod contract;
mod random;
