//! Packets of every kind of wrong, and right ones.

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use xtq_testbench::node::Message;
use xtq_testbench::tables::format::{BYTES, WIRE};
use xtq_types::command::operation;
use xtq_types::wire_header::{MTU, VERSION, opcode};

/// This node.
pub const NODE: u16 = 9;
/// The portal entry whose last match entry never fills up.
pub const ENDLESS: u16 = 1;

/// What is sent, and how many of the packets are right as far as the parser goes: version, node, context, lengths.
#[derive(Default)]
pub struct Packets {
    pub list: Vec<Vec<u8>>,
    pub right: usize,
    /// Source node and number of the right messages.
    pub names: Vec<(u16, u16)>,
    /// The same of those that are atomics.
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

/// A message that the parser takes; in a crowd nearly all have several packets, and most are for the entry that never
/// fills up.
fn right(random: &mut ChaCha8Rng, id: u16, crowd: bool) -> Message {
    // Most to those that have something for them, and messages of several packets only to these: they may be disabled.
    let target_context = match random.random_bool(0.1) {
        true => random.random_range(2..4),
        false => random.random_range(0..2),
    };
    let long = target_context < 2 && random.random_bool(if crowd { 0.9 } else { 0.03 });
    let length = match long {
        true => random.random_range(if crowd { MTU } else { 0 }..9000),
        false => random.random_range(0..260),
    };
    let body = bytes(random, length);
    // Every field is named, so that a new one is not forgotten.
    let plain = Message {
        version: VERSION,
        opcode: opcode::PUT,
        ack_request: few(random, 4) as u8,
        source_node: random.random_range(0..12),
        source_context: random.random_range(0..4),
        target_node: NODE,
        target_context,
        portal_index: match crowd && random.random_bool(0.8) {
            true => ENDLESS,
            false => few(random, 6) as u16,
        },
        user_id: few(random, 3) as u32,
        match_bits: few(random, 3),
        remote_offset: few(random, 100),
        header_data: random.random(),
        message_id: id,
        command_length: 0,
        initiator_handle: random.random(),
        body,
    };
    if random.random_bool(0.7) {
        return plain;
    }
    // Kernel dispatch, agent dispatch or any other packet, with queue and task among the first five, of which there are
    // four.
    let mut packet = [0; BYTES];
    random.fill(&mut packet[..]);
    if random.random_bool(0.8) {
        packet[0] = [2, 4][random.random_range(0..2)];
        packet[1] = 0;
        // The kernel, the function and the queue.
        for (field, bytes) in [(32, 8), (8, 8), (48, 8)] {
            packet[field..field + bytes].fill(0);
            packet[field] = random.random_range(0..5);
        }
        // Most to one queue, which is short.
        if random.random_bool(0.6) {
            packet[48] = 0;
        }
    }
    // Usually as many arguments as the task has, and landing where a task may.
    let length = match packet[0] {
        2 if random.random_bool(0.7) => 16 * usize::from(packet[32]),
        4 if random.random_bool(0.7) => 0,
        _ => [0, 16, 32, 64][random.random_range(0..4)],
    };
    let arguments = bytes(random, length);
    let remote_offset = match random.random_bool(0.7) {
        true => 64 * random.random_range(0..100),
        false => plain.remote_offset,
    };
    let xtq = Message::xtq(id, &packet, &arguments, &plain.body);
    Message {
        opcode: xtq.opcode,
        command_length: xtq.command_length,
        body: xtq.body,
        remote_offset,
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
    let datatype = few(random, 12) & 0xff;
    let size = [1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16].get(datatype as usize);
    let size = size.copied().unwrap_or(8);
    let (length, body) = match atomic > 10 {
        true => (size, 16),
        false => {
            let most = if random.random_bool(0.1) { 4096 } else { 512 };
            let length = size * random.random_range(0..=most / size);
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

/// Makes a GET of the packet of a put, of a few bytes or of several packets.
fn make_get(random: &mut ChaCha8Rng, packet: &mut Vec<u8>) {
    packet.truncate(BYTES);
    let length = match random.random_bool(0.5) {
        true => random.random_range(0..260),
        false => random.random_range(0..9000),
    };
    for (name, value) in [
        ("opcode", opcode::GET.into()),
        ("message_length", length),
        ("command_length", 0),
    ] {
        WIRE.set(packet, name, value);
    }
}

/// A packet that is wrong somewhere, or an answer that nobody waits for.
fn wrong(random: &mut ChaCha8Rng, id: u16) -> Vec<u8> {
    let mut packet = right(random, id, false).packets().swap_remove(0);
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

/// Source node and number of a message.
pub fn name(packet: &[u8]) -> (u16, u16) {
    let get = |field| WIRE.get(packet, field) as u16;
    (get("source_node"), get("message_id"))
}

/// Packets, half of them right.
pub fn packets(random: &mut ChaCha8Rng, count: usize, next_id: &mut u16) -> Packets {
    let mut packets = Packets::default();
    // Now and then more long messages at once than the NIC can keep in mind, their packets in any order.
    let crowd = random.random_bool(0.05);
    while packets.list.len() < count {
        *next_id = next_id.wrapping_add(1);
        if packets.right * 2 > packets.list.len() {
            packets.list.push(wrong(random, *next_id));
            continue;
        }
        let mut message = right(random, *next_id, crowd).packets();
        if message.len() == 1 && random.random_bool(0.2) {
            make_atomic(random, &mut message[0]);
            packets.atomics.push(name(&message[0]));
        } else if message.len() == 1 && random.random_bool(0.15) {
            make_get(random, &mut message[0]);
        }
        packets.names.push(name(&message[0]));
        // The rest of a message may never come, or in another order.
        if message.len() > 1 && random.random_bool(0.2) {
            let place = random.random_range(0..message.len());
            message.remove(place);
        }
        packets.right += 1;
        packets.list.extend(message);
    }
    if crowd {
        packets.list.shuffle(random);
    }
    packets
}
