//! Reads a kernel's syntax tree from its text.

use std::str::Lines;

use rust_hdl::core::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional,
    VerilogExpression, VerilogLink, VerilogLiteral, VerilogLoop, VerilogMatch, VerilogOp,
    VerilogOpUnary, VerilogStatement,
};

/// What is left to read.
struct Reader<'a> {
    lines: Lines<'a>,
    /// Numbers that only the compiler knows, by position.
    numbers: &'a [usize],
    links: std::vec::IntoIter<Vec<VerilogLink>>,
    parts: std::vec::IntoIter<Verilog>,
}

/// The tree of a text that `#[kernel]` wrote. `numbers` are what its lines `$i` stand for, `links` those of its joins
/// and `parts` the trees of its parts, in order.
///
/// Panics on a text that `#[kernel]` did not write.
pub fn read(
    text: &str,
    numbers: &[usize],
    links: Vec<Vec<VerilogLink>>,
    parts: Vec<Verilog>,
) -> Verilog {
    let mut reader = Reader {
        lines: text.lines(),
        numbers,
        links: links.into_iter(),
        parts: parts.into_iter(),
    };
    Verilog::Combinatorial(reader.block())
}

impl<'a> Reader<'a> {
    fn line(&mut self) -> &'a str {
        self.lines.next().expect("a text of #[kernel]")
    }

    /// A number: digits, or `$` and the position of one that the compiler gave.
    fn number(&mut self) -> usize {
        let line = self.line();
        match line.strip_prefix('$') {
            Some(position) => self.numbers[position.parse::<usize>().expect("a position")],
            None => line.parse().expect("a number"),
        }
    }

    /// A literal: its Rust type, then its value.
    fn literal(&mut self) -> VerilogLiteral {
        let ty = self.line();
        match ty {
            "bool" => (self.line() == "true").into(),
            // What only the compiler knows is a usize.
            "usize" => self.number().into(),
            _ => {
                let value: u128 = self.line().parse().expect("a number");
                match ty {
                    "i32" => i32::try_from(value).expect("an i32").into(),
                    "u8" => u8::try_from(value).expect("an u8").into(),
                    "u16" => u16::try_from(value).expect("an u16").into(),
                    "u32" => u32::try_from(value).expect("an u32").into(),
                    "u64" => u64::try_from(value).expect("an u64").into(),
                    _ => value.into(),
                }
            }
        }
    }

    /// Statements: their number, then each. A part is all of its own.
    fn block(&mut self) -> VerilogBlock {
        let statements = self.number();
        let mut block = VerilogBlock::new();
        for _ in 0..statements {
            match self.line() {
                "part" => {
                    let Some(Verilog::Combinatorial(part)) = self.parts.next() else {
                        panic!("the tree of a part");
                    };
                    block.extend(part);
                }
                kind => block.push(self.statement(kind)),
            }
        }
        block
    }

    fn statement(&mut self, kind: &str) -> VerilogStatement {
        match kind {
            "assign" => VerilogStatement::Assignment(self.expression(), self.expression()),
            "slice" => VerilogStatement::SliceAssignment {
                base: self.expression(),
                width: self.number(),
                offset: self.expression(),
                replacement: self.expression(),
            },
            "if" => VerilogStatement::If(self.conditional()),
            "match" => {
                let test = self.expression();
                let cases = self.number();
                let case = |_| VerilogCase {
                    condition: self.line().to_owned(),
                    block: self.block(),
                };
                VerilogStatement::Match(VerilogMatch {
                    test,
                    cases: (0..cases).map(case).collect(),
                })
            }
            "for" => VerilogStatement::Loop(VerilogLoop {
                index: self.line().to_owned(),
                from: self.literal(),
                to: self.literal(),
                block: self.block(),
            }),
            "link" => VerilogStatement::Link(self.links.next().expect("links of a join")),
            other => panic!("no statement is called {other}"),
        }
    }

    fn conditional(&mut self) -> VerilogConditional {
        VerilogConditional {
            test: self.expression(),
            then: self.block(),
            otherwise: match self.line() {
                "else" => VerilogBlockOrConditional::Block(self.block()),
                "else if" => {
                    let conditional = VerilogStatement::If(self.conditional());
                    VerilogBlockOrConditional::Conditional(Box::new(conditional))
                }
                _ => VerilogBlockOrConditional::None,
            },
        }
    }

    fn boxed(&mut self) -> Box<VerilogExpression> {
        Box::new(self.expression())
    }

    fn expression(&mut self) -> VerilogExpression {
        let line = self.line();
        if let Some(name) = line.strip_prefix('.') {
            return VerilogExpression::Signal(name.to_owned());
        }
        if let Some(operator) = binary(line) {
            return VerilogExpression::Binary(self.boxed(), operator, self.boxed());
        }
        match line {
            "literal" => VerilogExpression::Literal(self.literal()),
            "cast" => {
                let value = self.boxed();
                VerilogExpression::Cast(value, self.number())
            }
            "signed" => VerilogExpression::Signed(self.boxed()),
            "unsigned" => VerilogExpression::Unsigned(self.boxed()),
            "paren" => VerilogExpression::Paren(self.boxed()),
            "not" => VerilogExpression::Unary(VerilogOpUnary::Not, self.boxed()),
            "neg" => VerilogExpression::Unary(VerilogOpUnary::Neg, self.boxed()),
            "all" => VerilogExpression::Unary(VerilogOpUnary::All, self.boxed()),
            "any" => VerilogExpression::Unary(VerilogOpUnary::Any, self.boxed()),
            "xor" => VerilogExpression::Unary(VerilogOpUnary::Xor, self.boxed()),
            "bit" => VerilogExpression::Index(self.boxed(), self.boxed()),
            "bits" => {
                let value = self.boxed();
                let width = self.number();
                VerilogExpression::Slice(value, width, self.boxed())
            }
            "replace" => VerilogExpression::IndexReplace(self.boxed(), self.boxed(), self.boxed()),
            other => panic!("no expression is called {other}"),
        }
    }
}

/// An operator with two operands, as Rust writes it.
fn binary(operator: &str) -> Option<VerilogOp> {
    Some(match operator {
        "+" => VerilogOp::Add,
        "-" => VerilogOp::Sub,
        "*" => VerilogOp::Mul,
        "&&" => VerilogOp::LogicalAnd,
        "||" => VerilogOp::LogicalOr,
        "^" => VerilogOp::BitXor,
        "&" => VerilogOp::BitAnd,
        "|" => VerilogOp::BitOr,
        "<<" => VerilogOp::Shl,
        ">>" => VerilogOp::Shr,
        "==" => VerilogOp::Eq,
        "<" => VerilogOp::Lt,
        "<=" => VerilogOp::Le,
        "!=" => VerilogOp::Ne,
        ">=" => VerilogOp::Ge,
        ">" => VerilogOp::Gt,
        _ => return None,
    })
}
