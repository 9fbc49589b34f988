//! Puts through match lists: what Portals says of them, between two nodes.

use xtq_testbench::host::{
    AckRequest, Command, CommandError, EventKind, List, MatchEntry, Me, Pt, Put, Search, me_option,
    portal_option, ptl_me_append, ptl_me_search, ptl_me_unlink, ptl_pt_alloc, ptl_put,
};
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

use super::fixture::{SOURCE, TARGET, World, kinds, pattern};

/// The portal entry with lists.
pub(super) const LISTS: Pt = Pt(20);
/// Buffers of node 1.
const BUFFER: u64 = 0x5100_0000;

/// An entry over `length` bytes of its own; entry *n* lies at `BUFFER` + *n* MiB.
pub(super) fn entry(me: u16, match_bits: u64, length: u64) -> MatchEntry {
    MatchEntry {
        me: Me(me),
        pt_index: LISTS,
        start: place(me),
        length,
        options: me_option::OP_PUT,
        match_bits,
        user_ptr: 0x1000 + u64::from(me),
        ..MatchEntry::default()
    }
}

fn place(me: u16) -> u64 {
    BUFFER + 0x10_0000 * u64::from(me)
}

pub(super) fn put(match_bits: u64, length: u64) -> Command {
    ptl_put(&Put {
        length,
        ack: AckRequest::Ack,
        target: TARGET,
        pt_index: LISTS,
        match_bits,
        hdr_data: 77,
        ..Put::default()
    })
}

/// Node 1 has the lists with these entries, in this order; what that says has been read.
pub(super) fn with(options: u32, entries: &[MatchEntry]) -> World {
    let mut world = World::two();
    let mut commands =
        vec![ptl_pt_alloc(LISTS, options | portal_option::MATCHING).with_completion()];
    commands.extend(entries.iter().map(ptl_me_append));
    world.post(1, &commands);
    world.settle();
    let told = kinds(&world.events(1));
    assert_eq!(told[0], EventKind::Command);
    assert_eq!(told[1..], vec![EventKind::Link; entries.len()]);
    world.write(0, SOURCE, &pattern(20_000, 1));
    world
}

/// Node 0 sends; gives `ni_fail` and delivered bytes of each acknowledgement.
pub(super) fn send(world: &mut World, puts: &[Command]) -> Vec<(u8, u32)> {
    world.post(0, puts);
    world.settle();
    let told = world.events(0);
    let acks = told.iter().filter(|event| event.kind == EventKind::Ack);
    acks.map(|ack| (ack.ni_fail, ack.mlength)).collect()
}

#[test]
fn a_put_lands_in_the_first_entry_that_matches() {
    let mut world = with(
        0,
        &[entry(1, 5, 4096), entry(2, 6, 4096), entry(3, 6, 4096)],
    );
    assert_eq!(send(&mut world, &[put(6, 100)]), [(ni_fail::OK, 100)]);
    let told = world.events(1);
    assert_eq!(kinds(&told), [EventKind::Put]);
    let event = &told[0];
    assert_eq!(
        (event.status, event.start, event.rlength, event.mlength),
        (status::OK, place(2), 100, 100)
    );
    assert_eq!(
        (event.user_ptr(), event.match_bits, event.hdr_data),
        (Some(0x1002), 6, 77)
    );
    assert_eq!(
        (event.initiator.node, event.user_id, event.queue_index),
        (0, 100, 0)
    );
    assert_eq!(world.read(1, place(2), 100), pattern(100, 1));
    assert_eq!(world.read(1, place(1), 100), [0; 100]);
    assert_eq!(world.read(1, place(3), 100), [0; 100]);
}

#[test]
fn what_nobody_wants_is_dropped_and_told_to_the_sender() {
    let mut world = with(0, &[entry(1, 5, 4096)]);
    let nowhere = ptl_put(&Put {
        length: 10,
        ack: AckRequest::Ack,
        target: TARGET,
        pt_index: Pt(21),
        ..Put::default()
    });
    assert_eq!(
        send(&mut world, &[put(6, 100), nowhere, put(5, 10)]),
        [
            (ni_fail::DROPPED, 0),
            (ni_fail::DROPPED, 0),
            (ni_fail::OK, 10)
        ]
    );
    assert_eq!(world.status_counts(1), [2, 0, 0]);
    assert_eq!(kinds(&world.events(1)), [EventKind::Put]);
}

#[test]
fn a_message_that_is_too_long_is_cut() {
    // Within a beat, at its end, at a packet's end, after it, nothing at all.
    for room in [1000, 1024, 4096, 4097, 9000, 0] {
        let mut world = with(0, &[entry(1, 5, room)]);
        world.write(1, place(1), &[0xEE; 12_000]);
        assert_eq!(
            send(&mut world, &[put(5, 10_000)]),
            [(ni_fail::OK, room as u32)]
        );
        let told = world.events(1);
        assert_eq!((told[0].rlength, told[0].mlength), (10_000, room as u32));
        let landed = world.read(1, place(1), 12_000);
        assert_eq!(
            landed[..room as usize],
            pattern(20_000, 1)[..room as usize],
            "room {room}"
        );
        assert!(
            landed[room as usize..].iter().all(|byte| *byte == 0xEE),
            "room {room}"
        );
    }
}

