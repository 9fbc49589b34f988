//! Tests of the network without any node: packets of known bytes go in, times and order come out.

mod classes;
mod leaves;
mod rules;
mod timing;

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Class, Link, Network, NetworkConfig};
use crate::bus::{BEAT_BYTES, Beat};

/// A packet from `source` to `target` with a body of `body` bytes; bytes 48 and 49 of the header are `number`. The
/// places of the fields are written here again, so that a slip in the definition shows.
fn packet(source: u16, target: u16, number: u16, body: usize) -> Vec<u8> {
    let mut bytes = vec![0x5a; BEAT_BYTES + body];
    bytes[4..6].copy_from_slice(&source.to_le_bytes());
    bytes[6..8].copy_from_slice(&target.to_le_bytes());
    bytes[48..50].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn number(packet: &[u8]) -> (u16, u16) {
    let word = |at: usize| u16::from_le_bytes([packet[at], packet[at + 1]]);
    (word(4), word(48))
}

/// Sources that send requests as fast as they may and targets that take with pauses.
struct World {
    network: Network,
    cycle: u64,
    sending: Vec<VecDeque<Beat>>,
    receiving: Vec<Vec<u8>>,
    received: Vec<Vec<Vec<u8>>>,
    rng: ChaCha8Rng,
    /// Probability that a source, or a target, pauses in a cycle.
    pauses: (f64, f64),
}

impl World {
    fn new(config: &NetworkConfig, nodes: usize) -> Self {
        Self {
            network: Network::new(config, nodes).unwrap(),
            cycle: 0,
            sending: vec![VecDeque::new(); nodes],
            receiving: vec![Vec::new(); nodes],
            received: vec![Vec::new(); nodes],
            rng: ChaCha8Rng::seed_from_u64(config.seed),
            pauses: (0.0, 0.0),
        }
    }

    fn send(&mut self, source: u16, target: u16, number: u16, body: usize) {
        let bytes = packet(source, target, number, body);
        self.sending[usize::from(source)].extend(Beat::cut(&bytes));
    }

    fn step(&mut self) {
        let cycle = self.cycle;
        let nodes = 0..self.network.nodes();
        let ready: Vec<bool> = nodes
            .clone()
            .map(|n| self.network.ready(cycle, n)[0])
            .collect();
        for node in nodes {
            if !self.rng.random_bool(self.pauses.1)
                && let Some(beat) = self.network.take(cycle, node, Class::Request)
            {
                self.receiving[node].extend(&beat.bytes);
                if beat.last {
                    self.received[node].push(std::mem::take(&mut self.receiving[node]));
                }
            }
            if ready[node]
                && !self.rng.random_bool(self.pauses.0)
                && let Some(beat) = self.sending[node].pop_front()
            {
                self.network.accept(cycle, node, Class::Request, beat);
            }
        }
        self.network.tick(cycle);
        self.cycle += 1;
    }

    fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step());
    }

    fn run_empty(&mut self) {
        for _ in 0..1_000_000 {
            if self.network.is_empty() && self.sending.iter().all(VecDeque::is_empty) {
                return;
            }
            self.step();
        }
        panic!("the network does not become empty");
    }
}

fn config(latency: u64, bandwidth: (u32, u32), switch_latency: u64) -> NetworkConfig {
    NetworkConfig {
        link: Link { latency, bandwidth },
        switch_latency,
        ..NetworkConfig::default()
    }
}
