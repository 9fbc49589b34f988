//! GETs that are refused, and bytes that cannot be read or written.

use xtq_testbench::bus::Access;
use xtq_testbench::host::{
    CommandError, Event, EventKind, Get, MatchEntry, Md, MemoryDescriptor, Pt, md_option,
    me_option, portal_option, ptl_get, ptl_md_bind, ptl_md_release, ptl_me_append, ptl_pt_alloc,
    ptl_pt_disable,
};
use xtq_types::event::{access, status};
use xtq_types::wire_header::ni_fail;

use super::{REPLIES, get, with};
use crate::two_nodes::fixture::{LISTS, SHARED, entry, fault, kinds, pattern};

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
