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

/// The network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkConfig {
    /// Every link.
    pub link: Link,
    /// Cycles through the switch.
    pub switch_latency: u64,
    /// Most cycles that a packet is held up in the switch beyond that, drawn for each.
    pub jitter: u64,
    /// Seed of the jitter.
    pub seed: u64,
    /// Beats of one source and class that the switch holds and the links after it carry; a whole packet (65) at least.
    pub buffer_beats: usize,
}

impl Default for NetworkConfig {
    /// A beat a cycle, 10 cycles a link and 20 for the switch, no jitter, room for 1,024 beats of each class a source.
    fn default() -> Self {
        Self {
            link: Link {
                latency: 10,
                bandwidth: (BEAT_BYTES as u32, 1),
            },
            switch_latency: 20,
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
}

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

    /// Cycles after which what happens at one node can matter at another, at the earliest: those of a link and of the
    /// switch.
    pub fn lookahead(&self) -> u64 {
        self.link.latency.saturating_add(self.switch_latency)
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
        } else {
            Ok(())
        }
    }
}
