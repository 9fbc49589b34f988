//! The engine after the counter bank: operations on counters set commands off.

use std::collections::VecDeque;
use std::sync::Arc;

use proptest::prelude::*;
use xtq_engine::{Backend, Body, Compiled};
use xtq_rtl::triggers::counter_bank::CounterBank;
use xtq_testbench::bus::Gaps;
use xtq_testbench::by_name::Hardware;
use xtq_types::counter::counter_change;
use xtq_types::counter::counter_operation::{ALLOC, COUNT, FREE, INC, SET};
use xtq_types::counter::counter_status::{NOT_OWNER, OK};

use super::model::{Change, Post, Request};
use super::rig::{Rig, small};

/// Code, context, counter, success, failure.
type Operation = (u8, u64, u64, u64, u64);

struct Joined {
    bank: Hardware,
    rig: Rig,
    operations: VecDeque<Operation>,
    /// Cycle of each operation's handshake.
    taken: Vec<u64>,
    /// The results.
    statuses: Vec<u8>,
}

impl Joined {
    /// 4 counters, 8 places for each context; counters 0 and 1 belong to context 0, 2 to context 1.
    fn new() -> Self {
        let bank = Box::new(CounterBank::<2, 4>::default());
        let body = Body::new(bank.as_ref(), Backend::Jit).expect("compiles");
        let mut joined = Self {
            bank: Hardware::new(Compiled::new(Arc::new(body))),
            rig: small(),
            operations: VecDeque::new(),
            taken: Vec::new(),
            statuses: Vec::new(),
        };
        for (counter, context) in [(0, 0), (1, 0), (2, 1)] {
            joined.operations.push_back((ALLOC, context, counter, 0, 0));
        }
        joined.settle();
        joined
    }

    /// One cycle of both. Whether the engine takes an update depends on its registers only.
    fn cycle(&mut self) {
        self.rig.engine.eval().expect("settles");
        let ready = self.rig.get("update_ready")[0];
        let operation = self.operations.front().copied();
        let (code, context, counter, success, failure) = operation.unwrap_or_default();
        self.bank.drive("operation_valid", operation.is_some());
        self.bank.drive("operation_code", code);
        self.bank.drive("operation_context", context);
        self.bank.drive("operation_counter", counter);
        self.bank.drive("operation_success", success);
        self.bank.drive("operation_failure", failure);
        self.bank.drive("update_ready", ready);
        self.bank.eval();
        if operation.is_some() && self.bank.get("operation_ready") == [1] {
            self.operations.pop_front();
            self.taken.push(self.bank.0.cycle());
        }
        if self.bank.get("result_valid") == [1] {
            self.statuses.push(self.bank.get("result")[0] as u8);
        }
        if self.bank.get("update_valid") == [1] && self.rig.updates.is_empty() {
            let sum = self.bank.get("update_sum");
            let change = match self.bank.get("update_change")[0] as u8 {
                counter_change::ALLOC => Change::Alloc,
                counter_change::FREE => Change::Free,
                _ => Change::Value(u128::from(sum[1]) << 64 | u128::from(sum[0])),
            };
            let (counter, context) = (
                self.bank.get("update_counter"),
                self.bank.get("update_context"),
            );
            self.rig.change(counter[0] as usize, context[0], change);
        }
        self.bank.step();
        self.rig.cycle();
        assert_eq!(self.bank.0.cycle(), self.rig.cycle_number());
    }

    /// Runs until nothing is under way in either.
    fn settle(&mut self) {
        while !self.operations.is_empty() {
            self.cycle();
        }
        (0..8).for_each(|_| self.cycle());
        while self.statuses.len() < self.taken.len() || !self.rig.updates.is_empty() {
            self.cycle();
        }
        // The bank is empty; the engine goes on alone, in step.
        self.rig.settle();
        while self.bank.0.cycle() < self.rig.cycle_number() {
            self.bank.drive("operation_valid", false);
            self.bank.step();
        }
    }
}

#[test]
fn success_and_failure_reach_a_threshold_together() {
    let mut joined = Joined::new();
    joined.rig.post(0, 5, 0);
    joined.settle();
    joined.operations.push_back((COUNT, 0, 0, 2, 0));
    joined.operations.push_back((INC, 0, 0, 0, 2));
    joined.settle();
    assert_eq!(joined.rig.seen.commands(), [0u64; 0]);
    joined.operations.push_back((COUNT, 0, 0, 0, 1));
    joined.settle();
    assert_eq!(joined.rig.seen.commands(), [0]);
}

#[test]
fn a_command_is_offered_9_cycles_behind_the_operation_that_reaches_it() {
    let mut joined = Joined::new();
    joined.rig.post(0, 1, 0);
    joined.settle();
    joined.operations.push_back((INC, 0, 0, 1, 0));
    joined.settle();
    assert_eq!(
        joined.rig.seen.fired[0].0 - joined.taken.last().expect("was taken"),
        9
    );
}

