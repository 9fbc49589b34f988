//! GETs between nodes: bytes, lengths, refusals, order, events and counts at both ends.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::wire_header::ni_fail;
use xtq_testbench::bus::Access;
use xtq_testbench::host::{
    AckRequest, Command, CommandError, CounterValue, Ct, Event, EventKind, Get, List, MatchEntry,
    Md, Me, MemoryDescriptor, ProcessId, Pt, Put, Trigger, fence, md_option, me_option,
    portal_option, ptl_ct_alloc, ptl_ct_inc, ptl_get, ptl_md_bind, ptl_md_release, ptl_me_append,
    ptl_me_unlink, ptl_pt_alloc, ptl_pt_disable, ptl_put, ptl_triggered_get,
};
use xtq_testbench::network::NetworkConfig;

use super::fixture::{LISTS, SHARED, SOURCE, TARGET, World, entry, fault, kinds, pattern};

/// Where replies go: descriptor 0.
const REPLIES: u64 = SOURCE;

fn get(offset: u64, length: u64, remote_offset: u64) -> Get {
    Get {
        md: Md(0),
        local_offset: offset,
        length,
        target: TARGET,
        pt_index: LISTS,
        match_bits: 5,
        remote_offset,
        user_ptr: 7,
    }
}

/// Two nodes with lists, the second with these commands and bytes to offer.
fn with(seed: Option<u64>, commands: &[Command]) -> World {
    let mut world = World::with_lists(seed, commands);
    for node in 0..2 {
        world.write(node, SHARED, &pattern(40_000, 3 + node as u64));
    }
    world
}

#[test]
fn bytes_of_every_length_come_to_every_lane() {
    for seed in [None, Some(11)] {
        let mut world = with(seed, &[ptl_me_append(&entry(1, 5, 40_000))]);
        let bytes = pattern(40_000, 4);
        for length in [0u64, 1, 63, 64, 65, 4095, 4096, 4097, 8192, 20_000] {
            for (local, remote) in [(64, 0), (65, 1), (127, 4095), (1000, 77)] {
                let guard = vec![0xEE; length as usize + 200];
                world.write(0, REPLIES + local - 64, &guard);
                let told = world.run(0, &[ptl_get(&get(local, length, remote))]);
                assert_eq!(kinds(&told), [EventKind::Reply], "{length} to {local}");
                let reply = &told[0];
                assert_eq!(
                    (reply.status, reply.ni_fail, reply.user_ptr()),
                    (status::OK, ni_fail::OK, Some(7))
                );
                assert_eq!(
                    (u64::from(reply.rlength), u64::from(reply.mlength)),
                    (length, length)
                );
                assert_eq!((reply.remote_offset, reply.initiator), (remote, TARGET));
                let mut expected = guard;
                expected[64..64 + length as usize]
                    .copy_from_slice(&bytes[remote as usize..][..length as usize]);
                let found = world.read(0, REPLIES + local - 64, expected.len());
                assert!(found == expected, "{length} from {remote} to {local}");
                let told = world.events(1);
                assert_eq!(kinds(&told), [EventKind::Get]);
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
                    (event.remote_offset, event.match_bits, event.initiator.node),
                    (remote, 5, 0)
                );
                assert_eq!((event.user_id, event.queue_index), (100, 0));
            }
        }
        assert_eq!(world.status_counts(1), [0; 3]);
    }
}

#[test]
fn what_is_not_there_is_not_sent() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 100))]);
    world.write(0, REPLIES, &[0xEE; 400]);
    for (remote, mlength) in [(40, 60), (100, 0), (200, 0), (0, 100)] {
        let told = world.run(0, &[ptl_get(&get(0, 300, remote))]);
        assert_eq!(kinds(&told), [EventKind::Reply]);
        assert_eq!((told[0].rlength, told[0].mlength), (300, mlength));
        assert_eq!(
            (told[0].ni_fail, told[0].remote_offset),
            (ni_fail::OK, remote)
        );
        let told = world.events(1);
        assert_eq!((told[0].rlength, told[0].mlength), (300, mlength));
        let mut expected = vec![0xEE; 400];
        let from = (remote as usize).min(100);
        expected[..mlength as usize]
            .copy_from_slice(&pattern(40_000, 4)[from..][..mlength as usize]);
        assert_eq!(world.read(0, REPLIES, 400), expected, "from {remote}");
        world.write(0, REPLIES, &[0xEE; 400]);
    }
}

