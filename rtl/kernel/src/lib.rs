//! # xtq-kernel: `#[kernel]`, which makes a block's logic from a function
//!
//! `#[kernel]` stands on `impl Logic for Block` and takes the place of rust-hdl's `#[hdl_gen]` on its `update`: the same dialect, the same
//! syntax tree. rust-hdl's attribute writes code that builds the tree, one call a node, which the compiler works on for minutes. This one
//! writes the tree as a text and `hdl` reads it ([`read`]); code is left only for what the compiler alone knows: widths and offsets of the
//! fields of structs, and const generics.
//!
//! The text has a token a line, in prefix order: see [`read`]'s functions, each of which reads what it is named after.

mod tree;

pub use rust_hdl::core::ast::{Verilog, VerilogLink};
pub use rust_hdl::core::logic::{logic_connect_fn, logic_connect_join_fn, logic_connect_link_fn};
pub use tree::read;
pub use xtq_kernel_macros::kernel;

/// What `#[hdl_gen]` makes of the same kernel; only with the feature `reference`.
pub trait Reference {
    /// The kernel.
    fn update(&mut self);
    /// Connects what the kernel drives.
    fn connect(&mut self);
    /// The syntax tree.
    fn hdl(&self) -> Verilog;
}

/// The tree, which must be that of `#[hdl_gen]`. Panics if it is another: the text of this crate's attribute is wrong.
pub fn same(own: Verilog, reference: Verilog) -> Verilog {
    assert_eq!(format!("{own:?}"), format!("{reference:?}"));
    own
}
