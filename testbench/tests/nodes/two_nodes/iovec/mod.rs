//! Lists of pieces as buffers: descriptors and match entries, in every kind of message.

mod faults;
mod meetings;
mod tasks;

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::host::{
    AckRequest, Atomic, AtomicOp, Command, CommandError, Datatype, Event, EventKind, FetchAtomic,
    Get, List, MatchEntry, Md, MemoryDescriptor, Pt, Put, iovec, md_option, me_option,
    portal_option, ptl_atomic, ptl_fetch_atomic, ptl_get, ptl_md_bind, ptl_me_append, ptl_pt_alloc,
    ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_types::event::{access, status};
use xtq_types::wire_header::ni_fail;

use super::fixture::{self, LANDING, LISTS, SOURCE, TARGET, World, entry, pattern};

/// Where lists of pieces lie.
const TABLES: u64 = 0x6000_0ff8;
/// Bytes between two of them.
const TABLE_BYTES: u64 = 0x5000;

/// A list of pieces in the memory of a node.
#[derive(Clone, Debug)]
struct Pieces {
    list: u64,
    pieces: Vec<(u64, u64)>,
}

impl Pieces {
    /// Pieces from an address on, each somewhere in a stretch of its own of 0x1400 bytes.
    fn draw(rng: &mut ChaCha8Rng, number: u64, base: u64, count: usize) -> Self {
        let lengths = [0, 0, 1, 3, 8, 60, 64, 65, 200, 1000, 4096, 5000];
        let pieces = (0..count as u64).map(|i| {
            let start = base + 0x1400 * i + rng.random_range(0..100);
            (start, *lengths.choose(rng).unwrap_or(&1))
        });
        let pieces = pieces.collect();
        Self {
            list: TABLES + number * TABLE_BYTES + 8 * rng.random_range(0..9),
            pieces,
        }
    }

    fn store(&self, world: &mut World, node: usize) {
        world.write(node, self.list, &iovec(&self.pieces));
    }

    fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.1).sum()
    }

    /// The addresses of its bytes, in order.
    fn addresses(&self) -> Vec<u64> {
        let pieces = self.pieces.iter();
        pieces
            .flat_map(|(start, length)| *start..start + length)
            .collect()
    }

    fn bind(&self, md: u16) -> Command {
        ptl_md_bind(&MemoryDescriptor {
            md: Md(md),
            start: self.list,
            length: self.pieces.len() as u64,
            options: md_option::EVENTS | md_option::IOVEC,
            counter: None,
        })
    }

    fn entry(&self, me: u16, options: u32) -> MatchEntry {
        MatchEntry {
            start: self.list,
            length: self.pieces.len() as u64,
            options: me_option::OP_PUT | me_option::OP_GET | me_option::IOVEC | options,
            ..entry(me, 5, 0)
        }
    }
}

/// The bytes at these addresses.
fn gathered(world: &World, node: usize, addresses: &[u64]) -> Vec<u8> {
    let bytes = addresses
        .iter()
        .map(|address| world.read(node, *address, 1)[0]);
    bytes.collect()
}

/// An acknowledged put from a descriptor.
fn put(md: u16, offset: u64, length: u64, remote_offset: u64) -> Put {
    Put {
        md: Md(md),
        ack: AckRequest::Ack,
        ..fixture::put(offset, length, remote_offset)
    }
}

fn results(events: &[Event]) -> Vec<Result<(), CommandError>> {
    events.iter().filter_map(Event::result).collect()
}

