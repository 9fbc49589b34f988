//! `WritePort` against a memory that checks the protocol, its contract in cycles, and its Verilog.

use proptest::prelude::*;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{
    Access, AxiMemory, Bench, BenchError, ErrorResponse, Fault, Gaps, MemoryTiming, Model,
    PulseMonitor, Stalls, WordSource, run_cycle,
};
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_types::Wire;
use xtq_types::memory::WriteRequest;

/// Requesters in the order of their priority, with their AXI ids.
const REQUESTERS: [(&str, u8); 8] = [
    ("doorbell", 3),
    ("header", 2),
    ("repair", 6),
    ("atomic", 5),
    ("enqueue", 1),
    ("event_write", 4),
    ("table_entry", 7),
    ("payload", 0),
];
const DOORBELL: usize = 0;
const HEADER: usize = 1;
const ATOMIC: usize = 3;
const PAYLOAD: usize = 7;

fn engine() -> Box<dyn Engine> {
    blocks::engine("write_port", EngineKind::Jit).unwrap()
}

/// A burst and its bytes: `strobes` and `data` of each beat.
#[derive(Clone, Debug)]
struct Burst {
    context: u8,
    address: u64,
    atomic: bool,
    beats: Vec<(u64, [u8; 64])>,
}

impl Burst {
    /// One full beat whose bytes are all `value`.
    fn line(address: u64, value: u8) -> Self {
        Self {
            context: 0,
            address,
            atomic: false,
            beats: vec![(u64::MAX, [value; 64])],
        }
    }

    fn requests(&self) -> impl Iterator<Item = WriteRequest> {
        let count = self.beats.len();
        self.beats
            .iter()
            .enumerate()
            .map(move |(beat, (strobe, data))| {
                let words: Vec<u64> = data
                    .chunks_exact(8)
                    .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
                    .collect();
                WriteRequest {
                    first: u64::from(beat == 0).to_bits(),
                    last: u64::from(beat + 1 == count).to_bits(),
                    atomic: u64::from(self.atomic).to_bits(),
                    context: u64::from(self.context).to_bits(),
                    length: (count as u64 - 1).to_bits(),
                    address: self.address.to_bits(),
                    strobe: strobe.to_bits(),
                    data: Bits::from_words(&words),
                }
            })
    }
}

/// The port, a source and a monitor for each requester, and a memory.
struct Harness<E> {
    engine: E,
    sources: Vec<WordSource>,
    done: Vec<PulseMonitor>,
    memory: AxiMemory,
}

fn harness(pause: f64, seed: u64, timing: MemoryTiming) -> Harness<impl Engine> {
    let mut engine = engine();
    engine.reset(2).unwrap();
    let sources = REQUESTERS.iter().map(|(name, id)| {
        WordSource::new(&engine, name, Gaps::random(pause, seed + u64::from(*id))).unwrap()
    });
    let done = REQUESTERS.iter().map(|(name, _)| {
        let error = format!("{name}_error");
        PulseMonitor::new(&engine, &format!("{name}_done"), &[&error]).unwrap()
    });
    let (sources, done) = (sources.collect(), done.collect());
    let memory = AxiMemory::new(&engine, "", timing).unwrap();
    Harness {
        engine,
        sources,
        done,
        memory,
    }
}

impl<E: Engine> Harness<E> {
    fn push(&mut self, requester: usize, burst: &Burst) {
        for request in burst.requests() {
            self.sources[requester].push_value(request);
        }
    }

    fn cycle(&mut self) -> Result<(), BenchError> {
        let sources = self.sources.iter_mut().map(|model| model as &mut dyn Model);
        let mut models: Vec<&mut dyn Model> = sources.collect();
        models.extend(self.done.iter_mut().map(|model| model as &mut dyn Model));
        models.push(&mut self.memory);
        run_cycle(&mut self.engine, &mut models)
    }

    fn cycles(&mut self, count: usize) {
        for _ in 0..count {
            self.cycle().unwrap();
        }
    }

    /// Errors of the pulses of a requester, in order.
    fn errors(&self, requester: usize) -> Vec<bool> {
        let pulses = self.done[requester].seen();
        pulses.iter().map(|(_, error)| error[0] == 1).collect()
    }

    /// Requester of each beat answered, in the order of the W channel.
    fn beat_order(&self) -> Vec<u8> {
        let mut log: Vec<_> = self.memory.log().to_vec();
        log.sort_by_key(|record| record.w_cycle);
        log.iter().map(|record| record.id).collect()
    }
}