#[test]
fn a_managed_offset_moves_and_too_little_room_unlinks() {
    let managed = MatchEntry {
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL,
        min_free: 100,
        ..entry(1, 5, 1000)
    };
    let mut world = with(0, &[managed]);
    assert_eq!(
        send(
            &mut world,
            &[put(5, 450), put(5, 450), put(5, 51), put(5, 1)]
        ),
        [(0, 450), (0, 450), (0, 51), (ni_fail::DROPPED, 0)]
    );
    let told = world.events(1);
    assert_eq!(
        kinds(&told),
        [
            EventKind::Put,
            EventKind::Put,
            EventKind::Put,
            EventKind::AutoUnlink
        ]
    );
    let starts: Vec<u64> = told[..3]
        .iter()
        .map(|event| event.start - place(1))
        .collect();
    assert_eq!(starts, [0, 450, 900]);
    assert_eq!(told[3].user_ptr(), Some(0x1001));
}

#[test]
fn an_entry_that_is_used_once_takes_one_message() {
    let once = |me| MatchEntry {
        options: me_option::OP_PUT | me_option::USE_ONCE,
        ..entry(me, 5, 4096)
    };
    let mut world = with(0, &[once(1), once(2)]);
    assert_eq!(
        send(&mut world, &[put(5, 1), put(5, 2), put(5, 3)]),
        [(0, 1), (0, 2), (ni_fail::DROPPED, 0)]
    );
    let told = world.events(1);
    assert_eq!(
        kinds(&told),
        [
            EventKind::Put,
            EventKind::AutoUnlink,
            EventKind::Put,
            EventKind::AutoUnlink
        ]
    );
    // Its number is free again; what is gone can be unlinked without an error.
    world.post(
        1,
        &[
            ptl_me_append(&once(1)),
            ptl_me_unlink(Me(2)).with_completion(),
        ],
    );
    world.settle();
    let told = world.events(1);
    assert_eq!(kinds(&told), [EventKind::Link, EventKind::Command]);
    assert_eq!(told[1].result(), Some(Ok(())));
}

#[test]
fn an_unexpected_message_is_found_by_the_append() {
    let overflow = MatchEntry {
        list: List::Overflow,
        ignore_bits: u64::MAX,
        options: me_option::OP_PUT | me_option::USE_ONCE,
        ..entry(1, 0, 4096)
    };
    let mut world = with(0, &[overflow]);
    assert_eq!(send(&mut world, &[put(9, 300)]), [(0, 300)]);
    let told = world.events(1);
    assert_eq!(kinds(&told), [EventKind::Put, EventKind::AutoUnlink]);
    assert_eq!((told[0].start, told[0].queue_index), (place(1), 1));
    // Nobody looks for 8; a search that keeps it, a search for nothing, then the append.
    world.post(
        1,
        &[
            ptl_me_search(&entry(0, 9, 0), Search::Only),
            ptl_me_search(&entry(0, 8, 0), Search::Only),
            ptl_me_append(&entry(2, 8, 4096)),
            ptl_me_append(&MatchEntry {
                options: me_option::OP_PUT | me_option::USE_ONCE,
                ..entry(3, 9, 4096)
            }),
        ],
    );
    world.settle();
    let told = world.events(1);
    let found = EventKind::PutOverflow;
    let order = kinds(&told);
    // A search that finds nothing says so twice: as Portals has it, and as a command.
    let searches = [EventKind::Search, EventKind::Search, EventKind::Command];
    assert_eq!(order[..3], searches);
    assert_eq!(told[2].result(), Some(Err(CommandError::NotFound)));
    assert_eq!(order[3..5], [EventKind::Link, found]);
    // The order of AUTO_UNLINK and AUTO_FREE is free.
    let rest = &order[5..];
    assert!(rest.contains(&EventKind::AutoUnlink) && rest.contains(&EventKind::AutoFree));
    assert_eq!(rest.len(), 2);
    assert_eq!(
        (told[0].ni_fail, told[1].ni_fail),
        (ni_fail::OK, ni_fail::NO_MATCH)
    );
    assert_eq!(
        (told[4].start, told[4].mlength, told[4].user_ptr()),
        (place(1), 300, Some(0x1003))
    );
    assert_eq!(world.read(1, place(1), 300), pattern(300, 1));
}

#[test]
fn an_entry_for_another_user_or_operation_refuses() {
    let other = MatchEntry {
        user_id: Some(99),
        ..entry(1, 5, 4096)
    };
    let right = MatchEntry {
        user_id: Some(100),
        ..entry(2, 6, 4096)
    };
    let gets = MatchEntry {
        options: me_option::OP_GET,
        ..entry(3, 7, 4096)
    };
    let mut world = with(0, &[other, right, gets]);
    assert_eq!(
        send(&mut world, &[put(5, 1), put(6, 2), put(7, 3)]),
        [
            (ni_fail::PERM_VIOLATION, 0),
            (ni_fail::OK, 2),
            (ni_fail::OP_VIOLATION, 0)
        ]
    );
    assert_eq!(world.status_counts(1), [0, 1, 1]);
    assert_eq!(kinds(&world.events(1)), [EventKind::Put]);
}
