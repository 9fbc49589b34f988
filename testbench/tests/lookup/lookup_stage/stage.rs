//! The stage with its surroundings, and what must leave it.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::{Bits, ToBits};
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{Gaps, Model, Pin, WordSink, WordSource, run_cycle};
use xtq_types::Wire;
use xtq_types::pipe::{LookupRequest, PacketHead};

use crate::lookup_stage::packet::Packet;
use crate::lookup_stage::surroundings::{Answer, Answers, Halts};

/// What leaves the stage for one message.
#[derive(Debug, PartialEq)]
pub struct Left {
    pub head: PacketHead,
    pub aql: Vec<u64>,
    pub type_ok: bool,
    pub agent: bool,
    /// Task and queue: found, and if so the answer.
    pub entries: [Option<Answer>; 2],
    pub queue_index: u64,
}

pub struct Stage {
    pub engine: Box<dyn Engine>,
    pub heads: WordSource,
    pub out: WordSink,
    pub answers: Answers,
    pub halts: Halts,
    /// {base, size} by {context, kind}.
    pub tables: [(u64, u64); 16],
    pub pushed: Vec<Packet>,
}

impl Stage {
    pub fn new(gaps: [Gaps; 4], seed: u64) -> Self {
        let engine = blocks::engine("lookup_stage", EngineKind::Jit);
        let mut engine: Box<dyn Engine> = Box::new(engine.unwrap());
        engine.reset(2).unwrap();
        let [head_gaps, out_gaps, request_gaps, halt_gaps] = gaps;
        let heads = ["head", "head_aql"];
        let out = [
            "out",
            "out_aql",
            "type_ok",
            "agent",
            "task_found",
            "task_error",
            "task_hit",
            "task_entry",
            "queue_found",
            "queue_error",
            "queue_hit",
            "queue_entry",
            "queue_index",
        ];
        let answers = Answers {
            request: WordSink::new(&*engine, "request", request_gaps).unwrap(),
            latency: (2, 2),
            held: false,
            log: Vec::new(),
            result: Pin::input(&*engine, "result").unwrap(),
            result_valid: Pin::input(&*engine, "result_valid").unwrap(),
            waiting: Vec::new(),
            answering: false,
            rng: ChaCha8Rng::seed_from_u64(seed),
            cycle: 0,
        };
        Self {
            heads: WordSource::with_ports(&*engine, &heads, "head_valid", "head_ready", head_gaps)
                .unwrap(),
            out: WordSink::with_ports(&*engine, "out", &out, "out_valid", "out_ready", out_gaps)
                .unwrap(),
            answers,
            halts: Halts {
                halt: Pin::input(&*engine, "halt").unwrap(),
                empty: Pin::output(&*engine, "empty").unwrap(),
                gaps: halt_gaps,
                left: None,
                seen: Vec::new(),
            },
            tables: [(0, 0); 16],
            pushed: Vec::new(),
            engine,
        }
    }

    /// Without pauses, all tables of 64 entries.
    pub fn simple() -> Self {
        let none = Gaps::none;
        let mut stage = Self::new([none(), none(), none(), Gaps::random(1.0, 0)], 7);
        for place in 0..16 {
            stage.set_table(place, 0x7fff_0000_0000 + (place << 16), 64);
        }
        stage
    }

    fn write(&mut self, address: u64, data: u64) {
        for (name, value) in [("cfg_write", 1), ("cfg_addr", address), ("cfg_data", data)] {
            let pin = Pin::input(&*self.engine, name).unwrap();
            pin.set(&mut *self.engine, value).unwrap();
        }
        self.engine.step().unwrap();
        let pin = Pin::input(&*self.engine, "cfg_write").unwrap();
        pin.set(&mut *self.engine, 0).unwrap();
    }

