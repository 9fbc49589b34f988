//! Random match entries and descriptors.

use super::lists::pieces;
use super::values::{bits, counter, length};
use super::{NOWHERE, UNREADABLE_DESCRIPTORS};
use crate::cosim::tasks;
use proptest::prelude::*;
use xtq_testbench::cases::portals::MD_EVENTS;
use xtq_testbench::portals::{
    CounterId, List, MatchEntry, MdOption, MdOptions, MeOption, MeOptions, MemoryDescriptor, Rank,
};

fn options() -> impl Strategy<Value = MeOptions> {
    // All but IOVEC, which comes with a list.
    let any = (0..1u32 << 20).prop_map(|bits| bits & !1);
    let sparse = (any.clone(), any.clone()).prop_map(|(one, other)| one & other);
    let allowed = prop_oneof![
        12 => Just(1 << MeOption::OpPut as u32 | 1 << MeOption::OpGet as u32),
        1 => Just(1 << MeOption::OpPut as u32),
        1 => Just(0u32),
    ];
    let usual = [
        0,
        1 << MeOption::UseOnce as u32,
        1 << MeOption::ManageLocal as u32,
        1 << MeOption::CtComm as u32,
        1 << MeOption::CtOverflow as u32 | 1 << MeOption::CtComm as u32,
        1 << MeOption::CtComm as u32 | 1 << MeOption::CtBytes as u32,
    ];
    let usual = prop::collection::vec(prop::sample::select(usual.to_vec()), 0..3);
    let usual = usual.prop_map(|sets| sets.into_iter().fold(0, |all, set| all | set));
    (
        allowed,
        usual,
        prop_oneof![3 => Just(0), 1 => sparse, 1 => any],
    )
        .prop_map(|(allowed, usual, any)| MeOptions(allowed | usual | any))
}

fn entry(list: List) -> impl Strategy<Value = MatchEntry> {
    let everything = if list == List::Overflow { 8 } else { 1 };
    let ignore = prop_oneof![2 => Just(0u64), 1 => Just(1u64), everything => Just(u64::MAX)];
    let source =
        prop_oneof![12 => Just(None), 1 => prop::sample::select(vec![0u32, 1, 5]).prop_map(Some)];
    let uid =
        prop_oneof![12 => Just(None), 1 => prop::sample::select(vec![0u32, 1, 5]).prop_map(Some)];
    let counter = prop_oneof![1 => Just(None), 3 => counter().prop_map(Some)];
    let min_free = prop_oneof![2 => Just(0u64), 3 => 1..100u64, 1 => Just(u64::MAX)];
    let start = prop_oneof![8 => 0..0x2000u64, 1 => NOWHERE..NOWHERE + 64];
    let place = (start, length());
    (
        options(),
        bits(),
        ignore,
        source,
        uid,
        counter,
        min_free,
        place,
    )
        .prop_map(
            |(
                options,
                match_bits,
                ignore_bits,
                source,
                uid,
                counter,
                min_free,
                (start, length),
            )| {
                MatchEntry {
                    start,
                    length,
                    options,
                    match_bits,
                    ignore_bits,
                    source: source.map(Rank),
                    uid,
                    counter: counter.map(CounterId),
                    min_free,
                    user_ptr: 0,
                }
            },
        )
}

/// An entry as an MPI library has them: one that takes everything that is not expected, or a receive that counts.
fn sane(list: List) -> impl Strategy<Value = MatchEntry> {
    let bit = |option: MeOption| 1u32 << option as u32;
    let allowed = bit(MeOption::OpPut) | bit(MeOption::OpGet);
    let options = match list {
        List::Overflow => vec![
            allowed,
            allowed | bit(MeOption::ManageLocal),
            allowed | bit(MeOption::UseOnce),
        ],
        List::Priority => vec![
            allowed | bit(MeOption::UseOnce),
            allowed | bit(MeOption::UseOnce) | bit(MeOption::CtComm) | bit(MeOption::CtOverflow),
            allowed | bit(MeOption::CtComm) | bit(MeOption::CtOverflow),
            allowed | bit(MeOption::CtBytes) | bit(MeOption::CtComm) | bit(MeOption::CtOverflow),
        ],
    };
    let ignore = match list {
        List::Overflow => Just(u64::MAX).boxed(),
        List::Priority => prop_oneof![2 => Just(0u64), 1 => Just(1u64)].boxed(),
    };
    // Every second one where tasks can land.
    let start = prop_oneof![0..0x1000u64, (0..0x40u64).prop_map(|line| line * 64)];
    let fields = (
        start,
        prop::sample::select(options),
        0..2u64,
        ignore,
        counter(),
    );
    fields.prop_map(
        |(start, options, match_bits, ignore_bits, counter)| MatchEntry {
            start,
            length: 400,
            options: MeOptions(options),
            match_bits,
            ignore_bits,
            counter: Some(CounterId(counter)),
            min_free: 40,
            ..MatchEntry::default()
        },
    )
}

pub fn any_entry(list: List) -> impl Strategy<Value = MatchEntry> {
    let plain = prop_oneof![2 => entry(list), 4 => sane(list), 1 => tasks::entry(list)];
    (
        plain,
        prop_oneof![3 => Just(None), 1 => pieces(0).prop_map(Some)],
    )
        .prop_map(|(entry, list)| match list {
            None => entry,
            Some((start, length)) => MatchEntry {
                start,
                length,
                options: MeOptions(entry.options.0 | 1 << MeOption::Iovec as u32),
                ..entry
            },
        })
}

fn descriptor() -> impl Strategy<Value = MemoryDescriptor> {
    let options = prop_oneof![1 => Just(0u32), 2 => 0..1u32 << 8, 1 => (0..1u32 << 8).prop_map(|bits| bits | 1 << 15)];
    let start = if UNREADABLE_DESCRIPTORS {
        NOWHERE
    } else {
        0x2000
    };
    let queue = prop_oneof![3 => Just(Some(MD_EVENTS)), 1 => Just(None)];
    let counter = prop_oneof![1 => Just(None), 2 => counter().prop_map(Some)];
    (start..0x2400, 0..0x1c00u64, options, queue, counter).prop_map(
        |(start, length, options, queue, counter)| MemoryDescriptor {
            start,
            length,
            options: MdOptions(options & !(1 << MdOption::Iovec as u32)),
            queue,
            counter: counter.map(CounterId),
        },
    )
}

/// A descriptor, perhaps of a list of pieces.
pub fn any_descriptor() -> impl Strategy<Value = MemoryDescriptor> {
    (
        descriptor(),
        prop_oneof![1 => Just(None), 1 => pieces(1).prop_map(Some)],
    )
        .prop_map(|(md, list)| match list {
            None => md,
            Some((start, length)) => MemoryDescriptor {
                start,
                length,
                options: MdOptions(md.options.0 | 1 << MdOption::Iovec as u32),
                ..md
            },
        })
}
