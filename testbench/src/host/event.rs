//! `Event`: what the NIC tells a process, decoded.

use thiserror::Error;
use xtq_types::command::command_status;
use xtq_types::event::{kind, status};
use xtq_types::matching::list;

use super::codes::List;
use super::ids::{CounterValue, ProcessId, Pt};
use crate::tables::format::{BYTES, EVENT};

/// What happened. The numbers are those of Portals, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Target: a get was answered.
    Get,
    /// Append: a get that came before the entry.
    GetOverflow,
    /// Target: a put was delivered or failed.
    Put,
    /// Append: a put that came before the entry.
    PutOverflow,
    /// Target: an atomic was performed.
    Atomic,
    /// Append: an atomic that came before the entry.
    AtomicOverflow,
    /// Target: a fetch or swap was performed.
    FetchAtomic,
    /// Append: a fetch or swap that came before the entry.
    FetchAtomicOverflow,
    /// Initiator: the reply to a get, fetch or swap has come.
    Reply,
    /// Initiator: the message is with the link, its bytes may change.
    Send,
    /// Initiator: the acknowledgement has come.
    Ack,
    /// Flow control disabled a portal entry.
    PtDisabled,
    /// An entry is in its list.
    Link,
    /// An entry has unlinked itself.
    AutoUnlink,
    /// Nothing refers to the buffer of an entry that has unlinked itself any more.
    AutoFree,
    /// A search found something, or nothing.
    Search,
    /// Target: an XTQ put was enqueued or refused.
    XtqPut,
    /// A command has ended.
    Command,
    /// A number that the library does not know.
    Unknown(u8),
}

impl EventKind {
    /// The kind of this number.
    pub fn of(code: u8) -> Self {
        match code {
            kind::GET => Self::Get,
            kind::GET_OVERFLOW => Self::GetOverflow,
            kind::PUT => Self::Put,
            kind::PUT_OVERFLOW => Self::PutOverflow,
            kind::ATOMIC => Self::Atomic,
            kind::ATOMIC_OVERFLOW => Self::AtomicOverflow,
            kind::FETCH_ATOMIC => Self::FetchAtomic,
            kind::FETCH_ATOMIC_OVERFLOW => Self::FetchAtomicOverflow,
            kind::REPLY => Self::Reply,
            kind::SEND => Self::Send,
            kind::ACK => Self::Ack,
            kind::PT_DISABLED => Self::PtDisabled,
            kind::LINK => Self::Link,
            kind::AUTO_UNLINK => Self::AutoUnlink,
            kind::AUTO_FREE => Self::AutoFree,
            kind::SEARCH => Self::Search,
            kind::XTQ_PUT => Self::XtqPut,
            kind::COMMAND => Self::Command,
            other => Self::Unknown(other),
        }
    }
}

impl EventKind {
    /// Whether it tells at the target of a message that is no XTQ put.
    fn is_of_a_message(self) -> bool {
        use EventKind as Kind;
        matches!(
            self,
            Kind::Get
                | Kind::GetOverflow
                | Kind::Put
                | Kind::PutOverflow
                | Kind::Atomic
                | Kind::AtomicOverflow
                | Kind::FetchAtomic
                | Kind::FetchAtomicOverflow
                | Kind::Search
        )
    }
}

/// Why a command did nothing, or not all that it should ([`command_status`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// There is no such operation.
    #[error("there is no such operation")]
    BadOperation,
    /// A value is not allowed.
    #[error("a value is not allowed")]
    BadArgument,
    /// There is no such memory descriptor.
    #[error("there is no such memory descriptor")]
    BadDescriptor,
    /// The span is not inside the descriptor.
    #[error("the span is not inside the memory descriptor")]
    DescriptorOverflow,
    /// There is no such counter.
    #[error("there is no such counter")]
    BadCounter,
    /// There is no such portal entry.
    #[error("there is no such portal entry")]
    BadPortal,
    /// The number of the match entry is out of range or taken.
    #[error("the number of the match entry is out of range or taken")]
    BadEntry,
    /// The trigger store, or a list, is full.
    #[error("no space for a triggered operation or a match entry")]
    NoSpace,
    /// What is named is still needed.
    #[error("what is named is still in use")]
    InUse,
    /// A search found nothing.
    #[error("nothing was found")]
    NotFound,
    /// Host memory answered with an error.
    #[error("host memory answered with an error")]
    MemoryError,
    /// The message is longer than a message may be.
    #[error("the message is too long")]
    TooLong,
    /// The index is beyond the table.
    #[error("the index is beyond the table")]
    BadIndex,
    /// The hardware does not have the operation on this datatype.
    #[error("the hardware does not have this operation on this datatype")]
    Unsupported,
    /// A list of more than 1,024 pieces.
    #[error("a list of more than 1,024 pieces")]
    TooManyPieces,
    /// The pieces of a list have 2^64 bytes together, or more.
    #[error("the pieces of a list have 2^64 bytes together, or more")]
    PiecesOverflow,
    /// A number that the library does not know.
    #[error("unknown command status {0}")]
    Unknown(u8),
}

impl CommandError {
    /// What a status says.
    pub fn check(status: u8) -> Result<(), Self> {
        Err(match status {
            command_status::OK => return Ok(()),
            command_status::BAD_OPERATION => Self::BadOperation,
            command_status::BAD_ARGUMENT => Self::BadArgument,
            command_status::BAD_DESCRIPTOR => Self::BadDescriptor,
            command_status::DESCRIPTOR_OVERFLOW => Self::DescriptorOverflow,
            command_status::BAD_COUNTER => Self::BadCounter,
            command_status::BAD_PORTAL => Self::BadPortal,
            command_status::BAD_ENTRY => Self::BadEntry,
            command_status::NO_SPACE => Self::NoSpace,
            command_status::IN_USE => Self::InUse,
            command_status::NOT_FOUND => Self::NotFound,
            command_status::MEMORY_ERROR => Self::MemoryError,
            command_status::TOO_LONG => Self::TooLong,
            command_status::BAD_INDEX => Self::BadIndex,
            command_status::UNSUPPORTED => Self::Unsupported,
            command_status::TOO_MANY_PIECES => Self::TooManyPieces,
            command_status::PIECES_OVERFLOW => Self::PiecesOverflow,
            other => Self::Unknown(other),
        })
    }
}

