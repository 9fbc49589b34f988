//! Atomics between nodes: what each command does, order, refusals, errors, and what both ends are told.

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::wire_header::ni_fail;
use xtq_testbench::bus::{Access, ErrorResponse, Fault};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    AckRequest, Atomic, AtomicOp, Command, CommandError, CounterValue, Ct, Datatype, Event,
    EventKind, FetchAtomic, Get, List, MatchEntry, Md, Me, MemoryDescriptor, Process,
    ProcessConfig, ProcessId, Pt, Put, Ring, Swap, Trigger, fence, md_option, me_option,
    portal_option, ptl_atomic, ptl_ct_alloc, ptl_ct_get, ptl_ct_inc, ptl_fetch_atomic, ptl_get,
    ptl_md_bind, ptl_md_release, ptl_me_append, ptl_pt_alloc, ptl_pt_disable, ptl_put, ptl_swap,
    ptl_triggered_atomic, ptl_triggered_fetch_atomic, ptl_triggered_swap,
};
use xtq_testbench::network::{Link, NetworkConfig};

use super::fixture::{SOURCE, TARGET, World, bind, pattern};

const LISTS: Pt = Pt(20);
/// Memory that atomics change: entry 1, match bits 5.
const SHARED: u64 = 0x5000_0000;
/// Where replies go, as offset in descriptor 0.
const REPLIES: u64 = 0x8000;
const BOTH: u32 = me_option::OP_PUT | me_option::OP_GET | me_option::LINK_DISABLE;

fn entry(me: u16, match_bits: u64, length: u64) -> MatchEntry {
    MatchEntry {
        me: Me(me),
        pt_index: LISTS,
        start: SHARED,
        length,
        options: BOTH,
        match_bits,
        user_ptr: 0x1000 + u64::from(me),
        ..MatchEntry::default()
    }
}

/// `length` bytes from `offset` of descriptor 0 to `remote` of entry 1.
fn put(offset: u64, length: u64, remote: u64) -> Put {
    Put {
        md: Md(0),
        local_offset: offset,
        length,
        target: TARGET,
        pt_index: LISTS,
        match_bits: 5,
        remote_offset: remote,
        hdr_data: 99,
        user_ptr: 7,
        ..Put::default()
    }
}

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

/// Two nodes with lists, the second with these commands behind PT_ALLOC.
fn with(seed: Option<u64>, commands: &[Command]) -> World {
    let mut world = World::new(2, seed, &NetworkConfig::default());
    for node in 0..2 {
        world.post(node, &[ptl_pt_alloc(LISTS, portal_option::MATCHING)]);
    }
    world.post(1, commands);
    world.settle();
    assert_eq!(world.events(1), []);
    world
}

fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