#[test]
fn a_locally_managed_entry_is_read_on_and_used_up() {
    let managed = MatchEntry {
        options: me_option::OP_GET | me_option::LINK_DISABLE | me_option::MANAGE_LOCAL,
        min_free: 100,
        ..entry(1, 5, 1000)
    };
    let mut world = with(None, &[ptl_me_append(&managed)]);
    let told = world.run(
        0,
        &[
            ptl_get(&get(0, 600, 9)),
            ptl_get(&get(600, 600, 9)),
            ptl_get(&get(1200, 600, 9)),
        ],
    );
    let said: Vec<_> = told
        .iter()
        .map(|e| (e.ni_fail, e.mlength, e.remote_offset))
        .collect();
    assert_eq!(
        said,
        [
            (ni_fail::OK, 600, 0),
            (ni_fail::OK, 400, 600),
            (ni_fail::DROPPED, 0, 0)
        ]
    );
    assert_eq!(world.read(0, REPLIES, 1000), pattern(40_000, 4)[..1000]);
    let told = kinds(&world.events(1));
    assert_eq!(
        told,
        [EventKind::Get, EventKind::Get, EventKind::AutoUnlink]
    );
}

#[test]
fn a_get_that_is_refused_is_answered_and_writes_nothing() {
    let closed = Pt(21);
    let mut world = with(
        None,
        &[
            ptl_me_append(&MatchEntry {
                options: me_option::OP_PUT | me_option::LINK_DISABLE,
                ..entry(1, 6, 4096)
            }),
            ptl_me_append(&MatchEntry {
                user_id: Some(55),
                ..entry(2, 7, 4096)
            }),
            ptl_pt_alloc(closed, portal_option::MATCHING),
            ptl_pt_disable(closed),
        ],
    );
    world.write(0, REPLIES, &[0xEE; 400]);
    for (pt_index, match_bits, status, fail) in [
        (LISTS, 6, status::OP_VIOLATION, ni_fail::OP_VIOLATION),
        (LISTS, 7, status::PERM_VIOLATION, ni_fail::PERM_VIOLATION),
        (LISTS, 8, status::NO_MATCH, ni_fail::DROPPED),
        (closed, 6, status::PT_DISABLED, ni_fail::PT_DISABLED),
        (Pt(40), 6, status::NO_PORTAL, ni_fail::DROPPED),
        // A single buffer cannot be read.
        (Pt(0), 6, status::OP_VIOLATION, ni_fail::OP_VIOLATION),
    ] {
        let refused = Get {
            pt_index,
            match_bits,
            ..get(0, 300, 10)
        };
        let told = world.run(0, &[ptl_get(&refused)]);
        assert_eq!(kinds(&told), [EventKind::Reply], "{refused:?}");
        assert_eq!(
            (told[0].status, told[0].ni_fail),
            (status, fail),
            "{refused:?}"
        );
        assert_eq!(
            (told[0].rlength, told[0].mlength, told[0].remote_offset),
            (300, 0, 0)
        );
        assert_eq!(told[0].user_ptr(), Some(7));
        let events = world.events(1);
        match pt_index {
            Pt(0) => assert_eq!(
                (kinds(&events), events[0].status),
                (vec![EventKind::Get], status::OP_VIOLATION)
            ),
            _ => assert_eq!(events, []),
        }
    }
    assert_eq!(world.read(0, REPLIES, 400), [0xEE; 400]);
    assert_eq!(world.status_counts(1), [3, 1, 1]);
    // Nothing is held any more.
    let told = world.run(0, &[ptl_md_release(Md(0)).with_completion()]);
    assert_eq!(told[0].result(), Some(Ok(())));
}

