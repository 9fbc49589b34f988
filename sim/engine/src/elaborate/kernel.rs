//! Statements of a kernel: loops unrolled, links as assignments, patterns as numbers.

use num_bigint::BigUint;
use rust_hdl::core::ast::{
    Verilog, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression,
    VerilogLink, VerilogLinkDetails, VerilogLoop, VerilogMatch, VerilogStatement,
};
use rust_hdl::prelude::Block;

use super::typing::Typer;
use super::{Frame, comment};
use crate::base::{Finding, Rule};
use crate::design::{Arm, BIT, Expr, ExprKind, Name, Stmt, Ty};

/// The statements of a block; those that are wrong are left out and reported.
pub(super) fn statements(
    node: &dyn Block,
    frame: &Frame,
    findings: &mut Vec<Finding>,
) -> Vec<Stmt> {
    let mut kernel = Kernel {
        typer: Typer::new(frame, findings),
    };
    let mut out = Vec::new();
    match node.hdl() {
        Verilog::Combinatorial(block) => kernel.block(&block, &mut out),
        Verilog::Empty => {}
        _ => kernel.typer.report(
            Rule::Unsupported,
            "kernel",
            "is Verilog text, not a kernel; use a storage widget",
        ),
    }
    out
}

struct Kernel<'a> {
    typer: Typer<'a>,
}

