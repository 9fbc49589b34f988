//! `Deal`: which worker runs which end of the network.

use crate::network::{NetworkConfig, owners};

/// Which worker has an end of the network, and where among its own.
#[derive(Clone, Debug)]
pub(super) struct Deal {
    /// By hop: worker, and place among the worker's lanes, or trunks.
    places: Vec<(usize, usize)>,
    nodes: usize,
}

/// Where a worker has an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Number of its lane.
    Lane(usize),
    /// Number of its trunk.
    Trunk(usize),
}

impl Deal {
    /// Deals the ends of a network of so many nodes: nodes one after the other, or leaf by leaf with their trunks.
    pub(super) fn new(network: &NetworkConfig, nodes: usize, workers: usize) -> Self {
        let mut places = Vec::new();
        for owners in owners(network, nodes, workers) {
            let mut counts = vec![0; workers];
            for worker in owners {
                places.push((worker, counts[worker]));
                counts[worker] += 1;
            }
        }
        Self { places, nodes }
    }

    /// The worker that a flight with this hop goes to.
    pub(super) fn worker(&self, hop: u32) -> usize {
        self.places[hop as usize].0
    }

    /// Where that worker has it.
    pub(super) fn place(&self, hop: u32) -> Place {
        let hop = hop as usize;
        let (_, number) = self.places[hop];
        match hop < self.nodes {
            true => Place::Lane(number),
            false => Place::Trunk(number),
        }
    }
}
