//! `L2`: eight banks with two ports, in front of the AXI memory with its protocol checker.

mod counting;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::blocks::boxed;
use xtq_engine::{Backend, Body, Compiled, Engine, PortId};
use xtq_rtl::l2::L2;
use xtq_testbench::bus::{AxiMemory, MemoryTiming, Model, Violation, run_cycle};
use xtq_types::Wire;
use xtq_types::l2::{L2Request, L2Response, op};

fn body() -> Arc<Body> {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let make = || Arc::new(Body::new(&L2::default(), Backend::Jit).expect("keeps the rules"));
    let built = || *boxed(make).expect("there is a thread to build it on");
    BODY.get_or_init(built).clone()
}

/// An access: requester, operation, address, operand in the word at the address.
#[derive(Clone, Copy, Debug)]
struct Ask {
    cp: bool,
    requester: u8,
    op: u8,
    address: u64,
    value: u64,
}

/// An answer: tag, cycles of acceptance and answer, what was asked, hit, status, the word.
#[derive(Clone, Copy, Debug)]
struct Answer {
    accepted: u64,
    cycle: u64,
    ask: Ask,
    hit: bool,
    status: u8,
    word: u64,
}

const PORTS: [&str; 3] = ["cu_request", "cp_request", "rmw_write"];
const ANSWERS: [&str; 2] = ["cu_response", "cp_response"];

/// All requesters of the cache.
struct Requesters {
    waiting: [VecDeque<(Ask, u8)>; 3],
    offered: [bool; 3],
    open: HashMap<(bool, u8, u8), (Ask, u64)>,
    answers: Vec<Answer>,
    listens: [bool; 2],
    gaps: f64,
    rng: ChaCha8Rng,
    tag: u8,
    ends: u64,
}

impl Requesters {
    fn new(gaps: f64, seed: u64) -> Self {
        Self {
            waiting: Default::default(),
            offered: [false; 3],
            open: HashMap::new(),
            answers: Vec::new(),
            listens: [true; 2],
            gaps,
            rng: ChaCha8Rng::seed_from_u64(seed),
            tag: 0,
            ends: 0,
        }
    }

    fn ask(&mut self, ask: Ask) {
        let port = match (ask.op, ask.cp) {
            (op::RMW_WRITE, _) => 2,
            (_, cp) => usize::from(cp),
        };
        self.waiting[port].push_back((ask, self.tag));
        self.tag = self.tag.wrapping_add(1);
    }

    fn pending(&self) -> usize {
        self.open.len() + self.waiting.iter().map(VecDeque::len).sum::<usize>()
    }

    fn pause(&mut self) -> bool {
        self.gaps > 0.0 && self.rng.random_bool(self.gaps)
    }
}

fn pin(engine: &dyn Engine, name: &str) -> PortId {
    engine.port(name).expect("is a pin")
}

fn get(engine: &dyn Engine, name: &str) -> u64 {
    let mut word = [0];
    engine.get(pin(engine, name), &mut word);
    word[0]
}

impl Model for Requesters {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        for (port, name) in PORTS.into_iter().enumerate() {
            self.offered[port] = !self.waiting[port].is_empty() && !self.pause();
            engine.set(
                pin(engine, &format!("{name}_valid")),
                &[self.offered[port].into()],
            )?;
            if let (true, Some((ask, tag))) = (self.offered[port], self.waiting[port].front()) {
                let request = L2Request {
                    op: u64::from(ask.op).to_bits(),
                    wide: 1u64.to_bits(),
                    cp: u64::from(ask.cp).to_bits(),
                    requester: u64::from(ask.requester).to_bits(),
                    tag: u64::from(*tag).to_bits(),
                    address: ask.address.to_bits(),
                    ..Default::default()
                };
                let mut words = [0; 3];
                request.to_words(&mut words);
                engine.set(pin(engine, name), &words)?;
                engine.set(
                    pin(engine, &format!("{name}_strobe")),
                    &[0xff << (ask.address % 64)],
                )?;
                engine.set(pin(engine, &format!("{name}_data")), &[ask.value; 8])?;
            }
        }
        for (class, name) in ANSWERS.into_iter().enumerate() {
            self.listens[class] = !self.pause();
            engine.set(
                pin(engine, &format!("{name}_ready")),
                &[self.listens[class].into()],
            )?;
        }
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation> {
        for (port, name) in PORTS.into_iter().enumerate() {
            if self.offered[port] && get(engine, &format!("{name}_ready")) == 1 {
                let (ask, tag) = self.waiting[port].pop_front().expect("was offered");
                self.open.insert((ask.cp, ask.requester, tag), (ask, cycle));
            }
        }
        for (class, name) in ANSWERS.into_iter().enumerate() {
            if self.listens[class] && get(engine, &format!("{name}_valid")) == 1 {
                let response = L2Response::from_words(&[get(engine, name)]);
                let key = (
                    response.cp.any(),
                    response.requester.to_u8(),
                    response.tag.to_u8(),
                );
                assert_eq!(key.0, class == 1, "an answer at the wrong port");
                let (ask, accepted) = self
                    .open
                    .remove(&key)
                    .expect("an answer that somebody waits for");
                let mut line = [0; 8];
                engine.get(pin(engine, &format!("{name}_data")), &mut line);
                let word = line[ask.address as usize % 64 / 8];
                self.answers.push(Answer {
                    accepted,
                    cycle,
                    ask,
                    hit: response.hit.any(),
                    status: response.status.to_u8(),
                    word,
                });
            }
        }
        self.ends += get(engine, "lock_end_valid");
        Ok(())
    }
}