/// An event. Which fields have a meaning depends on the kind (docs/formats.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Outcome: a [`status`](xtq_types::event::status), of a command a [`command_status`].
    pub status: u8,
    /// Memory access that failed ([`access`](xtq_types::event::access)).
    pub access: u8,
    /// Outcome in the codes of Portals ([`ni_fail`](xtq_types::wire_header::ni_fail)).
    pub ni_fail: u8,
    /// Target: process that sent the message.
    pub initiator: ProcessId,
    /// Portal entry.
    pub pt_index: Pt,
    /// User id of the sender.
    pub user_id: u32,
    /// XTQ put: queue table index; else see [`list`](Self::list).
    pub queue_index: u16,
    /// Events lost just before this one, at most 255.
    pub dropped: u8,
    /// Match bits.
    pub match_bits: u64,
    /// Header data.
    pub hdr_data: u64,
    /// Address where the message landed.
    pub start: u64,
    /// Bytes asked for.
    pub rlength: u32,
    /// Bytes moved.
    pub mlength: u32,
    /// Offset asked for, but of an XTQ put that a match entry took; initiator: offset used.
    pub remote_offset: u64,
    last_word: u64,
}

impl Event {
    /// The event in these bytes.
    ///
    /// ```
    /// use xtq_testbench::host::{Event, EventKind};
    ///
    /// let mut bytes = [0; 64];
    /// bytes[0] = 10;
    /// bytes[56] = 77;
    /// let event = Event::decode(&bytes);
    /// assert_eq!((event.kind, event.user_ptr()), (EventKind::Ack, Some(77)));
    /// ```
    pub fn decode(bytes: &[u8; BYTES]) -> Self {
        let get = |name| EVENT.get(bytes, name);
        Self {
            kind: EventKind::of(get("kind") as u8),
            status: get("status") as u8,
            access: get("access") as u8,
            ni_fail: get("ni_fail") as u8,
            initiator: ProcessId {
                node: get("source_node") as u16,
                context: get("source_context") as u8,
            },
            pt_index: Pt(get("portal_index") as u16),
            user_id: get("user_id") as u32,
            queue_index: get("queue_index") as u16,
            dropped: get("dropped") as u8,
            match_bits: get("match_bits"),
            hdr_data: get("header_data"),
            start: get("start"),
            rlength: get("requested_length") as u32,
            mlength: get("delivered_length") as u32,
            remote_offset: get("remote_offset"),
            last_word: get("packet_id"),
        }
    }

    /// User pointer of the command, or of the match entry, that it is about; 0 of a message that no entry took, `None` of such an XTQ put.
    ///
    /// ```
    /// use xtq_testbench::host::Event;
    ///
    /// let mut task = [0; 64];
    /// (task[0], task[48], task[56]) = (32, 5, 77);
    /// let event = Event::decode(&task);
    /// assert_eq!((event.user_ptr(), event.packet_id()), (Some(5), Some(77)));
    /// ```
    pub fn user_ptr(&self) -> Option<u64> {
        match self.kind {
            EventKind::XtqPut => self.was_taken().then_some(self.remote_offset),
            _ => Some(self.last_word),
        }
    }

    /// Whether a match entry took the message that it is about.
    fn was_taken(&self) -> bool {
        !matches!(
            self.status,
            status::PT_DISABLED
                | status::NO_PORTAL
                | status::NO_MATCH
                | status::PERM_VIOLATION
                | status::OP_VIOLATION
                | status::BAD_CONTEXT
        )
    }

    /// List of the entry in whose buffer the message landed; `None`: it is about an XTQ put, whose event does not tell it, or about no message.
    ///
    /// ```
    /// use xtq_testbench::host::{Event, List};
    ///
    /// let mut bytes = [0; 64];
    /// (bytes[0], bytes[12]) = (3, 1);
    /// assert_eq!(Event::decode(&bytes).list(), Some(List::Overflow));
    /// ```
    pub fn list(&self) -> Option<List> {
        let overflow = self.queue_index == u16::from(list::OVERFLOW);
        let list = if overflow {
            List::Overflow
        } else {
            List::Priority
        };
        self.kind.is_of_a_message().then_some(list)
    }

    /// XTQ put at its target: packet id in the queue.
    pub fn packet_id(&self) -> Option<u64> {
        (self.kind == EventKind::XtqPut).then_some(self.last_word)
    }

    /// How a command ended; `None`: the event is about something else.
    ///
    /// ```
    /// use xtq_testbench::host::{CommandError, Event};
    ///
    /// let mut bytes = [0; 64];
    /// (bytes[0], bytes[1]) = (40, 9);
    /// assert_eq!(Event::decode(&bytes).result(), Some(Err(CommandError::InUse)));
    /// ```
    pub fn result(&self) -> Option<Result<(), CommandError>> {
        (self.kind == EventKind::Command).then(|| CommandError::check(self.status))
    }

    /// What [`ptl_ct_get`](super::ptl_ct_get) tells, in its event.
    pub fn counter(&self) -> CounterValue {
        CounterValue {
            success: self.start,
            failure: self.remote_offset,
        }
    }
}
