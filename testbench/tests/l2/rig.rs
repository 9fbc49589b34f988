//! A bank with its requesters and its memory, and what happened in the order of the bank.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::{Backend, Body, Compiled, Engine, PortId, Snapshot};
use xtq_rtl::l2::L2Bank;
use xtq_rtl::types::Wire;
use xtq_rtl::types::l2::{L2Request, L2Response, LockEnd, op};

use super::memory::{Memory, Timing};

/// 2 ways, 2 sets, 4 requests that wait, lines of 8 bytes: the configuration of the proofs, with a longer watchdog.
pub type Small = L2Bank<2, 1, 1, 2, 2, 4, 2, 64, 8, 11, 10>;
/// 4 ways, 2 sets, 8 requests that wait, lines of 16 bytes.
pub type Middle = L2Bank<4, 2, 1, 2, 3, 8, 3, 128, 16, 11, 10>;
/// The default.
pub type Full = L2Bank<16, 4, 7, 128, 11, 16, 4, 512, 64, 17, 16>;

/// The shape of a bank, for those who compute what it does.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub ways: usize,
    pub sets: u64,
    pub places: usize,
    pub words: usize,
    pub longest_limit: u64,
}

pub const SMALL: Shape = Shape {
    ways: 2,
    sets: 2,
    places: 4,
    words: 1,
    longest_limit: 1023,
};
pub const MIDDLE: Shape = Shape {
    ways: 4,
    sets: 2,
    places: 8,
    words: 2,
    longest_limit: 1023,
};
pub const FULL: Shape = Shape {
    ways: 16,
    sets: 128,
    places: 16,
    words: 8,
    longest_limit: 65_535,
};

