//! # xtq-engine: from a rust-hdl block to cycles
//!
//! One surface, the trait [`Engine`], for every way to run a design. Knows no NIC.
//!
//! * [`Oracle`] is rust-hdl's own update loop: slow, and the truth for every other engine. It is made by naming the
//!   pins of a block ([`Oracle::builder`]), which also checks the design.
//! * [`Engine`] is the surface: set, evaluate, get, step, peek by path, snapshot, waveform.
//! * [`Cosim`] runs the Verilog of a design in Icarus Verilog or Verilator, for comparison.
//! * [`WaveOptions`] says what a VCD file shows; it is streamed to disk.
//!
//! A testbench sets the inputs, calls [`Engine::eval`] so that the combinational logic settles with the clock low,
//! samples the outputs, then calls [`Engine::step`], which gives the rising edge. Values are little-endian 64-bit
//! words: bit `i` is bit `i % 64` of word `i / 64`. `docs/engine.md` is the user's page.

mod base;
pub mod blocks;
mod compiled;
mod cosim;
pub mod design;
pub mod elaborate;
mod engine;
mod error;
pub mod lockstep;
pub mod netlist;
mod oracle;
mod signals;
pub mod source_info;
mod source_lint;
pub mod stimulus;
mod tape;
pub mod verilog;
mod wave;

pub use base::{Direction, Finding, Rule, mask};
pub use compiled::{Ahead, Backend, Body, Compiled, eval_all, step_all, write_ahead};
pub use cosim::{Cosim, Export, Simulator, build_place, can_build};
pub use engine::{Engine, EngineKind, Port, PortId, Snapshot};
pub use error::{Error, Result};
pub use oracle::{Oracle, OracleBuilder};
pub use signals::{Signal, sample};
pub use source_lint::{SourceFinding, source_lint};
pub use tape::{Player, Tape};
pub use wave::{SharedWave, WaveFailure, WaveFormat, WaveOptions, WaveProbe};