/// Node 0 does this; its events.
fn run(world: &mut World, commands: &[Command]) -> Vec<Event> {
    world.post(0, commands);
    world.settle();
    world.events(0)
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

/// Counter of a process.
fn count(world: &mut World, node: usize, counter: u16) -> CounterValue {
    world.post(node, &[ptl_ct_get(Ct(counter)).with_completion()]);
    world.settle();
    let event = world.events(node).pop().expect("a completion");
    assert_eq!(event.result(), Some(Ok(())));
    event.counter()
}

#[test]
fn an_atomic_changes_memory_and_is_told_of_like_a_put() {
    for seed in [None, Some(3)] {
        let mut world = with(seed, &[ptl_me_append(&entry(1, 5, 4096))]);
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
            let told = run(&mut world, &[atomic(sum, AtomicOp::Sum, Datatype::Uint64)]);
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
        let mut world = with(seed, &[ptl_me_append(&entry(1, 5, 4096))]);
        for (length, remote) in [(4, 4), (512, 60), (100, 8), (0, 0)] {
            let old = pattern(length as usize, remote);
            let new = pattern(length as usize, 77);
            world.write(0, SOURCE + REPLIES, &[0xEE; 600]);
            world.write(0, SOURCE + 100, &new);
            world.write(1, SHARED + remote, &old);
            let command = fetch(put(100, length, remote), AtomicOp::Bxor, Datatype::Uint32);
            let told = run(&mut world, &[ptl_fetch_atomic(&command)]);
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
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    let (ours, theirs) = (pattern(512, 1), pattern(512, 2));
    world.write(0, SOURCE, &ours);
    world.write(1, SHARED + 2, &theirs);
    let told = run(
        &mut world,
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
            // Bytes behind the datum at the source are nobody's business.
            write_words(&mut world, 0, SOURCE + 64, &[source | !mask, u64::MAX]);
            write_words(&mut world, 1, SHARED + 64, &[old, 0]);
            world.write(0, SOURCE + REPLIES, &[0xEE; 16]);
            let remote = 64;
            let told = run(
                &mut world,
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

/// The table "Order" of docs/atomics.md, line by line, on memories that answer late and out of order.
#[test]
fn each_finds_what_came_before_it() {
    for seed in 0..40 {
        let mut world = with(Some(seed), &[ptl_me_append(&entry(1, 5, 4096))]);
        let one = |remote| atomic(put(0, 8, remote), AtomicOp::Sum, Datatype::Uint64);
        write_words(&mut world, 0, SOURCE, &[1]);
        write_words(&mut world, 0, SOURCE + 64, &[1000; 40]);
        write_words(&mut world, 1, SHARED, &[5; 64]);
        let long = put(64, 320, 0);
        let get = |offset, remote| {
            ptl_get(&Get {
                md: Md(0),
                local_offset: REPLIES + offset,
                length: 8,
                target: TARGET,
                pt_index: LISTS,
                match_bits: 5,
                remote_offset: remote,
                user_ptr: 0,
            })
        };
        let told = run(
            &mut world,
            &[
                // put, atomic; atomic, atomic; atomic, GET
                ptl_put(&long),
                one(312),
                one(312),
                get(0, 312),
                // atomic, put
                one(400),
                ptl_put(&put(64, 8, 400)),
                // the same two again, behind a put elsewhere
                ptl_put(&put(64, 8, 480)),
                one(408),
                ptl_put(&put(64, 8, 408)),
                get(8, 408),
            ],
        );
        assert_eq!(told.iter().filter(|e| e.status != status::OK).count(), 0);
        let last = words(&world, 1, SHARED + 304, 2);
        assert_eq!(
            last,
            [1000, 1002],
            "seed {seed}: behind a put and each other"
        );
        assert_eq!(
            words(&world, 1, SHARED + 400, 2),
            [1000; 2],
            "seed {seed}: put behind"
        );
        assert_eq!(
            words(&world, 0, SOURCE + REPLIES, 2),
            [1002, 1000],
            "seed {seed}: GET"
        );
    }
}

/// Tickets: every node takes some, from all contexts at once; each is given once, and nobody's other traffic suffers.
#[test]
fn every_ticket_is_given_once() {
    for seed in 0..4 {
        let nodes = 3;
        let mut world = World::new(nodes, Some(seed), &NetworkConfig::default());
        world.post(
            1,
            &[
                ptl_pt_alloc(LISTS, portal_option::MATCHING),
                ptl_me_append(&MatchEntry {
                    options: BOTH | me_option::COMM_DISABLE,
                    ..entry(1, 5, 4096)
                }),
            ],
        );
        world.settle();
        let each = 25;
        for node in 0..nodes {
            write_words(&mut world, node, SOURCE, &[1]);
            let commands: Vec<Command> = (0..each)
                .flat_map(|i| {
                    let ticket = FetchAtomic {
                        local_get_offset: REPLIES + 8 * i,
                        ..fetch(put(0, 8, 0), AtomicOp::Sum, Datatype::Uint64)
                    };
                    let other = put(0, 8, 1024 + 8 * (each * node as u64 + i));
                    [ptl_fetch_atomic(&ticket), ptl_put(&other)]
                })
                .collect();
            world.post(node, &commands);
        }
        world.settle();
        let mut tickets = Vec::new();
        for node in 0..nodes {
            let own = words(&world, node, SOURCE + REPLIES, each as usize);
            assert!(own.is_sorted(), "seed {seed}: {own:?}");
            tickets.extend(own);
        }
        tickets.sort_unstable();
        let all = each * nodes as u64;
        assert_eq!(tickets, (0..all).collect::<Vec<u64>>(), "seed {seed}");
        assert_eq!(words(&world, 1, SHARED, 1), [all]);
        assert_eq!(
            words(&world, 1, SHARED + 1024, all as usize),
            vec![1; all as usize]
        );
    }
}

#[test]
fn a_wrong_atomic_is_refused_by_name_and_not_sent() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    use AtomicOp as Op;
    use CommandError::{BadArgument, BadDescriptor, DescriptorOverflow, TooLong, Unsupported};
    use Datatype as D;
    let put_of = |length| put(0, length, 0);
    let get_from = |md: u16, offset| {
        let command = fetch(put_of(8), Op::Sum, D::Uint64);
        ptl_fetch_atomic(&FetchAtomic {
            get_md: Md(md),
            local_get_offset: offset,
            ..command
        })
    };
    let far = |md: u16, offset| {
        let put = Put {
            md: Md(md),
            ..put(offset, 8, 0)
        };
        atomic(put, Op::Sum, D::Uint64)
    };
    for (command, error) in [
        (atomic(put_of(8), Op::Swap, D::Uint64), BadArgument),
        (
            ptl_fetch_atomic(&fetch(put_of(8), Op::Cswap, D::Uint64)),
            BadArgument,
        ),
        (swap(put_of(8), Op::Sum, D::Uint64, 0), BadArgument),
        (atomic(put_of(8), Op::Bor, D::Double), BadArgument),
        (atomic(put_of(8), Op::Prod, D::Double), Unsupported),
        (swap(put_of(16), Op::Swap, D::DoubleComplex, 0), Unsupported),
        (atomic(put_of(513), Op::Sum, D::Uint8), TooLong),
        (atomic(put_of(1 << 33), Op::Sum, D::Uint8), TooLong),
        (atomic(put_of(12), Op::Sum, D::Uint64), BadArgument),
        (swap(put_of(16), Op::Cswap, D::Uint64, 0), BadArgument),
        (swap(put_of(0), Op::Mswap, D::Uint64, 0), BadArgument),
        (far(9, 0), BadDescriptor),
        (far(0, u64::MAX), DescriptorOverflow),
        (get_from(9, 0), BadDescriptor),
        (
            get_from(0, super::fixture::SOURCE_BYTES - 7),
            DescriptorOverflow,
        ),
    ] {
        let told = run(&mut world, &[command]);
        assert_eq!(told.len(), 1, "{error:?}");
        assert_eq!(told[0].result(), Some(Err(error)));
    }
    // Nothing was sent, and nothing is held.
    assert_eq!(world.events(1), []);
    assert_eq!(world.read(1, SHARED, 1024), [0; 1024]);
    let told = run(&mut world, &[ptl_md_release(Md(0)).with_completion()]);
    assert_eq!(told[0].result(), Some(Ok(())));
}

/// What the target does not let be done: each with an ATOMIC, a FETCH_ATOMIC and a SWAP.
#[test]
fn what_the_target_refuses_changes_nothing() {
    let closed = Pt(21);
    let only = |me, bits, option| MatchEntry {
        options: option | me_option::LINK_DISABLE,
        ..entry(me, bits, 4096)
    };
    let mut world = with(
        None,
        &[
            ptl_me_append(&entry(1, 5, 4096)),
            ptl_me_append(&only(2, 6, me_option::OP_PUT)),
            ptl_me_append(&only(3, 7, me_option::OP_GET)),
            ptl_me_append(&MatchEntry {
                user_id: Some(55),
                ..entry(4, 8, 4096)
            }),
            ptl_pt_alloc(closed, portal_option::MATCHING),
            ptl_pt_disable(closed),
        ],
    );
    world.write(0, SOURCE, &[3; 64]);
    world.write(0, SOURCE + REPLIES, &[0xEE; 64]);
    let operation = (status::OP_VIOLATION, ni_fail::OP_VIOLATION);
    let permission = (status::PERM_VIOLATION, ni_fail::PERM_VIOLATION);
    let disabled = (status::PT_DISABLED, ni_fail::PT_DISABLED);
    let mut counts = [0; 3];
    for (pt_index, match_bits, remote, expected, counted) in [
        // No multiple of a datum: found behind the match.
        (LISTS, 5, 4, operation, [0, 0, 0]),
        (LISTS, 5, 1, operation, [0, 0, 0]),
        (LISTS, 7, 0, operation, [0, 0, 1]),
        (LISTS, 8, 0, permission, [0, 1, 0]),
        (LISTS, 9, 0, (status::NO_MATCH, ni_fail::DROPPED), [1, 0, 0]),
        (closed, 5, 0, disabled, [1, 0, 0]),
        (
            Pt(40),
            5,
            0,
            (status::NO_PORTAL, ni_fail::DROPPED),
            [1, 0, 0],
        ),
        // A single buffer can only be written.
        (Pt(0), 5, 0, operation, [0, 0, 0]),
    ] {
        let to = Put {
            ack: AckRequest::Ack,
            pt_index,
            match_bits,
            ..put(0, 8, remote)
        };
        for (number, command) in [
            atomic(to, AtomicOp::Sum, Datatype::Uint64),
            ptl_fetch_atomic(&fetch(to, AtomicOp::Max, Datatype::Int64)),
            swap(to, AtomicOp::Cswap, Datatype::Uint64, 0),
        ]
        .into_iter()
        .enumerate()
        {
            let told = run(&mut world, &[command]);
            let last = if number == 0 {
                EventKind::Ack
            } else {
                EventKind::Reply
            };
            let what = format!("command {number} to {pt_index:?}, {match_bits}, {remote}");
            assert_eq!(kinds(&told), [EventKind::Send, last], "{what}");
            assert_eq!((told[1].status, told[1].ni_fail), expected, "{what}");
            assert_eq!((told[1].rlength, told[1].mlength), (8, 0), "{what}");
            let events = world.events(1);
            let kind = [EventKind::Atomic, EventKind::FetchAtomic][usize::from(number > 0)];
            if match_bits == 5 && (pt_index == LISTS || pt_index == Pt(0)) {
                assert_eq!(kinds(&events), [kind], "{what}");
                assert_eq!(
                    (events[0].status, events[0].mlength),
                    (status::OP_VIOLATION, 0)
                );
            } else {
                assert_eq!(events, [], "{what}");
            }
            for (sum, more) in counts.iter_mut().zip(counted) {
                *sum += more;
            }
        }
    }
    // An entry that may only be written takes an ATOMIC and no other.
    let to = Put {
        match_bits: 6,
        ..put(0, 8, 512)
    };
    let told = run(&mut world, &[atomic(to, AtomicOp::Sum, Datatype::Uint64)]);
    assert_eq!(kinds(&told), [EventKind::Send]);
    assert_eq!(kinds(&world.events(1)), [EventKind::Atomic]);
    for command in [
        ptl_fetch_atomic(&fetch(to, AtomicOp::Sum, Datatype::Uint64)),
        swap(to, AtomicOp::Swap, Datatype::Uint64, 0),
    ] {
        let told = run(&mut world, &[command]);
        assert_eq!((told[1].status, told[1].ni_fail), operation);
        counts[2] += 1;
    }
    assert_eq!(world.status_counts(1), counts);
    assert_eq!(world.read(1, SHARED, 512), [0; 512]);
    assert_eq!(world.read(1, SHARED + 512, 8), [3; 8]);
    assert_eq!(world.read(0, SOURCE + REPLIES, 64), [0xEE; 64]);
}

#[test]
fn what_does_not_fit_is_done_in_part() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 100))]);
    write_words(&mut world, 0, SOURCE, &[1; 64]);
    write_words(&mut world, 1, SHARED, &[10; 64]);
    // Twelve words and a half: the half is fetched and stays as it is.
    let command = fetch(put(0, 512, 0), AtomicOp::Sum, Datatype::Uint64);
    world.write(0, SOURCE + REPLIES, &[0xEE; 200]);
    let told = run(&mut world, &[ptl_fetch_atomic(&command)]);
    assert_eq!((told[1].rlength, told[1].mlength), (512, 100));
    let expected: Vec<u64> = (0..64).map(|i| if i < 12 { 11 } else { 10 }).collect();
    assert_eq!(words(&world, 1, SHARED, 64), expected);
    assert_eq!(words(&world, 0, SOURCE + REPLIES, 12), [10; 12]);
    let rest = world.read(0, SOURCE + REPLIES + 96, 8);
    assert_eq!(rest, [10, 0, 0, 0, 0xEE, 0xEE, 0xEE, 0xEE]);
    assert_eq!((world.events(1)[0]).mlength, 100);
    // Behind the end: nothing is done, and that is no failure.
    let told = run(
        &mut world,
        &[
            ptl_fetch_atomic(&fetch(put(0, 8, 104), AtomicOp::Sum, Datatype::Uint64)),
            swap(put(0, 8, 96), AtomicOp::Cswap, Datatype::Uint64, 10),
        ],
    );
    let replies: Vec<_> = told.iter().filter(|e| e.kind == EventKind::Reply).collect();
    assert_eq!((replies[0].ni_fail, replies[0].mlength), (ni_fail::OK, 0));
    assert_eq!((replies[1].ni_fail, replies[1].mlength), (ni_fail::OK, 4));
    assert_eq!(words(&world, 1, SHARED, 64), expected);
}

