//! `HashMatch` against a naive model, in its two sizes, and its contract.

mod contract;
mod model;
mod parts;
mod random;
mod unit;
