//! The models around the pins: each checker rule is broken once and kept once; the memory does what it promises.

mod axi_checker;
mod axi_lite;
mod axi_master;
mod axi_memory;
mod scripted;
mod streams;
