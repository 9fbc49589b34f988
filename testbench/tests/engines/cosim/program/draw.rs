//! Random calls, steps and programs.

use super::entries::{any_descriptor, any_entry};
use super::messages::{plain_arrival, plain_transfer};
use super::play::plain;
use super::values::{counter, node, portal, value};
use super::{Call, Program, Step};
use crate::cosim::tasks;
use proptest::prelude::*;
use xtq_testbench::portals::{Command, CounterId, List, Portal, Rank, Search};

fn append() -> impl Strategy<Value = Call> {
    let list = prop::sample::select(vec![List::Priority, List::Overflow]);
    let append = list.prop_flat_map(|list| (Just(list), portal(), any_entry(list)));
    let append = append.prop_map(|(list, portal, entry)| Call::Append(portal, list, entry));
    prop_oneof![6 => append, 1 => tasks::append()]
}

/// What can be called at once and by a trigger.
fn call() -> impl Strategy<Value = Call> {
    let search_kind = prop::sample::select(vec![Search::Only, Search::Delete]);
    let id = || counter().prop_map(CounterId);
    prop_oneof![
        12 => append(),
        4 => (0..6usize).prop_map(Call::Unlink),
        3 => (portal(), search_kind, any_entry(List::Priority)).prop_map(|(portal, kind, entry)| Call::Search(portal, kind, entry)),
        12 => plain_transfer().prop_map(Call::Transfer),
        6 => tasks::transfer().prop_map(Call::Transfer),
        2 => tasks::registration().prop_map(Call::Plain),
        6 => (id(), value(0)).prop_map(|(id, by)| Call::Plain(Command::CtInc(id, by))),
        2 => (id(), value(0)).prop_map(|(id, to)| Call::Plain(Command::CtSet(id, to))),
        1 => id().prop_map(|id| Call::Plain(Command::CtCancel(id))),
        4 => portal().prop_map(|index| Call::Plain(Command::PtEnable(Portal(index)))),
        1 => portal().prop_map(|index| Call::Plain(Command::PtDisable(Portal(index)))),
    ]
}

/// What is only called at once: the driver is a host library, which keeps books of these and cannot know when they
/// fire.
fn only_now() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => Just(Call::Plain(Command::CtFree(CounterId(4)))),
        2 => Just(Call::Plain(Command::CtAlloc(CounterId(4)))),
        1 => Just(Call::Plain(Command::CtAlloc(CounterId(1)))),
        2 => prop_oneof![Just(3u32), Just(2u32)].prop_map(Call::Release),
        3 => any_descriptor().prop_map(|md| Call::Bind(3, md)),
        1 => Just(Call::Plain(Command::PtAlloc(Portal(1), plain()))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let threshold = prop_oneof![8 => 1..4u64, 2 => Just(0u64), 1 => 4..60u64, 1 => Just(u64::MAX)];
    let trigger = prop_oneof![20 => counter(), 1 => Just(30u32)];
    prop_oneof![
        12 => (node(), call()).prop_map(|(node, call)| Step::Call(node, call)),
        2 => (node(), only_now()).prop_map(|(node, call)| Step::Call(node, call)),
        8 => (node(), trigger, threshold, call())
            .prop_map(|(node, counter, threshold, call)| Step::Triggered(node, counter, threshold, call)),
        14 => plain_arrival().prop_map(Step::Arrive),
        7 => node().prop_flat_map(|node| tasks::arrival(Rank(node))).prop_map(Step::Arrive),
        2 => (node(), 0..4u16).prop_map(|(node, queue)| Step::Consume(node, queue)),
        8 => Just(Step::Deliver),
    ]
}

/// The atomics of a program.
#[derive(Clone, Copy, Debug)]
enum Atomics {
    /// Puts in their place.
    None,
    /// None is refused for its address.
    Aligned,
    /// Most are.
    Anywhere,
}

/// Programs of up to so many steps.
pub fn program(steps: usize) -> impl Strategy<Value = Program> {
    // Lists are filled first: else most messages meet nothing.
    let begin = (node(), append()).prop_map(|(node, call)| Step::Call(node, call));
    let begin = prop::collection::vec(begin, 0..=steps / 4);
    let rest = prop_oneof![
        3 => prop::collection::vec(step(), steps / 2..=steps * 3 / 4),
        1 => prop::collection::vec(tasks::step(), steps / 2..=steps * 3 / 4),
    ];
    let atomics = prop_oneof![
        2 => Just(Atomics::None),
        2 => Just(Atomics::Aligned),
        1 => Just(Atomics::Anywhere),
    ];
    let kind = (any::<bool>(), any::<bool>(), atomics);
    (kind, begin, rest).prop_map(|((scarce, ack_disable, atomics), begin, rest)| {
        let steps = [begin, rest].concat().into_iter();
        let steps = steps.map(|step| match atomics {
            Atomics::None => step.without_atomics(),
            Atomics::Aligned => step.aligned(),
            Atomics::Anywhere => step,
        });
        Program {
            scarce,
            ack_disable,
            steps: steps.collect(),
        }
    })
}
