//! `PacketMerge`: packets of two streams, whole, in order, in turn.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;

/// Stream, packet, beat of the packet, last.
type Beat = (u64, u64, u64, bool);

fn packets(rng: &mut ChaCha8Rng, stream: u64, count: u64) -> VecDeque<Beat> {
    let packet = |packet: u64| {
        let beats = rng.random_range(1..5);
        (0..beats).map(move |beat| (stream, packet, beat, beat + 1 == beats))
    };
    (0..count).flat_map(packet).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn packets_stay_whole_and_in_order_and_the_streams_take_turns(
        seed: u64,
        pauses in prop::array::uniform3(prop::sample::select(vec![0.0, 0.5, 0.9])),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hardware = Hardware::block("packet_merge");
        let mut streams = [packets(&mut rng, 0, 80), packets(&mut rng, 1, 80)];
        let expected = streams.clone();
        let names = ["first", "second"];
        let mut offered = [false; 2];
        let mut passed: Vec<Beat> = Vec::new();
        let mut waits: Option<Vec<u64>> = None;
        for _ in 0..20_000 {
            for stream in 0..2 {
                offered[stream] = !streams[stream].is_empty() && (offered[stream] || !rng.random_bool(pauses[stream]));
                let name = names[stream];
                if let Some((of, packet, beat, last)) = streams[stream].front().copied() {
                    hardware.set(&format!("{name}_data"), &[of, packet, beat, 0, 0, 0, 0, 7]);
                    hardware.set(&format!("{name}_keep"), &[packet + 100 * of]);
                    hardware.set(&format!("{name}_last"), &[last.into()]);
                }
                hardware.set(&format!("{name}_valid"), &[offered[stream].into()]);
            }
            let ready = !rng.random_bool(pauses[2]);
            hardware.set("out_ready", &[ready.into()]);
            hardware.eval();
            let valid = hardware.high("out_valid");
            prop_assert!(valid || waits.is_none(), "an offer was taken back");
            let inside = passed.last().is_some_and(|beat| !beat.3);
            prop_assert!(valid || inside || offered == [false; 2], "somebody waits for nothing");
            if valid {
                let data = hardware.get("out_data");
                if let Some(before) = waits.take() {
                    prop_assert_eq!(&before, &data, "an offer was exchanged");
                }
                let beat = (data[0], data[1], data[2], hardware.high("out_last"));
                prop_assert_eq!(hardware.get("out_keep"), [data[1] + 100 * data[0]]);
                prop_assert_eq!(hardware.high("of_second"), data[0] == 1);
                if ready {
                    passed.push(beat);
                } else {
                    waits = Some(data);
                }
            }
            for stream in 0..2 {
                let taken = hardware.high(&format!("{}_ready", names[stream]));
                prop_assert!(!taken || ready);
                if offered[stream] && taken {
                    streams[stream].pop_front();
                    offered[stream] = false;
                }
            }
            hardware.step();
        }
        prop_assert!(streams.iter().all(VecDeque::is_empty));
        for (stream, expected) in (0..).zip(&expected) {
            let own: Vec<Beat> = passed.iter().copied().filter(|beat| beat.0 == stream).collect();
            prop_assert_eq!(&own, &expected.iter().copied().collect::<Vec<_>>());
        }
        // Between two beats of a packet comes none of another.
        for pair in passed.windows(2) {
            prop_assert!(pair[0].3 || (pair[1].0, pair[1].1, pair[1].2) == (pair[0].0, pair[0].1, pair[0].2 + 1));
        }
        if pauses[..2] == [0.0, 0.0] {
            let ends: Vec<u64> = passed.iter().filter(|beat| beat.3).map(|beat| beat.0).collect();
            prop_assert!(ends[..100].windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
