//! Random designs and expressions as Verilog: many in one run of each tool, which must accept them without a word and
//! compute what the naive evaluator computes.

use num_bigint::BigUint;
use proptest::prelude::*;
use xtq_engine::design::{Design, SignalKind};

use super::model::Instance;
use super::tape::{Tape, tape};
use super::{Random, build, expression};
use crate::verilog::tools::{Bench, accept_all, simulate};

/// Designs and expressions in one run.
const DESIGNS: usize = 60;

/// Cycles for which each runs.
const CYCLES: usize = 40;

/// A design with what the naive evaluator says.
fn bench(name: String, design: Design, seed: u64) -> Bench {
    let mut random = Random::new(seed);
    let mut model = Instance::new(&design, design.top);
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for cycle in 0..CYCLES {
        let of = |values: &[BigUint], kind: &SignalKind| {
            let signals = design.top().signals.iter().zip(values);
            let ports = signals.filter(|(signal, _)| signal.kind == *kind && !signal.clock);
            ports.map(|(_, value)| value.to_u64_digits()).collect()
        };
        for (signal, value) in design.top().signals.iter().zip(&mut model.values) {
            let input = signal.kind == SignalKind::Input && !signal.clock;
            if input && (cycle == 0 || !random.word().is_multiple_of(4)) {
                *value = random.number(signal.ty.width);
            }
        }
        model.settle(&design);
        inputs.push(of(&model.values, &SignalKind::Input));
        outputs.push(of(&model.values, &SignalKind::Output));
        model.edge(&design);
    }
    Bench {
        name,
        design,
        inputs,
        outputs,
    }
}

/// What a tape plays: mostly expressions, some designs.
fn play(at: usize, tape: &mut Tape, seed: u64) -> Bench {
    match at % 4 {
        0 => bench(format!("design_{at}"), build::design(tape), seed),
        _ => bench(format!("expression_{at}"), expression(tape), seed),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1, ..ProptestConfig::default() })]

    #[test]
    fn random_verilog_is_accepted_and_runs_as_the_naive_evaluator(
        mut tapes in proptest::collection::vec((tape(600), any::<u64>()), DESIGNS),
    ) {
        let tapes = tapes.iter_mut().enumerate();
        let benches: Vec<Bench> = tapes.map(|(at, (tape, seed))| play(at, tape, *seed)).collect();
        accept_all(&benches);
        simulate(&benches);
    }
}
