//! A sound design of three modules, and what reaches into it.

use num_bigint::BigUint;
use xtq_engine::design::{
    Arm, BinaryOp, Body, Child, Design, Expr, ExprKind, Field, Leaf, Module, Name, SignalDecl,
    SignalKind, Stmt, Ty, UnaryOp,
};

pub(super) fn signal(name: &str, width: usize, kind: SignalKind) -> SignalDecl {
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

pub(super) fn field(name: &str, offset: usize, width: usize, fields: Vec<Field>) -> Field {
    Field {
        name: name.into(),
        offset,
        width,
        type_name: String::new(),
        variants: Vec::new(),
        fields,
    }
}

pub(super) fn expr(width: usize, kind: ExprKind) -> Expr {
    let ty = Ty::bits(width);
    Expr { kind, ty }
}

pub(super) fn literal(width: usize, value: u32) -> Expr {
    expr(width, ExprKind::Literal(value.into()))
}

pub(super) fn own(width: usize, signal: usize) -> Expr {
    expr(width, ExprKind::Signal(Name::Own(signal)))
}

pub(super) fn register() -> Module {
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

pub(super) fn memory() -> Module {
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
pub(super) fn sound() -> Design {
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

pub(super) fn kernel(design: &mut Design) -> &mut Vec<Stmt> {
    match &mut design.modules[2].body {
        Body::Logic(statements) => statements,
        Body::Storage(_) => unreachable!("the top is a kernel"),
    }
}

/// Gives the input `d` of the register another value.
pub(super) fn next(design: &mut Design, new: Expr) {
    match &mut kernel(design)[2] {
        Stmt::Assign { value, .. } => *value = new,
        _ => unreachable!("it is an assignment"),
    }
}

pub(super) fn reg(design: &mut Design) -> (&mut Option<usize>, &mut usize, &mut BigUint) {
    match &mut design.modules[0].body {
        Body::Storage(Leaf::Reg { rst, d, reset, .. }) => (rst, d, reset),
        _ => unreachable!("it is a register"),
    }
}

pub(super) fn contents(design: &mut Design) -> &mut Vec<BigUint> {
    match &mut design.modules[1].body {
        Body::Storage(Leaf::Ram { contents, .. }) => contents,
        _ => unreachable!("it is a memory"),
    }
}

pub(super) fn nested(depth: usize) -> Expr {
    let wrap = |inner| expr(8, ExprKind::Unary(UnaryOp::Not, Box::new(inner)));
    (0..depth).fold(own(8, 2), |inner, _| wrap(inner))
}

/// Puts modules over the top, each with so many of the one before.
pub(super) fn tower(design: &mut Design, levels: usize, wide: usize) {
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
