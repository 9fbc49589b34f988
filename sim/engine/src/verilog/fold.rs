//! A design with its constants worked out, so that the text says what is left.
//!
//! **Idea.** Loops are unrolled and parameters are resolved, which leaves `if 3 == 2`, comparisons that can only go one
//! way (tools warn of them) and parts of parts.

use num_bigint::BigUint;

use super::slices::{literal, slice};
use crate::design::{
    Arm, BIT, BinaryOp, Body, Design, Expr, ExprKind, Module, Name, SignalKind, Stmt, Ty, UnaryOp,
};

/// The design with simpler statements.
pub(super) fn fold(design: &Design) -> Design {
    let mut folded = design.clone();
    for (module, original) in folded.modules.iter_mut().zip(&design.modules) {
        if let Body::Logic(statements) = &original.body {
            let fold = Fold { module: original };
            module.body = Body::Logic(fold.block(statements));
        }
    }
    folded
}

struct Fold<'a> {
    module: &'a Module,
}

impl Fold<'_> {
    fn block(&self, statements: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for statement in statements {
            self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&self, statement: &Stmt, out: &mut Vec<Stmt>) {
        match statement {
            Stmt::Assign {
                target,
                offset,
                value,
            } => out.push(Stmt::Assign {
                target: *target,
                offset: *offset,
                value: self.expr(value),
            }),
            Stmt::If {
                test,
                then,
                otherwise,
            } => {
                let test = self.expr(test);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                match self.value(&test) {
                    Some(value) if value == BigUint::ZERO => out.extend(otherwise),
                    Some(_) => out.extend(then),
                    None if then.is_empty() && otherwise.is_empty() => {}
                    None => out.push(Stmt::If {
                        test,
                        then,
                        otherwise,
                    }),
                }
            }
            Stmt::Match {
                test,
                arms,
                default,
            } => {
                let test = self.expr(test);
                let default = self.block(default);
                if let Some(value) = self.value(&test) {
                    let arm = arms.iter().find(|arm| arm.value == value);
                    out.extend(arm.map_or(default, |arm| self.block(&arm.body)));
                    return;
                }
                let arms = arms.iter().map(|arm| Arm {
                    body: self.block(&arm.body),
                    ..arm.clone()
                });
                out.push(Stmt::Match {
                    test,
                    arms: arms.collect(),
                    default,
                });
            }
            // rust-hdl keeps none of a kernel's comments.
            Stmt::Comment(_) => {}
        }
    }

    /// The number an expression is, if it is one.
    fn value(&self, expr: &Expr) -> Option<BigUint> {
        match &expr.kind {
            ExprKind::Literal(value) => Some(value.clone()),
            ExprKind::Signal(Name::Own(signal)) => match &self.module.signals[*signal].kind {
                SignalKind::Constant(value) => Some(value.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn expr(&self, expr: &Expr) -> Expr {
        let ty = expr.ty;
        let boxed = |inner: &Expr| Box::new(self.expr(inner));
        let kind = match &expr.kind {
            ExprKind::Signal(_) | ExprKind::Literal(_) => return expr.clone(),
            ExprKind::Unary(op, inner) => return self.unary(*op, self.expr(inner), ty),
            ExprKind::Binary(op, left, right) => {
                return self.binary(*op, self.expr(left), self.expr(right), ty);
            }
            ExprKind::Resize(inner) => {
                let inner = self.expr(inner);
                return self.resize(inner, ty);
            }
            ExprKind::Slice(base, offset) => {
                return self.slice(self.expr(base), *offset, ty);
            }
            ExprKind::SliceAt(base, offset) => {
                let (base, offset) = (self.expr(base), self.expr(offset));
                if let Some(offset) = self.value(&offset) {
                    let offset = usize::try_from(&offset).unwrap_or(usize::MAX);
                    return self.slice(base, offset, ty);
                }
                let width = ty.width.min(base.ty.width);
                let kind = ExprKind::SliceAt(Box::new(base), Box::new(offset));
                let there = Ty::bits(width);
                return self.resize(Expr { kind, ty: there }, ty);
            }
            ExprKind::ReplaceBit { base, index, value } => {
                let index = boxed(index);
                if self.value(&index).is_some_and(|at| at >= ty.width.into()) {
                    return self.expr(base);
                }
                ExprKind::ReplaceBit {
                    base: boxed(base),
                    index,
                    value: boxed(value),
                }
            }
        };
        Expr { kind, ty }
    }

    fn slice(&self, base: Expr, offset: usize, ty: Ty) -> Expr {
        let base = match self.value(&base) {
            Some(value) => literal(value, base.ty),
            None => base,
        };
        Expr {
            ty,
            ..slice(base, offset, ty.width)
        }
    }

    fn resize(&self, inner: Expr, ty: Ty) -> Expr {
        let from = inner.ty.width;
        if ty.width == from {
            return Expr { ty, ..inner };
        }
        if ty.width < from {
            return Expr {
                ty,
                ..slice(inner, 0, ty.width)
            };
        }
        if let Some(value) = self.value(&inner) {
            let ones = |width: usize| (BigUint::from(1u8) << width) - 1u8;
            let negative = inner.ty.signed && from > 0 && value.bit(from as u64 - 1);
            let sign = if negative {
                ones(ty.width) - ones(from)
            } else {
                BigUint::ZERO
            };
            return literal(value + sign, ty);
        }
        Expr {
            kind: ExprKind::Resize(Box::new(inner)),
            ty,
        }
    }

    fn unary(&self, op: UnaryOp, inner: Expr, ty: Ty) -> Expr {
        if let Some(value) = self.value(&inner) {
            let full = BigUint::from(1u8) << inner.ty.width;
            let is = |yes: bool| BigUint::from(u8::from(yes));
            let value = match op {
                UnaryOp::Not => full - 1u8 - value,
                UnaryOp::Neg => (&full - value) % &full,
                UnaryOp::All => is(value == full - 1u8),
                UnaryOp::Any => is(value != BigUint::ZERO),
                UnaryOp::Xor => is(value.count_ones() % 2 == 1),
            };
            return literal(value, ty);
        }
        let kind = match (op, inner.kind) {
            (UnaryOp::Not, ExprKind::Binary(BinaryOp::Eq, a, b)) => {
                ExprKind::Binary(BinaryOp::Ne, a, b)
            }
            (UnaryOp::Not, ExprKind::Binary(BinaryOp::Ne, a, b)) => {
                ExprKind::Binary(BinaryOp::Eq, a, b)
            }
            // A reduction of one bit is that bit.
            (UnaryOp::All | UnaryOp::Any | UnaryOp::Xor, kind) if inner.ty.width == 1 => kind,
            (op, kind) => ExprKind::Unary(op, Box::new(Expr { kind, ty: inner.ty })),
        };
        Expr { kind, ty }
    }

    fn binary(&self, op: BinaryOp, left: Expr, right: Expr, ty: Ty) -> Expr {
        let (a, b) = (self.value(&left), self.value(&right));
        let known = match (&a, &b) {
            (Some(a), Some(b)) => {
                // The sign bit inverted, the order of signed numbers is that of unsigned ones.
                let order = |value: &BigUint| match left.ty.signed {
                    true => value ^ (BigUint::from(1u8) << (left.ty.width - 1)),
                    false => value.clone(),
                };
                let (a, b) = (order(a), order(b));
                match op {
                    BinaryOp::Eq => Some(a == b),
                    BinaryOp::Ne => Some(a != b),
                    BinaryOp::Lt => Some(a < b),
                    BinaryOp::Le => Some(a <= b),
                    BinaryOp::Gt => Some(a > b),
                    BinaryOp::Ge => Some(a >= b),
                    _ => None,
                }
            }
            (None, Some(b)) if !left.ty.signed => one_way(op, b, left.ty.width),
            (Some(a), None) if !left.ty.signed => one_way(mirrored(op), a, left.ty.width),
            _ => None,
        };
        if let Some(known) = known {
            return literal(u8::from(known).into(), ty);
        }
        if let (Some(a), Some(b)) = (&a, &b)
            && let Some(value) = calculated(op, a, b, ty.width)
        {
            return literal(value, ty);
        }
        if let (BinaryOp::Shl | BinaryOp::Shr, Some(by)) = (op, &b) {
            match *by >= left.ty.width.into() {
                true => return literal(BigUint::ZERO, ty),
                false if *by == BigUint::ZERO => return left,
                false => {}
            }
        }
        if let (BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And, Some(a)) = (op, &a)
            && *a == BigUint::ZERO
        {
            return literal(BigUint::ZERO, ty);
        }
        // One bit with a constant: the other operand, or the constant.
        let neutral = |value: &Option<BigUint>| {
            let one = *value.as_ref()? == BigUint::from(1u8);
            match (op, one) {
                (BinaryOp::And, one) => Some(one),
                (BinaryOp::Or, one) => Some(!one),
                _ => None,
            }
        };
        if ty == BIT {
            match (neutral(&a), neutral(&b)) {
                (Some(true), _) | (_, Some(false)) => return right,
                (_, Some(true)) | (Some(false), _) => return left,
                _ => {}
            }
        }
        let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
        Expr { kind, ty }
    }
}

/// An operation on two numbers, the result `width` bits wide; none for comparisons.
fn calculated(op: BinaryOp, a: &BigUint, b: &BigUint, width: usize) -> Option<BigUint> {
    let full = BigUint::from(1u8) << width;
    let by = usize::try_from(b).unwrap_or(usize::MAX).min(width);
    Some(match op {
        BinaryOp::Add => (a + b) % full,
        BinaryOp::Sub => (a + &full - b) % full,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => (a << by) % full,
        BinaryOp::Shr => a >> by,
        _ => return None,
    })
}

/// The comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        op => op,
    }
}

/// The outcome of an unsigned comparison with a limit that no value, or every value, keeps.
fn one_way(op: BinaryOp, limit: &BigUint, width: usize) -> Option<bool> {
    let zero = *limit == BigUint::ZERO;
    let most = *limit == (BigUint::from(1u8) << width) - 1u8;
    match op {
        BinaryOp::Lt if zero => Some(false),
        BinaryOp::Ge if zero => Some(true),
        BinaryOp::Gt if most => Some(false),
        BinaryOp::Le if most => Some(true),
        _ => None,
    }
}
