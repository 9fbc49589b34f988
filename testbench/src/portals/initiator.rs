//! What an initiator does: sends requests, and takes the responses (rules 5, 8 of `docs/portals-model.md`).

use super::codes::MdOption;
use super::command::{Place, Refusal, Transfer};
use super::event::{Detail, Event, InitiatorDetail};
use super::ids::MdId;
use super::memory::NoMemory;
use super::message::{Request, Response, ResponseKind};
use super::node::{Node, Outstanding};
use super::objects::MemoryDescriptor;
use crate::tables::{AckRequest, EventKind, NiFail};

impl Node {
    /// Sends a request. Data are read now, not when the command was posted (rule 7.7 of `docs/portals-model.md`). SEND
    /// says and counts at once: the message has left, whatever becomes of it.
    pub(super) fn launch(&mut self, transfer: Transfer) {
        let descriptor = |place: Option<Place>| {
            place.and_then(|place| self.mds.get(&place.md).map(|md| (place, *md)))
        };
        let (from, into) = (descriptor(transfer.from), descriptor(transfer.into));
        let length = transfer.total();
        let payload = descriptor(transfer.payload.filter(|_| transfer.length > 0));
        let parts = match transfer.command_length() {
            Some(command) => [(from, command), (payload, transfer.length)],
            None => [(from, length), (None, 0)],
        };
        let data = parts
            .iter()
            .try_fold(Vec::new(), |mut data, (part, length)| {
                if let Some((place, md)) = part {
                    data.extend(self.memory.gather(md.buffer(), place.offset, *length)?);
                }
                Ok(data)
            });
        let ni_fail = match data {
            Err(NoMemory) => NiFail::Segv,
            Ok(data) => {
                let request = Request {
                    kind: transfer.kind,
                    source: self.rank,
                    uid: self.rank.0,
                    target: transfer.target,
                    portal: transfer.portal,
                    match_bits: transfer.match_bits,
                    roffset: transfer.roffset,
                    rlength: length,
                    ack: transfer.ack,
                    hdr_data: transfer.hdr_data,
                    data,
                    operand: transfer.operand,
                    handle: self.next_handle,
                };
                let answered = request.kind.wants_data() || request.ack != AckRequest::None;
                self.outbox.push(request);
                if let Some((place, md)) = into.or(from).filter(|_| answered) {
                    let user_ptr = transfer.user_ptr;
                    let other = into.and(from).or(payload);
                    let waiting = Outstanding {
                        place,
                        md,
                        other: other.map(|(place, _)| place.md),
                        user_ptr,
                    };
                    self.outstanding.insert(self.next_handle, waiting);
                }
                self.next_handle += 1;
                NiFail::Ok
            }
        };
        if let Some((_, md)) = from {
            if !md.options.has(MdOption::SendDisable) {
                let detail = InitiatorDetail {
                    mlength: length,
                    remote_offset: 0,
                };
                self.md_event(&md, EventKind::Send, transfer.user_ptr, ni_fail, detail);
            }
            self.count_at(&md, MdOption::CtSend, ni_fail, length);
        }
    }

    /// The response to a request of this node, all of it. One that nobody waits for is ignored.
    pub fn acknowledge(&mut self, response: &Response) {
        let Some(waiting) = self.outstanding.remove(&response.handle) else {
            return;
        };
        let Outstanding {
            place,
            md,
            user_ptr,
            ..
        } = waiting;
        let detail = InitiatorDetail {
            mlength: response.mlength,
            remote_offset: response.moffset,
        };
        match response.kind {
            ResponseKind::Ack => {
                self.md_event(&md, EventKind::Ack, user_ptr, response.ni_fail, detail);
                self.count_at(&md, MdOption::CtAck, response.ni_fail, response.mlength);
            }
            ResponseKind::CtAck => {
                self.count_at(&md, MdOption::CtAck, response.ni_fail, response.mlength);
            }
            // Counts operations, never bytes.
            ResponseKind::OcAck => self.count(md.counter_of(MdOption::CtAck), NiFail::Ok, 1),
            ResponseKind::Reply => {
                let written = self
                    .memory
                    .scatter(md.buffer(), place.offset, &response.data);
                let ni_fail = match written {
                    Ok(()) => response.ni_fail,
                    Err(NoMemory) => NiFail::Segv,
                };
                self.md_event(&md, EventKind::Reply, user_ptr, ni_fail, detail);
                self.count_at(&md, MdOption::CtReply, ni_fail, response.mlength);
            }
        }
        self.run_reached();
    }

    /// A request of this node was taken, and its target keeps silent about it (ACK_DISABLE): nobody waits any more.
    pub fn forget(&mut self, handle: u64) {
        self.outstanding.remove(&handle);
    }

    /// PtlMDRelease: refused while responses are to come.
    pub(super) fn release(&mut self, id: MdId) -> Result<(), Refusal> {
        if self
            .outstanding
            .values()
            .any(|waiting| waiting.place.md == id || waiting.other == Some(id))
        {
            return Err(Refusal::InUse);
        }
        self.mds.remove(&id);
        Ok(())
    }

    fn count_at(&mut self, md: &MemoryDescriptor, option: MdOption, ni_fail: NiFail, bytes: u64) {
        let amount = if md.options.has(MdOption::CtBytes) {
            bytes
        } else {
            1
        };
        self.count(md.counter_of(option), ni_fail, amount);
    }

    fn md_event(
        &mut self,
        md: &MemoryDescriptor,
        kind: EventKind,
        user_ptr: u64,
        ni_fail: NiFail,
        detail: InitiatorDetail,
    ) {
        if md.options.has(MdOption::SuccessDisable) && ni_fail == NiFail::Ok {
            return;
        }
        let event = Event {
            kind,
            portal: None,
            user_ptr: Some(user_ptr),
            ni_fail,
            detail: Detail::Initiator(detail),
        };
        self.emit(md.queue, event);
    }
}