fn fault(world: &mut World, node: usize, addresses: std::ops::RangeInclusive<u64>, access: Access) {
    world.cluster.nodes_mut()[node].memory.inject(Fault {
        context: Some(0),
        addresses,
        access,
        response: ErrorResponse::SlaveError,
        code: 5,
        count: Some(1),
    });
}

#[test]
fn a_memory_error_at_the_target_is_told_at_both_ends_and_the_next_is_whole() {
    for (failing, changed) in [(Access::Read, false), (Access::Write, true)] {
        let mut world = with(None, &[ptl_me_append(&entry(1, 5, 4096))]);
        write_words(&mut world, 0, SOURCE, &[1; 64]);
        let commands = |to: Put| {
            [
                atomic(to, AtomicOp::Sum, Datatype::Uint64),
                ptl_fetch_atomic(&fetch(to, AtomicOp::Sum, Datatype::Uint64)),
            ]
        };
        for number in 0..2 {
            write_words(&mut world, 1, SHARED, &[10; 128]);
            world.write(0, SOURCE + REPLIES, &[0xEE; 512]);
            fault(&mut world, 1, SHARED + 64..=SHARED + 127, failing);
            let to = Put {
                ack: AckRequest::Ack,
                ..put(0, 192, 0)
            };
            let behind = Put {
                remote_offset: 512,
                ..to
            };
            let told = run(
                &mut world,
                &[
                    commands(to)[number].clone(),
                    commands(behind)[number].clone(),
                ],
            );
            let ends: Vec<_> = told.iter().filter(|e| e.kind != EventKind::Send).collect();
            assert_eq!(
                (ends[0].status, ends[0].ni_fail, ends[0].mlength),
                (status::MEMORY_ERROR, ni_fail::SEGV, 0)
            );
            assert_eq!((ends[1].status, ends[1].mlength), (status::OK, 192));
            let events = world.events(1);
            assert_eq!(
                (events[0].status, events[0].access, events[0].mlength),
                (status::MEMORY_ERROR, access::PAYLOAD, 0)
            );
            assert_eq!((events[1].status, events[1].mlength), (status::OK, 192));
            let expected = if changed { 11 } else { 10 };
            assert_eq!(words(&world, 1, SHARED, 1), [expected]);
            assert_eq!(words(&world, 1, SHARED + 512, 24), [11; 24]);
            // The old bytes are those of the second.
            if number == 1 {
                assert_eq!(words(&world, 0, SOURCE + REPLIES, 24), [10; 24]);
            }
        }
    }
}

