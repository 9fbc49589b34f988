//! `LookupCache`: contract tests with exact cycles, and random streams against memory.

use std::collections::HashMap;
use xtq_engine::EngineKind;
use xtq_engine::blocks;

use crate::table_memory::{Memory, Results, address_of, read_entry};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Pin, WordSource, run_cycle};
use xtq_types::pipe::{LookupRequest, LookupResult};

type Key = (u64, u64, u64); // context, kind, index

fn address(key: Key) -> u64 {
    address_of(key.0, key.1, key.2)
}

struct Bench {
    engine: Box<dyn Engine>,
    requests: WordSource,
    invalidates: WordSource,
    memory: Memory,
    results: Results,
    hits: u64,
    misses: u64,
}

impl Bench {
    fn new(request_gaps: Gaps, miss_gaps: Gaps, seed: u64) -> Self {
        let engine = blocks::engine("lookup_cache", EngineKind::Jit);
        let mut engine: Box<dyn Engine> = Box::new(engine.unwrap());
        engine.reset(2).unwrap();
        Self {
            requests: WordSource::new(&*engine, "request", request_gaps).unwrap(),
            invalidates: WordSource::new(&*engine, "invalidate", Gaps::none()).unwrap(),
            memory: Memory::new(&*engine, miss_gaps, seed).unwrap(),
            results: Results::new(&*engine).unwrap(),
            hits: 0,
            misses: 0,
            engine,
        }
    }

    fn simple() -> Self {
        Self::new(Gaps::none(), Gaps::none(), 1)
    }

    fn ask(&mut self, tag: u64, key: Key) {
        self.requests.push_value(LookupRequest {
            tag: tag.to_bits(),
            context: key.0.to_bits(),
            kind: key.1.to_bits(),
            index: key.2.to_bits(),
            address: address(key).to_bits(),
        });
    }

    fn drop_line(&mut self, key: Key) {
        self.invalidates
            .push(&[(key.0 << 18) | (key.1 << 16) | key.2]);
    }

