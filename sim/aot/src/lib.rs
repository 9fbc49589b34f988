//! # xtq-aot: the shipped tops as Rust, compiled with the program
//!
//! The engine `aot`. The build script elaborates each top and writes it as Rust functions; `cargo build` does the rest.
//! What is computed together is chosen for the inputs in `training/`, which `xtq bench --training` records anew: so the
//! code is right for any traffic, and quick for traffic of that kind.
//! The text is in `tops.rs` of the build's output folder.

#![allow(clippy::all, unused_parens)]
#![allow(unsafe_code)] // The linker collects the list: a static in a section of its own.

use linkme::distributed_slice;
use xtq_engine::blocks::{AHEAD, Generated};

#[distributed_slice(AHEAD)]
static PLAIN: Generated = Generated {
    block: "xtq_target",
    argument: 0,
    code: &XTQ_TARGET,
};

#[distributed_slice(AHEAD)]
static ATOMICS: Generated = Generated {
    block: "xtq_target",
    argument: 1,
    code: &XTQ_TARGET_ATOMICS,
};

#[distributed_slice(AHEAD)]
static WHOLE: Generated = Generated {
    block: "nic",
    argument: 0,
    code: &NIC,
};

include!(concat!(env!("OUT_DIR"), "/tops.rs"));
