//! How something ended, by name.

use xtq_types::command::command_status;
use xtq_types::event::{kind, status};
use xtq_types::wire_header::ni_fail;

use crate::host::{Event, EventKind};
use crate::tables::small_name;

/// What nothing went wrong with.
pub(super) const OK: &str = "ok";

/// How the thing ended that an event is about: of a command its status, else the status, or if that is ok the code of
/// Portals.
pub(super) fn outcome(event: &Event) -> String {
    match event.kind {
        EventKind::Command => small_name(command_status::CODES, "code", event.status),
        _ if event.status != status::OK => small_name(status::CODES, "status", event.status),
        _ => small_name(ni_fail::CODES, "code", event.ni_fail),
    }
}

/// Whether an event can end so.
pub(super) fn is_outcome(name: &str) -> bool {
    let codes = [status::CODES, command_status::CODES, ni_fail::CODES];
    let mut codes = codes.into_iter().flatten();
    codes.any(|code| code.name.to_lowercase() == name)
}

/// The name of a kind of event, as scenarios write it.
pub(super) fn kind_name(kind: EventKind) -> String {
    small_name(kind::CODES, "kind", kind.code())
}
