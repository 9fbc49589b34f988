//! `Event`: what the NIC reports to a process, decoded.

use xtq_types::event::status;

use super::ids::{CounterValue, ProcessId, Pt};
use crate::tables::List;
use crate::tables::format::{BYTES, EVENT};

/// Makes an enum of a list of [`codes!`](xtq_types::codes), for which a number that the library does not know is no
/// error.
macro_rules! open_vocabulary {
    ({ $(#[$meta:meta])* $name:ident }
        $($(#[doc = $doc:literal])+ $code:ident = $value:literal => $variant:ident,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)*
            /// A number that the library does not know.
            Unknown(u8),
        }

        impl $name {
            /// The one of this number.
            pub fn of(code: u8) -> Self {
                match code {
                    $($value => Self::$variant,)*
                    other => Self::Unknown(other),
                }
            }

            /// Its number.
            pub fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Unknown(code) => code,
                }
            }
        }
    };
}

xtq_types::event_kinds! { open_vocabulary {
    /// What happened. The numbers are those of Portals, where it has one.
    EventKind
} }

impl EventKind {
    /// Whether it reports a message at the target that is no XTQ put.
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

/// Makes the error of a list of [`codes!`](xtq_types::codes) of which the first number is success.
macro_rules! errors {
    ({ $(#[$meta:meta])* $name:ident }
        $(#[doc = $ok_doc:literal])+ $ok:ident = $success:literal => $none:ident,
        $($(#[doc = $doc:literal])+ $code:ident = $value:literal => $variant:ident,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)*
            /// A number that the library does not know.
            Unknown(u8),
        }

        impl $name {
            /// What a status says.
            pub fn check(status: u8) -> Result<(), Self> {
                Err(match status {
                    $success => return Ok(()),
                    $($value => Self::$variant,)*
                    other => Self::Unknown(other),
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = match self {
                    $(Self::$variant => concat!($($doc),+),)*
                    Self::Unknown(code) => return write!(f, "unknown command status {code}"),
                };
                // A sentence there, a part of one here.
                let text = text.trim().trim_end_matches('.');
                let (first, rest) = text.split_at(1);
                write!(f, "{}{rest}", first.to_lowercase())
            }
        }

        impl std::error::Error for $name {}
    };
}

xtq_types::command_statuses! { errors {
    /// Why a command did nothing, or not all that it should ([`command_status`](xtq_types::command::command_status)).
    CommandError
} }

/// An event. Which fields have a meaning depends on the kind (docs/reference/formats.md).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Outcome: a [`status`](xtq_types::event::status), of a command a
    /// [`command_status`](xtq_types::command::command_status).
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

    /// User pointer of the command, or of the match entry, that it is about; 0 of a message that no entry took, `None`
    /// of such an XTQ put.
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

    /// List of the entry in whose buffer the message landed; `None`: it is about an XTQ put, whose event does not say
    /// it, or about no message.
    ///
    /// ```
    /// use xtq_testbench::host::{Event, List};
    ///
    /// let mut bytes = [0; 64];
    /// (bytes[0], bytes[12]) = (3, 1);
    /// assert_eq!(Event::decode(&bytes).list(), Some(List::Overflow));
    /// ```
    pub fn list(&self) -> Option<List> {
        let list = match self.queue_index == List::Overflow as u16 {
            true => List::Overflow,
            false => List::Priority,
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

    /// What [`ptl_ct_get`](super::ptl_ct_get) reports, in its event.
    pub fn counter(&self) -> CounterValue {
        CounterValue {
            success: self.start,
            failure: self.remote_offset,
        }
    }
}
