//! The flat netlist: one graph of 64-bit operations for a whole design, with what it reads and writes.
//!
//! A cycle is: read the state (inputs, registers, memories), compute the graph, then write registers and memories.
//! Nothing in the graph has effects, so an engine may compute any part of it in any order that respects operands.

use std::collections::HashMap;

use crate::Direction;
use crate::base::{Finding, WaveVar};
use crate::design::{Design, Field, SignalDecl, SignalKind};

mod execute;
mod flatten;
mod graph;
mod resolve;
mod restrict;
mod words;

pub use graph::{Graph, Id, Op};
pub(crate) use graph::{is_source, reachable};

/// A port or register and its first word in the state.
#[derive(Clone, Debug)]
pub struct PortWords {
    /// Name of the port, path of the register.
    pub name: String,
    /// Bits.
    pub width: usize,
    /// First word.
    pub word: u32,
}

/// A memory.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Path of the widget.
    pub path: String,
    /// Bits of an entry.
    pub width: usize,
    /// 64-bit words of an entry.
    pub words: usize,
    /// Entries, a power of two.
    pub depth: usize,
    /// All entries, one after the other.
    pub initial: Vec<u64>,
}

/// A write at the end of a cycle: entry `addr := (entry & !mask) | (data & mask)` if `enable`.
#[derive(Clone, Debug)]
pub struct MemoryWrite {
    /// Position in [`Netlist::memories`].
    pub memory: usize,
    /// 1: write.
    pub enable: Id,
    /// Which entry.
    pub addr: Id,
    /// New words.
    pub data: Vec<Id>,
    /// Bits to write.
    pub mask: Vec<Id>,
}

/// A signal that can be looked at.
#[derive(Clone, Debug)]
pub struct NetSignal {
    /// `child.sub.signal`.
    pub path: String,
    /// Bits.
    pub width: usize,
    /// It is a clock: no words.
    pub clock: bool,
    /// Of a port: whether its block reads or drives it.
    pub direction: Option<Direction>,
    /// It never changes.
    pub constant: bool,
    /// Names of the values if it is an enum.
    pub variants: Vec<String>,
    /// Fields if it is a struct.
    pub fields: Vec<Field>,
    /// Its value.
    pub words: Vec<Id>,
}

impl NetSignal {
    /// Adds the variables that a waveform shows: the signal or its fields. `start` is the position of its first word.
    pub(crate) fn vars(&self, start: usize, vars: &mut Vec<WaveVar>) {
        let whole = Field {
            name: self.path.clone(),
            offset: 0,
            width: self.width,
            type_name: String::new(),
            variants: self.variants.clone(),
            fields: self.fields.clone(),
        };
        self.add_vars(&whole, &whole.name, start, vars);
    }

    fn add_vars(&self, field: &Field, path: &str, start: usize, vars: &mut Vec<WaveVar>) {
        for inner in &field.fields {
            self.add_vars(inner, &format!("{path}${}", inner.name), start, vars);
        }
        if field.fields.is_empty() {
            vars.push(WaveVar {
                path: path.into(),
                width: field.width,
                variants: field.variants.clone(),
                clock: self.clock,
                direction: self.direction,
                words: (start, (field.offset + field.width).div_ceil(64)),
                offset: field.offset,
                alias: None,
            });
        }
    }

    fn new(path: String, signal: &SignalDecl) -> Self {
        Self {
            path,
            width: signal.ty.width,
            clock: signal.clock,
            direction: match signal.kind {
                SignalKind::Input => Some(Direction::In),
                SignalKind::Output => Some(Direction::Out),
                SignalKind::Local | SignalKind::Constant(_) => None,
            },
            constant: matches!(signal.kind, SignalKind::Constant(_)),
            variants: signal.variants.clone(),
            fields: signal.fields.clone(),
            words: Vec::new(),
        }
    }
}

/// A whole design.
#[derive(Clone, Default)]
pub struct Netlist {
    /// The operations. The first [`live`](Self::live) are what the next state and the outputs need, the others are only
    /// looked at.
    pub graph: Graph,
    /// Number of nodes that matter for the behaviour.
    pub live: usize,
    /// State at power-up: inputs and registers.
    pub initial: Vec<u64>,
    /// Inputs of the top, the clock excepted.
    pub inputs: Vec<PortWords>,
    /// Registers, in the order of the design.
    pub registers: Vec<PortWords>,
    /// New words of the registers.
    pub next: Vec<(u32, Id)>,
    /// Memories.
    pub memories: Vec<Memory>,
    /// What is written into them.
    pub writes: Vec<MemoryWrite>,
    /// Outputs of the top: name, bits, value.
    pub outputs: Vec<(String, usize, Vec<Id>)>,
    /// All signals, in the order of the design.
    pub signals: Vec<NetSignal>,
    /// Position in [`signals`](Self::signals) by canonical path.
    pub index: HashMap<String, usize>,
}

impl Netlist {
    /// Flattens a design. Errors: latches, undriven signals, several drivers, loops.
    pub fn new(design: &Design) -> Result<Self, Vec<Finding>> {
        design.check()?;
        flatten::flatten(design)
    }
}
