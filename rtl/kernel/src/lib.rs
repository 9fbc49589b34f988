//! # xtq-kernel: `#[block]` and `#[kernel]`, which make a block from a struct and a function
//!
//! `#[block]` stands on the struct. It derives `Clone`, `Debug` and `LogicBlock` and writes two impls:
//!
//! ```text
//! #[block]                                     impl Default for Twice {
//! #[check(N > 0, "Twice: no bits")]                fn default() -> Self {
//! pub struct Twice<const N: usize> {                   assert!(N > 0, "Twice: no bits");
//!     pub clk: Signal<In, Clock>,                      Self { clk: Default::default(), ..,
//!     pub rst: Signal<In, Bit>,                            two: Constant::new(2u64.to_bits()), .. }
//!     pub x: Signal<Out, Bits<N>>,                 }
//!     #[value(2u64.to_bits())]                 }
//!     two: Constant<Bits<N>>,           -->    impl Clocked for Twice {
//!     x_q: Reg<Bits<N>>,                           fn drive_children(&mut self) {
//!     words: LutRam<Bits<N>, 4>,                       self.x_q.drive_clock(Some(self.clk.val()), Some(self.rst.val()));
//! }                                                    self.words.drive_clock(..); // has no rst
//!                                                  } ..
//!                                              }
//! ```
//!
//! `#[kernel]` calls [`Clocked::drive_children`] first, connects those pins, and puts their assignments before its own in
//! the tree, but for pins that the kernel assigns itself: `self.x_q.rst.next = self.rst.val() | self.clear.val()`.
//!
//! `#[kernel]` stands on `impl Logic for Block` and takes the place of rust-hdl's `#[hdl_gen]` on its `update`: the same
//! syntax tree for all that both take (`tests/forms.rs`). rust-hdl's attribute writes code that builds the tree, one call a node, which the compiler works on for minutes. This one
//! writes the tree as a text and `hdl` reads it ([`read`]); code is left only for what the compiler alone knows: widths and offsets of the
//! fields of structs, and const generics.
//!
//! The text has a token a line, in prefix order: see [`read`]'s functions, each of which reads what it is named after.

mod clocked;
mod tree;

pub use clocked::{Clocked, Pin, Value, clocked};
pub use rust_hdl::core::ast::{Verilog, VerilogLink};
pub use rust_hdl::core::logic::{logic_connect_fn, logic_connect_join_fn, logic_connect_link_fn};
pub use rust_hdl::prelude::LogicBlock;
pub use tree::read;
pub use xtq_kernel_macros::{block, kernel};
