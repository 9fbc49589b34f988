//! What is asked for: bases, sizes and indices, and who asks for nothing.

use rust_hdl::prelude::ToBits;

use crate::lookup_stage::packet::Packet;
use crate::lookup_stage::stage::Stage;

#[test]
fn all_bits_of_an_index_count() {
    let mut stage = Stage::simple();
    let far = [1 << 16, 1 << 31, 1 << 32, 1 << 48, 1 << 63].map(|high: u64| high | 3);
    let mut indices = vec![
        0,
        62,
        63,
        64,
        65,
        127,
        65_535,
        u64::MAX,
        u64::MAX << 32,
        1 << 32,
    ];
    indices.extend(far);
    indices.extend((6..64).map(|bit| 1u64 << bit));
    for &index in &indices {
        stage.push(Packet::xtq(2, 1, index, 5));
        stage.push(Packet::xtq(4, 2, 5, index));
        stage.push(Packet::xtq(4, 3, index, index));
    }
    stage.run_and_check();
    let found = stage.pushed.iter().enumerate();
    let found = found.filter(|(number, _)| stage.left(*number).entries.iter().all(Option::is_some));
    assert_eq!(
        found.count(),
        3 * 3,
        "only 0, 62 and 63 are in a table of 64"
    );
}

#[test]
fn table_sizes_and_bases_are_kept_apart() {
    let mut stage = Stage::simple();
    stage.set_table(0, 0xffff_ffff_ffff_ffff, 1); // bits 5:0 are ignored, the last entry of the address space
    stage.set_table(2, 0, 65_535);
    stage.set_table(6, 0xffff_ffc0, 2); // the carry goes into the upper word
    stage.set_table(4, 64, 0);
    for (context, task, queue) in [
        (0, 0, 65_534),
        (0, 1, 65_535),
        (1, 0, 1),
        (1, 0, 2),
        (2, 63, 63),
    ] {
        stage.push(Packet::xtq(2, context, task, queue));
    }
    stage.run_and_check();
    let address = |number: usize| stage.answers.log[number].0.address.to_u64();
    assert_eq!(address(0), 0xffff_ffff_ffff_ffc0);
    assert_eq!(address(1), 64 * 65_534);
    assert_eq!(address(2), 0x1_0000_0000);
}

#[test]
fn a_table_may_be_larger_than_its_indices_reach() {
    let sizes = [0x1_0000, 0x1_0001, 0x7_fff0, 0x8000_0000, 0xffff_0000];
    let mut stage = Stage::simple();
    for context in 0..4 {
        stage.set_table(4 * context, 0x4000 * context, sizes[context as usize]);
        stage.set_table(4 * context + 2, 0, sizes[4]);
    }
    for context in 0..4 {
        for index in [0, 1, 0x7fff, 0xffff, 0x1_0000, 0x1_ffff] {
            stage.push(Packet::xtq(2, context, index, index));
        }
    }
    stage.run_and_check();
    let found = stage.pushed.iter().enumerate();
    let found = found.filter(|(number, _)| stage.left(*number).entries.iter().all(Option::is_some));
    assert_eq!(found.count(), 4 * 4, "all indices of 16 bits");
}

#[test]
fn after_reset_no_table_has_entries() {
    let mut stage = Stage::simple();
    stage.engine.reset(1).unwrap();
    stage.tables = [(0, 0); 16];
    for context in 0..4 {
        stage.push(Packet::xtq(2, context, 0, 0));
        stage.push(Packet::xtq(4, context, 0, 0));
    }
    stage.run_and_check();
    assert!(stage.answers.log.is_empty());
}

#[test]
fn other_types_and_later_packets_ask_for_nothing() {
    let mut stage = Stage::simple();
    for packet_type in (0..256).filter(|t| !matches!(t, 2 | 4)) {
        stage.push(Packet::xtq(packet_type, 0, 1, 1));
    }
    let mut later = Packet::xtq(2, 0, 1, 1);
    later.head.first = 0u64.to_bits();
    stage.push(later);
    let mut put = Packet::xtq(4, 0, 1, 1);
    put.head.xtq = 0u64.to_bits();
    stage.push(put);
    stage.run_and_check();
    assert!(stage.answers.log.is_empty());
}
