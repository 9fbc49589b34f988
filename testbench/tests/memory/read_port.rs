//! `ReadPort` against a memory that checks the protocol, its contract in cycles, and its Verilog.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{
    Access, AxiMemory, Bench, BenchError, ErrorResponse, Fault, Gaps, MemoryTiming, Model, Pin,
    PulseMonitor, Stalls, WordSource, run_cycle,
};
use xtq_testbench::bytes::Bytes;
use xtq_types::Wire;
use xtq_types::memory::{BurstRequest, BurstResult, ReadRequest, ReadResult};

/// Requesters in the order of their bits in the arbiter.
const REQUESTERS: [&str; 3] = ["cache", "admission", "enqueue"];
/// Those that ask for bursts, after them.
const BURSTS: [&str; 8] = [
    "gather",
    "command",
    "update",
    "sum_list",
    "gather_list",
    "scatter_list",
    "reply_gather",
    "reply_list",
];
const CACHE: usize = 0;
const ADMISSION: usize = 1;

fn engine() -> impl Engine {
    blocks::engine("read_port", EngineKind::Jit).unwrap()
}

/// The 64-bit word that the test memory holds at `address` (a multiple of 8) of `context`.
fn word_at(context: u8, address: u64) -> u64 {
    (address ^ u64::from(context) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[derive(Clone, Copy, Debug)]
struct Read {
    context: u8,
    address: u64,
    size: u8,
    tag: u8,
}

impl Read {
    fn request(self) -> ReadRequest {
        ReadRequest {
            address: self.address.to_bits(),
            context: u64::from(self.context).to_bits(),
            size: u64::from(self.size).to_bits(),
            tag: u64::from(self.tag).to_bits(),
        }
    }

    /// Whether `result` is what a memory with a hole from `FAULTY` on gives.
    fn is_answered_by(self, result: &ReadResult) -> bool {
        let fails = (FAULTY..FAULTY + 0x1000).contains(&self.address);
        if result.tag != u64::from(self.tag).to_bits() || result.error.any() != fails {
            return false;
        }
        let mut words = [0; 8];
        result.data.to_words(&mut words);
        let (line, count) = (self.address & !63, 1 << (self.size - 3));
        let first = (self.address % 64 / 8) as usize;
        fails
            || (first..first + count)
                .all(|word| words[word] == word_at(self.context, line + 8 * word as u64))
    }
}

/// A burst of lines.
#[derive(Clone, Copy, Debug)]
struct Burst {
    context: u8,
    address: u64,
    lines: u64,
}

impl Burst {
    fn request(self) -> BurstRequest {
        BurstRequest {
            address: self.address.to_bits(),
            context: u64::from(self.context).to_bits(),
            length: (self.lines - 1).to_bits(),
        }
    }

    /// A burst within 4 KiB.
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let first = rng.random_range(0..0x100_u64);
        Self {
            context: rng.random_range(0..4),
            address: first * 64,
            lines: rng.random_range(1..=(64 - first % 64).min(20)),
        }
    }

    /// Whether `results` begin with its lines; gives the rest.
    fn answered_by(self, results: &[BurstResult]) -> Option<&[BurstResult]> {
        let (own, rest) = results.split_at_checked(self.lines as usize)?;
        let right = own.iter().enumerate().all(|(i, result)| {
            let line = self.address + 64 * i as u64;
            let fails = (FAULTY..FAULTY + 0x1000).contains(&self.address);
            let mut words = [0; 8];
            result.data.to_words(&mut words);
            let last = i + 1 == own.len();
            let bytes =
                (0..8).all(|word| words[word] == word_at(self.context, line + 8 * word as u64));
            result.last.any() == last && result.error.any() == fails && (fails || bytes)
        });
        right.then_some(rest)
    }
}

/// Page that answers SLVERR.
const FAULTY: u64 = 0x3000;

struct Harness<E> {
    engine: E,
    sources: Vec<WordSource>,
    results: Vec<PulseMonitor>,
    burst_sources: Vec<WordSource>,
    burst_results: Vec<PulseMonitor>,
    memory: AxiMemory,
}

fn harness(pause: f64, seed: u64, timing: MemoryTiming) -> Harness<impl Engine> {
    let mut engine = engine();
    engine.reset(2).unwrap();
    let sources = REQUESTERS.iter().zip(seed..).map(|(name, seed)| {
        WordSource::new(
            &engine,
            &format!("{name}_request"),
            Gaps::random(pause, seed),
        )
        .unwrap()
    });
    let results = REQUESTERS.iter().map(|name| {
        let result = format!("{name}_result");
        PulseMonitor::new(&engine, &format!("{result}_valid"), &[&result]).unwrap()
    });
    let (sources, results) = (sources.collect(), results.collect());
    let burst_sources = BURSTS.iter().zip(seed + 10..).map(|(name, seed)| {
        let gaps = Gaps::random(pause, seed);
        WordSource::new(&engine, &format!("{name}_request"), gaps).unwrap()
    });
    let burst_results = BURSTS.iter().map(|name| {
        let result = format!("{name}_result");
        PulseMonitor::new(&engine, &format!("{result}_valid"), &[&result]).unwrap()
    });
    let (burst_sources, burst_results) = (burst_sources.collect(), burst_results.collect());
    let mut memory = AxiMemory::new(&engine, "", timing).unwrap();
    for context in 0..4 {
        for address in (0..0x4000).step_by(8) {
            let word = word_at(context, address);
            memory.memory_mut(context).write_u64(address, word);
        }
    }
    memory.inject(Fault {
        context: None,
        addresses: FAULTY..=FAULTY + 0xfff,
        access: Access::Read,
        response: ErrorResponse::SlaveError,
        code: 5,
        count: None,
    });
    Harness {
        engine,
        sources,
        results,
        burst_sources,
        burst_results,
        memory,
    }
}

impl<E: Engine> Harness<E> {
    fn push(&mut self, requester: usize, read: Read) {
        self.sources[requester].push_value(read.request());
    }

    fn cycle(&mut self) -> Result<(), BenchError> {
        let sources = self.sources.iter_mut().map(|model| model as &mut dyn Model);
        let mut models: Vec<&mut dyn Model> = sources.collect();
        models.extend(self.results.iter_mut().map(|model| model as &mut dyn Model));
        let bursts = self.burst_sources.iter_mut();
        models.extend(bursts.map(|model| model as &mut dyn Model));
        let bursts = self.burst_results.iter_mut();
        models.extend(bursts.map(|model| model as &mut dyn Model));
        models.push(&mut self.memory);
        run_cycle(&mut self.engine, &mut models)
    }

    fn cycles(&mut self, count: usize) {
        for _ in 0..count {
            self.cycle().unwrap();
        }
    }

    fn results(&self, requester: usize) -> Vec<ReadResult> {
        let pulses = self.results[requester].seen();
        pulses
            .iter()
            .map(|(_, words)| ReadResult::from_words(words))
            .collect()
    }
}

fn random_read(rng: &mut ChaCha8Rng, tag: u8) -> Read {
    let size = if rng.random() { 3 } else { 6 };
    Read {
        context: rng.random_range(0..4),
        address: rng.random_range(0..0x4000_u64) >> size << size,
        size,
        tag,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_read_is_answered_with_its_bytes_its_tag_and_its_error(seed in any::<u32>(), pause in prop::sample::select(vec![0.0, 0.3, 0.9])) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut harness = harness(pause, seed.into(), MemoryTiming::random(seed.into()));
        let mut asked = vec![Vec::new(); REQUESTERS.len()];
        for (requester, asked) in asked.iter_mut().enumerate() {
            for _ in 0..40 {
                let tag = rng.random_range(0..4);
                let read = random_read(&mut rng, tag);
                harness.push(requester, read);
                asked.push(read);
            }
        }
        let mut bursts = vec![Vec::new(); BURSTS.len()];
        for (source, asked) in harness.burst_sources.iter_mut().zip(&mut bursts) {
            for _ in 0..20 {
                let burst = Burst::random(&mut rng);
                source.push_value(burst.request());
                asked.push(burst);
            }
        }
        let lines: Vec<u64> = bursts.iter().map(|asked| asked.iter().map(|b| b.lines).sum()).collect();
        for _ in 0..60_000 {
            let single = harness.results.iter().all(|results| results.seen().len() == 40);
            let mut burst = harness.burst_results.iter().zip(&lines);
            if single && burst.all(|(results, lines)| results.seen().len() as u64 == *lines) {
                break;
            }
            harness.cycle()?;
        }
        // Of the cache, the answers of one tag are in order; of the others, all are.
        for tag in 0..4 {
            let asked: Vec<_> = asked[CACHE].iter().filter(|read| read.tag == tag).collect();
            let results = harness.results(CACHE);
            let results: Vec<_> = results.iter().filter(|r| r.tag == u64::from(tag).to_bits()).collect();
            prop_assert_eq!(asked.len(), results.len());
            for (read, result) in asked.into_iter().zip(results) {
                prop_assert!(read.is_answered_by(result), "cache: {:x?}", read);
            }
        }
        for requester in ADMISSION..REQUESTERS.len() {
            let results = harness.results(requester);
            prop_assert_eq!(results.len(), 40);
            for (read, result) in asked[requester].iter().zip(&results) {
                prop_assert!(read.is_answered_by(result), "{}: {:x?}", REQUESTERS[requester], read);
            }
        }
        for (requester, asked) in bursts.iter().enumerate() {
            let pulses = harness.burst_results[requester].seen().iter();
            let results: Vec<_> = pulses.map(|(_, words)| BurstResult::from_words(words)).collect();
            let mut rest = &results[..];
            for burst in asked {
                let left = burst.answered_by(rest);
                prop_assert!(left.is_some(), "{}: {:x?}", BURSTS[requester], burst);
                rest = left.unwrap_or_default();
            }
            prop_assert!(rest.is_empty());
        }
        harness.memory.checker().finish(0)?;
    }
}

#[test]
fn a_request_is_on_the_pins_in_the_next_cycle_and_data_are_a_pulse_in_the_next() {
    let mut harness = harness(0.0, 0, MemoryTiming::ideal());
    for number in 0..20 {
        harness.push(
            CACHE,
            Read {
                context: 1,
                address: 64 * number,
                size: 6,
                tag: (number % 4) as u8,
            },
        );
    }
    harness.cycles(26);
    let accepted = harness.sources[CACHE].accepted();
    assert_eq!(accepted[19] - accepted[0], 19, "one a cycle");
    // Accepted in n, AR in n + 1, R in n + 2 (ideal memory), pulse in n + 3.
    let pulses: Vec<u64> = harness.results[CACHE].seen().iter().map(|p| p.0).collect();
    let expected: Vec<u64> = accepted.iter().map(|cycle| cycle + 3).collect();
    assert_eq!(pulses, expected);
}

#[test]
fn three_requesters_that_always_ask_take_turns() {
    let mut harness = harness(0.0, 0, MemoryTiming::ideal());
    for number in 0..10 {
        for requester in 0..3 {
            harness.push(
                requester,
                Read {
                    context: 0,
                    address: 64 * number,
                    size: 6,
                    tag: 0,
                },
            );
        }
    }
    harness.cycles(40);
    let first = harness.sources[CACHE].accepted()[0];
    for (requester, source) in harness.sources.iter().enumerate() {
        let turns: Vec<u64> = (0..10)
            .map(|turn| first + 3 * turn + requester as u64)
            .collect();
        assert_eq!(source.accepted(), turns, "{}", REQUESTERS[requester]);
    }
}

#[test]
fn sixteen_reads_of_one_id_may_wait_and_do_not_block_the_others() {
    let timing = MemoryTiming {
        read_latency: 100..=100,
        ..MemoryTiming::ideal()
    };
    let mut harness = harness(0.0, 0, timing);
    let read = Read {
        context: 0,
        address: 8,
        size: 3,
        tag: 2,
    };
    for _ in 0..20 {
        harness.push(ADMISSION, read);
    }
    harness.cycles(30);
    assert_eq!(harness.sources[ADMISSION].accepted().len(), 16);
    harness.push(CACHE, read);
    harness.cycles(2);
    assert_eq!(harness.sources[CACHE].accepted().len(), 1);
    harness.cycles(250);
    assert_eq!(harness.results(ADMISSION).len(), 20);
}

#[test]
fn a_stalled_address_channel_holds_two_requests() {
    let timing = MemoryTiming {
        stalls: Stalls {
            ar: 1.0,
            ..Stalls::default()
        },
        ..MemoryTiming::ideal()
    };
    let mut harness = harness(0.0, 0, timing);
    let read = Read {
        context: 0,
        address: 0,
        size: 6,
        tag: 1,
    };
    for _ in 0..5 {
        harness.push(CACHE, read);
    }
    harness.cycles(20);
    assert_eq!(harness.sources[CACHE].accepted().len(), 2);
}

#[test]
fn data_are_given_to_the_requester_of_their_id_and_to_no_other() {
    let mut engine = engine();
    engine.reset(2).unwrap();
    let pin = |engine: &dyn Engine, name: &str| Pin::any(engine, name).unwrap();
    for id in 0..16 {
        for (name, value) in [("r_valid", 1), ("r_id", id), ("r_resp", id % 4)] {
            let pin = pin(&engine, name);
            pin.set(&mut engine, value).unwrap();
        }
        let data = pin(&engine, "r_data");
        data.set_words(&mut engine, &[id + 70; 8]).unwrap();
        engine.step().unwrap();
        let pin_valid = pin(&engine, "r_valid");
        pin_valid.set(&mut engine, 0).unwrap();
        engine.eval().unwrap();
        for (name, own) in [
            ("gather", 14),
            ("command", 15),
            ("update", 7),
            ("reply_gather", 3),
            ("reply_list", 4),
        ] {
            let valid = pin(&engine, &format!("{name}_result_valid"));
            assert_eq!(valid.is_high(&engine), id == own, "id {id}, {name}");
        }
        let expected = [(8..12).contains(&id), id == 12, id == 13, id == 5];
        let names = ["cache", "admission", "enqueue", "atomic"];
        for (name, expected) in names.into_iter().zip(expected) {
            let valid = pin(&engine, &format!("{name}_result_valid"));
            assert_eq!(valid.is_high(&engine), expected, "id {id}, {name}");
            let result = pin(&engine, &format!("{name}_result")).get_words(&engine);
            let result = ReadResult::from_words(&result);
            if expected {
                assert_eq!(result.error.any(), id % 4 >= 2, "id {id}");
                assert_eq!(result.data, Bits::from_words(&[id + 70; 8]), "id {id}");
            }
        }
        engine.step().unwrap();
    }
}

#[test]
fn no_valid_follows_a_ready_within_the_cycle() {
    let mut engine = engine();
    let mut memory = AxiMemory::new(&engine, "", MemoryTiming::random(3)).unwrap();
    let mut bench = Bench::new(&mut engine).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (name, seed) in REQUESTERS.iter().zip(1..) {
        let gaps = Gaps::random(0.4, seed);
        let source = bench.source(&format!("{name}_request"), gaps).unwrap();
        for tag in 0..20 {
            let read = random_read(&mut rng, tag % 4);
            bench.sources[source].push_value(read.request());
        }
    }
    bench.models.push(&mut memory);
    for _ in 0..150 {
        bench.check_ready_paths().unwrap();
        bench.cycle().unwrap();
    }
}
