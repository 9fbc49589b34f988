//! One digest for epochs of any length, on any number of threads or ranks, with cycles left out or not. And that the
//! table would show it if the loop were wrong.

use std::sync::{Arc, Mutex};
use std::thread;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::office::{Counter, Office};
use super::talker::Talker;
use crate::cluster::deal::Deal;
use crate::cluster::exchange::{Alone, Exchange, Lost, Summary};
use crate::cluster::lane::Lane;
use crate::cluster::worker::Worker;
use crate::cluster::{Cluster, Ranks, Run, RunOptions};
use crate::network::{
    Board, Class, Flight, Link, Load, Network, NetworkConfig, Post, Spines, Topology,
};
use crate::node::Digest;

/// A network, and what its stations do.
struct Traffic {
    network: NetworkConfig,
    stations: Vec<Talker>,
}

impl Traffic {
    /// `packets` of up to `beats` by each of five, in bursts with up to `pause` cycles between packets.
    fn random(seed: u64, packets: usize, beats: usize, pause: u64, network: NetworkConfig) -> Self {
        Self::of_nodes(5, seed, packets, beats, pause, network)
    }

    /// The same of any number.
    fn of_nodes(
        nodes: u16,
        seed: u64,
        packets: usize,
        beats: usize,
        pause: u64,
        network: NetworkConfig,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let stations = (0..nodes).map(|number| {
            let mut cycle = 0;
            let plan = (0..packets).map(|_| {
                cycle += rng.random_range(0..=pause);
                // Most go to node 0, which is full.
                let target = rng.random_range(0..2 * nodes);
                let target = if target < nodes { target } else { 0 };
                let class = Class::ALL[rng.random_range(0..2)];
                (cycle, class, target, rng.random_range(1..=beats))
            });
            let plan = plan.collect();
            let barrier = (rng.random_range(0..200), usize::from(nodes), false);
            Talker::new(number, plan, barrier, network.lookahead())
        });
        let stations = stations.collect();
        Self { network, stations }
    }

    /// The traffics of the table.
    fn all() -> Vec<(&'static str, Self)> {
        let network = NetworkConfig {
            link: Link {
                latency: 13,
                bandwidth: (64, 1),
            },
            switch_latency: 17,
            buffer_beats: 65,
            ..NetworkConfig::default()
        };
        let slow = NetworkConfig {
            link: Link {
                latency: 1,
                bandwidth: (25, 2),
            },
            switch_latency: 9,
            buffer_beats: 80,
            jitter: 40,
            seed: 7,
            ..NetworkConfig::default()
        };
        let rare = NetworkConfig {
            jitter: 3,
            buffer_beats: 1024,
            ..network.clone()
        };
        let leaves = NetworkConfig {
            topology: Topology::LeafSpine(Spines {
                leaf_ports: 2,
                spines: 2,
                link: Link {
                    latency: 4,
                    bandwidth: (48, 1),
                },
                switch_latency: 5,
            }),
            jitter: 12,
            buffer_beats: 130,
            ..network.clone()
        };
        // More than two groups of nodes that run side by side.
        let many = Self::of_nodes(40, 5, 12, 6, 90, network.clone());
        vec![
            ("full", Self::random(1, 60, 60, 30, network)),
            ("slow, jitter", Self::random(2, 60, 5, 90, slow)),
            ("rare", Self::random(3, 8, 3, 3000, rare)),
            ("leaves", Self::random(4, 60, 30, 30, leaves)),
            ("many", many),
        ]
    }

    /// Digest of all stations, cycles that they ran, and how the run ended.
    fn run(&self, options: &RunOptions) -> (u64, u64, Run) {
        let mut cluster = Cluster::of_stations(self.stations.clone(), &self.network).unwrap();
        let run = cluster.run(options).unwrap();
        let nodes = cluster.nodes();
        assert!(
            nodes.iter().all(|node| node.barrier.2),
            "the barrier opened"
        );
        let digest = Digest::of_all(nodes.iter().map(|node| node.digest));
        (digest, nodes.iter().map(|node| node.ran).sum(), run)
    }

    /// Digests of all stations after a run by so many ranks, and how it ended for each.
    fn run_ranks(&self, ranks: usize, options: &RunOptions) -> (u64, Vec<Run>) {
        let office = Office::new(ranks);
        let nodes = self.stations.len();
        let run = |rank: usize| {
            let is_own = |number: &usize| self.network.worker(*number, ranks) == rank;
            let own = (0..nodes).filter(is_own);
            let own = own.map(|number| self.stations[number].clone()).collect();
            let place = (rank, ranks);
            let mut cluster = Cluster::of_rank(own, &self.network, nodes, place).unwrap();
            let mut others = Ranks::new(Counter(office.clone(), rank));
            let run = cluster.run_by(&mut others, options).unwrap();
            let nodes = cluster.nodes().iter();
            let digests: Vec<_> = nodes.map(|node| (node.number, node.digest)).collect();
            (digests, run)
        };
        let results: Vec<_> = thread::scope(|scope| {
            let run = &run;
            let threads: Vec<_> = (0..ranks)
                .map(|rank| scope.spawn(move || run(rank)))
                .collect();
            threads
                .into_iter()
                .map(|rank| rank.join().unwrap())
                .collect()
        });
        let digests = results.iter().flat_map(|(digests, _)| digests.clone());
        let mut digests: Vec<_> = digests.collect();
        digests.sort_by_key(|(number, _)| *number);
        let digest = Digest::of_all(digests.into_iter().map(|(_, digest)| digest));
        (digest, results.into_iter().map(|(_, run)| run).collect())
    }

