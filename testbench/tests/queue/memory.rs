//! A memory for the block's requesters: late, visible at a random time before the acknowledgement, failing on demand.

use std::collections::{HashMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSink};
use xtq_types::Wire;
use xtq_types::memory::{ReadRequest, ReadResult, WriteRequest};

/// One access, with the cycles in which it happened.
#[derive(Clone, Debug)]
pub struct Access {
    pub port: &'static str,
    pub context: u64,
    pub address: u64,
    pub strobe: u64,
    pub data: [u64; 8],
    pub accepted: u64,
    pub visible: u64,
    pub answered: u64,
    pub failed: bool,
    /// The 8 bytes at `address` when it became visible.
    pub old: u64,
}

impl Access {
    /// Address of the first byte that is written.
    pub fn first_byte(&self) -> u64 {
        (self.address & !63) + u64::from(self.strobe.trailing_zeros())
    }

    /// The 8 bytes at `address`.
    pub fn word(&self) -> u64 {
        self.data[(self.address >> 3 & 7) as usize]
    }
}

/// Header word of a slot without a packet.
pub const INVALID: u32 = 1;

/// Decides whether the access (port, context, address) fails.
pub type Faults = Box<dyn FnMut(&str, u64, u64) -> bool>;

struct Port {
    name: &'static str,
    sink: WordSink,
    ready: Pin,
    held: bool,
    done: Pin,
    /// Error of a write, data of a read.
    answer: Pin,
    /// Old value of an atomic write.
    result: Option<(Pin, Pin)>,
    /// Places in the log, by the time of the answer.
    answers: VecDeque<usize>,
    /// Places in the log, and when the old value is given.
    results: VecDeque<(usize, u64)>,
}

/// The memory; `port`s are the names of the streams.
pub struct Memory {
    /// Contents by context and byte address; 0 where nothing was written.
    bytes: HashMap<(u64, u64), u8>,
    /// Shortest and longest time to the acknowledgement in cycles.
    pub latency: (u64, u64),
    pub faults: Faults,
    pub log: Vec<Access>,
    ports: Vec<Port>,
    /// Places in the log that are not visible.
    hidden: Vec<usize>,
    rng: ChaCha8Rng,
    cycle: u64,
}

impl Memory {
    pub fn new(seed: u64) -> Self {
        Self {
            bytes: HashMap::new(),
            latency: (1, 1),
            faults: Box::new(|_, _, _| false),
            log: Vec::new(),
            ports: Vec::new(),
            hidden: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            cycle: 0,
        }
    }

    fn port(&mut self, engine: &dyn Engine, name: &'static str, stall: f64, pins: [&str; 2]) {
        let gaps = Gaps::random(stall, self.rng.random());
        self.ports.push(Port {
            name,
            sink: WordSink::new(engine, name, gaps).unwrap(),
            ready: Pin::input(engine, &format!("{name}_ready")).unwrap(),
            held: false,
            done: Pin::input(engine, pins[0]).unwrap(),
            answer: Pin::input(engine, pins[1]).unwrap(),
            result: None,
            answers: VecDeque::new(),
            results: VecDeque::new(),
        });
    }

    /// Attaches the writes `name`, answered on `name_done` and `name_error`; not ready with probability `stall`.
    pub fn writes(&mut self, engine: &dyn Engine, name: &'static str, done: &str, stall: f64) {
        let pins = [&format!("{done}_done")[..], &format!("{done}_error")];
        self.port(engine, name, stall, pins);
        if name == "atomic" {
            let pin = |name| Pin::input(engine, name).unwrap();
            self.ports.last_mut().unwrap().result =
                Some((pin("atomic_result_valid"), pin("atomic_result")));
        }
    }

    /// Attaches the reads `name`, answered on `name_result`.
    pub fn reads(&mut self, engine: &dyn Engine, name: &'static str, stall: f64) {
        let pins = [
            &format!("{name}_result_valid")[..],
            &format!("{name}_result"),
        ];
        self.port(engine, name, stall, pins);
    }

    /// While held, a port takes nothing.
    pub fn hold(&mut self, name: &str, held: bool) {
        let port = self.ports.iter_mut().find(|port| port.name == name);
        port.unwrap().held = held;
    }

    /// What a host sees at an 8-byte address.
    pub fn word(&self, context: u64, address: u64) -> u64 {
        let byte = |i| {
            u64::from(
                self.bytes
                    .get(&(context, address + i))
                    .copied()
                    .unwrap_or(0),
            )
        };
        (0..8).fold(0, |word, i| word | byte(i) << (8 * i))
    }

    /// A host's write, visible at once.
    pub fn set_word(&mut self, context: u64, address: u64, word: u64) {
        for i in 0..8 {
            self.bytes
                .insert((context, address + i), (word >> (8 * i)) as u8);
        }
    }

    /// The accesses of a port so far.
    pub fn of(&self, port: &str) -> Vec<&Access> {
        self.log
            .iter()
            .filter(|access| access.port == port)
            .collect()
    }

