//! Groups of statements as `assign` and `always @*`.

use num_bigint::BigUint;

use super::expr::is_plain;
use super::groups::Group;
use super::sheet::{Sheet, Temporary, enum_at};
use super::slices::slice;
use super::text::{Text, bits, number};
use crate::design::{Arm, BIT, Expr, ExprKind, Name, SignalKind, Stmt};

/// A group as text.
pub(super) enum Logic {
    /// Drives the only reader, a port of an instance, which can name it.
    Inline(Text),
    /// `assign` statements.
    Assign(Vec<String>),
    /// The lines of an `always` block.
    Always(Vec<String>),
}

const STEP: &str = "    ";

impl Sheet<'_> {
    /// The text of a group. `port`: its signal is an input of an instance that nobody reads.
    pub(super) fn logic(&mut self, group: &Group, port: bool) -> Logic {
        match pieces(group) {
            Some((target, pieces)) => self.assign(target, &pieces, port),
            None => Logic::Always(self.always(group)),
        }
    }

    fn assign(&mut self, target: Name, pieces: &[(usize, Expr)], port: bool) -> Logic {
        self.purpose = self.names.of(target).into();
        let width = self.decl(target).ty.width;
        let mut lines = Vec::new();
        for (offset, value) in pieces {
            let text = self.value(target, *offset, value);
            if port && value.ty.width == width && is_plain(&text) {
                return Logic::Inline(text);
            }
            let (left, field) = self.target(target, *offset, value.ty.width);
            lines.push(format!("assign {left} = {};{field}", text.text));
        }
        Logic::Assign(lines)
    }

    /// A value for bits of a signal.
    fn value(&mut self, target: Name, offset: usize, value: &Expr) -> Text {
        let decl = self.decl(target);
        self.like(value, enum_at(decl, offset, value.ty.width))
    }

    /// Bits of a signal as the left side of an assignment, and a comment that names the field they are.
    fn target(&self, target: Name, offset: usize, width: usize) -> (String, String) {
        let decl = self.decl(target);
        let left = bits(
            self.names.of(target),
            decl.ty.width,
            offset,
            (offset + width).saturating_sub(1),
        );
        let mut fields = decl.fields.iter();
        let field = fields.find(|field| field.offset == offset && field.width == width);
        let comment = field.map_or(String::new(), |field| format!("  // .{}", field.name));
        (left, comment)
    }

    fn always(&mut self, group: &Group) -> Vec<String> {
        self.moving = group.targets.clone();
        self.defaults.clear();
        let body = self.block(&group.body);
        self.moving.clear();
        let mut defaults = std::mem::take(&mut self.defaults);
        defaults.extend(self.wake(group, &body));
        let inside = defaults.into_iter().chain(body);
        let mut lines = vec!["always @* begin".to_string()];
        lines.extend(inside.map(|line| format!("{STEP}{line}")));
        lines.push("end".into());
        lines
    }

    /// A simulator runs an `always @*` block when something that it reads changes. One whose text reads nothing but
    /// constants and what it writes itself would never run: it is given a wire to read, which becomes 0 at the start.
    fn wake(&mut self, group: &Group, body: &[String]) -> Option<String> {
        let read = |name: &str| body.iter().any(|line| mentions(line, name));
        let constant = |name: &Name| matches!(self.decl(*name).kind, SignalKind::Constant(_));
        let reads = group.reads();
        let mut signals = reads.iter().filter(|name| !constant(name));
        // Of a signal that the kernel reads nothing may be left, as in `x & 0`.
        if signals.any(|name| read(self.names.of(*name))) {
            return None;
        }
        let mut wires = self.temporaries.iter().filter(|one| one.value.is_some());
        if wires.any(|wire| read(&wire.name)) {
            return None;
        }
        let target = *group.targets.first()?;
        let name = self.names.scope.unique("start");
        self.note(&name, 0, 1);
        self.temporaries.push(Temporary {
            name: name.clone(),
            ty: BIT,
            value: Some(number(&BigUint::ZERO, 1)),
        });
        let (left, width) = (self.names.of(target), self.decl(target).ty.width);
        Some(match width {
            1 => format!("{left} = {name};"),
            _ => format!("{left} = {{{width}{{{name}}}}};"),
        })
    }

    fn block(&mut self, statements: &[Stmt]) -> Vec<String> {
        let mut lines = Vec::new();
        for statement in statements {
            let text = self.statement(statement);
            lines.append(&mut self.before);
            lines.extend(text);
        }
        lines
    }

    /// The statement; what must be assigned before it is left in `before`.
    fn statement(&mut self, statement: &Stmt) -> Vec<String> {
        match statement {
            Stmt::Assign {
                target,
                offset,
                value,
            } => {
                self.purpose = self.names.of(*target).into();
                let text = self.value(*target, *offset, value).text;
                let (left, field) = self.target(*target, *offset, value.ty.width);
                vec![format!("{left} = {text};{field}")]
            }
            Stmt::If {
                test,
                then,
                otherwise,
            } => self.conditional(test, then, otherwise),
            Stmt::Match {
                test,
                arms,
                default,
            } => self.choice(test, arms, default),
            Stmt::Comment(_) => Vec::new(),
        }
    }

    fn conditional(&mut self, test: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Vec<String> {
        self.purpose = "test".into();
        let mut test = self.expr(test);
        let before = std::mem::take(&mut self.before);
        let (mut then, mut otherwise_lines) = (self.block(then), Vec::new());
        let chained = matches!(otherwise, [Stmt::If { .. }]);
        if chained {
            // A test that needs a value of its own must not be evaluated early.
            otherwise_lines = self.statement(&otherwise[0]);
        } else if !otherwise.is_empty() {
            otherwise_lines = self.block(otherwise);
        }
        let early = std::mem::take(&mut self.before);
        let chained = chained && early.is_empty();
        let mut otherwise: Vec<String> = early.into_iter().chain(otherwise_lines).collect();
        if then.is_empty() {
            test = test.signed("!");
            then = std::mem::take(&mut otherwise);
        }
        let mut lines = vec![format!("if ({}) begin", test.text)];
        lines.extend(then.into_iter().map(|line| format!("{STEP}{line}")));
        match otherwise.split_first() {
            None => lines.push("end".into()),
            Some((first, rest)) if chained => {
                lines.push(format!("end else {first}"));
                lines.extend(rest.iter().cloned());
            }
            Some(_) => {
                lines.push("end else begin".into());
                lines.extend(otherwise.into_iter().map(|line| format!("{STEP}{line}")));
                lines.push("end".into());
            }
        }
        self.before = before;
        lines
    }

    fn choice(&mut self, test: &Expr, arms: &[Arm], default: &[Stmt]) -> Vec<String> {
        self.purpose = "test".into();
        let kind = super::sheet::enum_of(self, test);
        let width = test.ty.width;
        let test = self.expr(test).text;
        let before = std::mem::take(&mut self.before);
        let mut lines = vec![format!("case ({test})")];
        let labels: Vec<String> = arms
            .iter()
            .map(|arm| self.number(&arm.value, width, kind).text)
            .collect();
        let bodies: Vec<&[Stmt]> = arms.iter().map(|arm| &arm.body[..]).collect();
        let default_label = "default".to_string();
        for (label, body) in labels.iter().zip(bodies).chain([(&default_label, default)]) {
            let body = self.block(body);
            match &body[..] {
                [] => lines.push(format!("{STEP}{label}: ;")),
                [line] => lines.push(format!("{STEP}{label}: {line}")),
                _ => {
                    lines.push(format!("{STEP}{label}: begin"));
                    lines.extend(body.iter().map(|line| format!("{STEP}{STEP}{line}")));
                    lines.push(format!("{STEP}end"));
                }
            }
        }
        lines.push("endcase".into());
        self.before = before;
        lines
    }
}

