//! What it costs to go through.

use super::{World, config, packet};
use crate::network::NetworkConfig;

#[test]
fn the_header_beat_goes_through_before_the_body_has_come() {
    for (link, switch) in [(1, 0), (1, 1), (10, 20), (3, 0)] {
        let mut world = World::new(&config(link, (64, 1), switch), 2);
        world.send(0, 1, 7, 4096);
        world.run_empty();
        let record = &world.network.log()[0];
        assert_eq!(record.arrived, Some(2 * link + switch));
        assert_eq!(record.ended, Some(2 * link + switch + 64), "a beat a cycle");
        assert_eq!((record.bytes, record.target), (4160, Some(1)));
        assert_eq!(world.received[1], [packet(0, 1, 7, 4096)]);
    }
}

#[test]
fn a_slow_link_delays_each_beat_until_its_bytes_are_over() {
    let mut world = World::new(&config(5, (16, 1), 2), 2);
    world.send(0, 1, 0, 64 * 9);
    world.run_empty();
    let record = &world.network.log()[0];
    // 4 cycles a beat: the first is over 3 cycles later than on a fast link, on both links.
    assert_eq!(record.arrived, Some(2 * (5 + 3) + 2));
    assert_eq!(record.ended, Some(2 * (5 + 3) + 2 + 9 * 4));
}

#[test]
fn a_bandwidth_that_is_no_whole_number_is_exact_in_the_long_run() {
    // 62.5 bytes a cycle: 1,000 beats take 1,024 cycles.
    let mut world = World::new(&config(1, (125, 2), 0), 2);
    for number in 0..200 {
        world.send(0, 1, number, 64 * 4);
    }
    world.run_empty();
    let log = world.network.log();
    let cycles = log[199].ended.unwrap() - log[0].arrived.unwrap();
    assert!((1022..=1024).contains(&cycles), "{cycles}");
}

#[test]
fn the_network_of_the_paper_takes_100_cycles_and_the_time_of_the_bytes() {
    let mut world = World::new(&NetworkConfig::xtq_paper(), 2);
    world.send(0, 1, 0, 4096);
    world.run_empty();
    let record = &world.network.log()[0];
    // 64 bytes are 5.12 cycles, over in the sixth, on both links; 4,160 are 332.8.
    assert_eq!(record.arrived, Some(100 + 2 * 5));
    let ended = record.ended.unwrap();
    assert!((437..=439).contains(&ended), "{ended}");
}

#[test]
fn a_short_beat_costs_its_bytes_only() {
    let mut world = World::new(&config(1, (8, 1), 0), 2);
    for number in 0..10 {
        world.send(0, 1, number, 8);
    }
    world.run_empty();
    let log = world.network.log();
    assert_eq!(log[9].ended.unwrap() - log[0].ended.unwrap(), 9 * (8 + 1));
}

#[test]
fn different_outputs_do_not_hinder_each_other() {
    let mut world = World::new(&config(2, (64, 1), 1), 4);
    for number in 0..50 {
        world.send(0, 2, number, 640);
        world.send(1, 3, number, 640);
    }
    world.run(50 * 11 + 2 * 2 + 1 + 1);
    assert_eq!((world.received[2].len(), world.received[3].len()), (50, 50));
}

#[test]
fn jitter_moves_arrivals_by_no_more_than_it_says_and_differs_by_packet() {
    let config = NetworkConfig {
        jitter: 50,
        seed: 3,
        ..config(2, (64, 1), 4)
    };
    let mut world = World::new(&config, 2);
    for number in 0..40 {
        world.send(0, 1, number, 0);
        world.run(200);
    }
    let delays: Vec<u64> = world
        .network
        .log()
        .iter()
        .map(|r| r.arrived.unwrap() - r.sent)
        .collect();
    assert!(
        delays.iter().all(|delay| (8..=58).contains(delay)),
        "{delays:?}"
    );
    assert!(delays.iter().any(|d| *d < 20) && delays.iter().any(|d| *d > 46));
}
