//! Tests of the loop with stations that are no hardware: each sends what its test wants and answers what asks for it.

mod digests;
mod engines;
mod office;
mod ranks;
mod talker;
mod threads;

use std::collections::VecDeque;

use self::engines::Failing;
use super::{Cluster, ClusterError};
use crate::bus::Beat;
use crate::network::{Class, Link, NetworkConfig, Station};
use xtq_engine::Engine;

/// Sends queued packets, all of one class; answers each packet whose first byte is 1 with a packet to its source whose
/// first byte is 2, `delay` cycles after its end.
struct Fake {
    number: u16,
    class: Class,
    clock: u64,
    delay: u64,
    quiet: u64,
    sending: VecDeque<Beat>,
    connected: bool,
    incoming: Option<Beat>,
    answers: VecDeque<(u64, u16)>,
    header: Option<Vec<u8>>,
    /// First bytes and sources of the packets that came, with the cycle of their last beat.
    came: Vec<(u64, u8, u16)>,
    settled: u32,
    /// It has room in every so many cycles only.
    slow: u64,
    /// Cycle in which it fails.
    breaks: Option<u64>,
    /// Its hardware.
    engine: Option<Failing>,
    /// In this cycle.
    sent: [Option<Beat>; 2],
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken")]
struct Broken;

/// Of an engine it is the same.
impl From<xtq_engine::Error> for Broken {
    fn from(_: xtq_engine::Error) -> Self {
        Self
    }
}

fn packet(kind: u8, source: u16, target: u16, body: usize) -> Vec<u8> {
    let mut bytes = vec![0; 64 + body];
    bytes[0] = kind;
    bytes[4..6].copy_from_slice(&source.to_le_bytes());
    bytes[6..8].copy_from_slice(&target.to_le_bytes());
    bytes
}

impl Fake {
    fn new(number: u16, delay: u64) -> Self {
        Self {
            number,
            class: Class::Request,
            clock: 2,
            delay,
            quiet: 5,
            sending: VecDeque::new(),
            connected: false,
            incoming: None,
            answers: VecDeque::new(),
            header: None,
            came: Vec::new(),
            settled: 0,
            slow: 1,
            breaks: None,
            engine: None,
            sent: [None, None],
        }
    }

    fn send(&mut self, kind: u8, target: u16, body: usize) {
        let bytes = packet(kind, self.number, target, body);
        self.sending.extend(Beat::cut(&bytes));
    }

    /// A cycle alone, as a host's call runs it.
    fn run_alone(&mut self) {
        assert!(
            self.connected,
            "an unconnected station would lose what it sends"
        );
        self.step();
    }

    fn step(&mut self) {
        if let Some(beat) = self.incoming.take() {
            let header = self.header.take().unwrap_or_else(|| beat.bytes.clone());
            if beat.last {
                let source = u16::from_le_bytes([header[4], header[5]]);
                self.came.push((self.clock, header[0], source));
                if header[0] == 1 {
                    self.answers.push_back((self.clock + self.delay, source));
                }
            } else {
                self.header = Some(header);
            }
        }
        if let Some((due, target)) = self.answers.front().copied()
            && due <= self.clock
        {
            self.answers.pop_front();
            self.send(2, target, 0);
        }
        self.clock += 1;
    }
}

impl Station for Fake {
    type Error = Broken;
    type Hardware<'a> = &'a mut dyn Engine;

    fn clock(&self) -> u64 {
        self.clock
    }

    fn connect(&mut self) {
        self.connected = true;
    }

    fn has_room(&self, class: Class) -> bool {
        class == self.class && self.clock.is_multiple_of(self.slow)
    }

    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        assert!(self.has_room(class) && self.incoming.is_none());
        self.incoming = Some(beat.clone());
    }

    fn drive(&mut self, ready: [bool; 2]) -> Result<(), Broken> {
        if self.breaks == Some(self.clock) {
            return Err(Broken);
        }
        self.sent = [None, None];
        if ready[self.class.index()] {
            self.sent[self.class.index()] = self.sending.pop_front();
        }
        Ok(())
    }

    fn hardware(&mut self) -> Option<&mut dyn Engine> {
        self.engine.as_mut().map(|engine| engine as _)
    }

    fn sample(&mut self) -> Result<(), Broken> {
        Ok(())
    }

    fn collect(&mut self) -> Result<[Option<Beat>; 2], Broken> {
        self.step();
        Ok(std::mem::take(&mut self.sent))
    }

    fn busy(&self) -> Option<&'static str> {
        (!self.sending.is_empty() || !self.answers.is_empty()).then_some("it sends")
    }

    fn quiet_cycles(&self) -> u64 {
        self.quiet
    }

    fn settle(&mut self) {
        self.settled += 1;
    }
}

fn cluster(nodes: u16, delay: u64) -> Cluster<Fake> {
    let config = NetworkConfig {
        link: Link {
            latency: 3,
            bandwidth: (64, 1),
        },
        switch_latency: 4,
        ..NetworkConfig::default()
    };
    let stations = (0..nodes).map(|number| Fake::new(number, delay)).collect();
    Cluster::of_stations(stations, &config).unwrap()
}

