//! Random graphs, expressions and designs against naive evaluators that share no code with the engine.

mod build;
mod expr;
mod graph;
mod model;
mod spoil;
mod statements;
mod tape;
mod verilog;
mod wave;

use std::sync::Arc;

use expr::Scope;
use model::{Instance, evaluate};
use num_bigint::BigUint;
use proptest::prelude::*;
use tape::{Tape, tape};
use xtq_engine::design::{
    BinaryOp, Body as Kernel, Design, Expr, ExprKind, Module, Name, SignalKind, Stmt, Ty,
};
use xtq_engine::{Backend, Body, Compiled, Engine, stimulus};

/// Cycles for which each design runs.
const CYCLES: usize = 16;

/// Values by which each expression is checked.
const VECTORS: usize = 12;

/// Values of inputs from a seed.
pub struct Random(stimulus::Random);

impl Random {
    /// With this seed.
    pub fn new(seed: u64) -> Self {
        Self(stimulus::Random::new(seed))
    }

    /// Any word, but corner values often.
    pub fn word(&mut self) -> u64 {
        match self.0.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => self.0.below(64),
            3 => 1 << self.0.below(64),
            _ => self.0.word(),
        }
    }

    fn number(&mut self, width: usize) -> BigUint {
        let words = (0..width.div_ceil(64)).map(|_| self.word());
        let halves = words.flat_map(|w| [w as u32, (w >> 32) as u32]);
        BigUint::new(halves.collect()) % (BigUint::from(1u8) << width)
    }
}

fn engine(design: &Design, backend: Backend) -> Compiled {
    let body = Body::from_design(design, backend).expect("the design is complete and has no loop");
    Compiled::new(Arc::new(body))
}

fn set(engine: &mut Compiled, name: &str, value: &BigUint) {
    let port = engine.port(name).expect("the top has this input");
    engine
        .set(port, &value.to_u64_digits())
        .expect("it is an input");
}

fn words(value: &BigUint, width: usize) -> Vec<u64> {
    let mut words = value.to_u64_digits();
    words.resize(width.div_ceil(64), 0);
    words
}

fn output(engine: &Compiled, name: &str, width: usize) -> Vec<u64> {
    let mut words = vec![0; width.div_ceil(64)];
    engine.get(
        engine.port(name).expect("the top has this output"),
        &mut words,
    );
    words
}