#[test]
fn an_unexpected_get_is_answered_from_the_overflow_list_and_told_to_the_append() {
    let overflow = MatchEntry {
        list: List::Overflow,
        ignore_bits: u64::MAX,
        options: me_option::OP_GET | me_option::LINK_DISABLE | me_option::MANAGE_LOCAL,
        ..entry(1, 0, 1000)
    };
    let mut world = with(None, &[ptl_me_append(&overflow)]);
    let told = world.run(0, &[ptl_get(&get(0, 200, 3)), ptl_get(&get(200, 300, 3))]);
    assert_eq!(kinds(&told), [EventKind::Reply; 2]);
    assert_eq!(world.read(0, REPLIES, 500), pattern(40_000, 4)[..500]);
    let told = world.events(1);
    assert_eq!(kinds(&told), [EventKind::Get; 2]);
    assert_eq!((told[1].queue_index, told[1].start), (1, SHARED + 200));
    let taker = MatchEntry {
        options: me_option::OP_GET | me_option::USE_ONCE,
        ..entry(2, 5, 4096)
    };
    world.post(1, &[ptl_me_append(&taker)]);
    world.settle();
    let told = world.events(1);
    assert_eq!(
        kinds(&told),
        [EventKind::GetOverflow, EventKind::AutoUnlink]
    );
    assert_eq!(
        (
            told[0].start,
            told[0].rlength,
            told[0].mlength,
            told[0].user_ptr()
        ),
        (SHARED, 200, 200, Some(0x1002))
    );
}

#[test]
fn both_ends_count_messages_or_bytes() {
    for bytes in [false, true] {
        let mut world = with(
            None,
            &[
                ptl_ct_alloc(Ct(1)),
                ptl_me_append(&MatchEntry {
                    counter: Some(Ct(1)),
                    options: me_option::OP_GET
                        | me_option::LINK_DISABLE
                        | me_option::CT_COMM
                        | if bytes { me_option::CT_BYTES } else { 0 },
                    ..entry(1, 5, 1000)
                }),
            ],
        );
        let counting = ptl_md_bind(&MemoryDescriptor {
            md: Md(1),
            start: REPLIES,
            length: 10_000,
            options: md_option::CT_REPLY
                | md_option::CT_SEND
                | md_option::CT_ACK
                | if bytes { md_option::CT_BYTES } else { 0 },
            counter: Some(Ct(2)),
        });
        let asked = |length, match_bits| {
            ptl_get(&Get {
                md: Md(1),
                match_bits,
                ..get(0, length, 0)
            })
        };
        // The second is cut, the third refused.
        let told = world.run(
            0,
            &[
                ptl_ct_alloc(Ct(2)),
                counting,
                asked(700, 5),
                asked(2000, 5),
                asked(300, 6),
            ],
        );
        assert_eq!(told, [], "a descriptor without events");
        let success = if bytes { 1700 } else { 2 };
        let (target, initiator) = (world.count(1, 1), world.count(0, 2));
        assert_eq!((target.success, target.failure), (success, 0));
        assert_eq!((initiator.success, initiator.failure), (success, 1));
    }
}

#[test]
fn a_descriptor_can_keep_silent_about_what_succeeds() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 1000))]);
    let quiet = ptl_md_bind(&MemoryDescriptor {
        md: Md(1),
        start: REPLIES,
        length: 10_000,
        options: md_option::EVENTS | md_option::SUCCESS_DISABLE,
        counter: None,
    });
    let asked = |match_bits| {
        ptl_get(&Get {
            md: Md(1),
            match_bits,
            ..get(0, 100, 0)
        })
    };
    let told = world.run(0, &[quiet, asked(5), asked(6)]);
    assert_eq!(kinds(&told), [EventKind::Reply]);
    assert_eq!(told[0].ni_fail, ni_fail::DROPPED);
}

/// A put and a get of the same bytes: the get finds what the put wrote, and is told of behind it.
#[test]
fn a_get_finds_what_came_before_it() {
    for seed in [None, Some(1), Some(2), Some(3)] {
        let both = MatchEntry {
            options: me_option::OP_GET | me_option::OP_PUT | me_option::LINK_DISABLE,
            ..entry(1, 5, 40_000)
        };
        let mut world = with(seed, &[ptl_me_append(&both)]);
        let sent = pattern(5000, 9);
        world.write(0, SOURCE + 0x8_0000, &sent);
        let put = ptl_put(&Put {
            md: Md(0),
            local_offset: 0x8_0000,
            length: 5000,
            ack: AckRequest::None,
            target: TARGET,
            pt_index: LISTS,
            match_bits: 5,
            remote_offset: 33,
            ..Put::default()
        });
        world.run(0, &[put, ptl_get(&get(0, 5100, 0))]);
        assert_eq!(world.read(0, REPLIES + 33, 5000), sent, "{seed:?}");
        assert_eq!(kinds(&world.events(1)), [EventKind::Put, EventKind::Get]);
    }
}

