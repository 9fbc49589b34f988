//! The parts: hash functions and slots.

use super::model::remainder;
use proptest::prelude::*;
use std::collections::BTreeSet;
use xtq_testbench::by_name::{Hardware, field, pack};
use xtq_types::hash_match::HashSlot;

fn hashes(block: &mut Hardware, key: u128) -> [u64; 2] {
    block.set("key", &[key as u64, (key >> 64) as u64]);
    block.eval();
    [block.word("first"), block.word("second")]
}

proptest! {
    #[test]
    fn the_hashes_are_remainders_of_polynomials(key: u128) {
        let key = key & ((1 << 96) - 1);
        for (name, degree, by) in [("key_hash", 10, [0x41b, 0x427]), ("key_hash_2", 1, [0x3, 0x2])] {
            let expected = by.map(|by| remainder(key, by, degree) as u64);
            prop_assert_eq!(hashes(&mut Hardware::block(name), key), expected);
        }
    }
}

#[test]
fn neighbouring_tags_are_in_different_buckets() {
    let mut block = Hardware::block("key_hash");
    for shift in [0, 8, 32, 86] {
        let both = (0..1024u128).map(|value| hashes(&mut block, value << shift));
        let both: Vec<[u64; 2]> = both.collect();
        for which in 0..2 {
            let buckets: BTreeSet<u64> = both.iter().map(|hash| hash[which]).collect();
            assert_eq!(buckets.len(), 1024, "hash {which} of bits from {shift}");
        }
    }
}

fn slot(key: u64, head: u64) -> Vec<u64> {
    pack(HashSlot::FIELDS, &[("valid", 1), ("head", head)])
        .iter()
        .zip(
            pack(&[HashSlot::FIELDS[2]], &[("key", key)])
                .into_iter()
                .chain([0; 3]),
        )
        .map(|(a, b)| a | b)
        .collect()
}

#[test]
fn a_bank_shows_a_write_in_its_cycle_and_after() {
    let mut bank = Hardware::block("slot_bank");
    // Bucket 3 is read in each cycle; key 6 is looked for.
    bank.drive("bucket", 3u64);
    bank.step();
    bank.set("key", &[6, 0]);
    bank.drive("write_bucket", 2u64);
    bank.drive("write_ways", 4u64);
    bank.set("write_slot", &slot(6, 9));
    bank.eval();
    assert_eq!(
        (bank.word("hits"), bank.word("free")),
        (0, 1),
        "another bucket"
    );
    bank.drive("write_bucket", 3u64);
    for cycle in 0..4 {
        bank.eval();
        assert_eq!(bank.word("hits"), 4, "cycle {cycle}");
        assert_eq!(field(HashSlot::FIELDS, &bank.get("found"), "head"), 9);
        bank.step();
        bank.drive("write_ways", 0u64);
    }
    bank.drive("write_ways", 1u64);
    bank.set("write_slot", &slot(7, 1));
    bank.eval();
    assert_eq!((bank.word("hits"), bank.word("free")), (4, 2));
}

#[test]
fn a_stash_shows_a_write_in_its_cycle_and_after() {
    let mut stash = Hardware::block("slot_stash");
    stash.set("key", &[6, 0]);
    stash.eval();
    assert_eq!((stash.word("hits"), stash.word("free")), (0, 1));
    stash.drive("write_ways", 0x8000u64);
    stash.set("write_slot", &slot(6, 9));
    for cycle in 0..3 {
        stash.eval();
        assert_eq!(stash.word("hits"), 0x8000, "cycle {cycle}");
        assert_eq!(field(HashSlot::FIELDS, &stash.get("found"), "head"), 9);
        stash.step();
        stash.drive("write_ways", 0u64);
    }
    stash.set("key", &[7, 0]);
    stash.eval();
    assert_eq!(stash.word("hits"), 0);
}
