//! Pieces of Verilog text with what binds them, so that there are parentheses where they are needed and nowhere else.

use num_bigint::BigUint;

use crate::design::{BinaryOp, Ty};

/// How firmly a text holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bond {
    /// A name, number, or something in brackets.
    Atom,
    /// A sign before an operand.
    Sign,
    /// Operands of an operator.
    Chain(&'static str),
}

/// An expression as text.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) bond: Bond,
}

impl Text {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            bond: Bond::Atom,
        }
    }

    /// As the operand of `sign`.
    pub(super) fn signed(self, sign: &str) -> Self {
        Self {
            text: format!("{sign}{}", self.closed()),
            bond: Bond::Sign,
        }
    }

    /// In parentheses unless it is one thing anyway.
    pub(super) fn closed(self) -> String {
        match self.bond {
            Bond::Atom => self.text,
            _ => format!("({})", self.text),
        }
    }

    /// As an operand of `op`.
    fn operand(self, op: &str) -> String {
        let loose = ["&", "|", "^", "+"].contains(&op);
        match self.bond {
            Bond::Chain(own) if own == op && loose => self.text,
            // An inverted operand is read at a glance, a reduced one is not: `a & ~b`, but `a & (&b)`.
            Bond::Sign if self.text.starts_with(['~', '!']) => self.text,
            _ => self.closed(),
        }
    }

    /// `self op right`.
    pub(super) fn binary(self, op: &'static str, right: Self) -> Self {
        Self {
            text: format!("{} {op} {}", self.operand(op), right.operand(op)),
            bond: Bond::Chain(op),
        }
    }
}

/// The operator's sign.
pub(super) fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

/// A number with its width.
pub(super) fn number(value: &BigUint, width: usize) -> String {
    match value.bits() {
        _ if width == 1 => format!("1'b{value}"),
        ..=4 => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

/// `[7:0]` with a space after, or nothing for one bit.
pub(super) fn range(ty: Ty) -> String {
    match ty.width {
        0 | 1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

/// The bits `low` to `high` of a name of `width` bits.
pub(super) fn bits(name: &str, width: usize, low: usize, high: usize) -> String {
    match (low, high) {
        _ if low == 0 && high + 1 == width => name.into(),
        _ if low == high => format!("{name}[{low}]"),
        _ => format!("{name}[{high}:{low}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_where_they_are_needed() {
        let [a, b, c] = ["a", "b", "c"].map(Text::atom);
        let sum = a.clone().binary("+", b.clone()).binary("+", c.clone());
        assert_eq!(sum.text, "a + b + c");
        let difference = a.clone().binary("-", b.clone().binary("-", c.clone()));
        assert_eq!(difference.text, "a - (b - c)");
        let mixed = a
            .clone()
            .binary("&", b.clone())
            .binary("|", c.clone().signed("~"));
        assert_eq!(mixed.text, "(a & b) | ~c");
        let reduced = a.binary("&", b.binary("&", c).signed("&"));
        assert_eq!(reduced.text, "a & (&(b & c))");
    }

    #[test]
    fn numbers_have_a_width() {
        let texts = [(1u32, 1), (9, 8), (255, 8), (0, 512)].map(|(v, w)| number(&v.into(), w));
        assert_eq!(texts, ["1'b1", "8'd9", "8'hff", "512'd0"]);
    }
}
