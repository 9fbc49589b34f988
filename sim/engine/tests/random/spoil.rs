//! Random designs with something wrong: findings, and never a panic.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use proptest::prelude::*;
use xtq_engine::design::{Body as Kernel, Design, Module, Name, SignalKind, Stmt, Ty};
use xtq_engine::elaborate::Rule;
use xtq_engine::{Backend, Body, Compiled, Engine, Error};

use crate::build;
use crate::tape::{Tape, tape};

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

/// Rules that some design broke.
static BROKEN: LazyLock<Mutex<BTreeSet<Rule>>> = LazyLock::new(Mutex::default);

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    fn check_spoiled(mut tape in tape(900)) {
        let design = spoiled(&mut tape);
        match Body::from_design(&design, Backend::Interp) {
            Ok(body) => {
                let mut engine = Compiled::new(body.into());
                (0..3).for_each(|_| engine.step().expect("compiled engines always settle"));
            }
            Err(Error::Findings(findings)) => {
                prop_assert!(!findings.is_empty());
                let rules = findings.iter().map(|finding| finding.rule);
                BROKEN.lock().expect("no panic").extend(rules);
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn designs_with_something_wrong_give_findings_and_no_panic() {
    check_spoiled();
    let broken = BROKEN.lock().expect("no panic");
    let expected = [
        Rule::Latch,
        Rule::ReadBeforeWrite,
        Rule::MultipleDrivers,
        Rule::Undriven,
        Rule::CombinationalLoop,
    ];
    assert!(
        expected.iter().all(|rule| broken.contains(rule)),
        "{broken:?}"
    );
}
