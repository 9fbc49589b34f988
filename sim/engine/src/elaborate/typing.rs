//! Expressions with the types of Rust.
//!
//! **Idea.** [`Typer::natural`] is the type an expression has by itself: that of its signals. Literals have none, and a
//! sign extension has a source but no target type. [`Typer::typed`] gets the type that is wanted and hands it down to
//! those.

use num_bigint::BigUint;
use rust_hdl::core::ast::{
    VerilogExpression as Ast, VerilogLiteral, VerilogOp as Op, VerilogOpUnary as OpUnary,
};

use super::names::{Loops, loop_value, resolve};
use super::{Frame, literal};
use crate::base::{Finding, Rule, cut, number as number_of};
use crate::design::{BIT, BinaryOp, Expr, ExprKind, Name, Ty, UnaryOp};

/// Type of a shift amount or offset that is a plain number.
const COUNT: Ty = Ty::bits(64);

pub(super) struct Typer<'a> {
    pub(super) frame: &'a Frame,
    pub(super) loops: Loops,
    findings: &'a mut Vec<Finding>,
}

impl<'a> Typer<'a> {
    pub(super) fn new(frame: &'a Frame, findings: &'a mut Vec<Finding>) -> Self {
        Self {
            frame,
            loops: Loops::new(),
            findings,
        }
    }

    pub(super) fn report(&mut self, rule: Rule, signal: &str, detail: &str) {
        self.findings.push(Finding {
            rule,
            block: self.frame.shown_path(),
            signal: signal.into(),
            detail: detail.into(),
        });
    }

    /// The signal a name stands for, reported if there is none.
    pub(super) fn name(&mut self, text: &str) -> Option<Name> {
        let symbol = resolve(text, &self.loops);
        let found = symbol.and_then(|symbol| self.frame.symbols.get(&symbol).copied());
        if found.is_none() {
            let detail = "is no signal, constant or variant of this block or its children's ports";
            self.report(Rule::UnknownName, &text.replace('$', "."), detail);
        }
        found
    }

