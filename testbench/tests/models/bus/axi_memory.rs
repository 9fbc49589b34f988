//! The AXI memory: exact cycles when it is kind, and every unkindness that it promises.

mod atomics;
mod faults;

use std::collections::BTreeSet;

use proptest::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Access, Address, ErrorResponse, Fault, MemoryTiming, WriteRecord};
use xtq_testbench::bytes::{Bytes, SparseMemory};

use crate::bus::axi_master::{Master, burst};

fn fault(addresses: std::ops::RangeInclusive<u64>, access: Access) -> Fault {
    Fault {
        context: None,
        addresses,
        access,
        response: ErrorResponse::SlaveError,
        code: 9,
        count: None,
    }
}

fn bytes(memory: &SparseMemory, address: u64, count: usize) -> Vec<u8> {
    let mut out = vec![0; count];
    memory.read(address, &mut out);
    out
}

#[test]
fn an_ideal_memory_takes_a_beat_a_cycle_and_answers_one_cycle_after_the_last() {
    let mut master = Master::new(MemoryTiming::ideal());
    for i in 0..4 {
        master.write(0, 0, 0x1000 + 128 * i, &[[i as u8; 64]; 2]);
    }
    master.run(100);
    assert_eq!(master.aw_cycles, [0, 1, 2, 3]);
    assert_eq!(master.w_cycles, (0..8).collect::<Vec<u64>>());
    let answers: Vec<u64> = master.b.iter().map(|reply| reply.cycle).collect();
    assert_eq!(answers, [2, 4, 6, 8]);
    let visible: Vec<Option<u64>> = master
        .memory
        .log()
        .iter()
        .map(|record| record.visible_cycle)
        .collect();
    assert_eq!(visible, [2, 2, 4, 4, 6, 6, 8, 8].map(Some));
}

#[test]
fn an_ideal_memory_gives_the_first_read_beat_after_the_read_latency_and_then_one_a_cycle() {
    let mut master = Master::new(MemoryTiming {
        read_latency: 7..=7,
        ..MemoryTiming::ideal()
    });
    master.read(0, 1, 0, 3);
    master.read(0, 2, 0, 1);
    master.run(100);
    let seen: Vec<(u64, u8, bool)> = master
        .r
        .iter()
        .map(|beat| (beat.cycle, beat.id, beat.last))
        .collect();
    assert_eq!(
        seen,
        [(7, 1, false), (8, 1, false), (9, 1, true), (10, 2, true)]
    );
}

#[test]
fn a_write_latency_of_200_does_not_slow_the_data() {
    let mut master = Master::new(MemoryTiming::fixed_write(200));
    for i in 0..300 {
        master.write(0, 0, 64 * i, &[[1; 64]]);
    }
    master.run(600);
    assert_eq!(master.w_cycles, (0..300).collect::<Vec<u64>>());
    let answers: Vec<u64> = master.b.iter().map(|reply| reply.cycle).collect();
    assert_eq!(answers, (200..500).collect::<Vec<u64>>());
}

#[test]
fn the_bandwidth_limits_writes_and_reads() {
    let mut master = Master::new(MemoryTiming {
        bandwidth: (2, 3),
        ..MemoryTiming::ideal()
    });
    for i in 0..60 {
        master.write(0, 0, 64 * i, &[[1; 64]]);
    }
    master.read(0, 0, 0, 60);
    master.run(200);
    let span = master.w_cycles[59] - master.w_cycles[0];
    assert!((87..=90).contains(&span), "{span}");
    let span = master.r[59].cycle - master.r[0].cycle;
    assert!((87..=90).contains(&span), "{span}");
}

#[test]
fn data_become_visible_at_every_cycle_between_w_and_b() {
    let mut master = Master::new(MemoryTiming::fixed_write(4));
    for i in 0..200 {
        master.write(0, 0, 64 * i, &[[1; 64]]);
    }
    master.run(600);
    let delays = master
        .memory
        .log()
        .iter()
        .map(|record| record.visible_cycle.unwrap() - record.w_cycle);
    assert_eq!(
        delays.collect::<BTreeSet<u64>>(),
        BTreeSet::from([1, 2, 3, 4])
    );
}

#[test]
fn host_and_reads_see_a_write_only_once_it_is_visible() {
    let mut master = Master::new(MemoryTiming {
        read_latency: 1..=1,
        ..MemoryTiming::fixed_write(40)
    });
    master.write(0, 0, 0, &[[0xaa; 64]]);
    master.cycle();
    let mut host_saw = None;
    while master.b.is_empty() {
        master.read(0, 1, 0, 1);
        master.cycle();
        let seen = master.memory.memory(0).read_u64(0);
        assert!(seen == 0 || seen == 0xaaaa_aaaa_aaaa_aaaa);
        if seen != 0 && host_saw.is_none() {
            host_saw = Some(master.engine.cycle() - 1);
        }
    }
    let visible = master.memory.log()[0].visible_cycle;
    assert_eq!(host_saw, visible);
    assert!(visible.unwrap() < 40, "the seed no longer shows the case");
    for beat in &master.r {
        let expected = if Some(beat.cycle) < visible { 0 } else { 0xaa };
        assert_eq!(beat.data, [expected; 64], "read at cycle {}", beat.cycle);
    }
}

