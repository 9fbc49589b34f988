//! Random messages, tables, latencies and pauses.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::ToBits;
use xtq_testbench::bus::{Bench, Gaps};
use xtq_types::Wire;
use xtq_types::pipe::PacketHead;

use crate::lookup_stage::packet::{FUNCTION, KERNEL, Packet, QUEUE};
use crate::lookup_stage::stage::Stage;

fn random_packet(rng: &mut ChaCha8Rng, tables: &[(u64, u64); 16]) -> Packet {
    let words: Vec<u64> = (0..7).map(|_| rng.random()).collect();
    let mut packet = Packet {
        head: PacketHead::from_words(&words),
        aql: rng.random(),
    };
    packet.head.xtq = u64::from(rng.random_bool(0.7)).to_bits();
    packet.head.first = u64::from(rng.random_bool(0.8)).to_bits();
    if rng.random_bool(0.9) {
        packet.aql[0] = (packet.aql[0] & !255) | if rng.random() { 2 } else { 4 };
    }
    let context = packet.head.context.to_u64() as usize;
    for (word, kind) in [(1, FUNCTION), (4, KERNEL), (6, QUEUE)] {
        let size = tables[4 * context + kind as usize].1;
        packet.aql[word] = match rng.random_range(0..10) {
            0 => size,
            1 => size.saturating_sub(1),
            2 => rng.random(),
            3 => rng.random_range(0..64) | (1 << rng.random_range(16..64)),
            _ => rng.random_range(0..size.max(1)),
        };
    }
    packet
}

fn random_stream(seed: u64, latency: u64, gaps: [f64; 4]) {
    let gaps = [0, 1, 2, 3].map(|i| Gaps::random(gaps[i], seed ^ (1 + i as u64)));
    let mut stage = Stage::new(gaps, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    stage.answers.latency = (2, latency);
    for place in 0..16 {
        let sizes = [0, 1, 64, 1000, 65_535];
        stage.set_table(place, rng.random(), sizes[rng.random_range(0..5)]);
    }
    for _ in 0..80 {
        let packet = random_packet(&mut rng, &stage.tables);
        stage.push(packet);
    }
    for _ in 0..20 {
        stage.run(5);
        let (sources, sinks, models) = (Vec::new(), Vec::new(), Vec::new());
        let engine = &mut *stage.engine;
        let mut bench = Bench {
            engine,
            sources,
            sinks,
            models,
        };
        bench.check_ready_paths().unwrap();
    }
    stage.run_and_check();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_message_leaves_in_order_with_its_entries(
        seed: u64,
        latency in prop_oneof![Just(2u64), 3u64..40],
        gaps in prop::array::uniform3(prop_oneof![Just(0.0), Just(0.3), Just(0.7)]),
        halts in prop_oneof![Just(0.5), Just(0.95), Just(1.0)],
    ) {
        let [heads, out, requests] = gaps;
        random_stream(seed, latency, [heads, out, requests, halts]);
    }
}
