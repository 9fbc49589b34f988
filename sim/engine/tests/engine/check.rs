//! What `Design::check` finds: one thing wrong, one finding that names it.

use num_bigint::BigUint;
use xtq_engine::design::{
    Arm, BIT, BinaryOp, Body, Child, Design, Expr, ExprKind, Field, Leaf, Module, Name, SignalDecl,
    SignalKind, Stmt, Ty, UnaryOp,
};
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Backend, Body as Code, Cosim, Error, Simulator};

fn signal(name: &str, width: usize, kind: SignalKind) -> SignalDecl {
    SignalDecl {
        name: name.into(),
        ty: Ty::bits(width),
        kind,
        clock: name == "clk",
        type_name: String::new(),
        variants: Vec::new(),
        fields: Vec::new(),
    }
}

fn field(name: &str, offset: usize, width: usize, fields: Vec<Field>) -> Field {
    Field {
        name: name.into(),
        offset,
        width,
        type_name: String::new(),
        variants: Vec::new(),
        fields,
    }
}

fn expr(width: usize, kind: ExprKind) -> Expr {
    let ty = Ty::bits(width);
    Expr { kind, ty }
}

fn literal(width: usize, value: u32) -> Expr {
    expr(width, ExprKind::Literal(value.into()))
}

fn own(width: usize, signal: usize) -> Expr {
    expr(width, ExprKind::Signal(Name::Own(signal)))
}

fn register() -> Module {
    Module {
        signals: vec![
            signal("clk", 1, SignalKind::Input),
            signal("rst", 1, SignalKind::Input),
            signal("d", 8, SignalKind::Input),
            signal("q", 8, SignalKind::Output),
        ],
        children: Vec::new(),
        body: Body::Storage(Leaf::Reg {
            rst: Some(1),
            en: None,
            d: 2,
            q: 3,
            reset: 255u32.into(),
        }),
    }
}

fn memory() -> Module {
    Module {
        signals: vec![
            signal("clk", 1, SignalKind::Input),
            signal("write_addr", 3, SignalKind::Input),
            signal("write_data", 8, SignalKind::Input),
            signal("write_en", 1, SignalKind::Input),
            signal("write_mask", 4, SignalKind::Input),
            signal("read_addr", 3, SignalKind::Input),
            signal("read_data", 8, SignalKind::Output),
        ],
        children: Vec::new(),
        body: Body::Storage(Leaf::Ram {
            write_addr: 1,
            write_data: 2,
            write_en: 3,
            write_mask: Some(4),
            read_addr: 5,
            read_data: 6,
            asynchronous: false,
            contents: vec![7u32.into()],
        }),
    }
}

/// Register, memory, and a top with a kernel that drives both.
fn sound() -> Design {
    let port = |child, signal| Name::Port { child, signal };
    let assign = |target, value| Stmt::Assign {
        target,
        offset: 0,
        value,
    };
    let sum = ExprKind::Binary(
        BinaryOp::Add,
        Box::new(own(8, 2)),
        Box::new(literal(8, 200)),
    );
    let kernel = vec![
        assign(port(0, 0), own(1, 0)),
        assign(port(0, 1), own(1, 1)),
        assign(port(0, 2), expr(8, sum)),
        assign(port(1, 0), own(1, 0)),
        assign(port(1, 1), literal(3, 1)),
        assign(port(1, 2), own(8, 2)),
        assign(port(1, 3), literal(1, 1)),
        assign(port(1, 4), literal(4, 15)),
        assign(port(1, 5), literal(3, 2)),
        Stmt::Match {
            test: own(8, 2),
            arms: vec![Arm {
                value: 3u32.into(),
                label: "3".into(),
                body: vec![assign(Name::Own(3), literal(8, 1))],
            }],
            default: vec![Stmt::If {
                test: own(1, 1),
                then: vec![assign(Name::Own(3), expr(8, ExprKind::Signal(port(1, 6))))],
                otherwise: vec![assign(Name::Own(3), expr(8, ExprKind::Signal(port(0, 3))))],
            }],
        },
    ];
    let mut top = Module {
        signals: vec![
            signal("clk", 1, SignalKind::Input),
            signal("rst", 1, SignalKind::Input),
            signal("a", 8, SignalKind::Input),
            signal("y", 8, SignalKind::Output),
            signal("k", 4, SignalKind::Constant(15u32.into())),
        ],
        children: ["reg", "mem"]
            .into_iter()
            .enumerate()
            .map(|(module, name)| Child {
                name: name.into(),
                module,
            })
            .collect(),
        body: Body::Logic(kernel),
    };
    // Offsets of inner fields are those in the signal.
    let inner = vec![field("c", 4, 2, Vec::new()), field("d", 6, 2, Vec::new())];
    top.signals[2].fields = vec![field("b", 0, 4, Vec::new()), field("in", 4, 4, inner)];
    Design {
        modules: vec![register(), memory(), top],
        first_path: vec!["reg".into(), "mem".into(), String::new()],
        top: 2,
    }
}

fn kernel(design: &mut Design) -> &mut Vec<Stmt> {
    match &mut design.modules[2].body {
        Body::Logic(statements) => statements,
        Body::Storage(_) => unreachable!("the top is a kernel"),
    }
}

/// Gives the input `d` of the register another value.
fn next(design: &mut Design, new: Expr) {
    match &mut kernel(design)[2] {
        Stmt::Assign { value, .. } => *value = new,
        _ => unreachable!("it is an assignment"),
    }
}

fn reg(design: &mut Design) -> (&mut Option<usize>, &mut usize, &mut BigUint) {
    match &mut design.modules[0].body {
        Body::Storage(Leaf::Reg { rst, d, reset, .. }) => (rst, d, reset),
        _ => unreachable!("it is a register"),
    }
}

fn contents(design: &mut Design) -> &mut Vec<BigUint> {
    match &mut design.modules[1].body {
        Body::Storage(Leaf::Ram { contents, .. }) => contents,
        _ => unreachable!("it is a memory"),
    }
}

fn nested(depth: usize) -> Expr {
    let wrap = |inner| expr(8, ExprKind::Unary(UnaryOp::Not, Box::new(inner)));
    (0..depth).fold(own(8, 2), |inner, _| wrap(inner))
}

/// Puts modules over the top, each with so many of the one before.
fn tower(design: &mut Design, levels: usize, wide: usize) {
    for level in 0..levels {
        let child = Child {
            name: "inner".into(),
            module: 2 + level,
        };
        design.modules.push(Module {
            signals: Vec::new(),
            children: vec![child; wide],
            body: Body::Logic(Vec::new()),
        });
        design.first_path.insert(0, "below".into());
        design.top += 1;
    }
}

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
