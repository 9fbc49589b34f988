//! `GatherUnit` against bytes read one by one.

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::{Engine, EngineKind, blocks};
use xtq_testbench::bus::{Bench, Gaps, WordSink, WordSource, run_cycle};
use xtq_types::send::SpanJob;

use crate::beats::{bytes, field};
use crate::gather_memory::{Burst, Memory, byte, is_bad};

/// Bytes of one message.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub context: u64,
    pub first: (u64, u64),
    pub second: (u64, u64),
}

/// A beat: bytes, last, error.
pub type Beat = (Vec<u8>, bool, bool);

impl Job {
    /// One span of context 1.
    pub fn one(address: u64, length: u64) -> Self {
        Self {
            context: 1,
            first: (address, length),
            second: (0, 0),
        }
    }

    pub fn wire(&self) -> SpanJob {
        SpanJob {
            context: self.context.to_bits(),
            first_address: self.first.0.to_bits(),
            first_length: self.first.1.to_bits(),
            second_address: self.second.0.to_bits(),
            second_length: self.second.1.to_bits(),
            more: 0.into(),
            unread: 0.into(),
        }
    }

    /// The addresses of its bytes, a list for each span.
    fn spans(&self) -> [Vec<u64>; 2] {
        [self.first, self.second]
            .map(|(address, length)| (0..length).map(|i| address.wrapping_add(i)).collect())
    }

    /// What must come out: the bytes in order, 64 a beat; bad from the first bad line on.
    pub fn beats(&self) -> Vec<Beat> {
        let addresses = self.spans().concat();
        let chunks = addresses.chunks(64);
        let (count, mut error) = (chunks.len(), false);
        let mut beats = Vec::new();
        for (i, chunk) in chunks.enumerate() {
            error |= chunk.iter().any(|address| is_bad(address & !63));
            let bytes = chunk
                .iter()
                .map(|address| byte(self.context, *address))
                .collect();
            beats.push((bytes, i + 1 == count, error));
        }
        beats
    }

    /// What must be asked for: the lines of each span, a burst until a multiple of 1 KiB comes.
    pub fn bursts(&self) -> Vec<Burst> {
        let mut bursts: Vec<Burst> = Vec::new();
        for span in self.spans() {
            let mut lines: Vec<u64> = span.iter().map(|address| address & !63).collect();
            lines.dedup();
            for (i, line) in lines.into_iter().enumerate() {
                match bursts.last_mut() {
                    Some(burst) if i > 0 && line % 1024 != 0 => burst.2 += 1,
                    _ => bursts.push((self.context, line, 1)),
                }
            }
        }
        bursts
    }
}

/// The block, its memory and its neighbours.
pub struct Harness {
    pub engine: Box<dyn Engine>,
    pub jobs: WordSource,
    pub memory: Memory,
    pub beats: WordSink,
}

/// Shares of paused cycles of jobs, requests and beats.
pub type Pauses = [f64; 3];

impl Harness {
    pub fn new(latency: std::ops::RangeInclusive<u64>, pauses: Pauses, seed: u64) -> Self {
        let mut engine = blocks::engine("gather_unit", EngineKind::Jit).expect("is a block");
        engine.reset(2).unwrap();
        let gaps = |i: usize| Gaps::random(pauses[i], seed ^ i as u64);
        let jobs = WordSource::new(&*engine, "job", gaps(0)).unwrap();
        let memory = Memory::new(&*engine, latency, gaps(1), seed).unwrap();
        let beats = WordSink::new(&*engine, "beat", gaps(2)).unwrap();
        Self {
            engine,
            jobs,
            memory,
            beats,
        }
    }

    pub fn push(&mut self, jobs: &[Job]) {
        jobs.iter().for_each(|job| self.jobs.push_value(job.wire()));
    }