/// A block of three inputs, a constant, and one output that is the expression.
fn expression(tape: &mut Tape) -> Design {
    let mut signals: Vec<_> = (0..3)
        .map(|n| build::signal(format!("i{n}"), tape.ty(), SignalKind::Input))
        .collect();
    let names = signals
        .iter()
        .enumerate()
        .map(|(n, s)| (Name::Own(n), s.ty))
        .collect();
    let ty = tape.ty();
    let value = Scope { tape, names }.expr(ty, 5);
    signals.push(build::signal("o".into(), ty, SignalKind::Output));
    build::of(vec![Module {
        signals,
        children: Vec::new(),
        body: Kernel::Logic(vec![Stmt::Assign {
            target: Name::Own(3),
            offset: 0,
            value,
        }]),
    }])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn random_expressions_have_the_value_of_the_naive_evaluator(mut tape in tape(250), seed: u64) {
        let design = expression(&mut tape);
        let top = design.top();
        let Kernel::Logic(statements) = &top.body else { unreachable!() };
        let Stmt::Assign { value, .. } = &statements[0] else { unreachable!() };
        let mut engines = [Backend::Interp, Backend::Jit].map(|b| engine(&design, b));
        let mut random = Random::new(seed);
        for _ in 0..VECTORS {
            let inputs: Vec<_> = (0..3).map(|n| random.number(top.signals[n].ty.width)).collect();
            let expected = evaluate(value, &|name| match name {
                Name::Own(n) => inputs[n].clone(),
                Name::Port { .. } => BigUint::ZERO,
            });
            for engine in &mut engines {
                for (n, value) in inputs.iter().enumerate() {
                    set(engine, &format!("i{n}"), value);
                }
                engine.eval().expect("compiled engines always settle");
                let found = output(engine, "o", value.ty.width);
                let expected = words(&expected, value.ty.width);
                prop_assert_eq!(found, expected, "{}: {:?} of {:x?}", engine.name(), value, &inputs);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn random_designs_run_as_the_naive_evaluator(mut tape in tape(900), seed: u64) {
        let design = build::design(&mut tape);
        let top = design.top();
        let mut model = Instance::new(&design, design.top);
        let mut engines = [Backend::Interp, Backend::Jit].map(|b| engine(&design, b));
        let mut random = Random::new(seed);
        for cycle in 0..CYCLES {
            for (n, signal) in top.signals.iter().enumerate() {
                // Some inputs stay as they are, in some cycles all: then engines sleep.
                if signal.kind == SignalKind::Input && !signal.clock && cycle % 4 != 3 && random.0.below(4) != 0 {
                    let value = random.number(signal.ty.width);
                    engines.iter_mut().for_each(|e| set(e, &signal.name, &value));
                    model.values[n] = value;
                }
            }
            model.settle(&design);
            for engine in &mut engines {
                engine.eval().expect("compiled engines always settle");
                for (signal, value) in top.signals.iter().zip(&model.values) {
                    if signal.kind == SignalKind::Output {
                        let found = output(engine, &signal.name, signal.ty.width);
                        let (who, name) = (engine.name(), &signal.name);
                        let expected = words(value, signal.ty.width);
                        prop_assert_eq!(found, expected, "{}, cycle {}: {} in {:#?}", who, cycle, name, &design);
                    }
                }
            }
            let mut signals = Vec::new();
            model.signals(&design, "", &mut signals);
            let paths: Vec<&str> = signals.iter().map(|(path, _)| path.as_str()).collect();
            let found = engines[cycle % 2].peek_many(&paths).expect("all paths exist");
            for ((path, value), mut found) in signals.iter().zip(found) {
                while found.last() == Some(&0) {
                    found.pop();
                }
                prop_assert_eq!(found, value.to_u64_digits(), "cycle {}: {} in {:#?}", cycle, path, &design);
            }
            engines.iter_mut().for_each(|e| e.step().expect("compiled engines always settle"));
            model.edge(&design);
        }
    }
}

/// The JIT cuts a design of this size into several functions, which leave values to each other.
#[test]
fn a_design_of_thousands_of_nodes_runs_as_the_naive_evaluator() {
    const STEPS: usize = 600;
    let ty = Ty::bits(100);
    let mut signals = vec![build::signal("i".into(), ty, SignalKind::Input)];
    signals.extend((0..STEPS).map(|n| build::signal(format!("l{n}"), ty, SignalKind::Local)));
    signals.push(build::signal("o".into(), ty, SignalKind::Output));
    let read = |n: usize| {
        Box::new(Expr {
            kind: ExprKind::Signal(Name::Own(n)),
            ty,
        })
    };
    let both = |op, a, b| {
        Box::new(Expr {
            kind: ExprKind::Binary(op, a, b),
            ty,
        })
    };
    // Each is the sum of the one before and of one far above, with the bits of the input set.
    let statements = (1..signals.len()).map(|n| Stmt::Assign {
        target: Name::Own(n),
        offset: 0,
        value: *both(
            BinaryOp::Add,
            read(n - 1),
            both(BinaryOp::Or, read(n / 2), read(0)),
        ),
    });
    let body = Kernel::Logic(statements.collect());
    let design = build::of(vec![Module {
        signals,
        children: Vec::new(),
        body,
    }]);
    let mut model = Instance::new(&design, design.top);
    let mut random = Random::new(1);
    for backend in [Backend::Interp, Backend::Jit] {
        let mut engine = engine(&design, backend);
        assert!(
            engine.body().nodes() > 3000,
            "{} nodes",
            engine.body().nodes()
        );
        for _ in 0..20 {
            model.values[0] = random.number(ty.width);
            model.settle(&design);
            set(&mut engine, "i", &model.values[0]);
            engine.eval().expect("compiled engines always settle");
            let expected = words(&model.values[STEPS + 1], ty.width);
            assert_eq!(
                output(&engine, "o", ty.width),
                expected,
                "{}",
                engine.name()
            );
        }
    }
}
