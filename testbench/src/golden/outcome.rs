//! The event and the acknowledgement that report what became of a message.

use xtq_types::event::{kind, status};
use xtq_types::wire_header::{VERSION, ni_fail, opcode};

use crate::tables::format::{BYTES, EVENT, WIRE};
use crate::tables::{Outcome, Reached};

impl Outcome {
    /// Whether it is an XTQ put.
    pub fn is_xtq(&self) -> bool {
        WIRE.get(&self.header, "opcode") == u64::from(opcode::XTQ_PUT)
    }

    /// Number given by the sender.
    pub fn message_id(&self) -> u16 {
        WIRE.get(&self.header, "message_id") as u16
    }

    /// Node that sent it.
    pub fn source_node(&self) -> u16 {
        WIRE.get(&self.header, "source_node") as u16
    }

    /// How reports call it: `source node/message`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.source_node(), self.message_id())
    }

    /// Whether its doorbell was written to: it was enqueued, its place was filled, or that very write failed.
    pub fn rings(&self) -> bool {
        self.task
            .is_some_and(|task| task.reached == Reached::Doorbell)
    }

    /// The outcome as it is reported to the initiator.
    pub fn ni_fail(&self) -> u8 {
        match self.status {
            status::OK => ni_fail::OK,
            _ if self.disabled => ni_fail::PT_DISABLED,
            status::PT_DISABLED => ni_fail::PT_DISABLED,
            status::MEMORY_ERROR => ni_fail::SEGV,
            _ => ni_fail::DROPPED,
        }
    }

    fn delivered(&self) -> u64 {
        match self.status {
            status::OK => WIRE.get(&self.header, "message_length"),
            _ => 0,
        }
    }

    /// The event's bytes; `queue_index` as the packet gave it, `dropped` events were lost before.
    pub(super) fn event_bytes(&self, queue_index: u16, dropped: u8) -> [u8; BYTES] {
        let header = |name| WIRE.get(&self.header, name);
        let kind = match (self.disabled, self.is_xtq()) {
            (true, _) => kind::PT_DISABLED,
            (false, true) => kind::XTQ_PUT,
            (false, false) => kind::PUT,
        };
        let packet_id = self.task.map_or(0, |task| task.packet_id);
        EVENT.pack(&[
            ("kind", kind.into()),
            ("status", self.status.into()),
            ("access", self.access.into()),
            ("ni_fail", self.ni_fail().into()),
            ("source_node", header("source_node")),
            ("portal_index", header("portal_index")),
            ("user_id", header("user_id")),
            ("queue_index", queue_index.into()),
            ("source_context", header("source_context")),
            ("dropped", dropped.into()),
            ("match_bits", header("match_bits")),
            ("header_data", header("header_data")),
            ("start", self.landing.map_or(0, |(start, _)| start)),
            ("requested_length", header("message_length")),
            ("delivered_length", self.delivered()),
            ("remote_offset", header("remote_offset")),
            ("packet_id", packet_id),
        ])
    }

    /// The acknowledgement's bytes, if one was asked for.
    pub(super) fn ack_bytes(&self, node: u16) -> Option<[u8; BYTES]> {
        let header = |name| WIRE.get(&self.header, name);
        let asked = header("ack_request") & 3;
        let offset = if self.status == status::OK {
            self.offset
        } else {
            0
        };
        (asked != 0).then(|| {
            WIRE.pack(&[
                ("version", VERSION.into()),
                ("opcode", opcode::ACK.into()),
                ("ni_fail", self.ni_fail().into()),
                ("source_node", node.into()),
                ("target_node", header("source_node")),
                ("source_context", self.context.into()),
                ("target_context", header("source_context")),
                ("portal_index", header("portal_index")),
                ("remote_offset", offset),
                ("message_length", self.delivered()),
                ("message_id", header("message_id")),
                ("initiator_handle", header("initiator_handle")),
                ("operation", self.status.into()),
            ])
        })
    }
}
