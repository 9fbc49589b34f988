//! Atomics that meet other messages: order, tickets, nodes that fetch from each other.

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    AtomicOp, Command, Datatype, FetchAtomic, Get, MatchEntry, Md, Process, ProcessConfig,
    ProcessId, Put, Ring, Swap, me_option, portal_option, ptl_fetch_atomic, ptl_get, ptl_me_append,
    ptl_pt_alloc, ptl_put, ptl_swap,
};
use xtq_testbench::network::{Link, NetworkConfig};
use xtq_types::event::status;

use super::{REPLIES, atomic, fetch, words, write_words};
use crate::two_nodes::fixture::{BOTH, LISTS, SHARED, SOURCE, TARGET, World, bind, entry, put};

/// The table "Order" of docs/atomics.md, line by line, on memories that answer late and out of order.
#[test]
fn each_finds_what_came_before_it() {
    for seed in 0..40 {
        let mut world = World::with_lists(Some(seed), &[ptl_me_append(&entry(1, 5, 4096))]);
        let one = |remote| atomic(put(0, 8, remote), AtomicOp::Sum, Datatype::Uint64);
        write_words(&mut world, 0, SOURCE, &[1]);
        write_words(&mut world, 0, SOURCE + 64, &[1000; 40]);
        write_words(&mut world, 1, SHARED, &[5; 64]);
        let long = put(64, 320, 0);
        let get = |offset, remote| {
            ptl_get(&Get {
                md: Md(0),
                local_offset: REPLIES + offset,
                length: 8,
                target: TARGET,
                pt_index: LISTS,
                match_bits: 5,
                remote_offset: remote,
                user_ptr: 0,
            })
        };
        let told = world.run(
            0,
            &[
                // put, atomic; atomic, atomic; atomic, GET
                ptl_put(&long),
                one(312),
                one(312),
                get(0, 312),
                // atomic, put
                one(400),
                ptl_put(&put(64, 8, 400)),
                // the same two again, after a put elsewhere
                ptl_put(&put(64, 8, 480)),
                one(408),
                ptl_put(&put(64, 8, 408)),
                get(8, 408),
            ],
        );
        assert_eq!(told.iter().filter(|e| e.status != status::OK).count(), 0);
        let last = words(&world, 1, SHARED + 304, 2);
        assert_eq!(
            last,
            [1000, 1002],
            "seed {seed}: behind a put and each other"
        );
        assert_eq!(
            words(&world, 1, SHARED + 400, 2),
            [1000; 2],
            "seed {seed}: put behind"
        );
        assert_eq!(
            words(&world, 0, SOURCE + REPLIES, 2),
            [1002, 1000],
            "seed {seed}: GET"
        );
    }
}

/// Tickets: every node takes some, from all contexts at once; each is given once, and nobody's other traffic suffers.
#[test]
fn every_ticket_is_given_once() {
    for seed in 0..4 {
        let nodes = 3;
        let mut world = World::new(nodes, Some(seed), &NetworkConfig::default());
        world.post(
            1,
            &[
                ptl_pt_alloc(LISTS, portal_option::MATCHING),
                ptl_me_append(&MatchEntry {
                    options: BOTH | me_option::COMM_DISABLE,
                    ..entry(1, 5, 4096)
                }),
            ],
        );
        world.settle();
        let each = 25;
        for node in 0..nodes {
            write_words(&mut world, node, SOURCE, &[1]);
            let commands: Vec<Command> = (0..each)
                .flat_map(|i| {
                    let ticket = FetchAtomic {
                        local_get_offset: REPLIES + 8 * i,
                        ..fetch(put(0, 8, 0), AtomicOp::Sum, Datatype::Uint64)
                    };
                    let other = put(0, 8, 1024 + 8 * (each * node as u64 + i));
                    [ptl_fetch_atomic(&ticket), ptl_put(&other)]
                })
                .collect();
            world.post(node, &commands);
        }
        world.settle();
        let mut tickets = Vec::new();
        for node in 0..nodes {
            let own = words(&world, node, SOURCE + REPLIES, each as usize);
            assert!(own.is_sorted(), "seed {seed}: {own:?}");
            tickets.extend(own);
        }
        tickets.sort_unstable();
        let all = each * nodes as u64;
        assert_eq!(tickets, (0..all).collect::<Vec<u64>>(), "seed {seed}");
        assert_eq!(words(&world, 1, SHARED, 1), [all]);
        assert_eq!(
            words(&world, 1, SHARED + 1024, all as usize),
            vec![1; all as usize]
        );
    }
}

