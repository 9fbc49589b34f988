//! # xtq-kernel: `#[kernel]`, which makes a block's logic from a function
//!
//! `#[kernel]` stands on `impl Logic for Block` and takes the place of rust-hdl's `#[hdl_gen]` on its `update`: the same
//! syntax tree for all that both take (`tests/forms.rs`). rust-hdl's attribute writes code that builds the tree, one call a node, which the compiler works on for minutes. This one
//! writes the tree as a text and `hdl` reads it ([`read`]); code is left only for what the compiler alone knows: widths and offsets of the
//! fields of structs, and const generics.
//!
//! The text has a token a line, in prefix order: see [`read`]'s functions, each of which reads what it is named after.

mod tree;

pub use rust_hdl::core::ast::{Verilog, VerilogLink};
pub use rust_hdl::core::logic::{logic_connect_fn, logic_connect_join_fn, logic_connect_link_fn};
pub use tree::read;
pub use xtq_kernel_macros::kernel;
