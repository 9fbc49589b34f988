//! Threads that panic: the others do not wait for them.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::talker::Talker;
use crate::cluster::{Cluster, RunOptions};
use crate::network::{Class, NetworkConfig};

/// Talkers for ever, of which the one with this number, if any, panics in cycle 40: no packet is without a beat.
fn talkers(broken: Option<u16>) -> Cluster<Talker> {
    let network = NetworkConfig::default();
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
    assert!(!panics(talkers(None)));
    for number in 0..3 {
        assert!(panics(talkers(Some(number))), "station {number}");
    }
}

#[test]
fn a_panic_of_who_looks_on_ends_all_threads() {
    let mut cluster = talkers(None);
    cluster.watch(Box::new(|cycle| match cycle {
        0..100 => ControlFlow::Continue(()),
        _ => panic!("no further"),
    }));
    assert!(panics(cluster));
}
