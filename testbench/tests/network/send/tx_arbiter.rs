//! `TxArbiter`: whole packets, turn by turn, in the same cycle.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bus::{Bench, Gaps};

use crate::runs::{cycles, engine, run_until_received};

/// Source positions.
const ACK: usize = 0;
const REPLY: usize = 1;

/// Words of an acknowledgement; the first says who it is.
fn ack(number: u64) -> Vec<u64> {
    (0..8).map(|i| number << 8 | i).collect()
}

/// Words of beat `index` of the reply `number` of `beats` beats.
fn reply(number: u64, index: u64, beats: u64) -> Vec<u64> {
    let mut words: Vec<u64> = (0..8)
        .map(|i| 1 << 63 | number << 16 | index << 8 | i)
        .collect();
    words.push(if index + 1 == beats { 7 } else { u64::MAX });
    words.push(u64::from(index + 1 == beats));
    words
}

/// An acknowledgement as a packet on the network.
fn ack_packet(number: u64) -> Vec<Vec<u64>> {
    let mut words = ack(number);
    words.extend([u64::MAX, 1]);
    vec![words]
}

fn reply_packet(number: u64, beats: u64) -> Vec<Vec<u64>> {
    (0..beats)
        .map(|index| reply(number, index, beats))
        .collect()
}

fn bench(engine: &mut dyn xtq_engine::Engine, pauses: [f64; 3], seed: u64) -> Bench<'_> {
    let mut bench = Bench::new(engine).unwrap();
    bench.source("ack", Gaps::random(pauses[0], seed)).unwrap();
    bench
        .source("reply", Gaps::random(pauses[1], seed ^ 1))
        .unwrap();
    bench.sink("tx", Gaps::random(pauses[2], seed ^ 2)).unwrap();
    bench
}

/// The packets that went out.
fn packets(bench: &Bench) -> Vec<Vec<Vec<u64>>> {
    let words: Vec<Vec<u64>> = bench.sinks[0]
        .received()
        .iter()
        .map(|(_, words)| words.clone())
        .collect();
    words
        .split_inclusive(|words| words[9] == 1)
        .map(<[Vec<u64>]>::to_vec)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn packets_of_each_source_go_out_whole_and_in_order(
        seed in any::<u64>(), pauses in prop::array::uniform3(prop::sample::select(vec![0.0, 0.3, 0.8])),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut engine = engine("tx_arbiter");
        let mut bench = bench(&mut *engine, pauses, seed);
        let (mut acks, mut replies) = (Vec::new(), Vec::new());
        for number in 0..60 {
            bench.sources[ACK].push(&ack(number));
            acks.push(ack_packet(number));
            let beats = rng.random_range(1..6);
            reply_packet(number, beats).iter().for_each(|beat| bench.sources[REPLY].push(beat));
            replies.push(reply_packet(number, beats));
        }
        let count: usize = acks.iter().chain(&replies).map(Vec::len).sum();
        for _ in 0..10_000 {
            if bench.sinks[0].received().len() == count {
                break;
            }
            bench.cycle().unwrap();
            bench.check_ready_paths().unwrap();
        }
        let (reply_side, ack_side): (Vec<_>, Vec<_>) = packets(&bench).into_iter().partition(|packet| packet[0][0] >> 63 == 1);
        prop_assert_eq!(ack_side, acks);
        prop_assert_eq!(reply_side, replies);
        // Nothing is kept inside: what goes out is taken from its source in that cycle.
        let mut taken = [ACK, REPLY].map(|source| bench.sources[source].accepted().to_vec()).concat();
        taken.sort_unstable();
        prop_assert_eq!(taken, cycles(&bench, 0));
    }
}

#[test]
fn sources_that_both_wait_take_turns_and_leave_no_cycle_empty() {
    let mut engine = engine("tx_arbiter");
    let mut bench = bench(&mut *engine, [0.0; 3], 0);
    for number in 0..10 {
        bench.sources[ACK].push(&ack(number));
        reply_packet(number, 3)
            .iter()
            .for_each(|beat| bench.sources[REPLY].push(beat));
    }
    run_until_received(&mut bench, 0, 40, 60);
    let out = cycles(&bench, 0);
    assert_eq!(out, (out[0]..out[0] + 40).collect::<Vec<_>>());
    let expected: Vec<_> = (0..10)
        .flat_map(|number| [reply_packet(number, 3), ack_packet(number)])
        .collect();
    assert_eq!(packets(&bench), expected);
}

#[test]
fn a_source_alone_has_every_cycle() {
    for source in [ACK, REPLY] {
        let mut engine = engine("tx_arbiter");
        let mut bench = bench(&mut *engine, [0.0; 3], 0);
        for number in 0..20 {
            let words = if source == ACK {
                ack(number)
            } else {
                reply(number, 0, 1)
            };
            bench.sources[source].push(&words);
        }
        let first = bench.engine.cycle();
        run_until_received(&mut bench, 0, 20, 30);
        assert_eq!(cycles(&bench, 0), (first..first + 20).collect::<Vec<_>>());
    }
}

#[test]
fn a_packet_that_waits_for_the_network_is_not_replaced() {
    let mut engine = engine("tx_arbiter");
    let mut bench = bench(&mut *engine, [0.0, 0.0, 1.0], 0);
    // The sink's checker sees that the offer stays; which of the two came first is offered.
    for first in [ACK, REPLY] {
        let word = |source| {
            if source == ACK {
                ack(1)
            } else {
                reply(1, 0, 1)
            }
        };
        bench.sources[first].push(&word(first));
        bench.cycle().unwrap();
        bench.sources[1 - first].push(&word(1 - first));
        for _ in 0..5 {
            bench.cycle().unwrap();
        }
        assert_eq!(bench.get("tx").unwrap()[..8], word(first)[..8]);
        bench.sinks[0] =
            xtq_testbench::bus::WordSink::new(bench.engine, "tx", Gaps::none()).unwrap();
        run_until_received(&mut bench, 0, 2, 5);
        bench.sinks[0] =
            xtq_testbench::bus::WordSink::new(bench.engine, "tx", Gaps::random(1.0, 0)).unwrap();
    }
}

#[test]
fn a_pause_in_a_packet_lets_nobody_in() {
    let mut engine = engine("tx_arbiter");
    let mut bench = bench(&mut *engine, [0.0; 3], 0);
    bench.sources[REPLY].push(&reply(0, 0, 2));
    bench.cycle().unwrap();
    bench.sources[ACK].push(&ack(0));
    for _ in 0..10 {
        bench.cycle().unwrap();
    }
    assert_eq!(bench.sinks[0].received().len(), 1);
    bench.sources[REPLY].push(&reply(0, 1, 2));
    run_until_received(&mut bench, 0, 3, 10);
    assert_eq!(packets(&bench), [reply_packet(0, 2), ack_packet(0)]);
}
