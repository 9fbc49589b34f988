//! Random questions, memories and invalidations.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use xtq_engine::Engine;
use xtq_testbench::bus::Gaps;

use super::{Bench, Key, address, is_hit, tag};
use crate::table_memory::read_entry;

struct Asked {
    key: Key,
    accepted: Option<u64>,
    /// The answer must be at least as new as memory was at the last invalidate before the request.
    oldest: u64,
}

/// Random requests, writes and invalidates; every answer must be one that memory and fills explain.
fn random_stream(seed: u64, indices: u64, latency: u64, errors: f64, gaps: f64) {
    let (requests, changes) = (250, 0.08);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(
        Gaps::random(gaps, seed ^ 1),
        Gaps::random(gaps, seed ^ 2),
        seed ^ 3,
    );
    bench.memory.latency = (1, latency);
    bench.memory.errors = errors;
    let mut asked: HashMap<u64, Asked> = HashMap::new();
    let mut pushed: Vec<u64> = Vec::new();
    let mut dropped: Vec<Key> = Vec::new();
    let mut oldest: HashMap<u64, u64> = HashMap::new();
    let mut drop_cycles: HashMap<u64, Vec<u64>> = HashMap::new();
    let (mut accepted, mut drops, mut answered, mut reads) = (0, 0, 0, 0);
    while answered < requests {
        let mut key = || {
            let place = rng.random_range(0..indices);
            (place % 4, place % 3, place * 7 % 65_536)
        };
        let (wanted, changed) = (key(), key());
        let tag_wanted = rng.random_range(0..16);
        if pushed.len() < requests && !asked.contains_key(&tag_wanted) {
            bench.ask(tag_wanted, wanted);
            pushed.push(tag_wanted);
            let (accepted, oldest) = (None, 0);
            asked.insert(
                tag_wanted,
                Asked {
                    key: wanted,
                    accepted,
                    oldest,
                },
            );
        }
        if rng.random_bool(changes) {
            bench.memory.write(address(changed));
            if rng.random_bool(0.8) {
                bench.drop_line(changed);
                dropped.push(changed);
            }
        }
        let before = bench.results.seen.len();
        bench.cycle();
        let now = bench.engine.cycle() - 1;
        assert!(now < 30_000, "{answered} of {requests} answered");

        // What was accepted in this cycle.
        let both = (
            bench.requests.accepted().len(),
            bench.invalidates.accepted().len(),
        );
        assert!(
            both != (accepted + 1, drops + 1),
            "request and invalidate in one cycle"
        );
        if both.0 > accepted {
            let request = asked.get_mut(&pushed[accepted]).unwrap();
            request.accepted = Some(now);
            request.oldest = oldest.get(&address(request.key)).copied().unwrap_or(0);
            accepted += 1;
        }
        if both.1 > drops {
            let at = address(dropped[drops]);
            oldest.insert(at, bench.memory.version(at));
            drop_cycles.entry(at).or_default().push(now);
            drops += 1;
        }
        // Two reads of a line at a time only if an invalidate lies between their requests.
        for &(cycle, at) in &bench.memory.reads[reads..] {
            // With a miss port that stalls the time of the earlier request is not known.
            let drops = drop_cycles.get(&at).cloned().unwrap_or_default();
            for (earlier, other) in bench.memory.under_way() {
                let between = |drop: &u64| (gaps > 0.0 || *drop + 1 >= earlier) && *drop < cycle;
                assert!(
                    other != at || earlier == cycle || drops.iter().any(between),
                    "seed {seed}, cycle {cycle}: a second read of {at:x}"
                );
            }
        }
        reads = bench.memory.reads.len();

        for (cycle, result) in &bench.results.seen[before..] {
            let request = asked
                .remove(&tag(result))
                .expect("an answer that nobody waits for");
            let since = request.accepted.expect("an answer before the request");
            let at = address(request.key);
            let fills = bench.memory.fills.iter();
            let mut fills = fills.filter(|fill| fill.address == at && fill.cycle + 3 <= *cycle);
            answered += 1;
            if result.error.any() {
                assert!(!is_hit(result));
                assert!(fills.any(|fill| fill.error && fill.cycle >= since));
                continue;
            }
            let (from, version) = read_entry(result.entry).unwrap();
            assert_eq!(from, at, "seed {seed}, cycle {cycle}: another line's entry");
            assert!(
                version >= request.oldest,
                "seed {seed}, cycle {cycle}: version {version} is older than the invalidate, {}",
                request.oldest
            );
            let explains =
                |fill: &&crate::table_memory::Fill| !fill.error && fill.version == version;
            let mut fills = fills.filter(explains);
            let explained = if is_hit(result) {
                fills.next().is_some()
            } else {
                fills.any(|fill| fill.cycle >= since)
            };
            assert!(explained, "seed {seed}, cycle {cycle}: 'hit' is not honest");
        }
    }
    bench.run(latency + 10);
    assert_eq!(bench.results.seen.len(), requests, "one result a request");
    assert_eq!(bench.hits + bench.misses, requests as u64);
    let hits = bench
        .results
        .seen
        .iter()
        .filter(|(_, result)| is_hit(result));
    assert_eq!(bench.hits, hits.count() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_what_memory_held_at_a_legal_time(
        seed: u64,
        indices in prop_oneof![1u64..6, 10u64..100, 200u64..2000],
        latency in prop_oneof![1u64..4, 5u64..60],
        errors in prop_oneof![Just(0.0), Just(0.2)],
        gaps in prop_oneof![Just(0.0), Just(0.4)],
    ) {
        random_stream(seed, indices, latency, errors, gaps);
    }
}
