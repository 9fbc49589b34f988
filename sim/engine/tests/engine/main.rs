//! The engine: elaboration and its rules, compiled engines, Verilog, waveforms.

mod check;
mod compiled;
mod design;
mod errors;
mod expressions;
mod lints;
mod oracle;
mod random;
mod tape;
mod together;
mod verilog;
mod wave;
