//! `Registers` and its parts: every address, every access rule, and what the owners of windows see.

mod flags;
mod map;
mod owners;
mod slave;