/// Status and access of the events of this kind.
fn ends(events: &[Event], kind: EventKind) -> Vec<(u8, u8)> {
    let events = events.iter().filter(|event| event.kind == kind);
    events.map(|event| (event.status, event.access)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn puts_and_gets_between_lists_move_the_bytes_of_their_pieces_and_no_others(seed in any::<u64>(), noisy: bool) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut world = World::new(2, noisy.then_some(seed), &NetworkConfig::default());
        let near = Pieces::draw(&mut rng, 0, SOURCE, 12);
        let far = Pieces::draw(&mut rng, 1, LANDING, 12);
        let from = Pieces::draw(&mut rng, 2, LANDING, 12);
        near.store(&mut world, 0);
        far.store(&mut world, 1);
        from.store(&mut world, 0);
        world.write(0, SOURCE, &pattern(0x10000, seed % 251));
        world.post(0, &[near.bind(1), from.bind(2)]);
        world.post(1, &[ptl_pt_alloc(LISTS, portal_option::MATCHING), ptl_me_append(&far.entry(0, 0))]);
        world.settle();
        prop_assert_eq!(results(&world.events(0)), []);
        let told = world.events(1);
        prop_assert_eq!(told.len(), 1);
        prop_assert_eq!(told[0].kind, EventKind::Link);
        let (sources, targets, landing) = (near.addresses(), far.addresses(), from.addresses());
        let mut image = world.read(1, LANDING, 0x10000);
        for _ in 0..6 {
            let offset = rng.random_range(0..=near.length());
            let length = rng.random_range(0..=near.length() - offset);
            let remote = rng.random_range(0..=far.length() + 1);
            let done = length.min(far.length().saturating_sub(remote));
            world.post(0, &[ptl_put(&put(1, offset, length, remote))]);
            world.settle();
            let acks = world.events(0);
            let ack = acks.iter().find(|event| event.kind == EventKind::Ack).unwrap();
            prop_assert_eq!((ack.ni_fail, u64::from(ack.mlength)), (ni_fail::OK, done));
            let told = world.events(1);
            prop_assert_eq!(ends(&told, EventKind::Put), [(status::OK, access::NONE)]);
            prop_assert_eq!(told[0].start, far.list + remote);
            let sent = gathered(&world, 0, &sources[offset as usize..(offset + done) as usize]);
            if done > 0 {
                for (address, byte) in targets[remote as usize..].iter().zip(sent) {
                    image[(address - LANDING) as usize] = byte;
                }
            }
            prop_assert!(world.read(1, LANDING, 0x10000) == image, "{} from {} to {}", length, offset, remote);
            // Back, to yet another list.
            let into = rng.random_range(0..=from.length());
            let length = rng.random_range(0..=from.length() - into);
            let done = length.min(far.length().saturating_sub(remote)) as usize;
            let get = Get { md: Md(2), local_offset: into, length, target: TARGET, pt_index: LISTS, match_bits: 5, remote_offset: remote, ..Get::default() };
            world.post(0, &[ptl_get(&get)]);
            world.settle();
            let replies = ends(&world.events(0), EventKind::Reply);
            prop_assert_eq!(replies, [(status::OK, access::NONE)]);
            prop_assert_eq!(ends(&world.events(1), EventKind::Get), [(status::OK, access::NONE)]);
            if done > 0 {
                let got = gathered(&world, 0, &landing[into as usize..into as usize + done]);
                let there = gathered(&world, 1, &targets[remote as usize..remote as usize + done]);
                prop_assert!(got == there, "get of {} from {} into {}", length, remote, into);
            }
        }
    }
}

/// Two nodes; node 0 has its source filled, node 1 a portal with lists.
fn two() -> World {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(0x10000, 3));
    world.post(1, &[ptl_pt_alloc(LISTS, portal_option::MATCHING)]);
    world
}

#[test]
fn an_entry_that_keeps_its_offset_goes_on_in_its_pieces_and_takes_unexpected_messages() {
    let mut world = two();
    let far = Pieces {
        list: TABLES,
        pieces: vec![
            (LANDING + 5, 3),
            (LANDING + 0x100, 0),
            (LANDING + 0x200, 100),
            (LANDING + 0x1000 - 7, 50),
        ],
    };
    far.store(&mut world, 1);
    let overflow = MatchEntry {
        list: List::Overflow,
        ..far.entry(0, me_option::MANAGE_LOCAL)
    };
    world.post(1, &[ptl_me_append(&overflow)]);
    world.settle();
    for (offset, length) in [(0, 2), (10, 60), (100, 91)] {
        world.post(0, &[ptl_put(&put(0, offset, length, 7))]);
        world.settle();
    }
    let sent = pattern(0x10000, 3);
    let sent = [&sent[..2], &sent[10..70], &sent[100..191]].concat();
    assert_eq!(gathered(&world, 1, &far.addresses()), sent);
    world.events(1);
    // Where they are is reported to who takes them.
    let taker = MatchEntry {
        options: me_option::OP_PUT,
        ..entry(1, 5, 0)
    };
    world.post(1, &[ptl_me_append(&taker)]);
    world.settle();
    let told = world.events(1);
    let starts = told
        .iter()
        .filter(|event| event.kind == EventKind::PutOverflow);
    let starts: Vec<(u64, u32)> = starts.map(|event| (event.start, event.mlength)).collect();
    let at = |offset| far.list + offset;
    assert_eq!(starts, [(at(0), 2), (at(2), 60), (at(62), 91)]);
}

