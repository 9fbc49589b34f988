//! # xtq-aot: the shipped tops as Rust, compiled with the program
//!
//! The engine `aot`. The build script elaborates each top and writes it as Rust functions; `cargo build` does the rest. The text is in
//! `tops.rs` of the build's output folder.

#![allow(clippy::all, unused_parens)]

include!(concat!(env!("OUT_DIR"), "/tops.rs"));
