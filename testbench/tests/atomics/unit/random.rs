//! Memory, endings and replies of messages: random ones, and every operation, lane and length.

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bus::{Access, ErrorResponse, Fault, MemoryTiming};
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_types::atomic::{datatype as d, operation as o};

use super::message::{BadLine, Message};
use super::path::{Harness, Pauses};
use crate::draw;
use crate::model::{DATATYPES, OPERATIONS, is_built, size_of};

/// Where messages go: a line at a multiple of 1 KiB, of 4 KiB, and the end of the address space.
const BASES: [u64; 4] = [0x1_0000, 0x2_03C0, 0x3_0FC0, 0xFFFF_FFFF_FFFF_FE00];
/// Bytes after them that are looked at.
const REACH: usize = 1536;

/// Data of this type side by side.
pub fn data(random: &mut ChaCha8Rng, datatype: u8, bytes: usize) -> Vec<u8> {
    let size = size_of(datatype);
    let mut data = Vec::new();
    while data.len() < bytes {
        data.extend(&draw::datum(random, datatype).to_le_bytes()[..size]);
    }
    data.truncate(bytes);
    data
}

/// All built pairs of operation and datatype.
pub fn built() -> Vec<(u8, u8)> {
    let pairs = OPERATIONS.iter().flat_map(|(_, operation)| {
        let datatypes = DATATYPES.iter();
        datatypes.map(move |(_, datatype)| (*operation, *datatype))
    });
    pairs.filter(|(o, d)| is_built(*o, *d)).collect()
}

/// A message to somewhere in the first bytes of a base.
fn message(random: &mut ChaCha8Rng, memories: &[SparseMemory; 4]) -> Message {
    let (operation, datatype) = if random.random_bool(0.05) {
        (random.random_range(0..20), random.random_range(0..16))
    } else {
        *built().choose(random).unwrap()
    };
    let size = size_of(datatype) as u64;
    // Few places, so that messages meet.
    let offset = size * (random.random_range(0..600) / size);
    let stray = u64::from(random.random_bool(0.05));
    let address = BASES[random.random_range(0..4)].wrapping_add(offset + stray);
    let length = match random.random_range(0..10) {
        0 => random.random_range(0..=512),
        1 => 512,
        2..5 => (size * random.random_range(0..=512 / size)) as usize,
        _ => size as usize,
    };
    let context = random.random_range(0..4);
    // Often what is there, so that a conditional swap happens.
    let mut operand = draw::datum(random, datatype) as u64;
    if random.random_bool(0.5) {
        operand = memories[usize::from(context)].read_u64(address);
    }
    // Packets that are longer than what is delivered.
    let more = *[0, 0, 0, 0, 0, 0, 1, 64, 700, 3584].choose(random).unwrap();
    Message {
        slot: random.random_range(0..256),
        context,
        fetch: random.random_bool(0.6),
        operation,
        datatype,
        address,
        length,
        operand,
        body: data(random, datatype, length + more),
        bad: random.random_bool(0.05),
    }
}

/// Runs messages one after the other and compares everything.
pub fn check(
    messages: &[Message],
    initial: &[SparseMemory; 4],
    bad_lines: &[BadLine],
    timing: MemoryTiming,
    pauses: Pauses,
    seed: u64,
) {
    let mut harness = Harness::new(timing, pauses, seed);
    let mut expected = initial.clone();
    for context in 0..4 {
        *harness.memory.memory_mut(context) = initial[usize::from(context)].clone();
    }
    for bad in bad_lines {
        harness.memory.inject(Fault {
            context: Some(bad.context),
            addresses: bad.line..=bad.line | 63,
            access: if bad.write {
                Access::Write
            } else {
                Access::Read
            },
            response: ErrorResponse::SlaveError,
            code: 3,
            count: None,
        });
    }
    let (mut endings, mut replies) = (Vec::new(), Vec::new());
    for message in messages {
        harness.push(message);
        let memory = &mut expected[usize::from(message.context)];
        let (ending, reply) = message.perform(memory, bad_lines);
        endings.push(ending);
        replies.extend(reply);
    }
    harness.run(messages.len());
    let found = harness.endings();
    for (i, (found, expected)) in found.iter().zip(&endings).enumerate() {
        assert_eq!(
            found, expected,
            "seed {seed}, message {i}: {:?}",
            messages[i]
        );
    }
    assert_eq!(found.len(), endings.len());
    for context in 0..4 {
        for base in BASES {
            let read = |memory: &SparseMemory| {
                let mut bytes = vec![0; REACH];
                memory.read(base.wrapping_sub(64), &mut bytes);
                bytes
            };
            let found = read(harness.memory.memory(context));
            let expected = read(&expected[usize::from(context)]);
            let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(
                wrong, None,
                "seed {seed}, context {context}, from {base:#x} - 64"
            );
        }
    }
    assert_eq!(harness.replies(), replies, "seed {seed}");
}

