//! Messages on the link, and what they are in the words of a case.

use super::codes::{kind_of, opcode_of, operation_codes};
use super::{built, node_number};
use crate::cases::NotRun;
use crate::portals::{
    AckRequest, NiFail, Portal, Rank, Request, RequestKind, Response, ResponseKind,
};
use crate::tables::format::{BYTES, WIRE};
use xtq_types::command::operation;
use xtq_types::wire_header::{MTU, VERSION, ack, ni_fail, opcode};

/// Bytes of a datum, and of its operand, in the body of a swap with an operand.
const WORD: usize = 8;

/// The body of a request of somebody outside.
fn body(request: &Request) -> Vec<u8> {
    let operation = request.kind.operation();
    match operation.is_some_and(|operation| operation.uses_operand()) {
        false => request.data.clone(),
        true => {
            let mut body = vec![0; 2 * WORD];
            for (place, bytes) in [(0, &request.data), (WORD, &request.operand)] {
                for (lane, byte) in body[place..].iter_mut().zip(bytes.iter().take(WORD)) {
                    *lane = *byte;
                }
            }
            body
        }
    }
}

/// A message with its packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    packets: Vec<Vec<u8>>,
}

impl Message {
    /// A request of somebody who is no node here.
    pub fn from_outside(request: &Request, id: u16) -> Result<Self, NotRun> {
        built(request.kind)?;
        if request.rlength > u64::from(u32::MAX) {
            let why = format!(
                "a message of {} bytes: its header has 32 bits for them",
                request.rlength
            );
            return Err(NotRun::unsupported("LIMITS", why));
        }
        // Every field is named, so that a new one is not forgotten.
        let Request {
            kind,
            source,
            uid,
            target,
            portal,
            match_bits,
            roffset,
            rlength,
            ack,
            hdr_data,
            data: _,    // in the body
            operand: _, // in the body
            handle: _,  // given later
        } = *request;
        let operation = kind.operation();
        let (code, datatype) = operation.map_or((0, 0), operation_codes);
        let command_length = match kind {
            RequestKind::XtqPut { command_length } => command_length,
            _ => 0,
        };
        let body = body(request);
        let header = WIRE.pack(&[
            ("version", VERSION.into()),
            ("opcode", opcode_of(kind).into()),
            ("ack_request", ack as u64),
            ("source_node", node_number(source)?.into()),
            ("target_node", node_number(target)?.into()),
            ("portal_index", u64::from(portal_number(portal))),
            ("user_id", uid.into()),
            ("match_bits", match_bits),
            ("remote_offset", roffset),
            ("header_data", hdr_data),
            ("message_length", rlength),
            ("message_id", id.into()),
            ("command_length", command_length.into()),
            ("operation", code),
            ("datatype", datatype),
        ]);
        let offsets = (0..body.len().max(1)).step_by(MTU);
        let packets = offsets.map(|offset| {
            let mut header = header;
            WIRE.set(&mut header, "packet_offset", offset as u64);
            let end = body.len().min(offset + MTU);
            [&header[..], &body[offset..end]].concat()
        });
        Ok(Self {
            packets: packets.collect(),
        })
    }

    /// The same, from a sender that waits for the answer under this number.
    pub fn with_handle(mut self, handle: u16) -> Self {
        for packet in &mut self.packets {
            WIRE.set(packet, "initiator_handle", handle.into());
        }
        self
    }

