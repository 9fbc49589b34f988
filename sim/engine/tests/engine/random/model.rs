//! The naive evaluator: a design as a tree of numbers, every kernel run again until nothing changes.
//!
//! Shares no code with the engine: arbitrary-precision numbers, no words, no graph, no order.

use num_bigint::{BigInt, BigUint};
use xtq_engine::design::{
    BinaryOp, Body, Design, Expr, ExprKind, Leaf, Name, SignalKind, Stmt, Ty, UnaryOp,
};

/// Passes after which a design does not settle; it has far fewer instances.
const MAX_PASSES: usize = 200;

/// A block and everything in it.
#[derive(Clone, PartialEq)]
pub struct Instance {
    module: usize,
    /// By signal.
    pub values: Vec<BigUint>,
    pub children: Vec<Instance>,
    memory: Vec<BigUint>,
}

impl Instance {
    /// At power-up, inputs zero.
    pub fn new(design: &Design, module: usize) -> Self {
        let decl = &design.modules[module];
        let mut values: Vec<BigUint> = (decl.signals.iter())
            .map(|signal| match &signal.kind {
                SignalKind::Constant(value) => value.clone(),
                _ => BigUint::ZERO,
            })
            .collect();
        let mut memory = Vec::new();
        match &decl.body {
            Body::Storage(Leaf::Reg { q, reset, .. }) => values[*q] = reset.clone(),
            Body::Storage(Leaf::Ram {
                write_addr,
                contents,
                ..
            }) => {
                memory = contents.clone();
                memory.resize(1 << decl.signals[*write_addr].ty.width, BigUint::ZERO);
            }
            Body::Logic(_) => {}
        }
        let children = decl.children.iter();
        Self {
            module,
            values,
            children: children
                .map(|child| Self::new(design, child.module))
                .collect(),
            memory,
        }
    }

    /// Runs all kernels until nothing changes.
    pub fn settle(&mut self, design: &Design) {
        for _ in 0..MAX_PASSES {
            let before = self.clone();
            self.pass(design);
            if *self == before {
                return;
            }
        }
        panic!("the model does not settle");
    }

    fn pass(&mut self, design: &Design) {
        match &design.modules[self.module].body {
            Body::Logic(statements) => self.block(statements),
            Body::Storage(Leaf::Ram {
                read_addr,
                read_data,
                asynchronous: true,
                ..
            }) => self.values[*read_data] = self.memory[small(&self.values[*read_addr])].clone(),
            Body::Storage(_) => {}
        }
        for child in &mut self.children {
            child.pass(design);
        }
    }

    fn get(&self, name: Name) -> &BigUint {
        match name {
            Name::Own(signal) => &self.values[signal],
            Name::Port { child, signal } => &self.children[child].values[signal],
        }
    }

    fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Assign {
                    target,
                    offset,
                    value,
                } => {
                    let new = evaluate(value, &|name| self.get(name).clone());
                    let target = match *target {
                        Name::Own(signal) => &mut self.values[signal],
                        Name::Port { child, signal } => &mut self.children[child].values[signal],
                    };
                    for bit in 0..value.ty.width as u64 {
                        target.set_bit(*offset as u64 + bit, new.bit(bit));
                    }
                }
                Stmt::If {
                    test,
                    then,
                    otherwise,
                } => {
                    let test = evaluate(test, &|name| self.get(name).clone());
                    self.block(if test.bit(0) { then } else { otherwise });
                }
                Stmt::Match {
                    test,
                    arms,
                    default,
                } => {
                    let test = evaluate(test, &|name| self.get(name).clone());
                    let arm = arms.iter().find(|arm| arm.value == test);
                    self.block(arm.map_or(default, |arm| &arm.body));
                }
                Stmt::Comment(_) => {}
            }
        }
    }

    /// The rising edge.
    pub fn edge(&mut self, design: &Design) {
        let decl = &design.modules[self.module];
        match &decl.body {
            Body::Storage(Leaf::Reg {
                rst,
                en,
                d,
                q,
                reset,
            }) => {
                let is_on = |port: &Option<usize>| port.map(|port| self.values[port].bit(0));
                if is_on(rst) == Some(true) {
                    self.values[*q] = reset.clone();
                } else if is_on(en) != Some(false) {
                    self.values[*q] = self.values[*d].clone();
                }
            }
            Body::Storage(Leaf::Ram {
                write_addr,
                write_data,
                write_en,
                write_mask,
                read_addr,
                read_data,
                asynchronous,
                ..
            }) => {
                let old = self.memory[small(&self.values[*read_addr])].clone();
                if self.values[*write_en].bit(0) {
                    let entry = small(&self.values[*write_addr]);
                    let width = decl.signals[*write_data].ty.width;
                    let lanes = write_mask.map_or(1, |mask| decl.signals[mask].ty.width);
                    for bit in 0..width {
                        let lane = (bit / (width / lanes)) as u64;
                        if write_mask.is_none_or(|mask| self.values[mask].bit(lane)) {
                            let new = self.values[*write_data].bit(bit as u64);
                            self.memory[entry].set_bit(bit as u64, new);
                        }
                    }
                }
                if !asynchronous {
                    self.values[*read_data] = old;
                }
            }
            Body::Logic(_) => {}
        }
        for child in &mut self.children {
            child.edge(design);
        }
    }

    /// Every signal with its path, in the order of the design.
    pub fn signals(&self, design: &Design, path: &str, out: &mut Vec<(String, BigUint)>) {
        let decl = &design.modules[self.module];
        for (signal, value) in decl.signals.iter().zip(&self.values) {
            out.push((format!("{path}{}", signal.name), value.clone()));
        }
        for (child, instance) in decl.children.iter().zip(&self.children) {
            instance.signals(design, &format!("{path}{}.", child.name), out);
        }
    }
}

