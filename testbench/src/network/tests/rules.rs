//! Order, sharing, back-pressure, and what is dropped or refused.

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{World, config, number, packet};
use crate::bus::Beat;
use crate::network::{Class, Network, NetworkConfig, NetworkError};

#[test]
fn sources_share_an_output_packet_by_packet_and_evenly() {
    let mut world = World::new(&config(4, (64, 1), 3), 5);
    for source in 0..4 {
        for number in 0..300 {
            world.send(source, 4, number, 64 * usize::from(source));
        }
    }
    world.run(600);
    let mut counts = [0usize; 4];
    for (source, _) in world.received[4].iter().map(|packet| number(packet)) {
        counts[usize::from(source)] += 1;
    }
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(*least > 50 && most - least <= 1, "{counts:?}");
    let beats: usize = world
        .network
        .log()
        .iter()
        .map(|r| if r.ended.is_some() { r.bytes / 64 } else { 0 })
        .sum();
    assert!(
        beats > 570,
        "the output works at its full bandwidth: {beats}"
    );
}

#[test]
fn nothing_is_lost_while_the_target_takes_nothing_and_its_sources_stand_still() {
    let mut world = World::new(
        &NetworkConfig {
            buffer_beats: 65,
            ..config(3, (64, 1), 2)
        },
        3,
    );
    world.pauses.1 = 1.0;
    for number in 0..20 {
        world.send(0, 2, number, 4096);
        world.send(1, 2, number, 100);
    }
    world.run(2000);
    let left: Vec<usize> = world.sending.iter().map(VecDeque::len).collect();
    assert_eq!(left[0], 19 * 65, "one packet of 65 beats fills the buffer");
    assert!(
        left[1] >= 19 * 3,
        "the second of 3 beats does not fit as a whole packet"
    );
    let ready = [0, 1].map(|node| world.network.ready(world.cycle, node));
    assert_eq!(ready, [[false, true]; 2], "of requests only");
    world.pauses.1 = 0.3;
    world.run_empty();
    assert_eq!(world.received[2].len(), 40);
}

#[test]
fn a_target_that_takes_nothing_does_not_stop_packets_to_others() {
    let mut world = World::new(&config(2, (64, 1), 1), 3);
    world.send(0, 1, 0, 4096);
    world.send(0, 2, 1, 64);
    for _ in 0..200 {
        let cycle = world.cycle;
        if world.network.ready(cycle, 0)[0]
            && let Some(beat) = world.sending[0].pop_front()
        {
            world.network.accept(cycle, 0, Class::Request, beat);
        }
        if let Some(beat) = world.network.take(cycle, 2, Class::Request) {
            world.receiving[2].extend(&beat.bytes);
        }
        world.network.tick(cycle);
        world.cycle += 1;
    }
    assert_eq!(number(&world.receiving[2]), (0, 1));
    assert!(world.network.offers(world.cycle, 1, Class::Request));
}

#[test]
fn sources_take_turns_also_behind_a_target_that_took_nothing_for_a_while() {
    let mut world = World::new(&config(3, (64, 1), 1), 3);
    world.pauses.1 = 1.0;
    for number in 0..20 {
        world.send(0, 2, number, 64);
    }
    world.run(100);
    world.send(1, 2, 0, 64);
    world.run(100);
    world.pauses.1 = 0.0;
    world.run_empty();
    let place = world.received[2]
        .iter()
        .position(|packet| number(packet).0 == 1);
    // The link holds 4 beats; a third packet may have begun.
    assert!(place.is_some_and(|place| place <= 3), "{place:?}");
}

#[test]
fn outputs_that_wait_for_each_others_packets_do_not_lock_up() {
    let mut world = World::new(
        &NetworkConfig {
            buffer_beats: 65,
            ..config(1, (64, 1), 0)
        },
        4,
    );
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for number in 0..300 {
        for source in 0..4 {
            let (target, beats) = (rng.random_range(0..4), rng.random_range(0..65));
            world.send(source, target, number, 64 * beats);
        }
    }
    world.run_empty();
    assert_eq!(world.received.iter().map(Vec::len).sum::<usize>(), 1200);
}

#[test]
fn every_pair_keeps_its_order_and_every_byte_under_jitter_and_pauses() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let nodes = rng.random_range(1..6u16);
        let mut world = World::new(
            &NetworkConfig {
                jitter: 300,
                seed,
                buffer_beats: rng.random_range(65..300),
                ..config(
                    rng.random_range(1..20),
                    (rng.random_range(8..130), rng.random_range(1..3)),
                    rng.random_range(0..20),
                )
            },
            nodes.into(),
        );
        world.pauses = (rng.random_range(0.0..0.7), rng.random_range(0.0..0.7));
        let mut wanted = vec![Vec::new(); usize::from(nodes)];
        for id in 0..150 {
            let (source, target) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
            let body = rng.random_range(0..500);
            world.send(source, target, id, body);
            wanted[usize::from(target)].push(packet(source, target, id, body));
        }
        world.run_empty();
        for (got, wanted) in world.received.iter().zip(&wanted) {
            assert_eq!(got.len(), wanted.len(), "seed {seed}");
            for source in 0..nodes {
                let of_source = |packets: &[Vec<u8>]| -> Vec<Vec<u8>> {
                    packets
                        .iter()
                        .filter(|p| number(p).0 == source)
                        .cloned()
                        .collect()
                };
                assert_eq!(of_source(got), of_source(wanted), "seed {seed}");
            }
        }
    }
}

#[test]
fn a_packet_for_nobody_or_without_a_whole_header_is_counted_and_dropped() {
    let mut world = World::new(&config(1, (64, 1), 0), 2);
    world.send(0, 2, 0, 4096);
    world.sending[0].extend(Beat::cut(&[0; 63]));
    world.send(0, 1, 1, 10);
    world.run_empty();
    assert_eq!(world.network.dropped(), 2);
    assert_eq!(world.received, [vec![], vec![packet(0, 1, 1, 10)]]);
    assert_eq!(world.network.log()[0].target, None);
    assert_eq!(world.network.log()[0].bytes, 4160);
}

#[test]
fn impossible_networks_are_refused() {
    let refused = |config: NetworkConfig| Network::new(&config, 2).err();
    assert_eq!(refused(config(0, (64, 1), 0)), Some(NetworkError::Latency));
    assert_eq!(
        refused(config(1, (0, 1), 0)),
        Some(NetworkError::Bandwidth(0, 1))
    );
    assert_eq!(
        refused(config(1, (1, 0), 0)),
        Some(NetworkError::Bandwidth(1, 0))
    );
    let buffer = NetworkConfig {
        buffer_beats: 64,
        ..NetworkConfig::default()
    };
    assert_eq!(refused(buffer), Some(NetworkError::Buffer(64)));
    let none = Network::new(&NetworkConfig::default(), 65_537).err();
    assert_eq!(none, Some(NetworkError::Nodes(65_537)));
}
