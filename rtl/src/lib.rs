//! # xtq-rtl: the hardware
//!
//! Synthesizable rust-hdl blocks and nothing else: no I/O, no clock driving, no models. One file is one block; its
//! head comment gives purpose, symbol, contract, internals and an example. `docs/blocks/` has a page for each.
//!
//! Conventions that hold for every block:
//!
//! * `clk` is the only clock, `rst` the synchronous reset, active high.
//! * A stream is `x`, `x_valid`, `x_ready`, one [bundle]. Valid never waits for ready, there is no combinational path
//!   from a ready input to a valid output, and the payload is stable while valid waits.
//! * Byte order is little endian: byte *i* of a 512-bit beat is bits `8 i + 7 .. 8 i`.

#[macro_use]
pub mod codes;
pub mod admission;
pub mod atomics;
pub mod bundle;
pub mod commands;
pub mod delivery;
pub mod events;
pub mod host;
pub mod initiator;
pub mod l2;
pub mod leaf;
pub mod lists;
pub mod lookup;
pub mod memory;
pub mod messages;
pub mod network;
pub mod nic;
pub mod queue;
pub mod target_pipeline;
pub mod triggers;
pub mod xtq_target;
