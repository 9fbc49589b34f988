//! Atomics between nodes. Here: what each command does.

mod errors;
mod order;
mod refused;
mod told;

use xtq_testbench::host::{
    AckRequest, Atomic, AtomicOp, Command, Datatype, EventKind, FetchAtomic, Md, Put, Swap,
    ptl_atomic, ptl_fetch_atomic, ptl_me_append, ptl_swap,
};
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

use super::fixture::{SHARED, SOURCE, TARGET, World, entry, kinds, pattern, put};

/// Where replies go, as offset in descriptor 0.
const REPLIES: u64 = 0x8000;
fn atomic(put: Put, operation: AtomicOp, datatype: Datatype) -> Command {
    ptl_atomic(&Atomic {
        put,
        operation,
        datatype,
    })
}

fn fetch(put: Put, operation: AtomicOp, datatype: Datatype) -> FetchAtomic {
    FetchAtomic {
        get_md: Md(0),
        local_get_offset: REPLIES,
        put,
        operation,
        datatype,
    }
}

fn swap(put: Put, operation: AtomicOp, datatype: Datatype, operand: u64) -> Command {
    ptl_swap(&Swap {
        fetch: fetch(put, operation, datatype),
        operand,
    })
}

fn write_words(world: &mut World, node: usize, address: u64, words: &[u64]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    world.write(node, address, &bytes);
}

fn words(world: &World, node: usize, address: u64, count: usize) -> Vec<u64> {
    let bytes = world.read(node, address, 8 * count);
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes.chunks(8).map(word).collect()
}

#[test]
fn an_atomic_changes_memory_and_is_told_of_like_a_put() {
    for seed in [None, Some(3)] {
        let mut world = World::with_lists(seed, &[ptl_me_append(&entry(1, 5, 4096))]);
        for (length, remote) in [(8, 0), (512, 40), (64, 56), (200, 4088 - 200), (0, 16)] {
            let count = length as usize / 8;
            let (ours, theirs): (Vec<u64>, Vec<u64>) =
                (0..count as u64).map(|i| (i * 3 + 1, u64::MAX - i)).unzip();
            world.write(1, SHARED, &[0xEE; 4200]);
            write_words(&mut world, 0, SOURCE + 8, &ours);
            write_words(&mut world, 1, SHARED + remote, &theirs);
            let sum = Put {
                ack: AckRequest::Ack,
                ..put(8, length, remote)
            };
            let told = world.run(0, &[atomic(sum, AtomicOp::Sum, Datatype::Uint64)]);
            assert_eq!(kinds(&told), [EventKind::Send, EventKind::Ack]);
            for event in &told {
                assert_eq!(
                    (event.status, event.ni_fail, event.user_ptr()),
                    (status::OK, ni_fail::OK, Some(7))
                );
                assert_eq!(
                    (u64::from(event.rlength), u64::from(event.mlength)),
                    (length, length)
                );
            }
            assert_eq!(told[1].remote_offset, remote);
            let expected: Vec<u64> = ours
                .iter()
                .zip(&theirs)
                .map(|(a, b)| a.wrapping_add(*b))
                .collect();
            assert_eq!(words(&world, 1, SHARED + remote, count), expected);
            let around = [
                world.read(1, SHARED, remote as usize),
                world.read(
                    1,
                    SHARED + remote + length,
                    4200 - (remote + length) as usize,
                ),
            ];
            assert!(
                around.concat().iter().all(|byte| *byte == 0xEE),
                "{length} at {remote}"
            );
            let told = world.events(1);
            assert_eq!(kinds(&told), [EventKind::Atomic]);
            let event = &told[0];
            assert_eq!(
                (event.status, event.start, event.user_ptr()),
                (status::OK, SHARED + remote, Some(0x1001))
            );
            assert_eq!(
                (u64::from(event.rlength), u64::from(event.mlength)),
                (length, length)
            );
            assert_eq!(
                (event.hdr_data, event.match_bits, event.user_id),
                (99, 5, 100)
            );
        }
        assert_eq!(world.status_counts(1), [0; 3]);
    }
}

