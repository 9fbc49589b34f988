//! Puts and atomics that meet in few places: memory, endings and replies are those of packets performed one after the
//! other.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bus::{Access, ErrorResponse, Fault, MemoryTiming};
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_types::atomic::{datatype as d, operation as o};

use super::packet::{Packet, Put};
use super::path::{Harness, Pauses};
use crate::model::size_of;
use crate::unit::message::{BadLine, Message};
use crate::unit::random::{built, data};

const BASE: u64 = 0x1_0000;
/// Bytes in which packets meet.
const REACH: u64 = 256;
/// Bytes that are looked at.
const SEEN: usize = 1200;
/// Context in which memory fails, and to which no put goes.
const FAILING: u8 = 3;

fn put(random: &mut ChaCha8Rng, slot: u64) -> Put {
    let length = match random.random_range(0..8) {
        0 => 0,
        1 => random.random_range(1..600),
        2 => 64,
        _ => random.random_range(1..20),
    };
    Put {
        slot,
        context: random.random_range(0..3),
        address: BASE + random.random_range(0..REACH),
        body: (0..length).map(|_| random.random()).collect(),
        last: true,
        bad: random.random_bool(0.05),
        was_bad: false,
    }
}

fn atomic(random: &mut ChaCha8Rng, slot: u64, memories: &[SparseMemory; 4]) -> Message {
    let pairs = built();
    let (operation, datatype) = pairs[random.random_range(0..pairs.len())];
    let size = size_of(datatype);
    let single = operation > o::SWAP;
    let length = match random.random_range(0..4) {
        0 if !single => size * random.random_range(1..=512 / size),
        _ => size,
    };
    let context = random.random_range(0..4);
    let stray = u64::from(random.random_bool(0.05));
    let place = random.random_range(0..REACH / size as u64) * size as u64;
    let address = BASE + place + stray;
    let mut operand = random.random();
    if random.random_bool(0.5) {
        operand = memories[usize::from(context)].read_u64(address);
    }
    Message {
        slot,
        context,
        fetch: random.random_bool(0.5),
        operation,
        datatype,
        address,
        length,
        operand,
        body: data(random, datatype, length),
        bad: random.random_bool(0.05),
    }
}

/// Packets of as many messages; longer puts have two, others between them.
fn packets(random: &mut ChaCha8Rng, messages: u64, memories: &[SparseMemory; 4]) -> Vec<Packet> {
    let mut memories = memories.clone();
    let (mut packets, mut later): (Vec<Packet>, Vec<Put>) = (Vec::new(), Vec::new());
    for slot in 0..messages {
        let packet = if random.random_bool(0.5) {
            let mut put = put(random, slot);
            if random.random_bool(0.3) {
                put.last = false;
                let more = random.random_range(1..100);
                later.push(Put {
                    address: put.address + put.body.len() as u64,
                    body: (0..more).map(|_| random.random()).collect(),
                    last: true,
                    bad: false,
                    was_bad: put.bad,
                    ..put
                });
            }
            Packet::Put(put)
        } else {
            Packet::Atomic(atomic(random, slot, &memories))
        };
        packet.perform(&mut memories, &[]);
        packets.push(packet);
        while !later.is_empty() && random.random_bool(0.4) {
            packets.push(Packet::Put(later.remove(0)));
        }
    }
    packets.extend(later.into_iter().map(Packet::Put));
    packets
}

fn filled(random: &mut ChaCha8Rng) -> [SparseMemory; 4] {
    std::array::from_fn(|_| {
        let mut memory = SparseMemory::new();
        memory.write(BASE - 64, &data(random, d::UINT64, SEEN));
        memory
    })
}

fn check(seed: u64, rounds: usize, timing: MemoryTiming, pauses: Pauses, faults: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut memories = filled(&mut random);
    let mut harness = Harness::new(timing, pauses, seed);
    for context in 0..4 {
        *harness.memory.memory_mut(context) = memories[usize::from(context)].clone();
    }
    let bad = |_| BadLine {
        context: FAILING,
        line: BASE + 64 * random.random_range(0..6),
        write: random.random_bool(0.5),
    };
    let bad_lines: Vec<BadLine> = (0..faults).map(bad).collect();
    for bad in &bad_lines {
        harness.memory.inject(Fault {
            context: Some(bad.context),
            addresses: bad.line..=bad.line | 63,
            access: match bad.write {
                true => Access::Write,
                false => Access::Read,
            },
            response: ErrorResponse::SlaveError,
            code: 3,
            count: None,
        });
    }
    let (mut endings, mut replies) = (Vec::new(), Vec::new());
    // Slots come again, for messages of the other kind too.
    for _ in 0..rounds {
        let packets = packets(&mut random, 40, &memories);
        for packet in &packets {
            harness.note(packet.slot(), packet.note());
        }
        for packet in &packets {
            harness.push(packet);
            let (ending, reply) = packet.perform(&mut memories, &bad_lines);
            endings.extend(ending);
            replies.extend(reply);
        }
        harness.run(endings.len());
    }
    let found = harness.endings();
    for (i, (found, expected)) in found.iter().zip(&endings).enumerate() {
        assert_eq!(found, expected, "seed {seed}, message {i}");
    }
    assert_eq!(found.len(), endings.len());
    for context in 0..4 {
        let read = |memory: &SparseMemory| {
            let mut bytes = vec![0; SEEN];
            memory.read(BASE - 64, &mut bytes);
            bytes
        };
        let found = read(harness.memory.memory(context));
        let expected = read(&memories[usize::from(context)]);
        let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(
            wrong, None,
            "seed {seed}, context {context}, from BASE - 64"
        );
    }
    assert_eq!(harness.replies(), replies, "seed {seed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn memory_is_as_if_messages_came_one_after_the_other(
        seed in any::<u64>(),
        kind in any::<bool>(),
        pauses in prop::sample::select(vec![[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.7, 0.0], [0.2, 0.3, 0.8]]),
        faults in 0..4usize,
    ) {
        let timing = if kind { MemoryTiming::ideal() } else { MemoryTiming::random(seed) };
        check(seed, 2, timing, pauses, faults);
    }
}