#[test]
fn a_list_of_1024_pieces_takes_a_long_message_while_others_come() {
    let mut world = World::new(3, None, &NetworkConfig::default());
    world.write(0, SOURCE, &pattern(0x10000, 3));
    world.write(2, SOURCE, &pattern(0x10000, 9));
    let far = Pieces {
        list: TABLES,
        pieces: (0..1024)
            .map(|i| (LANDING + 0x10_0000 + 0x100 * i + i % 64, 40 + i % 30))
            .collect(),
    };
    far.store(&mut world, 1);
    world.post(
        1,
        &[
            ptl_pt_alloc(LISTS, portal_option::MATCHING),
            ptl_me_append(&far.entry(0, 0)),
        ],
    );
    world.settle();
    // Node 0 takes the first half, node 2 the second, packet by packet beside each other; and its plain puts.
    let half = far.length() / 2;
    for node in [0, 2] {
        let remote = if node == 0 { 0 } else { half };
        world.post(node, &[ptl_put(&put(0, 0, half, remote))]);
    }
    let plain = Put {
        pt_index: Pt(0),
        ..put(0, 64, 5000, 0)
    };
    world.post(2, &[ptl_put(&plain)]);
    world.settle();
    let half = half as usize;
    let expected = [&pattern(0x10000, 3)[..half], &pattern(0x10000, 9)[..half]].concat();
    assert!(gathered(&world, 1, &far.addresses()[..2 * half]) == expected);
    let told = world.events(1);
    assert_eq!(ends(&told, EventKind::Put), [(status::OK, access::NONE); 3]);
}

#[test]
fn atomics_read_their_operands_from_lists_and_fetch_into_them_but_change_none() {
    let mut world = two();
    let near = Pieces {
        list: TABLES,
        pieces: vec![(SOURCE + 1, 3), (SOURCE + 0x80, 30)],
    };
    let into = Pieces {
        list: TABLES + TABLE_BYTES,
        pieces: vec![(LANDING + 3, 6), (LANDING + 0x40, 20)],
    };
    near.store(&mut world, 0);
    into.store(&mut world, 0);
    let plain = MatchEntry {
        start: LANDING,
        ..entry(0, 1, 64)
    };
    let far = Pieces {
        list: TABLES,
        pieces: vec![(LANDING + 0x100, 64)],
    };
    far.store(&mut world, 1);
    world.post(1, &[ptl_me_append(&plain), ptl_me_append(&far.entry(1, 0))]);
    world.post(0, &[near.bind(1), into.bind(2)]);
    world.write(1, LANDING, &pattern(64, 8));
    world.settle();
    world.events(1);
    let operands = gathered(&world, 0, &near.addresses()[1..25]);
    let fetch = FetchAtomic {
        get_md: Md(2),
        local_get_offset: 2,
        put: Put {
            match_bits: 1,
            ack: AckRequest::None,
            ..put(1, 1, 24, 8)
        },
        operation: AtomicOp::Bxor,
        datatype: Datatype::Uint64,
    };
    world.post(0, &[ptl_fetch_atomic(&fetch)]);
    world.settle();
    let old = pattern(64, 8);
    assert_eq!(gathered(&world, 0, &into.addresses()[2..26]), old[8..32]);
    let new: Vec<u8> = old[8..32]
        .iter()
        .zip(&operands)
        .map(|(a, b)| a ^ b)
        .collect();
    assert_eq!(world.read(1, LANDING + 8, 24), new);
    world.events(0);
    // Into a list: refused, with nothing done.
    let atomic = Atomic {
        put: put(1, 0, 8, 0),
        operation: AtomicOp::Sum,
        datatype: Datatype::Uint64,
    };
    world.post(0, &[ptl_atomic(&atomic)]);
    world.settle();
    let acks = world.events(0);
    let ack = acks
        .iter()
        .find(|event| event.kind == EventKind::Ack)
        .unwrap();
    assert_eq!(ack.ni_fail, ni_fail::OP_VIOLATION);
    assert_eq!(world.status_counts(1), [0, 0, 1]);
    assert_eq!(world.read(1, LANDING + 0x100, 64), [0; 64]);
}
