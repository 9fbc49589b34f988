//! Readers of traces, the naive matcher, and what is made of a trace.

mod common;
mod faults;
mod formats;
mod fuzz;
mod matcher;
mod replay;
