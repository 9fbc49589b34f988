//! The sparse memory against a map of single bytes.

use proptest::prelude::*;
use std::collections::BTreeMap;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_testbench::signals::Signals;

#[test]
fn memory_never_written_reads_0_and_costs_nothing() {
    let memory = SparseMemory::new();
    let mut out = [0xff; 5];
    memory.read(u64::MAX - 1, &mut out);
    assert_eq!(out, [0; 5]);
    assert_eq!(memory.pages().count(), 0);
}

#[test]
fn addresses_wrap_at_the_end_of_the_address_space() {
    let mut memory = SparseMemory::new();
    memory.write(u64::MAX, &[1, 2]);
    assert_eq!(memory.read_u16(u64::MAX), 0x0201);
    assert_eq!(memory.read_u16(0), 2);
    let pages: Vec<u64> = memory.pages().map(|(address, _)| address).collect();
    assert_eq!(pages, [0, u64::MAX - 4095]);
}

#[test]
fn words_are_little_endian_at_any_alignment() {
    let mut memory = SparseMemory::new();
    memory.write_u64(4093, 0x0807_0605_0403_0201);
    let mut out = [0; 10];
    memory.read(4092, &mut out);
    assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
    assert_eq!(memory.read_u64(4093), 0x0807_0605_0403_0201);
    memory.write_u16(4095, 0xaabb);
    assert_eq!(memory.read_u64(4093), 0x0807_0605_aabb_0201);
}

#[test]
fn a_signal_s_value_is_8_bytes_behind_its_handle_and_signed() {
    let mut memory = SparseMemory::new();
    memory.store_signal(0x1000, -2);
    assert_eq!(memory.read_u64(0x1008), u64::MAX - 1);
    assert_eq!(memory.load_signal(0x1000), -2);
}

/// Addresses around page borders and around 0.
fn any_address() -> impl Strategy<Value = u64> {
    (0..4_u64, -9..9_i64).prop_map(|(page, offset)| (page * 4096).wrapping_add_signed(offset))
}

proptest! {
    #[test]
    fn reads_return_the_last_write_of_each_byte(
        writes in prop::collection::vec((any_address(), prop::collection::vec(any::<u8>(), 0..20)), 0..20),
        long in prop::collection::vec(any::<u8>(), 4090..8200),
        start in any_address(),
    ) {
        let mut memory = SparseMemory::new();
        let mut model = BTreeMap::new();
        for (address, data) in writes.iter().chain([&(start, long)]).chain(&writes[..writes.len() / 2]) {
            memory.write(*address, data);
            for (i, byte) in data.iter().enumerate() {
                model.insert(address.wrapping_add(i as u64), *byte);
            }
        }
        let from = 16_u64.wrapping_neg();
        let mut out = vec![0xee; 20_600];
        memory.read(from, &mut out);
        for (i, byte) in out.iter().enumerate() {
            let expected = model.get(&from.wrapping_add(i as u64)).copied().unwrap_or(0);
            prop_assert_eq!(*byte, expected, "offset {}", i);
        }
    }
}