#[test]
fn errors_at_the_initiator_harm_nobody_else() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    write_words(&mut world, 0, SOURCE, &[1; 64]);
    write_words(&mut world, 1, SHARED, &[10; 128]);
    let sum = |offset| {
        ptl_fetch_atomic(&FetchAtomic {
            local_get_offset: REPLIES + offset,
            ..fetch(put(0, 8, 0), AtomicOp::Sum, Datatype::Uint64)
        })
    };
    let compare = swap(put(128, 8, 8), AtomicOp::Cswap, Datatype::Uint64, 10);
    // What is sent cannot be read: nothing is done, whether there is an operand or not.
    for (address, command) in [(SOURCE, sum(0)), (SOURCE + 128, compare)] {
        fault(&mut world, 0, address..=address + 63, Access::Read);
        let told = run(&mut world, &[command]);
        assert_eq!(
            (told[0].kind, told[0].status, told[0].access),
            (EventKind::Send, status::MEMORY_ERROR, access::GATHER)
        );
        assert_eq!(
            (told[1].kind, told[1].status, told[1].ni_fail),
            (EventKind::Reply, status::BAD_LENGTH, ni_fail::DROPPED)
        );
        assert_eq!(world.events(1)[0].status, status::BAD_LENGTH);
        assert_eq!(words(&world, 1, SHARED, 2), [10; 2]);
    }
    // The reply cannot be written: it is done all the same.
    let address = SOURCE + REPLIES;
    fault(&mut world, 0, address..=address + 63, Access::Write);
    let told = run(&mut world, &[sum(0), sum(64)]);
    let replies: Vec<_> = told.iter().filter(|e| e.kind == EventKind::Reply).collect();
    assert_eq!(
        (replies[0].status, replies[0].access),
        (status::MEMORY_ERROR, access::PAYLOAD)
    );
    assert_eq!(replies[1].status, status::OK);
    assert_eq!(words(&world, 0, SOURCE + REPLIES + 64, 1), [11]);
    assert_eq!(words(&world, 1, SHARED, 1), [12]);
}

