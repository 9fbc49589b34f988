//! The engine with a source of updates, a source of requests and a consumer of commands, beside the model.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_rtl::triggers::trigger_engine::TriggerEngine;
use xtq_testbench::bus::{Gaps, Pin};
use xtq_types::counter::{counter_change, counter_status};

use super::model::{Change, Command, Model, Post, Request, Update};

/// Words of a command.
const WORDS: usize = 16;

/// The 128 bytes of a command.
pub fn bytes_of(command: Command) -> [u64; WORDS] {
    std::array::from_fn(|i| {
        (command + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(4 * i as u32)
    })
}

/// The engine as it is built by default: 256 counters, 128 places for each context.
pub fn full() -> Rig {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    Rig::new(compiled::<8, 256, 9, 10>(&BODY), 128)
}

/// An engine with 4 counters and 8 places for each context.
pub fn small() -> Rig {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    Rig::new(compiled::<2, 4, 5, 6>(&BODY), 8)
}

fn compiled<const A: usize, const N: usize, const S: usize, const L: usize>(
    body: &OnceLock<Arc<Body>>,
) -> Box<dyn Engine> {
    let body = body.get_or_init(|| {
        let design = Box::new(TriggerEngine::<A, N, S, L>::default());
        Arc::new(Body::new(design.as_ref(), Backend::Jit).expect("compiles"))
    });
    Box::new(Compiled::new(body.clone()))
}

/// What the model has yet to do: the order of the handshakes.
enum Event {
    Update(Update),
    /// With its answer, when it is known.
    Request(Request, Option<u8>),
    /// What has left first waits again.
    Rearm,
}

/// What the rig has seen.
#[derive(Default)]
pub struct Seen {
    /// Cycle of the handshake of each update.
    pub updates: Vec<u64>,
    /// Cycle of the handshake of each request.
    pub requests: Vec<u64>,
    /// Cycle and code of each answer.
    pub answers: Vec<(u64, u8)>,
    /// Cycle in which each waited again.
    pub rearms: Vec<u64>,
    /// Cycle since when it was offered, and the command, of each that was taken.
    pub fired: Vec<(u64, Command)>,
    /// Cycles in which an update waited.
    pub held: u64,
}

impl Seen {
    /// The commands that fired, in order.
    pub fn commands(&self) -> Vec<Command> {
        self.fired.iter().map(|fired| fired.1).collect()
    }

    /// The codes of the answers.
    pub fn codes(&self) -> Vec<u8> {
        self.answers.iter().map(|answer| answer.1).collect()
    }
}

pub struct Rig {
    pub engine: Box<dyn Engine>,
    /// Places of a context.
    pub share: u64,
    pub updates: VecDeque<Update>,
    pub requests: VecDeque<Request>,
    /// The pauses of updates, requests and of the consumer.
    pub gaps: [Gaps; 3],
    noise: Gaps,
    /// The consumer takes nothing.
    pub stalled: bool,
    /// One bit per context: the consumer lets those of others go first.
    pub blocked: [bool; 4],
    pub model: Model,
    pub seen: Seen,
    log: VecDeque<Event>,
    /// What is offered to the engine: once offered, it stays.
    offers: [bool; 2],
    /// A command that waits, and since when.
    waiting: Option<(u64, Command)>,
    /// Places that each context had in the last cycles, the newest last.
    occupied: VecDeque<[u64; 4]>,
}

impl Rig {
    fn new(mut engine: Box<dyn Engine>, share: u64) -> Self {
        engine.reset(2).expect("has rst");
        Self {
            engine,
            share,
            updates: VecDeque::new(),
            requests: VecDeque::new(),
            gaps: [Gaps::none(), Gaps::none(), Gaps::none()],
            noise: Gaps::random(0.0, share),
            stalled: false,
            blocked: [false; 4],
            model: Model::default(),
            seen: Seen::default(),
            log: VecDeque::new(),
            offers: [false; 2],
            waiting: None,
            occupied: VecDeque::from([[0; 4]; 4]),
        }
    }

    /// The same engine after a reset.
    pub fn reset(self) -> Self {
        Self::new(self.engine, self.share)
    }

    pub fn set(&mut self, name: &str, words: &[u64]) {
        let pin = Pin::input(&*self.engine, name).expect("is an input");
        pin.set_words(&mut *self.engine, words)
            .expect("is an input");
    }

    pub fn get(&self, name: &str) -> Vec<u64> {
        let pin = Pin::output(&*self.engine, name).expect("is an output");
        pin.get_words(&*self.engine)
    }

    /// Places that each context has.
    pub fn occupied(&mut self) -> [u64; 4] {
        [0, 1, 2, 3].map(|context| {
            self.set("occupied_context", &[context]);
            self.engine.eval().expect("settles");
            self.get("occupied")[0]
        })
    }

    fn high(&self, name: &str) -> bool {
        self.get(name)[0] == 1
    }

    pub fn cycle_number(&self) -> u64 {
        self.engine.cycle()
    }

    /// One cycle; everything that is seen is compared with the model.
    pub fn cycle(&mut self) {
        self.drive();
        self.engine.eval().expect("settles");
        self.sample();
        self.engine.step().expect("settles");
    }

    pub fn cycles(&mut self, count: u64) {
        for _ in 0..count {
            self.cycle();
        }
    }

    /// Sets the inputs; pins without a meaning carry noise.
    pub fn drive(&mut self) {
        self.engine.eval().expect("settles");
        let mut noise = self.noise.clone();
        self.offers[0] = self.offers[0] || (!self.updates.is_empty() && !self.gaps[0].pause());
        self.offers[1] = self.offers[1] || (!self.requests.is_empty() && !self.gaps[1].pause());
        let update = self.updates.front().filter(|_| self.offers[0]).copied();
        let (change, sum) = match update.map(|update| update.change) {
            Some(Change::Value(sum)) => (counter_change::VALUE, sum),
            Some(Change::Alloc) => (counter_change::ALLOC, 0),
            Some(Change::Free) => (counter_change::FREE, noise.noise().into()),
            None => (noise.noise() as u8 & 3, noise.noise().into()),
        };
        self.set("update_valid", &[update.is_some().into()]);
        let counter = update.map_or_else(|| noise.noise(), |update| update.counter as u64);
        self.set("update_counter", &[counter]);
        let context = update.map_or_else(|| noise.noise(), |update| update.context);
        self.set("update_context", &[context]);
        self.set("update_change", &[change.into()]);
        self.set("update_sum", &[sum as u64, (sum >> 64) as u64]);

        let request = self.requests.front().filter(|_| self.offers[1]).copied();
        let post = request.and_then(|request| request.post);
        self.set("request_valid", &[request.is_some().into()]);
        let cancel = request.map_or(noise.noise() & 1, |request| request.post.is_none().into());
        self.set("request_cancel", &[cancel]);
        let counter = request.map_or_else(|| noise.noise(), |request| request.counter as u64);
        self.set("request_counter", &[counter]);
        let context = request.map_or_else(|| noise.noise(), |request| request.context);
        self.set("request_context", &[context]);
        let threshold = post.map_or_else(|| noise.noise(), |post| post.threshold);
        self.set("request_threshold", &[threshold]);
        let period = post.map_or_else(|| noise.noise() & 0xffff, |post| post.period);
        self.set("request_period", &[period]);
        let command = post.map_or_else(|| noise.noise(), |post| post.command);
        self.set("request_command", &bytes_of(command));
        // What is on offer depends on registers only.
        let offered = self.high("fire_valid").then(|| self.get("fire_context")[0]);
        let blocked = offered.is_some_and(|context| self.blocked[context as usize]);
        let ready = !blocked && !self.stalled && !self.gaps[2].pause();
        self.set("fire_ready", &[ready.into()]);
        self.set("fire_pass", &[blocked.into()]);
        self.noise = noise;
    }

    /// Looks at the settled pins.
    fn sample(&mut self) {
        let cycle = self.engine.cycle();
        // A request comes before the update of the same cycle.
        if self.offers[1] && self.high("request_ready") {
            self.offers[1] = false;
            let request = self.requests.pop_front().expect("was offered");
            self.seen.requests.push(cycle);
            self.log.push_back(Event::Request(request, None));
        }
        // So does what waits again, in a cycle in which no request is taken.
        if self.high("rearm") {
            assert!(!self.high("request_ready"), "cycle {cycle}: two at a time");
            self.seen.rearms.push(cycle);
            self.log.push_back(Event::Rearm);
        }
        if self.offers[0] {
            if self.high("update_ready") {
                self.offers[0] = false;
                let update = self.updates.pop_front().expect("was offered");
                self.seen.updates.push(cycle);
                self.log.push_back(Event::Update(update));
            } else {
                self.seen.held += 1;
            }
        }
        if self.high("answer_valid") {
            let code = self.get("answer")[0] as u8;
            self.answered(cycle, code);
        }
        self.replay();
        self.fire(cycle);
        let occupied = self.occupied();
        assert!(occupied.iter().all(|count| *count <= self.share));
        self.occupied.pop_front();
        self.occupied.push_back(occupied);
    }

    /// The one request under way is answered.
    fn answered(&mut self, cycle: u64, code: u8) {
        self.seen.answers.push((cycle, code));
        assert_eq!(self.seen.answers.len(), self.seen.requests.len());
        let asked = *self.seen.requests.last().expect("was asked");
        // `occupied` in the cycle of the handshake and in the one before: a place is given out again in the second
        // cycle.
        let at = cycle.saturating_sub(asked + 1) as usize;
        let before = self.occupied.iter().rev().skip(at).take(2);
        let before = before.copied().collect::<Vec<_>>();
        let waits = self.log.iter_mut().find_map(|event| match event {
            Event::Request(request, answer @ None) => Some((request, answer)),
            _ => None,
        });
        // A cancellation has had its effect at its handshake.
        let Some((request, answer)) = waits else {
            assert_eq!(code, counter_status::OK, "a cancellation is done");
            return;
        };
        if let Some(post) = request.post {
            assert_eq!(cycle, asked + 2);
            let mut counts = before.iter().map(|counts| counts[request.context as usize]);
            // The last place is for what fires at once, and once; the model has done all that came before.
            let known = self.model.counters.get(&request.counter);
            let due = known.is_some_and(|(_, sum)| *sum >= post.threshold.into());
            let due = due && post.period == 0;
            let room = if due { self.share } else { self.share - 1 };
            match code {
                counter_status::NO_SPACE => assert!(counts.max() >= Some(room), "there is room"),
                counter_status::OK => assert!(counts.next() < Some(room), "there is none"),
                _ => {}
            }
        }
        *answer = Some(code);
    }

    /// The model does what is decided.
    fn replay(&mut self) {
        while let Some(event) = self.log.front() {
            match event {
                Event::Update(update) => self.model.update(update),
                Event::Rearm => self.model.rearm(),
                Event::Request(request, answer) => {
                    let judged = self.model.judge(request);
                    let good = judged == counter_status::OK;
                    match (request.post, answer) {
                        // It is not known what becomes of it; a cancellation is not refused for want of room.
                        (Some(_), None) => return,
                        (None, None) if good => self.model.request(request),
                        (None, None) => return,
                        (_, Some(code)) if good && *code == counter_status::OK => {
                            self.model.request(request);
                        }
                        (_, Some(code)) if good => assert_eq!(*code, counter_status::NO_SPACE),
                        (_, Some(code)) => assert_eq!(*code, judged, "{request:?}"),
                    }
                }
            }
            self.log.pop_front();
        }
    }

    /// The command that is offered is the next one of the model for its context, and stays until it is taken or passed.
    fn fire(&mut self, cycle: u64) {
        if !self.high("fire_valid") {
            assert!(self.waiting.is_none(), "cycle {cycle}: valid fell");
            return;
        }
        let context = self.get("fire_context")[0];
        let due = self.model.fired.iter().find(|one| one.context == context);
        let post = due.unwrap_or_else(|| panic!("cycle {cycle}: nothing is due of {context}"));
        let Post {
            command, period, ..
        } = post.post;
        assert_eq!(self.high("fire_rearms"), period > 0, "cycle {cycle}");
        let waits = self.get("fire_waits")[0] >> context & 1 == 1;
        assert!(
            waits || period > 0,
            "cycle {cycle}: {context} does not wait"
        );
        assert_eq!(
            self.get("fire_command"),
            bytes_of(command),
            "cycle {cycle}: not {command}"
        );
        let (since, waited) = *self.waiting.get_or_insert((cycle, command));
        assert_eq!(waited, command);
        if self.blocked[context as usize] {
            self.waiting = None;
            return;
        }
        let ready = Pin::input(&*self.engine, "fire_ready").expect("is an input");
        if ready.is_high(&*self.engine) {
            self.waiting = None;
            self.model.leave(context);
            self.seen.fired.push((since, command));
        }
    }

    /// Places that each context has, as the model says.
    fn expected(&self) -> [u64; 4] {
        let model = &self.model;
        let mut expected = [0; 4];
        for one in model.pending.iter().chain(&model.fired).chain(&model.left) {
            expected[one.context as usize] += 1;
        }
        expected
    }

    /// Runs until nothing is under way; everything that is due has fired, and the places are as the model says.
    pub fn settle(&mut self) {
        for _ in 0..40_000 {
            let idle = self.updates.is_empty() && self.requests.is_empty();
            let expected = self.expected();
            let answered = self.seen.answers.len() == self.seen.requests.len();
            let blocked = |context: u64| self.blocked[context as usize];
            let fired = self.model.fired.iter().all(|one| blocked(one.context));
            let fired = (self.stalled || fired) && self.model.left.is_empty();
            let occupied = self.occupied.iter().all(|counts| *counts == expected);
            if idle && answered && self.log.is_empty() && fired && occupied {
                // Nothing comes late.
                self.cycles(20);
                assert_eq!(self.occupied(), expected);
                return;
            }
            self.cycle();
        }
        panic!(
            "pending {}, fired {}, left {}, occupied {:?}",
            self.model.pending.len(),
            self.model.fired.len(),
            self.model.left.len(),
            self.occupied
        );
    }

    /// Gives counters to a context, and waits until the lists have done so.
    pub fn alloc(&mut self, counters: impl IntoIterator<Item = usize>, context: u64) {
        for counter in counters {
            self.change(counter, context, Change::Alloc);
        }
        self.settle();
        self.cycles(3 * 32);
        self.seen = Seen::default();
    }

    pub fn change(&mut self, counter: usize, context: u64, change: Change) {
        self.updates.push_back(Update {
            counter,
            context,
            change,
        });
    }

    /// The counter of context 0 has this sum.
    pub fn value(&mut self, counter: usize, sum: impl Into<u128>) {
        self.change(counter, 0, Change::Value(sum.into()));
    }

    /// Context 0 posts.
    pub fn post(&mut self, counter: usize, threshold: u64, command: Command) {
        self.requests.push_back(Request {
            counter,
            context: 0,
            post: Some(Post::once(threshold, command)),
        });
    }

    /// Context 0 posts what re-arms.
    pub fn post_every(&mut self, counter: usize, threshold: u64, period: u64, command: Command) {
        self.requests.push_back(Request {
            counter,
            context: 0,
            post: Some(Post {
                threshold,
                period,
                command,
            }),
        });
    }

    /// Context 0 cancels.
    pub fn cancel(&mut self, counter: usize) {
        self.requests.push_back(Request {
            counter,
            context: 0,
            post: None,
        });
    }
}
