//! Atomics that are refused, by the initiator or by the target, or done in part.

use xtq_testbench::host::{
    AckRequest, AtomicOp, CommandError, Datatype, EventKind, FetchAtomic, MatchEntry, Md, Pt, Put,
    me_option, portal_option, ptl_fetch_atomic, ptl_md_release, ptl_me_append, ptl_pt_alloc,
    ptl_pt_disable,
};
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

use super::{REPLIES, atomic, fetch, swap, words, write_words};
use crate::two_nodes::fixture::{LISTS, SHARED, SOURCE, SOURCE_BYTES, World, entry, kinds, put};

#[test]
fn a_wrong_atomic_is_refused_by_name_and_not_sent() {
    let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 4096))]);
    use AtomicOp as Op;
    use CommandError::{BadArgument, BadDescriptor, DescriptorOverflow, TooLong, Unsupported};
    use Datatype as D;
    let put_of = |length| put(0, length, 0);
    let get_from = |md: u16, offset| {
        let command = fetch(put_of(8), Op::Sum, D::Uint64);
        ptl_fetch_atomic(&FetchAtomic {
            get_md: Md(md),
            local_get_offset: offset,
            ..command
        })
    };
    let far = |md: u16, offset| {
        let put = Put {
            md: Md(md),
            ..put(offset, 8, 0)
        };
        atomic(put, Op::Sum, D::Uint64)
    };
    for (command, error) in [
        (atomic(put_of(8), Op::Swap, D::Uint64), BadArgument),
        (
            ptl_fetch_atomic(&fetch(put_of(8), Op::Cswap, D::Uint64)),
            BadArgument,
        ),
        (swap(put_of(8), Op::Sum, D::Uint64, 0), BadArgument),
        (atomic(put_of(8), Op::Bor, D::Double), BadArgument),
        (atomic(put_of(16), Op::Prod, D::LongDouble), Unsupported),
        (
            swap(put_of(16), Op::Cswap, D::DoubleComplex, 0),
            Unsupported,
        ),
        (atomic(put_of(24), Op::Sum, D::DoubleComplex), BadArgument),
        (atomic(put_of(513), Op::Sum, D::Uint8), TooLong),
        (atomic(put_of(1 << 33), Op::Sum, D::Uint8), TooLong),
        (atomic(put_of(12), Op::Sum, D::Uint64), BadArgument),
        (swap(put_of(16), Op::Cswap, D::Uint64, 0), BadArgument),
        (swap(put_of(0), Op::Mswap, D::Uint64, 0), BadArgument),
        (far(9, 0), BadDescriptor),
        (far(0, u64::MAX), DescriptorOverflow),
        (get_from(9, 0), BadDescriptor),
        (get_from(0, SOURCE_BYTES - 7), DescriptorOverflow),
    ] {
        let told = world.run(0, &[command]);
        assert_eq!(told.len(), 1, "{error:?}");
        assert_eq!(told[0].result(), Some(Err(error)));
    }
    // Nothing was sent, and nothing is held.
    assert_eq!(world.events(1), []);
    assert_eq!(world.read(1, SHARED, 1024), [0; 1024]);
    let told = world.run(0, &[ptl_md_release(Md(0)).with_completion()]);
    assert_eq!(told[0].result(), Some(Ok(())));
}