    /// A number known at elaboration: literals, loop variables and arithmetic on them.
    pub(super) fn constant(&self, ast: &Ast) -> Option<usize> {
        match ast {
            Ast::Literal(value) => literal::natural(value),
            Ast::Signal(text) => loop_value(text, &self.loops),
            Ast::Paren(inner) => self.constant(inner),
            Ast::Binary(left, op, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                match op {
                    Op::Add => left.checked_add(right),
                    Op::Sub => left.checked_sub(right),
                    Op::Mul => left.checked_mul(right),
                    Op::Shl => left.checked_shl(right.try_into().ok()?),
                    Op::Shr => left.checked_shr(right.try_into().ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A short description for findings.
    pub(super) fn shown(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Signal(name) => self.frame.shown(*name),
            ExprKind::Slice(base, _) | ExprKind::Resize(base) => self.shown(base),
            _ => "expression".into(),
        }
    }

    /// The type an expression has by itself.
    fn natural(&self, ast: &Ast) -> Option<Ty> {
        match ast {
            Ast::Signal(text) => {
                let symbol = resolve(text, &self.loops)?;
                if let Some((_, width)) = self.frame.variants.get(&symbol) {
                    return Some(Ty::bits(*width));
                }
                let name = self.frame.symbols.get(&symbol)?;
                Some(self.frame.decl(*name).ty)
            }
            Ast::Literal(value) => literal::is_bool(value).then_some(BIT),
            Ast::Cast(_, width) => Some(Ty::bits(*width)),
            Ast::Signed(inner) => match self.natural(inner)? {
                Ty { signed: true, .. } => None,
                ty => Some(Ty { signed: true, ..ty }),
            },
            Ast::Unsigned(inner) => self.natural(inner).map(|ty| Ty::bits(ty.width)),
            Ast::Paren(inner) => self.natural(inner),
            Ast::Binary(left, op, right) => match op {
                Op::Add | Op::Sub | Op::Mul | Op::BitAnd | Op::BitOr | Op::BitXor => {
                    self.natural(left).or_else(|| self.natural(right))
                }
                Op::Shl | Op::Shr => self.natural(left).or(Some(COUNT)),
                _ => Some(BIT),
            },
            Ast::Unary(OpUnary::Not | OpUnary::Neg, inner) => self.natural(inner),
            Ast::Unary(..) | Ast::Index(..) => Some(BIT),
            Ast::Slice(base, width, _) => Some(Ty {
                width: *width,
                signed: self.natural(base).is_some_and(|ty| ty.signed),
            }),
            Ast::IndexReplace(base, ..) => self.natural(base),
        }
    }

    /// The expression, which must have the type `ty`.
    pub(super) fn expect(&mut self, ast: &Ast, ty: Ty) -> Option<Expr> {
        let expr = self.typed(ast, Some(ty))?;
        if expr.ty.width != ty.width {
            let shown = self.shown(&expr);
            let detail = format!("has {} bits where {} are wanted", expr.ty.width, ty.width);
            self.report(Rule::Width, &shown, &detail);
            return None;
        }
        Some(Expr { ty, ..expr })
    }

    /// The expression in an index position: Rust computes there with `usize`, so only plain values are translated.
    pub(super) fn index(&mut self, ast: &Ast) -> Option<Expr> {
        if let Some(value) = self.constant(ast) {
            return Some(number(value.into(), COUNT));
        }
        let mut inner = ast;
        while let Ast::Paren(next) = inner {
            inner = next;
        }
        if matches!(inner, Ast::Binary(..)) {
            let detail =
                "arithmetic on an index is done in usize in Rust; assign it to a Local first";
            self.report(Rule::IndexArithmetic, "index", detail);
            return None;
        }
        self.typed(inner, None)
    }

    /// The expression; literals take the type `want`.
    fn typed(&mut self, ast: &Ast, want: Option<Ty>) -> Option<Expr> {
        match ast {
            Ast::Signal(text) => self.signal(text, want),
            Ast::Literal(value) => self.literal(value, want),
            Ast::Paren(inner) => self.typed(inner, want),
            Ast::Cast(inner, width) => {
                let from = self.natural(inner).unwrap_or(Ty::bits(*width));
                let inner = self.expect(inner, from)?;
                Some(resize(inner, Ty::bits(*width)))
            }
            Ast::Signed(inner) => self.signed(inner, want),
            Ast::Unsigned(inner) => {
                let inner = self.typed(inner, want)?;
                let ty = Ty::bits(inner.ty.width);
                Some(resize(inner, ty))
            }
            Ast::Binary(left, op, right) => self.binary(ast, left, op, right, want),
            Ast::Unary(op, inner) => self.unary(op, inner, want),
            Ast::Index(base, index) => self.bit(base, index),
            Ast::Slice(base, width, offset) => self.slice(base, *width, offset),
            Ast::IndexReplace(base, index, value) => {
                let base = self.typed(base, want)?;
                let index = self.index(index)?;
                self.in_range(&base, &index, 1)?;
                let value = self.expect(value, BIT)?;
                let ty = base.ty;
                let kind = ExprKind::ReplaceBit {
                    base: Box::new(base),
                    index: Box::new(index),
                    value: Box::new(value),
                };
                Some(Expr { kind, ty })
            }
        }
    }

    fn signal(&mut self, text: &str, want: Option<Ty>) -> Option<Expr> {
        if let Some(value) = loop_value(text, &self.loops) {
            return Some(number(value.into(), want.unwrap_or(COUNT)));
        }
        let variant =
            resolve(text, &self.loops).and_then(|symbol| self.frame.variants.get(&symbol).copied());
        if let Some((value, width)) = variant {
            return Some(number(value.into(), Ty::bits(width)));
        }
        let name = self.name(text)?;
        Some(Expr {
            kind: ExprKind::Signal(name),
            ty: self.frame.decl(name).ty,
        })
    }

    fn literal(&mut self, value: &VerilogLiteral, want: Option<Ty>) -> Option<Expr> {
        let Some(ty) = want.or_else(|| literal::is_bool(value).then_some(BIT)) else {
            let shown = format!("{value:x}");
            self.report(Rule::Width, &shown, "a number whose width cannot be told");
            return None;
        };
        if !literal::fits(value, ty.width) {
            let shown = format!("{value:x}");
            let detail = format!("does not fit into {} bits", ty.width);
            self.report(Rule::Width, &shown, &detail);
            return None;
        }
        Some(number(number_of(value, ty.width), ty))
    }

    fn signed(&mut self, inner: &Ast, want: Option<Ty>) -> Option<Expr> {
        let from = self.natural(inner);
        match from {
            Some(Ty { signed: false, .. }) => {
                let inner = self.typed(inner, from)?;
                let ty = Ty {
                    signed: true,
                    ..inner.ty
                };
                Some(resize(inner, ty))
            }
            _ => {
                let inner = self.typed(inner, from.or(want))?;
                let Some(ty) = want else {
                    let detail =
                        "a sign extension whose width cannot be told; assign it to a Local";
                    self.report(Rule::Width, "signed_bit_cast", detail);
                    return None;
                };
                Some(resize(inner, Ty { signed: true, ..ty }))
            }
        }
    }

    fn unary(&mut self, op: &OpUnary, inner: &Ast, want: Option<Ty>) -> Option<Expr> {
        let (op, reduces) = match op {
            OpUnary::Not => (UnaryOp::Not, false),
            OpUnary::Neg => (UnaryOp::Neg, false),
            OpUnary::All => (UnaryOp::All, true),
            OpUnary::Any => (UnaryOp::Any, true),
            OpUnary::Xor => (UnaryOp::Xor, true),
        };
        let want = if reduces { None } else { want };
        let inner = self.typed(inner, want)?;
        let ty = if reduces { BIT } else { inner.ty };
        let kind = ExprKind::Unary(op, Box::new(inner));
        Some(Expr { kind, ty })
    }

    fn binary(
        &mut self,
        ast: &Ast,
        left: &Ast,
        op: &Op,
        right: &Ast,
        want: Option<Ty>,
    ) -> Option<Expr> {
        if let (Some(value), Some(ty)) = (self.constant(ast), want) {
            return Some(number(value.into(), ty));
        }
        let (op, compares) = match op {
            Op::Shl => return self.shift(BinaryOp::Shl, left, right, want),
            Op::Shr => return self.shift(BinaryOp::Shr, left, right, want),
            Op::Mul => {
                let detail = "multiplication is not supported";
                self.report(Rule::Unsupported, "*", detail);
                return None;
            }
            Op::Add => (BinaryOp::Add, false),
            Op::Sub => (BinaryOp::Sub, false),
            Op::BitAnd => (BinaryOp::And, false),
            Op::BitOr => (BinaryOp::Or, false),
            Op::BitXor => (BinaryOp::Xor, false),
            // Both sides are bool and have no effects: the same as the bitwise operators.
            Op::LogicalAnd => (BinaryOp::And, false),
            Op::LogicalOr => (BinaryOp::Or, false),
            Op::Eq => (BinaryOp::Eq, true),
            Op::Ne => (BinaryOp::Ne, true),
            Op::Lt => (BinaryOp::Lt, true),
            Op::Le => (BinaryOp::Le, true),
            Op::Gt => (BinaryOp::Gt, true),
            Op::Ge => (BinaryOp::Ge, true),
        };
        let operands = self.natural(left).or_else(|| self.natural(right));
        let operands = operands.or(if compares { None } else { want });
        let left = self.typed(left, operands)?;
        let right = self.expect(right, left.ty)?;
        let ty = if compares { BIT } else { left.ty };
        let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
        Some(Expr { kind, ty })
    }

    fn shift(&mut self, op: BinaryOp, left: &Ast, right: &Ast, want: Option<Ty>) -> Option<Expr> {
        // A plain number shifted by a signal is a Bits<64> in rust-hdl, whatever is wanted.
        let left_ty = match self.natural(left) {
            None if self.constant(right).is_none() => Some(COUNT),
            ty => ty.or(want),
        };
        let left = self.typed(left, left_ty)?;
        let right = match self.constant(right) {
            Some(amount) => number(amount.into(), COUNT),
            None => self.typed(right, None)?,
        };
        if right.ty.width > 64 {
            let shown = self.shown(&right);
            let detail = format!("shift amount of {} bits; at most 64", right.ty.width);
            self.report(Rule::WideShiftAmount, &shown, &detail);
            return None;
        }
        let ty = left.ty;
        let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
        Some(Expr { kind, ty })
    }

    fn bit(&mut self, base: &Ast, index: &Ast) -> Option<Expr> {
        let base = self.typed(base, None)?;
        let index = self.index(index)?;
        self.in_range(&base, &index, 1)?;
        Some(slice_of(base, index, BIT))
    }

    fn slice(&mut self, base: &Ast, width: usize, offset: &Ast) -> Option<Expr> {
        let base = self.typed(base, None)?;
        let offset = self.index(offset)?;
        self.in_range(&base, &offset, width)?;
        let ty = Ty {
            width,
            signed: base.ty.signed,
        };
        Some(slice_of(base, offset, ty))
    }

    /// Reports a constant offset whose bits do not lie in `base`.
    fn in_range(&mut self, base: &Expr, offset: &Expr, width: usize) -> Option<()> {
        let ExprKind::Literal(value) = &offset.kind else {
            return Some(());
        };
        if value + width <= BigUint::from(base.ty.width) {
            return Some(());
        }
        let shown = self.shown(base);
        let detail = format!(
            "bits {value} to {} of a value of {} bits",
            value + width - 1u8,
            base.ty.width
        );
        self.report(Rule::SliceOutOfRange, &shown, &detail);
        None
    }
}

/// `width` bits of `base` from `offset` on.
fn slice_of(base: Expr, offset: Expr, ty: Ty) -> Expr {
    let kind = match &offset.kind {
        // In range, so below any width.
        ExprKind::Literal(value) => {
            let offset = value.to_u64_digits().first().copied().unwrap_or(0) as usize;
            ExprKind::Slice(Box::new(base), offset)
        }
        _ => ExprKind::SliceAt(Box::new(base), Box::new(offset)),
    };
    Expr { kind, ty }
}

/// A number of type `ty`.
fn number(value: BigUint, ty: Ty) -> Expr {
    Expr {
        kind: ExprKind::Literal(cut(&value, ty.width)),
        ty,
    }
}

/// Another type for the same value, if it has not got it already.
fn resize(expr: Expr, ty: Ty) -> Expr {
    if expr.ty == ty {
        return expr;
    }
    Expr {
        kind: ExprKind::Resize(Box::new(expr)),
        ty,
    }
}
