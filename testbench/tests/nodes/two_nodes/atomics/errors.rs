//! Atomics whose memory fails at one end or the other.

use xtq_testbench::bus::Access;
use xtq_testbench::host::{
    AckRequest, AtomicOp, Datatype, EventKind, FetchAtomic, Put, ptl_fetch_atomic, ptl_me_append,
};
use xtq_types::event::{access, status};
use xtq_types::wire_header::ni_fail;

use super::{REPLIES, atomic, fetch, swap, words, write_words};
use crate::two_nodes::fixture::{SHARED, SOURCE, World, entry, fault, put};

#[test]
fn a_memory_error_at_the_target_is_told_at_both_ends_and_the_next_is_whole() {
    for (failing, changed) in [(Access::Read, false), (Access::Write, true)] {
        let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 4096))]);
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
            let told = world.run(
                0,
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
    let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 4096))]);
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
        let told = world.run(0, &[command]);
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
    let told = world.run(0, &[sum(0), sum(64)]);
    let replies: Vec<_> = told.iter().filter(|e| e.kind == EventKind::Reply).collect();
    assert_eq!(
        (replies[0].status, replies[0].access),
        (status::MEMORY_ERROR, access::PAYLOAD)
    );
    assert_eq!(replies[1].status, status::OK);
    assert_eq!(words(&world, 0, SOURCE + REPLIES + 64, 1), [11]);
    assert_eq!(words(&world, 1, SHARED, 1), [12]);
}
