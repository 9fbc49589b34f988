//! # xtq-engine: from a rust-hdl block to cycles
//!
//! One surface, the trait [`Engine`], for every way to run a design. Knows no NIC.
//!
//! A clock cycle has two halves. A testbench sets the inputs, calls [`Engine::eval`] so that the combinational logic
//! settles with the clock low, samples the outputs, then calls [`Engine::step`], which gives the rising edge.
//! Values are little-endian 64-bit words: bit `i` is bit `i % 64` of word `i / 64`.

mod engine;
mod error;
mod oracle;
mod signals;
mod wave;

pub use engine::{Direction, Engine, Port, PortId, Snapshot};
pub use error::{Error, Result};
pub use oracle::{Oracle, OracleBuilder};
pub use signals::Signal;
pub use wave::WaveOptions;
