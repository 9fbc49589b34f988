//! `RequestGate`: what it admits, against a count of what is inside; nothing is lost, changed or taken back.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::wire_header::{WireHeader, opcode};

use xtq_testbench::by_name::{Hardware, pack};

/// A beat: data, last; and of a header beat whether it takes a place, and one of those that fetch.
type Beat = (Vec<u64>, bool, [bool; 2]);

/// Requests that the smallest gate holds.
const MOST: usize = 3;

fn header(code: u8, offset: u64) -> Vec<u64> {
    let fields = [("opcode", code.into()), ("packet_offset", offset)];
    pack(WireHeader::FIELDS, &fields)
}

fn fetches(code: u8) -> bool {
    [opcode::FETCH_ATOMIC, opcode::SWAP].contains(&code)
}

/// A packet of any opcode with `beats` beats.
fn packet(rng: &mut ChaCha8Rng, beats: usize) -> Vec<Beat> {
    let code = rng.random_range(0..16);
    let first = rng.random_bool(0.7);
    let offset = if first {
        0
    } else {
        4096 * rng.random_range(1..9)
    };
    let beat = |beat: usize| -> Beat {
        // What follows a header may look like one.
        let data = if beat == 0 {
            header(code, offset)
        } else {
            header(opcode::SWAP, 0)
        };
        (
            data,
            beat + 1 == beats,
            [beat == 0 && first, beat == 0 && first && fetches(code)],
        )
    };
    (0..beats).map(beat).collect()
}

struct Gate {
    hardware: Hardware,
    /// Requests inside, and those that fetch.
    inside: [usize; 2],
}

impl Gate {
    fn new(name: &str) -> Self {
        Self {
            hardware: Hardware::block(name),
            inside: [0; 2],
        }
    }

    fn offer(&mut self, beat: Option<&Beat>) {
        if let Some((data, last, _)) = beat {
            self.hardware.set("rx_data", data);
            self.hardware.set("rx_keep", &[u64::MAX]);
            self.hardware.set("rx_last", &[(*last).into()]);
        }
        self.hardware.set("rx_valid", &[beat.is_some().into()]);
    }

    /// Drives the pulses: requests that leave, and how many of them fetch.
    fn leave(&mut self, pulses: [bool; 3], fetched: [bool; 2]) {
        for (name, high) in ["dropped", "closed", "left"].into_iter().zip(pulses) {
            self.hardware.set(name, &[high.into()]);
            self.inside[0] -= usize::from(high);
        }
        for (name, high) in ["fetch_dropped", "fetch_closed"].into_iter().zip(fetched) {
            self.hardware.set(name, &[high.into()]);
            self.inside[1] -= usize::from(high);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_request_is_admitted_while_there_is_a_place_and_all_else_always(
        seed: u64,
        pauses in prop::array::uniform3(prop::sample::select(vec![0.0, 0.5, 0.9])),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut gate = Gate::new("request_gate_2");
        let mut stream: VecDeque<Beat> = (0..150)
            .flat_map(|_| {
                let beats = rng.random_range(1..4);
                packet(&mut rng, beats)
            })
            .collect();
        let expected: Vec<(Vec<u64>, bool)> = stream.iter().map(|beat| (beat.0.clone(), beat.1)).collect();
        let mut passed = Vec::new();
        let (mut offered, mut waits, mut stopped) = (false, false, 0);
        for _ in 0..20_000 {
            if stream.is_empty() {
                break;
            }
            offered = offered || !rng.random_bool(pauses[0]);
            gate.offer(stream.front().filter(|_| offered));
            let ready = !rng.random_bool(pauses[1]);
            gate.hardware.set("admitted_ready", &[ready.into()]);
            // What is inside at the beginning of the cycle counts.
            let inside = gate.inside;
            let may = |rng: &mut ChaCha8Rng, left: usize| left > 0 && !rng.random_bool(pauses[2]);
            let mut left = inside;
            let mut pulse = |of: usize, rng: &mut ChaCha8Rng| {
                let high = may(rng, left[of]);
                left[of] -= usize::from(high);
                high
            };
            let pulses = [pulse(0, &mut rng), pulse(0, &mut rng), pulse(0, &mut rng)];
            let fetched = [pulse(1, &mut rng), pulse(1, &mut rng)];
            gate.leave(pulses, fetched);
            gate.hardware.eval();
            let (valid, taken) = (gate.hardware.high("admitted_valid"), gate.hardware.high("rx_ready"));
            if offered {
                let takes = stream[0].2;
                let open = !takes[0] || inside[0] < MOST;
                stopped += usize::from(!open);
                prop_assert_eq!(valid, open);
                prop_assert!(valid || !waits, "what was offered stays");
                prop_assert_eq!(taken, open && ready);
                waits = valid && !ready;
                if taken {
                    let data = gate.hardware.get("admitted_data");
                    passed.push((data, gate.hardware.high("admitted_last")));
                    stream.pop_front();
                    offered = false;
                    gate.inside[0] += usize::from(takes[0]);
                    gate.inside[1] += usize::from(takes[1]);
                }
            } else {
                prop_assert!(!valid);
            }
            gate.hardware.step();
        }
        prop_assert_eq!(passed, expected);
        prop_assert!(stopped > 0 || pauses != [0.0, 0.0, 0.9], "it never had to wait");
    }
}

/// Offers one-beat requests until one is not taken: how many were.
fn fill(gate: &mut Gate, code: u8, most: usize) -> usize {
    gate.hardware.set("admitted_ready", &[1]);
    for taken in 0..most {
        gate.offer(Some(&(header(code, 0), true, [true, fetches(code)])));
        gate.hardware.eval();
        if !gate.hardware.high("rx_ready") {
            return taken;
        }
        gate.hardware.step();
    }
    most
}

#[test]
fn as_many_are_admitted_as_the_queues_hold_and_a_later_packet_still_passes() {
    let mut gate = Gate::new("request_gate");
    assert_eq!(fill(&mut gate, opcode::GET, 2000), 1023);
    gate.offer(Some(&(header(opcode::PUT, 4096), true, [false; 2])));
    gate.hardware.eval();
    assert!(gate.hardware.high("rx_ready"));
    gate.offer(None);
    gate.hardware.set("left", &[1]);
    gate.hardware.step();
    gate.hardware.set("left", &[0]);
    assert_eq!(fill(&mut gate, opcode::PUT, 10), 1);
}

#[test]
fn no_more_fetch_than_old_bytes_have_room_and_others_are_not_stopped_by_that() {
    let mut gate = Gate::new("request_gate");
    // Eight beats each, and room for 2,047.
    assert_eq!(fill(&mut gate, opcode::SWAP, 2000), 2047 / 8);
    assert_eq!(fill(&mut gate, opcode::FETCH_ATOMIC, 2000), 0);
    assert_eq!(fill(&mut gate, opcode::ATOMIC, 10), 10);
    gate.offer(None);
    gate.hardware.set("fetch_closed", &[1]);
    gate.hardware.step();
    gate.hardware.set("fetch_closed", &[0]);
    assert_eq!(fill(&mut gate, opcode::FETCH_ATOMIC, 10), 1);
}
