//! The large and the small configuration: all match entries and unexpected headers of a context in use, between two
//! nodes.

use xtq_testbench::bus::Access;
use xtq_testbench::cluster::Cluster;
use xtq_testbench::host::{
    AckRequest, Command, CommandError, CounterValue, Ct, Event, EventKind, List, MatchEntry, Me,
    Process, ProcessConfig, ProcessId, Pt, Put, Ring, Search, Trigger, me_option, nop,
    portal_option, ptl_ct_alloc, ptl_ct_inc, ptl_me_append, ptl_me_search, ptl_pt_alloc, ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_testbench::node::{NodeConfig, Top};
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

use super::fixture::{SOURCE, SOURCE_BYTES, World, bind, config, fault, pattern};

const LISTS: Pt = Pt(20);
const BUFFER: u64 = 0x5100_0000;
/// A configuration.
#[derive(Clone, Copy)]
struct Size {
    top: Top,
    /// The context that both processes are in.
    context: u8,
    /// Match entries of a context.
    entries: u16,
    /// Unexpected headers of a context.
    headers: u16,
}

const LARGE: Size = Size {
    top: Top::LargeNic,
    context: 0,
    entries: 1024,
    headers: 1024,
};

/// In the last of its contexts.
const SMALL: Size = Size {
    top: Top::SmallNic,
    context: 1,
    entries: 32,
    headers: 16,
};

/// Bytes of the longest message.
const LONGEST: u64 = 200;

impl Size {
    fn target(self) -> ProcessId {
        ProcessId {
            node: 1,
            context: self.context,
        }
    }
}

/// Two such NICs; the process of node 1 has a portal entry with lists, and room for all events.
fn two(size: Size, seed: Option<u64>) -> World {
    let configs = [1, 2].map(|node| NodeConfig {
        top: size.top,
        ..config(seed.map(|seed| seed + 1000 * node))
    });
    let mut cluster = Cluster::new(&configs, &NetworkConfig::default()).unwrap();
    let rings = ProcessConfig {
        events: Ring {
            base: 0x3800_0000,
            size: 4096,
        },
        ..ProcessConfig::default()
    };
    let open = |node| Process::open(&mut cluster.port(node), size.context, &rings).unwrap();
    let processes = [0, 1].map(open).into();
    let mut world = World { cluster, processes };
    world.write(0, SOURCE, &pattern(2000, 1));
    world.post(0, &[bind(0, SOURCE, SOURCE_BYTES)]);
    world.post(1, &[ptl_pt_alloc(LISTS, portal_option::MATCHING)]);
    world.settle();
    world
}

/// An entry of its own 4 KiB for these match bits.
fn entry(me: u16) -> MatchEntry {
    MatchEntry {
        me: Me(me),
        pt_index: LISTS,
        start: place(me),
        length: 4096,
        options: me_option::OP_PUT,
        match_bits: me.into(),
        user_ptr: 0x1000 + u64::from(me),
        ..MatchEntry::default()
    }
}

fn place(me: u16) -> u64 {
    BUFFER + 0x1000 * u64::from(me)
}

/// A put whose length and data show which it is.
fn put(size: Size, number: u16) -> Command {
    ptl_put(&Put {
        local_offset: number.into(),
        length: length(number),
        ack: AckRequest::Ack,
        target: size.target(),
        pt_index: LISTS,
        match_bits: number.into(),
        ..Put::default()
    })
}

fn length(number: u16) -> u64 {
    1 + u64::from(number) % LONGEST
}

/// Gives the commands, as many at a time as the ring takes, and what is reported at this node.
fn run(world: &mut World, node: usize, commands: &[Command]) -> Vec<Event> {
    let mut told = Vec::new();
    for some in commands.chunks(32) {
        world.post(node, some);
        world.settle();
        told.extend(world.events(node));
    }
    told
}

/// Node 0 sends these; all are acknowledged, so many of them as delivered.
fn send(size: Size, world: &mut World, numbers: impl Iterator<Item = u16>) -> usize {
    let puts: Vec<Command> = numbers.map(|number| put(size, number)).collect();
    let told = run(world, 0, &puts);
    let acks: Vec<u8> = told
        .iter()
        .filter(|event| event.kind == EventKind::Ack)
        .map(|ack| ack.ni_fail)
        .collect();
    assert_eq!(acks.len(), puts.len());
    acks.iter().filter(|fail| **fail == ni_fail::OK).count()
}

fn data(number: u16) -> Vec<u8> {
    pattern(2000, 1)[usize::from(number)..][..length(number) as usize].to_vec()
}

fn all_entries_take_messages(size: Size, seed: Option<u64>) {
    let mut world = two(size, seed);
    let appends: Vec<Command> = (0..size.entries)
        .map(|me| ptl_me_append(&entry(me)))
        .collect();
    let told = run(&mut world, 1, &appends);
    assert_eq!(told.len(), appends.len());
    assert!(told.iter().all(|event| event.kind == EventKind::Link));
    let beyond = ptl_me_append(&entry(size.entries)).with_completion();
    let told = run(&mut world, 1, &[beyond]);
    assert_eq!(told[0].result(), Some(Err(CommandError::BadEntry)));
    // The deepest first.
    let sent = send(size, &mut world, (0..size.entries).rev());
    assert_eq!(sent, usize::from(size.entries));
    let told = world.events(1);
    let seen: Vec<_> = told
        .iter()
        .map(|event| (event.kind, event.user_ptr(), u64::from(event.mlength)))
        .collect();
    let expected: Vec<_> = (0..size.entries)
        .rev()
        .map(|me| (EventKind::Put, Some(0x1000 + u64::from(me)), length(me)))
        .collect();
    assert_eq!(seen, expected);
    for me in 0..size.entries {
        let bytes = world.read(1, place(me), length(me) as usize);
        assert_eq!(bytes, data(me), "entry {me}");
    }
}

fn all_headers_are_kept_and_found(size: Size, seed: Option<u64>) {
    let mut world = two(size, seed);
    let overflow = MatchEntry {
        list: List::Overflow,
        ignore_bits: u64::MAX,
        length: 0x10_0000,
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL,
        ..entry(0)
    };
    run(&mut world, 1, &[ptl_me_append(&overflow)]);
    // One more than there are headers.
    let kept = send(size, &mut world, 0..size.headers + 1);
    assert_eq!(kept, usize::from(size.headers));
    let told = world.events(1);
    let landed = told.iter().filter(|event| event.kind == EventKind::Put);
    assert_eq!((landed.count(), told.len()), (kept, kept));
    // All are found at once.
    let everything = MatchEntry {
        ignore_bits: u64::MAX,
        ..entry(1)
    };
    let search = ptl_me_search(&everything, Search::Delete);
    let told = run(&mut world, 1, &[search]);
    let found: Vec<u64> = told
        .iter()
        .filter(|event| event.kind == EventKind::PutOverflow)
        .map(|event| event.match_bits)
        .collect();
    assert_eq!(found, (0..u64::from(size.headers)).collect::<Vec<_>>());
    for event in told.iter().filter(|e| e.kind == EventKind::PutOverflow) {
        let number = event.match_bits as u16;
        let bytes = world.read(1, event.start, event.mlength as usize);
        assert_eq!(bytes, data(number), "message {number}");
    }
    assert_eq!(send(size, &mut world, 0..1), 1, "there is room again");
}

/// As many unexpected messages as there are headers, each a line of its own, a third of them where the memory refuses.
fn each_header_tells_what_became_of_its_message(size: Size, seed: Option<u64>) {
    let mut world = two(size, seed);
    let overflow = MatchEntry {
        list: List::Overflow,
        ignore_bits: u64::MAX,
        length: 0x10_0000,
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL,
        ..entry(0)
    };
    run(&mut world, 1, &[ptl_me_append(&overflow)]);
    // The second time the headers have the same numbers and other names.
    for round in 0..2 {
        // Two headers whose names differ in the highest bits only have different ends, mostly: no power of two is a
        // multiple of three.
        let fails = |number: u16| number % 3 == round;
        for number in (0..size.headers).filter(|number| fails(*number)) {
            let line = place(0) + 64 * u64::from(size.headers * round + number);
            fault(&mut world, 1, line..=line + 63, Access::Write);
        }
        let puts = (0..size.headers).map(|number| {
            ptl_put(&Put {
                length: 64,
                target: size.target(),
                pt_index: LISTS,
                match_bits: number.into(),
                ..Put::default()
            })
        });
        run(&mut world, 0, &puts.collect::<Vec<_>>());
        let told = world.events(1);
        let failed = told.iter().filter(|e| e.status == status::MEMORY_ERROR);
        let expected = (0..size.headers).filter(|number| fails(*number)).count();
        assert_eq!(
            (told.len(), failed.count()),
            (size.headers.into(), expected)
        );
        // By appends, newest first, and the rest by one search.
        let appends: Vec<Command> = (size.headers / 2..size.headers)
            .rev()
            .map(|number| {
                ptl_me_append(&MatchEntry {
                    match_bits: number.into(),
                    options: me_option::OP_PUT | me_option::USE_ONCE | me_option::UNLINK_DISABLE,
                    ..entry(1)
                })
            })
            .collect();
        let mut told = run(&mut world, 1, &appends);
        let everything = MatchEntry {
            ignore_bits: u64::MAX,
            ..entry(1)
        };
        let search = ptl_me_search(&everything, Search::Delete);
        told.extend(run(&mut world, 1, &[search]));
        let told: Vec<_> = told
            .iter()
            .map(|e| (e.kind, e.match_bits, e.ni_fail, e.mlength))
            .collect();
        let expected: Vec<_> = (size.headers / 2..size.headers)
            .rev()
            .chain(0..size.headers / 2)
            .map(|number| {
                let (fail, bytes) = match fails(number) {
                    true => (ni_fail::SEGV, 0),
                    false => (ni_fail::OK, 64),
                };
                (EventKind::PutOverflow, number.into(), fail, bytes)
            })
            .collect();
        assert_eq!(told, expected, "round {round}");
    }
}

/// All counters of a context, and as many commands that wait as there are places.
fn all_counters_count_and_all_places_fire(size: Size, counters: u16, places: u16) {
    let mut world = two(size, None);
    let one = CounterValue {
        success: 1,
        failure: 0,
    };
    let allocs: Vec<Command> = (0..=counters)
        .map(|counter| ptl_ct_alloc(Ct(counter)).with_completion())
        .collect();
    let ends: Vec<_> = run(&mut world, 0, &allocs)
        .iter()
        .map(|event| event.result())
        .collect();
    let mut expected = vec![Some(Ok(())); counters.into()];
    expected.push(Some(Err(CommandError::BadCounter)));
    assert_eq!(ends, expected);
    // One place is for what fires at once.
    let waiting: Vec<Command> = (0..places)
        .map(|number| {
            let trigger = Trigger {
                counter: Ct(number % counters),
                threshold: 1,
            };
            nop()
                .with_user_ptr(number.into())
                .with_completion()
                .triggered(trigger)
        })
        .collect();
    let told = run(&mut world, 0, &waiting);
    let ends: Vec<_> = told.iter().map(|e| (e.user_ptr(), e.result())).collect();
    let refused = (
        Some(u64::from(places) - 1),
        Some(Err(CommandError::NoSpace)),
    );
    assert_eq!(ends, [refused]);
    let counts: Vec<Command> = (0..counters)
        .map(|counter| ptl_ct_inc(Ct(counter), one))
        .collect();
    let mut fired: Vec<_> = run(&mut world, 0, &counts)
        .iter()
        .map(|event| (event.result(), event.user_ptr()))
        .collect();
    fired.sort_by_key(|fired| fired.1);
    let expected: Vec<_> = (0..u64::from(places) - 1)
        .map(|number| (Some(Ok(())), Some(number)))
        .collect();
    assert_eq!(fired, expected);
}

#[test]
fn a_large_nic_has_256_counters_and_512_places_for_what_waits_in_each_context() {
    all_counters_count_and_all_places_fire(LARGE, 256, 512);
    all_counters_count_and_all_places_fire(
        Size {
            context: 3,
            ..LARGE
        },
        256,
        512,
    );
}

#[test]
fn a_small_nic_has_64_counters_and_128_places_for_what_waits_in_each_context() {
    all_counters_count_and_all_places_fire(SMALL, 64, 128);
}

#[test]
fn a_large_nic_takes_messages_with_all_1024_entries_of_a_context() {
    all_entries_take_messages(LARGE, None);
}

#[test]
fn a_small_nic_takes_messages_with_all_32_entries_of_a_context() {
    all_entries_take_messages(SMALL, None);
}

#[test]
fn a_large_nic_keeps_1024_headers_and_tells_them_in_one_search() {
    all_headers_are_kept_and_found(LARGE, None);
}

#[test]
fn a_small_nic_keeps_16_headers_and_tells_them_in_one_search() {
    all_headers_are_kept_and_found(SMALL, None);
}

#[test]
fn each_of_1024_headers_tells_what_became_of_its_own_message() {
    each_header_tells_what_became_of_its_message(LARGE, None);
}

#[test]
fn each_of_16_headers_of_a_small_nic_tells_what_became_of_its_own_message() {
    each_header_tells_what_became_of_its_message(SMALL, None);
}

#[test]
fn a_large_and_a_small_nic_do_the_same_on_random_memories() {
    for (size, seeds) in [(LARGE, 1), (SMALL, 3)] {
        for seed in 0..seeds {
            each_header_tells_what_became_of_its_message(size, Some(seed));
            all_entries_take_messages(size, Some(seed));
            all_headers_are_kept_and_found(size, Some(seed));
        }
    }
}
