//! Whether a design holds together: positions and widths are as elaboration gives them, also if it was made by hand.
//!
//! The netlist and the writer of the Verilog rely on it and index without looking. What a kernel does wrong (latches,
//! loops) is found later, by the netlist. Widths, nesting, instances and memories are bounded, so that no design takes
//! all memory or the whole stack.

use num_bigint::BigUint;

use super::{
    Arm, BIT, BinaryOp, Body, Design, Expr, ExprKind, Field, Leaf, Module, Name, SignalKind, Stmt,
    Ty, UnaryOp,
};
use crate::base::{Finding, Rule};
use crate::design::MAX_ADDRESS;

/// Bits of the widest value.
const MAX_WIDTH: usize = 1 << 20;
/// Expressions, statements, fields or modules in each other; arms of a match, which are tried one in the other.
const MAX_DEPTH: usize = 500;
/// Instances of modules.
const MAX_INSTANCES: usize = 1 << 20;
/// 64-bit words of all memories.
const MAX_MEMORY: usize = 1 << 28;

/// What a module comes to with everything inside.
#[derive(Clone, Copy, Default)]
struct Size {
    instances: usize,
    depth: usize,
    /// 64-bit words of memory.
    words: usize,
}

impl Design {
    /// Errors: everything that does not fit together, by module and signal.
    pub fn check(&self) -> Result<(), Vec<Finding>> {
        let mut checker = Checker {
            design: self,
            block: "top".into(),
            findings: Vec::new(),
            depth: 0,
            sizes: Vec::new(),
        };
        let last = self.modules.len().checked_sub(1);
        checker.require(last == Some(self.top), "top", || {
            "is not the last module".into()
        });
        checker.require(
            self.first_path.len() == self.modules.len(),
            "first_path",
            || "has not a path for each module".into(),
        );
        for (number, module) in self.modules.iter().enumerate() {
            let path = self.first_path.get(number).map_or("", String::as_str);
            checker.block = if path.is_empty() { "top" } else { path }.into();
            checker.module(number, module);
            checker.size(module);
        }
        match checker.findings.is_empty() {
            true => Ok(()),
            false => Err(checker.findings),
        }
    }
}

struct Checker<'a> {
    design: &'a Design,
    block: String,
    findings: Vec<Finding>,
    /// Expressions or statements around the one that is looked at.
    depth: usize,
    /// Of the modules so far.
    sizes: Vec<Size>,
}

/// Whether the number is below `2^width`.
fn fits(value: &BigUint, width: usize) -> bool {
    value.bits() <= width as u64
}

