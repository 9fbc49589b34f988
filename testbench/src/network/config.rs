//! How fast the network is, and when there can be none.

use thiserror::Error;
use xtq_types::wire_header::MTU;

use crate::bus::BEAT_BYTES;

/// Beats of the longest packet: the header and the body.
pub(super) const PACKET_BEATS: usize = 1 + MTU / BEAT_BYTES;

/// A link in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Cycles from one end to the other, at least 1.
    pub latency: u64,
    /// Bandwidth: so many bytes in so many cycles, both at least 1. At most one beat a cycle crosses, however wide this
    /// is.
    pub bandwidth: (u32, u32),
}

/// How the switches are connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// One switch.
    #[default]
    Star,
    /// Leaf switches with nodes, and spine switches that connect every leaf with every other.
    LeafSpine(Spines),
}

/// The spines of a [`Topology::LeafSpine`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spines {
    /// Nodes of a leaf, at least 1.
    pub leaf_ports: usize,
    /// Spine switches, at least 1.
    pub spines: usize,
    /// Every link between a leaf and a spine.
    pub link: Link,
    /// Cycles through a spine switch.
    pub switch_latency: u64,
}

/// The network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkConfig {
    /// Every link of a node.
    pub link: Link,
    /// Cycles through the switch, or through a leaf switch.
    pub switch_latency: u64,
    /// What follows a node's switch.
    pub topology: Topology,
    /// Most cycles that a packet is held up in its source's switch beyond that, drawn for each.
    pub jitter: u64,
    /// Seed of the jitter.
    pub seed: u64,
    /// Beats of one source and class that the switches hold and the links after them carry; a whole packet (65) at
    /// least.
    pub buffer_beats: usize,
}

impl Default for NetworkConfig {
    /// A star: a beat a cycle, 10 cycles a link and 20 for the switch, no jitter, room for 1,024 beats of each class a
    /// source.
    fn default() -> Self {
        Self {
            link: Link {
                latency: 10,
                bandwidth: (BEAT_BYTES as u32, 1),
            },
            switch_latency: 20,
            topology: Topology::Star,
            jitter: 0,
            seed: 0,
            buffer_beats: 1024,
        }
    }
}

/// Why there can be no such network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// No link is that fast.
    #[error("a link with a latency of 0 cycles; 1 is the least")]
    Latency,
    /// Nothing crosses, or everything at once.
    #[error("a bandwidth of {0} bytes in {1} cycles; both must be at least 1")]
    Bandwidth(u32, u32),
    /// No packet could begin.
    #[error("a buffer of {0} beats; a packet has up to {PACKET_BEATS}")]
    Buffer(usize),
    /// Nodes have 16-bit numbers.
    #[error("{0} nodes; the wire format has numbers for 65,536")]
    Nodes(usize),
    /// No link between leaf and spine is that fast.
    #[error("a spine link with a latency of 0 cycles; 1 is the least")]
    SpineLatency,
    /// Nothing crosses, or everything at once.
    #[error("a spine bandwidth of {0} bytes in {1} cycles; both must be at least 1")]
    SpineBandwidth(u32, u32),
    /// A leaf without a port for a node.
    #[error("a leaf with ports for {0} nodes; 1 to 65,536 are possible")]
    LeafPorts(usize),
    /// Leaves that nothing connects.
    #[error("{0} spines; 1 to {MOST_SPINES} are possible")]
    Spines(usize),
}

/// Most spines.
const MOST_SPINES: usize = 1024;

impl NetworkConfig {
    /// The network of the XTQ paper (table I) where a cycle is 1 ns: 100 Gb/s a link, 100 ns through the switch. The
    /// paper gives links no latency of their own; here they have the least there is.
    pub fn xtq_paper() -> Self {
        Self {
            link: Link {
                latency: 1,
                bandwidth: (25, 2),
            },
            switch_latency: 98,
            ..Self::default()
        }
    }

    /// Cycles after which what happens at one end of a link can matter at the next, at the earliest: those of a link
    /// and of the switch after it, wherever these are the fewest.
    pub fn lookahead(&self) -> u64 {
        let first = self.link.latency.saturating_add(self.switch_latency);
        match &self.topology {
            Topology::Star => first,
            Topology::LeafSpine(spines) => {
                let switch = spines.switch_latency.min(self.switch_latency);
                first.min(spines.link.latency.saturating_add(switch))
            }
        }
    }

    /// Which of `workers` runs a node if nodes are dealt among them: one after the other, or leaf by leaf.
    pub fn worker(&self, node: usize, workers: usize) -> usize {
        match &self.topology {
            Topology::Star => node % workers,
            Topology::LeafSpine(spines) => node / spines.leaf_ports.max(1) % workers,
        }
    }

    /// How many workers have a node if there are enough of them and so many `nodes`: one for each node, or leaf.
    pub fn most_workers(&self, nodes: usize) -> usize {
        match &self.topology {
            Topology::Star => nodes,
            Topology::LeafSpine(spines) => nodes.div_ceil(spines.leaf_ports.max(1)),
        }
    }

    /// Errors: a value that no network of so many nodes can have.
    pub(super) fn check(&self, nodes: usize) -> Result<(), NetworkError> {
        let (bytes, cycles) = self.link.bandwidth;
        if self.link.latency == 0 {
            Err(NetworkError::Latency)
        } else if bytes == 0 || cycles == 0 {
            Err(NetworkError::Bandwidth(bytes, cycles))
        } else if self.buffer_beats < PACKET_BEATS {
            Err(NetworkError::Buffer(self.buffer_beats))
        } else if nodes > 1 << 16 {
            Err(NetworkError::Nodes(nodes))
        } else if let Topology::LeafSpine(spines) = &self.topology {
            spines.check()
        } else {
            Ok(())
        }
    }
}

impl Spines {
    fn check(&self) -> Result<(), NetworkError> {
        let (bytes, cycles) = self.link.bandwidth;
        if self.link.latency == 0 {
            Err(NetworkError::SpineLatency)
        } else if bytes == 0 || cycles == 0 {
            Err(NetworkError::SpineBandwidth(bytes, cycles))
        } else if self.leaf_ports == 0 || self.leaf_ports > 1 << 16 {
            Err(NetworkError::LeafPorts(self.leaf_ports))
        } else if self.spines == 0 || self.spines > MOST_SPINES {
            Err(NetworkError::Spines(self.spines))
        } else {
            Ok(())
        }
    }
}
