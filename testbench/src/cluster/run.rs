//! `Cluster`: the loop.

use thiserror::Error;

use crate::network::{Network, NetworkConfig, NetworkError, Station};
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
    network: Network,
    watch: Watch,
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
            watch: Watch::default(),
        })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[S] {
        &self.nodes
    }

    /// The nodes, to set them up; a call that runs a node's clock runs it [ahead](super).
    pub fn nodes_mut(&mut self) -> &mut [S] {
        &mut self.nodes
    }

    /// From now on `progress` sees every cycle of the cluster, and can end the run with [`ClusterError::Ended`].
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

    /// Cycles that all nodes have run.
    pub fn cycle_count(&self) -> u64 {
        self.nodes.iter().map(Station::clock).min().unwrap_or(0)
    }

    /// One cycle of the network and of every node that has not run ahead. Errors: a node's;
    /// [`Ended`](ClusterError::Ended).
    pub fn cycle(&mut self) -> Result<(), ClusterError<S::Error>> {
        let cycle = self.cycle_count();
        self.watch.check(cycle)?;
        let ready: Vec<bool> = (0..self.nodes.len())
            .map(|node| self.network.ready(cycle, node))
            .collect();
        for (node, (station, ready)) in self.nodes.iter_mut().zip(ready).enumerate() {
            if station.clock() != cycle {
                continue;
            }
            if station.has_room()
                && let Some(beat) = self.network.take(cycle, node)
            {
                station.receive_beat(&beat);
            }
            let sent = station.connected_cycle(ready);
            if let Some(beat) = sent.map_err(|error| ClusterError::Node { node, error })? {
                self.network.accept(cycle, node, beat);
            }
        }
        self.network.tick(cycle);
        Ok(())
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
        let ahead = self.nodes.iter().any(|n| n.clock() != self.cycle_count());
        node.or_else(|| ahead.then(|| "a node has run ahead".into()))
            .or_else(|| (!self.network.is_empty()).then(|| "packets are in the network".into()))
    }
}
