//! The pins of the ring, a cycle at a time, and a memory that answers.

use std::collections::VecDeque;

use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_rtl::commands::command_ring::CommandRing;
use xtq_testbench::bus::{Pin, WordChecker};
use xtq_testbench::pins;
use xtq_types::Wire;
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::register_map::command_word;
use xtq_types::send::RingCommand;

/// What drives the ring in one cycle.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// Context, word, value.
    pub cfg: Option<(u64, u32, u32)>,
    /// Context, word.
    pub status: (u64, u32),
    pub enabled: u64,
    pub request_ready: bool,
    pub result: Option<Line>,
    pub choose: u64,
    /// Context of the next cycle; else it is that of this one.
    pub choose_next: Option<u64>,
    pub take: bool,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            cfg: None,
            status: (0, 0),
            enabled: 15,
            request_ready: true,
            result: None,
            choose: 0,
            choose_next: None,
            take: false,
        }
    }
}

/// Half a command, as it comes from memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    pub data: [u64; 8],
    pub error: bool,
    pub last: bool,
}

/// A fetch: context and address.
pub type Request = (u64, u64);

/// What the ring says in one cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    pub status: u32,
    pub bad_tail: Option<u64>,
    pub request: Option<Request>,
    pub waiting: u64,
    pub command: ([u64; 16], bool),
}

pub struct Hardware {
    pub engine: Box<dyn Engine>,
    request: WordChecker,
}

impl Hardware {
    pub fn new() -> Self {
        Self::of(CommandRing::<4>::default())
    }

    pub fn of(ring: CommandRing) -> Self {
        let mut engine = pins!(
            ring => clk;
            in: rst, cfg.write, cfg.addr, "cfg_data" cfg.data, status.addr, enabled, request.ready, result.data, result.valid, choose, choose_next, take;
            out: "status_data" status.data, bad_tail.valid, bad_tail.data, request.data, request.valid, waiting, command
        )
        .expect("the ports are complete");
        engine.reset(2).expect("has rst");
        let request = WordChecker::new(&engine, "request").expect("is a stream");
        Self {
            engine: Box::new(engine),
            request,
        }
    }

    fn set(&mut self, name: &str, words: &[u64]) {
        let pin = Pin::input(&*self.engine, name).expect("is an input");
        pin.set_words(&mut *self.engine, words)
            .expect("is an input");
    }

    fn words(&self, name: &str) -> Vec<u64> {
        let pin = Pin::output(&*self.engine, name).expect("is an output");
        pin.get_words(&*self.engine)
    }

    /// Drives a cycle up to the sample. What is not valid is noise.
    pub fn settle(&mut self, inputs: &Inputs) -> Outputs {
        let (context, word, data) = inputs.cfg.unwrap_or((3, command_word::SIZE, 4));
        self.set("cfg_write", &[inputs.cfg.is_some().into()]);
        self.set("cfg_addr", &[context << 2 | u64::from(word)]);
        self.set("cfg_data", &[data.into()]);
        self.set(
            "status_addr",
            &[inputs.status.0 << 3 | u64::from(inputs.status.1)],
        );
        self.set("enabled", &[inputs.enabled]);
        self.set("request_ready", &[inputs.request_ready.into()]);
        let noise = Line {
            data: [0x5555; 8],
            error: true,
            last: true,
        };
        let line = inputs.result.unwrap_or(noise);
        let result = BurstResult {
            last: u64::from(line.last).to_bits(),
            error: u64::from(line.error).to_bits(),
            data: Bits::from_words(&line.data),
        };
        let mut words = [0; 9];
        result.to_words(&mut words);
        self.set("result", &words);
        self.set("result_valid", &[inputs.result.is_some().into()]);
        self.set("choose", &[inputs.choose]);
        self.set(
            "choose_next",
            &[inputs.choose_next.unwrap_or(inputs.choose)],
        );
        self.set("take", &[inputs.take.into()]);
        self.engine.eval().expect("settles");
        let bad_tail = self.words("bad_tail")[0];
        let request = BurstRequest::from_words(&self.words("request"));
        let request_valid = self.words("request_valid")[0] == 1;
        assert!(
            !request_valid || request.length.to_u64() == 1,
            "a command is two lines"
        );
        let command = RingCommand::from_words(&self.words("command"));
        let mut words = [0; 16];
        command.command.to_words(&mut words);
        Outputs {
            status: self.words("status_data")[0] as u32,
            bad_tail: (self.words("bad_tail_valid")[0] == 1).then_some(bad_tail),
            request: request_valid.then(|| (request.context.to_u64(), request.address.to_u64())),
            waiting: self.words("waiting")[0],
            command: (words, command.error.any()),
        }
    }

    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.settle(inputs);
        let cycle = self.engine.cycle();
        self.request
            .observe(&*self.engine, cycle)
            .expect("a stream");
        self.engine.step().expect("settles");
        outputs
    }
}

