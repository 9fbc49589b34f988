//! `CounterBank` against plain counters, and its contract.

mod waiting;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_rtl::triggers::counter_bank::CounterBank;
use xtq_testbench::bus::{Gaps, Pin};
use xtq_types::counter::counter_operation::{ALLOC, COUNT, FREE, GET, INC, SET};
use xtq_types::counter::counter_status::{ARGUMENT_INVALID, IN_USE, NOT_ALLOCATED, NOT_OWNER, OK};
use xtq_types::counter::{counter_change, counter_operation};

/// An operation as it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Operation {
    code: u8,
    context: u64,
    counter: u64,
    success: u64,
    failure: u64,
}

/// The answer: status, success, failure.
type Answer = (u8, u64, u64);

/// A change reported to the trigger engine.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Update {
    counter: u64,
    context: u64,
    change: u8,
    sum: u128,
}

/// Owner, success and failure of every counter that has an owner.
#[derive(Default)]
struct Model(HashMap<u64, (u64, u64, u64)>);

impl Model {
    fn perform(&mut self, operation: &Operation) -> (Answer, Option<Update>) {
        let Operation {
            code,
            context,
            counter,
            success,
            failure,
        } = *operation;
        let refused = |status| ((status, 0, 0), None);
        if code > FREE {
            return refused(ARGUMENT_INVALID);
        }
        let change = match code {
            ALLOC => counter_change::ALLOC,
            FREE => counter_change::FREE,
            _ => counter_change::VALUE,
        };
        let (new_success, new_failure) = match self.0.get(&counter) {
            Some(_) if code == ALLOC => return refused(IN_USE),
            None if code == ALLOC => (0, 0),
            None => return refused(NOT_ALLOCATED),
            Some((owner, ..)) if *owner != context => return refused(NOT_OWNER),
            Some(_) if code == INC && (success == 0) == (failure == 0) => {
                return refused(ARGUMENT_INVALID);
            }
            Some((_, old_success, old_failure)) => match code {
                COUNT | INC => (
                    old_success.wrapping_add(success),
                    old_failure.wrapping_add(failure),
                ),
                SET => (success, failure),
                _ => (*old_success, *old_failure),
            },
        };
        self.0.insert(counter, (context, new_success, new_failure));
        if code == FREE {
            self.0.remove(&counter);
        }
        let update = Update {
            counter,
            context,
            change,
            sum: u128::from(new_success) + u128::from(new_failure),
        };
        let update = (code != GET).then_some(update);
        ((OK, new_success, new_failure), update)
    }
}

/// The bank between its users and a trigger engine that may be slow.
struct Rig {
    engine: Box<dyn Engine>,
    model: Model,
    operations: VecDeque<Operation>,
    gaps: [Gaps; 2],
    offers: bool,
    stalled: bool,
    /// Of what was taken: cycle and answer to come, update to come.
    answers: VecDeque<(u64, Answer)>,
    updates: VecDeque<Update>,
    /// Cycles of the handshakes, of the results and of the updates' handshakes; all answers.
    taken: Vec<u64>,
    told: Vec<u64>,
    passed: Vec<u64>,
    seen: Vec<Answer>,
    noise: Gaps,
}

/// A bank of 256 counters.
fn rig() -> Rig {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let body = BODY.get_or_init(|| {
        let bank = Box::new(CounterBank::<8, 256>::default());
        Arc::new(Body::new(bank.as_ref(), Backend::Jit).expect("compiles"))
    });
    let mut engine: Box<dyn Engine> = Box::new(Compiled::new(body.clone()));
    engine.reset(2).expect("has rst");
    Rig {
        engine,
        model: Model::default(),
        operations: VecDeque::new(),
        gaps: [Gaps::none(), Gaps::none()],
        offers: false,
        stalled: false,
        answers: VecDeque::new(),
        updates: VecDeque::new(),
        taken: Vec::new(),
        told: Vec::new(),
        passed: Vec::new(),
        seen: Vec::new(),
        noise: Gaps::random(0.0, 1),
    }
}

