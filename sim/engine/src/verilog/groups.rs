//! A kernel as groups of statements, each of which becomes an `assign` or an `always @*` block.
//!
//! **Idea.** Signals that are written under one condition are computed together, as a person would write it, and
//! everything else apart. A kernel in one `always` block would read what its children make of what it writes, and a
//! simulator that sees a default and then the value runs around that circle for ever. A group may be split further, a
//! signal each, if it is part of such a circle (see [`loops`](super::loops)).
//!
//! A local signal that is read before its last write (an accumulator) stays with everything that is computed from it,
//! so that the order of statements is kept. The inputs of children are read as they are in the end, like all that is
//! not the kernel's own.

use std::collections::{BTreeMap, BTreeSet};

use crate::design::{Arm, Expr, ExprKind, Name, Stmt};

/// Statements that are kept together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What they write.
    pub(super) targets: BTreeSet<Name>,
    /// The statements, in the order of the kernel.
    pub(super) body: Vec<Stmt>,
    /// It cannot be split.
    pub(super) smallest: bool,
}

impl Group {
    /// Signals read that another group, a child or the outside drives.
    pub(super) fn reads(&self) -> BTreeSet<Name> {
        let mut reads = BTreeSet::new();
        visit(&self.body, &mut |expr| {
            if let ExprKind::Signal(name) = expr.kind {
                reads.insert(name);
            }
        });
        reads.retain(|name| !self.targets.contains(name));
        reads
    }
}

/// Calls `see` with every expression of the statements, operands included.
pub(super) fn visit(statements: &[Stmt], see: &mut impl FnMut(&Expr)) {
    for statement in statements {
        match statement {
            Stmt::Assign { value, .. } => visit_expr(value, see),
            Stmt::If {
                test,
                then,
                otherwise,
            } => {
                visit_expr(test, see);
                visit(then, see);
                visit(otherwise, see);
            }
            Stmt::Match {
                test,
                arms,
                default,
            } => {
                visit_expr(test, see);
                arms.iter().for_each(|arm| visit(&arm.body, see));
                visit(default, see);
            }
            Stmt::Comment(_) => {}
        }
    }
}

/// Calls `see` with the expression and its operands.
pub(super) fn visit_expr(expr: &Expr, see: &mut impl FnMut(&Expr)) {
    see(expr);
    match &expr.kind {
        ExprKind::Signal(_) | ExprKind::Literal(_) => {}
        ExprKind::Unary(_, inner) | ExprKind::Resize(inner) | ExprKind::Slice(inner, _) => {
            visit_expr(inner, see);
        }
        ExprKind::Binary(_, left, right) | ExprKind::SliceAt(left, right) => {
            visit_expr(left, see);
            visit_expr(right, see);
        }
        ExprKind::ReplaceBit { base, index, value } => {
            visit_expr(base, see);
            visit_expr(index, see);
            visit_expr(value, see);
        }
    }
}

/// The groups of a kernel, in the order of their first statement.
pub(super) fn groups(statements: &[Stmt]) -> Vec<Group> {
    let mut sites = Sites::default();
    for (top, statement) in statements.iter().enumerate() {
        sites.top = top;
        sites.block(std::slice::from_ref(statement));
    }
    let mut sets = Sets::default();
    sites.keep_order(&mut sets);
    let mut first: BTreeMap<usize, Name> = BTreeMap::new();
    for site in &sites.all {
        let together = *first.entry(site.top).or_insert(site.target);
        sets.union(together, site.target);
    }
    let mut groups = collect(statements, &sites, &mut sets);
    for at in (0..groups.len()).rev() {
        // A child's input that is read in the group must be written in another one.
        let circular = sites.all.iter().any(|site| {
            groups[at].targets.contains(&site.target)
                && site.reads.iter().any(|(name, place)| {
                    matches!(name, Name::Port { .. })
                        && groups[at].targets.contains(name)
                        && sites.last.get(name).is_some_and(|last| last > place)
                })
        });
        if circular {
            let parts = split(&groups[at]);
            groups.splice(at..=at, parts);
        }
    }
    groups
}

/// The group as smallest groups: one signal each, as far as the order of statements allows it.
pub(super) fn split(group: &Group) -> Vec<Group> {
    let mut sites = Sites::default();
    sites.block(&group.body);
    let mut sets = Sets::default();
    sites.keep_order(&mut sets);
    let mut parts = collect(&group.body, &sites, &mut sets);
    parts.iter_mut().for_each(|part| part.smallest = true);
    parts
}