#[test]
fn success_and_failure_that_overflow_64_bits_together_reach_every_threshold() {
    let mut joined = Joined::new();
    joined.rig.post(0, u64::MAX, 0);
    joined.rig.post(0, 1, 1);
    joined.settle();
    joined.operations.push_back((SET, 0, 0, 1 << 63, 1 << 63));
    joined.settle();
    assert_eq!(joined.rig.seen.commands(), [0, 1]);
}

#[test]
fn an_increment_by_another_context_fires_nothing() {
    let mut joined = Joined::new();
    joined.rig.requests.push_back(Request {
        counter: 2,
        context: 1,
        post: Some(Post::once(1, 0)),
    });
    joined.settle();
    for context in [0, 2, 3] {
        joined.operations.push_back((INC, context, 2, 1, 0));
        joined.operations.push_back((SET, context, 2, 9, 0));
        joined.operations.push_back((FREE, context, 2, 0, 0));
    }
    joined.settle();
    assert_eq!(joined.statuses[3..], [NOT_OWNER; 9]);
    assert_eq!(
        (joined.rig.seen.fired.len(), joined.rig.model.pending.len()),
        (0, 1)
    );
}

#[test]
fn a_schedule_whose_last_operation_sets_its_counter_back_can_be_used_again() {
    let mut joined = Joined::new();
    for round in 0..10u64 {
        // Three puts, then the set, which command 100 stands for.
        for (threshold, command) in [(1, 0), (2, 1), (3, 2), (3, 100)] {
            joined.rig.post(0, threshold, command);
        }
        joined.settle();
        for _ in 0..3 {
            joined.operations.push_back((COUNT, 0, 0, 1, 0));
        }
        while joined.rig.seen.commands().last() != Some(&100)
            || joined.rig.seen.fired.len() as u64 <= 4 * round
        {
            joined.cycle();
        }
        joined.operations.push_back((SET, 0, 0, 0, 0));
        joined.settle();
        assert_eq!(
            joined.rig.seen.commands()[4 * round as usize..],
            [0, 1, 2, 100]
        );
    }
}

#[test]
fn counters_that_increment_each_other_run_on_without_the_host() {
    // A command on counter c increments counter 1 - c and posts itself again, one higher.
    let mut joined = Joined::new();
    joined.rig.post(0, 1, 0);
    joined.rig.post(1, 1, 1);
    joined.settle();
    joined.operations.push_back((INC, 0, 0, 1, 0));
    for round in 0..40 {
        while joined.rig.seen.fired.len() <= round {
            joined.cycle();
        }
        let counter = round % 2;
        assert_eq!(joined.rig.seen.fired[round].1, counter as u64);
        joined
            .operations
            .push_back((INC, 0, 1 - counter as u64, 1, 0));
        joined
            .rig
            .post(counter, round as u64 / 2 + 2, counter as u64);
    }
}

/// Mostly good operations on three counters, and posts.
#[derive(Clone, Debug)]
enum Step {
    Operate(Operation),
    Post(usize, u64, u64),
    Cancel(usize, u64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let owner = |counter| u64::from(counter == 2);
    let amount = || prop_oneof![8 => 0u64..3, 1 => any::<u64>()];
    let operation = (0u64..3, amount(), amount());
    let code = prop_oneof![10 => Just(COUNT), 6 => Just(INC), 3 => Just(SET), 1 => 0u8..8];
    prop_oneof![
        16 => (code, operation).prop_map(move |(code, (counter, success, failure))| {
            Step::Operate((code, owner(counter), counter, success, failure))
        }),
        8 => (0usize..3, 0u64..4, 0u64..30).prop_map(move |(counter, context, threshold)| {
            let context = if context > 0 { owner(counter as u64) } else { context };
            Step::Post(counter, context, threshold)
        }),
        1 => (0usize..3).prop_map(move |counter| Step::Cancel(counter, owner(counter as u64))),
        2 => (1u64..40).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bank_and_engine_together_do_what_the_model_does(
        program in prop::collection::vec(step(), 1..300),
        pause in prop::sample::select(vec![0.0, 0.3, 0.9]),
        seed in any::<u64>(),
    ) {
        let mut joined = Joined::new();
        joined.rig.gaps[2] = Gaps::random(pause, seed);
        for (step, command) in program.into_iter().zip(0..) {
            match step {
                Step::Operate(operation) => joined.operations.push_back(operation),
                Step::Post(counter, context, threshold) => joined.rig.requests.push_back(Request {
                    counter,
                    context,
                    post: Some(Post::once(threshold, command)),
                }),
                Step::Cancel(counter, context) => joined.rig.requests.push_back(Request { counter, context, post: None }),
                Step::Wait(cycles) => (0..cycles).for_each(|_| joined.cycle()),
            }
            while joined.operations.len() + joined.rig.requests.len() > 8 {
                joined.cycle();
            }
        }
        joined.settle();
        prop_assert!(joined.statuses.contains(&OK));
    }
}
