//! Golden cases and random programs, back to back.

use crate::cosim::program::program;
use crate::cosim::race::{needs_steps, race};
use crate::cosim::step_by_step::{STEPS, programs};
use proptest::prelude::*;
use serde_json::Value;
use xtq_testbench::cases::beside::Beside;
use xtq_testbench::cases::rtl::{Rtl, built};
use xtq_testbench::cases::script::{Call, Script};
use xtq_testbench::cases::{NotRun, mpi, portals};
use xtq_testbench::portals::{Command, Request};

/// Seeds of each golden case: with 0 engines compute what may have changed, with 1 everything.
const SEEDS: u64 = 2;

/// Plays a script with this seed: back to back, or, if it needs steps, step by step on random memories.
fn play(script: &Script, seed: u64) -> Result<(), NotRun> {
    if needs_steps(script).is_none() {
        return race(script, seed);
    }
    let nodes = Rtl::open_with(&script.configs, Some(seed))?;
    script.play_to(&mut Beside::new(nodes, &script.configs))
}

/// The open cases of a kind.
fn cases(kind: &str) -> Vec<Value> {
    let text = include_str!("../../../cases/portals-mpi.json");
    let document: Value = serde_json::from_str(text).expect("the open cases are JSON");
    let cases = document["cases"].as_array().expect("a list").iter();
    cases.filter(|case| case["kind"] == kind).cloned().collect()
}

/// Whether the hardware has all of it.
fn is_built(script: &Script) -> bool {
    script.calls.iter().all(|call| match call {
        Call::Receive(Request { kind, .. }) => built(*kind).is_ok(),
        Call::Post(_, _, Command::Transfer(transfer)) => built(transfer.kind).is_ok(),
        _ => true,
    })
}

/// Replays all cases of a kind; how many were played back to back, step by step, and not.
fn replay(kind: &str, script: impl Fn(&Value) -> Script) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for case in cases(kind) {
        let script = script(&case);
        if !is_built(&script) {
            counts.2 += 1;
            continue;
        }
        match needs_steps(&script) {
            None => counts.0 += 1,
            Some(why) => {
                println!("{}: {why}", case["id"]);
                counts.1 += 1;
            }
        }
        for seed in 0..SEEDS {
            if let Err(why) = play(&script, seed) {
                panic!("{} with seed {seed}: {why}", case["id"]);
            }
        }
    }
    println!("{kind}: back to back, step by step, not built: {counts:?}");
    counts
}

#[test]
fn portals_cases_back_to_back_are_what_the_model_does_in_the_same_order() {
    let script = |case: &Value| {
        portals::play_to::<Script>(case)
            .expect("the model plays it")
            .0
    };
    let (back_to_back, ..) = replay("portals", script);
    assert!(back_to_back >= 14, "{back_to_back}");
}

#[test]
fn mpi_cases_back_to_back_are_what_the_model_does_in_the_same_order() {
    let script = |case: &Value| mpi::play_to::<Script>(case).expect("the model plays it").0;
    let counts = replay("mpi", script);
    assert_eq!(counts, (28, 0, 0));
}

proptest! {
    #![proptest_config(programs(2))]

    #[test]
    fn random_programs_back_to_back_are_what_the_model_does_in_the_same_order(
        program in program(STEPS + STEPS / 2),
        seed: u64,
    ) {
        let script: Script = program.racing().play().expect("the model plays everything");
        let outcome = play(&script, seed);
        prop_assert!(outcome.is_ok(), "{}", outcome.err().map_or_else(String::new, |why| why.to_string()));
    }
}