/// The groups that `sets` says, in order.
fn collect(statements: &[Stmt], sites: &Sites, sets: &mut Sets) -> Vec<Group> {
    let mut order: Vec<Name> = Vec::new();
    let mut targets: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for site in &sites.all {
        let set = sets.find(site.target);
        if !order.contains(&set) {
            order.push(set);
        }
        targets.entry(set).or_default().insert(site.target);
    }
    let group = |set: Name| {
        let targets = targets.remove(&set).unwrap_or_default();
        Group {
            body: filter(statements, &targets),
            smallest: targets.len() == 1,
            targets,
        }
    };
    order.into_iter().map(group).collect()
}

/// The statements that write `targets`, with the conditions around them.
fn filter(statements: &[Stmt], targets: &BTreeSet<Name>) -> Vec<Stmt> {
    let keep = |statement: &Stmt| match statement {
        Stmt::Assign { target, .. } => targets.contains(target).then(|| statement.clone()),
        Stmt::If {
            test,
            then,
            otherwise,
        } => {
            let (then, otherwise) = (filter(then, targets), filter(otherwise, targets));
            let some = !then.is_empty() || !otherwise.is_empty();
            some.then(|| Stmt::If {
                test: test.clone(),
                then,
                otherwise,
            })
        }
        Stmt::Match {
            test,
            arms,
            default,
        } => {
            let default = filter(default, targets);
            let arms = arms.iter().map(|arm| Arm {
                body: filter(&arm.body, targets),
                ..arm.clone()
            });
            let arms: Vec<Arm> = arms
                .filter(|arm| !arm.body.is_empty() || !default.is_empty())
                .collect();
            let some = !arms.is_empty() || !default.is_empty();
            some.then(|| Stmt::Match {
                test: test.clone(),
                arms,
                default,
            })
        }
        Stmt::Comment(_) => None,
    };
    statements.iter().filter_map(keep).collect()
}

/// An assignment.
struct Site {
    target: Name,
    /// Statement of the kernel it is in.
    top: usize,
    /// What decides the value, with the place where it is read.
    reads: Vec<(Name, usize)>,
}

#[derive(Default)]
struct Sites {
    all: Vec<Site>,
    /// Place of the last write.
    last: BTreeMap<Name, usize>,
    top: usize,
    place: usize,
    tests: Vec<(Name, usize)>,
}

impl Sites {
    fn reads(&self, expr: &Expr) -> Vec<(Name, usize)> {
        let mut reads = Vec::new();
        visit_expr(expr, &mut |expr| {
            if let ExprKind::Signal(name) = expr.kind {
                reads.push((name, self.place));
            }
        });
        reads
    }

    fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.place += 1;
            let outside = self.tests.len();
            match statement {
                Stmt::Assign { target, value, .. } => {
                    let mut reads = self.reads(value);
                    reads.extend(&self.tests);
                    self.last.insert(*target, self.place);
                    self.all.push(Site {
                        target: *target,
                        top: self.top,
                        reads,
                    });
                }
                Stmt::If {
                    test,
                    then,
                    otherwise,
                } => {
                    self.tests.extend(self.reads(test));
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::Match {
                    test,
                    arms,
                    default,
                } => {
                    self.tests.extend(self.reads(test));
                    arms.iter().for_each(|arm| self.block(&arm.body));
                    self.block(default);
                }
                Stmt::Comment(_) => {}
            }
            self.tests.truncate(outside);
        }
    }

    /// What is read before its last write stays with what is computed from it.
    fn keep_order(&self, sets: &mut Sets) {
        for site in &self.all {
            for (name, place) in &site.reads {
                let own = matches!(name, Name::Own(_));
                if own && self.last.get(name).is_some_and(|last| last >= place) {
                    sets.union(*name, site.target);
                }
            }
        }
    }
}

/// Disjoint sets of signals.
#[derive(Default)]
struct Sets(BTreeMap<Name, Name>);

impl Sets {
    fn find(&mut self, name: Name) -> Name {
        let mut root = name;
        while let Some(parent) = self.0.get(&root) {
            root = *parent;
        }
        root
    }

    fn union(&mut self, a: Name, b: Name) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.0.insert(b, a);
        }
    }
}
