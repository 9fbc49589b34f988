//! Expressions as text, every part at its width in Rust.
//!
//! **Idea.** Verilog computes an operator at the largest width of its operands and of what is around it. If all
//! operands of an operator have its width, as in Rust, and a wider context is only ever reached through `{...}` (which
//! ends a context), the two languages agree and the text can nest as in Rust. Where Verilog has no expression for it, a
//! slice of a value without a name, the value gets a wire of its width. No signal is declared signed: `$signed` stands
//! where it matters, in comparisons.

use num_bigint::BigUint;

use super::groups::visit_expr;
use super::sheet::{Sheet, Temporary, enum_of};
use super::text::{Bond, Text, number, sign};
use crate::design::{BinaryOp, Expr, ExprKind, SignalKind, Ty, UnaryOp};

/// Verilator takes no variable shift amounts above this width.
const WIDEST_AMOUNT: usize = 32;

impl Sheet<'_> {
    /// The expression as text.
    pub(super) fn expr(&mut self, expr: &Expr) -> Text {
        let width = expr.ty.width;
        match &expr.kind {
            ExprKind::Signal(name) => self.signal(*name),
            ExprKind::Literal(value) => Text::atom(number(value, width)),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, width),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Resize(inner) => self.resize(inner, width),
            ExprKind::Slice(base, offset) => self.slice(base, *offset, width),
            ExprKind::SliceAt(base, offset) => self.slice_at(base, offset, width),
            ExprKind::ReplaceBit { base, index, value } => self.replace_bit(base, index, value),
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr, width: usize) -> Text {
        let sign = match op {
            UnaryOp::Not if width == 1 => "!",
            UnaryOp::Not => "~",
            UnaryOp::Neg => "-",
            UnaryOp::All => "&",
            UnaryOp::Any => "|",
            UnaryOp::Xor => "^",
        };
        self.expr(inner).signed(sign)
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Text {
        match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                let left = self.expr(left);
                self.shift(left, op, right)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if left.ty.signed => {
                let [left, right] = [left, right].map(|operand| {
                    let operand = self.expr(operand).text;
                    Text::atom(format!("$signed({operand})"))
                });
                left.binary(sign(op), right)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let (left_enum, right_enum) = (enum_of(self, left), enum_of(self, right));
                let left = self.like(left, right_enum);
                let right = self.like(right, left_enum);
                left.binary(sign(op), right)
            }
            _ => {
                let (left, right) = (self.expr(left), self.expr(right));
                left.binary(sign(op), right)
            }
        }
    }

    /// The expression; a number of an enum type as the name of its variant.
    pub(super) fn like(&mut self, expr: &Expr, kind: Option<(&str, &[String])>) -> Text {
        match &expr.kind {
            ExprKind::Literal(value) => self.number(value, expr.ty.width, kind),
            _ => self.expr(expr),
        }
    }

    /// `value op amount`; no bit remains if the amount is the width or more.
    fn shift(&mut self, value: Text, op: BinaryOp, amount: &Expr) -> Text {
        if let ExprKind::Literal(amount) = &amount.kind {
            return value.binary(sign(op), Text::atom(amount.to_string()));
        }
        if amount.ty.width <= WIDEST_AMOUNT {
            let amount = self.expr(amount);
            return value.binary(sign(op), amount);
        }
        // An amount with a high bit is too large for any width: all of its low bits are set.
        let width = amount.ty.width;
        let name = self.named(amount);
        let high = self.part(&name, width, WIDEST_AMOUNT, width - WIDEST_AMOUNT);
        let low = self.part(&name, width, 0, WIDEST_AMOUNT).text;
        let any = high.signed("|").closed();
        let clipped = Text::atom(format!("({{{WIDEST_AMOUNT}{{{any}}}}} | {low})"));
        value.binary(sign(op), clipped)
    }

    /// A wider value.
    fn resize(&mut self, inner: &Expr, width: usize) -> Text {
        let from = inner.ty.width;
        let more = width - from;
        if inner.ty.signed {
            let name = self.named(inner);
            let sign = self.part(&name, from, from - 1, 1).text;
            let value = self.part(&name, from, 0, from).text;
            return Text::atom(format!("{{{{{more}{{{sign}}}}}, {value}}}"));
        }
        let value = self.expr(inner).text;
        let zeros = number(&BigUint::ZERO, more);
        Text::atom(format!("{{{zeros}, {value}}}"))
    }

    fn slice(&mut self, base: &Expr, offset: usize, width: usize) -> Text {
        let name = self.named(base);
        self.part(&name, base.ty.width, offset, width)
    }

    /// `width` bits from a variable offset on: a shift, because Verilog has X where Rust has 0.
    fn slice_at(&mut self, base: &Expr, offset: &Expr, width: usize) -> Text {
        let all = base.ty.width;
        let every_offset_fits = all.is_power_of_two() && 1 << offset.ty.width.min(63) == all;
        if width == 1 && every_offset_fits && all > 1 {
            let name = self.named(base);
            let text = self.part(&name, all, 0, all).text;
            let offset = self.expr(offset).text;
            return Text::atom(format!("{text}[{offset}]"));
        }
        let kind = ExprKind::Binary(BinaryOp::Shr, base.clone().into(), offset.clone().into());
        let shifted = Expr {
            kind,
            ty: Ty::bits(all),
        };
        match width == all {
            true => self.expr(&shifted),
            false => self.slice(&shifted, 0, width),
        }
    }

    fn replace_bit(&mut self, base: &Expr, index: &Expr, value: &Expr) -> Text {
        let width = base.ty.width;
        if let ExprKind::Literal(at) = &index.kind {
            // In range: elaboration has checked it.
            let at = at.to_u64_digits().first().copied().unwrap_or(0) as usize;
            let name = self.named(base);
            let value = self.expr(value).text;
            let mut parts = Vec::new();
            if at + 1 < width {
                parts.push(self.part(&name, width, at + 1, width - at - 1).text);
            }
            parts.push(value);
            if at > 0 {
                parts.push(self.part(&name, width, 0, at).text);
            }
            return Text::atom(format!("{{{}}}", parts.join(", ")));
        }
        let one = Text::atom(number(&1u8.into(), width));
        let hole = self.shift(one, BinaryOp::Shl, index).signed("~");
        let rest = self.expr(base).binary("&", hole);
        let value = match width {
            1 => self.expr(value),
            _ => self.resize(value, width),
        };
        let bit = self.shift(value, BinaryOp::Shl, index);
        rest.binary("|", bit)
    }

    /// A name for the value: its own, or that of a wire made for it.
    fn named(&mut self, expr: &Expr) -> String {
        if let ExprKind::Signal(name) = &expr.kind {
            // Not every tool takes slices of constants.
            if !matches!(self.decl(*name).kind, SignalKind::Constant(_)) {
                return self.names.of(*name).into();
            }
        }
        if let Some(name) = self.known.get(expr) {
            return name.clone();
        }
        let mut moves = false;
        visit_expr(expr, &mut |part| {
            moves |= matches!(&part.kind, ExprKind::Signal(name) if self.moving.contains(name));
        });
        let value = self.expr(expr).text;
        let wanted = format!("{}_{}", self.purpose, what(expr));
        let name = self.names.scope.unique(&wanted);
        let ty = expr.ty;
        if moves {
            self.before.push(format!("{name} = {value};"));
            let zero = number(&BigUint::ZERO, ty.width);
            self.defaults.push(format!("{name} = {zero};"));
        } else {
            self.known.insert(expr.clone(), name.clone());
        }
        self.temporaries.push(Temporary {
            name: name.clone(),
            ty,
            value: (!moves).then_some(value),
        });
        name
    }
}

/// A word for the value of an expression.
fn what(expr: &Expr) -> &'static str {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, _) => "inverse",
        ExprKind::Unary(UnaryOp::Neg, _) => "negative",
        ExprKind::Binary(BinaryOp::Add, ..) => "sum",
        ExprKind::Binary(BinaryOp::Sub, ..) => "difference",
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => "shifted",
        ExprKind::Resize(_) => "extended",
        _ => "value",
    }
}

/// Whether a text is a name, a part of one, or a number.
pub(super) fn is_plain(text: &Text) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_'[]:".contains(c);
    text.bond == Bond::Atom && text.text.chars().all(plain)
}
