//! The unit on the JIT, between a pipeline that delivers messages later and a command stage that gives one command of
//! each context at a time.

mod settle;

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::blocks;
use xtq_engine::{Backend, Body, Compiled, Engine, PortId};
use xtq_types::matching::{MatchResult, match_op};
use xtq_types::wire_header::ni_fail;

use super::rules::{Ended, Told};
use crate::match_unit::model::{Model, Rules};
use crate::match_unit::words::{Command, Request, Words};

/// How the neighbours behave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Neighbours {
    /// How often events and counts are not taken.
    pub pauses: f64,
    /// A message is delivered at most so many cycles after its result.
    pub delay: u64,
    /// `in_flight` speaks of all messages, not only of those before `line`.
    pub no_line: bool,
    /// How often an unexpected message fails.
    pub failures: f64,
}

/// A message under way.
struct Message {
    context: usize,
    number: u64,
    /// Its result has come; delivered in this cycle.
    due: Option<u64>,
    /// It left a header: the name, and what becomes of it.
    unexpected: Option<(u64, Ended)>,
}

/// What was accepted, in this order.
enum Accepted {
    Request(Request),
    Command(Command),
    Stop(u64),
}

/// The unit.
pub struct Unit {
    engine: Compiled,
    neighbours: Neighbours,
    rng: ChaCha8Rng,
    requests: VecDeque<Request>,
    commands: [VecDeque<Command>; 4],
    stops: VecDeque<u64>,
    /// The context of which a command is offered.
    offering: Option<usize>,
    /// By context: a command was taken, and `done` has not come.
    listing: [bool; 4],
    order: Vec<Accepted>,
    /// Messages that were accepted and not delivered.
    messages: VecDeque<Message>,
    accepted: u64,
    results: usize,
    /// What becomes of unexpected messages, in the order of their results.
    ended: Vec<Ended>,
    /// What becomes of the next ones, instead of what is drawn.
    pub fates: VecDeque<Ended>,
    /// Nothing is delivered.
    pub frozen: bool,
    /// The message of this number is not delivered.
    pub held: Option<u64>,
    /// Messages before this number may be spoken of, by context, since `line`.
    lines: [u64; 4],
    line_pulses: usize,
    /// By context: the command that is offered, or was the last one.
    at_hand: [Command; 4],
    /// By context: messages accepted before it was done.
    before: [u64; 4],
    /// Cycle of each thing reported.
    pub told: Vec<(u64, Told)>,
    /// Cycles in which a command was taken.
    pub taken: Vec<u64>,
    model: Model,
    judged: usize,
}

fn body() -> Arc<Body> {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let body = BODY.get_or_init(|| {
        let design = blocks::design("list_unit").expect("a block of this name");
        Arc::new(Body::new(design.as_ref(), Backend::Jit).expect("it keeps the rules"))
    });
    body.clone()
}

impl Unit {
    /// After reset, ready to accept.
    pub fn new(neighbours: Neighbours, seed: u64) -> Self {
        let mut engine = Compiled::new(body());
        engine.reset(2).expect("has rst");
        let mut unit = Self {
            engine,
            neighbours,
            rng: ChaCha8Rng::seed_from_u64(seed),
            requests: VecDeque::new(),
            commands: Default::default(),
            stops: VecDeque::new(),
            offering: None,
            listing: [false; 4],
            order: Vec::new(),
            messages: VecDeque::new(),
            accepted: 0,
            results: 0,
            ended: Vec::new(),
            fates: VecDeque::new(),
            frozen: false,
            held: None,
            lines: [0; 4],
            line_pulses: 0,
            at_hand: Default::default(),
            before: [0; 4],
            told: Vec::new(),
            taken: Vec::new(),
            model: Model::new(256, 128, Rules::Lists),
            judged: 0,
        };
        unit.idle(515);
        unit
    }

    /// Whose neighbours never pause, with portal entry 0 of context 0, which matches.
    pub fn simple() -> Self {
        let mut unit = Self::new(Neighbours::default(), 0);
        unit.command(Command::alloc(0, 0, false));
        unit
    }

