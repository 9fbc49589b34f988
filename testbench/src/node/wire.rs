//! Messages as packets on the wire, and acknowledgements as they come back.
//!
//! The layout is the hardware's definition ([`WIRE`]); how a message is cut into packets is written here again, so that
//! it can disagree with the hardware.

use thiserror::Error;
use xtq_types::wire_header::{MTU, VERSION, opcode};

use crate::tables::format::{BYTES, WIRE};

/// A message as its initiator means it. The body of an XTQ put is [AQL packet][kernel arguments][payload].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Wire format version.
    pub version: u8,
    /// See [`opcode`].
    pub opcode: u8,
    /// Acknowledgement asked for ([`xtq_types::wire_header::ack`]).
    pub ack_request: u8,
    /// Node that sends it.
    pub source_node: u16,
    /// Context that sends it.
    pub source_context: u8,
    /// Node it is for.
    pub target_node: u16,
    /// Context it is for.
    pub target_context: u8,
    /// Portal table entry.
    pub portal_index: u16,
    /// User id of the sender.
    pub user_id: u32,
    /// Match bits.
    pub match_bits: u64,
    /// Offset asked for.
    pub remote_offset: u64,
    /// Out-of-band data.
    pub header_data: u64,
    /// Number given by the sender.
    pub message_id: u16,
    /// XTQ: bytes of AQL packet and arguments; else 0.
    pub command_length: u16,
    /// Returned in the acknowledgement.
    pub initiator_handle: u16,
    /// Everything after the header.
    pub body: Vec<u8>,
}

impl Message {
    /// A put of `body` from node 1 to node 0, context 0, portal entry 0, without acknowledgement.
    pub fn put(message_id: u16, body: Vec<u8>) -> Self {
        Self {
            version: VERSION,
            opcode: opcode::PUT,
            ack_request: 0,
            source_node: 1,
            source_context: 0,
            target_node: 0,
            target_context: 0,
            portal_index: 0,
            user_id: 0,
            match_bits: 0,
            remote_offset: 0,
            header_data: 0,
            message_id,
            command_length: 0,
            initiator_handle: 0,
            body,
        }
    }

    /// An XTQ put: the packet, its arguments, its payload; addressed as [`put`](Self::put).
    pub fn xtq(message_id: u16, packet: &[u8; BYTES], arguments: &[u8], payload: &[u8]) -> Self {
        let body = [packet, arguments, payload].concat();
        Self {
            opcode: opcode::XTQ_PUT,
            command_length: (BYTES + arguments.len()) as u16,
            ..Self::put(message_id, body)
        }
    }

    /// Whether it is an XTQ put.
    pub fn is_xtq(&self) -> bool {
        self.opcode == opcode::XTQ_PUT
    }

    /// Header beat of the packet whose body starts at `offset` of the message.
    pub fn header(&self, offset: usize) -> [u8; BYTES] {
        // Every field is named, so that a new one is not forgotten.
        let Self {
            version,
            opcode,
            ack_request,
            source_node,
            source_context,
            target_node,
            target_context,
            portal_index,
            user_id,
            match_bits,
            remote_offset,
            header_data,
            message_id,
            command_length,
            initiator_handle,
            ref body,
        } = *self;
        WIRE.pack(&[
            ("version", version.into()),
            ("opcode", opcode.into()),
            ("ack_request", ack_request.into()),
            ("source_node", source_node.into()),
            ("target_node", target_node.into()),
            ("source_context", source_context.into()),
            ("target_context", target_context.into()),
            ("portal_index", portal_index.into()),
            ("user_id", user_id.into()),
            ("match_bits", match_bits),
            ("remote_offset", remote_offset),
            ("header_data", header_data),
            ("message_length", body.len() as u64),
            ("packet_offset", offset as u64),
            ("message_id", message_id.into()),
            ("command_length", command_length.into()),
            ("initiator_handle", initiator_handle.into()),
        ])
    }

