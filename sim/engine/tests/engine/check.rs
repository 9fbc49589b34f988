//! What `Design::check` finds: one thing wrong, one finding that names it.

mod sound;

use num_bigint::BigUint;
use xtq_engine::design::{
    Arm, BIT, BinaryOp, Design, Expr, ExprKind, Name, SignalKind, Stmt, Ty, UnaryOp,
};
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Backend, Body as Code, Cosim, Error, Simulator};

use sound::{contents, expr, field, kernel, literal, nested, next, own, reg, sound, tower};

type Bend = fn(&mut Design);

/// What is done to the design, and the finding.
const BENDS: &[(Bend, &str)] = &[
    (|d| d.top = 1, "width: top: top: is not the last module"),
    (|d| _ = d.first_path.pop(), "first_path: has not a path"),
    (
        |d| d.modules[2].children[1].module = 2,
        "top: mem: is module 2",
    ),
    (
        |d| d.modules[2].signals[4].kind = SignalKind::Constant(16u32.into()),
        "top: k: 16 has more than 4 bits",
    ),
    (
        |d| d.modules[2].signals[2].fields[0].width = 9,
        "top: a.b: is not inside",
    ),
    (
        |d| d.modules[2].signals[2].fields[0].offset = usize::MAX,
        "top: a.b: is not inside",
    ),
    (
        |d| d.modules[2].signals[2].fields[1].fields[0].offset = 0,
        "top: a.in.c: is not inside",
    ),
    (
        |d| d.modules[2].signals[2].fields[1].fields[1].width = 3,
        "top: a.in.d: is not inside",
    ),
    (|d| next(d, own(8, 99)), "top: Own(99): does not exist"),
    (
        |d| next(d, own(7, 2)),
        "top: a: has 7 bits where 8 are needed",
    ),
    (
        |d| next(d, literal(8, 256)),
        "top: literal: 256 has more than 8 bits",
    ),
    (
        |d| next(d, literal(9, 1)),
        "top: d: 9 bits from bit 0 on do not fit into 8",
    ),
    (
        |d| {
            next(
                d,
                expr(
                    8,
                    ExprKind::Signal(Name::Port {
                        child: 7,
                        signal: 0,
                    }),
                ),
            )
        },
        "does not exist",
    ),
    (
        |d| {
            next(
                d,
                expr(8, ExprKind::Unary(UnaryOp::Any, Box::new(own(8, 2)))),
            )
        },
        "top: Any: has 8 bits where 1 are needed",
    ),
    (
        |d| {
            let operands = [own(8, 2), own(1, 1)].map(Box::new);
            let [a, b] = operands;
            next(d, expr(8, ExprKind::Binary(BinaryOp::Xor, a, b)));
        },
        "top: Xor: has 1 bits where 8 are needed",
    ),
    (
        |d| {
            let [a, b] = [own(8, 2), own(8, 2)].map(Box::new);
            next(d, expr(8, ExprKind::Binary(BinaryOp::Lt, a, b)));
        },
        "top: Lt: has 8 bits where 1 are needed",
    ),
    (
        |d| {
            let [base, index, value] = [own(8, 2), own(8, 2), own(8, 2)].map(Box::new);
            next(d, expr(8, ExprKind::ReplaceBit { base, index, value }));
        },
        "top: replaced bit: has 8 bits for 1",
    ),
    (
        |d| next(d, expr(usize::MAX, ExprKind::Resize(Box::new(own(8, 2))))),
        "top: expression: has 18446744073709551615 bits, and at most",
    ),
    (
        |d| d.modules[2].signals[2].ty = Ty::bits(0),
        "top: a: has 8 bits where 0 are needed",
    ),
    (
        |d| {
            let ty = Ty {
                width: 0,
                signed: true,
            };
            let [a, b] = [literal(0, 0), literal(0, 0)].map(|zero| Box::new(Expr { ty, ..zero }));
            next(d, expr(1, ExprKind::Binary(BinaryOp::Lt, a, b)));
        },
        "top: expression: is signed and has no bits",
    ),
    (
        |d| {
            let wrap = |inner| vec![field("f", 0, 8, inner)];
            d.modules[2].signals[2].fields = (0..501).fold(Vec::new(), |inner, _| wrap(inner));
        },
        "top: field: is nested deeper than 500",
    ),
    (
        |d| {
            let arm = |value: u32| Arm {
                value: (value % 256).into(),
                label: value.to_string(),
                body: Vec::new(),
            };
            if let Some(Stmt::Match { arms, .. }) = kernel(d).last_mut() {
                *arms = (0..501).map(arm).collect();
            }
        },
        "top: match: has 501 arms",
    ),
    (|d| tower(d, 21, 2), "instances: are"),
    (|d| tower(d, 501, 1), "levels of modules: are 501"),
    (
        |d| {
            for (at, width) in [(1, 24), (5, 24), (2, 2048), (6, 2048)] {
                d.modules[1].signals[at].ty = Ty::bits(width);
            }
        },
        "mem: words of memory: are 536870912",
    ),
    (
        |d| next(d, nested(501)),
        "top: expression: is nested deeper than 500",
    ),
    (
        |d| {
            let wrap = |inner: Stmt| Stmt::If {
                test: own(1, 1),
                then: vec![inner],
                otherwise: Vec::new(),
            };
            let deep = (0..600).fold(Stmt::Comment(String::new()), |inner, _| wrap(inner));
            kernel(d).push(deep);
        },
        "top: statement: is nested deeper than 500",
    ),
    (
        |d| {
            if let Stmt::Assign { offset, .. } = &mut kernel(d)[2] {
                *offset = usize::MAX;
            }
        },
        "top: d: 8 bits from bit",
    ),
    (
        |d| {
            if let Some(Stmt::Match { arms, .. }) = kernel(d).last_mut() {
                arms[0].value = 256u32.into();
            }
        },
        "top: 3: 256 has more than 8 bits",
    ),
    (
        |d| {
            if let Some(Stmt::Match { default, .. }) = kernel(d).last_mut()
                && let Stmt::If { test, .. } = &mut default[0]
            {
                *test = own(8, 2);
            }
        },
        "top: if: has 8 bits for 1",
    ),
    (|d| *reg(d).0 = Some(2), "reg: rst or en: is not one bit"),
    (|d| *reg(d).1 = 1, "reg: d: is not as wide as q"),
    (
        |d| *reg(d).2 = 256u32.into(),
        "reg: q: the reset value 256 has more bits",
    ),
    (
        |d| d.modules[1].signals[3].ty = Ty::bits(2),
        "mem: write_en: is not one bit",
    ),
    (
        |d| d.modules[1].signals[6].ty = Ty::bits(9),
        "mem: read_data: is not as wide",
    ),
    (
        |d| d.modules[1].signals[5].ty = Ty::bits(4),
        "mem: write_addr: an address of 3 bits, read with 4",
    ),
    (
        |d| {
            for at in [1, 5] {
                d.modules[1].signals[at].ty = Ty::bits(60);
            }
        },
        "mem: write_addr: an address of 60 bits",
    ),
    (
        |d| contents(d).resize(9, BigUint::ZERO),
        "mem: contents: do not fit",
    ),
    (
        |d| contents(d)[0] = 256u32.into(),
        "mem: contents: do not fit",
    ),
    (
        |d| d.modules[1].signals[4].ty = Ty::bits(3),
        "mem: write_mask: 8 bits in 3 lanes",
    ),
];

