//! `ReceiveSplitter`: what is an acknowledgement, and that nothing is lost or changed.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::wire_header::{VERSION, WireHeader, opcode};

use xtq_testbench::by_name::{Hardware, pack};

const NODE: u64 = 0x1234;

type Beat = (Vec<u64>, u64, bool);

/// The header of an acknowledgement with one field changed.
fn header(rng: &mut ChaCha8Rng) -> (Vec<u64>, bool) {
    let mut fields = [
        ("version", VERSION.into()),
        ("opcode", opcode::ACK.into()),
        ("target_node", NODE),
        ("target_context", rng.random_range(0..4)),
        ("initiator_handle", rng.random_range(0..0x1_0000)),
    ];
    let changed = rng.random_range(0..8);
    if changed < 4 {
        let wrong = [
            2,
            opcode::PUT.into(),
            NODE ^ 1 << rng.random_range(0..16),
            4,
        ];
        fields[changed].1 = wrong[changed];
    }
    (pack(WireHeader::FIELDS, &fields), changed >= 4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn acknowledgements_go_to_the_initiator_and_all_else_to_the_parser(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hardware = Hardware::block("receive_splitter");
        hardware.set("node", &[NODE]);
        let (mut stream, mut answers, mut rest) = (VecDeque::new(), Vec::new(), Vec::new());
        for _ in 0..200 {
            let (words, right) = header(&mut rng);
            let beats = if rng.random_bool(0.6) { 1 } else { rng.random_range(2..5) };
            let keep = if rng.random_bool(0.9) { u64::MAX } else { u64::MAX >> 8 };
            for beat in 0..beats {
                // What follows a header may look like one.
                let data = if beat == 0 { words.clone() } else { header(&mut rng).0 };
                let last = beat + 1 == beats;
                let beat: Beat = (data, if last { keep } else { u64::MAX }, last);
                if right && beats == 1 && keep == u64::MAX {
                    answers.push(beat.0.clone());
                } else {
                    rest.push(beat.clone());
                }
                stream.push_back(beat);
            }
        }
        let (mut told, mut passed) = (Vec::new(), Vec::new());
        let mut offered = false;
        for _ in 0..6000 {
            offered = !stream.is_empty() && (offered || rng.random_bool(0.8));
            if let Some((data, keep, last)) = stream.front() {
                hardware.set("rx_data", data);
                hardware.set("rx_keep", &[*keep]);
                hardware.set("rx_last", &[(*last).into()]);
            }
            hardware.set("rx_valid", &[offered.into()]);
            let ready = [rng.random_bool(0.6), rng.random_bool(0.3)];
            hardware.set("rest_ready", &[ready[0].into()]);
            hardware.set("answer_ready", &[ready[1].into()]);
            hardware.eval();
            if hardware.high("rest_valid") && ready[0] {
                let (keep, last) = (hardware.get("rest_keep")[0], hardware.high("rest_last"));
                passed.push((hardware.get("rest_data"), keep, last));
            }
            if hardware.high("answer_valid") && ready[1] {
                told.push(hardware.get("answer"));
            }
            if offered && hardware.high("rx_ready") {
                stream.pop_front();
                offered = false;
            }
            hardware.step();
        }
        prop_assert!(stream.is_empty());
        prop_assert_eq!(told, answers);
        prop_assert_eq!(passed, rest);
    }
}

#[test]
fn eight_acknowledgements_wait_and_the_rest_passes_in_the_same_cycle() {
    let mut hardware = Hardware::block("receive_splitter");
    hardware.set("node", &[NODE]);
    let fields = [
        ("version", VERSION.into()),
        ("opcode", opcode::ACK.into()),
        ("target_node", NODE),
    ];
    let ack = pack(WireHeader::FIELDS, &fields);
    hardware.set("rx_keep", &[u64::MAX]);
    hardware.set("rx_last", &[1]);
    hardware.set("rx_valid", &[1]);
    hardware.set("rx_data", &ack);
    for taken in 0..12 {
        hardware.eval();
        assert_eq!(hardware.high("rx_ready"), taken < 8, "{taken}");
        hardware.step();
    }
    hardware.set("rx_data", &[0; 8]);
    hardware.set("rest_ready", &[1]);
    hardware.eval();
    assert!(hardware.high("rx_ready") && hardware.high("rest_valid"));
}
