//! What the hardware did, and where that is not what was expected.

use crate::bus::{Packet, WriteRecord};
use crate::bytes::SparseMemory;
use crate::tables::CONTEXTS;

/// What the hardware did.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Memory of each context before the first message.
    pub before: &'a [SparseMemory; CONTEXTS],
    /// Every write since.
    pub log: &'a [WriteRecord],
    /// Events as the host took them, by context.
    pub events: &'a [Vec<[u8; 64]>; CONTEXTS],
    /// Packets sent.
    pub acks: &'a [Packet],
}

/// One thing that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The message it belongs to, as `node/message`, if that is known.
    pub message: Option<String>,
    /// Context and address, for bytes in memory.
    pub place: Option<(u8, u64)>,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub got: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(message) = &self.message {
            write!(f, "message {message}: ")?;
        }
        if let Some((context, address)) = self.place {
            write!(f, "context {context}, {address:#x}: ")?;
        }
        write!(f, "expected {}, got {}", self.expected, self.got)
    }
}
