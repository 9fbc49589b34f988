//! `Costs`: how many instructions the host library has, counted in its own C.
//!
//! `testbench/compute/costs/count.sh` compiles the C beside it with gcc -O2, counts each function with callgrind, and
//! writes `costs.toml`. Nothing here is estimated.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xtq_testbench::host::Datatype;
use xtq_testbench::input::{InputError, read_toml};

/// Instructions of a loop for each line of 64 bytes, by the bytes of a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerLine {
    /// Without vector registers.
    pub simd_0: f64,
    /// With registers of 16 bytes.
    pub simd_16: f64,
    /// With registers of 32 bytes.
    pub simd_32: f64,
}

/// Instructions of the host library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// The compiler that was used.
    pub compiler: String,
    /// What counted.
    pub counter: String,
    /// `PtlPut` and every other command: fills it and rings.
    pub put: u64,
    /// A look for an event, in vain or not.
    pub event_poll: u64,
    /// Takes an event out of its ring.
    pub event_get: u64,
    /// Puts a kernel with four arguments into a queue and rings.
    pub aql_dispatch: u64,
    /// Takes the packet of an agent's queue that a doorbell has announced.
    pub agent_take: u64,
    /// Ends it: signal, slot and read index.
    pub agent_end: u64,
    /// A look at a signal.
    pub signal_poll: u64,
    /// A message's send, without its put.
    pub send: u64,
    /// A receive's post, without what it searches.
    pub receive: u64,
    /// What becomes of an event, without taking it.
    pub progress: u64,
    /// A search of a list of which the first entry matches.
    pub match_base: u64,
    /// Each entry before that.
    pub match_entry: f64,
    /// Copying a line.
    pub copy_line: f64,
    /// Adding a line of 32-bit integers.
    pub int32: PerLine,
    /// Adding a line of 64-bit integers.
    pub int64: PerLine,
    /// Adding a line of floats.
    pub float: PerLine,
    /// Adding a line of doubles.
    pub double: PerLine,
}

/// A loop that was not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotCounted {
    /// For no such datatype.
    #[error("no loop over {0:?} was counted")]
    Datatype(Datatype),
    /// For no such registers.
    #[error("no loop with vector registers of {0} bytes was counted: only 0, 16 and 32")]
    Registers(u32),
}

impl Costs {
    /// The counts in the repository.
    pub fn counted() -> Self {
        let text = include_str!("../costs/costs.toml");
        let file = "testbench/compute/costs/costs.toml";
        Self::parse(file, text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Reads `text`; `file` names it in errors. Errors: the first fault.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        read_toml(file, text, "docs/compute.md explains the costs")
    }

    /// Instructions of combining a line of this datatype; products and extremes have as many as sums. Errors: that was
    /// not counted.
    pub fn line(&self, datatype: Datatype, simd_bytes: u32) -> Result<f64, NotCounted> {
        let counts = match datatype {
            Datatype::Int32 | Datatype::Uint32 => self.int32,
            Datatype::Int64 | Datatype::Uint64 => self.int64,
            Datatype::Float => self.float,
            Datatype::Double => self.double,
            other => return Err(NotCounted::Datatype(other)),
        };
        match simd_bytes {
            0 => Ok(counts.simd_0),
            16 => Ok(counts.simd_16),
            32 => Ok(counts.simd_32),
            other => Err(NotCounted::Registers(other)),
        }
    }

    /// Instructions of a search that passes so many entries before the one that matches.
    pub fn search(&self, passed: u64) -> u64 {
        self.match_base + (self.match_entry * passed as f64).ceil() as u64
    }
}
