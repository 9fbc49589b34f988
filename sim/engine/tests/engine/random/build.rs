//! Random designs that are complete: no latch, no loop, nothing undriven.
//!
//! A kernel is built in stages: first what its children with logic need, one after the other, then its own outputs. A
//! stage only reads what stages before it have driven, registers, and what it has written itself; so nothing depends on
//! itself.

use num_bigint::BigUint;
use xtq_engine::design::{
    BIT, Body, Child, Design, Expr, ExprKind, Leaf, Module, Name, SignalDecl, SignalKind, Stmt, Ty,
};

use crate::random::expr::Scope;
use crate::random::tape::Tape;

/// A signal without meaning for readers.
pub fn signal(name: String, ty: Ty, kind: SignalKind) -> SignalDecl {
    SignalDecl {
        type_name: String::new(),
        name,
        ty,
        kind,
        clock: false,
        variants: Vec::new(),
        fields: Vec::new(),
    }
}

/// The clock of a module.
fn clock() -> SignalDecl {
    SignalDecl {
        clock: true,
        ..signal("clk".into(), BIT, SignalKind::Input)
    }
}

/// A register or a memory.
fn storage(tape: &mut Tape) -> Module {
    let ty = Ty::bits(tape.width());
    let mut signals = vec![clock()];
    let mut port = |name: &str, ty: Ty, kind: SignalKind| {
        signals.push(signal(name.into(), ty, kind));
        signals.len() - 1
    };
    let leaf = match tape.pick(3) {
        0 | 1 => Leaf::Reg {
            rst: (tape.pick(2) == 1).then(|| port("rst", BIT, SignalKind::Input)),
            en: (tape.pick(2) == 1).then(|| port("en", BIT, SignalKind::Input)),
            d: port("d", ty, SignalKind::Input),
            q: port("q", ty, SignalKind::Output),
            reset: tape.number(ty.width),
        },
        _ => {
            let depth = 1 + tape.pick(3);
            let lanes: Vec<usize> = (1..=ty.width.min(64))
                .filter(|n| ty.width.is_multiple_of(*n))
                .collect();
            let lanes = tape.of(&lanes);
            Leaf::Ram {
                write_addr: port("write_addr", Ty::bits(depth), SignalKind::Input),
                write_data: port("write_data", ty, SignalKind::Input),
                write_en: port("write_en", BIT, SignalKind::Input),
                write_mask: (tape.pick(2) == 1)
                    .then(|| port("write_mask", Ty::bits(lanes), SignalKind::Input)),
                read_addr: port("read_addr", Ty::bits(depth), SignalKind::Input),
                read_data: port("read_data", ty, SignalKind::Output),
                asynchronous: tape.pick(2) == 1,
                contents: (0..tape.pick(1 + (1 << depth)))
                    .map(|_| tape.number(ty.width))
                    .collect(),
            }
        }
    };
    Module {
        signals,
        children: Vec::new(),
        body: Body::Storage(leaf),
    }
}

/// Whether outputs of the module never depend on its inputs in the same cycle.
fn registered(module: &Module) -> bool {
    match &module.body {
        Body::Storage(Leaf::Reg { .. }) => true,
        Body::Storage(Leaf::Ram { asynchronous, .. }) => !asynchronous,
        Body::Logic(_) => false,
    }
}

/// Passes the clock on to a child. It is the first signal of every module.
fn clocked(child: usize) -> Stmt {
    Stmt::Assign {
        target: Name::Port { child, signal: 0 },
        offset: 0,
        value: Expr {
            kind: ExprKind::Signal(Name::Own(0)),
            ty: BIT,
        },
    }
}

fn logic(tape: &mut Tape, modules: &[Module]) -> Module {
    let mut signals = vec![clock()];
    for (letter, kind, count) in [
        ("i", SignalKind::Input, 1 + tape.pick(3)),
        ("l", SignalKind::Local, tape.pick(3)),
        ("o", SignalKind::Output, 1 + tape.pick(2)),
    ] {
        signals.extend((0..count).map(|n| signal(format!("{letter}{n}"), tape.ty(), kind.clone())));
    }
    let constant = tape.ty();
    let value: BigUint = tape.number(constant.width);
    signals.push(signal("k".into(), constant, SignalKind::Constant(value)));
    let children: Vec<Child> = (0..tape.pick(4))
        .map(|n| Child {
            name: format!("c{n}"),
            module: modules.len() - 1 - tape.pick(modules.len()),
        })
        .collect();
    let ports = |child: usize, wanted: SignalKind| {
        let signals = modules[children[child].module].signals.iter().enumerate();
        let ports = signals.filter(move |(_, s)| s.kind == wanted && !s.clock);
        ports.map(move |(signal, s)| (Name::Port { child, signal }, s.ty))
    };
    let own = |wanted: fn(&SignalKind) -> bool| {
        let signals = signals
            .iter()
            .enumerate()
            .filter(move |(_, s)| wanted(&s.kind) && !s.clock);
        signals
            .map(|(n, s)| (Name::Own(n), s.ty))
            .collect::<Vec<_>>()
    };
    let at_once = |child: &usize| registered(&modules[children[*child].module]);
    let (early, late): (Vec<usize>, Vec<usize>) = (0..children.len()).partition(at_once);
    let mut scope = Scope {
        tape,
        names: own(|kind| matches!(kind, SignalKind::Input | SignalKind::Constant(_))),
    };
    scope.names.extend(
        early
            .iter()
            .flat_map(|child| ports(*child, SignalKind::Output)),
    );
    let mut statements: Vec<Stmt> = (0..children.len()).map(clocked).collect();
    scope.stage(&own(|kind| *kind == SignalKind::Local), &mut statements);
    for child in late.into_iter().chain(early) {
        let inputs: Vec<_> = ports(child, SignalKind::Input).collect();
        scope.stage(&inputs, &mut statements);
        scope.names.extend(inputs);
        scope.names.extend(ports(child, SignalKind::Output));
    }
    scope.stage(&own(|kind| *kind == SignalKind::Output), &mut statements);
    Module {
        signals,
        children,
        body: Body::Logic(statements),
    }
}

/// A design of registers, memories and one to three blocks with logic.
pub fn design(tape: &mut Tape) -> Design {
    let mut modules: Vec<Module> = (0..1 + tape.pick(3)).map(|_| storage(tape)).collect();
    for _ in 0..1 + tape.pick(3) {
        modules.push(logic(tape, &modules));
    }
    of(modules)
}

/// A design whose last module is the top.
pub fn of(modules: Vec<Module>) -> Design {
    Design {
        first_path: vec![String::new(); modules.len()],
        top: modules.len() - 1,
        modules,
    }
}
