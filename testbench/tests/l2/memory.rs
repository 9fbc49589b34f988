//! A memory at a bank's AXI port, for lines of any width. Latencies are drawn, reads of different ids overtake each
//! other, a read looks at the memory at a drawn time between AR and R, a write is seen from a drawn time between W and
//! B on. So whatever the bank does not order itself goes wrong here.

use std::collections::{HashMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Engine, PortId};

/// How the memory behaves.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Longest time from AR to R and from W to B in cycles; the shortest is 1.
    pub latency: u64,
    /// Probability that a channel pauses in a cycle.
    pub pauses: f64,
    /// Probability that a fetch fails.
    pub errors: f64,
    /// Seed of all choices.
    pub seed: u64,
}

impl Timing {
    /// Answers after `latency` cycles, in order, always ready.
    pub fn fixed(latency: u64) -> Self {
        Self {
            latency,
            pauses: 0.0,
            errors: 0.0,
            seed: 0,
        }
    }
}

struct Read {
    id: u64,
    line: u64,
    looks: u64,
    due: u64,
    data: Option<Vec<u64>>,
}

struct Write {
    line: u64,
    strobe: u64,
    data: Vec<u64>,
    seen: u64,
    due: u64,
    done: bool,
}

/// Pins of the AXI port.
struct Pins {
    ar_valid: PortId,
    ar_ready: PortId,
    ar_id: PortId,
    ar_addr: PortId,
    r_valid: PortId,
    r_id: PortId,
    r_data: PortId,
    r_resp: PortId,
    aw_valid: PortId,
    aw_ready: PortId,
    aw_addr: PortId,
    w_valid: PortId,
    w_ready: PortId,
    w_data: PortId,
    w_strb: PortId,
    b_valid: PortId,
    b_resp: PortId,
}

/// The memory.
pub struct Memory {
    pins: Pins,
    timing: Timing,
    rng: ChaCha8Rng,
    words: usize,
    lines: HashMap<u64, Vec<u64>>,
    reads: Vec<Read>,
    addresses: VecDeque<u64>,
    data: VecDeque<(Vec<u64>, u64)>,
    writes: VecDeque<Write>,
    ready: [bool; 3],
    answering: (Option<usize>, bool),
    /// Nothing is answered.
    pub held: bool,
    /// All fetches of these lines fail.
    pub bad_lines: Vec<u64>,
    /// All writes fail.
    pub bad_writes: bool,
    /// Writes are acknowledged in one of so many cycles only.
    pub acknowledges_every: u64,
    /// Cycle and line of each read.
    pub read_log: Vec<(u64, u64)>,
    /// Cycle, line and strobe of each write that is seen.
    pub write_log: Vec<(u64, u64, u64)>,
}

/// What a line holds before anybody writes to it.
pub fn initial(line: u64, words: usize) -> Vec<u64> {
    (0..words as u64)
        .map(|word| (line << 16) | (word << 8) | 0x5a)
        .collect()
}

impl Memory {
    pub fn new(engine: &dyn Engine, words: usize, timing: Timing) -> Self {
        let pin = |name: &str| engine.port(name).expect("a pin of the bank");
        let pins = Pins {
            ar_valid: pin("ar_valid"),
            ar_ready: pin("ar_ready"),
            ar_id: pin("ar_id"),
            ar_addr: pin("ar_addr"),
            r_valid: pin("r_valid"),
            r_id: pin("r_id"),
            r_data: pin("r_data"),
            r_resp: pin("r_resp"),
            aw_valid: pin("aw_valid"),
            aw_ready: pin("aw_ready"),
            aw_addr: pin("aw_addr"),
            w_valid: pin("w_valid"),
            w_ready: pin("w_ready"),
            w_data: pin("w_data"),
            w_strb: pin("w_strb"),
            b_valid: pin("b_valid"),
            b_resp: pin("b_resp"),
        };
        let rng = ChaCha8Rng::seed_from_u64(timing.seed);
        Self {
            pins,
            timing,
            rng,
            words,
            lines: HashMap::new(),
            reads: Vec::new(),
            addresses: VecDeque::new(),
            data: VecDeque::new(),
            writes: VecDeque::new(),
            ready: [true; 3],
            answering: (None, false),
            held: false,
            bad_lines: Vec::new(),
            bad_writes: false,
            acknowledges_every: 1,
            read_log: Vec::new(),
            write_log: Vec::new(),
        }
    }

    /// What the memory holds now.
    pub fn line(&self, line: u64) -> Vec<u64> {
        self.lines
            .get(&line)
            .cloned()
            .unwrap_or_else(|| initial(line, self.words))
    }

    /// Reads that are not answered.
    pub fn reads_under_way(&self) -> usize {
        self.reads.len()
    }

    fn pause(&mut self) -> bool {
        self.timing.pauses > 0.0 && self.rng.random_bool(self.timing.pauses)
    }

    fn latency(&mut self) -> u64 {
        if self.timing.seed == 0 {
            self.timing.latency
        } else {
            self.rng.random_range(1..=self.timing.latency)
        }
    }

