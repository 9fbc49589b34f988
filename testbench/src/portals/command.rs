//! What a host can ask of its node, at once or by a trigger, and why a node refuses.

use super::atomics::OperationError;
use super::ids::{CounterId, EntryId, MdId, Portal, Rank};
use super::message::RequestKind;
use super::objects::{Counter, MatchEntry, MemoryDescriptor, PortalOptions};
use crate::tables::format::BYTES;
use crate::tables::{AckRequest, List, Search};
use crate::tables::{Function, HostQueue, Kernel};
use thiserror::Error;
use xtq_types::tables::table_id;

/// A place in a memory descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The descriptor.
    pub md: MdId,
    /// Offset in it.
    pub offset: u64,
}

/// What XtqRegisterKernel and its like are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// XtqRegisterKernel.
    Kernel(Kernel),
    /// XtqRegisterFunction.
    Function(Function),
    /// XtqRegisterQueue.
    Queue(HostQueue),
}

impl Registration {
    /// The table, and the entry.
    pub(super) fn entry(&self) -> (u8, [u8; BYTES]) {
        match self {
            Self::Kernel(kernel) => (table_id::KERNEL, kernel.entry()),
            Self::Function(function) => (table_id::FUNCTION, function.entry()),
            Self::Queue(queue) => (table_id::QUEUE, queue.entry()),
        }
    }
}

/// PtlPut, PtlGet, PtlAtomic, PtlFetchAtomic, PtlSwap, XtqPut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Which of them.
    pub kind: RequestKind,
    /// Where the data are, of an XTQ put packet and arguments; not of a get.
    pub from: Option<Place>,
    /// Where the payload of an XTQ put is; not needed if it has none.
    pub payload: Option<Place>,
    /// Where the reply goes; not of a put or an atomic.
    pub into: Option<Place>,
    /// Bytes, of an XTQ put of its payload.
    pub length: u64,
    /// Only of a put or an atomic.
    pub ack: AckRequest,
    /// Receiver.
    pub target: Rank,
    /// Portal of the receiver.
    pub portal: Portal,
    /// Bits to match.
    pub match_bits: u64,
    /// Offset at the receiver.
    pub roffset: u64,
    /// For the receiver's events.
    pub hdr_data: u64,
    /// Of conditional and masked swaps: one item.
    pub operand: Vec<u8>,
    /// For the sender's events.
    pub user_ptr: u64,
}

impl Transfer {
    /// Bytes of packet and arguments of an XTQ put.
    pub(super) fn command_length(&self) -> Option<u64> {
        match self.kind {
            RequestKind::XtqPut { command_length } => Some(command_length.into()),
            _ => None,
        }
    }

    /// Bytes that are asked for: all of them.
    pub(super) fn total(&self) -> u64 {
        self.length
            .saturating_add(self.command_length().unwrap_or(0))
    }
}

/// A command. All of them can be triggered (rules 7.1 and 9 of `docs/portals-model.md`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Sends a request.
    Transfer(Transfer),
    /// Adds to one field of a counter.
    CtInc(CounterId, Counter),
    /// Sets both fields of a counter.
    CtSet(CounterId, Counter),
    /// Removes what is pending on a counter.
    CtCancel(CounterId),
    /// Makes a counter of (0, 0).
    CtAlloc(CounterId),
    /// Removes a counter and what is pending on it.
    CtFree(CounterId),
    /// PtlMEAppend.
    MeAppend {
        /// The entry's number from now on.
        id: EntryId,
        /// Where.
        portal: Portal,
        /// To which list.
        list: List,
        /// The entry.
        me: MatchEntry,
    },
    /// PtlMEUnlink.
    MeUnlink(EntryId),
    /// PtlMESearch.
    MeSearch {
        /// Where.
        portal: Portal,
        /// What is done with what is found.
        kind: Search,
        /// What is looked for.
        me: MatchEntry,
    },
    /// PtlMDBind.
    MdBind(MdId, MemoryDescriptor),
    /// PtlMDRelease.
    MdRelease(MdId),
    /// PtlPTAlloc.
    PtAlloc(Portal, PortalOptions),
    /// XtqRegisterKernel, XtqRegisterFunction, XtqRegisterQueue: the entry of this index.
    XtqRegister(u16, Registration),
    /// PtlPTEnable.
    PtEnable(Portal),
    /// PtlPTDisable.
    PtDisable(Portal),
}

/// When a triggered operation fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// On which counter.
    pub counter: CounterId,
    /// At success + failure of at least this.
    pub threshold: u64,
}

/// Why a command is not done. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Something named does not exist, or a value is not allowed.
    #[error("ARG_INVALID")]
    ArgInvalid,
    /// A limit is reached.
    #[error("NO_SPACE")]
    NoSpace,
    /// What is named is still needed, or already exists.
    #[error("IN_USE")]
    InUse,
    /// Flow control needs an event queue.
    #[error("PT_EQ_NEEDED")]
    PtEqNeeded,
    /// Portals has it and the model has not.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// An atomic operation that cannot be done.
    #[error(transparent)]
    Operation(#[from] OperationError),
}

impl Refusal {
    /// What is reported to a caller: that Portals has no such operation is one of the wrong arguments.
    pub fn told(self) -> Self {
        match self {
            Self::Operation(OperationError::Illegal(_)) => Self::ArgInvalid,
            other => other,
        }
    }
}