#[test]
fn a_fetch_brings_the_old_data_and_is_told_of_at_both_ends() {
    for seed in [None, Some(4)] {
        let mut world = World::with_lists(seed, &[ptl_me_append(&entry(1, 5, 4096))]);
        for (length, remote) in [(4, 4), (512, 60), (100, 8), (0, 0)] {
            let old = pattern(length as usize, remote);
            let new = pattern(length as usize, 77);
            world.write(0, SOURCE + REPLIES, &[0xEE; 600]);
            world.write(0, SOURCE + 100, &new);
            world.write(1, SHARED + remote, &old);
            let command = fetch(put(100, length, remote), AtomicOp::Bxor, Datatype::Uint32);
            let told = world.run(0, &[ptl_fetch_atomic(&command)]);
            assert_eq!(kinds(&told), [EventKind::Send, EventKind::Reply]);
            for event in &told {
                assert_eq!(
                    (event.status, event.ni_fail, event.user_ptr()),
                    (status::OK, ni_fail::OK, Some(7))
                );
                assert_eq!(
                    (u64::from(event.rlength), u64::from(event.mlength)),
                    (length, length)
                );
            }
            assert_eq!((told[1].remote_offset, told[1].initiator), (remote, TARGET));
            let mut expected = vec![0xEE; 600];
            expected[..length as usize].copy_from_slice(&old);
            assert!(world.read(0, SOURCE + REPLIES, 600) == expected, "{length}");
            let mixed: Vec<u8> = old.iter().zip(&new).map(|(a, b)| a ^ b).collect();
            assert!(
                world.read(1, SHARED + remote, length as usize) == mixed,
                "{length}"
            );
            let told = world.events(1);
            assert_eq!(kinds(&told), [EventKind::FetchAtomic]);
            assert_eq!(
                (told[0].status, told[0].start, u64::from(told[0].mlength)),
                (status::OK, SHARED + remote, length)
            );
            assert_eq!((told[0].hdr_data, told[0].user_ptr()), (99, Some(0x1001)));
        }
    }
}

/// SWAP of many data; CSWAP and its kin, and MSWAP, of one, on every size, where they do and do not replace.
#[test]
fn a_swap_replaces_always_on_a_condition_or_in_part() {
    let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    let (ours, theirs) = (pattern(512, 1), pattern(512, 2));
    world.write(0, SOURCE, &ours);
    world.write(1, SHARED + 2, &theirs);
    let told = world.run(
        0,
        &[swap(put(0, 510, 2), AtomicOp::Swap, Datatype::Int16, 0)],
    );
    assert_eq!(kinds(&told), [EventKind::Send, EventKind::Reply]);
    assert_eq!(world.read(0, SOURCE + REPLIES, 510), theirs[..510]);
    assert_eq!(world.read(1, SHARED + 2, 510), ours[..510]);
    assert_eq!(world.read(1, SHARED + 512, 2), theirs[510..]);
    world.events(1);
    for (datatype, size) in [
        (Datatype::Uint8, 1),
        (Datatype::Uint16, 2),
        (Datatype::Uint32, 4),
        (Datatype::Uint64, 8),
    ] {
        let mask = u64::MAX >> (64 - 8 * size);
        let (source, old) = (0x1122_3344_5566_7788 & mask, 0x99AA_BBCC_DDEE_FF55 & mask);
        for (operation, operand, new) in [
            (AtomicOp::Cswap, old, source),
            (AtomicOp::Cswap, old ^ 1, old),
            (AtomicOp::CswapNe, old ^ 1, source),
            (AtomicOp::CswapLt, old, old),
            (AtomicOp::CswapLe, old, source),
            (AtomicOp::CswapGt, old + 1, source),
            (AtomicOp::CswapGe, old - 1, old),
            (AtomicOp::Mswap, 0x0F0F_0F0F_0F0F_0F0F, 0),
        ] {
            let new = match operation {
                AtomicOp::Mswap => (source & operand | old & !operand) & mask,
                _ => new,
            };
            // Bytes after the datum at the source are nobody's business.
            write_words(&mut world, 0, SOURCE + 64, &[source | !mask, u64::MAX]);
            write_words(&mut world, 1, SHARED + 64, &[old, 0]);
            world.write(0, SOURCE + REPLIES, &[0xEE; 16]);
            let remote = 64;
            let told = world.run(
                0,
                &[swap(put(64, size, remote), operation, datatype, operand)],
            );
            assert_eq!(kinds(&told), [EventKind::Send, EventKind::Reply]);
            let what = format!("{operation:?} of {datatype:?}");
            assert_eq!(
                (told[1].status, u64::from(told[1].mlength)),
                (status::OK, size),
                "{what}"
            );
            assert_eq!(words(&world, 1, SHARED + 64, 2), [new, 0], "{what}");
            let mut expected = [0xEE; 16];
            expected[..size as usize].copy_from_slice(&old.to_le_bytes()[..size as usize]);
            assert_eq!(world.read(0, SOURCE + REPLIES, 16), expected, "{what}");
            assert_eq!(kinds(&world.events(1)), [EventKind::FetchAtomic]);
        }
    }
}