fn nasty(seed: u64) -> MemoryTiming {
    MemoryTiming {
        read_latency: 1..=30,
        write_latency: 1..=30,
        reorder: true,
        seed,
        ..MemoryTiming::ideal()
    }
}

#[test]
fn different_ids_overtake_and_one_id_does_not() {
    let mut master = Master::new(nasty(1));
    for i in 0..100u64 {
        master.write(0, (i % 4) as u8, 64 * i, &[[i as u8; 64]]);
        master.read(0, (i % 4) as u8, 0x10000 + 128 * i, 2);
        master.memory.memory_mut(0).write_u64(0x10000 + 128 * i, i);
    }
    master.run(2000);
    let order: Vec<u64> = master
        .memory
        .log()
        .iter()
        .map(|record| record.burst)
        .collect();
    assert!(!order.is_sorted(), "nothing overtook");
    for id in 0..4 {
        let of_id = master.memory.log().iter().filter(|record| record.id == id);
        let bursts: Vec<u64> = of_id.map(|record| record.burst).collect();
        assert_eq!(
            bursts,
            (0..25).map(|i| 4 * i + u64::from(id)).collect::<Vec<u64>>()
        );
    }
    let ids: Vec<u8> = master.r.iter().map(|beat| beat.id).collect();
    assert!(
        ids.chunks(2).any(|pair| pair[0] != pair[1]),
        "no read burst was interleaved"
    );
    for id in 0..4 {
        let firsts = master.r.iter().filter(|beat| beat.id == id).step_by(2);
        let values: Vec<u64> = firsts
            .map(|beat| u64::from_le_bytes(beat.data[..8].try_into().unwrap()))
            .collect();
        assert_eq!(
            values,
            (0..25).map(|i| 4 * i + u64::from(id)).collect::<Vec<u64>>()
        );
    }
}

#[test]
fn any_id_that_is_due_may_answer_first() {
    let mut first_b = BTreeSet::new();
    let mut first_r = BTreeSet::new();
    for seed in 0..20 {
        let mut timing = MemoryTiming {
            reorder: true,
            seed,
            ..MemoryTiming::ideal()
        };
        (timing.stalls.b, timing.stalls.r) = (0.8, 0.8);
        let mut master = Master::new(timing);
        for id in [1, 0, 2] {
            master.write(0, id, 0, &[[1; 64]]);
            master.read(0, id, 0, 1);
        }
        master.run(500);
        first_b.insert(master.b[0].id);
        first_r.insert(master.r[0].id);
    }
    assert_eq!(first_b, BTreeSet::from([0, 1, 2]));
    assert_eq!(first_r, BTreeSet::from([0, 1, 2]));
}

#[test]
fn a_read_looks_at_the_memory_at_every_cycle_between_ar_and_r() {
    let mut master = Master::new(MemoryTiming {
        read_latency: 4..=4,
        ..MemoryTiming::ideal()
    });
    (0..200).for_each(|_| master.read(0, 0, 0, 1));
    for cycle in 0..220 {
        master.memory.memory_mut(0).write_u64(0, cycle);
        master.cycle();
    }
    let looks = master.r.iter().zip(&master.ar_cycles).map(|(beat, asked)| {
        let seen = u64::from_le_bytes(beat.data[..8].try_into().unwrap());
        seen - asked
    });
    assert_eq!(
        looks.collect::<BTreeSet<u64>>(),
        BTreeSet::from([1, 2, 3, 4])
    );
}

#[test]
fn visibility_of_different_places_is_not_in_order_even_for_one_id() {
    let mut master = Master::new(nasty(2));
    for i in 0..50 {
        master.write(0, 0, 64 * i, &[[1; 64]]);
    }
    master.run(2000);
    let visible: Vec<u64> = master
        .memory
        .log()
        .iter()
        .map(|record| record.visible_cycle.unwrap())
        .collect();
    assert!(!visible.is_sorted());
}