/// Memories full of data of this type where messages go.
pub fn filled(random: &mut ChaCha8Rng, datatype: u8) -> [SparseMemory; 4] {
    std::array::from_fn(|_| {
        let mut memory = SparseMemory::new();
        for base in BASES {
            memory.write(base.wrapping_sub(64), &data(random, datatype, REACH));
        }
        memory
    })
}

/// Random messages, performed on the side so that operands can fit.
fn messages(
    random: &mut ChaCha8Rng,
    count: usize,
    initial: &[SparseMemory; 4],
    bad_lines: &[BadLine],
) -> Vec<Message> {
    let mut memories = initial.clone();
    let mut next = |_| {
        let message = message(random, &memories);
        message.perform(&mut memories[usize::from(message.context)], bad_lines);
        message
    };
    (0..count).map(&mut next).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn messages_are_performed_one_after_the_other(
        seed in any::<u64>(),
        count in 1..40usize,
        kind in any::<bool>(),
        pauses in prop::sample::select(vec![[0.0; 5], [0.5, 0.3, 0.0, 0.0, 0.0], [0.0, 0.0, 0.8, 0.5, 0.0], [0.2, 0.6, 0.3, 0.3, 0.8]]),
        faults in 0..4usize,
    ) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let bad = |_| BadLine {
            context: random.random_range(0..4),
            line: BASES[random.random_range(0..4)].wrapping_add(64 * random.random_range(0..10)),
            write: random.random_bool(0.5),
        };
        let bad_lines: Vec<BadLine> = (0..faults).map(bad).collect();
        let initial = filled(&mut random, d::UINT64);
        let messages = messages(&mut random, count, &initial, &bad_lines);
        let timing = if kind { MemoryTiming::ideal() } else { MemoryTiming::random(seed) };
        check(&messages, &initial, &bad_lines, timing, pauses, seed);
    }
}

#[test]
fn every_operation_on_every_datatype_with_one_datum_and_many() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (number, (operation, datatype)) in built().into_iter().enumerate() {
        let initial = filled(&mut random, datatype);
        let mut messages = Vec::new();
        let mut memories = initial.clone();
        for length in [size_of(datatype), 512, 200] {
            let context = random.random_range(0..4);
            let address = BASES[number % 4] + 16 * random.random_range(0..8);
            let operand = memories[usize::from(context)].read_u64(address);
            let message = Message {
                slot: number as u64,
                context,
                fetch: true,
                operation,
                datatype,
                address,
                length,
                operand,
                body: data(&mut random, datatype, length),
                bad: false,
            };
            message.perform(&mut memories[usize::from(context)], &[]);
            messages.push(message);
        }
        check(
            &messages,
            &initial,
            &[],
            MemoryTiming::ideal(),
            [0.0; 5],
            number as u64,
        );
    }
    assert_eq!(built().len(), 174);
}

/// One byte more or less than a line, than eight lines, from every lane on.
#[test]
fn every_lane_with_lengths_at_every_border() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let initial = filled(&mut random, d::UINT8);
    let mut messages = Vec::new();
    for lane in 0..64 {
        for length in [1, 2, 63, 64, 65, 127, 448, 511, 512] {
            messages.push(Message {
                slot: lane,
                context: (lane % 4) as u8,
                fetch: length % 2 == 0 || lane % 8 == 0,
                operation: o::BXOR,
                datatype: d::UINT8,
                address: BASES[(lane / 4 % 4) as usize].wrapping_add(lane),
                length,
                operand: 0,
                body: data(&mut random, d::UINT8, length),
                bad: false,
            });
        }
    }
    check(&messages, &initial, &[], MemoryTiming::ideal(), [0.0; 5], 0);
}