    /// Digest of a run by one worker that talks to itself by `exchange`.
    fn run_by(&self, exchange: impl Exchange, epoch: u64) -> u64 {
        let mut stations = self.stations.clone();
        let mut network = Network::new(&self.network, stations.len()).unwrap();
        let deal = Deal::new(&self.network, stations.len(), 1);
        let (ports, trunks) = network.parts_mut();
        let lanes = stations.iter_mut().zip(ports);
        let worker = Worker {
            lanes: lanes
                .map(|(station, port)| Lane::new(station, port))
                .collect(),
            trunks: trunks.iter_mut().collect(),
            deal: &deal,
            exchange,
            board: Board::default(),
            options: RunOptions {
                epoch,
                until: 100_000,
                ..RunOptions::default()
            },
            lookahead: self.network.lookahead(),
            watch: None,
        };
        assert!(worker.run(0).result.is_ok());
        Digest::of_all(stations.iter().map(|station| station.digest))
    }
}

#[test]
fn nothing_depends_on_epochs_threads_and_cycles_left_out() {
    for (name, traffic) in Traffic::all() {
        let all = RunOptions::default();
        let (wanted, ran, end) = traffic.run(&all);
        assert_eq!(end, Run::Over, "{name}");
        for epoch in [1, 7, u64::MAX] {
            for threads in [1, 2, 3, 9] {
                for skips in [true, false] {
                    let options = RunOptions {
                        epoch,
                        threads,
                        skips,
                        ..all
                    };
                    let (digest, cycles, end) = traffic.run(&options);
                    assert_eq!((digest, end), (wanted, Run::Over), "{name}: {options:?}");
                    assert!(
                        !skips || cycles <= 2 * ran,
                        "{name}: {cycles} cycles, not {ran}"
                    );
                }
            }
        }
    }
}

#[test]
fn nothing_depends_on_the_number_of_ranks() {
    for (name, traffic) in Traffic::all() {
        let all = RunOptions::default();
        let (wanted, ..) = traffic.run(&all);
        for (ranks, epoch, skips) in [
            (1, 7, true),
            (2, u64::MAX, true),
            (3, 1, false),
            (9, 7, true),
        ] {
            let options = RunOptions {
                epoch,
                skips,
                ..all
            };
            let (digest, ends) = traffic.run_ranks(ranks, &options);
            assert_eq!(digest, wanted, "{name}: {ranks} ranks, {options:?}");
            assert!(ends.iter().all(|end| *end == Run::Over), "{ends:?}");
        }
    }
}

#[test]
fn cycles_in_which_nothing_can_happen_are_left_out() {
    let (_, traffic) = Traffic::all().remove(2);
    let all = RunOptions::default();
    let ran = |skips| traffic.run(&RunOptions { skips, ..all }).1;
    assert!(
        10 * ran(true) < ran(false),
        "{} of {}",
        ran(true),
        ran(false)
    );
}

#[test]
fn a_run_that_is_given_up_ends_in_that_cycle() {
    let (_, traffic) = Traffic::all().remove(0);
    for (epoch, threads) in [(1, 1), (u64::MAX, 1), (u64::MAX, 3)] {
        let options = RunOptions {
            epoch,
            threads,
            until: 95,
            ..RunOptions::default()
        };
        let mut cluster = Cluster::of_stations(traffic.stations.clone(), &traffic.network).unwrap();
        assert_eq!(cluster.run(&options).unwrap(), Run::Late);
        assert_eq!(cluster.cycle_count(), 95, "{options:?}");
    }
}

/// What is done to the flights of an epoch.
type Fault = dyn FnMut(&mut Vec<Flight>);

/// A worker that talks to itself, wrongly.
struct Wrong(Box<Fault>);

impl Exchange for Wrong {
    fn place(&self) -> (usize, usize) {
        Alone.place()
    }
    fn exchange(&mut self, boxes: &mut [Vec<Flight>], _posts: &mut Vec<Post>) -> Result<(), Lost> {
        boxes.iter_mut().for_each(|flights| (self.0)(flights));
        Ok(())
    }
    fn reduce(&mut self, summary: Summary) -> Result<Summary, Lost> {
        Ok(summary)
    }
}

/// Whether the table shows a mutant: some traffic has different digests with different epochs.
fn is_shown(mutant: impl Fn() -> Wrong) -> bool {
    let all = Traffic::all();
    let differs = |traffic: &Traffic| {
        let digests = [1, 7, u64::MAX].map(|epoch| traffic.run_by(mutant(), epoch));
        digests.iter().any(|digest| *digest != digests[0])
    };
    all.iter().any(|(_, traffic)| differs(traffic))
}

#[test]
fn the_table_shows_what_is_wrong_with_the_loop() {
    assert!(!is_shown(|| Wrong(Box::new(|_| {}))), "nothing is wrong");
    let early = |flights: &mut Vec<Flight>| {
        let places = flights
            .iter_mut()
            .filter(|flight| flight.load == Load::Place);
        places.for_each(|place| place.due -= 1);
    };
    assert!(
        is_shown(|| Wrong(Box::new(early))),
        "a place comes back a cycle early"
    );
    let unsorted = |flights: &mut Vec<Flight>| flights.reverse();
    assert!(
        is_shown(|| Wrong(Box::new(unsorted))),
        "arrivals in another order"
    );
    let in_global_order = || {
        let rng = Arc::new(Mutex::new(ChaCha8Rng::seed_from_u64(1)));
        Wrong(Box::new(move |flights: &mut Vec<Flight>| {
            let mut rng = rng.lock().unwrap();
            for flight in flights.iter_mut() {
                if matches!(flight.load, Load::Beat { first: true, .. }) {
                    flight.due += rng.random_range(0..20);
                }
            }
        }))
    };
    assert!(is_shown(in_global_order), "one generator draws for all");
}