#[test]
fn bytes_that_cannot_be_read_fail_at_both_ends_and_the_next_get_is_whole() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 40_000))]);
    for (remote, length) in [
        (5000, 1),
        (4990, 200),
        (100, 10_000),
        (8191, 9000),
        (0, 4999),
    ] {
        fault(&mut world, 1, SHARED + 4992..=SHARED + 9000, Access::Read);
        let told = world.run(
            0,
            &[
                ptl_get(&get(0, length, remote)),
                ptl_get(&get(20_000, 100, 0)),
            ],
        );
        assert_eq!(kinds(&told), [EventKind::Reply; 2]);
        assert_eq!(
            (told[0].status, told[0].ni_fail, told[0].mlength),
            (status::BAD_LENGTH, ni_fail::SEGV, 0),
            "{remote}"
        );
        assert_eq!((told[1].status, told[1].mlength), (status::OK, 100));
        assert_eq!(
            world.read(0, REPLIES + 20_000, 100),
            pattern(40_000, 4)[..100]
        );
        let told = world.events(1);
        assert_eq!(kinds(&told), [EventKind::Get; 2]);
        assert_eq!(
            (
                told[0].status,
                told[0].access,
                told[0].ni_fail,
                told[0].mlength
            ),
            (status::MEMORY_ERROR, access::GATHER, ni_fail::SEGV, 0)
        );
        assert_eq!(told[1].status, status::OK);
    }
}

#[test]
fn a_reply_that_cannot_be_written_fails_at_the_asker_only() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 40_000))]);
    for length in [1, 300, 9000] {
        fault(&mut world, 0, REPLIES..=REPLIES + 9000, Access::Write);
        let told = world.run(
            0,
            &[ptl_get(&get(0, length, 0)), ptl_get(&get(20_000, 100, 0))],
        );
        assert_eq!(
            (
                told[0].status,
                told[0].access,
                told[0].ni_fail,
                told[0].mlength
            ),
            (status::MEMORY_ERROR, access::PAYLOAD, ni_fail::SEGV, 0)
        );
        assert_eq!((told[1].status, told[1].mlength), (status::OK, 100));
        let told = world.events(1);
        assert!(
            told.iter().all(|event| event.status == status::OK),
            "{told:?}"
        );
    }
}

#[test]
fn a_fence_and_a_release_wait_for_the_reply() {
    let mut world = with(Some(5), &[ptl_me_append(&entry(1, 5, 40_000))]);
    let told = world.run(
        0,
        &[
            ptl_get(&get(0, 20_000, 0)),
            ptl_md_release(Md(0)).with_user_ptr(1),
            fence().with_user_ptr(2).with_completion(),
            ptl_md_release(Md(0)).with_user_ptr(3).with_completion(),
        ],
    );
    let said: Vec<_> = told
        .iter()
        .map(|e| (e.kind, e.user_ptr(), e.result()))
        .collect();
    assert_eq!(
        said,
        [
            (EventKind::Command, Some(1), Some(Err(CommandError::InUse))),
            (EventKind::Reply, Some(7), None),
            (EventKind::Command, Some(2), Some(Ok(()))),
            (EventKind::Command, Some(3), Some(Ok(()))),
        ]
    );
}

#[test]
fn a_get_beyond_its_descriptor_is_not_sent() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 40_000))]);
    let small = ptl_md_bind(&MemoryDescriptor {
        md: Md(1),
        start: REPLIES,
        length: 100,
        options: md_option::EVENTS,
        counter: None,
    });
    let long = Get {
        md: Md(1),
        ..get(50, 51, 0)
    };
    let none = Get {
        md: Md(9),
        ..get(0, 1, 0)
    };
    let told = world.run(0, &[small, ptl_get(&long), ptl_get(&none)]);
    let results: Vec<_> = told.iter().map(Event::result).collect();
    assert_eq!(
        results,
        [
            Some(Err(CommandError::DescriptorOverflow)),
            Some(Err(CommandError::BadDescriptor))
        ]
    );
    assert_eq!(world.events(1), []);
}

