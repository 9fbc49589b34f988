//! `ExactMatch` with the test bench of [`MatchUnit`](crate::match_unit), whose model has a table of keys beside it.

mod contract;
mod random;
mod refusals;