proptest! {
    #[test]
    fn with_any_timing_writes_of_one_id_leave_what_a_plain_memory_would_hold(
        seed: u64,
        writes in prop::collection::vec((0u64..4, 0u64..8, any::<u64>(), any::<u8>(), 1usize..4), 1..60),
    ) {
        let mut master = Master::new(MemoryTiming::random(seed));
        let mut expected = vec![SparseMemory::new(); 4];
        for (context, line, strobes, value, beats) in writes {
            let data = [value; 64];
            if beats == 1 {
                master.write_bytes(context as u8, context as u8, 64 * line, data, strobes);
                for i in (0..64).filter(|i| strobes >> i & 1 == 1) {
                    expected[context as usize].write(64 * line + i, &[value]);
                }
            } else {
                master.write(context as u8, context as u8, 64 * line, &vec![data; beats]);
                expected[context as usize].write(64 * line, &vec![value; 64 * beats]);
            }
        }
        master.run(60_000);
        for (context, expected) in expected.iter().enumerate() {
            let found = bytes(master.memory.memory(context as u8), 0, 1024);
            prop_assert_eq!(found, bytes(expected, 0, 1024), "context {}", context);
        }
        for record in master.memory.log() {
            let visible = record.visible_cycle.unwrap();
            prop_assert!(record.w_cycle < visible && visible <= record.b_cycle, "{:?}", record);
            prop_assert!(record.aw_cycle < record.b_cycle);
        }
        master.memory.checker().finish(0).unwrap();
    }

    #[test]
    fn with_any_timing_a_read_after_the_response_sees_the_write(seed: u64, address in 0u64..4096, count in 1usize..64) {
        let mut master = Master::new(MemoryTiming::random(seed));
        let line = address & !63;
        master.write(3, 1, line, &[[0x5a; 64]]);
        master.run(5000);
        master.ar.push_back(Address { address, ..burst(3, 2, 0, 1) });
        master.run(5000);
        let first = (address - line) as usize;
        let end = (first + count).min(64);
        prop_assert!(master.r[0].data[first..end].iter().all(|byte| *byte == 0x5a));
    }
}

#[test]
fn strobes_leave_the_guard_bytes_alone() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.memory.memory_mut(0).write(0xfc0, &[0x77; 192]);
    let mut line = [0; 64];
    (0..64).for_each(|i| line[i] = i as u8);
    master.write_bytes(0, 0, 0x1000, line, 1 << 63 | 0b1011 << 20 | 1);
    master.write_bytes(0, 0, 0x1000, line, 0);
    master.run(100);
    let mut expected = vec![0x77; 192];
    for i in [0, 20, 21, 23, 63] {
        expected[64 + i] = i as u8;
    }
    assert_eq!(bytes(master.memory.memory(0), 0xfc0, 192), expected);
    let record: &WriteRecord = &master.memory.log()[0];
    assert_eq!((record.line, record.address()), (0x1000, 0x1000));
    assert!(record.writes(0x1014) && record.writes(0x103f));
    assert!(!record.writes(0x1016) && !record.writes(0xfff) && !record.writes(0x1040));
}

#[test]
fn narrow_bursts_use_the_lanes_of_their_addresses() {
    let mut master = Master::new(MemoryTiming::ideal());
    let narrow = Address {
        size: 2,
        ..burst(0, 0, 0x3c, 2)
    };
    master.aw.push_back(narrow);
    master.w.push_back((vec![1; 64], 0xf << 60, false));
    master.w.push_back((vec![2; 64], 0xf, true));
    master.run(100);
    assert_eq!(
        bytes(master.memory.memory(0), 0x38, 16),
        [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0]
    );
    master.ar.push_back(narrow);
    master.run(100);
    assert_eq!(master.r[0].data[60..], [1; 4]);
    assert_eq!(master.r[1].data[..4], [2; 4]);
    assert!(
        master.r[1].data[4..].iter().any(|byte| *byte != 0),
        "lanes nobody asked for hold noise"
    );
}

#[test]
fn the_same_address_in_two_contexts_is_different_memory() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.write(0, 0, 0x40, &[[1; 64]]);
    master.write(1, 0, 0x40, &[[2; 64]]);
    master.run(100);
    (0..3).for_each(|context| master.read(context, 0, 0x40, 1));
    master.run(100);
    let seen: Vec<u8> = master.r.iter().map(|beat| beat.data[0]).collect();
    assert_eq!(seen, [1, 2, 0]);
    assert_eq!(
        master.memory.memory(1).read_u64(0x40),
        0x0202_0202_0202_0202
    );
}

#[test]
fn a_watched_write_is_reported_when_it_becomes_visible_and_only_then() {
    let mut master = Master::new(MemoryTiming::fixed_write(30));
    master.memory.watch(1, 0x2008..=0x200f);
    let mut line = [0; 64];
    line[8..16].copy_from_slice(&77u64.to_le_bytes());
    master.write_bytes(0, 0, 0x2000, line, 0xff00);
    master.write_bytes(1, 0, 0x2000, line, 0xff);
    master.write_bytes(1, 0, 0x2000, line, 0xff00);
    let mut reported = Vec::new();
    while !(master.aw.is_empty() && master.memory.is_idle()) {
        master.cycle();
        let cycle = master.engine.cycle() - 1;
        for watched in master.memory.take_watched() {
            assert_eq!(watched.cycle, cycle);
            assert_eq!(master.memory.memory(1).read_u64(0x2008), 77);
            reported.push((watched.context, watched.address, watched.data, Some(cycle)));
        }
    }
    let visible = master.memory.log()[2].visible_cycle;
    assert_eq!(reported, [(1, 0x2008, line[8..16].to_vec(), visible)]);
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let run = |seed| {
        let mut master = Master::new(nasty(seed));
        (0..20).for_each(|i| master.write(0, (i % 3) as u8, 64 * i, &[[1; 64]]));
        master.run(500);
        master.memory.take_log()
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}