    /// The messages that these packets are, in the order of their first ones. Packets of requests do not interleave; an
    /// answer may stand between them.
    pub fn of_packets<'a>(packets: impl Iterator<Item = &'a [u8]>) -> Vec<Self> {
        let mut messages: Vec<Self> = Vec::new();
        for packet in packets {
            let same = |message: &&mut Self| {
                let same = |field| message.get(field) == WIRE.get(packet, field);
                same("source_node") && same("message_id") && same("opcode")
            };
            let open = match WIRE.get(packet, "packet_offset") {
                0 => None,
                _ => messages.iter_mut().rfind(same),
            };
            match open {
                Some(message) => message.packets.push(packet.to_vec()),
                None => messages.push(Self {
                    packets: vec![packet.to_vec()],
                }),
            }
        }
        messages
    }

    /// Its packets.
    pub fn packets(&self) -> &[Vec<u8>] {
        &self.packets
    }

    fn get(&self, field: &str) -> u64 {
        self.packets
            .first()
            .map_or(0, |packet| WIRE.get(packet, field))
    }

    /// Node that it is for.
    pub fn target(&self) -> Rank {
        Rank(self.get("target_node") as u32)
    }

    /// Whether it answers a request.
    pub fn is_answer(&self) -> bool {
        matches!(self.get("opcode") as u8, opcode::ACK | opcode::REPLY)
    }

    /// Whether it answers a request with data.
    pub fn is_reply(&self) -> bool {
        self.get("opcode") as u8 == opcode::REPLY
    }

    /// Whether it only ends a message, and is reported to nobody (ACK_DISABLE).
    pub fn is_silent(&self) -> bool {
        self.get("opcode") as u8 == opcode::ACK && self.get("ack_request") != 0
    }

    fn data(&self) -> Vec<u8> {
        let bodies = self.packets.iter().filter_map(|packet| packet.get(BYTES..));
        bodies.flatten().copied().collect()
    }

    /// Of a swap with an operand: the datum and its operand, each of `size` bytes in a word of its own.
    fn data_and_operand(&self, size: usize) -> (Vec<u8>, Vec<u8>) {
        let body = self.data();
        let word = |at: usize| body.iter().skip(at).take(size.min(WORD)).copied().collect();
        (word(0), word(WORD))
    }

    /// Number that its sender gave it; of an answer, the number of what it answers.
    pub fn id(&self) -> u16 {
        self.get("message_id") as u16
    }

    /// Node that sent it.
    pub fn source(&self) -> Rank {
        Rank(self.get("source_node") as u32)
    }

    /// What it is as a request. Errors: none that cases show, or not yet.
    pub fn request(&self) -> Result<Request, NotRun> {
        let code = self.get("opcode") as u8;
        let (op, datatype) = (self.get("operation"), self.get("datatype"));
        let Some(kind) = kind_of(code, (op, datatype), self.get("command_length")) else {
            let why = format!(
                "a node sends a message of opcode {code}, operation {op}, datatype {datatype}"
            );
            return Err(NotRun::Failed(why));
        };
        let (data, operand) = match kind.operation().filter(|one| one.uses_operand()) {
            Some(one) => self.data_and_operand(one.datatype.size()),
            None => (self.data(), Vec::new()),
        };
        Ok(Request {
            kind,
            source: Rank(self.get("source_node") as u32),
            uid: self.get("user_id") as u32,
            target: self.target(),
            portal: Portal(self.get("portal_index") as u32),
            match_bits: self.get("match_bits"),
            roffset: self.get("remote_offset"),
            rlength: self.get("message_length"),
            ack: AckRequest::of(self.get("ack_request") as u8).unwrap_or_default(),
            hdr_data: self.get("header_data"),
            data: match kind {
                RequestKind::Get => Vec::new(),
                _ => data,
            },
            operand,
            handle: self.get("initiator_handle"),
        })
    }

    /// What it is as the answer to a request: the kind is that of what was asked for. One that was not asked for is
    /// reported as the fullest kind, so that it shows.
    pub fn response(&self, to: &Request) -> Response {
        let kind = match (to.kind.wants_data(), to.ack) {
            (true, _) => ResponseKind::Reply,
            (false, AckRequest::Ct) => ResponseKind::CtAck,
            (false, AckRequest::Oc) => ResponseKind::OcAck,
            (false, AckRequest::Ack | AckRequest::None) => ResponseKind::Ack,
        };
        let whole = Response {
            kind,
            ni_fail: NiFail::of(self.get("ni_fail") as u8).unwrap_or(NiFail::Undeliverable),
            mlength: self.get("message_length"),
            moffset: self.get("remote_offset"),
            data: self.data(),
            to: self.target(),
            handle: self.get("initiator_handle"),
        };
        // Bytes that the target could not read are missing: so it says that it failed.
        match kind == ResponseKind::Reply && whole.data.len() as u64 != whole.mlength {
            true => Response {
                ni_fail: NiFail::Segv,
                mlength: 0,
                moffset: 0,
                data: Vec::new(),
                ..whole
            },
            false => whole,
        }
    }

    /// What a network without its target answers, if an answer is asked for.
    pub fn undeliverable(&self) -> Option<Self> {
        let answer = match self.get("opcode") as u8 {
            opcode::GET | operation::FETCH_ATOMIC | operation::SWAP => opcode::REPLY,
            _ => opcode::ACK,
        };
        let asks = answer == opcode::REPLY || self.get("ack_request") != u64::from(ack::NONE);
        if self.is_answer() || !asks {
            return None;
        }
        let answer = WIRE.pack(&[
            ("version", VERSION.into()),
            ("opcode", answer.into()),
            ("ni_fail", ni_fail::UNDELIVERABLE.into()),
            ("source_node", self.get("target_node")),
            ("target_node", self.get("source_node")),
            ("source_context", self.get("target_context")),
            ("target_context", self.get("source_context")),
            ("portal_index", self.get("portal_index")),
            ("message_id", self.get("message_id")),
            ("initiator_handle", self.get("initiator_handle")),
        ]);
        Some(Self {
            packets: vec![answer.to_vec()],
        })
    }
}

