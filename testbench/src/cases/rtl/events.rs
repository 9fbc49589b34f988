//! Events out of the ring, in the words of a case.

use super::own_number;
use crate::host;
use crate::portals::{
    Detail, Event, EventKind, InitiatorDetail, NiFail, Portal, Rank, TargetDetail, TaskDetail,
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
/// The process is that of `rank`.
pub(super) fn told(event: &host::Event, rank: Rank) -> Result<Told, String> {
    let kind = match event.kind {
        host::EventKind::Command => {
            let result = event.result().unwrap_or(Ok(()));
            return Ok(Told::Command(event.user_ptr(), result));
        }
        other => {
            let unknown = || format!("it tells of {event:?}");
            EventKind::of(other.code()).ok_or_else(unknown)?
        }
    };
    let unknown = || format!("ni_fail {} in {event:?}", event.ni_fail);
    let ni_fail = NiFail::of(event.ni_fail).ok_or_else(unknown)?;
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
            EventKind::XtqPut => Detail::Task(task_detail(event, rank)),
            _ => detail(event, ni_fail, rank),
        },
    }))
}

/// Who sent the message; the process of `rank` names itself by another number.
fn initiator(event: &host::Event, rank: Rank) -> Rank {
    let named = event.initiator.node;
    match u32::from(own_number(named)) == rank.0 {
        true => rank,
        false => Rank(named.into()),
    }
}

/// What is reported of an XTQ put.
fn task_detail(event: &host::Event, rank: Rank) -> TaskDetail {
    TaskDetail {
        start: event.start,
        initiator: initiator(event, rank),
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

/// What is reported of the message; a search that found nothing has none.
fn detail(event: &host::Event, ni_fail: NiFail, rank: Rank) -> Detail {
    let list = match event.list() {
        None => return Detail::None,
        Some(_) if ni_fail == NiFail::NoMatch => return Detail::None,
        Some(list) => list,
    };
    Detail::Target(TargetDetail {
        start: event.start,
        initiator: initiator(event, rank),
        uid: event.user_id,
        match_bits: event.match_bits,
        rlength: event.rlength.into(),
        mlength: event.mlength.into(),
        remote_offset: event.remote_offset,
        hdr_data: event.hdr_data,
        list,
    })
}