/// All messages of all contexts at once, the longest there are, both ways, on a network that takes a beat in 40 cycles:
/// nobody waits for ever.
#[test]
fn two_nodes_that_fetch_from_each_other_do_not_wait_for_each_other() {
    let network = NetworkConfig {
        link: Link {
            bandwidth: (64, 40),
            ..NetworkConfig::default().link
        },
        buffer_beats: 65,
        ..NetworkConfig::default()
    };
    let mut world = World::new(2, None, &network);
    let mut others = Vec::new();
    for node in 0..2 {
        let mut commands = vec![ptl_pt_alloc(LISTS, portal_option::MATCHING)];
        commands.push(ptl_me_append(&MatchEntry {
            options: BOTH | me_option::COMM_DISABLE,
            ..entry(1, 5, 4096)
        }));
        world.post(node, &commands);
        for context in 1..4u8 {
            let shift = 0x100_0000 * u64::from(context);
            let own = ProcessConfig::default();
            let moved = |ring: Ring| Ring {
                base: ring.base + shift,
                ..ring
            };
            let config = ProcessConfig {
                commands: moved(own.commands),
                events: moved(own.events),
                ..own
            };
            let mut port = world.cluster.port(node);
            let mut process = Process::open(&mut port, context, &config).unwrap();
            process
                .post_all(&mut port, &[bind(0, SOURCE, 0x10_0000)])
                .unwrap();
            others.push((node, process));
        }
    }
    world.settle();
    let commands = |node: usize| -> Vec<Command> {
        let target = ProcessId {
            node: 1 - node as u16,
            context: 0,
        };
        let one = |i: u64| {
            ptl_fetch_atomic(&FetchAtomic {
                local_get_offset: REPLIES + 512 * i,
                ..fetch(
                    Put {
                        target,
                        ..put(0, 512, 0)
                    },
                    AtomicOp::Sum,
                    Datatype::Uint64,
                )
            })
        };
        (0..60).map(one).collect()
    };
    for node in 0..2 {
        for context in 0..4 {
            let memory = world.cluster.nodes_mut()[node].memory.memory_mut(context);
            memory.write(SOURCE, &1u64.to_le_bytes().repeat(64));
        }
        world.post(node, &commands(node));
    }
    for (node, process) in &mut others {
        let mut port = world.cluster.port(*node);
        process.post_all(&mut port, &commands(*node)).unwrap();
    }
    world.cluster.run_to_quiescence(1_000_000).unwrap();
    for node in 0..2 {
        assert_eq!(words(&world, node, SHARED, 64), [240; 64]);
        let mut seen: Vec<u64> = (0..4)
            .flat_map(|context| {
                let memory = world.cluster.nodes()[node].memory.memory(context);
                (0..60)
                    .map(|i| memory.read_u64(SOURCE + REPLIES + 512 * i))
                    .collect::<Vec<_>>()
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..240).collect::<Vec<u64>>());
    }
}

/// What a node does to shared words, for the model.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(u64),
    FetchAdd(u64),
    Swap(u64),
    Write(u64),
    Read,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// One node, three words, everything mixed: each command finds what the ones before it left, but a put may overtake
    /// a GET.
    #[test]
    fn mixed_commands_of_one_node_are_done_in_their_order(seed in any::<u32>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut world = World::with_lists(Some(seed.into()), &[ptl_me_append(&MatchEntry {
            options: BOTH | me_option::COMM_DISABLE,
            ..entry(1, 5, 4096)
        })]);
        let mut model = [0u64; 3];
        for _ in 0..3 {
            let mut commands = Vec::new();
            let mut replies: Vec<(u64, u64)> = Vec::new();
            // After a GET of a word only GETs and atomics of it may come.
            let mut read = [false; 3];
            for i in 0..50u64 {
                let word = rng.random_range(0..3usize);
                let value = rng.random_range(1..1000);
                let steps = [Step::Add(value), Step::FetchAdd(value), Step::Swap(value), Step::Write(value), Step::Read];
                let step = steps.choose(&mut rng).copied().unwrap_or(Step::Read);
                let step = if read[word] { Step::Read } else { step };
                write_words(&mut world, 0, SOURCE + 8 * i, &[value]);
                // One of the words lies across lines with its neighbours.
                let to = put(8 * i, 8, [0, 56, 120][word]);
                let fetched = |operation| FetchAtomic {
                    local_get_offset: REPLIES + 8 * i,
                    ..fetch(to, operation, Datatype::Uint64)
                };
                let old = model[word];
                commands.push(match step {
                    Step::Add(value) => {
                        model[word] += value;
                        atomic(to, AtomicOp::Sum, Datatype::Uint64)
                    }
                    Step::FetchAdd(value) => {
                        model[word] += value;
                        replies.push((i, old));
                        ptl_fetch_atomic(&fetched(AtomicOp::Sum))
                    }
                    Step::Swap(value) => {
                        let operand = if rng.random_bool(0.5) { old } else { old + 1 };
                        if operand == old {
                            model[word] = value;
                        }
                        replies.push((i, old));
                        ptl_swap(&Swap { fetch: fetched(AtomicOp::Cswap), operand })
                    }
                    Step::Write(value) => {
                        model[word] = value;
                        ptl_put(&to)
                    }
                    Step::Read => {
                        read[word] = true;
                        replies.push((i, old));
                        ptl_get(&Get {
                            md: Md(0),
                            local_offset: REPLIES + 8 * i,
                            length: 8,
                            target: TARGET,
                            pt_index: LISTS,
                            match_bits: 5,
                            remote_offset: to.remote_offset,
                            user_ptr: 0,
                        })
                    }
                });
            }
            world.post(0, &commands);
            world.settle();
            for event in world.events(0) {
                prop_assert_eq!(event.status, status::OK);
            }
            for (i, old) in replies {
                prop_assert_eq!(words(&world, 0, SOURCE + REPLIES + 8 * i, 1), vec![old], "command {}", i);
            }
            for (word, remote) in [0u64, 56, 120].into_iter().enumerate() {
                prop_assert_eq!(words(&world, 1, SHARED + remote, 1), vec![model[word]]);
            }
        }
    }
}
