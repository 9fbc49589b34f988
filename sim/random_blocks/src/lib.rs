//! # xtq-random-blocks: rust-hdl blocks that nobody wrote
//!
//! The build script draws them from a seed, as text in the dialect of kernels, so that they go the whole way:
//! rust-hdl's macro, its syntax tree, elaboration. [`RandomTop`] holds one of each. Only tests use them.
//! `XTQ_BLOCKS_SEED` in the environment of the build draws others.

#![allow(clippy::all, missing_docs, unused_parens)]

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
