//! Lists of pieces that are wrong, cannot be read, or whose bytes cannot be written; contexts that close.

use xtq_testbench::bus::Access;
use xtq_testbench::host::{
    CommandError, Event, EventKind, Get, Md, NicPort, Pt, Put, ptl_get, ptl_me_append, ptl_put,
};
use xtq_types::event::{access, status};
use xtq_types::register_map::context;
use xtq_types::wire_header::ni_fail;

use super::{Pieces, TABLES, ends, gathered, put, results, two};
use crate::two_nodes::fixture::{LANDING, LISTS, SOURCE, TARGET, World, fault, forbid, pattern};

#[test]
fn what_is_wrong_with_a_list_is_named_when_it_is_bound_or_appended() {
    let mut world = two();
    let huge = Pieces {
        list: TABLES,
        pieces: vec![(0, u64::MAX), (0, 1), (0, 7)],
    };
    huge.store(&mut world, 1);
    let beyond = TABLES + 0x1000..=TABLES + 0x2000;
    forbid(&mut world, 1, beyond, Access::Read);
    let part = |list, count: usize| Pieces {
        list,
        pieces: vec![(0, 0); count],
    };
    let lists = [
        part(TABLES, 2),
        part(TABLES + 0x1000, 5),
        part(TABLES + 4, 1),
        part(TABLES + 0x8000, 1025),
        // These are right: one that ends before what is too much, one of nothing.
        part(TABLES, 1),
        part(TABLES + 0x1000, 0),
    ];
    let mut commands = Vec::new();
    for (number, list) in (0..).zip(&lists) {
        commands.push(ptl_me_append(&list.entry(number, 0)).with_completion());
        commands.push(list.bind(number + 1).with_completion());
    }
    world.post(1, &commands);
    world.settle();
    let told = results(&world.events(1));
    let pairs: Vec<_> = told.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let twice = |error| (Err(error), Err(error));
    assert_eq!(
        pairs,
        [
            twice(CommandError::PiecesOverflow),
            twice(CommandError::MemoryError),
            twice(CommandError::BadArgument),
            twice(CommandError::TooManyPieces),
            (Ok(()), Ok(())),
            (Ok(()), Ok(())),
        ]
    );
}

/// Lists of 40 pieces of 200 bytes: descriptor 1 of node 0, and an entry of node 1.
fn both_ends(world: &mut World) -> [Pieces; 2] {
    let lists = [SOURCE, LANDING].map(|base| Pieces {
        list: TABLES,
        pieces: (0..40).map(|i| (base + 0x100 * i, 200)).collect(),
    });
    for (node, list) in lists.iter().enumerate() {
        list.store(world, node);
    }
    world.post(0, &[lists[0].bind(1)]);
    world.post(1, &[ptl_me_append(&lists[1].entry(0, 0))]);
    world.settle();
    assert_eq!(world.events(0), []);
    assert_eq!(results(&world.events(1)), []);
    lists
}

fn acks(events: &[Event]) -> Vec<(Option<u64>, u8)> {
    let acks = events.iter().filter(|event| event.kind == EventKind::Ack);
    acks.map(|event| (event.user_ptr(), event.ni_fail))
        .collect()
}

#[test]
fn a_list_that_cannot_be_read_later_fails_its_message_and_no_other() {
    let mut world = two();
    both_ends(&mut world);
    // From piece 16 or so on.
    forbid(&mut world, 1, TABLES + 264..=TABLES + 300, Access::Read);
    let whole = Put {
        user_ptr: 1,
        ..put(0, 0, 6000, 0)
    };
    let short = Put {
        user_ptr: 2,
        ..put(0, 0, 3000, 0)
    };
    world.post(0, &[ptl_put(&whole), ptl_put(&short)]);
    world.settle();
    let told = world.events(1);
    assert_eq!(
        ends(&told, EventKind::Put),
        [
            (status::MEMORY_ERROR, access::PAYLOAD),
            (status::OK, access::NONE)
        ]
    );
    let told = world.events(0);
    assert_eq!(
        acks(&told),
        [(Some(1), ni_fail::SEGV), (Some(2), ni_fail::OK)]
    );
    // The same where it is sent from.
    forbid(&mut world, 0, TABLES + 264..=TABLES + 300, Access::Read);
    let far = Put {
        pt_index: Pt(0),
        ..put(1, 0, 6000, 0)
    };
    world.post(
        0,
        &[
            ptl_put(&far),
            ptl_put(&Put {
                length: 3000,
                ..far
            }),
        ],
    );
    world.settle();
    let told = world.events(0);
    assert_eq!(
        ends(&told, EventKind::Send),
        [
            (status::MEMORY_ERROR, access::GATHER),
            (status::OK, access::NONE)
        ]
    );
    let told = ends(&world.events(1), EventKind::Put);
    assert_eq!(
        told.iter().map(|end| end.0).collect::<Vec<_>>(),
        [status::BAD_LENGTH, status::OK]
    );
}

