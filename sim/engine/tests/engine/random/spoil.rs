//! Random designs with something wrong: findings, and never a panic.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use xtq_engine::Rule;
use xtq_engine::design::{Body as Kernel, Design, Leaf, Module, Name, SignalKind, Stmt, Ty};
use xtq_engine::{Backend, Body, Compiled, Engine, Error};

use crate::random::build;
use crate::random::tape::{Tape, tape};

/// Everything in a module that a statement may name, with its type.
fn names(modules: &[Module], module: &Module) -> Vec<(Name, Ty)> {
    let own = module.signals.iter().enumerate();
    let own = own.filter(|(_, signal)| !matches!(signal.kind, SignalKind::Constant(_)));
    let own = own.map(|(at, signal)| (Name::Own(at), signal.ty));
    let ports = module.children.iter().enumerate().flat_map(|(child, c)| {
        let signals = modules[c.module].signals.iter().enumerate();
        let ports =
            signals.filter(|(_, s)| matches!(s.kind, SignalKind::Input | SignalKind::Output));
        ports.map(move |(signal, s)| (Name::Port { child, signal }, s.ty))
    });
    own.chain(ports).collect()
}

/// Takes a statement away, moves it, or lets it write something else.
fn spoil(tape: &mut Tape, statements: &mut Vec<Stmt>, names: &[(Name, Ty)]) {
    let Some(last) = statements.len().checked_sub(1) else {
        return;
    };
    let at = tape.pick(last + 1);
    match (&mut statements[at], tape.pick(4)) {
        (Stmt::If { then, .. }, 0) => spoil(tape, then, names),
        (Stmt::Match { default, .. }, 0) => spoil(tape, default, names),
        (_, 1) => statements.swap(at, tape.pick(last + 1)),
        (
            Stmt::Assign {
                target,
                offset,
                value,
            },
            2,
        ) => {
            let room = |ty: Ty| ty.width >= *offset + value.ty.width;
            let fit: Vec<_> = names.iter().filter(|(_, ty)| room(*ty)).collect();
            *target = fit[tape.pick(fit.len())].0;
        }
        _ => _ = statements.remove(at),
    }
}

fn spoiled(tape: &mut Tape) -> Design {
    let mut design = build::design(tape);
    for _ in 0..1 + tape.pick(3) {
        let number = tape.pick(design.modules.len());
        let names = names(&design.modules, &design.modules[number]);
        if let Kernel::Logic(statements) = &mut design.modules[number].body {
            spoil(tape, statements, &names);
        }
    }
    design
}

/// Compiles and runs a design; the rules that it breaks.
fn rules(design: &Design) -> Result<BTreeSet<Rule>, TestCaseError> {
    match Body::from_design(design, Backend::Interp) {
        Ok(body) => {
            let mut engine = Compiled::new(body.into());
            (0..3).for_each(|_| engine.step().expect("compiled engines always settle"));
            Ok(BTreeSet::new())
        }
        Err(Error::Findings(findings)) => {
            prop_assert!(!findings.is_empty());
            Ok(findings.iter().map(|finding| finding.rule).collect())
        }
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn designs_with_something_wrong_give_findings_and_no_panic(mut tape in tape(900)) {
        rules(&spoiled(&mut tape))?;
    }

    #[test]
    fn designs_that_do_not_hold_together_give_findings_and_no_panic(mut tape in tape(900)) {
        let mut design = build::design(&mut tape);
        bend(&mut tape, &mut design);
        // What was bent may still fit, or be read by nobody.
        rules(&design)?;
    }

    #[test]
    fn designs_that_hold_together_have_no_finding(mut tape in tape(900)) {
        let design = build::design(&mut tape);
        prop_assert_eq!(design.check(), Ok(()));
    }
}

#[test]
fn spoiled_designs_break_all_rules_of_kernels() {
    // The same designs in every run: a rule that few of them break is broken in all runs or in none.
    let mut runner = TestRunner::deterministic();
    let mut missing = BTreeSet::from([
        Rule::Latch,
        Rule::ReadBeforeWrite,
        Rule::MultipleDrivers,
        Rule::Undriven,
        Rule::CombinationalLoop,
    ]);
    for _ in 0..20_000 {
        let mut tape = tape(900).new_tree(&mut runner).expect("a tape").current();
        for rule in rules(&spoiled(&mut tape)).expect("findings") {
            missing.remove(&rule);
        }
        if missing.is_empty() {
            return;
        }
    }
    panic!("{missing:?}");
}

/// Changes a position, a width, an offset or a number somewhere.
fn bend(tape: &mut Tape, design: &mut Design) {
    let number = tape.pick(design.modules.len());
    let module = &mut design.modules[number];
    let at = tape.pick(module.signals.len().max(1));
    let other = Ty::bits(1 + tape.pick(70));
    match (tape.pick(5), &mut module.body) {
        (0, _) => module.signals[at].ty = other,
        (1, Kernel::Logic(statements)) => {
            if let Some(Stmt::Assign { offset, .. }) = statements.first_mut() {
                *offset = [usize::MAX, 64, 1][tape.pick(3)];
            }
        }
        (2, Kernel::Logic(statements)) => {
            if let Some(Stmt::Assign { value, .. }) = statements.last_mut() {
                value.ty = other;
            }
        }
        (3, Kernel::Logic(statements)) => {
            if let Some(Stmt::Assign { target, .. }) = statements.first_mut() {
                *target = Name::Port {
                    child: tape.pick(4),
                    signal: tape.pick(90),
                };
            }
        }
        (3, Kernel::Storage(Leaf::Reg { d, .. })) => *d = 77,
        (4, _) if !module.children.is_empty() => module.children[0].module = number + tape.pick(3),
        _ => design.top += 1,
    }
}
