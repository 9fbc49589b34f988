//! The match unit on the JIT with its four streams driven and checked.

mod judge;
mod size;

pub use size::Size;

use std::collections::{BTreeSet, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Compiled, Engine, PortId, Tape};

use super::model::{Model, Status};
use super::words::{Command, Outcome, Request, Response};

/// How often each side of a stream pauses: requests, results, commands, responses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps(pub [f64; 4]);

/// What a stream into the unit is at.
struct Source {
    valid: PortId,
    ready: PortId,
    data: PortId,
    offering: bool,
}

/// A stream out of the unit, and what it showed in the cycle before, if it was not taken.
struct Sink {
    valid: PortId,
    ready: PortId,
    data: PortId,
    waiting: Option<Vec<u64>>,
    width: usize,
}

/// What happened at a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    Request,
    Command,
}

/// The unit.
pub struct Unit {
    engine: Compiled,
    /// The inputs of every cycle from reset on, if they are recorded.
    tape: Option<Tape>,
    size: Size,
    gaps: Gaps,
    rng: ChaCha8Rng,
    request: Source,
    command: Source,
    result: Sink,
    response: Sink,
    counts: [PortId; 3],
    count_context: PortId,
    flow_portals: Option<PortId>,
    requests: VecDeque<Request>,
    commands: VecDeque<Command>,
    /// Requests and commands in the order in which they were accepted, with the cycle.
    pub order: Vec<(u64, Accepted)>,
    all_requests: Vec<Request>,
    all_commands: Vec<Command>,
    /// Cycle and words of each result taken.
    pub results: Vec<(u64, Vec<u64>)>,
    /// Cycle and words of each response taken.
    pub responses: Vec<(u64, Vec<u64>)>,
    /// FINALs among them.
    finals: usize,
    status: [Status; 4],
    model: Model,
    /// Accepted, results and responses that the model has judged.
    judged: [usize; 3],
    expected_results: VecDeque<Outcome>,
    expected_responses: VecDeque<Response>,
    /// Names of the headers, in the order in which they were kept.
    names: Vec<u64>,
    contexts: [Names; 4],
}

/// Names of a context's headers.
#[derive(Default)]
struct Names {
    /// Those in its lists.
    there: BTreeSet<u64>,
    /// Those that its last command that took any took out.
    taken: Vec<u64>,
}

fn source(engine: &Compiled, name: &str) -> Source {
    let port = |suffix: &str| engine.port(&format!("{name}{suffix}")).expect("a port");
    Source {
        valid: port("_valid"),
        ready: port("_ready"),
        data: port(""),
        offering: false,
    }
}

fn sink(engine: &Compiled, name: &str) -> Sink {
    let port = |suffix: &str| engine.port(&format!("{name}{suffix}")).expect("a port");
    let data = port("");
    Sink {
        valid: port("_valid"),
        ready: port("_ready"),
        data,
        waiting: None,
        width: engine.ports()[data.position()].width.div_ceil(64),
    }
}

impl Unit {
    /// After reset, ready to accept; streams pause at random from `seed`.
    pub fn new(size: Size, gaps: Gaps, seed: u64) -> Self {
        Self::build(size, gaps, seed, false)
    }

    /// The same, with a tape.
    pub fn recorded(size: Size, gaps: Gaps, seed: u64) -> Self {
        Self::build(size, gaps, seed, true)
    }

    fn build(size: Size, gaps: Gaps, seed: u64, record: bool) -> Self {
        let mut engine = Compiled::new(size.body());
        engine.reset(2).expect("has rst");
        let port = |name: &str| engine.port(name).expect("a port");
        let counts = [
            port("count_drop"),
            port("count_permission"),
            port("count_operation"),
        ];
        let mut unit = Self {
            request: source(&engine, "request"),
            command: source(&engine, "command"),
            result: sink(&engine, "result"),
            response: sink(&engine, "response"),
            counts,
            count_context: port("count_context"),
            flow_portals: engine.port("flow_portals").ok(),
            tape: record.then(|| Tape::new(&engine)),
            engine,
            size,
            gaps,
            rng: ChaCha8Rng::seed_from_u64(seed),
            requests: VecDeque::new(),
            commands: VecDeque::new(),
            order: Vec::new(),
            all_requests: Vec::new(),
            all_commands: Vec::new(),
            results: Vec::new(),
            responses: Vec::new(),
            finals: 0,
            status: Default::default(),
            model: Model::new(size.entries(), size.headers(), size.rules()),
            judged: [0; 3],
            expected_results: VecDeque::new(),
            expected_responses: VecDeque::new(),
            names: Vec::new(),
            contexts: Default::default(),
        };
        unit.idle(size.entries().max(512) + 3);
        unit
    }

    /// A unit that never pauses.
    pub fn simple() -> Self {
        Self::new(Size::Default, Gaps::default(), 0)
    }

