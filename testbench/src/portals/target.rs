//! What a target does with a request: the ten steps of `docs/portals-model.md` (rules 2), in their order.

use super::codes::MeOption;
use super::event::{Detail, Event, TargetDetail};
use super::ids::{EntryId, Portal};
use super::iovec::Buffer;
use super::memory::NoMemory;
use super::message::{Outcome, Request, RequestError, RequestKind, Response};
use super::node::Node;
use super::objects::{Entry, Header};
use crate::tables::{EventKind, List, NiFail};

impl Node {
    /// An incoming request, all of it; the response, if there is one. Nothing has changed after an error.
    pub fn receive(&mut self, request: &Request) -> Result<Option<Response>, RequestError> {
        request.check()?;
        self.landed.clear();
        let response = match self.admit(request) {
            Ok(id) => self.land(request, id),
            Err(ni_fail) => {
                match ni_fail {
                    NiFail::PermViolation => self.status.permission_violations += 1,
                    NiFail::OpViolation => self.status.operation_violations += 1,
                    _ => self.status.drop += 1,
                }
                Response::to(request, Outcome::failed(ni_fail))
            }
        };
        self.run_reached();
        Ok(response)
    }

    /// Steps 1 to 5: the entry that takes the message. If none does, nothing has changed but perhaps the portal's
    /// state.
    fn admit(&mut self, request: &Request) -> Result<EntryId, NiFail> {
        // 1. A portal that is not allocated cannot be distinguished from one out of range.
        let portal = self.portals.get(&request.portal).ok_or(NiFail::Dropped)?;
        if !portal.enabled {
            return Err(NiFail::PtDisabled);
        }
        // 2. Priority, then overflow, each in the order of appending.
        let candidates = portal.priority.iter().chain(&portal.overflow).copied();
        let matching = portal.options.matching;
        let found = candidates.into_iter().find(|id| {
            let entry = &self.entries[id];
            let offset = entry.me.offset(entry.local_offset, request);
            !matching || entry.me.matches(offset, request)
        });
        // 3.
        let Some(id) = found else {
            return Err(self.exhausted(request.portal, true));
        };
        // 4. After the match, and final: later entries are not tried.
        let entry = &self.entries[&id];
        if entry.me.uid.is_some_and(|uid| uid != request.uid) {
            return Err(NiFail::PermViolation);
        }
        let puts = !entry.me.options.has(MeOption::OpPut) && request.kind.carries_data();
        let gets = !entry.me.options.has(MeOption::OpGet) && request.kind.wants_data();
        // What is done to items as a whole, or a task that finds its arguments after it, does not go to pieces
        // (docs/portals-model.md).
        let whole = !matches!(request.kind, RequestKind::Put | RequestKind::Get);
        let items = entry.me.options.has(MeOption::Iovec) && whole;
        if puts || gets || items {
            return Err(NiFail::OpViolation);
        }
        // 5.
        let headers: usize = self
            .portals
            .values()
            .map(|portal| portal.unexpected.len())
            .sum();
        let no_header = keeps_header(entry) && headers as u64 >= self.limits.max_unexpected_headers;
        if no_header || !self.has_room_for_events(request.portal, entry) {
            let tell = !entry.me.options.has(MeOption::FlowctrlDisable);
            return Err(self.exhausted(request.portal, tell));
        }
        Ok(id)
    }

    /// No entry, no header, no place for events: flow control disables the portal, with one event (rules 2.3, 2.5, 4 of
    /// `docs/portals-model.md`).
    pub(super) fn exhausted(&mut self, index: Portal, tell: bool) -> NiFail {
        let Some(portal) = self.portals.get_mut(&index).filter(|p| p.options.flowctrl) else {
            return NiFail::Dropped;
        };
        portal.enabled = false;
        let queue = portal.options.queue;
        if tell {
            let event = Event {
                kind: EventKind::PtDisabled,
                portal: Some(index),
                user_ptr: None,
                ni_fail: NiFail::PtDisabled,
                detail: Detail::None,
            };
            self.emit(queue, event);
        }
        NiFail::PtDisabled
    }

    /// Whether a portal with flow control has places for all events that this message can cause now, besides one for
    /// the PT_DISABLED of each enabled portal with flow control on that queue (rules 4 of `docs/portals-model.md`).
    fn has_room_for_events(&self, index: Portal, entry: &Entry) -> bool {
        let Some(portal) = self.portals.get(&index).filter(|p| p.options.flowctrl) else {
            return true;
        };
        let Some(queue) = portal.options.queue.and_then(|id| self.queues.get(id.0)) else {
            return true;
        };
        let sharers = self.portals.values().filter(|other| {
            other.options.flowctrl && other.enabled && other.options.queue == portal.options.queue
        });
        let me = &entry.me;
        let comm = usize::from(!me.options.has(MeOption::CommDisable));
        let may_unlink = me.options.has(MeOption::UseOnce)
            || (me.options.has(MeOption::ManageLocal) && me.min_free != 0);
        let unlink = match may_unlink && !me.options.has(MeOption::UnlinkDisable) {
            false => 0,
            true if entry.list == List::Overflow && !keeps_header(entry) => 2,
            true => 1,
        };
        queue.room() >= sharers.count() + comm + unlink
    }