#[test]
fn both_descriptors_and_the_entry_count_and_keep_silent_as_they_say() {
    let counted = MatchEntry {
        counter: Some(Ct(1)),
        options: BOTH | me_option::CT_COMM | me_option::CT_BYTES | me_option::COMM_DISABLE,
        ..entry(1, 5, 4096)
    };
    let mut world = with(None, &[ptl_ct_alloc(Ct(1)), ptl_me_append(&counted)]);
    let descriptor = |md, counter, options| {
        ptl_md_bind(&MemoryDescriptor {
            md: Md(md),
            start: SOURCE,
            length: 0x10000,
            options,
            counter: Some(Ct(counter)),
        })
    };
    let all = md_option::CT_SEND | md_option::CT_REPLY | md_option::CT_ACK;
    let told = run(
        &mut world,
        &[
            ptl_ct_alloc(Ct(2)),
            ptl_ct_alloc(Ct(3)),
            descriptor(1, 2, all),
            descriptor(2, 3, all | md_option::CT_BYTES),
        ],
    );
    assert_eq!(told, []);
    let from = |ack| Put {
        md: Md(1),
        ack,
        ..put(0, 24, 0)
    };
    let command = FetchAtomic {
        get_md: Md(2),
        ..fetch(from(AckRequest::None), AtomicOp::Sum, Datatype::Uint64)
    };
    // Of the descriptor with the data the message that was sent, of the other the bytes that came.
    assert_eq!(run(&mut world, &[ptl_fetch_atomic(&command)]), []);
    assert_eq!(
        (
            count(&mut world, 0, 2).success,
            count(&mut world, 0, 3).success
        ),
        (1, 24)
    );
    // An ATOMIC counts sent and acknowledged.
    let sum = atomic(from(AckRequest::Ct), AtomicOp::Sum, Datatype::Uint64);
    assert_eq!(run(&mut world, &[sum]), []);
    assert_eq!(
        (
            count(&mut world, 0, 2).success,
            count(&mut world, 0, 3).success
        ),
        (3, 24)
    );
    assert_eq!(count(&mut world, 1, 1).success, 48);
    // What fails is one failure of the descriptor that the reply goes to.
    let lost = FetchAtomic {
        put: Put {
            match_bits: 1,
            ..command.put
        },
        ..command
    };
    assert_eq!(run(&mut world, &[ptl_fetch_atomic(&lost)]), []);
    assert_eq!(
        count(&mut world, 0, 2),
        CounterValue {
            success: 4,
            failure: 0
        }
    );
    assert_eq!(
        count(&mut world, 0, 3),
        CounterValue {
            success: 24,
            failure: 1
        }
    );
}

