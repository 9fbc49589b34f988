//! Requests and answers: neither waits for the other, and both share a link.

use std::collections::VecDeque;

use super::{config, number, packet};
use crate::bus::Beat;
use crate::network::{Class, Link, Network, NetworkConfig, Spines, Topology};

/// Node 0 sends packets of both classes to node 1.
struct Pair {
    network: Network,
    cycle: u64,
    sending: [VecDeque<Beat>; 2],
    /// Whether node 1 takes beats of a class.
    takes: [bool; 2],
    receiving: [Vec<u8>; 2],
    /// The packets that came: cycle of the end, class, number.
    received: Vec<(u64, Class, u16)>,
    beats: u64,
}

impl Pair {
    fn new(config: &NetworkConfig) -> Self {
        Self {
            network: Network::new(config, 2).unwrap(),
            cycle: 0,
            sending: Default::default(),
            takes: [true; 2],
            receiving: Default::default(),
            received: Vec::new(),
            beats: 0,
        }
    }

    fn send(&mut self, class: Class, packets: u16, body: usize) {
        for number in 0..packets {
            let bytes = packet(0, 1, number, body);
            self.sending[class.index()].extend(Beat::cut(&bytes));
        }
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let cycle = self.cycle;
            let ready = self.network.ready(cycle, 0);
            for class in Class::ALL {
                let at = class.index();
                if self.takes[at]
                    && let Some(beat) = self.network.take(cycle, 1, class)
                {
                    self.beats += 1;
                    self.receiving[at].extend(&beat.bytes);
                    if beat.last {
                        let bytes = std::mem::take(&mut self.receiving[at]);
                        self.received.push((cycle, class, number(&bytes).1));
                    }
                }
                if ready[at]
                    && let Some(beat) = self.sending[at].pop_front()
                {
                    self.network.accept(cycle, 0, class, beat);
                }
            }
            self.network.tick(cycle);
            self.cycle += 1;
        }
    }

    fn came(&self, class: Class) -> Vec<u16> {
        let of_class = self.received.iter().filter(|(_, of, _)| *of == class);
        of_class.map(|(.., number)| *number).collect()
    }
}

/// A network as `config`, of two leaves with a node each and a spine between them.
fn over_a_spine(config: NetworkConfig, bandwidth: (u32, u32)) -> NetworkConfig {
    NetworkConfig {
        topology: Topology::LeafSpine(Spines {
            leaf_ports: 1,
            spines: 1,
            link: Link {
                latency: 6,
                bandwidth,
            },
            switch_latency: 2,
        }),
        ..config
    }
}

#[test]
fn a_class_that_is_not_taken_does_not_hold_up_the_other() {
    let star = NetworkConfig {
        buffer_beats: 65,
        ..config(3, (64, 1), 2)
    };
    let networks = [star.clone(), over_a_spine(star, (48, 1))];
    for (network, stopped) in networks
        .iter()
        .flat_map(|n| Class::ALL.map(|class| (n, class)))
    {
        let mut pair = Pair::new(network);
        pair.takes[stopped.index()] = false;
        pair.send(stopped, 20, 4096);
        pair.run(200);
        pair.send(stopped.other(), 20, 1000);
        pair.run(3000);
        let all: Vec<u16> = (0..20).collect();
        assert_eq!(pair.came(stopped.other()), all);
        assert!(pair.came(stopped).is_empty());
        assert!(
            !pair.network.ready(pair.cycle, 0)[stopped.index()],
            "its buffer is full"
        );
        pair.takes[stopped.index()] = true;
        pair.run(5000);
        assert_eq!(pair.came(stopped), all);
        assert!(pair.network.is_empty());
    }
}

#[test]
fn a_link_carries_one_beat_a_cycle_of_both_classes_and_they_take_turns_by_packet() {
    let mut pair = Pair::new(&config(4, (64, 1), 3));
    pair.send(Class::Request, 200, 256);
    pair.send(Class::Answer, 200, 0);
    pair.run(611);
    assert_eq!(pair.beats, 600, "the first comes after 11 cycles");
    let (requests, answers) = (pair.came(Class::Request), pair.came(Class::Answer));
    assert!(requests.len().abs_diff(answers.len()) <= 1 && requests.len() == 100);
    let turns = pair
        .received
        .windows(2)
        .filter(|pair| pair[0].1 != pair[1].1);
    assert_eq!(turns.count(), pair.received.len() - 1);
}

#[test]
fn a_slow_link_is_as_slow_for_both_together() {
    let mut pair = Pair::new(&config(4, (25, 2), 3));
    pair.send(Class::Request, 10, 64);
    pair.send(Class::Answer, 10, 64);
    pair.run(3000);
    // 40 beats of 64 bytes at 12.5 bytes a cycle over the first link, then the last of them over the second.
    let last = pair.received.last().map(|(cycle, ..)| *cycle);
    assert_eq!(pair.received.len(), 20);
    let cycles = |beats: u64| (beats * 64 * 2).div_ceil(25) - 1;
    assert_eq!(last, Some(cycles(40) + 4 + 3 + cycles(1) + 4));
}

#[test]
fn classes_take_turns_on_a_spine_link_too_and_share_what_it_carries() {
    let mut pair = Pair::new(&over_a_spine(config(4, (64, 1), 3), (16, 1)));
    pair.send(Class::Request, 10, 64);
    pair.send(Class::Answer, 10, 64);
    pair.run(3000);
    let classes: Vec<Class> = pair.received.iter().map(|(_, class, _)| *class).collect();
    assert_eq!(classes, Class::ALL.repeat(10));
    // 40 beats of 4 cycles each on the way up; then the last on the way down, and to the node.
    let last = pair.received.last().map(|(cycle, ..)| *cycle);
    let (up, down) = (4 + 3 + 40 * 4 - 1 + 6, 2 + 4 - 1 + 6);
    assert_eq!(last, Some(up + down + 3 + 4));
    let bytes: Vec<u64> = pair.network.trunks().iter().map(|t| t.bytes()).collect();
    assert_eq!(bytes, [2560, 0, 0, 2560], "out of leaf 0 and into leaf 1");
}