    /// No access is under way.
    pub fn quiet(&self) -> bool {
        self.ports
            .iter()
            .all(|port| port.answers.is_empty() && port.results.is_empty())
    }

    fn become_visible(&mut self) {
        let due: Vec<usize> = self
            .hidden
            .iter()
            .copied()
            .filter(|&i| self.log[i].visible <= self.cycle)
            .collect();
        self.hidden.retain(|i| !due.contains(i));
        for i in due {
            let Access {
                port,
                context,
                address,
                strobe,
                data,
                failed,
                ..
            } = self.log[i].clone();
            let old = self.word(context, address & !7);
            self.log[i].old = old;
            if failed || port.ends_with("read") {
                continue;
            }
            if port == "atomic" {
                let lane = (address >> 3 & 7) as usize;
                if old == data[lane] {
                    self.set_word(context, address, data[lane ^ 1]);
                }
                continue;
            }
            if port == "enqueue" && strobe == !15 {
                assert_eq!(old as u32, INVALID, "{address:#x} holds an unread packet");
            }
            for byte in (0..64).filter(|byte| strobe >> byte & 1 == 1) {
                let value = (data[byte / 8] >> (8 * (byte % 8))) as u8;
                self.bytes
                    .insert((context, (address & !63) + byte as u64), value);
            }
        }
    }

    fn line(&mut self, log: usize) -> ReadResult {
        let mut words: [u64; 8] = std::array::from_fn(|_| self.rng.random());
        let access = &self.log[log];
        if !access.failed {
            words[(access.address >> 3 & 7) as usize] = access.old;
        }
        ReadResult {
            tag: 0.into(),
            error: u64::from(access.failed).to_bits(),
            data: Bits::from_words(&words),
        }
    }

    fn accept(&mut self, place: usize, words: &[u64], cycle: u64) {
        let name = self.ports[place].name;
        let mut data = [0; 8];
        let (context, address, strobe) = if name.ends_with("read") {
            let request = ReadRequest::from_words(words);
            assert_eq!(request.size.to_u64(), 3, "an index has 8 bytes");
            assert_eq!(request.address.to_u64() % 8, 0, "aligned to its size");
            (request.context.to_u64(), request.address.to_u64(), 0)
        } else {
            let request = WriteRequest::from_words(words);
            assert_eq!(
                (
                    request.first.to_u64(),
                    request.last.to_u64(),
                    request.length.to_u64()
                ),
                (1, 1, 0),
                "one beat"
            );
            assert_eq!(request.atomic.to_u64() == 1, name == "atomic");
            request.data.to_words(&mut data);
            (
                request.context.to_u64(),
                request.address.to_u64(),
                request.strobe.to_u64(),
            )
        };
        let before =
            |f: fn(&Access) -> u64| self.log.iter().rev().find(|a| a.port == name).map_or(0, f);
        let answered = (cycle + self.rng.random_range(self.latency.0..=self.latency.1))
            .max(before(|a| a.answered) + 1);
        let visible = self
            .rng
            .random_range(cycle + 1..=answered)
            .max(before(|a| a.visible));
        let failed = (self.faults)(name, context, address);
        let log = self.log.len();
        self.log.push(Access {
            port: name,
            context,
            address,
            strobe,
            data,
            accepted: cycle,
            visible,
            answered,
            failed,
            old: 0,
        });
        self.hidden.push(log);
        self.ports[place].answers.push_back(log);
        if self.ports[place].result.is_some() {
            let at = self.rng.random_range(visible..=answered + self.latency.1);
            self.ports[place].results.push_back((log, at));
        }
    }
}

impl Model for Memory {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.become_visible();
        for place in 0..self.ports.len() {
            self.ports[place].sink.drive(engine)?;
            if self.ports[place].held {
                self.ports[place].ready.set(engine, 0)?;
            }
            let next = self.ports[place].answers.front().copied();
            let due = next.filter(|&log| self.log[log].answered <= self.cycle);
            if due.is_some() {
                self.ports[place].answers.pop_front();
            }
            self.ports[place].done.set(engine, due.is_some().into())?;
            let mut words = vec![u64::MAX; self.ports[place].answer.words()];
            match due {
                Some(log) if self.ports[place].name.ends_with("read") => {
                    self.line(log).to_words(&mut words)
                }
                Some(log) => words[0] = self.log[log].failed.into(),
                None => {}
            }
            self.ports[place].answer.set_words(engine, &words)?;
            if let Some((valid, result)) = self.ports[place].result {
                let next = self.ports[place].results.front().copied();
                let due = next.filter(|&(_, at)| at <= self.cycle);
                if due.is_some() {
                    self.ports[place].results.pop_front();
                }
                valid.set(engine, due.is_some().into())?;
                let mut words = vec![u64::MAX; result.words()];
                if let Some((log, _)) = due {
                    self.line(log).to_words(&mut words);
                }
                result.set_words(engine, &words)?;
            }
        }
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        for place in 0..self.ports.len() {
            if let Some(words) = self.ports[place].sink.take(engine, cycle)? {
                self.accept(place, &words, cycle);
            }
        }
        self.cycle = cycle + 1;
        Ok(())
    }
}
