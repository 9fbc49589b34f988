//! The cycles that the fork promises, and who waits for whom.

use xtq_testbench::bus::MemoryTiming;
use xtq_types::atomic::{datatype as d, operation as o};
use xtq_types::pipe::AtomicNote;

use super::packet::{Packet, Put};
use super::path::Harness;
use crate::unit::message::Message;

fn put(slot: u64, length: usize) -> Packet {
    Packet::Put(Put {
        slot,
        context: 1,
        address: 0x1000 + 0x1000 * slot,
        body: vec![slot as u8; length],
        last: true,
        bad: false,
        was_bad: false,
    })
}

fn sum(slot: u64) -> Packet {
    Packet::Atomic(Message {
        slot,
        context: 1,
        fetch: false,
        operation: o::SUM,
        datatype: d::UINT64,
        address: 0x8000,
        length: 8,
        operand: 0,
        body: vec![1; 8],
        bad: false,
    })
}

/// Cycles in which beats are taken, from the first one on.
fn taken(packets: &[Packet]) -> Vec<u64> {
    let mut harness = Harness::new(MemoryTiming::ideal(), [0.0; 3], 1);
    for packet in packets {
        harness.note(packet.slot(), packet.note());
    }
    for packet in packets {
        harness.push(packet);
    }
    harness.run(packets.len());
    let cycles: Vec<u64> = harness.beats.accepted().to_vec();
    cycles.iter().map(|cycle| cycle - cycles[0]).collect()
}

#[test]
fn without_atomics_the_fork_is_a_wire() {
    let packets: Vec<Packet> = (0..20).map(|slot| put(slot, 640)).collect();
    assert_eq!(taken(&packets), (0..200).collect::<Vec<u64>>());
}

/// A put's beat is in memory, and that is known, seven cycles later: the job; one after it the beat. The put after it
/// passes 23 cycles after the job, one message of the unit with a memory of one cycle.
#[test]
fn an_atomic_waits_for_puts_and_puts_wait_for_it() {
    let cycles = taken(&[put(0, 64), sum(1), put(2, 64), put(3, 64)]);
    assert_eq!(cycles, [0, 8, 30, 31]);
}

/// A note of another slot does not matter, nor one that is replaced.
#[test]
fn the_note_of_the_slot_counts_that_was_given_last() {
    let mut harness = Harness::new(MemoryTiming::ideal(), [0.0; 3], 1);
    harness.note(7, sum(7).note());
    harness.note(7, AtomicNote::default());
    harness.note(8, sum(8).note());
    harness.push(&put(7, 100));
    harness.push(&sum(8));
    for _ in 0..8 {
        assert!(!harness.high("busy"));
        harness.cycle();
    }
    harness.run(2);
    assert_eq!(harness.endings(), [[false; 3]; 2]);
}
