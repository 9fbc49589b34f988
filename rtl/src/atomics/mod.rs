//! Room `atomics`: atomic operations on memory.

pub mod atomic_alu;
pub mod atomic_check;
pub mod atomic_fork;
pub mod atomic_unit;
