//! What the rules make of packets.

use rust_hdl::prelude::*;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::pipe::PacketHead;
use xtq_types::wire_header::{MTU, VERSION, WireHeader, ni_fail, opcode};

use crate::receive_parser::harness::*;

/// The rules of docs/blocks/network/receive_parser.md, word by word.
pub fn model(packets: &[Packet]) -> Output {
    let mut output = Output::default();
    for packet in packets {
        output.pulses[0] += 1;
        let before = (output.heads.len(), output.refusals.len());
        if let Some(cause) = model_packet(packet, &mut output) {
            output.pulses[cause] += 1;
        }
        // The first packet of a request, whatever it is.
        let header = WireHeader::from_words(&words(&packet.beats[0].0));
        if !packet.answer && header.packet_offset == 0u64 && output.heads.len() == before.0 {
            output.places[0] += usize::from(output.refusals.len() == before.1);
            let fetches = [opcode::FETCH_ATOMIC, opcode::SWAP].map(u64::from);
            output.places[1] += usize::from(fetches.contains(&header.opcode.to_u64()));
        }
    }
    output
}

/// To whom it came from, from where it was to go: UNDELIVERABLE, BAD_CONTEXT, nothing else.
fn refusal(header: &WireHeader, reply: bool) -> WireHeader {
    let code = |code: u8| u64::from(code).to_bits();
    WireHeader {
        version: code(VERSION),
        opcode: code(if reply { opcode::REPLY } else { opcode::ACK }),
        ni_fail: code(ni_fail::UNDELIVERABLE),
        source_node: NODE.to_bits(),
        target_node: header.source_node,
        source_context: header.target_context,
        target_context: header.source_context,
        portal_index: header.portal_index,
        message_id: header.message_id,
        initiator_handle: header.initiator_handle,
        operation: code(status::BAD_CONTEXT),
        ..WireHeader::default()
    }
}

fn model_packet(packet: &Packet, output: &mut Output) -> Option<usize> {
    let chunks = packet.chunks();
    if chunks[0].len() < 64 {
        return Some(LENGTH_CAUSE);
    }
    let header = WireHeader::from_words(&words(chunks[0]));
    let [offset, length] = [header.packet_offset, header.message_length].map(|bits| bits.to_u64());
    let command_length = header.command_length.to_u64();
    let xtq = header.opcode.to_u64() == u64::from(opcode::XTQ_PUT);
    let get = header.opcode.to_u64() == u64::from(opcode::GET);
    let reply = header.opcode.to_u64() == u64::from(opcode::REPLY);
    let atomic = is_atomic(header.opcode.to_u64() as u8);
    let swap = header.opcode.to_u64() == u64::from(opcode::SWAP);
    let fetch = atomic && header.opcode.to_u64() != u64::from(opcode::ATOMIC);
    let operation = header.operation.to_u64() as u8;
    let known = match packet.answer {
        true => reply,
        false => xtq || get || atomic || header.opcode.to_u64() == u64::from(opcode::PUT),
    };
    let context = header.target_context.to_u64();
    if header.version.to_u64() != u64::from(VERSION) {
        return Some(VERSION_CAUSE);
    } else if !known {
        return Some(OPCODE_CAUSE);
    } else if header.target_node.to_u64() != NODE {
        return Some(TARGET_CAUSE);
    } else if context >= 4 || (offset == 0 && !reply && ENABLED >> context & 1 == 0) {
        let asks = header.ack_request.to_u64() & 3 != 0;
        if offset == 0 && !reply && (get || fetch || asks) {
            output.refusals.push(refusal(&header, get || fetch));
        }
        return Some(CONTEXT_CAUSE);
    } else if offset % MTU as u64 != 0
        || offset >= length && !(offset == 0 && length == 0)
        || xtq && !(64..=length).contains(&command_length)
        || (get || atomic) && offset > 0
        || atomic && length > MTU as u64
    {
        return Some(LENGTH_CAUSE);
    }
    // Whatever it asks for, nothing comes with a GET.
    let body_bytes = match get {
        true => 0,
        _ if atomic && is_single(operation) => 16,
        false => (length - offset).min(MTU as u64),
    };
    let head = PacketHead {
        xtq: u64::from(xtq).to_bits(),
        get: u64::from(get).to_bits(),
        reply: u64::from(reply).to_bits(),
        atomic: u64::from(atomic).to_bits(),
        fetch: u64::from(fetch).to_bits(),
        swap: u64::from(swap).to_bits(),
        lists: 0.into(),
        first: u64::from(offset == 0).to_bits(),
        last: u64::from(get || atomic || offset + body_bytes == length).to_bits(),
        ack_request: match get || reply || fetch {
            true => 0.into(),
            false => (header.ack_request.to_u64() & 3).to_bits(),
        },
        context: context.to_bits(),
        body_bytes: body_bytes.to_bits(),
        source_node: header.source_node,
        source_context: header.source_context,
        portal_index: header.portal_index,
        user_id: header.user_id,
        match_bits: header.match_bits,
        remote_offset: header.remote_offset,
        header_data: header.header_data,
        message_length: header.message_length,
        packet_offset: header.packet_offset,
        message_id: header.message_id,
        command_length: header.command_length,
        initiator_handle: header.initiator_handle,
        ni_fail: header.ni_fail,
        operation: match atomic && swap != (10..=17).contains(&operation) {
            true => 255.into(),
            false => header.operation,
        },
        datatype: header.datatype,
    };
    let mut body = &chunks[1..];
    let mut left = body_bytes as usize;
    let mut aql = Vec::new();
    if xtq && offset == 0 {
        match body.first() {
            Some(beat) if beat.len() == 64 => aql = words(beat),
            _ => return Some(LENGTH_CAUSE),
        }
        body = &body[1..];
        left -= 64;
    }
    if left == 0 && !body.is_empty() {
        return Some(LENGTH_CAUSE);
    }
    output.heads.push((head, aql));
    if left == 0 {
        return None;
    }
    for (i, chunk) in body.iter().enumerate() {
        let taken = chunk.len().min(left);
        left -= taken;
        let ends = i + 1 == body.len();
        let bad = (left == 0 || ends) && (left > 0 || !ends || taken < chunk.len());
        let last = left == 0 || ends;
        output.bodies.push((chunk[..taken].to_vec(), last, bad));
        if last {
            return bad.then_some(LENGTH_CAUSE);
        }
    }
    output.bodies.push((Vec::new(), true, true));
    Some(LENGTH_CAUSE)
}