#[test]
fn a_triggered_get_reads_when_it_fires() {
    for seed in [None, Some(1), Some(2)] {
        let mut world = with(seed, &[ptl_me_append(&entry(1, 5, 40_000))]);
        let when = Trigger {
            counter: Ct(1),
            threshold: 2,
        };
        let one = ptl_ct_inc(
            Ct(1),
            CounterValue {
                success: 1,
                failure: 0,
            },
        );
        let waits = ptl_triggered_get(&get(3, 9000, 1), when);
        assert_eq!(world.run(0, &[ptl_ct_alloc(Ct(1)), waits, one.clone()]), []);
        let late = pattern(40_000, 77);
        world.write(1, SHARED, &late);
        assert_eq!(kinds(&world.run(0, &[one])), [EventKind::Reply]);
        assert_eq!(world.read(0, REPLIES + 3, 9000), late[1..9001]);
    }
}

/// An entry that is unlinked while its bytes are still to be read is told to be free only behind the GET.
#[test]
fn unlinking_waits_for_the_gets_of_the_entry() {
    for seed in [None, Some(3), Some(4)] {
        let mut world = with(seed, &[ptl_me_append(&entry(1, 5, 40_000))]);
        let gets: Vec<_> = (0..8)
            .map(|i| ptl_get(&get(40_000 * i, 30_000, 0)))
            .collect();
        world.post(0, &gets);
        for _ in 0..600 {
            world.cluster.cycle().unwrap();
        }
        world.post(1, &[ptl_me_unlink(Me(1)).with_completion()]);
        world.settle();
        let told = kinds(&world.events(1));
        let (unlinked, before) = told.split_last().unwrap();
        assert_eq!(*unlinked, EventKind::Command);
        assert!(!before.is_empty() && before.iter().all(|kind| *kind == EventKind::Get));
        let replies = world.events(0);
        let delivered = replies.iter().filter(|event| event.mlength > 0).count();
        assert_eq!((replies.len(), delivered), (8, before.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Every node gets from every other at once, more than any queue but that of replies holds.
    #[test]
    fn nodes_that_get_from_each_other_at_once_lose_nothing(seed in any::<u32>(), nodes in 2usize..4) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let network = NetworkConfig {
            jitter: rng.random_range(0..40),
            seed: seed.into(),
            ..NetworkConfig::default()
        };
        let mut world = World::new(nodes, Some(seed.into()), &network);
        for node in 0..nodes {
            world.write(node, SHARED, &pattern(40_000, node as u64));
            world.post(node, &[
                ptl_pt_alloc(LISTS, portal_option::MATCHING),
                ptl_me_append(&MatchEntry {
                    options: me_option::OP_GET | me_option::LINK_DISABLE | me_option::COMM_DISABLE,
                    ..entry(1, 5, 30_000)
                }),
            ]);
        }
        world.settle();
        for _ in 0..2 {
            let mut asked: Vec<Vec<(usize, u64, u64, u64)>> = vec![Vec::new(); nodes];
            for (node, asked) in asked.iter_mut().enumerate() {
                let mut local = rng.random_range(0..64);
                let mut commands = Vec::new();
                for _ in 0..60 {
                    let target = (node + rng.random_range(1..nodes)) % nodes;
                    let length = if rng.random_bool(0.2) { rng.random_range(0..9000) } else { rng.random_range(0..200) };
                    let remote = rng.random_range(0..30_000);
                    let id = asked.len() as u64;
                    asked.push((target, length, remote, local));
                    commands.push(ptl_get(&Get {
                        target: ProcessId { node: target as u16, context: 0 },
                        user_ptr: id,
                        ..get(local, length, remote)
                    }));
                    local += length + rng.random_range(0..3);
                }
                world.post(node, &commands);
            }
            world.settle();
            for (node, asked) in asked.iter().enumerate() {
                let events = world.events(node);
                let replies: Vec<_> = events.iter().filter(|event| event.kind == EventKind::Reply).collect();
                prop_assert_eq!(replies.len(), 60);
                for reply in replies {
                    prop_assert_eq!(reply.status, status::OK);
                    let (target, length, remote, local) = asked[reply.user_ptr().unwrap() as usize];
                    let mlength = length.min(30_000 - remote);
                    prop_assert_eq!(u64::from(reply.mlength), mlength);
                    let bytes = pattern(40_000, target as u64);
                    let found = world.read(node, REPLIES + local, mlength as usize);
                    prop_assert!(found == bytes[remote as usize..(remote + mlength) as usize]);
                }
            }
        }
    }
}
