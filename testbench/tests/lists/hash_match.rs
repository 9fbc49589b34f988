//! `HashMatch` against a naive model, in its two sizes, its contract, and its properties.

mod contract;
pub mod model;
mod parts;
mod properties;
mod random;
pub mod unit;