/// The ring with a memory that answers every fetch with [`content`] after `latency` cycles.
pub struct Rig {
    pub hardware: Hardware,
    pub enabled: u64,
    /// Cycles from a request to its first line, at least 1.
    pub latency: u64,
    /// Lines that cannot be read: context and address.
    pub faulty: Vec<Request>,
    /// Mixed into the contents, so that a command that was read before a change can be distinguished from one read
    /// after it.
    pub version: u64,
    /// Cycle and fetch, of all so far.
    pub requests: Vec<(u64, Request)>,
    due: VecDeque<(u64, Line)>,
}

/// What memory holds at a command's address.
pub fn content(version: u64, (context, address): Request) -> [u64; 16] {
    let seed = version << 32 ^ context << 62 ^ address;
    std::array::from_fn(|word| (seed + word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl Rig {
    pub fn new() -> Self {
        Self::of(CommandRing::<4>::default())
    }

    pub fn of(ring: CommandRing) -> Self {
        Self {
            hardware: Hardware::of(ring),
            enabled: 15,
            latency: 1,
            faulty: Vec::new(),
            version: 0,
            requests: Vec::new(),
            due: VecDeque::new(),
        }
    }

    /// One cycle; `result` and `enabled` come from the rig.
    pub fn cycle(&mut self, inputs: Inputs) -> Outputs {
        let now = self.hardware.engine.cycle();
        let is_due = self.due.front().is_some_and(|(due, _)| *due <= now);
        let line = if is_due { self.due.pop_front() } else { None };
        let result = line.map(|(_, line)| line);
        let outputs = self.hardware.cycle(&Inputs {
            result,
            enabled: self.enabled,
            ..inputs
        });
        if let Some(request) = outputs.request.filter(|_| inputs.request_ready) {
            self.requests.push((now, request));
            let command = content(self.version, request);
            for half in 0..2 {
                let line = Line {
                    data: std::array::from_fn(|word| command[8 * half + word]),
                    error: self
                        .faulty
                        .contains(&(request.0, request.1 + 64 * half as u64)),
                    last: half == 1,
                };
                self.due.push_back((now + self.latency, line));
            }
        }
        outputs
    }

    pub fn idle(&mut self, cycles: u64) -> Outputs {
        for _ in 1..cycles {
            self.cycle(Inputs::default());
        }
        self.cycle(Inputs::default())
    }

    /// Writes a window word and waits a cycle: the context of a refused TAIL.
    pub fn write(&mut self, context: u64, word: u32, data: u32) -> Option<u64> {
        let cfg = Some((context, word, data));
        let before = self
            .cycle(Inputs {
                cfg,
                ..Inputs::default()
            })
            .bad_tail;
        assert_eq!(before, None, "it is tested in the next cycle");
        self.cycle(Inputs::default()).bad_tail
    }

    pub fn read(&mut self, context: u64, word: u32) -> u32 {
        self.cycle(Inputs {
            status: (context, word),
            ..Inputs::default()
        });
        self.cycle(Inputs::default()).status
    }

    pub fn set_up(&mut self, context: u64, base: u64, size: u32) {
        self.write(context, command_word::BASE_LO, base as u32);
        self.write(context, command_word::BASE_HI, (base >> 32) as u32);
        self.write(context, command_word::SIZE, size);
    }

    /// Rings the doorbell; the command must be accepted.
    pub fn post(&mut self, context: u64, tail: u32) {
        assert_eq!(
            self.write(context, command_word::TAIL, tail),
            None,
            "TAIL {tail}"
        );
    }

    /// Takes the next command of a context, waiting for it.
    pub fn take(&mut self, context: u64) -> ([u64; 16], bool) {
        self.cycle(Inputs {
            choose: context,
            ..Inputs::default()
        });
        for _ in 0..100 + self.latency {
            let wish = Inputs {
                choose: context,
                take: true,
                ..Inputs::default()
            };
            let outputs = self.cycle(wish);
            if outputs.waiting >> context & 1 == 1 {
                return outputs.command;
            }
        }
        panic!("no command of context {context}");
    }

    /// Addresses fetched for a context so far.
    pub fn addresses(&self, context: u64) -> Vec<u64> {
        let requests = self
            .requests
            .iter()
            .filter(|(_, request)| request.0 == context);
        requests.map(|(_, request)| request.1).collect()
    }
}
