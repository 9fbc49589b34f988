//! `Loopback`: packets for this node come back inside, whole and in order, and all others go to the network.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;
use xtq_testbench::tables::format::WIRE;

/// Number of the node.
const NODE: u16 = 7;

/// A beat as words of `data`, keep and last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Beat {
    data: Vec<u64>,
    keep: u64,
    last: bool,
}

/// A packet for a node: a header, and beats that carry a name. Their low bits would make headers for any node.
fn packet(target: u16, name: u64, beats: u64) -> Vec<Beat> {
    let beat = |number: u64| {
        let mut header = [0u8; 64];
        match number {
            0 => {
                WIRE.set(&mut header, "target_node", target.into());
                WIRE.set(&mut header, "match_bits", name);
            }
            _ => {
                let other = if target == NODE { NODE + 1 } else { NODE };
                WIRE.set(&mut header, "target_node", other.into());
                WIRE.set(&mut header, "match_bits", name << 8 | number);
            }
        }
        let words = header.chunks_exact(8);
        let last = number + 1 == beats;
        Beat {
            data: words
                .map(|word| {
                    word.iter()
                        .rev()
                        .fold(0, |all, byte| all << 8 | u64::from(*byte))
                })
                .collect(),
            keep: if last && number > 0 {
                u64::MAX >> (name % 64)
            } else {
                u64::MAX
            },
            last,
        }
    };
    (0..beats).map(beat).collect()
}

/// The block, and what is at its pins in a cycle.
struct Rig {
    hardware: Hardware,
    tx: VecDeque<Beat>,
    rx: VecDeque<Beat>,
    offered: [bool; 2],
    network: Vec<Beat>,
    received: Vec<Beat>,
    /// Cycle of each beat of these.
    cycles: [Vec<u64>; 2],
    /// What was offered on these and not taken.
    waits: [Option<Beat>; 2],
    /// Beats that went inside, and that were taken from inside.
    traced: [u64; 2],
    cycle: u64,
}

impl Rig {
    fn new() -> Self {
        let mut hardware = Hardware::block("loopback");
        hardware.drive("node", NODE);
        Self {
            hardware,
            tx: VecDeque::new(),
            rx: VecDeque::new(),
            offered: [false; 2],
            network: Vec::new(),
            received: Vec::new(),
            cycles: Default::default(),
            waits: [None, None],
            traced: [0; 2],
            cycle: 0,
        }
    }

    fn out(&self, name: &str) -> Option<Beat> {
        self.hardware.high(&format!("{name}_valid")).then(|| Beat {
            data: self.hardware.get(&format!("{name}_data")),
            keep: self.hardware.word(&format!("{name}_keep")),
            last: self.hardware.high(&format!("{name}_last")),
        })
    }

    /// One cycle: `gives` whether `tx` and `rx` offer what they have, if they do not already, `takes` whether `network`
    /// and `received` are ready.
    fn cycle(&mut self, gives: [bool; 2], takes: [bool; 2]) {
        self.offered[0] = !self.tx.is_empty() && (self.offered[0] || gives[0]);
        self.offered[1] = !self.rx.is_empty() && (self.offered[1] || gives[1]);
        let hardware = &mut self.hardware;
        if let Some(beat) = self.tx.front() {
            let words = [&beat.data[..], &[beat.keep, beat.last.into()]].concat();
            hardware.set("tx", &words);
        }
        if let Some(beat) = self.rx.front() {
            hardware.set("rx_data", &beat.data);
            hardware.set("rx_keep", &[beat.keep]);
            hardware.set("rx_last", &[beat.last.into()]);
        }
        hardware.drive("rx_valid", self.offered[1]);
        // Nothing reaches across in a cycle: not the offer to `received`, not the room there to `tx`, which sees that
        // of the network only.
        hardware.drive("network_ready", takes[0]);
        hardware.drive("tx_valid", !self.offered[0]);
        hardware.drive("received_ready", !takes[1]);
        hardware.eval();
        let ready = self.hardware.high("tx_ready");
        let before = self.out("received");
        self.hardware.drive("tx_valid", self.offered[0]);
        self.hardware.drive("received_ready", takes[1]);
        self.hardware.eval();
        assert_eq!(self.out("received"), before, "a path from tx to received");
        assert_eq!(
            self.hardware.high("tx_ready"),
            ready,
            "a path from received to tx"
        );

        let outs = [self.out("network"), self.out("received")];
        for (place, out) in outs.into_iter().enumerate() {
            if let Some(before) = self.waits[place].take() {
                assert_eq!(
                    out.as_ref(),
                    Some(&before),
                    "an offer was changed or taken back"
                );
            }
            match (out, takes[place]) {
                (Some(beat), true) => {
                    [&mut self.network, &mut self.received][place].push(beat);
                    self.cycles[place].push(self.cycle);
                }
                (out, _) => self.waits[place] = out,
            }
        }
        for (count, name) in self.traced.iter_mut().zip(["sent_inside", "taken_inside"]) {
            *count += u64::from(self.hardware.high(name));
        }
        if self.hardware.high("sent_inside") {
            // The trace is the beat on `network`, which is not valid there.
            let sent = self.tx.front().unwrap();
            assert!(self.offered[0] && ready && !self.hardware.high("network_valid"));
            assert_eq!(self.hardware.get("network_data"), sent.data);
            assert_eq!(self.hardware.word("network_keep"), sent.keep);
            assert_eq!(self.hardware.high("network_last"), sent.last);
        }
        if self.offered[0] && ready {
            self.tx.pop_front();
            self.offered[0] = false;
        }
        if self.offered[1] && self.hardware.high("rx_ready") {
            self.rx.pop_front();
            self.offered[1] = false;
        }
        self.hardware.step();
        self.cycle += 1;
    }

    fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.cycle([true; 2], [true; 2]));
    }
}

/// The packets of these beats. Panics: one is not whole, or beats of two are mixed.
fn packets(beats: &[Beat]) -> Vec<Vec<Beat>> {
    let packets: Vec<Vec<Beat>> = beats
        .split_inclusive(|beat| beat.last)
        .map(<[Beat]>::to_vec)
        .collect();
    assert!(packets.iter().all(|packet| packet.last().unwrap().last));
    packets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_packet_goes_its_way_whole_in_order_and_once(
        seed: u64,
        pauses in prop::array::uniform4(prop::sample::select(vec![0.0, 0.5, 0.9])),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut rig = Rig::new();
        let (mut away, mut inside, mut outside) = (Vec::new(), Vec::new(), Vec::new());
        for name in 1..80 {
            let target = if rng.random_bool(0.5) { NODE } else { rng.random() };
            let sent = packet(target, name, rng.random_range(1..5));
            rig.tx.extend(sent.iter().cloned());
            if target == NODE { inside.push(sent) } else { away.push(sent) }
            // What comes from the network stays, whomever it is for.
            let came = packet(rng.random(), 1000 + name, rng.random_range(1..5));
            rig.rx.extend(came.iter().cloned());
            outside.push(came);
        }
        for _ in 0..20_000 {
            let [tx, rx, network, received] = pauses.map(|pause| !rng.random_bool(pause));
            rig.cycle([tx, rx], [network, received]);
        }
        prop_assert_eq!(packets(&rig.network), away);
        let beats: usize = inside.iter().map(Vec::len).sum();
        prop_assert_eq!(rig.traced, [beats as u64; 2]);
        let received = packets(&rig.received);
        prop_assert_eq!(received.len(), inside.len() + outside.len());
        let (of_rx, own): (Vec<_>, Vec<_>) = received.into_iter().partition(|packet| outside.contains(packet));
        prop_assert_eq!(own, inside);
        prop_assert_eq!(of_rx, outside);
    }
}

#[test]
fn the_inner_way_takes_a_cycle_and_the_others_none_and_all_pass_a_beat_a_cycle() {
    let mut rig = Rig::new();
    for name in 0..10 {
        rig.tx.extend(packet(NODE, name, 3));
    }
    rig.run(40);
    assert_eq!(rig.cycles[1], (1..31).collect::<Vec<_>>());
    let mut rig = Rig::new();
    for name in 0..10 {
        rig.tx.extend(packet(NODE + 1, name, 3));
        rig.rx.extend(packet(NODE, name, 3));
    }
    rig.run(40);
    assert_eq!(rig.cycles, [(0..30).collect::<Vec<_>>(), (0..30).collect()]);
}

#[test]
fn the_two_ways_take_turns() {
    let mut rig = Rig::new();
    for name in 0..10 {
        rig.tx.extend(packet(NODE, name, 2));
        rig.rx.extend(packet(NODE, 100 + name, 3));
    }
    rig.run(60);
    let name = |packet: &Vec<Beat>| packet[0].data == rig.received[0].data;
    let received = packets(&rig.received);
    assert_eq!(received.iter().filter(|packet| name(packet)).count(), 1);
    let lengths: Vec<usize> = received.iter().map(Vec::len).collect();
    assert_eq!(lengths, [3, 2].repeat(10));
    assert_eq!(rig.cycles[1], (0..50).collect::<Vec<_>>());
}

#[test]
fn a_packet_keeps_its_way_when_the_number_of_the_node_changes() {
    // Offered and not taken; in the middle.
    for taken in [0, 1, 2] {
        for inside in [true, false] {
            let mut rig = Rig::new();
            let target = if inside { NODE } else { NODE + 1 };
            rig.tx.extend(packet(target, 5, 4));
            // Fills what is inside, so that a packet that stays is not taken either.
            let held = if inside { 2 } else { 0 };
            for _ in 0..held {
                rig.cycle([true; 2], [false; 2]);
            }
            for _ in 0..taken {
                rig.cycle([true; 2], [true; 2]);
            }
            rig.cycle([true; 2], [false; 2]);
            rig.hardware.drive("node", NODE + 1);
            rig.run(20);
            let (way, other) = match inside {
                true => (&rig.received, &rig.network),
                false => (&rig.network, &rig.received),
            };
            assert_eq!(way, &packet(target, 5, 4), "{taken} {inside}");
            assert!(other.is_empty(), "{taken} {inside}");
            // The next one sees the new number.
            rig.tx.extend(packet(NODE + 1, 6, 2));
            rig.run(20);
            assert!(rig.received.ends_with(&packet(NODE + 1, 6, 2)));
        }
    }
}

#[test]
fn a_network_that_takes_nothing_stops_what_follows_but_not_what_is_inside() {
    let mut rig = Rig::new();
    rig.tx.extend(packet(NODE, 1, 2));
    rig.tx.extend(packet(NODE + 1, 2, 2));
    rig.tx.extend(packet(NODE, 3, 2));
    for _ in 0..20 {
        rig.cycle([true; 2], [false, true]);
    }
    assert_eq!(rig.received, packet(NODE, 1, 2));
    rig.run(20);
    assert_eq!(rig.network, packet(NODE + 1, 2, 2));
    assert!(rig.received.ends_with(&packet(NODE, 3, 2)));
}
