//! `Registers` and its parts: every address, every access rule, and what the owners of windows see.

mod accesses;
mod effects;
mod flags;
mod map;
mod owners;
mod rig;
mod slave;
