//! Symbolic execution of a kernel: what each signal it writes becomes, as nodes.
//!
//! **Idea.** Statements are executed in order on values that are nodes. Both branches of a condition are executed, and
//! what differs is chosen by the condition. A bit that some way through the kernel does not write stays unwritten: in
//! hardware a latch.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::graph::{Graph, Id, Op};
use super::words::{Words, count};
use crate::base::Rule;
use crate::design::{Expr, ExprKind, Name, Stmt};

/// A signal as written so far.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) words: Words,
    /// Bits written on every way.
    pub(super) bits: BigUint,
}

/// What execution asks of its surroundings.
pub(super) trait Surroundings {
    /// Width of a signal.
    fn width(&self, name: Name) -> usize;
    /// Whether reading it means what this kernel has written before: its own locals and outputs.
    fn own(&self, name: Name) -> bool;
    /// Value of any other signal.
    fn read(&mut self, graph: &mut Graph, name: Name) -> Words;
    /// Something is wrong with a signal.
    fn report(&mut self, rule: Rule, name: Name, detail: String);
}

/// Executes a kernel; gives every signal it writes.
pub(super) fn execute(
    graph: &mut Graph,
    around: &mut dyn Surroundings,
    statements: &[Stmt],
) -> BTreeMap<Name, Written> {
    let mut run = Run {
        graph,
        around,
        written: BTreeMap::new(),
        undo: Vec::new(),
    };
    run.block(statements);
    run.written
}

struct Run<'a> {
    graph: &'a mut Graph,
    around: &'a mut dyn Surroundings,
    written: BTreeMap<Name, Written>,
    /// For each branch that is open the signals it changed, with what they were before.
    undo: Vec<BTreeMap<Name, Option<Written>>>,
}

