//! Random programs with random pauses on all sides against the model.

use proptest::prelude::*;
use xtq_testbench::bus::Gaps;

use super::model::{Change, Post, Request};
use super::rig::{Rig, full, small};

/// A wish; what the counter bank would not let through is left out.
#[derive(Clone, Debug)]
enum Step {
    /// Counter, and what is done to its sum.
    Value(usize, Sum),
    Alloc(usize, u64),
    Free(usize),
    /// Counter, context (none: the owner), threshold, period.
    Post(usize, Option<u64>, u64, u64),
    Cancel(usize, Option<u64>),
    /// Cycles before the next step.
    Wait(u64),
    /// The consumer stops, or goes on.
    Stall(bool),
    /// The consumer lets other contexts go before this one, or takes it again.
    Block(u64, bool),
}

#[derive(Clone, Debug)]
enum Sum {
    Add(u64),
    Set(u128),
}

fn threshold() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => 0u64..12,
        2 => 12u64..40,
        1 => (0u64..4).prop_map(|below| u64::MAX - below),
        1 => (0u64..4, 0u32..64).prop_map(|(add, bit)| (1u64 << bit).wrapping_add(add)),
    ]
}

fn period() -> impl Strategy<Value = u64> {
    prop_oneof![8 => Just(0), 3 => 1u64..6, 1 => 1u64..0x10000]
}

fn sum() -> impl Strategy<Value = Sum> {
    prop_oneof![
        12 => (0u64..4).prop_map(Sum::Add),
        2 => (0u64..20).prop_map(Sum::Add),
        3 => (0u128..12).prop_map(Sum::Set),
        1 => threshold().prop_map(|sum| Sum::Set(sum.into())),
        1 => (0u128..4).prop_map(|add| Sum::Set((1 << 64) - 2 + add)),
    ]
}

fn step(counters: usize) -> impl Strategy<Value = Step> {
    let counter = move || 0..counters;
    let context = || prop::option::weighted(0.1, 0u64..4);
    prop_oneof![
        20 => (counter(), sum()).prop_map(|(counter, sum)| Step::Value(counter, sum)),
        14 => (counter(), context(), threshold(), period())
            .prop_map(|(counter, context, threshold, period)| Step::Post(counter, context, threshold, period)),
        1 => (counter(), context()).prop_map(|(counter, context)| Step::Cancel(counter, context)),
        1 => (counter(), 0u64..4).prop_map(|(counter, context)| Step::Alloc(counter, context)),
        1 => counter().prop_map(Step::Free),
        4 => (1u64..30).prop_map(Step::Wait),
        1 => prop::bool::weighted(0.4).prop_map(Step::Stall),
        2 => (0u64..4, prop::bool::weighted(0.5)).prop_map(|(context, blocks)| Step::Block(context, blocks)),
    ]
}

/// Carries out a program; everything is compared on the way.
fn run(mut rig: Rig, counters: usize, program: &[Step], pauses: [f64; 3], seed: u64) {
    for counter in 0..counters {
        rig.alloc([counter], counter as u64 % 4);
    }
    rig.gaps = [1, 2, 3].map(|i| Gaps::random(pauses[i as usize - 1], seed.wrapping_add(i)));
    // Owner and sum as of the updates that are queued.
    let mut known: Vec<_> = (0..counters as u64).map(|c| Some((c % 4, 0u128))).collect();
    let mut command = 0;
    for step in program {
        match *step {
            Step::Value(counter, ref sum) => {
                let Some((owner, old)) = known[counter] else {
                    continue;
                };
                let new = match *sum {
                    Sum::Add(amount) => (old + u128::from(amount)) % (1 << 65),
                    Sum::Set(sum) => sum,
                };
                known[counter] = Some((owner, new));
                rig.change(counter, owner, Change::Value(new));
            }
            Step::Alloc(counter, context) => {
                if known[counter].is_none() {
                    known[counter] = Some((context, 0));
                    rig.change(counter, context, Change::Alloc);
                }
            }
            Step::Free(counter) => {
                if let Some((owner, _)) = known[counter].take() {
                    rig.change(counter, owner, Change::Free);
                }
            }
            Step::Post(counter, context, threshold, period) => {
                let owner = known[counter].map_or(0, |(owner, _)| owner);
                rig.requests.push_back(Request {
                    counter,
                    context: context.unwrap_or(owner),
                    post: Some(Post {
                        threshold,
                        period,
                        command,
                    }),
                });
                command += 1;
            }
            Step::Cancel(counter, context) => {
                let owner = known[counter].map_or(0, |(owner, _)| owner);
                rig.requests.push_back(Request {
                    counter,
                    context: context.unwrap_or(owner),
                    post: None,
                });
            }
            Step::Wait(cycles) => rig.cycles(cycles),
            Step::Stall(stalled) => rig.stalled = stalled,
            Step::Block(context, blocks) => rig.blocked[context as usize] = blocks,
        }
        // Neither side runs far ahead of the other.
        while rig.updates.len() + rig.requests.len() > 8 {
            rig.cycle();
        }
    }
    // What re-arms fires for as long as its counter is higher.
    for (counter, known) in known.iter().enumerate() {
        if let Some((owner, _)) = known {
            rig.change(counter, *owner, Change::Value(0));
        }
    }
    rig.stalled = false;
    rig.settle();
    rig.blocked = [false; 4];
    rig.settle();
    for (counter, known) in known.into_iter().enumerate() {
        let context = known.map_or(0, |(owner, _)| owner);
        rig.requests.push_back(Request {
            counter,
            context,
            post: None,
        });
    }
    rig.settle();
    assert_eq!(rig.occupied(), [0; 4]);
}

fn pauses() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(prop::sample::select(vec![0.0, 0.0, 0.3, 0.8, 0.95]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_small_engine_does_what_the_model_does(
        program in prop::collection::vec(step(4), 1..400),
        pauses in pauses(),
        seed in any::<u64>(),
    ) {
        run(small(), 4, &program, pauses, seed);
    }

    #[test]
    fn lists_of_one_counter_are_what_the_model_says(
        program in prop::collection::vec(step(1), 1..400),
        pauses in pauses(),
        seed in any::<u64>(),
    ) {
        run(small(), 1, &program, pauses, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_full_engine_does_what_the_model_does(
        program in prop::collection::vec(step(6), 1000..2000),
        pauses in pauses(),
        seed in any::<u64>(),
    ) {
        run(full(), 6, &program, pauses, seed);
    }
}
