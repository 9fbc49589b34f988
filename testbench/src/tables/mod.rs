//! Plain data that node, golden model and host library share: packed formats, table entries, what the NIC knows.
//!
//! It says what there is and where it lies, and nothing of what becomes of it.

mod codes;
mod entries;
pub mod format;
mod messages;
mod nic_state;
mod shares;

pub use codes::{AckRequest, AtomicOp, Datatype, EventKind, List, NiFail, Search, small_name};
pub(crate) use codes::{small_letters, vocabulary};
pub use entries::{Function, HostQueue, Kernel};
pub(crate) use messages::{Accepted, Command, Reports, TaskEntry};
pub use messages::{OpenMessage, Outcome, Reached, Task};
pub use nic_state::{
    CONTEXTS, Context, EventRing, NicState, PORTALS, Portal, Queue, QueueFailure, Source, Stop,
    Table,
};
pub use shares::Shares;