impl Kernel<'_> {
    fn block(&mut self, block: &[VerilogStatement], out: &mut Vec<Stmt>) {
        for statement in block {
            self.statement(statement, out);
        }
    }

    fn new_block(&mut self, block: &[VerilogStatement]) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.block(block, &mut out);
        out
    }

    fn statement(&mut self, statement: &VerilogStatement, out: &mut Vec<Stmt>) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                out.extend(self.assign(target, None, value));
            }
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => match self.typer.constant(offset) {
                Some(offset) => out.extend(self.assign(base, Some((offset, *width)), replacement)),
                None => self.typer.report(
                    Rule::Unsupported,
                    "assignment",
                    "to a slice with a variable offset",
                ),
            },
            VerilogStatement::If(conditional) => out.extend(self.conditional(conditional)),
            VerilogStatement::Match(choice) => out.extend(self.choice(choice)),
            VerilogStatement::Loop(repeat) => self.repeat(repeat, out),
            VerilogStatement::Comment(text) => out.push(comment(text)),
            VerilogStatement::Link(links) => {
                for link in links {
                    out.extend(self.link(link));
                }
            }
            VerilogStatement::Macro(block) => self.block(block, out),
        }
    }

    fn repeat(&mut self, repeat: &VerilogLoop, out: &mut Vec<Stmt>) {
        let bound = |literal| super::literal::natural(literal);
        let (Some(from), Some(to)) = (bound(&repeat.from), bound(&repeat.to)) else {
            let detail = "the bounds of the loop are not small numbers";
            return self.typer.report(Rule::Unsupported, &repeat.index, detail);
        };
        let before = self.typer.loops.remove(&repeat.index);
        for value in from..to {
            self.typer.loops.insert(repeat.index.clone(), value);
            self.block(&repeat.block, out);
        }
        self.typer.loops.remove(&repeat.index);
        if let Some(value) = before {
            self.typer.loops.insert(repeat.index.clone(), value);
        }
    }

    fn assign(
        &mut self,
        target: &VerilogExpression,
        slice: Option<(usize, usize)>,
        value: &VerilogExpression,
    ) -> Option<Stmt> {
        let VerilogExpression::Signal(text) = target else {
            self.typer.report(
                Rule::Unsupported,
                "assignment",
                "to something that is no signal",
            );
            return None;
        };
        let name = self.typer.name(text)?;
        let decl = self.typer.frame.decl(name);
        let (offset, ty) = match slice {
            None => (0, decl.ty),
            Some((offset, width)) => (offset, Ty::bits(width)),
        };
        let value = self.typer.expect(value, ty)?;
        Some(Stmt::Assign {
            target: name,
            offset,
            value,
        })
    }

    fn conditional(&mut self, conditional: &VerilogConditional) -> Option<Stmt> {
        let test = self.typer.expect(&conditional.test, BIT);
        let then = self.new_block(&conditional.then);
        let otherwise = match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => self.new_block(block),
            VerilogBlockOrConditional::Conditional(statement) => {
                self.new_block(std::slice::from_ref(statement))
            }
            VerilogBlockOrConditional::None => Vec::new(),
        };
        Some(Stmt::If {
            test: test?,
            then,
            otherwise,
        })
    }

    fn choice(&mut self, choice: &VerilogMatch) -> Option<Stmt> {
        let test = self.typer.index(&choice.test);
        let mut arms: Vec<Arm> = Vec::new();
        let mut default = None;
        for case in &choice.cases {
            if default.is_some() {
                let detail = "follows `_`: the arm before it had a guard, which is lost";
                self.typer.report(Rule::MatchGuard, &case.condition, detail);
                continue;
            }
            let body = self.new_block(&case.block);
            if case.condition == "default" {
                default = Some(body);
                continue;
            }
            let Some(ty) = test.as_ref().map(|test| test.ty) else {
                continue;
            };
            let Some(value) = self.pattern(case, ty) else {
                continue;
            };
            if arms.iter().any(|arm| arm.value == value) {
                let detail = "appears twice: the first arm had a guard, which is lost";
                self.typer.report(Rule::MatchGuard, &case.condition, detail);
            }
            arms.push(Arm {
                value,
                label: case.condition.clone(),
                body,
            });
        }
        if default.is_none() {
            let shown = test
                .as_ref()
                .map_or_else(String::new, |t| self.typer.shown(t));
            let detail = "match without the arm `_`: a latch in Verilog";
            self.typer.report(Rule::MissingDefault, &shown, detail);
        }
        Some(Stmt::Match {
            test: test?,
            arms,
            default: default?,
        })
    }

    /// The number a pattern stands for.
    fn pattern(&mut self, case: &VerilogCase, ty: Ty) -> Option<BigUint> {
        let text = &case.condition;
        if let Some((value, width)) = self.typer.frame.variants.get(text) {
            if *width != ty.width {
                let detail = "is a variant of another type than the value of the match";
                self.typer.report(Rule::Width, text, detail);
                return None;
            }
            return Some((*value).into());
        }
        if text == "true" || text == "false" {
            let detail = "match on a bool; use `if`";
            self.typer.report(Rule::MatchOnBool, text, detail);
            return None;
        }
        let Some(value) = integer(text) else {
            let detail = "is no number and no variant of a signal's type";
            self.typer.report(Rule::UnknownName, text, detail);
            return None;
        };
        if value.bits() > ty.width as u64 {
            let detail = format!("can never match: the value has {} bits", ty.width);
            self.typer.report(Rule::Width, text, &detail);
            return None;
        }
        Some(value)
    }

    fn link(&mut self, link: &VerilogLink) -> Option<Stmt> {
        let end = |owner: &str, details: &VerilogLinkDetails| match details.my_name.is_empty() {
            true => owner.to_string(),
            false => format!("{owner}${}", details.my_name),
        };
        let (target, source) = match link {
            VerilogLink::Forward(d) => (end(&d.other_name, d), end(&d.owner_name, d)),
            VerilogLink::Backward(d) => (end(&d.owner_name, d), end(&d.other_name, d)),
            VerilogLink::Bidirectional(d) => {
                let detail = "bidirectional signals are not supported";
                self.typer.report(Rule::Unsupported, &d.owner_name, detail);
                return None;
            }
        };
        let (target, source): (Name, Name) = (self.typer.name(&target)?, self.typer.name(&source)?);
        let ty = self.typer.frame.decl(source).ty;
        let kind = ExprKind::Signal(source);
        Some(Stmt::Assign {
            target,
            offset: 0,
            value: Expr { kind, ty },
        })
    }
}

/// A Rust integer literal.
fn integer(text: &str) -> Option<BigUint> {
    let digits = text.replace('_', "");
    let digits = ["u8", "u16", "u32", "u64", "u128", "usize", "i32"]
        .iter()
        .find_map(|suffix| digits.strip_suffix(suffix))
        .unwrap_or(&digits)
        .to_string();
    let (digits, radix) = match digits.get(..2) {
        Some("0x") => (&digits[2..], 16),
        Some("0b") => (&digits[2..], 2),
        Some("0o") => (&digits[2..], 8),
        _ => (digits.as_str(), 10),
    };
    BigUint::parse_bytes(digits.as_bytes(), radix)
}