impl Checker<'_> {
    fn require(&mut self, holds: bool, signal: &str, detail: impl FnOnce() -> String) -> bool {
        if !holds {
            self.findings.push(Finding {
                rule: Rule::Width,
                block: self.block.clone(),
                signal: signal.into(),
                detail: detail(),
            });
        }
        holds
    }

    fn module(&mut self, number: usize, module: &Module) {
        for child in &module.children {
            let before = child.module < number;
            self.require(before, &child.name, || {
                format!("is module {}, which does not stand before", child.module)
            });
        }
        for signal in &module.signals {
            self.bounded(&signal.name, signal.ty.width);
            if let SignalKind::Constant(value) = &signal.kind {
                let width = signal.ty.width;
                self.require(fits(value, width), &signal.name, || {
                    format!("{value} has more than {width} bits")
                });
            }
            self.fields(&signal.name, 0, signal.ty.width, &signal.fields);
        }
        match &module.body {
            Body::Logic(statements) => self.statements(module, statements),
            Body::Storage(leaf) => self.leaf(module, leaf),
        }
    }

    fn bounded(&mut self, name: &str, width: usize) {
        self.require(width <= MAX_WIDTH, name, || {
            format!("has {width} bits, and at most {MAX_WIDTH} are allowed")
        });
    }

    fn size(&mut self, module: &Module) {
        let mut size = Size {
            instances: 1,
            ..Size::default()
        };
        if let Body::Storage(Leaf::Ram {
            write_addr,
            write_data,
            ..
        }) = &module.body
        {
            let width = |at: usize| module.signals.get(at).map_or(0, |s| s.ty.width);
            let entries = 1usize << width(*write_addr).min(MAX_ADDRESS);
            size.words = entries.saturating_mul(width(*write_data).div_ceil(64));
        }
        for child in &module.children {
            let inner = self.sizes.get(child.module).copied().unwrap_or_default();
            size.instances = size.instances.saturating_add(inner.instances);
            size.words = size.words.saturating_add(inner.words);
            size.depth = size.depth.max(inner.depth + 1);
        }
        self.sizes.push(size);
        for (what, found, most) in [
            ("instances", size.instances, MAX_INSTANCES),
            ("levels of modules", size.depth, MAX_DEPTH),
            ("words of memory", size.words, MAX_MEMORY),
        ] {
            self.require(found <= most, what, || {
                format!("are {found}, and at most {most} are allowed")
            });
        }
    }

    /// Fields of what lies from bit `low` to below bit `high`; offsets are those in the signal.
    fn fields(&mut self, name: &str, low: usize, high: usize, fields: &[Field]) {
        let inside = self.enter("field");
        for field in fields.iter().filter(|_| inside) {
            let name = format!("{name}.{}", field.name);
            self.bounded(&name, field.width);
            let end = field.offset.checked_add(field.width);
            let end = end.filter(|end| field.offset >= low && *end <= high);
            if self.require(end.is_some(), &name, || {
                format!("is not inside of bits {low} to below {high}")
            }) {
                self.fields(
                    &name,
                    field.offset,
                    field.offset + field.width,
                    &field.fields,
                );
            }
        }
        self.depth -= 1;
    }

    /// Whether one may look inside.
    fn enter(&mut self, what: &str) -> bool {
        self.depth += 1;
        let deep = self.depth > MAX_DEPTH;
        self.require(!deep, what, || format!("is nested deeper than {MAX_DEPTH}"))
    }

    /// Name and type of what a statement names.
    fn named(&mut self, module: &Module, name: Name) -> Option<(String, Ty)> {
        let signals = match name {
            Name::Own(_) => Some(&module.signals),
            Name::Port { child, .. } => {
                let child = module.children.get(child);
                let inner = child.and_then(|child| self.design.modules.get(child.module));
                inner.map(|inner| &inner.signals)
            }
        };
        let (Name::Own(at) | Name::Port { signal: at, .. }) = name;
        let found = signals.and_then(|signals| signals.get(at));
        let found = found.map(|signal| (signal.name.clone(), signal.ty));
        self.require(found.is_some(), &format!("{name:?}"), || {
            "does not exist".into()
        });
        found
    }

    fn statements(&mut self, module: &Module, statements: &[Stmt]) {
        let inside = self.enter("statement");
        for statement in statements.iter().filter(|_| inside) {
            match statement {
                Stmt::Assign {
                    target,
                    offset,
                    value,
                } => {
                    self.expr(module, value);
                    if let Some((name, ty)) = self.named(module, *target) {
                        let end = offset.checked_add(value.ty.width);
                        self.require(end.is_some_and(|end| end <= ty.width), &name, || {
                            format!(
                                "{} bits from bit {offset} on do not fit into {}",
                                value.ty.width, ty.width
                            )
                        });
                    }
                }
                Stmt::If {
                    test,
                    then,
                    otherwise,
                } => {
                    self.expr(module, test);
                    self.width("if", test, 1);
                    self.statements(module, then);
                    self.statements(module, otherwise);
                }
                Stmt::Match {
                    test,
                    arms,
                    default,
                } => {
                    self.expr(module, test);
                    self.require(arms.len() <= MAX_DEPTH, "match", || {
                        format!(
                            "has {} arms, and at most {MAX_DEPTH} are allowed",
                            arms.len()
                        )
                    });
                    for Arm { value, label, body } in arms {
                        let width = test.ty.width;
                        self.require(fits(value, width), label, || {
                            format!("{value} has more than {width} bits")
                        });
                        self.statements(module, body);
                    }
                    self.statements(module, default);
                }
                Stmt::Comment(_) => {}
            }
        }
        self.depth -= 1;
    }

    fn width(&mut self, what: &str, value: &Expr, width: usize) {
        self.require(value.ty.width == width, what, || {
            format!("has {} bits for {width}", value.ty.width)
        });
    }

    /// Signs may differ: elaboration gives a value the type of where it goes.
    fn same(&mut self, what: &str, found: Ty, wanted: Ty) {
        self.require(found.width == wanted.width, what, || {
            format!("has {} bits where {} are needed", found.width, wanted.width)
        });
    }

    fn expr(&mut self, module: &Module, value: &Expr) {
        if self.enter("expression") {
            self.bounded("expression", value.ty.width);
            // An enum with one variant has no bits, but nothing without bits has a sign.
            self.require(value.ty.width > 0 || !value.ty.signed, "expression", || {
                "is signed and has no bits".into()
            });
            self.inside(module, value);
        }
        self.depth -= 1;
    }

    fn inside(&mut self, module: &Module, value: &Expr) {
        let ty = value.ty;
        match &value.kind {
            ExprKind::Signal(name) => {
                if let Some((name, known)) = self.named(module, *name) {
                    self.same(&name, ty, known);
                }
            }
            ExprKind::Literal(number) => {
                self.require(fits(number, ty.width), "literal", || {
                    format!("{number} has more than {} bits", ty.width)
                });
            }
            ExprKind::Unary(op, operand) => {
                self.expr(module, operand);
                let wanted = match op {
                    UnaryOp::Not | UnaryOp::Neg => operand.ty,
                    UnaryOp::All | UnaryOp::Any | UnaryOp::Xor => BIT,
                };
                self.same(&format!("{op:?}"), ty, wanted);
            }
            ExprKind::Binary(op, a, b) => {
                self.expr(module, a);
                self.expr(module, b);
                let name = format!("{op:?}");
                match op {
                    BinaryOp::Shl | BinaryOp::Shr => self.same(&name, ty, a.ty),
                    BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor => {
                        self.same(&name, b.ty, a.ty);
                        self.same(&name, ty, a.ty);
                    }
                    _ => {
                        self.same(&name, b.ty, a.ty);
                        self.same(&name, ty, BIT);
                    }
                }
            }
            ExprKind::Resize(operand) | ExprKind::Slice(operand, _) => self.expr(module, operand),
            ExprKind::SliceAt(operand, offset) => {
                self.expr(module, operand);
                self.expr(module, offset);
            }
            ExprKind::ReplaceBit { base, index, value } => {
                for part in [base, index, value] {
                    self.expr(module, part);
                }
                self.same("replaced bit", ty, base.ty);
                self.width("replaced bit", value, 1);
            }
        }
    }

    /// Width of a port of storage.
    fn port(&mut self, module: &Module, at: usize) -> Option<usize> {
        self.named(module, Name::Own(at)).map(|(_, ty)| ty.width)
    }

    fn leaf(&mut self, module: &Module, leaf: &Leaf) {
        match leaf {
            Leaf::Reg {
                rst,
                en,
                d,
                q,
                reset,
            } => {
                for control in [rst, en].into_iter().flatten() {
                    let width = self.port(module, *control);
                    self.require(width == Some(1), "rst or en", || "is not one bit".into());
                }
                let [d, q] = [*d, *q].map(|at| self.port(module, at));
                self.require(d == q, "d", || "is not as wide as q".into());
                self.require(q.is_some_and(|q| fits(reset, q)), "q", || {
                    format!("the reset value {reset} has more bits")
                });
            }
            Leaf::Ram {
                write_addr,
                write_data,
                write_en,
                write_mask,
                read_addr,
                read_data,
                contents,
                ..
            } => {
                let ports = [*write_addr, *write_data, *write_en, *read_addr, *read_data];
                let [address, data, enable, read_address, read] =
                    ports.map(|at| self.port(module, at).unwrap_or(0));
                self.require(enable == 1, "write_en", || "is not one bit".into());
                self.require(data == read, "read_data", || {
                    "is not as wide as write_data".into()
                });
                let sized = (1..=MAX_ADDRESS).contains(&address) && address == read_address;
                if self.require(sized, "write_addr", || {
                    format!("an address of {address} bits, read with {read_address}")
                }) {
                    let fit = contents.len() <= 1 << address
                        && contents.iter().all(|word| fits(word, data));
                    self.require(fit, "contents", || "do not fit".into());
                }
                if let Some(mask) = write_mask {
                    let lanes = self.port(module, *mask).unwrap_or(0);
                    self.require(
                        lanes > 0 && data.is_multiple_of(lanes),
                        "write_mask",
                        || format!("{data} bits in {lanes} lanes"),
                    );
                }
            }
        }
    }
}
