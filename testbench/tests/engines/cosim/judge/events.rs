//! Classes of events of which the order is compared.

use xtq_testbench::portals::{Detail, Event, EventKind};
use xtq_types::wire_header::MTU;

/// Events of messages.
fn comm(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Put
            | EventKind::XtqPut
            | EventKind::Get
            | EventKind::Atomic
            | EventKind::FetchAtomic
    )
}

/// Events of messages of one packet, but for those that are reported when their reply has left.
pub fn of_short_messages(event: &&Event) -> bool {
    let comm = comm(event) && !of_replies(event);
    let rlength = match event.detail {
        Detail::Target(detail) => detail.rlength,
        Detail::Task(detail) => detail.rlength,
        Detail::None | Detail::Initiator(_) => return false,
    };
    comm && rlength <= MTU as u64
}

/// Events of gets and of atomics that fetch.
pub fn of_replies(event: &&Event) -> bool {
    event.kind == EventKind::Get || event.kind == EventKind::FetchAtomic
}

/// Events of what commands link and find.
pub fn of_commands(event: &&Event) -> bool {
    event.kind == EventKind::Link || event.kind == EventKind::Search || event.kind.is_overflow()
}

pub fn sends(event: &&Event) -> bool {
    event.kind == EventKind::Send
}

pub fn answers(event: &&Event) -> bool {
    event.kind != EventKind::Send
}

/// A class of events of which the order is compared.
pub type Class = (&'static str, fn(&&Event) -> bool);
