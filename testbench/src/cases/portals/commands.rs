//! What a step gives, in the words of the nodes: commands and requests.

use super::names::Names;
use super::schema::{Call, GivenEntry, GivenRequest, GivenTransfer};
use crate::cases::NotRun;
use crate::portals::{
    Command, Counter, CounterId, EntryId, MatchEntry, MdId, Place, Portal, Rank, Request,
    RequestKind, Transfer,
};

/// The descriptor of requests that name none: no bytes, no counter, no events.
pub(super) const NO_MD: MdId = MdId(0);

/// A request from outside.
pub(super) fn request(rank: u32, GivenRequest { kind, fields }: &GivenRequest) -> Request {
    Request {
        kind: *kind,
        source: Rank(fields.src),
        uid: fields.uid.unwrap_or(fields.src),
        target: Rank(rank),
        portal: Portal(fields.pt),
        match_bits: fields.match_bits,
        roffset: fields.roffset,
        rlength: fields.rlength.unwrap_or(fields.data.0.len() as u64),
        ack: fields.ack,
        hdr_data: fields.hdr_data,
        data: fields.data.0.clone(),
        operand: fields.operand.0.clone(),
        handle: 0,
    }
}

/// What a host posts.
pub(super) fn command(names: &mut Names, call: &Call) -> Result<Command, NotRun> {
    Ok(match call {
        Call::Append(list, entry) => {
            let id = names.appended(&entry.id);
            Command::MeAppend {
                id,
                portal: Portal(entry.pt),
                list: *list,
                me: match_entry(entry, id),
            }
        }
        Call::Search(kind, entry) => Command::MeSearch {
            portal: Portal(entry.pt),
            kind: *kind,
            me: match_entry(entry, names.searched(&entry.id)),
        },
        Call::Unlink { id } => Command::MeUnlink(names.mentioned(id)),
        Call::CtInc(count) | Call::CtSet(count) => {
            let id = CounterId(count.ct);
            let value = Counter {
                success: count.success,
                failure: count.failure,
            };
            match call {
                Call::CtInc(_) => Command::CtInc(id, value),
                _ => Command::CtSet(id, value),
            }
        }
        Call::CtCancel { ct } => Command::CtCancel(CounterId(*ct)),
        Call::PtEnable { pt } => Command::PtEnable(Portal(*pt)),
        Call::PtDisable { pt } => Command::PtDisable(Portal(*pt)),
        Call::Transfer(given) => Command::Transfer(transfer(names, given)?),
    })
}

fn match_entry(entry: &GivenEntry, id: EntryId) -> MatchEntry {
    MatchEntry {
        start: entry.start,
        length: entry.length,
        options: entry.options.iter().copied().collect(),
        match_bits: entry.match_bits,
        ignore_bits: entry.ignore_bits,
        source: entry.src.map(Rank),
        uid: entry.uid,
        counter: entry.ct.map(CounterId),
        min_free: entry.min_free,
        user_ptr: id.0.into(),
    }
}

/// A get's one place may be given as `md` or as `get_md`.
fn transfer(
    names: &Names,
    GivenTransfer { kind, fields }: &GivenTransfer,
) -> Result<Transfer, NotRun> {
    let at = |name: &Option<String>, offset| -> Result<Place, NotRun> {
        let md = name.as_ref().map_or(Ok(NO_MD), |name| names.md(name))?;
        Ok(Place { md, offset })
    };
    let md = at(&fields.md, fields.offset)?;
    let into = match (kind, &fields.get_md) {
        (RequestKind::Get, None) => md,
        _ => at(&fields.get_md, fields.get_offset)?,
    };
    Ok(Transfer {
        kind: *kind,
        from: kind.carries_data().then_some(md),
        payload: None,
        into: kind.wants_data().then_some(into),
        length: fields.length,
        ack: fields.ack,
        target: Rank(fields.dst),
        portal: Portal(fields.pt),
        match_bits: fields.match_bits,
        roffset: fields.roffset,
        hdr_data: fields.hdr_data,
        operand: fields.operand.0.clone(),
        user_ptr: 0,
    })
}