/// What the target does not let be done: each with an ATOMIC, a FETCH_ATOMIC and a SWAP.
#[test]
fn what_the_target_refuses_changes_nothing() {
    let closed = Pt(21);
    let only = |me, bits, option| MatchEntry {
        options: option | me_option::LINK_DISABLE,
        ..entry(me, bits, 4096)
    };
    let mut world = World::with_lists(
        None,
        &[
            ptl_me_append(&entry(1, 5, 4096)),
            ptl_me_append(&only(2, 6, me_option::OP_PUT)),
            ptl_me_append(&only(3, 7, me_option::OP_GET)),
            ptl_me_append(&MatchEntry {
                user_id: Some(55),
                ..entry(4, 8, 4096)
            }),
            ptl_pt_alloc(closed, portal_option::MATCHING),
            ptl_pt_disable(closed),
        ],
    );
    world.write(0, SOURCE, &[3; 64]);
    world.write(0, SOURCE + REPLIES, &[0xEE; 64]);
    let operation = (status::OP_VIOLATION, ni_fail::OP_VIOLATION);
    let permission = (status::PERM_VIOLATION, ni_fail::PERM_VIOLATION);
    let disabled = (status::PT_DISABLED, ni_fail::PT_DISABLED);
    let mut counts = [0; 3];
    for (pt_index, match_bits, remote, expected, counted) in [
        // No multiple of a datum: found after the match.
        (LISTS, 5, 4, operation, [0, 0, 0]),
        (LISTS, 5, 1, operation, [0, 0, 0]),
        (LISTS, 7, 0, operation, [0, 0, 1]),
        (LISTS, 8, 0, permission, [0, 1, 0]),
        (LISTS, 9, 0, (status::NO_MATCH, ni_fail::DROPPED), [1, 0, 0]),
        (closed, 5, 0, disabled, [1, 0, 0]),
        (
            Pt(40),
            5,
            0,
            (status::NO_PORTAL, ni_fail::DROPPED),
            [1, 0, 0],
        ),
        // A single buffer can only be written.
        (Pt(0), 5, 0, operation, [0, 0, 0]),
    ] {
        let to = Put {
            ack: AckRequest::Ack,
            pt_index,
            match_bits,
            ..put(0, 8, remote)
        };
        for (number, command) in [
            atomic(to, AtomicOp::Sum, Datatype::Uint64),
            ptl_fetch_atomic(&fetch(to, AtomicOp::Max, Datatype::Int64)),
            swap(to, AtomicOp::Cswap, Datatype::Uint64, 0),
        ]
        .into_iter()
        .enumerate()
        {
            let told = world.run(0, &[command]);
            let last = if number == 0 {
                EventKind::Ack
            } else {
                EventKind::Reply
            };
            let what = format!("command {number} to {pt_index:?}, {match_bits}, {remote}");
            assert_eq!(kinds(&told), [EventKind::Send, last], "{what}");
            assert_eq!((told[1].status, told[1].ni_fail), expected, "{what}");
            assert_eq!((told[1].rlength, told[1].mlength), (8, 0), "{what}");
            let events = world.events(1);
            let kind = [EventKind::Atomic, EventKind::FetchAtomic][usize::from(number > 0)];
            if match_bits == 5 && (pt_index == LISTS || pt_index == Pt(0)) {
                assert_eq!(kinds(&events), [kind], "{what}");
                assert_eq!(
                    (events[0].status, events[0].mlength),
                    (status::OP_VIOLATION, 0)
                );
            } else {
                assert_eq!(events, [], "{what}");
            }
            for (sum, more) in counts.iter_mut().zip(counted) {
                *sum += more;
            }
        }
    }
    // An entry that may only be written takes an ATOMIC and no other.
    let to = Put {
        match_bits: 6,
        ..put(0, 8, 512)
    };
    let told = world.run(0, &[atomic(to, AtomicOp::Sum, Datatype::Uint64)]);
    assert_eq!(kinds(&told), [EventKind::Send]);
    assert_eq!(kinds(&world.events(1)), [EventKind::Atomic]);
    for command in [
        ptl_fetch_atomic(&fetch(to, AtomicOp::Sum, Datatype::Uint64)),
        swap(to, AtomicOp::Swap, Datatype::Uint64, 0),
    ] {
        let told = world.run(0, &[command]);
        assert_eq!((told[1].status, told[1].ni_fail), operation);
        counts[2] += 1;
    }
    assert_eq!(world.status_counts(1), counts);
    assert_eq!(world.read(1, SHARED, 512), [0; 512]);
    assert_eq!(world.read(1, SHARED + 512, 8), [3; 8]);
    assert_eq!(world.read(0, SOURCE + REPLIES, 64), [0xEE; 64]);
}

#[test]
fn what_does_not_fit_is_done_in_part() {
    let mut world = World::with_lists(None, &[ptl_me_append(&entry(1, 5, 100))]);
    write_words(&mut world, 0, SOURCE, &[1; 64]);
    write_words(&mut world, 1, SHARED, &[10; 64]);
    // Twelve words and a half: the half is fetched and stays as it is.
    let command = fetch(put(0, 512, 0), AtomicOp::Sum, Datatype::Uint64);
    world.write(0, SOURCE + REPLIES, &[0xEE; 200]);
    let told = world.run(0, &[ptl_fetch_atomic(&command)]);
    assert_eq!((told[1].rlength, told[1].mlength), (512, 100));
    let expected: Vec<u64> = (0..64).map(|i| if i < 12 { 11 } else { 10 }).collect();
    assert_eq!(words(&world, 1, SHARED, 64), expected);
    assert_eq!(words(&world, 0, SOURCE + REPLIES, 12), [10; 12]);
    let rest = world.read(0, SOURCE + REPLIES + 96, 8);
    assert_eq!(rest, [10, 0, 0, 0, 0xEE, 0xEE, 0xEE, 0xEE]);
    assert_eq!((world.events(1)[0]).mlength, 100);
    // After the end: nothing is done, and that is no failure.
    let told = world.run(
        0,
        &[
            ptl_fetch_atomic(&fetch(put(0, 8, 104), AtomicOp::Sum, Datatype::Uint64)),
            swap(put(0, 8, 96), AtomicOp::Cswap, Datatype::Uint64, 10),
        ],
    );
    let replies: Vec<_> = told.iter().filter(|e| e.kind == EventKind::Reply).collect();
    assert_eq!((replies[0].ni_fail, replies[0].mlength), (ni_fail::OK, 0));
    assert_eq!((replies[1].ni_fail, replies[1].mlength), (ni_fail::OK, 4));
    assert_eq!(words(&world, 1, SHARED, 64), expected);
}
