//! The testbench.

pub mod bus;
mod pins;
