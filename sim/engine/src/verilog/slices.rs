//! Slices moved down to signals, because Verilog has slices of names only.

use num_bigint::BigUint;

use crate::design::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};

/// A number of type `ty`.
pub(super) fn literal(value: BigUint, ty: Ty) -> Expr {
    let kind = ExprKind::Literal(value);
    Expr { kind, ty }
}

/// `width` bits of `base` from `offset` on, with the slice as far down as it goes; bits above `base` are zero.
pub(super) fn slice(base: Expr, offset: usize, width: usize) -> Expr {
    let ty = Ty::bits(width);
    if offset == 0 && width == base.ty.width {
        return Expr { ty, ..base };
    }
    let there = base.ty.width.saturating_sub(offset);
    if there == 0 {
        return literal(BigUint::ZERO, ty);
    }
    if there < width && !matches!(base.kind, ExprKind::Literal(_)) {
        let kind = ExprKind::Resize(Box::new(slice(base, offset, there)));
        return Expr { kind, ty };
    }
    let part = |inner: &Expr| Box::new(slice(inner.clone(), offset, width));
    let kind = match &base.kind {
        ExprKind::Literal(value) => {
            return literal((value >> offset) % (BigUint::from(1u8) << width), ty);
        }
        ExprKind::Slice(inner, by) if offset + width <= base.ty.width => {
            return slice((**inner).clone(), offset + by, width);
        }
        ExprKind::Resize(inner) if offset + width <= inner.ty.width => {
            return slice((**inner).clone(), offset, width);
        }
        ExprKind::Unary(UnaryOp::Not, inner) => ExprKind::Unary(UnaryOp::Not, part(inner)),
        ExprKind::Unary(UnaryOp::Neg, inner) if offset == 0 => {
            ExprKind::Unary(UnaryOp::Neg, part(inner))
        }
        ExprKind::Binary(op, left, right) => match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                ExprKind::Binary(*op, part(left), part(right))
            }
            // Carries go upwards only.
            BinaryOp::Add | BinaryOp::Sub if offset == 0 => {
                ExprKind::Binary(*op, part(left), part(right))
            }
            BinaryOp::Shr => match constant(right) {
                Some(by) if by + offset + width <= left.ty.width => {
                    return slice((**left).clone(), by + offset, width);
                }
                _ => ExprKind::Slice(Box::new(base), offset),
            },
            _ => ExprKind::Slice(Box::new(base), offset),
        },
        _ => ExprKind::Slice(Box::new(base), offset),
    };
    Expr { kind, ty }
}

/// A small number.
fn constant(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Literal(value) => value.try_into().ok().filter(|v: &usize| *v < 1 << 32),
        _ => None,
    }
}
