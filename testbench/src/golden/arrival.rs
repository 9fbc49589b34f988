//! What the golden model admits: the tests on a packet's header and length.

use xtq_types::wire_header::{MTU, VERSION, opcode};

use super::counts::Drop;
use super::delivery::{Delivery, Head};
use crate::tables::format::{BYTES, WIRE};

impl Delivery {
    /// What the parser lets through. Errors: why it does not.
    pub(super) fn parse<'a>(&self, packet: &'a [u8]) -> Result<Head<'a>, Drop> {
        let mut header = [0; BYTES];
        let present = packet.len().min(BYTES);
        header[..present].copy_from_slice(&packet[..present]);
        let body = &packet[present..];
        let get = |name| WIRE.get(&header, name);
        let xtq = get("opcode") == u64::from(opcode::XTQ_PUT);
        let context = get("target_context");
        let known = self.state.contexts.get(context as usize);
        let (offset, length) = (get("packet_offset"), get("message_length"));
        let command = get("command_length");
        let lengths = offset.is_multiple_of(MTU as u64)
            && (offset < length || (offset, length) == (0, 0))
            && (!xtq || (BYTES as u64..=length).contains(&command));
        let wanted = (length.saturating_sub(offset)).min(MTU as u64);
        let got = body.len() as u64;
        let beside_head = if xtq && offset == 0 { BYTES as u64 } else { 0 };
        let droppable = got < beside_head || (wanted == beside_head && got > wanted);
        let tests = [
            (Drop::Version, get("version") == u64::from(VERSION)),
            (Drop::Opcode, xtq || get("opcode") == u64::from(opcode::PUT)),
            (
                Drop::Target,
                get("target_node") == u64::from(self.state.node),
            ),
            (
                Drop::Context,
                known.is_some_and(|context| context.enabled || offset != 0),
            ),
            (Drop::Length, lengths && !droppable),
        ];
        if let Some((cause, _)) = tests.into_iter().find(|(_, passed)| !passed) {
            return Err(cause);
        }
        Ok(Head {
            header,
            body: &body[..got.min(wanted) as usize],
            context: context as u8,
            xtq,
            offset,
            length,
            last: length - offset <= MTU as u64,
            bad: got != wanted,
        })
    }
}
