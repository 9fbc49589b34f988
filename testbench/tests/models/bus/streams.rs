//! Word streams, pulses, packet streams and the bench.

use std::collections::VecDeque;

use proptest::prelude::*;
use xtq_engine::{Engine, Port, PortId, Result, Snapshot};
use xtq_testbench::bus::{
    Bench, BenchError, Gaps, Model, StreamChecker, StreamDriver, StreamMonitor, Violation,
    WordChecker, WordSink, WordSource, run_cycle,
};

use crate::bus::scripted::ScriptedEngine;

/// A queue of `depth` words between stream `a` and stream `b`; with `leak`, `b_valid` also waits for `b_ready`.
struct Queue {
    pins: ScriptedEngine,
    words: VecDeque<Vec<u64>>,
    depth: usize,
    leak: bool,
}

impl Queue {
    fn new(width: usize, depth: usize, leak: bool) -> Self {
        let inputs = [("a", width), ("a_valid", 1), ("b_ready", 1)];
        let outputs = [("b", width), ("b_valid", 1), ("a_ready", 1)];
        Self {
            pins: ScriptedEngine::new(&inputs, &outputs),
            words: VecDeque::new(),
            depth,
            leak,
        }
    }
}

impl Engine for Queue {
    fn name(&self) -> &'static str {
        "queue"
    }
    fn ports(&self) -> &[Port] {
        self.pins.ports()
    }
    fn port(&self, name: &str) -> Result<PortId> {
        self.pins.port(name)
    }
    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()> {
        self.pins.set(port, words)
    }
    fn get(&self, port: PortId, words: &mut [u64]) {
        self.pins.get(port, words);
    }
    fn eval(&mut self) -> Result<()> {
        let ready = self.pins.word("b_ready") == 1;
        let valid = !self.words.is_empty() && (ready || !self.leak);
        self.pins.put("b_valid", &[valid.into()]);
        self.pins
            .put("a_ready", &[(self.words.len() < self.depth).into()]);
        let front = self.words.front().cloned().unwrap_or_default();
        self.pins.put("b", &front);
        Ok(())
    }
    fn step(&mut self) -> Result<()> {
        self.eval()?;
        if self.pins.word("b_valid") == 1 && self.pins.word("b_ready") == 1 {
            self.words.pop_front();
        }
        if self.pins.word("a_valid") == 1 && self.pins.word("a_ready") == 1 {
            self.words.push_back(self.pins.words("a"));
        }
        self.pins.step()
    }
    fn reset(&mut self, cycles: u32) -> Result<()> {
        self.pins.reset(cycles)
    }
    fn cycle(&self) -> u64 {
        self.pins.cycle()
    }
    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        self.pins.peek(path)
    }
    fn poke(&mut self, path: &str, words: &[u64]) -> Result<()> {
        self.pins.poke(path, words)
    }
    fn snapshot(&self) -> Snapshot {
        self.pins.snapshot()
    }
    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.pins.restore(snapshot)
    }
}

proptest! {
    #[test]
    fn words_of_any_width_pass_a_queue_in_order_whatever_the_gaps(
        width in prop_oneof![Just(1usize), Just(64), Just(65), Just(512)],
        depth in 1usize..4,
        count in 1usize..40,
        gaps in (0.0..0.9f64, 0.0..0.9f64),
        seed: u64,
    ) {
        let mut queue = Queue::new(width, depth, false);
        let mut bench = Bench::new(&mut queue).unwrap();
        let input = bench.source("a", Gaps::random(gaps.0, seed)).unwrap();
        let output = bench.sink("b", Gaps::random(gaps.1, seed ^ 1)).unwrap();
        let top = u64::MAX >> (64 * width.div_ceil(64) - width);
        let word = |i: usize| {
            let mut words = vec![i as u64; width.div_ceil(64)];
            *words.last_mut().unwrap() &= top;
            words
        };
        for i in 0..count {
            bench.sources[input].push(&word(i));
        }
        bench.run_until(|b| b.sinks[output].received().len() == count, 5000).unwrap();
        let received: Vec<Vec<u64>> = bench.sinks[output].received().iter().map(|(_, words)| words.clone()).collect();
        prop_assert_eq!(received, (0..count).map(word).collect::<Vec<_>>());
        prop_assert_eq!(bench.sources[input].accepted().len(), count);
    }
}

#[test]
fn without_gaps_a_word_is_taken_every_cycle() {
    let mut queue = Queue::new(8, 2, false);
    let mut bench = Bench::new(&mut queue).unwrap();
    let input = bench.source("a", Gaps::none()).unwrap();
    let output = bench.sink("b", Gaps::none()).unwrap();
    (0..10).for_each(|word| bench.sources[input].push(&[word]));
    bench
        .run_until(|b| b.sinks[output].received().len() == 10, 11)
        .unwrap();
    assert_eq!(
        bench.sources[input].accepted(),
        (0..10).collect::<Vec<u64>>()
    );
    let cycles: Vec<u64> = bench.sinks[output]
        .received()
        .iter()
        .map(|(cycle, _)| *cycle)
        .collect();
    assert_eq!(cycles, (1..11).collect::<Vec<u64>>());
}

