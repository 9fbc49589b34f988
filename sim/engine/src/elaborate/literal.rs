//! Numbers out of rust-hdl's literals, which can only be read as text.

use num_bigint::Sign;
use rust_hdl::core::ast::VerilogLiteral;

use crate::base::digits;

/// Whether a number that is not negative has at most `width` bits; rust-hdl panics or cuts it if it has more.
pub(super) fn fits(literal: &VerilogLiteral, width: usize) -> bool {
    let value = digits(literal);
    value.sign() == Sign::Minus || value.bits() <= width as u64
}

/// The number if it is not negative, for offsets and loop bounds.
pub(super) fn natural(literal: &VerilogLiteral) -> Option<usize> {
    let value = digits(literal);
    match value.sign() {
        Sign::Minus => None,
        _ => value
            .magnitude()
            .to_u64_digits()
            .first()
            .map_or(Some(0), |low| (value.bits() <= 32).then_some(*low as usize)),
    }
}

/// Width the literal was written with: 1 for `true` and `false`, else that of its Rust type.
pub(super) fn is_bool(literal: &VerilogLiteral) -> bool {
    format!("{literal:x}").starts_with("1'")
}
