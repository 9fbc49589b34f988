//! XTQ puts after their match: step 9 of an incoming request (rules 2 of `docs/portals-model.md`) for them.
//!
//! What is tested, rewritten, enqueued and rung is the golden model's of the delivery
//! ([`Tasks`](crate::golden::Tasks)), which has its own picture of memory: the node's goes in before and comes out
//! after.

use super::codes::MeOption;
use super::command::Registration;
use super::event::TaskDetail;
use super::message::{Outcome, Request};
use super::node::Node;
use super::objects::Entry;
use crate::aql::field;
use crate::bytes::Bytes;
use crate::tables::NiFail;
use xtq_types::event::{access, status};

impl Node {
    /// XtqRegisterKernel and its like.
    pub(super) fn register(&mut self, index: u16, registration: &Registration) {
        let (table, entry) = registration.entry();
        self.tasks.register(table, index, &entry);
    }

    /// An XTQ put for which an entry has `mlength` bytes: lands and is launched, or is refused, and then nothing is
    /// written. Whether it landed.
    pub(super) fn enqueue(
        &mut self,
        request: &Request,
        command_length: u16,
        start: u64,
        mlength: u64,
    ) -> (TaskDetail, bool) {
        let detail = TaskDetail {
            start,
            initiator: request.source,
            uid: request.uid,
            match_bits: request.match_bits,
            rlength: request.rlength,
            mlength: 0,
            hdr_data: request.hdr_data,
            status: status::BUFFER_TOO_SMALL,
            access: access::NONE,
            queue_index: field::RESERVED2.read(&request.data) as u16,
            packet_id: 0,
        };
        // It is never cut.
        if mlength < request.rlength {
            return (detail, false);
        }
        for (address, bytes) in self.memory.pieces() {
            self.tasks.memory().write(*address, bytes);
        }
        let outcome = self
            .tasks
            .launch(&request.data, command_length.into(), start);
        for (address, bytes) in self.memory.pieces_mut() {
            self.tasks.memory().read(*address, bytes);
        }
        let detail = TaskDetail {
            mlength: if outcome.status == status::OK {
                mlength
            } else {
                0
            },
            status: outcome.status,
            access: outcome.access,
            packet_id: outcome.task.map_or(0, |task| task.packet_id),
            ..detail
        };
        (detail, outcome.accepted)
    }

    /// What is reported of that to the sender. A full queue is exhaustion like that of the lists (rule 2.3 of
    /// `docs/portals-model.md`); other refusals, and this one too, count as dropped.
    pub(super) fn ended(&mut self, task: &TaskDetail, entry: &Entry, offset: u64) -> Outcome {
        let ni_fail = match task.status {
            status::OK => {
                return Outcome {
                    ni_fail: NiFail::Ok,
                    mlength: task.mlength,
                    moffset: offset,
                    data: Vec::new(),
                };
            }
            status::MEMORY_ERROR => return Outcome::failed(NiFail::Segv),
            status::QUEUE_FULL => {
                let tell = !entry.me.options.has(MeOption::FlowctrlDisable);
                self.exhausted(entry.portal, tell)
            }
            _ => NiFail::Dropped,
        };
        self.status.drop += 1;
        Outcome::failed(ni_fail)
    }
}
