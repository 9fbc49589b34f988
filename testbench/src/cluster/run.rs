//! `Cluster`: the loop.

use std::thread;

use thiserror::Error;

use super::exchange::{Alone, Hall};
use super::lane::{Fault, Lane};
use super::options::{Run, RunOptions};
use super::worker::{Ending, Worked, Worker};
use crate::network::{Board, Network, NetworkConfig, NetworkError, Station};
use crate::watch::{Ended, Progress, Watch};

/// Why a cluster stopped.
#[derive(Debug, Error)]
pub enum ClusterError<E: std::error::Error + 'static> {
    /// There can be no such network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A node stopped.
    #[error("node {node}: {error}")]
    Node {
        /// Its number.
        node: usize,
        /// Why.
        error: E,
    },
    /// A condition was not reached.
    #[error("cycle {cycle}: not done after {max_cycles} cycles ({waiting_for})")]
    Stuck {
        /// Cycle at which it was given up.
        cycle: u64,
        /// Cycles allowed.
        max_cycles: u64,
        /// What is not idle.
        waiting_for: String,
    },
    /// Who [looks on](Cluster::watch) has ended it.
    #[error(transparent)]
    Ended(#[from] Ended),
}

/// Nodes and the network between them.
pub struct Cluster<S: Station = crate::node::Node> {
    pub(super) nodes: Vec<S>,
    pub(super) network: Network,
    pub(super) board: Board,
    watch: Watch,
    /// Somebody may have changed the nodes since they ran.
    pub(super) touched: bool,
}

