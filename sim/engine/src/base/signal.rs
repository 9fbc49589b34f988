//! What is known of a signal: its spelling, its direction, and how a waveform shows it.

use rust_hdl::prelude::{Clock, Synth, TypeDescriptor};

/// Whether a port is driven from outside or from inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven by the testbench.
    In,
    /// Driven by the design.
    Out,
}

/// A variable of the file: a signal, or a field of one.
#[derive(Clone, Debug)]
pub(crate) struct WaveVar {
    /// Path of the signal, with its field.
    pub(crate) path: String,
    /// Bits.
    pub(crate) width: usize,
    /// Names of the values if it is an enum.
    pub(crate) variants: Vec<String>,
    /// It is a clock: drawn, not sampled.
    pub(crate) clock: bool,
    /// Of a port: whether its block reads or drives it.
    pub(crate) direction: Option<Direction>,
    /// The signal's first word among the values, and its words.
    pub(crate) words: (usize, usize),
    /// Lowest bit in the signal.
    pub(crate) offset: usize,
    /// Position of an earlier variable that has always the same value: the file holds that once.
    pub(crate) alias: Option<usize>,
}

/// `a.b[1].c` as `a$b$1$c`: one spelling for all that are accepted.
pub(crate) fn canonical(path: &str) -> String {
    path.replace(['.', '['], "$").replace(']', "")
}

/// Whether a signal of this type is a clock.
pub(crate) fn is_clock(kind: &TypeDescriptor) -> bool {
    kind.name == Clock::descriptor().name
}