impl Rig {
    fn set(&mut self, name: &str, value: u64) {
        let pin = Pin::input(&*self.engine, name).expect("is an input");
        let value = value & (u64::MAX >> (64 - pin.width()));
        pin.set(&mut *self.engine, value).expect("is an input");
    }

    fn get(&self, name: &str) -> u64 {
        let pin = Pin::output(&*self.engine, name).expect("is an output");
        pin.get(&*self.engine)
    }

    fn sum(&self) -> u128 {
        let pin = Pin::output(&*self.engine, "update_sum").expect("is an output");
        let words = pin.get_words(&*self.engine);
        u128::from(words[1]) << 64 | u128::from(words[0])
    }

    fn drive(&mut self) {
        self.offers = self.offers || (!self.operations.is_empty() && !self.gaps[0].pause());
        let noise = Operation {
            code: self.noise.noise() as u8,
            context: self.noise.noise(),
            counter: self.noise.noise(),
            success: self.noise.noise(),
            failure: self.noise.noise(),
        };
        let operation = self.operations.front().filter(|_| self.offers).copied();
        self.set("operation_valid", operation.is_some().into());
        let operation = operation.unwrap_or(noise);
        self.set("operation_code", operation.code.into());
        self.set("operation_context", operation.context);
        self.set("operation_counter", operation.counter);
        self.set("operation_success", operation.success);
        self.set("operation_failure", operation.failure);
        let ready = !self.stalled && !self.gaps[1].pause();
        self.set("update_ready", ready.into());
    }

    fn sample(&mut self) {
        let cycle = self.engine.cycle();
        if self.offers && self.get("operation_ready") == 1 {
            self.offers = false;
            let operation = self.operations.pop_front().expect("was offered");
            let (answer, update) = self.model.perform(&operation);
            self.answers.push_back((cycle, answer));
            self.updates.extend(update);
            self.taken.push(cycle);
        }
        if self.get("result_valid") == 1 {
            let (_, expected) = self.answers.pop_front().expect("one is under way");
            let seen = (
                self.get("result") as u8,
                self.get("result_success"),
                self.get("result_failure"),
            );
            assert_eq!(seen, expected, "cycle {cycle}");
            self.told.push(cycle);
            self.seen.push(seen);
        }
        if self.get("update_valid") == 1 {
            let expected = *self.updates.front().expect("one is under way");
            let seen = Update {
                counter: self.get("update_counter"),
                context: self.get("update_context"),
                change: self.get("update_change") as u8,
                sum: self.sum(),
            };
            assert_eq!(seen, expected, "cycle {cycle}");
            let ready = Pin::input(&*self.engine, "update_ready").expect("is an input");
            if ready.is_high(&*self.engine) {
                self.updates.pop_front();
                self.passed.push(cycle);
            }
        }
    }

    fn cycle(&mut self) {
        self.drive();
        self.engine.eval().expect("settles");
        self.sample();
        self.engine.step().expect("settles");
    }

    /// Runs until nothing is under way.
    fn settle(&mut self) {
        for _ in 0..100_000 {
            if self.operations.is_empty() && self.answers.is_empty() && self.updates.is_empty() {
                (0..5).for_each(|_| self.cycle());
                return;
            }
            self.cycle();
        }
        panic!("{:?} {:?}", self.answers, self.updates);
    }

    fn push(&mut self, code: u8, context: u64, counter: u64, success: u64, failure: u64) {
        self.operations.push_back(Operation {
            code,
            context,
            counter,
            success,
            failure,
        });
    }

    /// One operation; its answer.
    fn ask(&mut self, code: u8, context: u64, counter: u64, success: u64, failure: u64) -> Answer {
        self.push(code, context, counter, success, failure);
        self.settle();
        *self.seen.last().expect("answered")
    }
}

