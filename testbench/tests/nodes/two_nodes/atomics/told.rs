//! What is reported of atomics: counts, descriptors that are held, unexpected and triggered ones.

use xtq_testbench::host::{
    AckRequest, Atomic, AtomicOp, CommandError, CounterValue, Ct, Datatype, EventKind, FetchAtomic,
    List, MatchEntry, Md, MemoryDescriptor, Put, Swap, Trigger, fence, md_option, me_option,
    ptl_ct_alloc, ptl_ct_inc, ptl_fetch_atomic, ptl_md_bind, ptl_md_release, ptl_me_append,
    ptl_triggered_atomic, ptl_triggered_fetch_atomic, ptl_triggered_swap,
};
use xtq_types::event::status;

use super::{REPLIES, atomic, fetch, swap, words, write_words};
use crate::two_nodes::fixture::{BOTH, SHARED, SOURCE, World, bind, entry, kinds, put};

#[test]
fn both_descriptors_and_the_entry_count_and_keep_silent_as_they_say() {
    let counted = MatchEntry {
        counter: Some(Ct(1)),
        options: BOTH | me_option::CT_COMM | me_option::CT_BYTES | me_option::COMM_DISABLE,
        ..entry(1, 5, 4096)
    };
    let mut world = World::with_lists(None, &[ptl_ct_alloc(Ct(1)), ptl_me_append(&counted)]);
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
    let told = world.run(
        0,
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
    assert_eq!(world.run(0, &[ptl_fetch_atomic(&command)]), []);
    assert_eq!(
        (world.count(0, 2).success, world.count(0, 3).success),
        (1, 24)
    );
    // An ATOMIC counts sent and acknowledged.
    let sum = atomic(from(AckRequest::Ct), AtomicOp::Sum, Datatype::Uint64);
    assert_eq!(world.run(0, &[sum]), []);
    assert_eq!(
        (world.count(0, 2).success, world.count(0, 3).success),
        (3, 24)
    );
    assert_eq!(world.count(1, 1).success, 48);
    // What fails is one failure of the descriptor that the reply goes to.
    let lost = FetchAtomic {
        put: Put {
            match_bits: 1,
            ..command.put
        },
        ..command
    };
    assert_eq!(world.run(0, &[ptl_fetch_atomic(&lost)]), []);
    assert_eq!(
        world.count(0, 2),
        CounterValue {
            success: 4,
            failure: 0
        }
    );
    assert_eq!(
        world.count(0, 3),
        CounterValue {
            success: 24,
            failure: 1
        }
    );
}

#[test]
fn both_descriptors_are_held_until_the_reply() {
    let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    let descriptors = [bind(1, SOURCE, 4096), bind(2, SOURCE, 4096)];
    assert_eq!(world.run(0, &descriptors), []);
    let command = FetchAtomic {
        get_md: Md(2),
        local_get_offset: 0,
        put: Put {
            md: Md(1),
            ..put(0, 8, 0)
        },
        ..fetch(put(0, 8, 0), AtomicOp::Sum, Datatype::Uint64)
    };
    let told = world.run(
        0,
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
    let mut world = World::with_lists(None, &[ptl_me_append(&overflow)]);
    write_words(&mut world, 0, SOURCE, &[7]);
    let told = world.run(
        0,
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
    let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 4096))]);
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
    let told = world.run(
        0,
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
    let told = world.run(0, std::slice::from_ref(&step));
    assert_eq!(kinds(&told), [EventKind::Send]);
    assert_eq!(words(&world, 1, SHARED, 4), [15, 10, 10, 10]);
    let told = world.run(0, &[step]);
    assert_eq!(told.len(), 4);
    assert_eq!(words(&world, 1, SHARED, 4), [15, 15, 5, 10]);
    assert_eq!(words(&world, 0, SOURCE + REPLIES, 2), [10, 10]);
}