#[test]
fn a_piece_that_cannot_be_written_fails_its_message_and_no_other() {
    let mut world = two();
    let [near, far] = both_ends(&mut world);
    let addresses = far.addresses();
    // The first piece, one in the middle of a packet, one across packets, the last.
    for piece in [0, 10, 20, 39] {
        let start = far.pieces[piece].0 + 64;
        fault(&mut world, 1, start..=start + 63, Access::Write);
        let whole = Put {
            user_ptr: 1,
            ..put(1, 0, 8000, 0)
        };
        let next = Put {
            user_ptr: 2,
            ..whole
        };
        let told = world.run(0, &[ptl_put(&whole), ptl_put(&next)]);
        assert_eq!(
            acks(&told),
            [(Some(1), ni_fail::SEGV), (Some(2), ni_fail::OK)]
        );
        assert_eq!(
            ends(&world.events(1), EventKind::Put),
            [
                (status::MEMORY_ERROR, access::PAYLOAD),
                (status::OK, access::NONE)
            ],
            "piece {piece}"
        );
        let sent = gathered(&world, 0, &near.addresses());
        assert!(gathered(&world, 1, &addresses) == sent, "piece {piece}");
        // Bytes between the pieces are nobody's.
        assert_eq!(world.read(1, far.pieces[piece].0 + 200, 56), [0; 56]);
        world.write(1, LANDING, &[0; 0x2800]);
    }
}

#[test]
fn a_get_from_or_into_a_list_that_cannot_be_read_fails_and_the_next_is_whole() {
    // Who cannot read its list: the asker or the target.
    for node in 0..2 {
        let mut world = two();
        let [near, far] = both_ends(&mut world);
        world.write(1, LANDING, &pattern(0x2800, 9));
        forbid(&mut world, node, TABLES + 264..=TABLES + 300, Access::Read);
        let whole = Get {
            md: Md(1),
            length: 6000,
            target: TARGET,
            pt_index: LISTS,
            match_bits: 5,
            ..Get::default()
        };
        let short = Get {
            length: 3000,
            ..whole
        };
        let told = world.run(0, &[ptl_get(&whole), ptl_get(&short)]);
        let whole = (status::OK, access::NONE);
        let failed = [
            // Where the reply lands; and what the target has read is not what it announced.
            [(status::MEMORY_ERROR, access::PAYLOAD), whole],
            [(status::BAD_LENGTH, access::NONE), whole],
        ];
        assert_eq!(ends(&told, EventKind::Reply), failed[node]);
        let fails: Vec<u8> = told.iter().map(|event| event.ni_fail).collect();
        assert_eq!(fails, [ni_fail::SEGV, ni_fail::OK]);
        let failed = [
            [whole, whole],
            [(status::MEMORY_ERROR, access::GATHER), whole],
        ];
        assert_eq!(ends(&world.events(1), EventKind::Get), failed[node]);
        let got = gathered(&world, 0, &near.addresses()[..3000]);
        assert!(got == gathered(&world, 1, &far.addresses()[..3000]));
    }
}

#[test]
fn a_context_that_closes_in_the_middle_of_a_message_ends_it_and_takes_the_next() {
    let enable = (context::PAGE_BYTES + context::ENABLE) as u16;
    let mut seen = [0; 3];
    for cycles in (0..1200).step_by(60) {
        let mut world = two();
        let [near, far] = both_ends(&mut world);
        world.post(0, &[ptl_put(&put(1, 0, 8000, 0))]);
        for _ in 0..cycles {
            world.cluster.cycle().unwrap();
        }
        world.cluster.port(1).post(enable, 0);
        world.settle();
        let told = ends(&world.events(1), EventKind::Put);
        let acks = acks(&world.events(0));
        let place = match told[..] {
            // It came too late, or it was there.
            [] => 0,
            [(status::BAD_LENGTH, access::NONE)] => 1,
            [(status::OK, access::NONE)] => 2,
            _ => panic!("closed after {cycles}: {told:?}"),
        };
        seen[place] += 1;
        let fails = [ni_fail::UNDELIVERABLE, ni_fail::DROPPED, ni_fail::OK];
        assert_eq!(acks, [(Some(7), fails[place])], "closed after {cycles}");
        world.write(1, LANDING, &[0; 0x2800]);
        world.cluster.port(1).post(enable, 1);
        world.settle();
        let told = world.run(0, &[ptl_put(&put(1, 100, 7900, 0))]);
        assert_eq!(ends(&told, EventKind::Ack), [(status::OK, access::NONE)]);
        let sent = gathered(&world, 0, &near.addresses()[100..]);
        assert!(gathered(&world, 1, &far.addresses()[..7900]) == sent);
        assert_eq!(world.read(1, LANDING + 200, 56), [0; 56]);
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}
