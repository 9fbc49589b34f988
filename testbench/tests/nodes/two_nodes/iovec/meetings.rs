//! Messages to lists of pieces beside each other and beside atomics, and descriptors that are bound by a trigger.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::host::{
    Atomic, AtomicOp, CommandError, CounterValue, Ct, Datatype, EventKind, FetchAtomic, MatchEntry,
    Md, Put, Trigger, me_option, portal_option, ptl_atomic, ptl_ct_alloc, ptl_ct_inc,
    ptl_fetch_atomic, ptl_me_append, ptl_pt_alloc, ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_types::event::status;

use super::{Pieces, TABLES, gathered, put, results, two};
use crate::two_nodes::fixture::{self, LANDING, LISTS, SHARED, SOURCE, World, entry, pattern};

#[test]
fn a_descriptor_that_a_trigger_binds_goes_by_the_list_as_it_is_then() {
    let mut world = two();
    let list = |first| Pieces {
        list: TABLES,
        pieces: vec![(SOURCE + first, 30), (SOURCE + 0x200, 70)],
    };
    let at = |threshold| Trigger {
        counter: Ct(1),
        threshold,
    };
    let one = CounterValue {
        success: 1,
        failure: 0,
    };
    let whole = entry(0, 5, 100);
    world.post(1, &[ptl_me_append(&whole)]);
    list(0).store(&mut world, 0);
    let commands = [
        ptl_ct_alloc(Ct(1)),
        list(0).bind(1).triggered(at(1)),
        ptl_put(&put(1, 0, 100, 0)).triggered(at(1)),
        // The same number again, while it is bound, and a list that is wrong when it fires.
        list(0).bind(1).with_user_ptr(11).triggered(at(1)),
        list(0).bind(2).with_user_ptr(12).triggered(at(2)),
    ];
    assert_eq!(world.run(0, &commands), []);
    list(0x1000).store(&mut world, 0);
    let told = world.run(0, &[ptl_ct_inc(Ct(1), one)]);
    assert_eq!(results(&told), [Err(CommandError::InUse)]);
    let ack = told.iter().find(|event| event.kind == EventKind::Ack);
    assert_eq!(ack.map(|ack| (ack.status, ack.mlength)), Some((0, 100)));
    let sent = gathered(&world, 0, &list(0x1000).addresses());
    assert_eq!(world.read(1, SHARED, 100), sent);
    // Fires when its list has become too long.
    let huge = Pieces {
        list: TABLES,
        pieces: vec![(SOURCE, u64::MAX), (SOURCE, 1)],
    };
    huge.store(&mut world, 0);
    let told = world.run(0, &[ptl_ct_inc(Ct(1), one)]);
    assert_eq!(results(&told), [Err(CommandError::PiecesOverflow)]);
    assert_eq!(told[0].user_ptr(), Some(12));
    let told = world.run(0, &[ptl_put(&put(2, 0, 1, 0))]);
    assert_eq!(results(&told), [Err(CommandError::BadDescriptor)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Two nodes send long messages to one list that keeps its offset: each lands whole after the one that came before.
    #[test]
    fn long_messages_share_a_list_that_keeps_its_offset(seed in any::<u32>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut world = World::new(3, Some(seed.into()), &NetworkConfig::default());
        let far = Pieces {
            list: TABLES,
            pieces: (0..40).map(|i| (LANDING + 0x800 * i + i, 600 + 9 * i)).collect(),
        };
        far.store(&mut world, 1);
        let managed = MatchEntry {
            ignore_bits: u64::MAX,
            ..far.entry(0, me_option::MANAGE_LOCAL | me_option::LINK_DISABLE)
        };
        world.post(1, &[ptl_pt_alloc(LISTS, portal_option::MATCHING), ptl_me_append(&managed)]);
        world.settle();
        for node in [0, 2] {
            world.write(node, SOURCE, &pattern(0x10000, seed as u64 % 91 + node as u64));
            // More together than the list has.
            let puts = (0..5).map(|number| {
                let length = rng.random_range(4000..9000);
                ptl_put(&Put { hdr_data: number, ..put(0, 0x2000 * number, length, 3) })
            });
            world.post(node, &puts.collect::<Vec<_>>());
        }
        world.settle();
        let told = world.events(1);
        let mut landed = 0;
        let mut kept: Vec<_> = told.iter().filter(|event| event.kind == EventKind::Put).collect();
        prop_assert!(kept.iter().all(|event| event.status == status::OK));
        kept.sort_by_key(|event| event.start);
        for event in kept {
            prop_assert_eq!(event.start, far.list + landed, "{:?}", event);
            let mlength = u64::from(event.mlength);
            let there = &far.addresses()[landed as usize..(landed + mlength) as usize];
            let from = SOURCE + 0x2000 * event.hdr_data;
            let sent = world.read(event.initiator.node.into(), from, mlength as usize);
            prop_assert!(gathered(&world, 1, there) == sent, "{:?}", event);
            landed += mlength;
        }
        prop_assert_eq!(landed, far.length());
    }

    /// Atomics to one place and puts to lists, from both sides, in one stream and at the same time: none disturbs
    /// another.
    #[test]
    fn atomics_and_messages_to_lists_meet_and_none_is_lost(seed in any::<u32>()) {
        const EACH: u64 = 12;
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut world = World::new(3, Some(seed.into()), &NetworkConfig::default());
        let far = Pieces::draw(&mut rng, 0, LANDING, 60);
        far.store(&mut world, 1);
        let list = MatchEntry {
            match_bits: 6,
            ..far.entry(1, me_option::LINK_DISABLE | me_option::COMM_DISABLE)
        };
        let plain = entry(0, 5, 64);
        world.post(1, &[ptl_pt_alloc(LISTS, portal_option::MATCHING), ptl_me_append(&list), ptl_me_append(&plain)]);
        world.settle();
        let mut expected = vec![0; far.length() as usize];
        let share = far.length() / (2 * EACH);
        let mut remote = 0;
        let source = pattern(0x10000, seed as u64 % 91);
        for node in [0, 2] {
            world.write(node, SOURCE, &source);
            world.write(node, SOURCE + 0x2_0000, &[1, 0, 0, 0, 0, 0, 0, 0]);
            let mut commands = Vec::new();
            for number in 0..EACH {
                let length = rng.random_range(0..=share);
                let offset = rng.random_range(0..=0x10000 - length);
                let bytes = &source[offset as usize..(offset + length) as usize];
                expected[remote as usize..(remote + length) as usize].copy_from_slice(bytes);
                commands.push(ptl_put(&Put { match_bits: 6, user_ptr: 1, ..put(0, offset, length, remote) }));
                remote += share;
                // A ticket, and a sum.
                let add = |place| fixture::put(0x2_0000, 8, place);
                commands.push(ptl_fetch_atomic(&FetchAtomic {
                    get_md: Md(0),
                    local_get_offset: 0x3_0000 + 8 * number,
                    put: add(0),
                    operation: AtomicOp::Sum,
                    datatype: Datatype::Uint64,
                }));
                commands.push(ptl_atomic(&Atomic { put: add(8), operation: AtomicOp::Sum, datatype: Datatype::Uint64 }));
            }
            world.post(node, &commands);
        }
        world.settle();
        prop_assert!(gathered(&world, 1, &far.addresses()) == expected);
        prop_assert_eq!(world.read(1, SHARED, 1), [2 * EACH as u8]);
        prop_assert_eq!(world.read(1, SHARED + 8, 1), [2 * EACH as u8]);
        let mut tickets = Vec::new();
        for node in [0, 2] {
            let told = world.events(node);
            prop_assert!(told.iter().all(|event| event.status == status::OK), "{:?}", told);
            let acks = told.iter().filter(|event| event.kind == EventKind::Ack).count();
            prop_assert_eq!(acks as u64, EACH);
            tickets.extend((0..EACH).map(|number| world.read(node, SOURCE + 0x3_0000 + 8 * number, 1)[0]));
        }
        tickets.sort_unstable();
        prop_assert_eq!(tickets, (0..2 * EACH as u8).collect::<Vec<_>>());
    }
}