/// Signal and pieces of a group that is no more than assignments to one signal, each piece with its lowest bit; the
/// lowest first.
pub(super) fn pieces(group: &Group) -> Option<(Name, Vec<(usize, Expr)>)> {
    let mut targets = group.targets.iter();
    let (Some(only), None) = (targets.next(), targets.next()) else {
        return None;
    };
    let mut pieces: Vec<(usize, Expr)> = Vec::new();
    for statement in &group.body {
        let Stmt::Assign { offset, value, .. } = statement else {
            return None;
        };
        let mut reads_itself = false;
        super::groups::visit_expr(value, &mut |part| {
            reads_itself |= part.kind == ExprKind::Signal(*only);
        });
        if reads_itself {
            return None;
        }
        let (low, high) = (*offset, offset + value.ty.width);
        // What is left of earlier pieces below and above this one.
        pieces = pieces
            .into_iter()
            .flat_map(|(at, piece)| {
                let end = at + piece.ty.width;
                let part = |from: usize, to: usize| {
                    (from < to).then(|| (from, slice(piece.clone(), from - at, to - from)))
                };
                [part(at, end.min(low)), part(at.max(high), end)]
            })
            .flatten()
            .collect();
        pieces.push((low, value.clone()));
    }
    pieces.sort_by_key(|(low, _)| *low);
    Some((*only, pieces))
}

/// Zero, as text.
pub(super) fn zero(width: usize) -> Text {
    Text::atom(number(&0u8.into(), width))
}

/// Whether a line of Verilog names something, its comment aside.
fn mentions(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line);
    let inside = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    code.split(|letter| !inside(letter))
        .any(|word| word == name)
}