    /// Steps 6 to 10: the message is taken by this entry.
    fn land(&mut self, request: &Request, id: EntryId) -> Option<Response> {
        let entry = self.entries[&id].clone();
        let me = &entry.me;
        // 6.
        let offset = me.offset(entry.local_offset, request);
        let mlength = self.mlength(request, me.length.saturating_sub(offset));
        // 7. One offset for puts and gets; 8. before the data, so that the next message cannot match the entry.
        let mut local_offset = entry.local_offset;
        if me.options.has(MeOption::ManageLocal) {
            // The part of a buffer that an XTQ put leaves out does not go beyond its end.
            local_offset = (offset + mlength).min(me.length.max(local_offset));
        }
        let unlinked = me.options.has(MeOption::UseOnce) || me.is_full(local_offset);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.local_offset = local_offset;
            entry.linked = !unlinked;
        }
        if unlinked {
            self.remove_from_list(id);
        }
        // 9.
        let start = me.start.wrapping_add(offset);
        let landed = self.memory.spans(me.buffer(), offset, mlength);
        self.landed = landed.unwrap_or_default();
        let (mut task, mut lands) = (None, true);
        let outcome = if let RequestKind::XtqPut { command_length } = request.kind {
            let end;
            (end, lands) = self.enqueue(request, command_length, start, mlength);
            let outcome = self.ended(&end, &entry, offset);
            task = Some(end);
            outcome
        } else if mlength > 0 && self.is_astray(request, start) {
            Outcome::failed(NiFail::OpViolation)
        } else {
            match self.move_data(request, me.buffer(), offset, mlength) {
                Ok(data) => Outcome {
                    ni_fail: NiFail::Ok,
                    mlength,
                    moffset: offset,
                    data,
                },
                Err(NoMemory) => Outcome::failed(NiFail::Segv),
            }
        };
        if keeps_header(&entry)
            && let Some(portal) = self.portals.get_mut(&entry.portal)
        {
            portal.unexpected.push(Header {
                request: Request {
                    data: Vec::new(),
                    ..request.clone()
                },
                entry: id,
                start,
                mlength: outcome.mlength,
                ni_fail: outcome.ni_fail,
            });
        }
        // 10. A message that found its queue full and disabled the portal is reported by that.
        let failed = outcome.ni_fail != NiFail::Ok;
        let disabled = task.is_some() && outcome.ni_fail == NiFail::PtDisabled;
        if !disabled
            && !me.options.has(MeOption::CommDisable)
            && (failed || !me.options.has(MeOption::SuccessDisable))
        {
            let detail = match task {
                Some(detail) => Detail::Task(detail),
                None => Detail::Target(target_detail(request, start, outcome.mlength, entry.list)),
            };
            let kind = comm_kind(request.kind);
            self.entry_event(&entry, kind, outcome.ni_fail, detail);
        }
        if me.options.has(MeOption::CtComm) && !disabled {
            let amount = if me.options.has(MeOption::CtBytes) {
                outcome.mlength
            } else {
                1
            };
            self.count(me.counter, outcome.ni_fail, amount);
        }
        if unlinked {
            self.auto_unlinked(&entry);
            self.free_if_drained(id);
        }
        match me.options.has(MeOption::AckDisable) && !request.kind.wants_data() && lands {
            true => None,
            false => Response::to(request, outcome),
        }
    }

    /// Bytes that are moved, `room` being left after the offset (step 6).
    fn mlength(&self, request: &Request, room: u64) -> u64 {
        let cap = match request.kind {
            RequestKind::Put | RequestKind::Get | RequestKind::XtqPut { .. } => {
                self.limits.max_msg_size
            }
            RequestKind::Swap(operation) if operation.uses_operand() => {
                operation.datatype.size() as u64
            }
            RequestKind::Atomic(_) | RequestKind::Fetch(_) | RequestKind::Swap(_) => {
                self.limits.max_atomic_size
            }
        };
        request.rlength.min(room).min(cap)
    }

    /// Whether an atomic lands where [`super::NodeConfig::aligned_atomics`] refuses it.
    fn is_astray(&self, request: &Request, start: u64) -> bool {
        let datum = request.kind.operation().map(|it| it.datatype.size() as u64);
        self.aligned_atomics && datum.is_some_and(|datum| !start.is_multiple_of(datum))
    }

    /// Step 9: what was there is read first, then the new contents are written. The data for a reply.
    fn move_data(
        &mut self,
        request: &Request,
        buffer: Buffer,
        offset: u64,
        mlength: u64,
    ) -> Result<Vec<u8>, NoMemory> {
        let old = self.memory.gather(buffer, offset, mlength)?;
        let source = request.data.get(..old.len()).unwrap_or_default();
        match request.kind.operation() {
            Some(operation) => {
                let new = operation.apply(&old, source, &request.operand);
                self.memory.scatter(buffer, offset, &new)?;
            }
            None => self.memory.scatter(buffer, offset, source)?,
        }
        Ok(if request.kind.wants_data() {
            old
        } else {
            Vec::new()
        })
    }
}

/// Whether a message that lands in an entry leaves an unexpected header (step 5).
fn keeps_header(entry: &Entry) -> bool {
    entry.list == List::Overflow && !entry.me.options.has(MeOption::UnexpectedHdrDisable)
}

/// The event of a message.
fn comm_kind(kind: RequestKind) -> EventKind {
    match kind {
        RequestKind::Put => EventKind::Put,
        RequestKind::XtqPut { .. } => EventKind::XtqPut,
        RequestKind::Get => EventKind::Get,
        RequestKind::Atomic(_) => EventKind::Atomic,
        RequestKind::Fetch(_) | RequestKind::Swap(_) => EventKind::FetchAtomic,
    }
}

/// What an event says of a message; the offset is the one asked for.
pub(super) fn target_detail(
    request: &Request,
    start: u64,
    mlength: u64,
    list: List,
) -> TargetDetail {
    TargetDetail {
        start,
        initiator: request.source,
        uid: request.uid,
        match_bits: request.match_bits,
        rlength: request.rlength,
        mlength,
        remote_offset: request.roffset,
        hdr_data: request.hdr_data,
        list,
    }
}
