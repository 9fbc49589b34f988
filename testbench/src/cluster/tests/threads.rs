//! How many threads there are, and that none waits for one that panics.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::talker::Talker;
use crate::cluster::{Cluster, Run, RunOptions};
use crate::network::{Class, NetworkConfig, Spines, Topology};

/// Talkers for ever, of which the one with this number, if any, panics in cycle 40: no packet is without a beat.
fn talkers(broken: Option<u16>, network: NetworkConfig) -> Cluster<Talker> {
    let lookahead = network.lookahead();
    let stations = (0..3).map(|number| {
        let beats = if broken == Some(number) { 0 } else { 1 };
        let plan = (1..1000).map(|turn| (40 * turn, Class::ALL[0], (number + 1) % 3, beats));
        Talker::new(number, plan.collect(), (u64::MAX, 3, true), lookahead)
    });
    Cluster::of_stations(stations.collect(), &network).unwrap()
}

/// Whether a run on three threads panics, which is not to be waited for long.
fn panics(mut cluster: Cluster<Talker>) -> bool {
    let (done, result) = channel();
    thread::spawn(move || {
        let options = RunOptions {
            threads: 3,
            ..RunOptions::default()
        };
        let ran = catch_unwind(AssertUnwindSafe(|| drop(cluster.run(&options))));
        // Nobody waits any more if it took too long.
        let _ = done.send(ran.is_err());
    });
    let patience = Duration::from_secs(60);
    result
        .recv_timeout(patience)
        .expect("threads wait for ever")
}

#[test]
fn a_panic_of_a_station_ends_all_threads() {
    assert!(!panics(talkers(None, NetworkConfig::default())));
    for number in 0..3 {
        assert!(
            panics(talkers(Some(number), NetworkConfig::default())),
            "station {number}"
        );
    }
}

#[test]
fn a_panic_of_who_looks_on_ends_all_threads() {
    let mut cluster = talkers(None, NetworkConfig::default());
    cluster.watch(Box::new(|cycle| match cycle {
        0..100 => ControlFlow::Continue(()),
        _ => panic!("no further"),
    }));
    assert!(panics(cluster));
}

#[test]
fn there_are_no_more_threads_than_leaves() {
    let leaves = NetworkConfig {
        topology: Topology::LeafSpine(Spines {
            leaf_ports: 2,
            spines: 1,
            link: NetworkConfig::default().link,
            switch_latency: 20,
        }),
        ..NetworkConfig::default()
    };
    let options = RunOptions {
        threads: 8,
        until: 200,
        ..RunOptions::default()
    };
    for (network, threads) in [(NetworkConfig::default(), 3), (leaves, 2)] {
        let mut cluster = talkers(None, network);
        assert_eq!(cluster.run(&options).unwrap(), Run::Late);
        assert_eq!(cluster.waited().len(), threads);
    }
}
