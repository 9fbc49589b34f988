//! `Rig`: a block with named sources and sinks, the memory, and what is kept by message slot.

use std::collections::HashMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSink, WordSource, run_cycle};
use xtq_types::Wire;
use xtq_types::queue::QueueInfo;

use super::memory::Memory;
use super::open_queues::OpenQueues;

/// Packet and queue by slot, one cycle after `slot`; a packet is there from the cycle in which it was put on, and can
/// be read in the next.
pub struct Slots {
    slot: Pin,
    there: Pin,
    packet: Pin,
    queue: Pin,
    asked: u64,
    cycle: u64,
    kept: HashMap<u64, (Option<u64>, [u64; 8], QueueInfo)>,
    rng: ChaCha8Rng,
}

impl Slots {
    pub fn new(engine: &dyn Engine, seed: u64) -> Self {
        let input = |name| Pin::input(engine, name).unwrap();
        Self {
            slot: Pin::output(engine, "slot").unwrap(),
            there: input("packet_there"),
            packet: input("packet"),
            queue: input("queue"),
            asked: 0,
            cycle: 0,
            kept: HashMap::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The queue of a message, which has no packet yet.
    pub fn open(&mut self, slot: u64, queue: QueueInfo) {
        self.kept.insert(slot, (None, [0; 8], queue));
    }

    /// The message's packet is written.
    pub fn put(&mut self, slot: u64, packet: [u64; 8]) {
        let kept = self.kept.get_mut(&slot).unwrap();
        (kept.0, kept.1) = (Some(self.cycle), packet);
    }
}

impl Model for Slots {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        let mut packet: [u64; 8] = std::array::from_fn(|_| self.rng.random());
        let mut queue: [u64; 5] = std::array::from_fn(|_| self.rng.random());
        let mut there = false;
        if let Some((since, words, info)) = self.kept.get(&self.asked) {
            info.to_words(&mut queue);
            there = since.is_some();
            if since.is_some_and(|since| since < self.cycle) {
                packet = *words;
            }
        }
        self.there.set(engine, there.into())?;
        self.packet.set_words(engine, &packet)?;
        self.queue.set_words(engine, &queue)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.asked = self.slot.get(engine);
        self.cycle = cycle + 1;
        Ok(())
    }
}

/// A block and everything around it.
pub struct Rig {
    pub engine: Box<dyn Engine>,
    pub memory: Memory,
    pub slots: Option<Slots>,
    pub open_queues: Option<OpenQueues>,
    sources: Vec<(&'static str, WordSource)>,
    sinks: Vec<(&'static str, WordSink)>,
}

impl Rig {
    /// Resets the block.
    pub fn new(mut engine: Box<dyn Engine>, seed: u64) -> Self {
        engine.reset(2).unwrap();
        let memory = Memory::new(seed);
        Self {
            engine,
            memory,
            slots: None,
            open_queues: None,
            sources: Vec::new(),
            sinks: Vec::new(),
        }
    }

    /// A stream that feeds the block; `extra` ports go with the word.
    pub fn feeds(&mut self, name: &'static str, extra: &[&str], gaps: Gaps) {
        let ports: Vec<&str> = [name].iter().chain(extra).copied().collect();
        let (valid, ready) = (format!("{name}_valid"), format!("{name}_ready"));
        let source = WordSource::with_ports(&*self.engine, &ports, &valid, &ready, gaps).unwrap();
        self.sources.push((name, source));
    }

    /// Pulses into the block.
    pub fn pulses(&mut self, name: &'static str, ports: &[&str], valid: &str, gaps: Gaps) {
        let source = WordSource::pulse(&*self.engine, ports, valid, gaps).unwrap();
        self.sources.push((name, source));
    }

    /// Which queues are open; `fails` are the block's own pulses, the offers of `stream` are noted.
    pub fn asks_queues(&mut self, fails: &[&str], stream: &str) {
        self.open_queues = Some(OpenQueues::new(&*self.engine, fails, stream));
    }

    pub fn queues(&mut self) -> &mut OpenQueues {
        self.open_queues.as_mut().unwrap()
    }

    /// A stream from the block.
    pub fn takes(&mut self, name: &'static str, gaps: Gaps) {
        self.sinks
            .push((name, WordSink::new(&*self.engine, name, gaps).unwrap()));
    }

    /// Pulses from the block.
    pub fn notes(&mut self, name: &'static str, ports: &[&str], valid: &str) {
        self.sinks
            .push((name, WordSink::pulse(&*self.engine, ports, valid).unwrap()));
    }

    pub fn source(&mut self, name: &str) -> &mut WordSource {
        &mut self.sources.iter_mut().find(|(n, _)| *n == name).unwrap().1
    }

    pub fn sink(&self, name: &str) -> &WordSink {
        &self.sinks.iter().find(|(n, _)| *n == name).unwrap().1
    }

    /// Cycle and words of what came out so far.
    pub fn received(&self, name: &str) -> &[(u64, Vec<u64>)] {
        self.sink(name).received()
    }

    pub fn set(&mut self, name: &str, value: u64) {
        Pin::input(&*self.engine, name)
            .unwrap()
            .set(&mut *self.engine, value)
            .unwrap();
    }

    /// The value of a port in the cycle that was sampled last.
    pub fn get(&self, name: &str) -> u64 {
        Pin::any(&*self.engine, name).unwrap().get(&*self.engine)
    }

    pub fn cycle(&mut self) {
        let mut models: Vec<&mut dyn Model> = vec![&mut self.memory];
        models.extend(self.slots.as_mut().map(|slots| slots as &mut dyn Model));
        models.extend(
            self.open_queues
                .as_mut()
                .map(|queues| queues as &mut dyn Model),
        );
        models.extend(
            self.sources
                .iter_mut()
                .map(|(_, source)| source as &mut dyn Model),
        );
        models.extend(
            self.sinks
                .iter_mut()
                .map(|(_, sink)| sink as &mut dyn Model),
        );
        run_cycle(&mut *self.engine, &mut models).unwrap();
    }

    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// In the present state: no `valid` output of these streams follows a ready input. Takes no cycle.
    #[track_caller]
    pub fn check_ready_paths(&mut self, streams: &[&str]) {
        let engine = &mut *self.engine;
        let ports: Vec<String> = engine
            .ports()
            .iter()
            .map(|port| port.name.clone())
            .collect();
        let mut seen = [Vec::new(), Vec::new()];
        for (level, seen) in seen.iter_mut().enumerate() {
            for name in ports.iter().filter(|name| name.ends_with("_ready")) {
                if let Ok(pin) = Pin::input(engine, name) {
                    pin.set(engine, level as u64).unwrap();
                }
            }
            engine.eval().unwrap();
            let valid = |name: &&str| {
                Pin::output(engine, &format!("{name}_valid"))
                    .unwrap()
                    .get(engine)
            };
            seen.extend(streams.iter().map(valid));
        }
        assert_eq!(
            seen[0], seen[1],
            "{streams:?} with all ready low, then high"
        );
    }

    /// Runs until `done` holds, at most `max` cycles.
    #[track_caller]
    pub fn run_until(&mut self, max: u64, mut done: impl FnMut(&mut Self) -> bool) {
        for _ in 0..max {
            if done(self) {
                return;
            }
            self.cycle();
        }
        panic!("not done after {max} cycles");
    }
}