    /// Sets base and size of table {context, kind}.
    pub fn set_table(&mut self, place: u64, base: u64, size: u64) {
        self.write(4 * place, base & 0xffff_ffff);
        self.write(4 * place + 1, base >> 32);
        self.write(4 * place + 2, size);
        self.write(4 * place + 3, u64::MAX);
        self.tables[place as usize] = (base, size);
    }

    pub fn push(&mut self, packet: Packet) {
        let mut words = [0; 15];
        packet.head.to_words(&mut words[..7]);
        words[7..].copy_from_slice(&packet.aql);
        self.heads.push(&words);
        self.pushed.push(packet);
    }

    pub fn cycle(&mut self) {
        let models: &mut [&mut dyn Model] = &mut [
            &mut self.heads,
            &mut self.out,
            &mut self.answers,
            &mut self.halts,
        ];
        run_cycle(&mut *self.engine, models).unwrap();
    }

    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Runs until everything pushed has left, then compares all of it with the naive model.
    pub fn run_and_check(&mut self) {
        for _ in 0..200 * self.pushed.len() + 200 {
            if self.out.received().len() == self.pushed.len() {
                break;
            }
            self.cycle();
        }
        self.run(10);
        assert_eq!(
            self.out.received().len(),
            self.pushed.len(),
            "heads that left"
        );
        let mut answers = self.answers.log.iter();
        for (number, packet) in self.pushed.iter().enumerate() {
            let mut entries = [None, None];
            if packet.asks() {
                for (half, (kind, index)) in packet.entries().into_iter().enumerate() {
                    let context = packet.head.context.to_u64();
                    let (base, size) = self.tables[(4 * context + kind) as usize];
                    if index >= size.min(1 << 16) {
                        continue;
                    }
                    let (request, answer) = answers.next().expect("a request is missing");
                    let expected = LookupRequest {
                        tag: (2 * (number as u64 % 8) + half as u64).to_bits(),
                        context: packet.head.context,
                        kind: kind.to_bits(),
                        index: index.to_bits(),
                        address: (base & !63).wrapping_add(64 * index).to_bits(),
                    };
                    assert_eq!(*request, expected, "message {number}");
                    entries[half] = Some(*answer);
                }
            }
            let expected = Left {
                head: packet.head,
                aql: packet.aql.to_vec(),
                type_ok: packet.asks(),
                agent: packet.asks() && packet.aql[0] & 255 == 4,
                entries,
                queue_index: packet.aql[6] & 0xffff,
            };
            assert_eq!(self.left(number), expected, "message {number}");
        }
        assert!(answers.next().is_none(), "a request too many");
        self.check_halts();
    }

    /// No head was accepted while `halt` was up, and `empty` is up when all accepted before have left.
    fn check_halts(&self) {
        let (accepted, left) = (self.heads.accepted(), self.left_at());
        for &(cycle, halt, empty) in &self.halts.seen {
            let before = |cycles: &[u64]| cycles.partition_point(|at| *at < cycle);
            assert_eq!(empty, before(accepted) == before(&left), "cycle {cycle}");
            assert!(!halt || !accepted.contains(&cycle), "cycle {cycle}");
        }
    }

    pub fn left(&self, number: usize) -> Left {
        let words = &self.out.received()[number].1;
        let answer = |at: usize| {
            let (found, error, hit) = (words[at] == 1, words[at + 1] == 1, words[at + 2] == 1);
            let first = if at == 17 { 20 } else { 31 };
            let entry = Bits::from_words(&words[first..first + 8]);
            assert!(
                found || (!error && !hit),
                "message {number}: flags without an entry"
            );
            found.then_some(Answer { hit, error, entry })
        };
        Left {
            head: PacketHead::from_words(&words[..7]),
            aql: words[7..15].to_vec(),
            type_ok: words[15] == 1,
            agent: words[16] == 1,
            entries: [answer(17), answer(28)],
            queue_index: words[39],
        }
    }

    pub fn left_at(&self) -> Vec<u64> {
        self.out
            .received()
            .iter()
            .map(|(cycle, _)| *cycle)
            .collect()
    }
}
