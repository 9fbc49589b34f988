//! Which bytes come: every length to every lane, of entries that end, that are read on, and of the overflow list.

use xtq_testbench::host::{EventKind, List, MatchEntry, me_option, ptl_get, ptl_me_append};
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

use super::{REPLIES, get, with};
use crate::two_nodes::fixture::{SHARED, TARGET, entry, kinds, pattern};

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