struct Bench {
    engine: Compiled,
    memory: AxiMemory,
    requesters: Requesters,
}

impl Bench {
    fn new(timing: MemoryTiming, gaps: f64, seed: u64) -> Self {
        let mut engine = Compiled::new(body());
        engine.reset(2).expect("has rst");
        for (name, value) in [
            ("watchdog_limit", 60_000),
            ("locked_ways_limit", 12),
            ("cp_ways", 0b1),
        ] {
            let port = pin(&engine, name);
            engine.set(port, &[value]).expect("is an input");
        }
        let memory = AxiMemory::new(&engine, "", timing).expect("the pins of an AXI port");
        Self {
            engine,
            memory,
            requesters: Requesters::new(gaps, seed),
        }
    }

    fn cycle(&mut self) {
        run_cycle(
            &mut self.engine,
            &mut [&mut self.memory, &mut self.requesters],
        )
        .expect("keeps the protocol");
    }

    #[track_caller]
    fn finish_within(&mut self, cycles: u64) {
        for _ in 0..cycles {
            if self.requesters.pending() == 0 {
                return;
            }
            self.cycle();
        }
        panic!("{} requests are not answered", self.requesters.pending());
    }
}

fn load(cp: bool, line: u64) -> Ask {
    Ask {
        cp,
        requester: 0,
        op: op::LOAD,
        address: line * 64,
        value: 0,
    }
}

#[test]
fn both_ports_hit_every_cycle_in_different_banks_and_take_turns_in_one() {
    let mut bench = Bench::new(MemoryTiming::ideal(), 0.0, 1);
    for line in 0..16 {
        bench.requesters.ask(load(false, line));
    }
    bench.finish_within(200);
    bench.requesters.answers.clear();
    for i in 0..32 {
        bench.requesters.ask(load(false, i % 8));
        bench.requesters.ask(load(true, (i + 3) % 8));
    }
    bench.finish_within(60);
    for class in [false, true] {
        let answers: Vec<_> = bench
            .requesters
            .answers
            .iter()
            .filter(|answer| answer.ask.cp == class)
            .collect();
        let start = answers[0].cycle;
        for (i, answer) in answers.iter().enumerate() {
            assert_eq!(
                (
                    answer.hit,
                    answer.cycle - answer.accepted,
                    answer.cycle - start
                ),
                (true, 4, i as u64)
            );
        }
    }
    bench.requesters.answers.clear();
    for _ in 0..10 {
        bench.requesters.ask(load(false, 5));
        bench.requesters.ask(load(true, 5));
    }
    bench.finish_within(40);
    let mut accepted: Vec<_> = bench
        .requesters
        .answers
        .iter()
        .map(|answer| (answer.accepted, answer.ask.cp))
        .collect();
    accepted.sort_unstable();
    assert!(
        accepted
            .windows(2)
            .all(|two| two[1].0 == two[0].0 + 1 && two[0].1 != two[1].1),
        "{accepted:?}"
    );
}

#[test]
fn a_mebibyte_fits_and_no_more() {
    let mut bench = Bench::new(MemoryTiming::ideal(), 0.0, 1);
    let lines = (1 << 20) / 64;
    for round in 0..2 {
        for line in 0..lines {
            bench.requesters.ask(load(line % 3 == 0, line));
        }
        bench.finish_within(40_000);
        let hits = bench
            .requesters
            .answers
            .iter()
            .filter(|answer| answer.hit)
            .count() as u64;
        assert_eq!(hits, round * lines, "round {round}");
    }
    bench.requesters.ask(load(false, lines));
    bench.finish_within(40);
    assert!(!bench.requesters.answers.last().unwrap().hit);
}
