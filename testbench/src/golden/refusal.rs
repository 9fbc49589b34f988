//! What is reported to the sender of a message whose context takes none.

use xtq_types::event::status;
use xtq_types::wire_header::{VERSION, ni_fail, opcode};

use crate::bus::Packet;
use crate::tables::format::{BYTES, WIRE};

/// The acknowledgement of a first packet with this header, if it asks for one.
pub(super) fn refusal(header: &[u8; BYTES], node: u16) -> Option<[u8; BYTES]> {
    let get = |name| WIRE.get(header, name);
    let waits = get("packet_offset") == 0 && get("ack_request") & 3 != 0;
    waits.then(|| {
        WIRE.pack(&[
            ("version", VERSION.into()),
            ("opcode", opcode::ACK.into()),
            ("ni_fail", ni_fail::UNDELIVERABLE.into()),
            ("source_node", node.into()),
            ("target_node", get("source_node")),
            ("source_context", get("target_context")),
            ("target_context", get("source_context")),
            ("portal_index", get("portal_index")),
            ("message_id", get("message_id")),
            ("initiator_handle", get("initiator_handle")),
            ("operation", status::BAD_CONTEXT.into()),
        ])
    })
}

/// Whether a packet that was sent is one. They leave in their order, not in that of the acknowledgements.
pub(super) fn is_refusal(packet: &Packet) -> bool {
    let header = packet.bytes.first_chunk::<BYTES>();
    header.is_some_and(|header| WIRE.get(header, "operation") == u64::from(status::BAD_CONTEXT))
}
