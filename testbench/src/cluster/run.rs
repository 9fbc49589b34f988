//! `Cluster`: the loop.

use std::time::Duration;

use thiserror::Error;

use super::deal::Deal;
use super::exchange::{Exchange, Summary};
use super::lane::{Fault, Lane};
use super::options::{Run, RunOptions};
use super::together::run_together;
use super::worker::{Ending, Worked, Worker};
use crate::network::{Board, Network, NetworkConfig, NetworkError, Port, Station, Trunk};
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

/// Nodes and the network between them, or what one of several ranks has of them.
pub struct Cluster<S: Station = crate::node::Node> {
    pub(super) nodes: Vec<S>,
    pub(super) network: Network,
    /// Nodes of all ranks.
    pub(super) all: usize,
    pub(super) board: Board,
    pub(super) watch: Watch,
    /// How long each worker has waited for others, by worker.
    waited: Vec<Duration>,
    /// Somebody may have changed the nodes since they ran.
    pub(super) touched: bool,
}

impl<S: Station> Cluster<S> {
    /// A cluster of these stations; the position is the number. Errors: there can be no such network.
    pub fn of_stations(
        stations: Vec<S>,
        network: &NetworkConfig,
    ) -> Result<Self, ClusterError<S::Error>> {
        let all = stations.len();
        Self::of_rank(stations, network, all, (0, 1))
    }

    /// What a rank, by its number and how many there are, has of a cluster of `all` nodes: the stations of the nodes
    /// that are [dealt](NetworkConfig::worker) to it, in order. Only [`run_by`](Self::run_by) runs a part. Errors:
    /// there can be no such network.
    pub fn of_rank(
        mut stations: Vec<S>,
        network: &NetworkConfig,
        all: usize,
        rank: (usize, usize),
    ) -> Result<Self, ClusterError<S::Error>> {
        stations.iter_mut().for_each(Station::connect);
        Ok(Self {
            network: Network::of_worker(network, all, rank)?,
            nodes: stations,
            all,
            board: Board::default(),
            watch: Watch::default(),
            waited: Vec::new(),
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

    /// How long each worker of [`run`](Self::run) or [`run_by`](Self::run_by) has waited for others, by worker.
    pub fn waited(&self) -> &[Duration] {
        &self.waited
    }

    /// The numbers of the nodes.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.network.ports().iter().map(|port| port.node() as usize)
    }

    fn parts(&mut self) -> (Vec<Lane<'_, S>>, &mut [Trunk]) {
        let (ports, trunks) = self.network.parts_mut();
        (lanes(&mut self.nodes, ports), trunks)
    }

    /// One cycle of the network and of every node that has not run ahead. Errors: a node's;
    /// [`Ended`](ClusterError::Ended).
    pub fn cycle(&mut self) -> Result<(), ClusterError<S::Error>> {
        let cycle = self.cycle_count();
        self.watch.check(cycle)?;
        let mut posts = Vec::new();
        let (mut lanes, trunks) = self.parts();
        let mut all: Vec<_> = lanes.iter_mut().collect();
        let ran = run_together(&mut all, cycle, cycle + 1, false);
        ran.map_err(|Fault { node, error, .. }| ClusterError::Node { node, error })?;
        for lane in lanes {
            lane.station.take_posts(&mut posts);
        }
        trunks.iter_mut().for_each(|trunk| trunk.end(cycle));
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
        let (lanes, trunks) = self.parts();
        lanes.iter().all(|lane| lane.is_over(cycle)) && trunks.iter().all(|trunk| trunk.is_empty())
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
        let node = self.numbers().zip(&self.nodes).find_map(busy);
        let cycle = self.cycle_count();
        let ahead = self.nodes.iter().any(|n| n.clock() != cycle);
        node.or_else(|| ahead.then(|| "a node has run ahead".into()))
            .or_else(|| (!self.network.is_empty()).then(|| "packets are in the network".into()))
    }

    /// Runs, together with the other ranks that `exchange` leads to, until nothing will happen any more. Errors: of the
    /// node here that stopped first; [`Ended`](ClusterError::Ended), also if another rank is gone.
    pub fn run_by(
        &mut self,
        exchange: &mut dyn Exchange,
        options: &RunOptions,
    ) -> Result<Run, ClusterError<S::Error>> {
        let now = self.cycle_count();
        let (_, workers) = exchange.place();
        if let Err(ended) = self.begin(now) {
            // The others have begun an epoch: they hear of it where it ends. One that is gone needs to hear nothing.
            let stopped = Summary {
                next: now,
                over: false,
                stopped: true,
            };
            let mut boxes = vec![Vec::new(); workers];
            let met = exchange.exchange(&mut boxes, &mut Vec::new());
            let _ = met.and_then(|()| exchange.reduce(stopped));
            return Err(ended);
        }
        let deal = Deal::new(self.network.config(), self.all, workers);
        let lookahead = self.network.lookahead().max(1);
        let (board, mut watch) = (self.board.clone(), std::mem::take(&mut self.watch));
        let (lanes, trunks) = self.parts();
        let worker = Worker {
            lanes,
            trunks: trunks.iter_mut().collect(),
            deal: &deal,
            exchange,
            board,
            options: *options,
            lookahead,
            watch: Some(&mut watch),
        };
        let worked = worker.run(now);
        self.watch = watch;
        self.conclude(vec![worked])
    }
}

/// Stations with their ports.
pub(super) fn lanes<'a, S: Station>(
    stations: &'a mut [S],
    ports: &'a mut [Port],
) -> Vec<Lane<'a, S>> {
    let lanes = stations.iter_mut().zip(ports);
    lanes
        .map(|(station, port)| Lane::new(station, port))
        .collect()
}

impl<S: Station> Cluster<S> {
    /// Before a run from cycle `now` on. Errors: [`Ended`](ClusterError::Ended).
    pub(super) fn begin(&mut self, now: u64) -> Result<(), ClusterError<S::Error>> {
        self.watch.check(now)?;
        // Whoever has set them up may have changed anything.
        if std::mem::take(&mut self.touched) {
            self.nodes.iter_mut().for_each(Station::wake);
        }
        Ok(())
    }

    pub(super) fn conclude(
        &mut self,
        worked: Vec<Worked<S::Error>>,
    ) -> Result<Run, ClusterError<S::Error>> {
        let mut run = Run::Over;
        let mut ended = None;
        let mut faults = Vec::new();
        self.waited.resize(worked.len(), Duration::ZERO);
        for (number, worker) in worked.into_iter().enumerate() {
            self.board = worker.board;
            self.waited[number] += worker.waited;
            match worker.result {
                Ok(Ending::Late) => run = Run::Late,
                Ok(Ending::Stopped) => run = Run::Stopped,
                Ok(Ending::Ended(why)) => ended = Some(why),
                Ok(Ending::Over) => {}
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