#[test]
fn a_message_and_its_answer_take_the_latencies_of_the_network_and_the_node() {
    let mut cluster = cluster(3, 7);
    cluster.nodes_mut()[0].send(1, 2, 128);
    cluster.run_to_quiescence(1000).unwrap();
    // Sent in cycles 2 to 4, 10 cycles through the network, answered 7 cycles after the last beat, sent in the cycle
    // after.
    assert_eq!(cluster.nodes()[2].came, [(14, 1, 0)]);
    assert_eq!(cluster.nodes()[0].came, [(14 + 7 + 1 + 10, 2, 2)]);
    assert_eq!(cluster.nodes()[1].came, []);
    let log = cluster.network().log();
    assert_eq!(
        (log[0].sent, log[0].arrived, log[0].ended),
        (2, Some(12), Some(14))
    );
}

#[test]
fn both_classes_take_the_same_time() {
    let mut cluster = cluster(2, 0);
    for node in cluster.nodes_mut() {
        node.class = Class::Answer;
    }
    cluster.nodes_mut()[0].send(2, 1, 128);
    cluster.run_to_quiescence(1000).unwrap();
    assert_eq!(cluster.nodes()[1].came, [(14, 2, 0)]);
    assert_eq!(cluster.network().log()[0].class, Class::Answer);
}

#[test]
fn every_pair_of_many_nodes_talks_and_each_message_is_answered_once() {
    let mut cluster = cluster(7, 3);
    for (slow, node) in (1..).zip(cluster.nodes_mut()) {
        node.slow = slow;
    }
    for round in 0..5 {
        for source in 0..7u16 {
            for target in 0..7 {
                cluster.nodes_mut()[usize::from(source)].send(1, target, 100 * round);
            }
        }
    }
    cluster.run_to_quiescence(10_000).unwrap();
    for node in cluster.nodes() {
        for other in 0..7 {
            for kind in [1, 2] {
                let came = node
                    .came
                    .iter()
                    .filter(|(_, k, n)| (*k, *n) == (kind, other));
                assert_eq!(came.count(), 5);
            }
        }
    }
}

#[test]
fn a_node_sends_only_when_the_network_is_ready() {
    let config = NetworkConfig {
        link: Link {
            latency: 3,
            bandwidth: (32, 1),
        },
        ..NetworkConfig::default()
    };
    let mut slow = Cluster::of_stations(vec![Fake::new(0, 0), Fake::new(1, 0)], &config).unwrap();
    slow.nodes_mut()[0].send(2, 1, 128);
    slow.nodes_mut()[0].send(2, 1, 0);
    slow.run_to_quiescence(1000).unwrap();
    let sent: Vec<u64> = slow
        .network()
        .log()
        .iter()
        .map(|record| record.sent)
        .collect();
    assert_eq!(sent, [2, 2 + 3 * 2]);
}

#[test]
fn quiescence_waits_for_the_network_and_for_the_slowest_node_and_tells_all() {
    let mut cluster = cluster(2, 200);
    cluster.nodes_mut()[1].quiet = 50;
    cluster.nodes_mut()[0].send(1, 1, 0);
    cluster.run_to_quiescence(1000).unwrap();
    // The answer comes in cycle 2 + 10 + 200 + 1 + 10; in the cycle after nothing is busy, and that 51 times.
    assert_eq!(cluster.nodes()[0].came, [(223, 2, 1)]);
    assert_eq!(cluster.cycle_count(), 224 + 50);
    assert!(cluster.nodes().iter().all(|node| node.settled == 1));
}

#[test]
fn a_node_that_ran_ahead_is_caught_up_with_and_the_clocks_agree() {
    let mut cluster = cluster(2, 0);
    cluster.nodes_mut()[0].send(2, 1, 64);
    cluster.nodes_mut()[1].send(2, 0, 0);
    for _ in 0..30 {
        cluster.nodes_mut()[1].run_alone();
    }
    assert_eq!(cluster.cycle_count(), 2);
    assert!(cluster.busy().is_some());
    cluster.run_to_quiescence(1000).unwrap();
    let clocks: Vec<u64> = cluster.nodes().iter().map(|node| node.clock).collect();
    assert_eq!(clocks[0], clocks[1]);
    // Node 1's link stood still until cycle 32: what came in cycle 12 is taken then, what it sent leaves then.
    assert_eq!(cluster.nodes()[1].came, [(33, 2, 0)]);
    assert_eq!(cluster.nodes()[0].came, [(42, 2, 1)]);
}

#[test]
fn a_node_that_stops_is_named_and_a_cluster_that_waits_says_for_what() {
    let mut broken = cluster(3, 0);
    broken.nodes_mut()[1].breaks = Some(9);
    let error = broken.run_until(|_| false, 20).unwrap_err();
    assert!(matches!(
        error,
        ClusterError::Node {
            node: 1,
            error: Broken
        }
    ));
    assert_eq!(error.to_string(), "node 1: broken");
    let mut waits = cluster(2, 500);
    waits.nodes_mut()[0].send(1, 1, 0);
    let error = waits.run_to_quiescence(100).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cycle 102: not done after 100 cycles (node 1: it sends)"
    );
    let error = waits.run_until(|_| false, 3).unwrap_err();
    assert!(matches!(
        error,
        ClusterError::Stuck {
            cycle: 105,
            max_cycles: 3,
            ..
        }
    ));
}
