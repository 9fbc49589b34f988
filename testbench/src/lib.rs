//! The testbench.

pub mod bus;