impl Run<'_> {
    fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Assign {
                    target,
                    offset,
                    value,
                } => self.assign(*target, *offset, value),
                Stmt::If {
                    test,
                    then,
                    otherwise,
                } => {
                    let test = self.value(test)[0];
                    self.branch(test, |run| run.block(then), |run| run.block(otherwise));
                }
                Stmt::Match {
                    test,
                    arms,
                    default,
                } => {
                    let width = test.ty.width;
                    let test = self.value(test);
                    let tests: Vec<Id> = arms
                        .iter()
                        .map(|arm| {
                            let value = self.graph.number(&arm.value, width);
                            self.graph.binary(
                                crate::design::BinaryOp::Eq,
                                test.clone(),
                                value,
                                width,
                                false,
                            )[0]
                        })
                        .collect();
                    let bodies: Vec<&[Stmt]> = arms.iter().map(|arm| &arm.body[..]).collect();
                    self.arms(&tests, &bodies, default);
                }
                Stmt::Comment(_) => {}
            }
        }
    }

    fn arms(&mut self, tests: &[Id], bodies: &[&[Stmt]], default: &[Stmt]) {
        match (tests.split_first(), bodies.split_first()) {
            (Some((test, tests)), Some((body, bodies))) => self.branch(
                *test,
                |run| run.block(body),
                |run| run.arms(tests, bodies, default),
            ),
            _ => self.block(default),
        }
    }

    fn assign(&mut self, target: Name, offset: usize, value: &Expr) {
        let width = self.around.width(target);
        let part = value.ty.width;
        let value = self.value(value);
        let old = self.written.get(&target).cloned().unwrap_or_else(|| {
            let zero = self.graph.constant(0);
            Written {
                words: vec![zero; count(width)],
                bits: BigUint::ZERO,
            }
        });
        let new = if part == width {
            Written {
                words: value,
                bits: ones(width),
            }
        } else {
            let rest = self.graph.clear(&old.words, offset, part, width);
            Written {
                words: self.graph.insert(&rest, offset, value, width),
                bits: &old.bits | (ones(part) << offset),
            }
        };
        self.write(target, Some(new));
    }

    fn write(&mut self, target: Name, new: Option<Written>) {
        let old = match new {
            Some(new) => self.written.insert(target, new),
            None => self.written.remove(&target),
        };
        if let Some(changed) = self.undo.last_mut() {
            changed.entry(target).or_insert(old);
        }
    }

    /// Executes one part and takes its changes back; gives what the changed signals were in it.
    fn tentative(&mut self, part: impl FnOnce(&mut Self)) -> BTreeMap<Name, Option<Written>> {
        self.undo.push(BTreeMap::new());
        part(self);
        let changed = self.undo.pop().unwrap_or_default();
        changed
            .into_iter()
            .map(|(name, before)| {
                let after = match before {
                    Some(before) => self.written.insert(name, before),
                    None => self.written.remove(&name),
                };
                (name, after)
            })
            .collect()
    }

    fn branch(&mut self, test: Id, then: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        match self.graph.op(test) {
            Op::Const(0) => return other(self),
            Op::Const(_) => return then(self),
            _ => {}
        }
        let yes = self.tentative(then);
        let no = self.tentative(other);
        let names: Vec<Name> = yes.keys().chain(no.keys()).copied().collect();
        for name in names {
            let before = self.written.get(&name).cloned();
            let side = |changed: &BTreeMap<Name, Option<Written>>| {
                changed
                    .get(&name)
                    .cloned()
                    .unwrap_or_else(|| before.clone())
            };
            let (Some(a), Some(b)) = (side(&yes), side(&no)) else {
                // Written on one side only: what was written is not known on the other.
                let some = side(&yes).or_else(|| side(&no));
                let partly = some.map(|some| Written {
                    bits: BigUint::ZERO,
                    ..some
                });
                self.write(name, partly);
                continue;
            };
            let merged = Written {
                words: self.graph.choose(test, &a.words, &b.words),
                bits: a.bits & b.bits,
            };
            self.write(name, Some(merged));
        }
    }

    fn value(&mut self, expr: &Expr) -> Words {
        let width = expr.ty.width;
        match &expr.kind {
            ExprKind::Signal(name) => self.signal(*name, width),
            ExprKind::Literal(value) => self.graph.number(value, width),
            ExprKind::Unary(op, inner) => {
                let words = self.value(inner);
                self.graph.unary(*op, words, inner.ty.width)
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.value(left), self.value(right));
                self.graph.binary(*op, a, b, left.ty.width, left.ty.signed)
            }
            ExprKind::Resize(inner) => {
                let words = self.value(inner);
                let from = inner.ty.width;
                match inner.ty.signed && width > from && from > 0 {
                    true => self.graph.extend_sign(words, from, width),
                    false => self.graph.cut(words, width),
                }
            }
            ExprKind::Slice(base, offset) => {
                let words = self.value(base);
                self.graph.slice(&words, *offset, width)
            }
            ExprKind::SliceAt(base, offset) => {
                let (words, offset) = (self.value(base), self.value(offset));
                self.graph.slice_at(words, &offset, width)
            }
            ExprKind::ReplaceBit { base, index, value } => {
                let (words, index) = (self.value(base), self.value(index));
                let value = self.value(value)[0];
                self.graph.replace_bit(&words, &index, value, width)
            }
        }
    }

    fn signal(&mut self, name: Name, width: usize) -> Words {
        if !self.around.own(name) {
            return self.around.read(self.graph, name);
        }
        let full = ones(width);
        match self.written.get(&name) {
            Some(written) if written.bits == full => written.words.clone(),
            written => {
                let (rule, detail) = match written {
                    None => (
                        Rule::ReadBeforeWrite,
                        "is read before the kernel writes it".to_string(),
                    ),
                    Some(_) => (
                        Rule::Latch,
                        "is read where not every way through the kernel has written all of it"
                            .into(),
                    ),
                };
                self.around.report(rule, name, detail);
                let zero = self.graph.constant(0);
                vec![zero; count(width)]
            }
        }
    }
}

/// `width` ones.
pub(super) fn ones(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}
