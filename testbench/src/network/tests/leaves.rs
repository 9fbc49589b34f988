//! Leaves and spines, beside a naive model of the way.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{World, config, number, packet};
use crate::network::{Link, NetworkConfig, NetworkError, Spines, Topology};

/// Two nodes a leaf.
fn leaves(spines: usize, spine: (u64, (u32, u32)), spine_switch: u64) -> NetworkConfig {
    NetworkConfig {
        topology: Topology::LeafSpine(Spines {
            leaf_ports: 2,
            spines,
            link: Link {
                latency: spine.0,
                bandwidth: spine.1,
            },
            switch_latency: spine_switch,
        }),
        ..config(3, (64, 1), 5)
    }
}

/// Cycles of a full beat on a link beyond the one that it takes anyway.
fn slow((bytes, cycles): (u32, u32)) -> u64 {
    u64::from((64 * cycles).div_ceil(bytes)).saturating_sub(1)
}

#[test]
fn an_unloaded_packet_takes_the_sum_of_the_parts_of_its_way() {
    for (latency, rate, switch) in [(1, (64, 1), 0), (7, (64, 1), 11), (9, (16, 1), 2)] {
        for source in 0..6 {
            for target in 0..6 {
                let mut world = World::new(&leaves(3, (latency, rate), switch), 6);
                world.send(source, target, 1, 0);
                world.run_empty();
                let leaf = 3 + 5 + 3;
                let spine = 2 * (latency + slow(rate)) + switch + 5;
                let wanted = if source / 2 == target / 2 {
                    leaf
                } else {
                    leaf + spine
                };
                let record = &world.network.log()[0];
                assert_eq!(record.arrived, Some(wanted), "{source} to {target}");
            }
        }
    }
}

#[test]
fn sources_that_meet_on_a_spine_link_get_half_of_it_each() {
    // From leaf 0 to leaf 1: with one spine over one link, with three over one each.
    for (spines, share) in [(1, 2), (3, 1)] {
        let mut world = World::new(&leaves(spines, (4, (64, 1)), 6), 4);
        for number in 0..40 {
            world.send(0, 2, number, 640);
            world.send(1, 3, number, 640);
        }
        world.run_empty();
        let ends = world.network.log();
        let last = |source| {
            let of_source = ends.iter().filter(|record| record.source == source);
            of_source.filter_map(|record| record.ended).max().unwrap()
        };
        let beats = 40 * 11 * share;
        let wanted = beats..beats + 60;
        assert!(wanted.contains(&last(0)), "{spines} spines: {}", last(0));
        assert!(wanted.contains(&last(1)), "{spines} spines: {}", last(1));
        let bytes = world.network.trunks().iter().map(|trunk| trunk.bytes());
        assert_eq!(bytes.sum::<u64>(), 2 * 2 * 40 * 704, "up and down");
    }
}

#[test]
fn pairs_take_the_spine_of_their_sum_and_no_other() {
    let mut world = World::new(&leaves(3, (4, (64, 1)), 6), 6);
    world.send(1, 4, 0, 64);
    world.run_empty();
    for trunk in world.network.trunks() {
        let used = [(0, 2, true), (2, 2, false)].contains(&trunk.place());
        assert_eq!(trunk.bytes() > 0, used, "{:?}", trunk.place());
    }
}

#[test]
fn every_pair_keeps_its_order_and_every_byte_over_spines() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let nodes = rng.random_range(2..9u16);
        let rate = (rng.random_range(8..130), rng.random_range(1..3));
        let spines = rng.random_range(1..4);
        let mut world = World::new(
            &NetworkConfig {
                jitter: 100,
                seed,
                buffer_beats: rng.random_range(65..200),
                ..leaves(
                    spines,
                    (rng.random_range(1..9), rate),
                    rng.random_range(0..9),
                )
            },
            nodes.into(),
        );
        world.pauses = (rng.random_range(0.0..0.6), rng.random_range(0.0..0.6));
        let mut wanted = vec![Vec::new(); usize::from(nodes)];
        for id in 0..120 {
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
                    let from = packets.iter().filter(|p| number(p).0 == source);
                    from.cloned().collect()
                };
                assert_eq!(of_source(got), of_source(wanted), "seed {seed}");
            }
        }
    }
}

#[test]
fn the_lookahead_is_that_of_the_shortest_hop() {
    assert_eq!(config(3, (64, 1), 5).lookahead(), 8);
    assert_eq!(leaves(1, (1, (64, 1)), 9).lookahead(), 1 + 5);
    assert_eq!(leaves(1, (2, (64, 1)), 0).lookahead(), 2);
    assert_eq!(leaves(1, (40, (64, 1)), 9).lookahead(), 8);
}

#[test]
fn impossible_leaves_are_refused() {
    let good = Spines {
        leaf_ports: 2,
        spines: 1,
        link: config(1, (64, 1), 0).link,
        switch_latency: 0,
    };
    let refused = |spines: Spines| {
        let config = NetworkConfig {
            topology: Topology::LeafSpine(spines),
            ..NetworkConfig::default()
        };
        crate::network::Network::new(&config, 4).err()
    };
    assert_eq!(refused(good.clone()), None);
    let leaf_ports = 0;
    let wrong = Spines {
        leaf_ports,
        ..good.clone()
    };
    assert_eq!(refused(wrong), Some(NetworkError::LeafPorts(0)));
    let wrong = Spines {
        spines: 0,
        ..good.clone()
    };
    assert_eq!(refused(wrong), Some(NetworkError::Spines(0)));
    let link = config(0, (64, 1), 0).link;
    let wrong = Spines {
        link,
        ..good.clone()
    };
    assert_eq!(refused(wrong), Some(NetworkError::SpineLatency));
    let link = config(1, (64, 0), 0).link;
    let wrong = Spines { link, ..good };
    assert_eq!(refused(wrong), Some(NetworkError::SpineBandwidth(64, 0)));
}