#[test]
fn both_descriptors_are_held_until_the_reply() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    let descriptors = [bind(1, SOURCE, 4096), bind(2, SOURCE, 4096)];
    assert_eq!(run(&mut world, &descriptors), []);
    let command = FetchAtomic {
        get_md: Md(2),
        local_get_offset: 0,
        put: Put {
            md: Md(1),
            ..put(0, 8, 0)
        },
        ..fetch(put(0, 8, 0), AtomicOp::Sum, Datatype::Uint64)
    };
    let told = run(
        &mut world,
        &[
            ptl_fetch_atomic(&command),
            ptl_md_release(Md(1)).with_completion(),
            ptl_md_release(Md(2)).with_completion(),
            fence(),
            ptl_md_release(Md(1)).with_completion(),
            ptl_md_release(Md(2)).with_completion(),
        ],
    );
    let results: Vec<_> = told.iter().filter_map(|event| event.result()).collect();
    let in_use = Err(CommandError::InUse);
    assert_eq!(results, [in_use, in_use, Ok(()), Ok(())]);
}

#[test]
fn an_unexpected_atomic_is_done_in_the_overflow_buffer_and_told_to_the_append() {
    let overflow = MatchEntry {
        list: List::Overflow,
        ignore_bits: u64::MAX,
        options: BOTH | me_option::COMM_DISABLE,
        ..entry(1, 0, 4096)
    };
    let mut world = with(None, &[ptl_me_append(&overflow)]);
    write_words(&mut world, 0, SOURCE, &[7]);
    let told = run(
        &mut world,
        &[
            atomic(put(0, 8, 16), AtomicOp::Sum, Datatype::Uint64),
            ptl_fetch_atomic(&fetch(put(0, 8, 16), AtomicOp::Sum, Datatype::Uint64)),
            swap(put(0, 8, 24), AtomicOp::Swap, Datatype::Uint64, 0),
        ],
    );
    assert!(told.iter().all(|event| event.status == status::OK));
    assert_eq!(words(&world, 1, SHARED + 16, 2), [14, 7]);
    assert_eq!(world.events(1), []);
    world.post(1, &[ptl_me_append(&entry(2, 5, 4096))]);
    world.settle();
    let told = world.events(1);
    assert_eq!(
        kinds(&told),
        [
            EventKind::AtomicOverflow,
            EventKind::FetchAtomicOverflow,
            EventKind::FetchAtomicOverflow
        ]
    );
    assert_eq!((told[0].start, told[0].mlength), (SHARED + 16, 8));
}

