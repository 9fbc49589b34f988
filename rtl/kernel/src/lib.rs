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
//! `#[kernel]` calls [`Clocked::drive_children`] first, connects those pins, and puts their assignments before its own
//! in the tree, but for pins that the kernel assigns itself: `self.x_q.rst.next = self.rst.val() | self.clear.val()`.
//!
//! A bundle is a struct of signals with `#[bundle]`; both ends of it are made of one, the directions of the other
//! turned:
//!
//! ```text
//! #[bundle(StreamOut)]                         pub struct StreamIn<T: Synth> { data: Signal<In, T>, .. }
//! pub struct StreamIn<T: Synth> {              pub struct StreamOut<T: Synth> { data: Signal<Out, T>, .. }
//!     #[plain]                                 impl Block for both: `x: StreamIn<T>` of a block is the signals
//!     pub data: Signal<In, T>,          -->        x, x_valid, x_ready
//!     pub valid: Signal<In, Bit>,              impl Connect<either> for both: connect!(self.a => self.b) is
//!     pub ready: Signal<Out, Bit>,                 self.b.data.next = self.a.data.val();
//! }                                                self.b.valid.next = self.a.valid.val();
//!                                                  self.a.ready.next = self.b.ready.val();
//! ```
//!
//! A long kernel has parts, which stand where their subject is:
//!
//! ```text
//! #[kernel]                                    #[kernel]
//! impl Logic for CommandStage {                impl CommandStage {
//!     fn update(&mut self) {                       /// Counters, and what waits for them.
//!         self.counters();              <--        pub(super) fn counters(&mut self) {
//!         ..                                           self.counter_low.next = ..
//! ```
//!
//! `self.counters();` is all statements of that function, in the order of the Rust and in the tree.
//!
//! `#[kernel]` stands on `impl Logic for Block` and takes the place of rust-hdl's `#[hdl_gen]` on its `update`. It
//! gives the same syntax tree for all that both take (`tests/forms.rs`). That attribute writes code that builds the
//! tree, one call a node, which the compiler works on for minutes. This one writes the tree as a text and `hdl` reads
//! it ([`read`]); code is left only for what the compiler alone knows: widths and offsets of the fields of structs, and
//! const generics.
//!
//! The text has a token a line, in prefix order: see [`read`]'s functions, each of which reads what it is named after.

mod bundle;
mod clocked;
mod member;
mod tree;

pub use bundle::{Connect, link, links};
pub use clocked::{Clocked, Pin, Value, clocked};
pub use member::member;
pub use rust_hdl::core::ast::{Verilog, VerilogLink};
pub use rust_hdl::core::logic::{logic_connect_fn, logic_connect_join_fn, logic_connect_link_fn};
pub use rust_hdl::prelude::LogicBlock;
pub use tree::read;
pub use xtq_kernel_macros::{block, bundle, kernel};