#[test]
fn a_sound_design_has_no_finding_and_runs() {
    assert_eq!(sound().check(), Ok(()));
    assert_eq!(BIT, Ty::bits(1));
    Code::from_design(&sound(), Backend::Jit).expect("it compiles");
    // As deep as is allowed: the stack is large enough, for the netlist and for the Verilog.
    let mut deep = sound();
    next(&mut deep, nested(490));
    if let Some(Stmt::Match { arms, default, .. }) = kernel(&mut deep).last_mut() {
        let arm = |value: u32| Arm {
            value: value.into(),
            label: value.to_string(),
            body: arms[0].body.clone(),
        };
        *arms = (0..250).map(arm).collect();
        let leaf = default.clone();
        *default = (0..480).fold(leaf.clone(), |inner, _| {
            vec![Stmt::If {
                test: own(1, 1),
                then: inner,
                otherwise: leaf.clone(),
            }]
        });
    }
    assert_eq!(write(&deep, &Options::default()).len(), 3);
    Code::from_design(&deep, Backend::Jit).expect("it compiles");
}

#[test]
fn whatever_does_not_fit_is_found_and_named() {
    for (bend, expected) in BENDS {
        let mut design = sound();
        bend(&mut design);
        let findings = design.check().expect_err(expected);
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(
            texts.iter().any(|text| text.contains(expected)),
            "{expected}: {texts:#?}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused_by_all_who_take_a_design() {
    let mut design = sound();
    next(&mut design, own(8, 99));
    let code = Code::from_design(&design, Backend::Interp);
    assert!(matches!(code, Err(Error::Findings(_))));
    let cosim = Cosim::new(&design, Simulator::Icarus);
    assert!(matches!(cosim, Err(Error::Findings(_))));
}