#[test]
fn a_triggered_atomic_is_sent_when_it_fires() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    write_words(&mut world, 0, SOURCE, &[1]);
    write_words(&mut world, 1, SHARED, &[10; 4]);
    let on = |threshold| Trigger {
        counter: Ct(4),
        threshold,
    };
    let sum = |remote| Atomic {
        put: put(0, 8, remote),
        operation: AtomicOp::Sum,
        datatype: Datatype::Uint64,
    };
    let fetched = fetch(put(0, 8, 8), AtomicOp::Sum, Datatype::Uint64);
    let swapped = Swap {
        fetch: FetchAtomic {
            local_get_offset: REPLIES + 8,
            ..fetch(put(0, 8, 16), AtomicOp::Cswap, Datatype::Uint64)
        },
        operand: 10,
    };
    let told = run(
        &mut world,
        &[
            ptl_ct_alloc(Ct(4)),
            ptl_triggered_atomic(&sum(0), on(1)),
            ptl_triggered_fetch_atomic(&fetched, on(2)),
            ptl_triggered_swap(&swapped, on(2)),
            ptl_triggered_atomic(&sum(24), on(9)),
        ],
    );
    assert_eq!((told, words(&world, 1, SHARED, 4)), (vec![], vec![10; 4]));
    // What is read is what is there when it fires.
    write_words(&mut world, 0, SOURCE, &[5]);
    let step = ptl_ct_inc(
        Ct(4),
        CounterValue {
            success: 1,
            failure: 0,
        },
    );
    let told = run(&mut world, std::slice::from_ref(&step));
    assert_eq!(kinds(&told), [EventKind::Send]);
    assert_eq!(words(&world, 1, SHARED, 4), [15, 10, 10, 10]);
    let told = run(&mut world, &[step]);
    assert_eq!(told.len(), 4);
    assert_eq!(words(&world, 1, SHARED, 4), [15, 15, 5, 10]);
    assert_eq!(words(&world, 0, SOURCE + REPLIES, 2), [10, 10]);
}

/// All messages of all contexts at once, the longest there are, both ways, on a network that takes a beat in 40 cycles: nobody waits for ever.
#[test]
fn two_nodes_that_fetch_from_each_other_do_not_wait_for_each_other() {
    let network = NetworkConfig {
        link: Link {
            bandwidth: (64, 40),
            ..NetworkConfig::default().link
        },
        buffer_beats: 65,
        ..NetworkConfig::default()
    };
    let mut world = World::new(2, None, &network);
    let mut others = Vec::new();
    for node in 0..2 {
        let mut commands = vec![ptl_pt_alloc(LISTS, portal_option::MATCHING)];
        commands.push(ptl_me_append(&MatchEntry {
            options: BOTH | me_option::COMM_DISABLE,
            ..entry(1, 5, 4096)
        }));
        world.post(node, &commands);
        for context in 1..4u8 {
            let shift = 0x100_0000 * u64::from(context);
            let own = ProcessConfig::default();
            let moved = |ring: Ring| Ring {
                base: ring.base + shift,
                ..ring
            };
            let config = ProcessConfig {
                commands: moved(own.commands),
                events: moved(own.events),
                ..own
            };
            let mut port = world.cluster.port(node);
            let mut process = Process::open(&mut port, context, &config).unwrap();
            process
                .post_all(&mut port, &[bind(0, SOURCE, 0x10_0000)])
                .unwrap();
            others.push((node, process));
        }
    }
    world.settle();
    let commands = |node: usize| -> Vec<Command> {
        let target = ProcessId {
            node: 1 - node as u16,
            context: 0,
        };
        let one = |i: u64| {
            ptl_fetch_atomic(&FetchAtomic {
                local_get_offset: REPLIES + 512 * i,
                ..fetch(
                    Put {
                        target,
                        ..put(0, 512, 0)
                    },
                    AtomicOp::Sum,
                    Datatype::Uint64,
                )
            })
        };
        (0..60).map(one).collect()
    };
    for node in 0..2 {
        for context in 0..4 {
            let memory = world.cluster.nodes_mut()[node].memory.memory_mut(context);
            memory.write(SOURCE, &1u64.to_le_bytes().repeat(64));
        }
        world.post(node, &commands(node));
    }
    for (node, process) in &mut others {
        let mut port = world.cluster.port(*node);
        process.post_all(&mut port, &commands(*node)).unwrap();
    }
    world.cluster.run_to_quiescence(1_000_000).unwrap();
    for node in 0..2 {
        assert_eq!(words(&world, node, SHARED, 64), [240; 64]);
        let mut seen: Vec<u64> = (0..4)
            .flat_map(|context| {
                let memory = world.cluster.nodes()[node].memory.memory(context);
                (0..60)
                    .map(|i| memory.read_u64(SOURCE + REPLIES + 512 * i))
                    .collect::<Vec<_>>()
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..240).collect::<Vec<u64>>());
    }
}