    /// Drives the bank's inputs of cycle `now`.
    pub fn drive(&mut self, engine: &mut dyn Engine, now: u64) {
        for read in &mut self.reads {
            if read.looks <= now && read.data.is_none() {
                let line = read.line;
                let held = self.lines.get(&line).cloned();
                read.data = Some(held.unwrap_or_else(|| initial(line, self.words)));
            }
        }
        for write in &mut self.writes {
            if write.seen <= now && !write.done {
                write.done = true;
                let words = self.words;
                let line = self
                    .lines
                    .entry(write.line)
                    .or_insert_with(|| initial(write.line, words));
                for byte in 0..8 * words {
                    if write.strobe >> byte & 1 == 1 {
                        let mask = 0xff << (8 * (byte % 8));
                        line[byte / 8] = (line[byte / 8] & !mask) | (write.data[byte / 8] & mask);
                    }
                }
                self.write_log.push((now, write.line, write.strobe));
            }
        }
        self.ready = [!self.pause(), !self.pause(), !self.pause()];
        let due: Vec<usize> = (0..self.reads.len())
            .filter(|&i| self.reads[i].due <= now)
            .collect();
        let answers = !self.held && !self.pause();
        let chosen = match due.len() {
            0 => None,
            n if answers => Some(
                due[if self.timing.seed == 0 {
                    0
                } else {
                    self.rng.random_range(0..n)
                }],
            ),
            _ => None,
        };
        let acknowledges = !self.held
            && !self.pause()
            && self.writes.front().is_some_and(|w| w.due <= now)
            && now.is_multiple_of(self.acknowledges_every);
        self.answering = (chosen, acknowledges);
        let p = &self.pins;
        let mut set = |port, words: &[u64]| engine.set(port, words).expect("is an input");
        set(p.ar_ready, &[self.ready[0].into()]);
        set(p.aw_ready, &[self.ready[1].into()]);
        set(p.w_ready, &[self.ready[2].into()]);
        set(p.r_valid, &[chosen.is_some().into()]);
        if let Some(i) = chosen {
            let read = &self.reads[i];
            let drawn = self.timing.errors > 0.0 && self.rng.random_bool(self.timing.errors);
            let fails = drawn || self.bad_lines.contains(&read.line);
            let noise = vec![0xdead_beef_dead_beef; self.words];
            set(p.r_id, &[read.id]);
            set(
                p.r_data,
                if fails {
                    &noise
                } else {
                    read.data.as_ref().expect("looked at")
                },
            );
            set(p.r_resp, &[if fails { 2 } else { 0 }]);
        }
        set(p.b_valid, &[acknowledges.into()]);
        set(p.b_resp, &[if self.bad_writes { 2 } else { 0 }]);
    }

    /// Samples the bank's outputs of cycle `now`.
    pub fn sample(&mut self, engine: &dyn Engine, now: u64) {
        if let Some(i) = self.answering.0 {
            self.reads.remove(i);
        }
        if self.answering.1 {
            self.writes.pop_front();
        }
        let get = |port| {
            let mut word = [0];
            engine.get(port, &mut word);
            word[0]
        };
        if get(self.pins.ar_valid) == 1 && self.ready[0] {
            let due = now + self.latency();
            let looks = if self.timing.seed == 0 {
                due
            } else {
                self.rng.random_range(now + 1..=due)
            };
            let (id, line) = (get(self.pins.ar_id), get(self.pins.ar_addr) / 64);
            assert_eq!(get(self.pins.ar_addr) % 64, 0);
            assert!(
                self.reads.iter().all(|read| read.id != id),
                "cycle {now}: id {id} is under way"
            );
            assert!(
                self.reads.iter().all(|read| read.line != line),
                "cycle {now}: line {line} is read twice"
            );
            self.read_log.push((now, line));
            self.reads.push(Read {
                id,
                line,
                looks,
                due,
                data: None,
            });
        }
        if get(self.pins.aw_valid) == 1 && self.ready[1] {
            self.addresses.push_back(get(self.pins.aw_addr) / 64);
        }
        if get(self.pins.w_valid) == 1 && self.ready[2] {
            let mut data = vec![0; self.words];
            engine.get(self.pins.w_data, &mut data);
            self.data.push_back((data, get(self.pins.w_strb)));
        }
        if let (Some(&line), Some(_)) = (self.addresses.front(), self.data.front()) {
            self.addresses.pop_front();
            let (data, strobe) = self.data.pop_front().expect("there is one");
            let due = (now + self.latency()).max(self.writes.back().map_or(0, |write| write.due));
            let seen = if self.timing.seed == 0 {
                due
            } else {
                self.rng.random_range(now + 1..=due)
            };
            let seen = seen.max(self.writes.back().map_or(0, |write| write.seen));
            self.writes.push_back(Write {
                line,
                strobe,
                data,
                seen,
                due,
                done: false,
            });
        }
    }
}