#[test]
fn a_state_that_is_never_reached_is_a_timeout_at_its_cycle() {
    let mut queue = Queue::new(8, 2, false);
    let mut bench = Bench::new(&mut queue).unwrap();
    let error = bench.run_until(|_| false, 7).unwrap_err();
    assert!(
        matches!(
            error,
            BenchError::Timeout {
                cycle: 7,
                max_cycles: 7
            }
        ),
        "{error}"
    );
}

#[test]
fn a_path_from_ready_to_valid_is_found_and_named() {
    for leak in [false, true] {
        let mut queue = Queue::new(8, 2, leak);
        let mut bench = Bench::new(&mut queue).unwrap();
        let input = bench.source("a", Gaps::none()).unwrap();
        bench.sources[input].push(&[1]);
        bench.cycle().unwrap();
        let checked = bench.check_ready_paths();
        match checked {
            Err(BenchError::ReadyPath { valid, .. }) => assert!(leak && valid == "b_valid"),
            other => assert!(!leak && other.is_ok(), "leak {leak}: {other:?}"),
        }
    }
}

#[test]
fn a_missing_port_and_a_port_of_the_wrong_direction_are_named() {
    let queue = Queue::new(8, 2, false);
    let missing = WordSource::new(&queue, "c", Gaps::none()).unwrap_err();
    assert!(missing.to_string().contains("'c"), "{missing}");
    let backwards = WordSource::new(&queue, "b", Gaps::none()).unwrap_err();
    assert!(backwards.to_string().contains("'b"), "{backwards}");
}

/// Runs `checker` over cycles of (valid, ready, value) of stream `x`.
fn run_words(cycles: &[(u64, u64, u64)]) -> std::result::Result<(), Violation> {
    let mut engine = ScriptedEngine::new(&[], &[("x", 64), ("x_valid", 1), ("x_ready", 1)]);
    let mut checker = WordChecker::new(&engine, "x").unwrap();
    for (cycle, (valid, ready, value)) in cycles.iter().enumerate() {
        engine.put("x_valid", &[*valid]);
        engine.put("x_ready", &[*ready]);
        engine.put("x", &[*value]);
        checker.sample(&engine, cycle as u64)?;
    }
    Ok(())
}

#[test]
fn valid_that_falls_before_ready_is_a_violation() {
    run_words(&[(1, 0, 5), (1, 1, 5), (0, 0, 9), (1, 1, 6)]).unwrap();
    let error = run_words(&[(0, 0, 0), (1, 0, 5), (0, 1, 5)]).unwrap_err();
    assert_eq!(
        (error.cycle, error.channel.as_str(), error.rule),
        (2, "x", WordChecker::VALID_STAYS)
    );
}

#[test]
fn a_payload_that_changes_while_it_waits_is_a_violation() {
    let error = run_words(&[(1, 0, 5), (1, 1, 6)]).unwrap_err();
    assert_eq!((error.cycle, error.rule), (1, WordChecker::PAYLOAD_STABLE));
    run_words(&[(1, 1, 5), (1, 1, 6)]).unwrap();
}

#[test]
fn a_pulse_is_a_word_in_every_valid_cycle() {
    let mut engine = ScriptedEngine::new(&[("go", 1), ("go_data", 8)], &[("hit", 1), ("info", 70)]);
    let mut source = WordSource::pulse(&engine, &["go_data"], "go", Gaps::none()).unwrap();
    let mut sink = WordSink::pulse(&engine, &["info"], "hit").unwrap();
    source.push(&[3]);
    source.push(&[4]);
    let mut driven = Vec::new();
    for cycle in 0..3 {
        engine.put("hit", &[u64::from(cycle != 1)]);
        engine.put("info", &[cycle, 1]);
        run_cycle(&mut engine, &mut [&mut source, &mut sink]).unwrap();
        driven.push((engine.word("go"), engine.word("go_data")));
    }
    assert_eq!(driven[..2], [(1, 3), (1, 4)]);
    assert_eq!(driven[2].0, 0);
    assert_eq!(sink.received(), [(0, vec![0, 1]), (2, vec![2, 1])]);
}

/// Runs the stream checker over accepted beats of (keep, last).
fn run_beats(beats: &[(u64, u64)]) -> std::result::Result<(), Violation> {
    let pins = [
        ("s_tdata", 512),
        ("s_tkeep", 64),
        ("s_tlast", 1),
        ("s_tvalid", 1),
        ("s_tready", 1),
    ];
    let mut engine = ScriptedEngine::new(&[], &pins);
    let mut checker = StreamChecker::new(&engine, "s_").unwrap();
    engine.put("s_tvalid", &[1]);
    engine.put("s_tready", &[1]);
    for (cycle, (keep, last)) in beats.iter().enumerate() {
        engine.put("s_tkeep", &[*keep]);
        engine.put("s_tlast", &[*last]);
        checker.sample(&engine, cycle as u64)?;
    }
    Ok(())
}

