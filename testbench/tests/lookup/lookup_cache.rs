//! `LookupCache`: contract tests with exact cycles, and random streams against memory.

mod random;

use xtq_engine::EngineKind;
use xtq_engine::blocks;

use crate::table_memory::{Memory, Results, address_of, read_entry};
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
