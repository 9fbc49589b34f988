//! `Route`: which way beats go through the switches, and how long that takes.

use super::config::{NetworkConfig, Spines, Topology};

/// Where flights go: ends of nodes have the numbers of the nodes, [trunks](super::Trunk) those after them.
#[derive(Clone, Debug)]
pub(super) struct Route {
    nodes: u32,
    /// Cycles of a node's link and its switch.
    first: u64,
    spines: Option<Spines>,
    /// Cycles through a leaf switch.
    leaf: u64,
}

/// A trunk by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrunkPlace {
    pub(super) leaf: u32,
    pub(super) spine: u32,
    /// From the leaf to the spine, or back.
    pub(super) is_up: bool,
}

impl Route {
    pub(super) fn new(config: &NetworkConfig, nodes: u32) -> Self {
        Self {
            nodes,
            first: config.link.latency.saturating_add(config.switch_latency),
            spines: match &config.topology {
                Topology::Star => None,
                Topology::LeafSpine(spines) => Some(spines.clone()),
            },
            leaf: config.switch_latency,
        }
    }

    /// Nodes of the network.
    pub(super) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Leaf of a node; all of a star have one.
    fn leaf_of(&self, node: u32) -> u32 {
        self.spines
            .as_ref()
            .map_or(0, |spines| node / spines.leaf_ports as u32)
    }

    /// The trunks: those of the first leaf up, then down, then those of the next.
    pub(super) fn trunks(&self) -> Vec<TrunkPlace> {
        let Some(spines) = &self.spines else {
            return Vec::new();
        };
        let leaves = self.nodes.div_ceil(spines.leaf_ports as u32);
        let of_leaf = |leaf| {
            [true, false].into_iter().flat_map(move |is_up| {
                (0..spines.spines as u32).map(move |spine| TrunkPlace { leaf, spine, is_up })
            })
        };
        (0..leaves).flat_map(of_leaf).collect()
    }

    /// Number of a trunk among flights' hops.
    pub(super) fn number(&self, place: TrunkPlace) -> u32 {
        let spines = self
            .spines
            .as_ref()
            .map_or(0, |spines| spines.spines as u32);
        let down = if place.is_up { 0 } else { spines };
        self.nodes + place.leaf * 2 * spines + down + place.spine
    }

    /// Where a beat goes from its source's switch. The spine depends on source and target, so a pair has one way.
    pub(super) fn first_hop(&self, source: u32, target: u32) -> u32 {
        let leaf = self.leaf_of(source);
        match &self.spines {
            Some(spines) if self.leaf_of(target) != leaf => self.number(TrunkPlace {
                leaf,
                spine: (source + target) % spines.spines as u32,
                is_up: true,
            }),
            _ => target,
        }
    }

    /// Where a beat goes from a trunk, and the cycles of the switch there.
    pub(super) fn next_hop(&self, place: TrunkPlace, target: u32) -> (u32, u64) {
        match (&self.spines, place.is_up) {
            (Some(spines), true) => {
                let down = TrunkPlace {
                    leaf: self.leaf_of(target),
                    is_up: false,
                    ..place
                };
                (self.number(down), spines.switch_latency)
            }
            _ => (target, self.leaf),
        }
    }

    /// Cycles from one node to the output of the last switch on the way to another, if nothing is in the way.
    pub(super) fn latency(&self, source: u32, target: u32) -> u64 {
        match &self.spines {
            Some(spines) if self.leaf_of(source) != self.leaf_of(target) => {
                let links = spines.link.latency.saturating_mul(2);
                let switches = spines.switch_latency.saturating_add(self.leaf);
                self.first.saturating_add(links).saturating_add(switches)
            }
            _ => self.first,
        }
    }
}
