//! GETs after puts, fences, releases, triggers and unlinked entries.

use xtq_testbench::host::{
    AckRequest, CommandError, CounterValue, Ct, EventKind, MatchEntry, Md, Me, Put, Trigger, fence,
    me_option, ptl_ct_alloc, ptl_ct_inc, ptl_get, ptl_md_release, ptl_me_append, ptl_me_unlink,
    ptl_put, ptl_triggered_get,
};

use super::{REPLIES, get, with};
use crate::two_nodes::fixture::{LISTS, SHARED, SOURCE, TARGET, entry, kinds, pattern};

/// A put and a get of the same bytes: the get finds what the put wrote, and is reported after it.
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

/// An entry that is unlinked while its bytes are still to be read is reported to be free only after the GET.
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
