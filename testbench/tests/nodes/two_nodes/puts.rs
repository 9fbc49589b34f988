//! Plain puts: every byte arrives, whatever the lengths, alignments and pauses.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bus::Access;
use xtq_testbench::host::{AckRequest, EventKind, Md, ProcessId, Put, ptl_put};
use xtq_testbench::network::NetworkConfig;
use xtq_types::event::{access, status};
use xtq_types::wire_header::ni_fail;

use super::fixture::{LANDING, SOURCE, TARGET, World, fault, pattern};

fn put(offset: u64, length: u64, user_ptr: u64) -> Put {
    Put {
        md: Md(0),
        local_offset: offset,
        length,
        ack: AckRequest::Ack,
        target: TARGET,
        user_ptr,
        ..Put::default()
    }
}

#[test]
fn lengths_around_every_border_arrive_whole() {
    let mut world = World::two();
    let bytes = pattern(40_000, 1);
    world.write(0, SOURCE, &bytes);
    let mut landed = LANDING;
    for (number, length) in [0, 1, 63, 64, 65, 127, 4095, 4096, 4097, 8192, 8193, 12_345]
        .into_iter()
        .enumerate()
    {
        for offset in [0, 1, 63, 1000, 4095] {
            world.post(0, &[ptl_put(&put(offset, length, number as u64))]);
            world.settle();
            let told = world.events(0);
            let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
            assert_eq!(
                kinds,
                [EventKind::Send, EventKind::Ack],
                "{length} from {offset}"
            );
            assert_eq!(u64::from(told[1].mlength), length);
            assert_eq!(told[1].user_ptr(), Some(number as u64));
            let delivered = world.events(1);
            assert_eq!((delivered.len(), delivered[0].status), (1, status::OK));
            assert_eq!(delivered[0].start, landed, "{length} from {offset}");
            let (from, to) = (offset as usize, (offset + length) as usize);
            assert_eq!(world.read(1, landed, length as usize), bytes[from..to]);
            landed += length;
        }
    }
}

#[test]
fn bytes_that_cannot_be_read_fail_at_both_ends_and_the_next_put_is_whole() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(20_000, 2));
    for (offset, length) in [
        (5000, 1),
        (4990, 200),
        (100, 10_000),
        (8191, 9000),
        (0, 4999),
    ] {
        let faulty = SOURCE + 4992..=SOURCE + 9000;
        fault(&mut world, 0, faulty, Access::Read);
        world.post(
            0,
            &[ptl_put(&put(offset, length, 7)), ptl_put(&put(0, 100, 8))],
        );
        world.settle();
        let told = world.events(0);
        let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
        let mut sorted = kinds.clone();
        sorted.sort_by_key(|kind| *kind == EventKind::Ack);
        assert_eq!(
            sorted,
            [
                EventKind::Send,
                EventKind::Send,
                EventKind::Ack,
                EventKind::Ack
            ]
        );
        let of = |user, kind| {
            told.iter()
                .find(|e| (e.user_ptr(), e.kind) == (Some(user), kind))
                .unwrap()
        };
        let sent = of(7, EventKind::Send);
        assert_eq!(
            (sent.status, sent.access),
            (status::MEMORY_ERROR, access::GATHER),
            "{offset}"
        );
        assert_eq!(sent.ni_fail, ni_fail::SEGV);
        assert_ne!(of(7, EventKind::Ack).ni_fail, ni_fail::OK);
        assert_eq!(of(8, EventKind::Send).status, status::OK);
        assert_eq!(of(8, EventKind::Ack).ni_fail, ni_fail::OK);
        let delivered: Vec<u8> = world.events(1).iter().map(|event| event.status).collect();
        assert_eq!(
            delivered,
            [status::BAD_LENGTH, status::OK],
            "{offset}, {length}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn nodes_that_send_to_each_other_at_once_lose_nothing(seed in any::<u32>(), nodes in 2usize..4) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let network = NetworkConfig {
            jitter: rng.random_range(0..40),
            seed: seed.into(),
            ..NetworkConfig::default()
        };
        let mut world = World::new(nodes, Some(seed.into()), &network);
        for node in 0..nodes {
            world.write(node, SOURCE, &pattern(20_000, node as u64));
        }
        // By sender and target: what must arrive in order.
        let mut sent: BTreeMap<(usize, usize), VecDeque<(u64, u64)>> = BTreeMap::new();
        let mut asked = 0;
        for _ in 0..5 {
            for node in 0..nodes {
                let commands: Vec<_> = (0..8).map(|_| {
                    let target = (node + rng.random_range(1..nodes)) % nodes;
                    let (offset, length) = (rng.random_range(0..5000), rng.random_range(0..9000));
                    sent.entry((node, target)).or_default().push_back((offset, length));
                    asked += 1;
                    ptl_put(&Put {
                        target: ProcessId { node: target as u16, context: 0 },
                        ..put(offset, length, asked)
                    })
                }).collect();
                world.post(node, &commands);
            }
            world.settle();
            for node in 0..nodes {
                let events = world.events(node);
                prop_assert!(events.iter().all(|event| event.status == status::OK), "{:?}", events);
                let count = |kind| events.iter().filter(|event| event.kind == kind).count();
                prop_assert_eq!(count(EventKind::Send), 8);
                prop_assert_eq!(count(EventKind::Ack), 8);
                for event in events.iter().filter(|event| event.kind == EventKind::Put) {
                    let source = usize::from(event.initiator.node);
                    let expected = sent.entry((source, node)).or_default().pop_front();
                    prop_assert!(expected.is_some(), "{:?}", event);
                    let (offset, length) = expected.unwrap_or_default();
                    prop_assert_eq!(u64::from(event.mlength), length);
                    let bytes = pattern(20_000, source as u64);
                    let landed = world.read(node, event.start, length as usize);
                    prop_assert!(landed == bytes[offset as usize..(offset + length) as usize]);
                }
            }
            prop_assert!(sent.values().all(VecDeque::is_empty));
        }
    }
}