fn amount() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0u64..3,
        2 => any::<u64>(),
        2 => (0u64..3).prop_map(|below| u64::MAX - below),
        1 => Just(1 << 63),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let code = prop_oneof![
        8 => Just(COUNT), 4 => Just(INC), 2 => Just(SET), 2 => Just(GET), 2 => Just(ALLOC), 1 => Just(FREE), 1 => 6u8..8
    ];
    let counter = prop_oneof![6 => 0u64..3, 1 => Just(255u64), 1 => 0u64..256];
    let context = prop_oneof![8 => Just(1u64), 1 => 0u64..4];
    (code, context, counter, amount(), amount()).prop_map(
        |(code, context, counter, success, failure)| Operation {
            code,
            context,
            counter,
            success,
            failure,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn behaves_like_plain_counters(
        program in prop::collection::vec(operation(), 1..400),
        pauses in prop::array::uniform2(prop::sample::select(vec![0.0, 0.0, 0.3, 0.9])),
        seed in any::<u64>(),
    ) {
        let mut rig = rig();
        rig.gaps = [1, 2].map(|i| Gaps::random(pauses[i as usize - 1], seed.wrapping_add(i)));
        rig.operations.extend(program);
        rig.settle();
    }
}

#[test]
fn an_operation_a_cycle_is_done_and_told_3_cycles_later() {
    let mut rig = rig();
    rig.push(ALLOC, 2, 7, 0, 0);
    for _ in 0..500 {
        rig.push(COUNT, 2, 7, 3, 1);
    }
    for counter in 0..200 {
        rig.push(COUNT, 2, counter, 1, 0);
    }
    rig.settle();
    assert!(rig.taken.windows(2).all(|pair| pair[1] - pair[0] == 1));
    assert!(
        rig.taken
            .iter()
            .zip(&rig.told)
            .all(|(taken, told)| told - taken == 3)
    );
    assert_eq!(
        rig.passed,
        rig.taken[..501]
            .iter()
            .map(|cycle| cycle + 3)
            .chain([rig.taken[508] + 3])
            .collect::<Vec<_>>()
    );
    assert_eq!(rig.ask(GET, 2, 7, 0, 0), (OK, 1501, 500));
}

#[test]
fn operations_on_one_counter_at_every_distance_see_each_other() {
    for distance in 0..6u64 {
        let mut rig = rig();
        rig.push(ALLOC, 0, 9, 0, 0);
        rig.push(ALLOC, 0, 10, 0, 0);
        for round in 0..5 {
            rig.push(COUNT, 0, 9, 1 << round, 0);
            for _ in 0..distance {
                rig.push(COUNT, 0, 10, 1, 0);
            }
        }
        rig.settle();
        assert_eq!(rig.ask(GET, 0, 9, 0, 0), (OK, 31, 0), "{distance}");
        assert_eq!(rig.ask(GET, 0, 10, 0, 0), (OK, 5 * distance, 0));
    }
}

#[test]
fn an_increment_needs_exactly_one_amount() {
    let mut rig = rig();
    rig.push(ALLOC, 0, 1, 0, 0);
    assert_eq!(rig.ask(INC, 0, 1, 0, 0), (ARGUMENT_INVALID, 0, 0));
    assert_eq!(rig.ask(INC, 0, 1, 1, 1), (ARGUMENT_INVALID, 0, 0));
    assert_eq!(rig.ask(INC, 0, 1, 1 << 63, 0), (OK, 1 << 63, 0));
    assert_eq!(rig.ask(INC, 0, 1, 0, 5), (OK, 1 << 63, 5));
    // What a message counts may be nothing: zero bytes.
    assert_eq!(rig.ask(COUNT, 0, 1, 0, 0), (OK, 1 << 63, 5));
    assert_eq!(rig.passed.len(), 4);
}

#[test]
fn a_set_replaces_both_fields_at_once() {
    let mut rig = rig();
    rig.push(ALLOC, 0, 1, 0, 0);
    rig.push(COUNT, 0, 1, 77, 88);
    rig.push(SET, 0, 1, u64::MAX, 3);
    rig.push(GET, 0, 1, 9, 9);
    rig.push(SET, 0, 1, 0, 0);
    rig.push(GET, 0, 1, 9, 9);
    rig.settle();
    assert_eq!(
        rig.seen[2..],
        [(OK, u64::MAX, 3), (OK, u64::MAX, 3), (OK, 0, 0), (OK, 0, 0)]
    );
}

#[test]
fn the_sum_has_65_bits_and_follows_a_field_that_wraps() {
    let mut rig = rig();
    rig.push(ALLOC, 0, 1, 0, 0);
    // The rig compares every sum with that of the model.
    for (success, failure) in [
        (u64::MAX, 0),
        (0, u64::MAX),
        (1, 0),
        (0, 1),
        (u64::MAX, u64::MAX),
        (u64::MAX, u64::MAX),
        (2, 2),
        (0, 0),
    ] {
        rig.push(COUNT, 0, 1, success, failure);
    }
    rig.push(SET, 0, 1, u64::MAX, u64::MAX);
    rig.push(COUNT, 0, 1, 1, 1);
    rig.settle();
    assert_eq!(rig.seen.last(), Some(&(OK, 0, 0)));
}

#[test]
fn a_counter_without_an_owner_can_only_be_allocated() {
    let mut rig = rig();
    for code in [GET, COUNT, INC, SET, FREE] {
        assert_eq!(rig.ask(code, 0, 200, 1, 0), (NOT_ALLOCATED, 0, 0));
    }
    assert_eq!(rig.ask(ALLOC, 0, 200, 5, 5), (OK, 0, 0));
    assert_eq!(rig.ask(ALLOC, 0, 200, 0, 0), (IN_USE, 0, 0));
    assert_eq!(rig.ask(COUNT, 0, 200, 4, 0), (OK, 4, 0));
    assert_eq!(rig.ask(FREE, 0, 200, 0, 0), (OK, 4, 0));
    assert_eq!(rig.ask(GET, 0, 200, 0, 0), (NOT_ALLOCATED, 0, 0));
    assert_eq!(rig.ask(ALLOC, 3, 200, 0, 0), (OK, 0, 0));
}

#[test]
fn a_counter_of_another_context_is_not_touched_and_not_told() {
    let mut rig = rig();
    rig.push(ALLOC, 1, 3, 0, 0);
    rig.push(COUNT, 1, 3, 12, 34);
    rig.settle();
    for context in [0, 2, 3] {
        for code in [GET, COUNT, INC, SET, FREE] {
            assert_eq!(rig.ask(code, context, 3, 1, 0), (NOT_OWNER, 0, 0));
        }
        assert_eq!(rig.ask(ALLOC, context, 3, 1, 0), (IN_USE, 0, 0));
    }
    assert_eq!(rig.ask(GET, 1, 3, 0, 0), (OK, 12, 34));
    assert_eq!(rig.passed.len(), 2);
}

#[test]
fn codes_that_mean_nothing_are_refused() {
    let mut rig = rig();
    rig.push(ALLOC, 1, 3, 0, 0);
    for code in [counter_operation::FREE + 1, 7] {
        assert_eq!(rig.ask(code, 1, 3, 1, 0), (ARGUMENT_INVALID, 0, 0));
        assert_eq!(rig.ask(code, 1, 4, 1, 0), (ARGUMENT_INVALID, 0, 0));
    }
    assert_eq!(rig.ask(GET, 1, 3, 0, 0), (OK, 0, 0));
}

#[test]
#[should_panic(expected = "CounterOwners: 5 flags for 2^2 counters, must be 4")]
fn a_wrong_number_of_counters_is_refused() {
    let _ = CounterBank::<2, 5>::default();
}
