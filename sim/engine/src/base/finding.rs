//! What is wrong with a design: every finding names rule, block and signal.

use std::fmt;

/// The rules a design has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// A signal is not written on every way through the kernel.
    Latch,
    /// A kernel reads a signal before it writes it.
    ReadBeforeWrite,
    /// Two blocks, or a block and storage, drive one signal.
    MultipleDrivers,
    /// Nothing drives a signal that is read.
    Undriven,
    /// A signal depends on itself without a register.
    CombinationalLoop,
    /// A name that is not a signal, constant or variant.
    UnknownName,
    /// An arm of a match has a guard, which rust-hdl drops.
    MatchGuard,
    /// A match on one bit of type `bool`.
    MatchOnBool,
    /// Arithmetic on what `.index()` gives, which wraps differently in Rust.
    IndexArithmetic,
    /// A constant slice or bit beyond the width.
    SliceOutOfRange,
    /// A shift amount of more than 64 bits.
    WideShiftAmount,
    /// A name that Verilog reserves.
    Keyword,
    /// A match without the arm `_`.
    MissingDefault,
    /// Widths that do not fit, or cannot be determined.
    Width,
    /// A construct or storage element that is not supported.
    Unsupported,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Latch,
        Self::ReadBeforeWrite,
        Self::MultipleDrivers,
        Self::Undriven,
        Self::CombinationalLoop,
        Self::UnknownName,
        Self::MatchGuard,
        Self::MatchOnBool,
        Self::IndexArithmetic,
        Self::SliceOutOfRange,
        Self::WideShiftAmount,
        Self::Keyword,
        Self::MissingDefault,
        Self::Width,
        Self::Unsupported,
    ];

    /// Short name, as the command line shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latch => "latch",
            Self::ReadBeforeWrite => "read-before-write",
            Self::MultipleDrivers => "multiple-drivers",
            Self::Undriven => "undriven",
            Self::CombinationalLoop => "combinational-loop",
            Self::UnknownName => "unknown-name",
            Self::MatchGuard => "match-guard",
            Self::MatchOnBool => "match-on-bool",
            Self::IndexArithmetic => "index-arithmetic",
            Self::SliceOutOfRange => "slice-out-of-range",
            Self::WideShiftAmount => "wide-shift-amount",
            Self::Keyword => "keyword",
            Self::MissingDefault => "missing-default",
            Self::Width => "width",
            Self::Unsupported => "unsupported",
        }
    }
}

/// One violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Path of the block (`child.sub`); `top` for the top itself.
    pub block: String,
    /// Signal, expression or name.
    pub signal: String,
    /// What is wrong, and what to do.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            block,
            signal,
            detail,
        } = self;
        write!(f, "{}: {block}: {signal}: {detail}", rule.name())
    }
}
