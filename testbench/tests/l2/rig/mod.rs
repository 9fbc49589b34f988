//! A bank with its requesters and its memory, and what happened in the order of the bank.

mod asks;
mod cycle;
mod shapes;

pub use asks::{Answer, Ask, End, Step, Who};
pub use shapes::{FULL, MIDDLE, SMALL, Shape};

use std::collections::{BTreeMap, VecDeque};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Compiled, Engine, PortId, Snapshot};
use xtq_types::l2::op;

use super::memory::{Memory, Timing};
use shapes::body;

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

    /// Sets the ways that only misses of the command processor fill.
    pub fn cp_ways(&mut self, ways: u64) {
        let port = self.engine.port("cp_ways").expect("is a pin");
        self.engine.set(port, &[ways]).expect("is an input");
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

    fn get(&self, port: PortId) -> u64 {
        let mut word = [0];
        self.engine.get(port, &mut word);
        word[0]
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