    pub fn cycle(&mut self) {
        let run = run_cycle(
            &mut *self.engine,
            &mut [&mut self.jobs, &mut self.memory, &mut self.beats],
        );
        run.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Runs until this many beats have come, and some cycles more.
    pub fn run(&mut self, beats: usize, max_cycles: u64) {
        let end = self.engine.cycle() + max_cycles;
        while self.beats.received().len() < beats {
            assert!(
                self.engine.cycle() < end,
                "{} of {beats} beats",
                self.beats.received().len()
            );
            self.cycle();
        }
        for _ in 0..20 {
            self.cycle();
        }
    }

    /// The beats so far.
    pub fn received(&self) -> Vec<Beat> {
        let beat = |(_, words): &(u64, Vec<u64>)| {
            let count = field(words, 512, 7) as usize;
            let (last, error) = (field(words, 519, 1) == 1, field(words, 520, 1) == 1);
            (bytes(words)[..count.min(64)].to_vec(), last, error)
        };
        self.beats.received().iter().map(beat).collect()
    }

    /// Bursts so far.
    pub fn bursts(&self) -> Vec<Burst> {
        self.memory
            .requests
            .iter()
            .map(|(_, burst)| *burst)
            .collect()
    }
}

/// Runs jobs and compares beats and bursts.
fn check(jobs: &[Job], latency: std::ops::RangeInclusive<u64>, pauses: Pauses, seed: u64) {
    let mut harness = Harness::new(latency, pauses, seed);
    harness.push(jobs);
    let expected: Vec<Beat> = jobs.iter().flat_map(Job::beats).collect();
    harness.run(expected.len(), 100_000);
    let bursts: Vec<Burst> = jobs.iter().flat_map(Job::bursts).collect();
    assert_eq!(harness.bursts(), bursts, "seed {seed}");
    let got = harness.received();
    assert_eq!(got.len(), expected.len(), "seed {seed}");
    for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
        assert_eq!(got, expected, "seed {seed}, beat {i}");
    }
}

/// Lengths on both sides of every border.
const LENGTHS: [u64; 17] = [
    0, 1, 2, 62, 63, 64, 65, 127, 128, 129, 1023, 1025, 4095, 4096, 4097, 8192, 8197,
];

fn address(rng: &mut ChaCha8Rng) -> u64 {
    // The upper half has bad lines.
    let half = if rng.random_bool(0.2) { 1 << 63 } else { 0 };
    let near = |rng: &mut ChaCha8Rng| rng.random_range(0..140u64);
    match rng.random_range(0..6) {
        0 => rng.random::<u64>() >> 1 | half,
        1 => (rng.random::<u64>() >> 1 | half) & !63,
        2 => 0x1_0000_0400 + half - near(rng),
        3 => 0x7000 + half - near(rng),
        4 => 0u64.wrapping_sub(near(rng)),
        _ => 0u64.wrapping_sub(rng.random_range(0..9000)),
    }
}

