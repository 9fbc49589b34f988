//! Packets of every kind of wrong, and right ones.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use xtq_rtl::types::command::operation;
use xtq_rtl::types::wire_header::{MTU, opcode};
use xtq_testbench::node::Message;
use xtq_testbench::node::format::{BYTES, WIRE};

/// This node.
pub const NODE: u16 = 9;

/// What is sent, and how many of the packets are right as far as the parser goes: version, node, context, lengths.
#[derive(Default)]
pub struct Packets {
    pub list: Vec<Vec<u8>>,
    pub right: usize,
    /// Source node and number of the right ones that are atomics.
    pub atomics: Vec<(u16, u16)>,
}

fn few(random: &mut ChaCha8Rng, few: u64) -> u64 {
    match random.random_range(0..30) {
        0 => random.random(),
        1 => u64::MAX - random.random_range(0..300),
        _ => random.random_range(0..few),
    }
}

fn bytes(random: &mut ChaCha8Rng, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    random.fill(&mut bytes[..]);
    bytes
}

/// A message that the parser takes.
fn right(random: &mut ChaCha8Rng, id: u16) -> Message {
    // Messages of several packets only to those that may be disabled.
    let target_context = random.random_range(0..4);
    let most = if target_context < 2 && random.random_bool(0.03) {
        9000
    } else {
        260
    };
    let length = random.random_range(0..most);
    let body = bytes(random, length);
    let plain = Message {
        ack_request: few(random, 4) as u8,
        source_node: random.random_range(0..12),
        source_context: random.random_range(0..4),
        target_node: NODE,
        target_context,
        portal_index: few(random, 8) as u16,
        user_id: few(random, 3) as u32,
        match_bits: few(random, 3),
        remote_offset: few(random, 100),
        header_data: random.random(),
        initiator_handle: random.random(),
        ..Message::put(id, body)
    };
    if random.random_bool(0.7) {
        return plain;
    }
    // Kernel dispatch, agent dispatch or any other packet, with queue and task among the first four.
    let mut packet = [0; BYTES];
    random.fill(&mut packet[..]);
    if random.random_bool(0.8) {
        packet[0] = [2, 4][random.random_range(0..2)];
        packet[1] = 0;
        packet[32..40].fill(0);
        packet[48..56].fill(0);
        packet[32] = random.random_range(0..4);
        packet[48] = random.random_range(0..4);
    }
    let length = [0, 16, 32, 64][random.random_range(0..4)];
    let arguments = bytes(random, length);
    let xtq = Message::xtq(id, &packet, &arguments, &plain.body);
    Message {
        opcode: xtq.opcode,
        command_length: xtq.command_length,
        body: xtq.body,
        ..plain
    }
}

/// Makes an atomic of the packet of a put: any operation on any datatype, usually with the body that it must have.
fn make_atomic(random: &mut ChaCha8Rng, packet: &mut Vec<u8>) {
    let code =
        [operation::ATOMIC, operation::FETCH_ATOMIC, operation::SWAP][random.random_range(0..3)];
    let atomic = match code {
        operation::SWAP => random.random_range(10..18),
        _ => random.random_range(0..10),
    };
    let datatype = few(random, 10) & 0xff;
    let size = [1, 1, 2, 2, 4, 4, 4, 8, 8, 8].get(datatype as usize);
    let size = size.copied().unwrap_or(8);
    let (length, body) = match atomic > 10 {
        true => (size, 16),
        false => {
            let length = size * random.random_range(0..=512 / size);
            (length, length as usize)
        }
    };
    packet.truncate(BYTES);
    packet.extend(bytes(random, body));
    for (name, value) in [
        ("opcode", code.into()),
        ("operation", atomic),
        ("datatype", datatype),
        ("message_length", length),
        ("command_length", 0),
        ("remote_offset", 8 * random.random_range(0..12)),
    ] {
        WIRE.set(packet, name, value);
    }
}

/// A packet that is wrong somewhere, or an answer that nobody waits for.
fn wrong(random: &mut ChaCha8Rng, id: u16) -> Vec<u8> {
    let mut packet = right(random, id).packets().swap_remove(0);
    if random.random_bool(0.2) {
        make_atomic(random, &mut packet);
    }
    match random.random_range(0..8) {
        0 => {
            let length = random.random_range(1..400);
            return bytes(random, length);
        }
        1 => {
            let length = random.random_range(1..packet.len() + 1);
            packet.truncate(length);
        }
        2 => {
            let length = random.random_range(1..300);
            packet.extend(bytes(random, length));
            packet.truncate(BYTES + MTU);
        }
        3 => WIRE.set(&mut packet, "opcode", random.random_range(0..16)),
        4 => WIRE.set(&mut packet, "version", random.random()),
        5 => {
            packet.truncate(BYTES);
            WIRE.set(&mut packet, "opcode", opcode::ACK.into());
            WIRE.set(
                &mut packet,
                "initiator_handle",
                random.random_range(0..0x200),
            );
        }
        6 => WIRE.set(&mut packet, "target_node", random.random()),
        _ => {
            let fields = WIRE.fields();
            let field = &fields[random.random_range(0..fields.len())];
            WIRE.set(&mut packet, field.name, random.random());
        }
    }
    packet
}

/// Packets, half of them right.
pub fn packets(random: &mut ChaCha8Rng, count: usize, next_id: &mut u16) -> Packets {
    let mut packets = Packets::default();
    while packets.list.len() < count {
        *next_id = next_id.wrapping_add(1);
        if packets.right * 2 > packets.list.len() {
            packets.list.push(wrong(random, *next_id));
            continue;
        }
        let mut message = right(random, *next_id).packets();
        if message.len() == 1 && random.random_bool(0.2) {
            make_atomic(random, &mut message[0]);
            let get = |name| WIRE.get(&message[0], name);
            let name = (get("source_node") as u16, get("message_id") as u16);
            packets.atomics.push(name);
        }
        // The rest of a message may never come, or in another order.
        if message.len() > 1 && random.random_bool(0.2) {
            let place = random.random_range(0..message.len());
            message.remove(place);
        }
        packets.right += 1;
        packets.list.extend(message);
    }
    packets
}
