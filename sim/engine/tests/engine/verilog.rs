//! The Verilog writer: what it writes is accepted without a warning, and does what the Rust does.

mod circles;
mod cosim;
mod names;
mod readable;
mod storage;
pub mod tools;

use crate::expressions::cases::Case;
use tools::{Bench, accept, simulate};
use xtq_engine::design::Design;
use xtq_engine::elaborate::elaborate;
use xtq_engine::stimulus::{Random, Stimulus};
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Direction, Engine};

/// Bytes that find wrong carries, signs and masks.
const CORNERS: [u8; 9] = [0, 1, 3, 0x0f, 0x7f, 0x80, 0xf0, 0xfe, 0xff];

/// Random vectors for each case.
const VECTORS: usize = 300;

fn accepted() -> Vec<Case> {
    let cases = crate::expressions::cases::all()
        .into_iter()
        .chain(crate::expressions::cases::more());
    cases.filter(|case| case.refused.is_none()).collect()
}

fn elaborated(case: &Case) -> Design {
    elaborate((case.block)().as_ref()).expect("the case is accepted")
}

/// Runs `engine` with the inputs; gives what goes in and what comes out before each edge.
pub fn record(
    name: &str,
    design: Design,
    engine: &mut dyn Engine,
    inputs: Vec<Vec<Vec<u64>>>,
) -> Bench {
    let ports = engine.ports().to_vec();
    let names = |direction| {
        let signals = design.top().signals.iter();
        let ids = signals.filter_map(|signal| engine.port(&signal.name).ok());
        let ids = ids.filter(|id| ports[id.position()].direction == direction);
        ids.collect::<Vec<_>>()
    };
    let (ins, outs) = (names(Direction::In), names(Direction::Out));
    let mut outputs = Vec::new();
    for values in &inputs {
        for (port, words) in ins.iter().zip(values) {
            engine.set(*port, words).expect("it is an input");
        }
        engine.eval().expect("it settles");
        let sample = outs.iter().map(|port| {
            let mut words = vec![0; ports[port.position()].width.div_ceil(64)];
            engine.get(*port, &mut words);
            words
        });
        outputs.push(sample.collect());
        engine.step().expect("it settles");
    }
    Bench {
        name: name.into(),
        design,
        inputs,
        outputs,
    }
}

/// Random inputs for all ports of an engine, in the order of the design's ports.
pub fn random_inputs(
    design: &Design,
    engine: &dyn Engine,
    seed: u64,
    cycles: usize,
) -> Vec<Vec<Vec<u64>>> {
    let mut stimulus = Stimulus::new(engine.ports(), seed);
    let names: Vec<&str> = design
        .top()
        .signals
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    (0..cycles)
        .map(|_| {
            stimulus.advance();
            let mut values: Vec<_> = stimulus.values().collect();
            values.sort_by_key(|(name, ..)| names.iter().position(|n| n == name));
            values
                .into_iter()
                .map(|(_, _, words)| words.to_vec())
                .collect()
        })
        .collect()
}

/// All pairs of corner bytes, and random bits; none of those for which rust-hdl itself does not return.
fn operands(case: &Case, seed: u64) -> Vec<Vec<Vec<u64>>> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for (first, second) in CORNERS.iter().flat_map(|a| CORNERS.map(|b| (*a, b))) {
        let value = |at: usize| vec![u64::from_le_bytes([[first, second][at % 2]; 8]); 8];
        all.push((0..case.inputs.len()).map(value).collect::<Vec<_>>());
    }
    for _ in 0..VECTORS {
        let value = |_| {
            (0..8)
                .map(|_| random.word() & random.word() | random.word())
                .collect()
        };
        all.push(case.inputs.iter().map(value).collect());
    }
    for values in &mut all {
        for (name, value) in case.inputs.iter().zip(values) {
            if *name == "sa" && case.never.is_some_and(|never| value[0] as u8 == never) {
                value[0] = 0;
            }
        }
    }
    all
}

#[test]
fn all_expressions_are_accepted_without_a_warning() {
    for case in accepted() {
        let files = write(&elaborated(&case), &Options::default());
        accept(&files, "top", 0);
    }
}

#[test]
fn all_expressions_mean_in_both_simulators_what_they_mean_in_rust() {
    let bench = |(seed, case): (usize, &Case)| {
        let mut oracle = (case.oracle)().expect("the case is accepted");
        let inputs = operands(case, seed as u64);
        record(
            &format!("case_{}", case.name),
            elaborated(case),
            oracle.as_mut(),
            inputs,
        )
    };
    let benches: Vec<Bench> = accepted().iter().enumerate().map(bench).collect();
    assert_eq!(benches.len(), 51);
    simulate(&benches);
}

#[test]
fn a_machine_with_everything_runs_as_the_oracle() {
    let mut oracle = crate::design::machine();
    let design = elaborate(&crate::design::Machine::default()).expect("the design is sound");
    accept(&write(&design, &Options::default()), "top", 0);
    let inputs = random_inputs(&design, &oracle, 7, 1500);
    simulate(&[record("machine", design, &mut oracle, inputs)]);
}