fn length(rng: &mut ChaCha8Rng) -> u64 {
    match rng.random_range(0..4) {
        0 => *LENGTHS.choose(rng).unwrap_or(&1),
        1 => rng.random_range(0..400),
        _ => *LENGTHS[..10].choose(rng).unwrap_or(&1),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn beats_and_bursts_are_those_of_bytes_read_one_by_one(
        seed in any::<u64>(),
        latency in prop::sample::select(vec![1..=1u64, 1..=300, 200..=200]),
        pauses in prop::sample::select(vec![[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 0.8], [0.3, 0.5, 0.3]]),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut jobs = Vec::new();
        while jobs.len() < 30 {
            let context = rng.random_range(0..4);
            let first = (address(&mut rng), length(&mut rng));
            let second = (address(&mut rng), if rng.random_bool(0.4) { 0 } else { length(&mut rng) });
            if first.1 + second.1 > 0 {
                jobs.push(Job { context, first, second });
            }
        }
        check(&jobs, latency, pauses, seed);
    }
}

#[test]
fn every_length_at_a_border_in_either_span_and_both() {
    let mut jobs = Vec::new();
    for (i, first) in LENGTHS.into_iter().enumerate() {
        for (k, second) in LENGTHS.into_iter().enumerate() {
            if first + second > 0 {
                let (i, k) = (i as u64, k as u64);
                let context = (i + k) % 4;
                jobs.push(Job {
                    context,
                    first: (0x1234_5000 + 7 * i + k, first),
                    second: (0x9_0400 - 5 * k - i, second),
                });
            }
        }
    }
    check(&jobs, 1..=5, [0.0; 3], 0);
}

#[test]
fn a_line_from_every_lane_with_every_number_of_bytes() {
    let mut jobs = Vec::new();
    for start in 0..64 {
        for length in 1..=128 {
            jobs.push(Job::one(0x1_0000_03c0 + start, length));
        }
    }
    check(&jobs, 1..=1, [0.0; 3], 0);
}

#[test]
fn behind_the_last_address_comes_address_0() {
    let mut jobs = Vec::new();
    for before in [1, 63, 64, 65, 1000, 1024, 1025, 4096] {
        for behind in [1, 64, 4096] {
            let address = 0u64.wrapping_sub(before);
            let end = (0u64.wrapping_sub(30), 90);
            jobs.push(Job {
                context: 3,
                first: (address, before + behind),
                second: end,
            });
        }
    }
    check(&jobs, 1..=9, [0.0; 3], 0);
}

#[test]
fn a_bad_line_marks_its_message_from_there_on_and_no_other() {
    let bad = (0..).map(|i| (1 << 63) + 64 * i).find(|line| is_bad(*line));
    let bad = bad.expect("one in 32");
    assert!(!is_bad(bad - 64) && !is_bad(bad + 64) && !is_bad(bad + 128));
    let mut jobs = Vec::new();
    // In the first, a middle, the last line; in the first or the second span; touched by one byte at its end or its
    // beginning.
    for first in [
        (bad, 200),
        (bad - 64, 192),
        (bad - 64, 128),
        (bad - 63, 64),
        (bad + 63, 1),
        (bad + 63, 66),
    ] {
        jobs.push(Job {
            context: 0,
            first,
            second: (0x1000, 300),
        });
        jobs.push(Job {
            context: 0,
            first: (0x1000, 300),
            second: first,
        });
        jobs.push(Job {
            context: 0,
            first: (0x1000, 30),
            second: first,
        });
        jobs.push(Job::one(0x2010, 500));
    }
    let errors = |job: &Job| job.beats().iter().filter(|beat| beat.2).count();
    assert!(
        jobs.iter()
            .all(|job| (errors(job) > 0) == (job.context == 0))
    );
    check(&jobs, 1..=30, [0.0; 3], 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn jobs_with_more_are_one_message_and_what_is_unread_is_an_error_of_it(
        seed in any::<u64>(),
        latency in prop::sample::select(vec![1..=1u64, 1..=300]),
        pauses in prop::sample::select(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 0.8], [0.3, 0.5, 0.3]]),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut harness = Harness::new(latency, pauses, seed);
        // Bytes of each message, and how many of them were read; bursts.
        let (mut messages, mut bursts) = (Vec::new(), Vec::new());
        for _ in 0..25 {
            let context = rng.random_range(0..4);
            let spans = rng.random_range(1..40);
            let ends_unread = rng.random_bool(0.3);
            let (mut bytes, mut read) = (Vec::new(), usize::MAX);
            for span in 0..spans {
                let length = rng.random_range(1..150);
                // The lower half has no bad lines.
                let address = rng.random::<u64>() >> 1;
                let last = span + 1 == spans;
                let unread = last && ends_unread;
                let job = Job { context, ..Job::one(address, length) };
                harness.jobs.push_value(SpanJob {
                    more: u64::from(!last).to_bits(),
                    unread: u64::from(unread).to_bits(),
                    ..job.wire()
                });
                if unread {
                    read = bytes.len();
                } else {
                    bursts.extend(job.bursts());
                }
                bytes.extend((0..length).map(|i| byte(context, address.wrapping_add(i))));
            }
            messages.push((bytes, read));
        }
        let count = messages.iter().map(|(bytes, _)| bytes.len().div_ceil(64)).sum();
        harness.run(count, 100_000);
        prop_assert_eq!(harness.bursts(), bursts);
        let mut beats = harness.received().into_iter();
        for (bytes, read) in messages {
            let chunks = bytes.chunks(64).enumerate();
            for (number, chunk) in chunks {
                let (got, last, error) = beats.next().unwrap();
                prop_assert_eq!(got.len(), chunk.len());
                let known = read.saturating_sub(64 * number).min(chunk.len());
                prop_assert_eq!(&got[..known], &chunk[..known]);
                prop_assert_eq!(last, 64 * (number + 1) >= bytes.len());
                prop_assert_eq!(error, known < chunk.len());
            }
        }
    }
}

#[test]
fn no_valid_follows_a_ready_in_the_same_cycle() {
    let mut harness = Harness::new(1..=20, [0.0; 3], 5);
    let Harness { engine, memory, .. } = &mut harness;
    let mut bench = Bench::new(&mut **engine).unwrap();
    let input = bench.source("job", Gaps::random(0.5, 1)).unwrap();
    bench.sink("beat", Gaps::random(0.5, 2)).unwrap();
    for i in 0..40 {
        bench.sources[input].push_value(Job::one(1000 * i, 150).wire());
    }
    bench.models.push(memory);
    for _ in 0..300 {
        bench.cycle().unwrap();
        bench.check_ready_paths().unwrap();
    }
    assert_eq!(bench.sources[input].waiting(), 0);
}
