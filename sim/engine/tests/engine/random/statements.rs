//! Random statements that write their targets completely: no latch.

use xtq_engine::design::{Arm, BIT, Name, Stmt, Ty};

use crate::random::expr::Scope;

impl Scope<'_> {
    fn assign(&mut self, (target, ty): (Name, Ty), offset: usize, width: usize) -> Stmt {
        let ty = if width == ty.width {
            ty
        } else {
            Ty::bits(width)
        };
        let value = self.expr(ty, 3);
        Stmt::Assign {
            target,
            offset,
            value,
        }
    }

    /// Statements that write all bits from `offset` on, on every way.
    fn define(
        &mut self,
        target: (Name, Ty),
        offset: usize,
        width: usize,
        depth: usize,
    ) -> Vec<Stmt> {
        let choice = if depth == 0 { 0 } else { self.tape.pick(6) };
        match choice {
            3 if width > 1 => {
                let low = 1 + self.tape.pick(width - 1);
                let mut parts = self.define(target, offset, low, depth - 1);
                parts.extend(self.define(target, offset + low, width - low, depth - 1));
                parts
            }
            4 => vec![Stmt::If {
                test: self.expr(BIT, 2),
                then: self.define(target, offset, width, depth - 1),
                otherwise: self.define(target, offset, width, depth - 1),
            }],
            5 => {
                let block = |scope: &mut Self| scope.define(target, offset, width, depth - 1);
                vec![self.choice(block)]
            }
            _ => vec![self.assign(target, offset, width)],
        }
    }

    fn choice(&mut self, mut block: impl FnMut(&mut Self) -> Vec<Stmt>) -> Stmt {
        let width = 1 + self.tape.pick(8);
        let test = self.expr(Ty::bits(width), 2);
        let mut arms: Vec<Arm> = Vec::new();
        for _ in 0..self.tape.pick(4) {
            let value = self.tape.number(width);
            if arms.iter().all(|arm| arm.value != value) {
                let label = value.to_string();
                let body = block(self);
                arms.push(Arm { value, label, body });
            }
        }
        Stmt::Match {
            test,
            arms,
            default: block(self),
        }
    }

    /// Statements that write some of some targets, which are written already.
    fn change(&mut self, targets: &[(Name, Ty)], depth: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..self.tape.pick(3) {
            let choice = if depth == 0 { 0 } else { self.tape.pick(4) };
            out.push(match choice {
                2 => Stmt::If {
                    test: self.expr(BIT, 2),
                    then: self.change(targets, depth - 1),
                    otherwise: self.change(targets, depth - 1),
                },
                3 => self.choice(|scope| scope.change(targets, depth - 1)),
                _ => {
                    let target = self.tape.of(targets);
                    let offset = self.tape.pick(target.1.width);
                    let width = 1 + self.tape.pick(target.1.width - offset);
                    self.assign(target, offset, width)
                }
            });
        }
        out
    }

    /// Writes all targets, then some of them again.
    pub fn stage(&mut self, targets: &[(Name, Ty)], out: &mut Vec<Stmt>) {
        for &(name, ty) in targets {
            out.extend(self.define((name, ty), 0, ty.width, 2));
            if matches!(name, Name::Own(_)) {
                self.names.push((name, ty));
            }
        }
        if !targets.is_empty() {
            out.extend(self.change(targets, 2));
        }
    }
}
