//! The testbench.

pub mod aql;
pub mod bus;
pub mod bytes;
mod pins;