fn body(shape: Shape) -> Arc<Body> {
    static BODIES: [OnceLock<Arc<Body>>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
    let (slot, build): (usize, fn() -> Box<dyn Block>) = match shape.ways {
        2 => (0, || Box::new(Small::default())),
        4 => (1, || Box::new(Middle::default())),
        _ => (2, || Box::new(Full::default())),
    };
    let make = move || {
        let design = build();
        Arc::new(Body::new(design.as_ref(), Backend::Jit).expect("keeps the rules"))
    };
    // Large blocks do not fit a test thread's stack.
    let on_large_stack = || {
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn(make)
            .expect("a thread")
            .join()
            .expect("builds")
    };
    BODIES[slot].get_or_init(on_large_stack).clone()
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Who {
    Cp(u8),
    Cu(u8),
}

impl Who {
    pub fn is_cp(self) -> bool {
        matches!(self, Self::Cp(_))
    }

    pub fn number(self) -> u8 {
        match self {
            Self::Cp(number) | Self::Cu(number) => number,
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    pub who: Who,
    pub op: u8,
    pub line: u64,
    /// Byte of the line, for atomics.
    pub byte: u64,
    pub wide: bool,
    pub compare: u64,
    pub strobe: u64,
    pub data: Vec<u64>,
}

impl Ask {
    /// A request without data; all bytes of a store.
    pub fn new(who: Who, op: u8, line: u64) -> Self {
        Self {
            who,
            op,
            line,
            byte: 0,
            wide: true,
            compare: 0,
            strobe: u64::MAX,
            data: vec![0; 8],
        }
    }

    /// The same with all words of the line.
    pub fn with(mut self, word: u64) -> Self {
        self.data = vec![word; 8];
        self
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub ask: Ask,
    /// Cycles of the two handshakes.
    pub accepted: u64,
    pub cycle: u64,
    pub hit: bool,
    pub uncached: bool,
    pub status: u8,
    pub data: Vec<u64>,
}

/// The end of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub cause: u8,
    pub rmw: bool,
    pub owner: u8,
    pub age: u64,
    pub line: u64,
}

/// What one access did.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub answer: Option<Answer>,
    pub end: Option<End>,
}

struct Pins {
    request: [PortId; 3],
    request_ready: PortId,
    request_side: [PortId; 2],
    rmw_write: [PortId; 2],
    rmw_write_ready: PortId,
    rmw_write_side: [PortId; 2],
    response: [PortId; 4],
    lock_end: [PortId; 2],
}

/// The bank in its bench.
pub struct Rig {
    pub engine: Compiled,
    pub shape: Shape,
    pub memory: Memory,
    /// Requests that are not accepted, by port.
    requests: VecDeque<(Ask, u8)>,
    rmw_writes: VecDeque<(Ask, u8)>,
    /// Accepted and not answered.
    open: Vec<(Ask, u8, u64)>,
    next_tag: u8,
    pins: Pins,
    rng: ChaCha8Rng,
    /// Probability of a pause of each stream in a cycle.
    pub gaps: f64,
    /// Answers are not taken.
    pub deaf: bool,
    pushed: VecDeque<u64>,
    pub answers: Vec<Answer>,
    /// By the cycle after the access: what it did.
    pub steps: BTreeMap<u64, Step>,
}

impl Rig {
    pub fn new(shape: Shape, timing: Timing, gaps: f64) -> Self {
        let mut engine = Compiled::new(body(shape));
        engine.reset(2).expect("has rst");
        let pin = |name: &str| engine.port(name).expect("a pin of the bank");
        let pins = Pins {
            request: [pin("request"), pin("request_valid"), pin("request_data")],
            request_ready: pin("request_ready"),
            request_side: [pin("request_strobe"), pin("request_data")],
            rmw_write: [pin("rmw_write"), pin("rmw_write_valid")],
            rmw_write_ready: pin("rmw_write_ready"),
            rmw_write_side: [pin("rmw_write_strobe"), pin("rmw_write_data")],
            response: [
                pin("response"),
                pin("response_valid"),
                pin("response_ready"),
                pin("response_data"),
            ],
            lock_end: [pin("lock_end"), pin("lock_end_valid")],
        };
        let memory = Memory::new(&engine, shape.words, timing.clone());
        let mut rig = Self {
            engine,
            shape,
            memory,
            requests: VecDeque::new(),
            rmw_writes: VecDeque::new(),
            open: Vec::new(),
            next_tag: 0,
            pins,
            rng: ChaCha8Rng::seed_from_u64(timing.seed ^ 0x9e37),
            gaps,
            deaf: false,
            pushed: VecDeque::new(),
            answers: Vec::new(),
            steps: BTreeMap::new(),
        };
        rig.limits(shape.longest_limit, shape.ways as u64 * 3 / 4);
        rig
    }

    /// A bank with a memory that answers after four cycles.
    pub fn simple(shape: Shape) -> Self {
        Self::new(shape, Timing::fixed(4), 0.0)
    }

    /// The state of the bank, before anything was asked.
    pub fn start(&self) -> Snapshot {
        assert!(self.steps.is_empty() && self.unanswered() == 0);
        self.engine.snapshot()
    }

    /// Goes back there, with another memory.
    pub fn restart(&mut self, start: &Snapshot, timing: Timing) {
        self.engine.restore(start).expect("of this bank");
        self.memory = Memory::new(&self.engine, self.shape.words, timing);
        self.requests.clear();
        self.rmw_writes.clear();
        self.open.clear();
        self.pushed.clear();
        self.answers.clear();
        self.steps.clear();
        self.next_tag = 0;
    }

    /// Sets the watchdog's limit and that of locked ways.
    pub fn limits(&mut self, watchdog: u64, ways: u64) {
        for (name, value) in [("watchdog_limit", watchdog), ("locked_ways_limit", ways)] {
            let port = self.engine.port(name).expect("is a pin");
            self.engine.set(port, &[value]).expect("is an input");
        }
    }

    /// Line `number` of set `set`.
    pub fn line(&self, set: u64, number: u64) -> u64 {
        number * self.shape.sets + set
    }

    /// Queues a request at its port.
    pub fn ask(&mut self, ask: Ask) {
        let tag = self.next_tag;
        self.next_tag = self.next_tag.wrapping_add(1);
        match ask.op {
            op::RMW_WRITE => self.rmw_writes.push_back((ask, tag)),
            _ => self.requests.push_back((ask, tag)),
        }
    }

    /// Queues a request at the other port.
    pub fn ask_wrong_port(&mut self, ask: Ask) {
        let tag = self.next_tag;
        self.next_tag = self.next_tag.wrapping_add(1);
        match ask.op {
            op::RMW_WRITE => self.requests.push_back((ask, tag)),
            _ => self.rmw_writes.push_back((ask, tag)),
        }
    }

    /// Requests that are not answered.
    pub fn unanswered(&self) -> usize {
        self.requests.len() + self.rmw_writes.len() + self.open.len()
    }

    /// Requests that are not accepted.
    pub fn unaccepted(&self) -> usize {
        self.requests.len() + self.rmw_writes.len()
    }

    fn pause(&mut self) -> bool {
        self.gaps > 0.0 && self.rng.random_bool(self.gaps)
    }

    fn offer(&mut self, ask: Option<(Ask, u8)>, pins: ([PortId; 2], [PortId; 2])) {
        let ([payload, valid], [strobe, data]) = pins;
        self.engine
            .set(valid, &[ask.is_some().into()])
            .expect("is an input");
        if let Some((ask, tag)) = ask {
            let mut request = L2Request::default();
            request.op = (u64::from(ask.op)).to_bits();
            request.wide = u64::from(ask.wide).to_bits();
            request.cp = u64::from(ask.who.is_cp()).to_bits();
            request.requester = u64::from(ask.who.number()).to_bits();
            request.tag = u64::from(tag).to_bits();
            request.address = (ask.line * 64 + ask.byte).to_bits();
            request.compare = ask.compare.to_bits();
            let mut words = [0; 3];
            request.to_words(&mut words);
            self.engine.set(payload, &words).expect("is an input");
            self.engine.set(strobe, &[ask.strobe]).expect("is an input");
            self.engine.set(data, &ask.data).expect("is an input");
        }
    }

    fn get(&self, port: PortId) -> u64 {
        let mut word = [0];
        self.engine.get(port, &mut word);
        word[0]
    }

    /// One clock cycle; its number.
    pub fn cycle(&mut self) -> u64 {
        let now = self.engine.cycle();
        self.memory.drive(&mut self.engine, now);
        let request = if self.pause() {
            None
        } else {
            self.requests.front().cloned()
        };
        let rmw_write = if self.pause() {
            None
        } else {
            self.rmw_writes.front().cloned()
        };
        let (asks, writes) = (request.is_some(), rmw_write.is_some());
        let [payload, valid, _] = self.pins.request;
        self.offer(request, ([payload, valid], self.pins.request_side));
        self.offer(rmw_write, (self.pins.rmw_write, self.pins.rmw_write_side));
        let listens = !self.deaf && !self.pause();
        self.engine
            .set(self.pins.response[2], &[listens.into()])
            .expect("is an input");
        self.engine.eval().expect("settles");

        self.memory.sample(&self.engine, now);
        if asks && self.get(self.pins.request_ready) == 1 {
            let (ask, tag) = self.requests.pop_front().expect("was offered");
            self.open.push((ask, tag, now));
        }
        if writes && self.get(self.pins.rmw_write_ready) == 1 {
            let (ask, tag) = self.rmw_writes.pop_front().expect("was offered");
            self.open.push((ask, tag, now));
        }
        if self.engine.peek("s2_respond_q.q").expect("is a register") == [1] {
            self.pushed.push_back(now);
        }
        if self.get(self.pins.lock_end[1]) == 1 {
            let mut words = [0; 2];
            self.engine.get(self.pins.lock_end[0], &mut words);
            let end = LockEnd::from_words(&words);
            let end = End {
                cause: end.cause.to_u8(),
                rmw: end.rmw.any(),
                owner: end.owner.to_u8(),
                age: end.age.to_u64(),
                line: end.line.to_u64(),
            };
            self.steps.entry(now).or_default().end = Some(end);
        }
        if listens && self.get(self.pins.response[1]) == 1 {
            let mut words = [0];
            self.engine.get(self.pins.response[0], &mut words);
            let response = L2Response::from_words(&words);
            let number = response.requester.to_u8();
            let who = if response.cp.any() {
                Who::Cp(number)
            } else {
                Who::Cu(number)
            };
            let tag = response.tag.to_u8();
            let at = self
                .open
                .iter()
                .position(|(ask, its, _)| ask.who == who && *its == tag);
            let at = at.unwrap_or_else(|| {
                panic!("cycle {now}: an answer to {who:?}, tag {tag}, that nobody waits for")
            });
            let (ask, _, accepted) = self.open.remove(at);
            let mut data = vec![0; self.shape.words];
            self.engine.get(self.pins.response[3], &mut data);
            let status = response.status.to_u8();
            let (hit, uncached) = (response.hit.any(), response.uncached.any());
            let answer = Answer {
                ask,
                accepted,
                cycle: now,
                hit,
                uncached,
                status,
                data,
            };
            let pushed = self.pushed.pop_front().expect("an answer that was pushed");
            self.steps.entry(pushed).or_default().answer = Some(answer.clone());
            self.answers.push(answer);
        }
        self.engine.step().expect("settles");
        now
    }

    /// Runs some cycles.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Runs until everything is answered, at most so many cycles.
    #[track_caller]
    pub fn finish_within(&mut self, cycles: u64) {
        for _ in 0..cycles {
            if self.unanswered() == 0 {
                return;
            }
            self.cycle();
        }
        panic!(
            "{} requests are not answered: {:?} {:?}",
            self.unanswered(),
            self.open,
            self.requests
        );
    }

    /// Asks, and runs until everything is answered; the last answer.
    #[track_caller]
    pub fn done(&mut self, ask: Ask) -> Answer {
        self.ask(ask);
        self.finish_within(400);
        self.answers.last().expect("an answer").clone()
    }

    /// Asks, and runs until this is answered; others may still wait.
    #[track_caller]
    pub fn done_among(&mut self, ask: Ask) -> Answer {
        let others = self.unanswered();
        let first = self.answers.len();
        let (who, op, line) = (ask.who, ask.op, ask.line);
        self.ask(ask);
        for _ in 0..400 {
            self.cycle();
            let is_it = |answer: &&Answer| {
                (answer.ask.who, answer.ask.op, answer.ask.line) == (who, op, line)
            };
            if let Some(answer) = self.answers[first..].iter().find(is_it) {
                return answer.clone();
            }
        }
        panic!("{who:?} {op} is not answered; {others} waited before");
    }

    /// The cycle that comes next.
    pub fn engine_cycle(&self) -> u64 {
        self.engine.cycle()
    }

    /// Value of an output of at most 64 bits.
    pub fn out(&self, name: &str) -> u64 {
        self.get(self.engine.port(name).expect("is a pin"))
    }

    /// A signal inside.
    pub fn peek(&self, path: &str) -> u64 {
        self.engine
            .peek(path)
            .unwrap_or_else(|error| panic!("{path}: {error}"))[0]
    }

    /// The ends of locks so far.
    pub fn ends(&self) -> Vec<End> {
        self.steps.values().filter_map(|step| step.end).collect()
    }
}
