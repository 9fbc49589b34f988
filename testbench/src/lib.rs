//! The testbench.
