//! Compare and swap.

use xtq_testbench::bus::{ATOMIC_COMPARE, Access, Address, BURST_INCR, BURST_WRAP, MemoryTiming};
use xtq_testbench::bytes::Bytes;

use super::{fault, nasty};
use crate::bus::axi_master::{Master, burst};

/// Queues a compare and swap of the 8 bytes at `address`.
fn compare_and_swap(master: &mut Master, id: u8, address: u64, compare: u64, swap: u64) {
    let upper = address & 8 != 0;
    master.aw.push_back(Address {
        size: 4,
        atop: ATOMIC_COMPARE,
        burst: if upper { BURST_WRAP } else { BURST_INCR },
        ..burst(0, id, address, 1)
    });
    let lane = (address % 64) as usize;
    let mut data = vec![0xee; 64];
    data[lane..lane + 8].copy_from_slice(&compare.to_le_bytes());
    data[lane ^ 8..(lane ^ 8) + 8].copy_from_slice(&swap.to_le_bytes());
    master.w.push_back((data, 0xffff << (lane & !15), true));
}

#[test]
fn an_atomic_compare_swaps_if_equal_and_gives_the_old_value_in_the_lanes_of_its_address() {
    for timing in [MemoryTiming::ideal(), nasty(5)] {
        for address in [0x1020u64, 0x1028] {
            let mut master = Master::new(timing.clone());
            master.memory.memory_mut(0).write_u64(address, 41);
            master.memory.memory_mut(0).write_u64(address ^ 8, 0x1111);
            let lane = (address % 64) as usize;
            for (compare, swap, old, new) in [(41, 42, 41, 42), (41, 43, 42, 42)] {
                compare_and_swap(&mut master, 5, address, compare, swap);
                master.run(200);
                let beat = master.r.last().unwrap();
                assert_eq!((beat.id, beat.resp, beat.last), (5, 0, true));
                assert_eq!(beat.data[lane..lane + 8], u64::to_le_bytes(old));
                assert_eq!(master.memory.memory(0).read_u64(address), new);
                assert_eq!(master.memory.memory(0).read_u64(address ^ 8), 0x1111);
            }
            assert_eq!((master.b.len(), master.r.len()), (2, 2));
            let written: Vec<u64> = master
                .memory
                .log()
                .iter()
                .map(|record| record.strobes)
                .collect();
            assert_eq!(written, [0xff << lane, 0]);
        }
    }
}

#[test]
fn a_failed_atomic_gives_both_error_responses_and_changes_nothing() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.memory.inject(fault(0x1000..=0x1fff, Access::Write));
    compare_and_swap(&mut master, 5, 0x1020, 0, 42);
    master.run(100);
    assert_eq!((master.b[0].resp, master.b[0].code), (2, 9));
    assert_eq!((master.r[0].resp, master.r[0].code), (2, 9));
    assert_eq!(master.memory.memory(0).read_u64(0x1020), 0);
}

#[test]
fn racing_atomics_of_many_ids_lose_no_increment() {
    let mut master = Master::new(nasty(7));
    let mut won = 0;
    let mut expected = [0u64; 4];
    while won < 40 {
        for id in 0..4u8 {
            compare_and_swap(
                &mut master,
                id,
                0x40,
                expected[usize::from(id)],
                expected[usize::from(id)] + 1,
            );
        }
        let before = master.r.len();
        master.run(500);
        for beat in &master.r[before..] {
            let old = u64::from_le_bytes(beat.data[..8].try_into().unwrap());
            let guess = &mut expected[usize::from(beat.id)];
            won += u64::from(old == *guess);
            *guess = if old == *guess { old + 1 } else { old };
        }
    }
    assert_eq!(master.memory.memory(0).read_u64(0x40), won);
}
