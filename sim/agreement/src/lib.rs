//! # xtq-agreement: every engine on designs that nobody chose
//!
//! Only tests: the expression cases of `sim/engine/tests/engine/expressions` and the blocks of `xtq-random-blocks`, on
//! every engine. A crate of its own, because generated Rust is compiled with the tests, from text that the build script
//! writes.

#![allow(clippy::all, unused_parens)]

include!(concat!(env!("OUT_DIR"), "/ahead.rs"));