/// A burst of requester `requester` in a part of the memory of its own.
fn random_burst(requester: usize, number: u64, rng: &mut ChaCha8Rng) -> Burst {
    let page = ((requester as u64 + 1) << 32) + number % 3 * 4096;
    let first = rng.random_range(0..64);
    let count = match rng.random_range(0..4) {
        0 => rng.random_range(1..=64 - first),
        1 => (64 - first).min(4),
        _ => 1,
    };
    let mut data = || {
        let mut bytes = [0; 64];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    let beats: Vec<_> = (0..count).map(|_| data()).collect();
    let beats = beats.into_iter().map(|data| (rng.next_u64(), data));
    Burst {
        beats: beats.collect(),
        context: (number % 4) as u8,
        address: page + first * 64,
        atomic: false,
    }
}

/// What the burst does to the memories of the contexts.
fn perform(burst: &Burst, memories: &mut [SparseMemory]) {
    for (beat, (strobes, data)) in burst.beats.iter().enumerate() {
        for lane in (0..64).filter(|lane| strobes >> lane & 1 == 1) {
            let address = burst.address + (64 * beat + lane) as u64;
            memories[usize::from(burst.context)].write(address, &data[lane..lane + 1]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn memory_and_errors_are_those_of_bursts_done_one_by_one(seed in any::<u32>(), pause in prop::sample::select(vec![0.0, 0.3, 0.9])) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut harness = harness(pause, seed.into(), MemoryTiming::random(seed.into()));
        let mut expected = vec![SparseMemory::new(); 4];
        let mut failures: Vec<Vec<bool>> = vec![Vec::new(); REQUESTERS.len()];
        // Line 20 of every page fails, so that bursts fail whole and by chance.
        for requester in 0..REQUESTERS.len() as u64 {
            for page in 0..3u64 {
                let first = ((requester + 1) << 32) + page * 4096 + 20 * 64;
                harness.memory.inject(Fault {
                    context: None,
                    addresses: first..=first + 63,
                    access: Access::Write,
                    response: if page == 0 { ErrorResponse::SlaveError } else { ErrorResponse::DecodeError },
                    code: 3,
                    count: None,
                });
            }
        }
        for (requester, failures) in failures.iter_mut().enumerate() {
            for number in 0..12 {
                if requester == ATOMIC {
                    continue;
                }
                let burst = random_burst(requester, number, &mut rng);
                harness.push(requester, &burst);
                let first = burst.address / 64 % 64;
                let fails = (first..first + burst.beats.len() as u64).contains(&20);
                if !fails {
                    perform(&burst, &mut expected);
                }
                failures.push(fails);
            }
        }
        for _ in 0..60_000 {
            if (0..REQUESTERS.len()).all(|r| harness.done[r].seen().len() == failures[r].len()) {
                break;
            }
            harness.cycle()?;
        }
        for (requester, failures) in failures.iter().enumerate() {
            prop_assert_eq!(&harness.errors(requester), failures, "{}", REQUESTERS[requester].0);
        }
        for (context, expected) in expected.iter().enumerate() {
            prop_assert_eq!(harness.memory.memory(context as u8), expected, "context {}", context);
        }
        harness.memory.checker().finish(0)?;
    }
}

#[test]
fn single_beat_bursts_pass_one_a_cycle_and_are_on_the_pins_in_the_next() {
    let mut harness = harness(0.0, 0, MemoryTiming::ideal());
    for number in 0..100 {
        harness.push(PAYLOAD, &Burst::line(64 * number, 1));
    }
    harness.cycles(104);
    let accepted = harness.sources[PAYLOAD].accepted();
    assert_eq!(accepted.last().unwrap() - accepted[0], 99);
    let log = harness.memory.log();
    assert_eq!(log.len(), 100);
    for ((record, accepted), (pulse, _)) in
        log.iter().zip(accepted).zip(harness.done[PAYLOAD].seen())
    {
        assert_eq!(
            (record.aw_cycle, record.w_cycle),
            (accepted + 1, accepted + 1)
        );
        assert_eq!(*pulse, record.b_cycle + 1);
    }
}

#[test]
fn the_most_urgent_requester_goes_first() {
    let mut harness = harness(0.0, 0, MemoryTiming::ideal());
    for requester in 0..REQUESTERS.len() {
        let mut burst = Burst::line(4096 * requester as u64, 7);
        if requester == ATOMIC {
            burst.atomic = true;
            burst.beats[0].0 = 0xffff;
        }
        harness.push(requester, &burst);
    }
    harness.cycles(14);
    assert_eq!(harness.beat_order(), REQUESTERS.map(|(_, id)| id));
}

#[test]
fn a_burst_is_not_interrupted_and_the_urgent_one_follows_at_once() {
    let mut harness = harness(0.0, 0, MemoryTiming::ideal());
    let mut long = Burst::line(0, 1);
    long.beats = vec![(u64::MAX, [3; 64]); 64];
    harness.push(PAYLOAD, &long);
    harness.push(PAYLOAD, &long);
    harness.cycles(3);
    harness.push(DOORBELL, &Burst::line(8192, 2));
    harness.push(HEADER, &Burst::line(8256, 2));
    harness.cycles(140);
    let mut expected = vec![0; 64];
    expected.extend([3, 2]);
    expected.extend([0; 64]);
    assert_eq!(harness.beat_order(), expected);
    let mut cycles: Vec<u64> = harness.memory.log().iter().map(|r| r.w_cycle).collect();
    cycles.sort();
    assert_eq!(cycles.last().unwrap() - cycles[0], 129, "no bubbles");
}

/// Beats of 20 single-beat bursts on AW and W when one of the channels never takes anything.
fn beats_passed_with(stalls: Stalls) -> (u64, u64) {
    let timing = MemoryTiming {
        stalls,
        ..MemoryTiming::ideal()
    };
    let mut harness = harness(0.0, 0, timing);
    for number in 0..20 {
        harness.push(PAYLOAD, &Burst::line(64 * number, 1));
    }
    harness.cycles(60);
    let counts = harness.memory.checker().counts();
    (counts.aw, counts.w)
}

#[test]
fn a_stalled_address_channel_lets_the_data_of_sixteen_bursts_pass() {
    let stalls = Stalls {
        aw: 1.0,
        ..Stalls::default()
    };
    assert_eq!(beats_passed_with(stalls), (0, 16));
}

#[test]
fn a_stalled_data_channel_lets_the_addresses_of_two_bursts_pass() {
    let stalls = Stalls {
        w: 1.0,
        ..Stalls::default()
    };
    assert_eq!(beats_passed_with(stalls), (2, 0));
}

#[test]
fn two_hundred_responses_in_a_row_give_as_many_pulses() {
    // B of all bursts are held back by the latency and then come every cycle.
    let mut harness = harness(0.0, 0, MemoryTiming::fixed_write(200));
    for number in 0..50 {
        for requester in (0..REQUESTERS.len()).filter(|requester| *requester != ATOMIC) {
            harness.push(
                requester,
                &Burst::line(64 * number + 8192 * requester as u64, 1),
            );
        }
    }
    harness.cycles(600);
    for requester in (0..REQUESTERS.len()).filter(|requester| *requester != ATOMIC) {
        assert_eq!(harness.errors(requester), [false; 50]);
    }
}

#[test]
fn an_atomic_compares_the_half_of_its_address_and_writes_the_other() {
    for (address, found, written) in [(0x1000, 5, 9), (0x1008, 5, 9), (0x1038, 6, 6)] {
        let mut harness = harness(0.0, 0, MemoryTiming::ideal());
        harness.memory.memory_mut(2).write_u64(address, found);
        let lane = address as usize % 64;
        let mut data = [0; 64];
        data[lane] = 5;
        data[lane ^ 8] = 9;
        let burst = Burst {
            context: 2,
            address,
            atomic: true,
            beats: vec![(0xffff << (lane & !15), data)],
        };
        harness.push(ATOMIC, &burst);
        harness.cycles(10);
        assert_eq!(harness.errors(ATOMIC), [false]);
        assert_eq!(harness.memory.memory(2).read_u64(address), written);
    }
}

#[test]
fn no_valid_follows_a_ready_within_the_cycle() {
    let mut engine = engine();
    let mut memory = AxiMemory::new(&engine, "", MemoryTiming::random(11)).unwrap();
    let mut bench = Bench::new(&mut engine).unwrap();
    for (name, id) in REQUESTERS {
        let source = bench.source(name, Gaps::random(0.4, id.into())).unwrap();
        for number in 0..20 {
            for request in Burst::line(64 * number, id).requests() {
                bench.sources[source].push_value(request);
            }
        }
    }
    bench.models.push(&mut memory);
    for _ in 0..150 {
        bench.check_ready_paths().unwrap();
        bench.cycle().unwrap();
    }
}