    /// Offers a request after those already offered.
    pub fn offer(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    /// Offers a command after those already offered.
    pub fn order_command(&mut self, command: Command) {
        self.commands.push_back(command);
    }

    fn word(&self, port: PortId) -> u64 {
        let mut words = [0];
        self.engine.get(port, &mut words);
        words[0]
    }

    fn get(&self, port: PortId) -> bool {
        self.word(port) == 1
    }

    fn set(&mut self, port: PortId, value: bool) {
        self.engine.set(port, &[value.into()]).expect("an input");
    }

    /// One cycle.
    pub fn cycle(&mut self) {
        let now = self.engine.cycle();
        let pauses = self
            .gaps
            .0
            .map(|gap| gap > 0.0 && self.rng.random_bool(gap));
        if !self.request.offering
            && !pauses[0]
            && let Some(request) = self.requests.front()
        {
            self.request.offering = true;
            self.engine
                .set(self.request.data, &request.words())
                .expect("an input");
        }
        if !self.command.offering
            && !pauses[2]
            && let Some(command) = self.commands.front()
        {
            self.command.offering = true;
            self.engine
                .set(self.command.data, &command.words())
                .expect("an input");
        }
        self.set(self.request.valid, self.request.offering);
        self.set(self.command.valid, self.command.offering);
        // Valid must not depend on ready: it is looked at with both.
        self.set(self.result.ready, false);
        self.set(self.response.ready, false);
        self.engine.eval().expect("settles");
        let offered = [self.get(self.result.valid), self.get(self.response.valid)];
        self.set(self.result.ready, !pauses[1]);
        self.set(self.response.ready, !pauses[3]);
        self.engine.eval().expect("settles");
        assert_eq!(
            offered,
            [self.get(self.result.valid), self.get(self.response.valid)],
            "valid depends on ready"
        );
        if self.request.offering && self.get(self.request.ready) {
            self.request.offering = false;
            self.order.push((now, Accepted::Request));
            self.all_requests.extend(self.requests.pop_front());
        }
        if self.command.offering && self.get(self.command.ready) {
            self.command.offering = false;
            self.order.push((now, Accepted::Command));
            self.all_commands.extend(self.commands.pop_front());
        }
        let result = self.result.sample(&self.engine, !pauses[1]);
        self.results.extend(result.map(|words| (now, words)));
        let response = self.response.sample(&self.engine, !pauses[3]);
        if let Some(words) = response {
            self.finals += usize::from(Response::read(&words).code().is_some());
            self.responses.push((now, words));
        }
        let counted = self.counts.map(|count| u64::from(self.get(count)));
        let status = &mut self.status[self.word(self.count_context) as usize];
        status.drop += counted[0];
        status.permission += counted[1];
        status.operation += counted[2];
        if let Some(tape) = &mut self.tape {
            tape.record(&self.engine);
        }
        self.engine.step().expect("settles");
    }

    /// What was recorded.
    pub fn tape(self) -> Tape {
        self.tape.expect("it records")
    }

    /// Some cycles.
    pub fn idle(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Runs until everything offered has its result and its FINAL, and compares all of it with the model.
    pub fn settle(&mut self) {
        let limit = self.engine.cycle() + 200_000;
        while !self.requests.is_empty()
            || !self.commands.is_empty()
            || self.results.len() < self.all_requests.len()
            || self.finals < self.all_commands.len()
        {
            self.cycle();
            assert!(
                self.engine.cycle() < limit,
                "no end: {:?}",
                self.order.last()
            );
        }
        self.idle(4);
        self.judge();
    }

    /// Offers a request and gives what became of it, which the model has confirmed.
    pub fn request(&mut self, request: Request) -> Outcome {
        let mut model = self.model.clone();
        let expected = model.request(&request);
        self.offer(request);
        self.settle();
        let (_, words) = self.results.last().expect("a result");
        Outcome::read(words, &expected)
    }

    /// Gives a command, and gives its responses, which the model has confirmed.
    pub fn command(&mut self, command: Command) -> Vec<Response> {
        let before = self.responses.len();
        self.order_command(command);
        self.settle();
        let new = &self.responses[before..];
        new.iter().map(|(_, words)| Response::read(words)).collect()
    }

    /// Gives a command and gives how it ended.
    pub fn code(&mut self, command: Command) -> u8 {
        let responses = self.command(command);
        responses.last().and_then(Response::code).expect("a FINAL")
    }

    /// Cycle in which request `n` was accepted.
    pub fn accepted(&self, n: usize) -> u64 {
        let requests = self
            .order
            .iter()
            .filter(|(_, what)| *what == Accepted::Request);
        requests.map(|(cycle, _)| *cycle).nth(n).expect("accepted")
    }

    /// The model of all that was judged.
    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Status counters of a context.
    pub fn status(&self, context: usize) -> Status {
        self.status[context]
    }

    pub fn engine(&mut self) -> &mut Compiled {
        &mut self.engine
    }
}

impl Sink {
    /// What is taken in this cycle. What was offered before must still be there.
    fn sample(&mut self, engine: &Compiled, ready: bool) -> Option<Vec<u64>> {
        let mut valid = [0];
        engine.get(self.valid, &mut valid);
        let mut words = vec![0; self.width];
        engine.get(self.data, &mut words);
        let shown = (valid[0] == 1).then_some(words);
        if let Some(before) = self.waiting.take() {
            assert_eq!(shown.as_ref(), Some(&before), "payload is not stable");
        }
        match ready {
            true => shown,
            false => {
                self.waiting = shown;
                None
            }
        }
    }
}