    fn cycle(&mut self) {
        run_cycle(
            &mut *self.engine,
            &mut [
                &mut self.requests,
                &mut self.invalidates,
                &mut self.memory,
                &mut self.results,
            ],
        )
        .unwrap();
        // Registered pulses: those of the cycle that begins now.
        let high = |name| {
            Pin::output(&*self.engine, name)
                .unwrap()
                .is_high(&*self.engine)
        };
        let (hit, miss) = (high("count_hit"), high("count_miss"));
        self.hits += u64::from(hit);
        self.misses += u64::from(miss);
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Runs until `count` results were seen in all.
    fn run_to(&mut self, count: usize) {
        for _ in 0..2000 {
            if self.results.seen.len() >= count {
                return;
            }
            self.cycle();
        }
        panic!(
            "{} of {count} results after 2000 cycles",
            self.results.seen.len()
        );
    }

    /// Asks for `keys` one after the other with tag 0, then forgets what happened.
    fn warm(&mut self, keys: &[Key]) {
        for &key in keys {
            self.ask(0, key);
            self.run_to(self.results.seen.len() + 1);
        }
        self.results.seen.clear();
        self.memory.reads.clear();
        self.memory.fills.clear();
        (self.hits, self.misses) = (0, 0);
    }

    fn last_accepted(&self) -> u64 {
        *self.requests.accepted().last().unwrap()
    }
}

fn tag(result: &LookupResult) -> u64 {
    result.tag.to_u64()
}

fn is_hit(result: &LookupResult) -> bool {
    result.hit.any()
}

#[test]
fn a_hit_is_answered_two_cycles_after_it_was_accepted() {
    let mut bench = Bench::simple();
    bench.warm(&[(1, 2, 5)]);
    for tag_asked in 0..16 {
        bench.ask(tag_asked, (1, 2, 5));
        bench.run(4);
        let (cycle, result) = bench.results.seen.pop().unwrap();
        assert_eq!(cycle, bench.last_accepted() + 2);
        assert_eq!((tag(&result), is_hit(&result)), (tag_asked, true));
        assert_eq!(read_entry(result.entry), Ok((address((1, 2, 5)), 0)));
        assert!(bench.results.seen.is_empty());
    }
    assert_eq!((bench.hits, bench.misses), (16, 0));
}

#[test]
fn hits_are_answered_one_a_cycle_for_a_hundred_cycles() {
    let mut bench = Bench::simple();
    let keys: Vec<Key> = (0..8).map(|i| (i % 4, i % 3, i)).collect();
    bench.warm(&keys);
    for i in 0..100 {
        bench.ask(i % 16, keys[i as usize % 8]);
    }
    bench.run_to(100);
    let first = bench.results.seen[0].0;
    for (i, (cycle, result)) in bench.results.seen.iter().enumerate() {
        assert_eq!(*cycle, first + i as u64);
        assert_eq!((tag(result), is_hit(result)), (i as u64 % 16, true));
        let expected = address(keys[i % 8]);
        assert_eq!(read_entry(result.entry), Ok((expected, 0)));
    }
    assert_eq!(bench.hits, 100);
    assert_eq!(bench.memory.reads.len(), 0);
}

#[test]
fn hits_go_on_one_a_cycle_under_four_misses() {
    let mut bench = Bench::simple();
    bench.warm(&[(0, 0, 1), (0, 2, 1)]);
    bench.memory.held = true;
    for i in 0..4 {
        bench.ask(i, (3, 1, 100 + i));
    }
    bench.run(10);
    assert_eq!(bench.memory.under_way().len(), 4);
    for i in 0..20 {
        bench.ask(4 + i % 8, (0, 2 * (i % 2), 1));
    }
    bench.run(25);
    let cycles: Vec<u64> = bench.results.seen.iter().map(|(cycle, _)| *cycle).collect();
    assert_eq!(cycles, (cycles[0]..cycles[0] + 20).collect::<Vec<_>>());
    assert!(bench.results.seen.iter().all(|(_, result)| is_hit(result)));
    bench.memory.held = false;
    bench.run_to(24);
    assert_eq!((bench.hits, bench.misses), (20, 4));
}

#[test]
fn misses_to_one_line_share_one_read_and_all_sixteen_tags_are_answered() {
    let mut bench = Bench::simple();
    bench.memory.held = true;
    for i in 0..16 {
        bench.ask(i, (2, 0, 65_535));
    }
    bench.run(30);
    assert_eq!(bench.memory.reads.len(), 1);
    assert_eq!(bench.requests.waiting(), 0);
    bench.memory.held = false;
    bench.run_to(16);
    bench.run(10);
    let fill = bench.memory.fills[0].cycle;
    let mut tags: Vec<u64> = Vec::new();
    for (i, (cycle, result)) in bench.results.seen.iter().enumerate() {
        assert_eq!(*cycle, fill + 3 + i as u64, "one a cycle from the fill on");
        assert!(!is_hit(result) && !result.error.any());
        assert_eq!(read_entry(result.entry), Ok((address((2, 0, 65_535)), 0)));
        tags.push(tag(result));
    }
    tags.sort_unstable();
    assert_eq!(tags, (0..16).collect::<Vec<_>>());
    assert_eq!((bench.hits, bench.misses), (0, 16));
    assert_eq!(bench.memory.reads.len(), 1);
}

#[test]
fn a_miss_is_offered_two_cycles_after_it_was_accepted() {
    let mut bench = Bench::simple();
    bench.ask(7, (0, 1, 3));
    bench.run_to(1);
    assert_eq!(
        bench.memory.reads,
        [(bench.last_accepted() + 2, address((0, 1, 3)))]
    );
}

#[test]
fn a_fifth_miss_waits_and_is_served_like_those_behind_it() {
    let mut bench = Bench::simple();
    bench.warm(&[(0, 0, 9)]);
    bench.memory.held = true;
    let mut keys: Vec<Key> = (0..8).map(|i| (0, 1, 40 + i)).collect();
    keys.insert(5, (0, 0, 9)); // a hit in the cycle in which the fifth miss finds no free read
    for (i, &key) in keys.iter().enumerate() {
        bench.ask(i as u64, key);
    }
    bench.run(20);
    assert_eq!(bench.memory.reads.len(), 4);
    assert_eq!(
        bench.results.seen.len(),
        1,
        "the hit overtakes the fifth miss"
    );
    bench.memory.held = false;
    bench.run_to(9);
    bench.run(10);
    assert_eq!(bench.memory.reads.len(), 8);
    for (_, result) in &bench.results.seen {
        let key = keys[tag(result) as usize];
        assert_eq!(read_entry(result.entry), Ok((address(key), 0)));
        assert_eq!(is_hit(result), key == (0, 0, 9));
    }
    assert_eq!((bench.hits, bench.misses), (1, 8));
}

#[test]
fn sixty_four_lines_fit_and_a_fifth_in_a_set_replaces_the_oldest() {
    let mut bench = Bench::simple();
    let keys: Vec<Key> = (0..64).map(|i| (1, 0, i)).collect();
    bench.warm(&keys);
    for &key in &keys {
        bench.ask(3, key);
        bench.run(4);
    }
    assert_eq!((bench.hits, bench.misses), (64, 0));
    // Index 64 lies in the set of 0, 16, 32, 48; 0 came first.
    bench.warm(&[(1, 0, 64)]);
    for (index, hit) in [(16, true), (32, true), (48, true), (64, true), (0, false)] {
        bench.ask(3, (1, 0, index));
        bench.run_to(1);
        assert_eq!(
            is_hit(&bench.results.seen.pop().unwrap().1),
            hit,
            "index {index}"
        );
    }
}

#[test]
fn a_free_way_is_used_before_a_line_is_replaced_and_costs_no_turn() {
    let mut bench = Bench::simple();
    bench.warm(&[0, 16, 32, 48].map(|index| (1, 0, index)));
    bench.drop_line((1, 0, 16));
    bench.run(3);
    bench.warm(&[80, 64].map(|index| (1, 0, index))); // 80 takes the place of 16, 64 that of 0
    for index in [80, 32, 48, 64] {
        bench.ask(3, (1, 0, index));
        bench.run(4);
    }
    assert_eq!((bench.hits, bench.misses), (4, 0));
}

#[test]
fn a_failed_read_is_an_error_for_all_who_wait_and_is_not_kept() {
    let mut bench = Bench::simple();
    bench.memory.errors = 1.0;
    bench.memory.latency = (10, 10);
    for i in 0..3 {
        bench.ask(i, (0, 2, 8));
    }
    bench.run_to(3);
    assert!(
        bench
            .results
            .seen
            .iter()
            .all(|(_, r)| r.error.any() && !is_hit(r))
    );
    bench.memory.errors = 0.0;
    bench.ask(0, (0, 2, 8));
    bench.run_to(4);
    let (_, result) = bench.results.seen[3];
    assert!(!result.error.any() && !is_hit(&result));
    assert_eq!(bench.memory.reads.len(), 2);
}

#[test]
fn after_an_invalidate_the_line_is_read_again() {
    let mut bench = Bench::simple();
    let key = (3, 2, 77);
    bench.warm(&[key]);
    bench.memory.write(address(key));
    bench.drop_line(key);
    bench.ask(5, key); // accepted one cycle after the invalidate
    bench.run_to(1);
    assert_eq!(bench.invalidates.accepted()[0] + 1, bench.last_accepted());
    let (_, result) = bench.results.seen[0];
    assert!(!is_hit(&result));
    assert_eq!(read_entry(result.entry), Ok((address(key), 1)));
}

#[test]
fn an_invalidate_touches_no_other_line() {
    let mut bench = Bench::simple();
    bench.warm(&[(0, 0, 5), (0, 2, 5), (1, 0, 5), (0, 0, 21)]);
    bench.drop_line((0, 0, 5));
    bench.drop_line((2, 0, 5));
    bench.run(3);
    for key in [(0, 2, 5), (1, 0, 5), (0, 0, 21)] {
        bench.ask(0, key);
        bench.run(4);
    }
    assert_eq!((bench.hits, bench.misses), (3, 0));
}

#[test]
fn a_fetch_under_way_at_an_invalidate_is_answered_but_neither_kept_nor_shared() {
    let mut bench = Bench::simple();
    let key = (0, 0, 4);
    bench.memory.held = true;
    bench.ask(0, key);
    bench.run(6);
    bench.drop_line(key);
    bench.run(3);
    bench.ask(1, key);
    bench.ask(2, key);
    bench.run(6);
    assert_eq!(
        bench.memory.reads.len(),
        2,
        "tag 1 must not join the stale read"
    );
    bench.drop_line(key);
    bench.run(3);
    bench.memory.held = false;
    bench.run_to(3);
    bench.memory.reads.clear();
    bench.ask(3, key);
    bench.run_to(4);
    assert!(
        !is_hit(&bench.results.seen[3].1),
        "neither fetch may be kept"
    );
    assert_eq!(bench.memory.reads.len(), 1);
}

#[test]
fn reset_forgets_all_lines() {
    let mut bench = Bench::simple();
    let keys: Vec<Key> = (0..64).map(|i| (0, 0, i)).collect();
    bench.warm(&keys);
    bench.engine.reset(1).unwrap();
    for key in keys {
        bench.ask(0, key);
        bench.run_to(bench.results.seen.len() + 1);
    }
    assert_eq!((bench.hits, bench.misses), (0, 64));
}

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
