//! Drawn messages for a drawn world, good and bad ones, and their packets in any order a network may give them.

use super::draw::{Draw, draw, favour, pick, rarely};
use super::world::{Process, QueuePlan, World, signal};
use crate::fixture::{agent_packet, kernel_packet, pattern};
use rand::Rng;
use std::ops::Range;
use xtq_testbench::aql::field;
use xtq_testbench::node::Message;
use xtq_testbench::tables::format::{BYTES, KERNEL_ENTRY, WIRE};

/// What the network may not mix up: sender, its context, target context.
type Flow = (u16, u8, u8);

/// The packets of messages drawn from seeds: those of one flow in order, the flows mixed. No message stays open.
pub fn packets(world: &World, seeds: &[u64], first_id: usize) -> Vec<Vec<u8>> {
    let mut flows: Vec<(Flow, Vec<Vec<u8>>)> = Vec::new();
    let mut mix = draw(seeds.iter().fold(first_id as u64, |all, seed| all ^ seed));
    for (number, seed) in seeds.iter().enumerate() {
        let id = (first_id + number) as u16;
        let (flow, packets) = message(world, &mut draw(*seed), id);
        match flows.iter_mut().find(|(known, _)| *known == flow) {
            Some((_, queue)) => queue.extend(packets),
            None => flows.push((flow, packets)),
        }
    }
    // A packet that continues nothing ends what is open.
    for (flow, queue) in &mut flows {
        let closer = Message {
            source_node: flow.0,
            source_context: flow.1,
            target_context: flow.2,
            ..Message::put(0xffff, vec![0; 4097])
        };
        queue.extend(closer.packets().pop());
        queue.reverse();
    }
    let mut mixed = Vec::new();
    while !flows.is_empty() {
        let at = mix.random_range(0..flows.len());
        mixed.extend(flows[at].1.pop());
        flows.retain(|(_, packets)| !packets.is_empty());
    }
    mixed
}

fn message(world: &World, draw: &mut Draw, id: u16) -> (Flow, Vec<Vec<u8>>) {
    let process = favour(draw, &world.processes);
    let message = Message {
        source_node: draw.random_range(1..4),
        source_context: draw.random_range(0..2),
        target_context: process.context,
        portal_index: match rarely(draw) {
            true => *pick(draw, &[0, 1, 7, 15, 16, 300]),
            false => favour(draw, &process.portals).0.into(),
        },
        ack_request: draw.random_range(0..4),
        user_id: draw.random(),
        match_bits: draw.random(),
        header_data: draw.random(),
        remote_offset: draw.random(),
        initiator_handle: draw.random(),
        ..body(process, draw, id)
    };
    let flow = (
        message.source_node,
        message.source_context,
        message.target_context,
    );
    let mut packets = message.packets();
    if draw.random_ratio(1, 10) {
        damage(draw, &mut packets);
    }
    (flow, packets)
}

fn body(process: &Process, draw: &mut Draw, id: u16) -> Message {
    let length = match draw.random_range(0..12) {
        0 => draw.random_range(3900..4300),
        1 => *pick(draw, &[8192, 5000, 4096 - 64]),
        _ => draw.random_range(0..200),
    };
    let payload = pattern(length, id.into());
    if draw.random_ratio(1, 4) {
        return Message::put(id, payload);
    }
    let (packet, mut arguments) = match draw.random_ratio(2, 3) {
        true => {
            let (index, entry) = pick(draw, &process.kernels);
            let size = KERNEL_ENTRY.get(entry, "kernarg_size").min(8000);
            (kernel(draw, process, (*index).into()), size as usize)
        }
        false => {
            let (index, _) = pick(draw, &process.functions);
            (agent(draw, process, (*index).into()), 0)
        }
    };
    if rarely(draw) {
        arguments = (arguments + *pick(draw, &[8, 1, 64])).saturating_sub(*pick(draw, &[0, 16]));
    }
    Message::xtq(
        id,
        &packet,
        &pattern(arguments, 3 + usize::from(id)),
        &payload,
    )
}

/// An index, rarely one with the right low bits that is too large.
fn maybe_wrong(draw: &mut Draw, index: u64) -> u64 {
    match rarely(draw) {
        true => *pick(
            draw,
            &[
                index | 1 << 16,
                index | 1 << 32,
                index | 1 << 63,
                index + 1,
                u64::MAX,
            ],
        ),
        false => index,
    }
}

fn kernel(draw: &mut Draw, process: &Process, index: u64) -> [u8; BYTES] {
    let (kernel, queue) = (maybe_wrong(draw, index), target(draw, process));
    let mut packet = kernel_packet(kernel, queue);
    packet_extras(draw, process, queue, &mut packet, &[2..32, 40..48]);
    packet
}

fn agent(draw: &mut Draw, process: &Process, index: u64) -> [u8; BYTES] {
    let (function, queue) = (maybe_wrong(draw, index), target(draw, process));
    let mut packet = agent_packet(function, queue);
    packet_extras(draw, process, queue, &mut packet, &[2..8, 16..48]);
    packet
}

fn target(draw: &mut Draw, process: &Process) -> u64 {
    let index = favour(draw, &process.queues).index.into();
    maybe_wrong(draw, index)
}

/// What the NIC does not look at may be anything, unless a packet processor reads it. So may the type, rarely.
fn packet_extras(
    draw: &mut Draw,
    process: &Process,
    queue: u64,
    packet: &mut [u8; BYTES],
    free: &[Range<usize>],
) {
    let handle = signal(draw);
    field::COMPLETION_SIGNAL.write(packet, *pick(draw, &[0, handle]));
    let processed = |plan: &QueuePlan| plan.gpu && u64::from(plan.index) == queue;
    if process.queues.iter().any(processed) {
        return;
    }
    for byte in free.iter().cloned().flatten().chain([1]) {
        packet[byte] = draw.random();
    }
    if rarely(draw) {
        packet[0] = draw.random();
    }
}

fn damage(draw: &mut Draw, packets: &mut Vec<Vec<u8>>) {
    let last = packets.len() - 1;
    match draw.random_range(0..4) {
        0 => {
            let length = packets[last].len();
            packets[last].truncate(draw.random_range(BYTES..=length));
        }
        1 => packets[last].extend(pattern(draw.random_range(1..200), 77)),
        2 => drop(packets.remove(draw.random_range(0..=last))),
        _ => {
            let wrong = [
                ("version", 3),
                ("opcode", 2),
                ("target_node", 9),
                ("target_context", 4),
                ("packet_offset", 64),
                ("command_length", 63),
                ("message_length", 1),
            ];
            let (name, value) = *pick(draw, &wrong);
            packets.iter_mut().for_each(|p| WIRE.set(p, name, value));
        }
    }
}
