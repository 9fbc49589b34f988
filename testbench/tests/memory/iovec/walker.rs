//! `IovecWalker`: spans of random lists, and its contract in cycles.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Bench, Gaps, Pin, WordSink, WordSource, run_cycle};
use xtq_types::send::{IovecJob, IovecSpan};

use crate::iovec::engine;
use crate::iovec::list::{List, Span, TIMINGS};
use crate::iovec::memory::Memory;

struct Harness {
    engine: Box<dyn Engine>,
    jobs: WordSource,
    memory: Memory,
    spans: WordSink,
}

fn job(list: &List, offset: u64, length: u64, follows: bool) -> IovecJob {
    IovecJob {
        context: list.context.to_bits(),
        list: list.address.to_bits(),
        pieces: (list.pieces.len() as u64).to_bits(),
        offset: offset.to_bits(),
        length: length.to_bits(),
        follows: u64::from(follows).to_bits(),
    }
}

impl Harness {
    fn new(latency: std::ops::RangeInclusive<u64>, pauses: [f64; 3], seed: u64) -> Self {
        let engine = engine("iovec_walker");
        let jobs = WordSource::new(&*engine, "job", Gaps::random(pauses[0], seed)).unwrap();
        let memory = Memory::new(&*engine, latency, pauses[1], seed);
        let spans = WordSink::new(&*engine, "span", Gaps::random(pauses[2], seed + 2)).unwrap();
        Self {
            engine,
            jobs,
            memory,
            spans,
        }
    }

    fn cycle(&mut self) {
        let run = run_cycle(
            &mut *self.engine,
            &mut [&mut self.jobs, &mut self.memory, &mut self.spans],
        );
        run.unwrap_or_else(|error| panic!("{error}"));
    }

    fn run(&mut self, spans: usize, max_cycles: u64) {
        let end = self.engine.cycle() + max_cycles;
        while self.spans.received().len() < spans {
            let got = self.spans.received().len();
            assert!(self.engine.cycle() < end, "{got} of {spans} spans");
            self.cycle();
        }
        (0..30).for_each(|_| self.cycle());
    }

    /// Spans, and whether each is the last of its job.
    fn received(&self) -> Vec<(Span, bool)> {
        let spans = self.spans.values::<IovecSpan>();
        let span = |span: &IovecSpan| {
            let length = u64::from(span.length);
            let place = match span.error.any() {
                true => Err(length),
                false => Ok((u64::from(span.address), length)),
            };
            (place, span.last.any())
        };
        spans.iter().map(span).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn spans_are_those_of_a_list_walked_by_hand(seed in any::<u64>(), timing in prop::sample::select(TIMINGS.to_vec())) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (least, most, pauses) = timing;
        let mut harness = Harness::new(least..=most, pauses, seed);
        let mut expected = Vec::new();
        let mut lists = Vec::new();
        for number in 0..12u64 {
            let mut list = List::draw(&mut rng, 0x10_0000 * (number + 1));
            let bad = rng.random_bool(0.2);
            list.store(&mut harness.memory, bad, &mut rng);
            let mut offset = match rng.random_range(0..4) {
                0 => 0,
                1 => list.length() + rng.random_range(0..3),
                _ => rng.random_range(0..=list.length()),
            };
            // A job, and others that follow it while all is well.
            for follows in [false, true, true, true] {
                let length = *[1, 2, 63, 64, 100, 4096, list.length().saturating_sub(offset).max(1)]
                    .get(rng.random_range(0..7)).unwrap();
                harness.jobs.push_value(job(&list, offset, length, follows));
                let spans = list.spans(offset, length);
                let count = spans.len();
                let failed = spans.iter().any(|span| span.is_err());
                expected.extend(spans.into_iter().enumerate().map(|(i, span)| (span, i + 1 == count)));
                offset = offset.wrapping_add(length);
                if failed || rng.random_bool(0.4) {
                    break;
                }
            }
            lists.push(list);
        }
        harness.run(expected.len(), 200_000);
        prop_assert_eq!(harness.received(), expected);
        for (_, context, address, lines) in &harness.memory.bursts {
            let (first, last) = (*address, address + 64 * (lines - 1));
            prop_assert!(first % 64 == 0 && *lines <= 16 && first / 1024 == last / 1024);
            let inside = |list: &List| {
                let end = list.address + 16 * list.pieces.len() as u64;
                list.context == *context && first >= list.address & !63 && last < end
            };
            prop_assert!(lists.iter().any(inside), "{:x} lines {}", first, lines);
        }
    }
}