/// What a node does to shared words, for the model.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(u64),
    FetchAdd(u64),
    Swap(u64),
    Write(u64),
    Read,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// One node, three words, everything mixed: each command finds what the ones before it left, but a put may overtake a GET.
    #[test]
    fn mixed_commands_of_one_node_are_done_in_their_order(seed in any::<u32>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut world = with(Some(seed.into()), &[ptl_me_append(&MatchEntry {
            options: BOTH | me_option::COMM_DISABLE,
            ..entry(1, 5, 4096)
        })]);
        let mut model = [0u64; 3];
        for _ in 0..3 {
            let mut commands = Vec::new();
            let mut replies: Vec<(u64, u64)> = Vec::new();
            // Behind a GET of a word only GETs and atomics of it may come.
            let mut read = [false; 3];
            for i in 0..50u64 {
                let word = rng.random_range(0..3usize);
                let value = rng.random_range(1..1000);
                let steps = [Step::Add(value), Step::FetchAdd(value), Step::Swap(value), Step::Write(value), Step::Read];
                let step = steps.choose(&mut rng).copied().unwrap_or(Step::Read);
                let step = if read[word] { Step::Read } else { step };
                write_words(&mut world, 0, SOURCE + 8 * i, &[value]);
                // One of the words lies across lines with its neighbours.
                let to = put(8 * i, 8, [0, 56, 120][word]);
                let fetched = |operation| FetchAtomic {
                    local_get_offset: REPLIES + 8 * i,
                    ..fetch(to, operation, Datatype::Uint64)
                };
                let old = model[word];
                commands.push(match step {
                    Step::Add(value) => {
                        model[word] += value;
                        atomic(to, AtomicOp::Sum, Datatype::Uint64)
                    }
                    Step::FetchAdd(value) => {
                        model[word] += value;
                        replies.push((i, old));
                        ptl_fetch_atomic(&fetched(AtomicOp::Sum))
                    }
                    Step::Swap(value) => {
                        let operand = if rng.random_bool(0.5) { old } else { old + 1 };
                        if operand == old {
                            model[word] = value;
                        }
                        replies.push((i, old));
                        ptl_swap(&Swap { fetch: fetched(AtomicOp::Cswap), operand })
                    }
                    Step::Write(value) => {
                        model[word] = value;
                        ptl_put(&to)
                    }
                    Step::Read => {
                        read[word] = true;
                        replies.push((i, old));
                        ptl_get(&Get {
                            md: Md(0),
                            local_offset: REPLIES + 8 * i,
                            length: 8,
                            target: TARGET,
                            pt_index: LISTS,
                            match_bits: 5,
                            remote_offset: to.remote_offset,
                            user_ptr: 0,
                        })
                    }
                });
            }
            world.post(0, &commands);
            world.settle();
            for event in world.events(0) {
                prop_assert_eq!(event.status, status::OK);
            }
            for (i, old) in replies {
                prop_assert_eq!(words(&world, 0, SOURCE + REPLIES + 8 * i, 1), vec![old], "command {}", i);
            }
            for (word, remote) in [0u64, 56, 120].into_iter().enumerate() {
                prop_assert_eq!(words(&world, 1, SHARED + remote, 1), vec![model[word]]);
            }
        }
    }
}