/// A portal's number on the wire; one that has none there is one that nobody allocates.
fn portal_number(portal: Portal) -> u16 {
    u16::try_from(portal.0).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portals::{AtomicOp, Datatype, Operation};

    fn request(bytes: usize) -> Request {
        Request {
            kind: RequestKind::Put,
            source: Rank(7),
            uid: 9,
            target: Rank(2),
            portal: Portal(3),
            match_bits: 0x1122_3344_5566_7788,
            roffset: 5,
            rlength: bytes as u64,
            ack: AckRequest::Ct,
            hdr_data: 77,
            data: (0..bytes).map(|byte| byte as u8).collect(),
            operand: Vec::new(),
            handle: 0,
        }
    }

    /// An acknowledgement of message 1.
    fn answer() -> Vec<u8> {
        let fields = [
            ("opcode", opcode::ACK.into()),
            ("ni_fail", ni_fail::DROPPED.into()),
            ("target_node", 7),
            ("message_id", 1),
            ("message_length", 40),
            ("remote_offset", 8),
        ];
        WIRE.pack(&fields).to_vec()
    }

    #[test]
    fn a_request_of_any_length_is_read_back_from_its_packets_with_an_answer_between_them() {
        for bytes in [0, 1, MTU - 1, MTU, MTU + 1, 3 * MTU] {
            let request = request(bytes);
            let message = Message::from_outside(&request, 1).unwrap();
            assert_eq!(message.packets().len(), bytes.div_ceil(MTU).max(1));
            let mut packets = message.packets().to_vec();
            packets.insert(1, answer());
            let found = Message::of_packets(packets.iter().map(Vec::as_slice));
            assert_eq!(found.len(), 2, "{bytes} bytes");
            assert_eq!(found[0].request().unwrap(), request);
            assert!(found[1].is_answer() && !found[0].is_answer());
        }
    }

    #[test]
    fn an_atomic_is_read_back_with_its_operand() {
        let of = |op, datatype| Operation { op, datatype };
        let swap = Request {
            kind: RequestKind::Swap(of(AtomicOp::CswapLe, Datatype::Int16)),
            data: vec![1, 2],
            rlength: 2,
            operand: vec![3, 4],
            ..request(0)
        };
        let fetch = Request {
            kind: RequestKind::Fetch(of(AtomicOp::Sum, Datatype::Double)),
            ..request(512)
        };
        for (request, body) in [(swap, 16), (fetch, 512)] {
            let message = Message::from_outside(&request, 1).unwrap();
            assert_eq!(message.packets().len(), 1);
            assert_eq!(message.packets()[0].len(), BYTES + body);
            assert_eq!(message.request().unwrap(), request);
            let answer = message.undeliverable().expect("it asks");
            let answer = answer.response(&request);
            assert_eq!(
                (answer.kind, answer.ni_fail),
                (ResponseKind::Reply, NiFail::Undeliverable)
            );
        }
    }

    #[test]
    fn an_answer_is_of_the_kind_that_was_asked_for() {
        let answer = Message {
            packets: vec![answer()],
        };
        let kinds = [
            (AckRequest::Ack, ResponseKind::Ack),
            (AckRequest::Ct, ResponseKind::CtAck),
            (AckRequest::Oc, ResponseKind::OcAck),
        ];
        for (ack, kind) in kinds {
            let response = answer.response(&Request { ack, ..request(0) });
            assert_eq!(response.kind, kind);
            assert_eq!((response.mlength, response.moffset), (40, 8));
            assert_eq!((response.ni_fail, response.to), (NiFail::Dropped, Rank(7)));
        }
    }

    #[test]
    fn only_what_wants_an_answer_is_told_that_there_is_no_target() {
        let message = Message::from_outside(&request(3), 1).unwrap();
        let answer = message.undeliverable().expect("it asks");
        assert_eq!(answer.target(), Rank(7));
        assert_eq!(answer.response(&request(3)).ni_fail, NiFail::Undeliverable);
        assert_eq!(answer.undeliverable(), None);
        let silent = Request {
            ack: AckRequest::None,
            ..request(3)
        };
        let message = Message::from_outside(&silent, 1).unwrap();
        assert_eq!(message.undeliverable(), None);
    }
}
