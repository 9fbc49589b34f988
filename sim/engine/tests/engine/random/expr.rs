//! Random type-correct expressions over the signals of a scope.

use xtq_engine::design::{BIT, BinaryOp, Expr, ExprKind, Name, Ty, UnaryOp};

use crate::random::tape::Tape;

fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr { kind, ty }
}

/// What a kernel can read so far.
pub struct Scope<'a> {
    pub tape: &'a mut Tape,
    pub names: Vec<(Name, Ty)>,
}

impl Scope<'_> {
    fn literal(&mut self, ty: Ty) -> Expr {
        expr(ExprKind::Literal(self.tape.number(ty.width)), ty)
    }

    /// A signal, made to have the type.
    fn signal(&mut self, ty: Ty) -> Expr {
        let Some(last) = self.names.len().checked_sub(1) else {
            return self.literal(ty);
        };
        let (name, own) = self.names[last - self.tape.pick(last + 1)];
        let signal = expr(ExprKind::Signal(name), own);
        match own == ty {
            true => signal,
            false => expr(ExprKind::Resize(Box::new(signal)), ty),
        }
    }

    fn unsigned(&mut self, depth: usize) -> Box<Expr> {
        let width = self.tape.width();
        Box::new(self.expr(Ty::bits(width), depth))
    }

    fn any(&mut self, depth: usize) -> Box<Expr> {
        let ty = self.tape.ty();
        Box::new(self.expr(ty, depth))
    }

    /// An amount of a shift or an index: mostly narrow.
    fn amount(&mut self, depth: usize) -> Box<Expr> {
        let width = match self.tape.pick(6) {
            5 => self.tape.width(),
            _ => 1 + self.tape.pick(9),
        };
        Box::new(self.expr(Ty::bits(width), depth))
    }

    /// A value of the type.
    pub fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        let Some(below) = depth.checked_sub(1) else {
            return match self.tape.pick(4) {
                0 => self.literal(ty),
                _ => self.signal(ty),
            };
        };
        let kind = match self.tape.pick(16) {
            0 => return self.literal(ty),
            1 | 2 => return self.signal(ty),
            3 => {
                let op = self.tape.of(&[UnaryOp::Not, UnaryOp::Neg]);
                ExprKind::Unary(op, Box::new(self.expr(ty, below)))
            }
            4 if ty == BIT => {
                let op = self.tape.of(&[UnaryOp::All, UnaryOp::Any, UnaryOp::Xor]);
                ExprKind::Unary(op, self.unsigned(below))
            }
            5 | 6 if ty == BIT => {
                use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
                let op = self.tape.of(&[Eq, Ne, Lt, Le, Gt, Ge]);
                let left = self.any(below);
                let right = self.expr(left.ty, below);
                ExprKind::Binary(op, left, Box::new(right))
            }
            4..8 => {
                use BinaryOp::{Add, And, Or, Sub, Xor};
                let op = self.tape.of(&[Add, Sub, And, Or, Xor]);
                let left = self.expr(ty, below);
                let right = self.expr(ty, below);
                ExprKind::Binary(op, Box::new(left), Box::new(right))
            }
            // Shifts are of unsigned values, as in rust-hdl.
            8 | 9 if !ty.signed => {
                let op = self.tape.of(&[BinaryOp::Shl, BinaryOp::Shr]);
                let left = self.expr(ty, below);
                ExprKind::Binary(op, Box::new(left), self.amount(below))
            }
            8..11 => ExprKind::Resize(self.any(below)),
            11 | 12 => {
                let base = self.unsigned(below);
                let offset = self.tape.pick(base.ty.width);
                ExprKind::Slice(base, offset)
            }
            13 | 14 => {
                let base = self.unsigned(below);
                ExprKind::SliceAt(base, self.amount(below))
            }
            _ => ExprKind::ReplaceBit {
                base: Box::new(self.expr(ty, below)),
                index: self.amount(below),
                value: Box::new(self.expr(BIT, below)),
            },
        };
        expr(kind, ty)
    }
}
