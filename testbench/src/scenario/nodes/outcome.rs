//! How something ended, by name.

use xtq_types::event::status;

use crate::host::{Event, EventKind};
use crate::scenario::report::{STATUS, status_name};

/// Names of [`xtq_types::command::command_status`], by value.
const COMMAND_STATUS: [&str; 15] = [
    "ok",
    "bad_operation",
    "bad_argument",
    "bad_descriptor",
    "descriptor_overflow",
    "bad_counter",
    "bad_portal",
    "bad_entry",
    "no_space",
    "in_use",
    "not_found",
    "memory_error",
    "too_long",
    "bad_index",
    "unsupported",
];

/// Names of [`xtq_types::wire_header::ni_fail`], by value.
const NI_FAIL: [&str; 8] = [
    "ok",
    "undeliverable",
    "dropped",
    "pt_disabled",
    "perm_violation",
    "op_violation",
    "no_match",
    "segv",
];

/// What nothing went wrong with.
pub(super) const OK: &str = STATUS[0];

/// How the thing ended that an event is about: of a command its status, else the status, or if that is ok the code of Portals.
pub(super) fn outcome(event: &Event) -> String {
    let named = |names: &[&str], code: u8| {
        let name = names.get(usize::from(code));
        name.map_or_else(|| format!("code {code}"), |name| (*name).to_owned())
    };
    match event.kind {
        EventKind::Command => named(&COMMAND_STATUS, event.status),
        _ if event.status != status::OK => status_name(event.status),
        _ => named(&NI_FAIL, event.ni_fail),
    }
}

/// Whether an event can end so.
pub(super) fn is_outcome(name: &str) -> bool {
    [&STATUS[..], &COMMAND_STATUS, &NI_FAIL]
        .iter()
        .any(|names| names.contains(&name))
}

/// The name of a kind of event, as scenarios write it.
pub(super) fn kind_name(kind: EventKind) -> String {
    match kind {
        EventKind::Get => "get",
        EventKind::GetOverflow => "get_overflow",
        EventKind::Put => "put",
        EventKind::PutOverflow => "put_overflow",
        EventKind::Atomic => "atomic",
        EventKind::AtomicOverflow => "atomic_overflow",
        EventKind::FetchAtomic => "fetch_atomic",
        EventKind::FetchAtomicOverflow => "fetch_atomic_overflow",
        EventKind::Reply => "reply",
        EventKind::Send => "send",
        EventKind::Ack => "ack",
        EventKind::PtDisabled => "pt_disabled",
        EventKind::Link => "link",
        EventKind::AutoUnlink => "auto_unlink",
        EventKind::AutoFree => "auto_free",
        EventKind::Search => "search",
        EventKind::XtqPut => "xtq_put",
        EventKind::Command => "command",
        EventKind::Unknown(code) => return format!("kind {code}"),
    }
    .to_owned()
}
