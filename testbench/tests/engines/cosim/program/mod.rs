//! Random programs: what the hosts of two nodes call, and what comes to them from outside.
//!
//! Few values of everything, so that much meets: three match bits, four counters, four portal entries.

mod draw;
mod entries;
mod lists;
mod messages;
mod play;
mod step;
mod values;

pub use draw::program;
pub use lists::{LISTS, LISTS_BYTES};
pub use play::SIZES;
pub use step::{Call, Step};
pub use values::{ack, bits, counter, portal};

use crate::cosim::tasks;

/// Nodes, of rank 0 and 1.
pub const NODES: u32 = 2;

/// Bytes of memory of a node.
pub const MEMORY: usize = tasks::END as usize;

/// Where there is no memory, far from its end: of a message that lands half inside it the hardware writes the half, the
/// model nothing.
pub const NOWHERE: u64 = 0x10_0000;

/// Whether descriptors may lie where there is no memory. They may not: the hardware has sent a header beat before it
/// knows (docs/initiator.md), the model sends nothing.
const UNREADABLE_DESCRIPTORS: bool = false;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Few entries and unexpected headers.
    pub scarce: bool,
    /// Entries may have ACK_DISABLE.
    pub ack_disable: bool,
    pub steps: Vec<Step>,
}
