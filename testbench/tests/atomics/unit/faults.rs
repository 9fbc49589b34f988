//! Errors at each access; messages that are refused or bad.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_types::atomic::{datatype as d, operation as o};

use super::message::{BadLine, Message};
use super::path::Harness;
use super::random::{check, data, filled};

const BASE: u64 = 0x1_0000;

/// 512 bytes in nine lines of context 1.
fn long(random: &mut ChaCha8Rng, slot: u64) -> Message {
    Message {
        slot,
        context: 1,
        fetch: true,
        operation: o::SUM,
        datatype: d::INT32,
        address: BASE + 8,
        length: 512,
        operand: 0,
        body: data(random, d::INT32, 512),
        bad: false,
    }
}

/// Every access of a message of nine lines fails once; the message after it, in another context, does not.
#[test]
fn an_error_at_each_access_is_told_and_harms_no_other_message() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let initial = filled(&mut random, d::INT32);
    for write in [false, true] {
        for line in 0..9 {
            let bad = BadLine {
                context: 1,
                line: BASE + 64 * line,
                write,
            };
            let failing = long(&mut random, line);
            let behind = Message {
                context: 2,
                ..long(&mut random, 100)
            };
            let mut memory = initial[1].clone();
            let (ending, reply) = failing.perform(&mut memory, &[bad]);
            assert_eq!((ending, reply), ((line, [false, false, true]), None));
            // All or nothing if a read fails; all other lines if a write fails.
            assert_eq!(memory == initial[1], !write);
            let messages = [failing, behind];
            let seed = line;
            check(
                &messages,
                &initial,
                &[bad],
                MemoryTiming::ideal(),
                [0.0; 5],
                seed,
            );
        }
    }
}

#[test]
fn a_bad_packet_and_what_is_refused_change_nothing_and_have_no_reply() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let initial = filled(&mut random, d::INT32);
    let good = long(&mut random, 1);
    let bad = Message {
        bad: true,
        ..good.clone()
    };
    let long = Message {
        datatype: d::LONG_DOUBLE,
        ..good.clone()
    };
    let complex = Message {
        operation: o::CSWAP,
        datatype: d::DOUBLE_COMPLEX,
        ..good.clone()
    };
    let masked = Message {
        operation: o::MSWAP,
        datatype: d::FLOAT,
        length: 4,
        ..good.clone()
    };
    let stray = Message {
        address: BASE + 10,
        ..good.clone()
    };
    let empty = Message {
        length: 0,
        body: Vec::new(),
        ..good.clone()
    };
    for message in [&bad, &long, &complex, &masked, &stray, &empty] {
        let mut memory: SparseMemory = initial[1].clone();
        let (_, reply) = message.perform(&mut memory, &[]);
        assert!(memory == initial[1] && reply.is_none());
    }
    let nothing_read = [long, complex, masked, stray, empty];
    let mut harness = Harness::new(MemoryTiming::ideal(), [0.0; 5], 0);
    nothing_read
        .iter()
        .for_each(|message| harness.push(message));
    harness.run(nothing_read.len());
    let counts = harness.memory.checker().counts();
    assert_eq!((counts.ar, counts.aw), (0, 0));
    let messages = [vec![bad], nothing_read.to_vec(), vec![good]].concat();
    check(&messages, &initial, &[], MemoryTiming::ideal(), [0.0; 5], 0);
}

/// Part of a datum is read for the reply, and stays.
#[test]
fn bytes_behind_the_last_whole_datum_stay() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let initial = filled(&mut random, d::UINT64);
    for (datatype, size) in [(d::UINT64, 8), (d::UINT32, 4), (d::UINT16, 2)] {
        for length in [1, 3, 5, 7, 9, 63, 65, 511] {
            let message = Message {
                datatype,
                operation: o::SWAP,
                length,
                ..long(&mut random, 5)
            };
            let mut memory = initial[1].clone();
            message.perform(&mut memory, &[]);
            let end = message.address + (length / size * size) as u64;
            assert_eq!(memory.read_u64(end), initial[1].read_u64(end));
            check(
                &[message],
                &initial,
                &[],
                MemoryTiming::ideal(),
                [0.0; 5],
                0,
            );
        }
    }
}
