//! The functional model of Portals 4: nodes with lists, counters and triggered operations, stepped message by message.
//!
//! It is what the hardware is compared with, so it is written to be obviously right, from the rules of Portals 4
//! alone, and shares names and numbers with the hardware, and nothing else. What becomes of an XTQ put after its match
//! is the [golden model's](crate::golden::Tasks). A [`Node`] is driven by [`Node::receive`], [`Node::acknowledge`] and
//! [`Node::post`]; everything it holds can be looked at, and [`Node::step`] says what one thing caused. A [`Network`]
//! is several nodes. What is modelled, and which side is taken where the sources differ: `docs/portals-model.md`.

mod append;
mod atomics;
mod checks;
mod codes;
mod command;
mod counters;
mod event;
mod floating;
mod ids;
mod initiator;
mod iovec;
mod memory;
mod message;
mod network;
mod node;
mod objects;
mod order;
mod step;
mod target;
mod task;
mod triggered;

pub use crate::tables::{AckRequest, AtomicOp, Datatype, EventKind, List, NiFail, Search};
pub use atomics::{Operation, OperationError};
pub use codes::{MdOption, MdOptions, MeOption, MeOptions};
pub use command::{Command, Place, Refusal, Registration, Transfer, Trigger};
pub use event::{Detail, Event, EventQueue, InitiatorDetail, TargetDetail, TaskDetail};
pub use ids::{CounterId, EntryId, MdId, Portal, QueueId, Rank};
pub use memory::{Memory, NoMemory};
pub use message::{Request, RequestError, RequestKind, Response, ResponseKind};
pub use network::Network;
pub use node::{Node, Status};
pub use objects::{
    Counter, Entry, Header, Limits, MatchEntry, MemoryDescriptor, NodeConfig, PortalEntry,
    PortalOptions,
};
pub use order::{Placed, only_auto_free_floats};
pub use step::{Action, Effects, Lists, State};
pub use triggered::TriggerStore;