    pub fn offer(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    pub fn give(&mut self, command: Command) {
        self.commands[command.context as usize].push_back(command);
    }

    /// The pipeline stops {context, portal entry}.
    pub fn stop(&mut self, portal: u64) {
        self.stops.push_back(portal);
    }

    /// Messages that were accepted.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Requests and stops that were not accepted.
    pub fn pending(&self) -> (usize, usize) {
        (self.requests.len(), self.stops.len())
    }

    fn port(&self, name: &str) -> PortId {
        self.engine.port(name).expect("a port")
    }

    fn word(&self, name: &str) -> u64 {
        self.words(name)[0]
    }

    fn words(&self, name: &str) -> Vec<u64> {
        let port = self.port(name);
        let width = self.engine.ports()[port.position()].width;
        let mut words = vec![0; width.div_ceil(64)];
        self.engine.get(port, &mut words);
        words
    }

    fn high(&self, name: &str) -> bool {
        self.word(name) == 1
    }

    fn set(&mut self, name: &str, words: &[u64]) {
        let port = self.port(name);
        self.engine.set(port, words).expect("an input");
    }

    /// One cycle.
    pub fn cycle(&mut self) {
        let now = self.engine.cycle();
        // One unexpected message a cycle, as what became of it is reported.
        let (frozen, held) = (self.frozen, self.held);
        let mut ended = None;
        self.messages.retain(|message| {
            let stays = frozen || held == Some(message.number);
            let due = message.due.is_some_and(|due| due <= now) && !stays;
            match message.unexpected {
                Some((name, fate)) if due && ended.is_none() => {
                    ended = Some((message.context, name, fate));
                    false
                }
                Some(_) => true,
                None => !due,
            }
        });
        self.set("ended_valid", &[ended.is_some().into()]);
        // Noise, if it says nothing.
        let (context, name, [status, access, fail]) =
            ended.unwrap_or_else(|| (3, self.rng.random_range(0..256), [1, 1, 1]));
        self.set("ended_header", &[(context as u64) << 13 | name]);
        let [status, access, fail] = [status, access, fail].map(u64::from);
        self.set("ended", &[status | access << 8 | fail << 16]);
        let mut in_flight = 0;
        for message in &self.messages {
            let spoken_of = message.number < self.lines[message.context];
            if spoken_of || self.neighbours.no_line {
                in_flight |= 1 << message.context;
            }
        }
        self.set("in_flight", &[in_flight]);
        if let Some(request) = self.requests.front().map(Request::words) {
            self.set("request", &request);
        }
        self.set("request_valid", &[(!self.requests.is_empty()).into()]);
        // What is offered stays until it is taken.
        if self.offering.is_none() {
            let first = self.rng.random_range(0..4);
            let mut turns = (first..first + 4).map(|turn| turn % 4);
            self.offering = turns
                .find(|context| !self.listing[*context] && !self.commands[*context].is_empty());
        }
        self.set("command_valid", &[self.offering.is_some().into()]);
        if let Some(context) = self.offering {
            let command = self.commands[context]
                .front()
                .expect("it is offered")
                .clone();
            self.set("command", &command.words());
            self.at_hand[context] = command;
            self.before[context] = self.accepted;
        }
        let stop = self.stops.front().copied();
        self.set("stop_valid", &[stop.is_some().into()]);
        self.set("stop", &[stop.unwrap_or(0)]);
        self.set("result_ready", &[1]);
        // Valid must not depend on ready: it is looked at with both.
        let offers = |unit: &Self| ["own_valid", "count_valid"].map(|name| unit.high(name));
        let ready = [(); 2].map(|()| !self.pause());
        for (level, name) in [(!ready[0], "own_ready"), (!ready[1], "count_ready")] {
            self.set(name, &[level.into()]);
        }
        self.engine.eval().expect("settles");
        let offered = offers(self);
        for (level, name) in [(ready[0], "own_ready"), (ready[1], "count_ready")] {
            self.set(name, &[level.into()]);
        }
        self.engine.eval().expect("settles");
        assert_eq!(offered, offers(self), "valid depends on ready");
        self.sample(now, ready);
        self.engine.step().expect("settles");
    }

    /// What becomes of the next unexpected message.
    fn fate(&mut self) -> Ended {
        if let Some(fate) = self.fates.pop_front() {
            return fate;
        }
        let failures = self.neighbours.failures;
        match failures > 0.0 && self.rng.random_bool(failures) {
            true => [
                self.rng.random_range(1..20),
                self.rng.random_range(0..9),
                if self.rng.random() {
                    ni_fail::SEGV
                } else {
                    ni_fail::DROPPED
                },
            ],
            false => [0; 3],
        }
    }

    fn pause(&mut self) -> bool {
        self.neighbours.pauses > 0.0 && self.rng.random_bool(self.neighbours.pauses)
    }

    fn sample(&mut self, now: u64, [own_ready, count_ready]: [bool; 2]) {
        if self.high("result_valid") {
            let delay = self.rng.random_range(0..=self.neighbours.delay);
            let result = Words(self.words("result"));
            let unexpected = (result.get(MatchResult::FIELDS, "unexpected") == 1).then(|| {
                let fate = self.fate();
                self.ended.push(fate);
                (result.get(MatchResult::FIELDS, "header"), fate)
            });
            let mut waiting = self.messages.iter_mut().filter(|m| m.due.is_none());
            let message = waiting.next().expect("a message");
            (message.due, message.unexpected) = (Some(now + 1 + delay), unexpected);
            self.results += 1;
        }
        let mut log = Vec::new();
        if self.high("own_valid") {
            let event = Told::event(&self.words("own"));
            self.delivered(&event);
            log.extend(own_ready.then_some(event));
        }
        if self.high("count_valid") {
            let words = self.words("count");
            let wide = |i: usize| words[i] >> 10 | words[i + 1] << 54;
            let (context, counter) = (words[0] & 3, words[0] >> 2 & 255);
            let count = Told::Count(context, counter, wide(0), wide(1));
            self.delivered(&count);
            log.extend(count_ready.then_some(count));
        }
        if self.high("done") {
            let context = self.word("done_context");
            let listing = std::mem::take(&mut self.listing[context as usize]);
            assert!(listing, "nothing of context {context} is to be done");
            let end = Told::Done(context, self.word("done_status"));
            let op = self.at_hand[context as usize].op;
            if end == Told::Done(context, 0)
                && (op == match_op::ME_UNLINK || op >= match_op::PT_ALLOC)
            {
                self.delivered(&end);
            }
            log.push(end);
        }
        // When the lists have changed, before it is reported to the host.
        if self.high("enabled_valid") {
            log.insert(0, Told::Enabled(self.word("enabled")));
        }
        self.told.extend(log.into_iter().map(|told| (now, told)));
        if self.high("line_valid") {
            self.lines[self.word("line") as usize] = self.accepted;
            self.line_pulses += 1;
        }
        if !self.requests.is_empty() && self.high("request_ready") {
            let request = self.requests.pop_front().expect("it is offered");
            self.messages.push_back(Message {
                context: request.context as usize,
                number: self.accepted,
                due: None,
                unexpected: None,
            });
            self.accepted += 1;
            self.order.push(Accepted::Request(request));
        }
        if let Some(context) = self.offering
            && self.high("command_ready")
        {
            let command = self.commands[context].pop_front().expect("it is offered");
            self.order.push(Accepted::Command(command));
            self.taken.push(now);
            self.listing[context] = true;
            self.offering = None;
        }
        if !self.stops.is_empty() && self.high("stop_ready") {
            let stop = self.stops.pop_front().expect("it is offered");
            self.order.push(Accepted::Stop(stop));
        }
    }

    /// What the command of its context speaks of must be delivered.
    fn delivered(&self, told: &Told) {
        let context = told.context();
        let mut early = self.messages.iter();
        let early = early.any(|m| m.context == context && m.number < self.before[context]);
        assert!(
            told.adds() || !early,
            "before a message is delivered: {told:?}"
        );
    }

    pub fn idle(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.cycle();
        }
    }
}