    /// The packets in order: one header beat and up to 4,096 bytes each. An empty message is one packet.
    pub fn packets(&self) -> Vec<Vec<u8>> {
        let offsets = (0..self.body.len().max(1)).step_by(MTU);
        let cut = |offset: usize| {
            let end = self.body.len().min(offset + MTU);
            [&self.header(offset)[..], &self.body[offset..end]].concat()
        };
        offsets.map(cut).collect()
    }
}

/// A packet that is no acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// An acknowledgement is one header beat.
    #[error("an acknowledgement has 64 bytes, not {0}")]
    Length(usize),
    /// Another opcode or version.
    #[error("not an acknowledgement: version {version}, opcode {opcode}")]
    Opcode {
        /// Version found.
        version: u64,
        /// Opcode found.
        opcode: u64,
    },
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Outcome as the initiator sees it ([`xtq_types::wire_header::ni_fail`]).
    pub ni_fail: u8,
    /// Outcome in detail ([`xtq_types::event::status`]).
    pub status: u8,
    /// Node it is for.
    pub target_node: u16,
    /// Context it is for.
    pub target_context: u8,
    /// Message it answers.
    pub message_id: u16,
    /// The message's handle.
    pub initiator_handle: u16,
    /// Bytes delivered.
    pub delivered_length: u32,
    /// Offset used, in bytes.
    pub offset: u64,
}

impl Ack {
    /// The acknowledgement in a packet. Errors: it is none.
    pub fn decode(packet: &[u8]) -> Result<Self, WireError> {
        if packet.len() != BYTES {
            return Err(WireError::Length(packet.len()));
        }
        let get = |name| WIRE.get(packet, name);
        let (version, opcode) = (get("version"), get("opcode"));
        if (version, opcode) != (VERSION.into(), opcode::ACK.into()) {
            return Err(WireError::Opcode { version, opcode });
        }
        Ok(Self {
            ni_fail: get("ni_fail") as u8,
            status: get("operation") as u8,
            target_node: get("target_node") as u16,
            target_context: get("target_context") as u8,
            message_id: get("message_id") as u16,
            initiator_handle: get("initiator_handle") as u16,
            delivered_length: get("message_length") as u32,
            offset: get("remote_offset"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packet_but_the_last_is_full_and_the_bodies_join_to_the_message() {
        for length in [0usize, 1, 4095, 4096, 4097, 8192, 9000] {
            let message = Message::put(7, (0..length).map(|i| i as u8).collect());
            let packets = message.packets();
            assert_eq!(packets.len(), length.div_ceil(MTU).max(1));
            let (last, full) = packets.split_last().unwrap();
            assert!(full.iter().all(|packet| packet.len() == BYTES + MTU));
            assert!(last.len() > BYTES || length == 0);
            let joined: Vec<u8> = packets.iter().flat_map(|p| p[BYTES..].to_vec()).collect();
            assert_eq!(joined, message.body);
            for (number, packet) in packets.iter().enumerate() {
                assert_eq!(WIRE.get(packet, "packet_offset"), (number * MTU) as u64);
                assert_eq!(WIRE.get(packet, "message_length"), length as u64);
            }
        }
    }

    #[test]
    fn only_a_header_beat_with_the_right_opcode_is_an_acknowledgement() {
        let mut packet = WIRE.pack(&[("version", VERSION.into()), ("opcode", opcode::ACK.into())]);
        WIRE.set(&mut packet, "message_length", 96);
        assert_eq!(Ack::decode(&packet).unwrap().delivered_length, 96);
        assert_eq!(Ack::decode(&packet[..63]), Err(WireError::Length(63)));
        WIRE.set(&mut packet, "opcode", opcode::PUT.into());
        let (version, opcode) = (1, 1);
        assert_eq!(
            Ack::decode(&packet),
            Err(WireError::Opcode { version, opcode })
        );
    }
}