#[test]
fn a_cancelled_job_is_forgotten_and_the_next_is_right() {
    // Also one that is at its end, and also if the next one is offered in the cycle of `cancel`.
    let cases = (1..40).chain([400]);
    for (at, together) in cases.flat_map(|at| [(at, false), (at, true)]) {
        let mut rng = ChaCha8Rng::seed_from_u64(at);
        let mut harness = Harness::new(5..=5, [0.0; 3], at);
        let pieces = (0..40).map(|i| (0x1000 * i, 8)).collect();
        let mut list = List {
            context: 2,
            address: 0x8018,
            pieces,
            broken: None,
        };
        list.store(&mut harness.memory, false, &mut rng);
        harness.jobs.push_value(job(&list, 3, 300, false));
        let cancel = Pin::input(&*harness.engine, "cancel").unwrap();
        (0..at).for_each(|_| harness.cycle());
        cancel.set(&mut *harness.engine, 1).unwrap();
        if together {
            harness.jobs.push_value(job(&list, 10, 20, false));
        }
        harness.cycle();
        cancel.set(&mut *harness.engine, 0).unwrap();
        // One that was taken in the cycle of the end may have been given.
        let given = harness.received().len();
        if !together {
            harness.jobs.push_value(job(&list, 10, 20, false));
        }
        let expected: Vec<Span> = list.spans(10, 20);
        harness.run(given + expected.len(), 1000);
        let got: Vec<Span> = harness.received()[given..]
            .iter()
            .map(|span| span.0)
            .collect();
        assert_eq!(got, expected, "cancelled after {at}");
    }
}

#[test]
fn a_job_is_a_request_two_cycles_later_and_a_piece_takes_two_cycles() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut harness = Harness::new(1..=1, [0.0; 3], 1);
    let pieces = (0..60).map(|i| (0x1000 * i, 8)).collect();
    let mut list = List {
        context: 0,
        address: 0x8000,
        pieces,
        broken: None,
    };
    list.store(&mut harness.memory, false, &mut rng);
    harness.jobs.push_value(job(&list, 0, 480, false));
    harness.run(60, 1000);
    let accepted = harness.jobs.accepted()[0];
    let (request, _, _, lines) = harness.memory.bursts[0];
    assert_eq!((request, lines), (accepted + 2, 15));
    let cycles: Vec<u64> = harness.spans.received().iter().map(|span| span.0).collect();
    assert!(
        cycles.windows(2).all(|pair| pair[1] == pair[0] + 2),
        "{cycles:?}"
    );
}

#[test]
fn no_valid_follows_a_ready_in_the_same_cycle() {
    let mut engine = engine("iovec_walker");
    let mut memory = Memory::new(&*engine, 1..=9, 0.4, 3);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut lists = Vec::new();
    for number in 0..20 {
        let mut list = List::draw(&mut rng, 0x10_0000 * (number + 1));
        list.store(&mut memory, false, &mut rng);
        lists.push(list);
    }
    let mut bench = Bench::new(&mut *engine).unwrap();
    let input = bench.source("job", Gaps::random(0.3, 1)).unwrap();
    bench.sink("span", Gaps::random(0.5, 2)).unwrap();
    for list in &lists {
        bench.sources[input].push_value(job(list, 0, list.length() + 1, false));
    }
    bench.models.push(&mut memory);
    for _ in 0..1500 {
        bench.check_ready_paths().unwrap();
        bench.cycle().unwrap();
    }
}