#[test]
fn keep_must_be_full_before_the_last_beat_and_contiguous_and_not_empty_on_it() {
    run_beats(&[(u64::MAX, 0), (u64::MAX, 1), (1, 1), (0xfff, 1)]).unwrap();
    for (beat, rule) in [
        ((0b101, 1), StreamChecker::KEEP_CONTIGUOUS),
        ((0b110, 1), StreamChecker::KEEP_CONTIGUOUS),
        ((0xff, 0), StreamChecker::KEEP_FULL),
        ((0, 0), StreamChecker::KEEP_FULL),
        ((0, 1), StreamChecker::KEEP_NON_ZERO),
    ] {
        let error = run_beats(&[(u64::MAX, 0), beat]).unwrap_err();
        assert_eq!((error.cycle, error.rule), (1, rule), "{beat:x?}");
    }
}

/// A wire between a driver's and a monitor's stream.
fn wire(engine: &mut ScriptedEngine) {
    for pin in ["data", "keep", "last", "valid"] {
        let words = engine.words(&format!("rx_{pin}"));
        engine.put(&format!("m_t{pin}"), &words);
    }
    let ready = engine.words("m_tready");
    engine.put("rx_ready", &ready);
}

fn wire_engine() -> ScriptedEngine {
    let inputs = [
        ("rx_data", 512),
        ("rx_keep", 64),
        ("rx_last", 1),
        ("rx_valid", 1),
        ("m_tready", 1),
    ];
    let outputs = [
        ("m_tdata", 512),
        ("m_tkeep", 64),
        ("m_tlast", 1),
        ("m_tvalid", 1),
        ("rx_ready", 1),
    ];
    ScriptedEngine::new(&inputs, &outputs)
}

fn pass(engine: &mut ScriptedEngine, driver: &mut StreamDriver, monitor: &mut StreamMonitor) {
    driver.drive(engine).unwrap();
    monitor.drive(engine).unwrap();
    wire(engine);
    let cycle = engine.cycle();
    driver.sample(engine, cycle).unwrap();
    monitor.sample(engine, cycle).unwrap();
    engine.step().unwrap();
}

proptest! {
    #[test]
    fn packets_of_any_length_pass_a_wire_whatever_the_gaps(
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..200), 1..8),
        gaps in (0.0..0.9f64, 0.0..0.9f64),
        seed: u64,
    ) {
        let mut engine = wire_engine();
        let mut driver = StreamDriver::new(&engine, "rx_", Gaps::random(gaps.0, seed)).unwrap();
        let mut monitor = StreamMonitor::new(&engine, "m_", Gaps::random(gaps.1, seed ^ 1)).unwrap();
        packets.iter().for_each(|packet| driver.push(packet));
        for _ in 0..4000 {
            pass(&mut engine, &mut driver, &mut monitor);
        }
        prop_assert!(driver.is_done() && !monitor.in_packet());
        let received: Vec<Vec<u8>> = monitor.packets().iter().map(|packet| packet.bytes.clone()).collect();
        prop_assert_eq!(received, packets);
    }
}

#[test]
fn a_packet_starts_at_its_arrival_cycle_and_the_next_follows_without_a_bubble() {
    let mut engine = wire_engine();
    let mut driver = StreamDriver::new(&engine, "rx_", Gaps::none()).unwrap();
    let mut monitor = StreamMonitor::new(&engine, "m_", Gaps::none()).unwrap();
    driver.push_at(5, &[1; 65]);
    driver.push_at(3, &[2; 64]);
    driver.push_at(20, &[3; 1]);
    for _ in 0..25 {
        pass(&mut engine, &mut driver, &mut monitor);
    }
    let cycles: Vec<(u64, u64)> = monitor
        .packets()
        .iter()
        .map(|p| (p.first_cycle, p.last_cycle))
        .collect();
    assert_eq!(cycles, [(5, 6), (7, 7), (20, 20)]);
    assert_eq!(driver.accepted(), [5, 6, 7, 20]);
}

#[test]
fn a_packet_is_offered_from_the_cycle_in_which_its_first_beat_is_first_seen() {
    let mut engine = wire_engine();
    let mut driver = StreamDriver::new(&engine, "rx_", Gaps::none()).unwrap();
    let mut monitor = StreamMonitor::new(&engine, "m_", Gaps::random(0.8, 7)).unwrap();
    driver.push_at(5, &[1; 130]);
    driver.push_at(6, &[2; 64]);
    for _ in 0..100 {
        pass(&mut engine, &mut driver, &mut monitor);
    }
    let [first, second] = monitor.packets() else {
        panic!("{:?}", monitor.packets());
    };
    assert_eq!(first.offered_cycle, 5);
    assert_eq!(second.offered_cycle, first.last_cycle + 1);
    assert!(first.offered_cycle < first.first_cycle && second.offered_cycle < second.first_cycle);
}