fn small(value: &BigUint) -> usize {
    usize::try_from(value).expect("addresses are narrow")
}

/// The number a value stands for.
fn signed(value: &BigUint, ty: Ty) -> BigInt {
    let negative = ty.signed && value.bit(ty.width as u64 - 1);
    BigInt::from(value.clone()) - (BigInt::from(u8::from(negative)) << ty.width)
}

/// Value of an expression.
pub fn evaluate(expr: &Expr, read: &dyn Fn(Name) -> BigUint) -> BigUint {
    let width = expr.ty.width;
    let modulus = BigUint::from(1u8) << width;
    let of = |expr: &Expr| evaluate(expr, read);
    match &expr.kind {
        ExprKind::Signal(name) => read(*name),
        ExprKind::Literal(value) => value.clone(),
        ExprKind::Unary(op, inner) => {
            let value = of(inner);
            let full = BigUint::from(1u8) << inner.ty.width;
            match op {
                UnaryOp::Not => full - 1u8 - value,
                UnaryOp::Neg => (&full - value) % &full,
                UnaryOp::All => BigUint::from(u8::from(value == full - 1u8)),
                UnaryOp::Any => BigUint::from(u8::from(value != BigUint::ZERO)),
                UnaryOp::Xor => BigUint::from(value.count_ones() % 2),
            }
        }
        ExprKind::Binary(op, left, right) => {
            let (a, b) = (of(left), of(right));
            let order = signed(&a, left.ty).cmp(&signed(&b, right.ty));
            let amount = usize::try_from(&b).unwrap_or(usize::MAX).min(width);
            let is = |yes: bool| BigUint::from(u8::from(yes));
            match op {
                BinaryOp::Add => (a + b) % modulus,
                BinaryOp::Sub => (a + &modulus - b) % modulus,
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Shl => (a << amount) % modulus,
                BinaryOp::Shr => a >> amount,
                BinaryOp::Eq => is(order.is_eq()),
                BinaryOp::Ne => is(order.is_ne()),
                BinaryOp::Lt => is(order.is_lt()),
                BinaryOp::Le => is(order.is_le()),
                BinaryOp::Gt => is(order.is_gt()),
                BinaryOp::Ge => is(order.is_ge()),
            }
        }
        ExprKind::Resize(inner) => {
            let modulus = BigInt::from(modulus);
            let value = signed(&of(inner), inner.ty) % &modulus;
            ((value + &modulus) % modulus).magnitude().clone()
        }
        ExprKind::Slice(base, offset) => (of(base) >> *offset) % modulus,
        ExprKind::SliceAt(base, offset) => {
            let offset = usize::try_from(of(offset)).unwrap_or(usize::MAX);
            (of(base) >> offset.min(base.ty.width)) % modulus
        }
        ExprKind::ReplaceBit { base, index, value } => {
            let mut number = of(base);
            if let Some(index) = u64::try_from(of(index)).ok().filter(|i| *i < width as u64) {
                number.set_bit(index, of(value).bit(0));
            }
            number
        }
    }
}