impl<S: Station> Cluster<S> {
    /// A cluster of these stations; the position is the number. Errors: there can be no such network.
    pub fn of_stations(
        mut stations: Vec<S>,
        network: &NetworkConfig,
    ) -> Result<Self, ClusterError<S::Error>> {
        stations.iter_mut().for_each(Station::connect);
        Ok(Self {
            network: Network::new(network, stations.len())?,
            nodes: stations,
            board: Board::default(),
            watch: Watch::default(),
            touched: true,
        })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[S] {
        &self.nodes
    }

    /// The nodes, to set them up; a call that runs a node's clock runs it [ahead](super).
    pub fn nodes_mut(&mut self) -> &mut [S] {
        self.touched = true;
        &mut self.nodes
    }

    /// From now on `progress` sees where the cluster is, before every cycle or at least once in a
    /// [lookahead](NetworkConfig::lookahead) that is not left out, and can end the run with [`ClusterError::Ended`].
    pub fn watch(&mut self, progress: Progress) {
        self.watch.set(progress);
    }

    /// Whether it was ended so.
    pub fn has_ended(&self) -> bool {
        self.watch.has_ended()
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network, to say what it keeps.
    pub fn network_mut(&mut self) -> &mut Network {
        &mut self.network
    }

    /// Cycles that all nodes have run.
    pub fn cycle_count(&self) -> u64 {
        self.nodes.iter().map(Station::clock).min().unwrap_or(0)
    }

    fn lanes(&mut self) -> impl Iterator<Item = Lane<'_, S>> {
        let ports = self.network.ports_mut().iter_mut();
        let lanes = self.nodes.iter_mut().zip(ports);
        lanes.map(|(station, port)| Lane::new(station, port))
    }

    /// One cycle of the network and of every node that has not run ahead. Errors: a node's;
    /// [`Ended`](ClusterError::Ended).
    pub fn cycle(&mut self) -> Result<(), ClusterError<S::Error>> {
        let cycle = self.cycle_count();
        self.watch.check(cycle)?;
        let mut posts = Vec::new();
        for mut lane in self.lanes() {
            let ran = lane.run(cycle, cycle + 1, false);
            ran.map_err(|Fault { node, error, .. }| ClusterError::Node { node, error })?;
            lane.station.take_posts(&mut posts);
        }
        self.network.exchange(cycle + 1);
        if !posts.is_empty() {
            posts.into_iter().for_each(|post| self.board.add(post));
            for node in &mut self.nodes {
                node.read_board(&self.board);
            }
        }
        Ok(())
    }

    /// Whether nothing will happen any more, as [`run`](Self::run) finds out.
    pub fn is_over(&mut self) -> bool {
        let cycle = self.cycle_count();
        self.lanes().all(|lane| lane.is_over(cycle))
    }

    /// Runs until `done` holds, tested before each cycle; gives the cycles run. Errors: as [`cycle`](Self::cycle), and
    /// [`Stuck`](ClusterError::Stuck).
    pub fn run_until(
        &mut self,
        mut done: impl FnMut(&Self) -> bool,
        max_cycles: u64,
    ) -> Result<u64, ClusterError<S::Error>> {
        for cycle in 0..=max_cycles {
            if done(self) {
                return Ok(cycle);
            }
            if cycle < max_cycles {
                self.cycle()?;
            }
        }
        Err(ClusterError::Stuck {
            cycle: self.cycle_count(),
            max_cycles,
            waiting_for: self.busy().unwrap_or_else(|| "a condition".into()),
        })
    }

    /// Runs until nothing happens any more, in no node and not in the network; gives the cycles run. Errors: as
    /// [`run_until`](Self::run_until).
    pub fn run_to_quiescence(&mut self, max_cycles: u64) -> Result<u64, ClusterError<S::Error>> {
        let mut quiet = 0;
        let done = |cluster: &Self| {
            quiet = if cluster.busy().is_some() {
                0
            } else {
                quiet + 1
            };
            let longest = cluster.nodes.iter().map(Station::quiet_cycles).max();
            quiet > longest.unwrap_or(0)
        };
        let cycles = self.run_until(done, max_cycles)?;
        self.nodes.iter_mut().for_each(Station::settle);
        Ok(cycles)
    }

    /// What is not idle.
    pub fn busy(&self) -> Option<String> {
        let busy = |(number, station): (usize, &S)| {
            let what = station.busy()?;
            Some(format!("node {number}: {what}"))
        };
        let node = self.nodes.iter().enumerate().find_map(busy);
        let cycle = self.cycle_count();
        let ahead = self.nodes.iter().any(|n| n.clock() != cycle);
        node.or_else(|| ahead.then(|| "a node has run ahead".into()))
            .or_else(|| (!self.network.is_empty()).then(|| "packets are in the network".into()))
    }
}

impl<S: Station + Send> Cluster<S>
where
    S::Error: Send,
{
    /// Runs until nothing will happen any more, on threads if wanted. Nothing that a station does depends on the
    /// options but when the run is given up; if a station stops, others may have run up to a
    /// [lookahead](NetworkConfig::lookahead) further. Errors: of the node that stopped first;
    /// [`Ended`](ClusterError::Ended).
    pub fn run(&mut self, options: &RunOptions) -> Result<Run, ClusterError<S::Error>> {
        let now = self.cycle_count();
        self.watch.check(now)?;
        if std::mem::take(&mut self.touched) {
            self.nodes.iter_mut().for_each(Station::wake);
        }
        let workers = options.threads.min(self.nodes.len()).max(1);
        let lookahead = self.network.lookahead().max(1);
        let board = self.board.clone();
        let mut watch = std::mem::take(&mut self.watch);
        let mut shares: Vec<Vec<Lane<'_, S>>> = (0..workers).map(|_| Vec::new()).collect();
        for (number, lane) in self.lanes().enumerate() {
            shares[number % workers].push(lane);
        }
        let mut first = Some(&mut watch);
        let mut worker = |lanes| (lanes, board.clone(), first.take());
        let worked: Vec<Worked<S::Error>> = match workers {
            1 => {
                let (lanes, board, watch) = worker(shares.pop().unwrap_or_default());
                let worker = Worker {
                    lanes,
                    exchange: Alone,
                    board,
                    options: *options,
                    lookahead,
                    watch,
                };
                vec![worker.run(now)]
            }
            _ => {
                let hall = Hall::new(workers);
                let doors = (0..).map(|worker| hall.door(worker));
                thread::scope(|scope| {
                    let threads: Vec<_> = shares
                        .into_iter()
                        .zip(doors)
                        .map(|(lanes, exchange)| {
                            let (lanes, board, watch) = worker(lanes);
                            let worker = Worker {
                                lanes,
                                exchange,
                                board,
                                options: *options,
                                lookahead,
                                watch,
                            };
                            scope.spawn(move || worker.run(now))
                        })
                        .collect();
                    let joined = threads.into_iter().map(|thread| thread.join());
                    let results = joined
                        .map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                    results.collect()
                })
            }
        };
        self.watch = watch;
        self.conclude(worked)
    }

    fn conclude(&mut self, worked: Vec<Worked<S::Error>>) -> Result<Run, ClusterError<S::Error>> {
        let mut run = Run::Over;
        let mut ended = None;
        let mut faults = Vec::new();
        for (result, board) in worked {
            self.board = board;
            match result {
                Ok(Ending::Late) => run = Run::Late,
                Ok(Ending::Ended(why)) => ended = Some(why),
                Ok(Ending::Over | Ending::Stopped) => {}
                Err(fault) => faults.push(fault),
            }
        }
        let first = faults
            .into_iter()
            .min_by_key(|fault| (fault.cycle, fault.node));
        match (first, ended) {
            (Some(Fault { node, error, .. }), _) => Err(ClusterError::Node { node, error }),
            (None, Some(ended)) => Err(ClusterError::Ended(ended)),
            (None, None) => Ok(run),
        }
    }
}
