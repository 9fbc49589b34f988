//! Events out of the ring, in the words of a case.

use super::codes::ni_fail_of;
use crate::host;
use crate::portals::{
    Detail, Event, EventKind, InitiatorDetail, List, NiFail, Portal, Rank, TargetDetail, TaskDetail,
};

/// What an event of the ring is about.
pub(super) enum Told {
    /// A command has ended; its user pointer.
    Command(Option<u64>, Result<(), host::CommandError>),
    /// A message of this node: cases do not show these.
    Initiator(Event),
    /// A portal entry.
    Portal(Event),
}

/// Sorts an event. Errors: no case asks for one of this kind.
pub(super) fn told(event: &host::Event) -> Result<Told, String> {
    use host::EventKind as Kind;
    let kind = match event.kind {
        Kind::Command => {
            let result = event.result().unwrap_or(Ok(()));
            return Ok(Told::Command(event.user_ptr(), result));
        }
        Kind::Send => EventKind::Send,
        Kind::Ack => EventKind::Ack,
        Kind::Reply => EventKind::Reply,
        Kind::Get => EventKind::Get,
        Kind::GetOverflow => EventKind::GetOverflow,
        Kind::Put => EventKind::Put,
        Kind::PutOverflow => EventKind::PutOverflow,
        Kind::Atomic => EventKind::Atomic,
        Kind::AtomicOverflow => EventKind::AtomicOverflow,
        Kind::FetchAtomic => EventKind::FetchAtomic,
        Kind::FetchAtomicOverflow => EventKind::FetchAtomicOverflow,
        Kind::PtDisabled => EventKind::PtDisabled,
        Kind::Link => EventKind::Link,
        Kind::AutoUnlink => EventKind::AutoUnlink,
        Kind::AutoFree => EventKind::AutoFree,
        Kind::Search => EventKind::Search,
        Kind::XtqPut => EventKind::XtqPut,
        Kind::Unknown(_) => return Err(format!("it tells of {event:?}")),
    };
    let unknown = || format!("ni_fail {} in {event:?}", event.ni_fail);
    let ni_fail = ni_fail_of(event.ni_fail).ok_or_else(unknown)?;
    if matches!(kind, EventKind::Send | EventKind::Ack | EventKind::Reply) {
        return Ok(Told::Initiator(Event {
            kind,
            portal: None,
            user_ptr: event.user_ptr(),
            ni_fail,
            detail: Detail::Initiator(InitiatorDetail {
                mlength: event.mlength.into(),
                remote_offset: event.remote_offset,
            }),
        }));
    }
    Ok(Told::Portal(Event {
        kind,
        portal: Some(Portal(event.pt_index.0.into())),
        user_ptr: event
            .user_ptr()
            .filter(|user| kind != EventKind::PtDisabled || *user != 0),
        ni_fail,
        detail: match kind {
            EventKind::XtqPut => Detail::Task(task_detail(event)),
            _ => detail(event, ni_fail),
        },
    }))
}

/// What is told of an XTQ put.
fn task_detail(event: &host::Event) -> TaskDetail {
    TaskDetail {
        start: event.start,
        initiator: Rank(event.initiator.node.into()),
        uid: event.user_id,
        match_bits: event.match_bits,
        rlength: event.rlength.into(),
        mlength: event.mlength.into(),
        hdr_data: event.hdr_data,
        status: event.status,
        access: event.access,
        queue_index: event.queue_index,
        packet_id: event.packet_id().unwrap_or_default(),
    }
}

/// What is told of the message; a search that found nothing has none.
fn detail(event: &host::Event, ni_fail: NiFail) -> Detail {
    let list = match event.list() {
        None => return Detail::None,
        Some(_) if ni_fail == NiFail::NoMatch => return Detail::None,
        Some(host::List::Priority) => List::Priority,
        Some(host::List::Overflow) => List::Overflow,
    };
    Detail::Target(TargetDetail {
        start: event.start,
        initiator: Rank(event.initiator.node.into()),
        uid: event.user_id,
        match_bits: event.match_bits,
        rlength: event.rlength.into(),
        mlength: event.mlength.into(),
        remote_offset: event.remote_offset,
        hdr_data: event.hdr_data,
        list,
    })
}
