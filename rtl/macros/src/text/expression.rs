//! Expressions of a kernel, in prefix order.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    BinOp, Expr, ExprCall, ExprLit, ExprMethodCall, GenericArgument, Lit, Member, PathArguments,
    UnOp,
};

use super::{Text, name, refused};

impl Text {
    pub(super) fn expression(&mut self, expression: &Expr) -> syn::Result<()> {
        match expression {
            Expr::Path(_) | Expr::Index(_) => self.signal(expression),
            Expr::Field(field) => {
                let base = &field.base;
                if name(base).ends_with("val()") {
                    let Member::Named(member) = &field.member else {
                        return refused(field, "a field has a name");
                    };
                    self.line("bits");
                    self.expression(base)?;
                    self.field(base, &member.to_string());
                    return Ok(());
                }
                self.signal(expression)
            }
            Expr::Paren(inner) => {
                self.line("paren");
                self.expression(&inner.expr)
            }
            // What a macro's argument was wrapped in.
            Expr::Group(inner) => self.expression(&inner.expr),
            Expr::Binary(binary) => {
                self.line(&operator(&binary.op)?);
                self.expression(&binary.left)?;
                self.expression(&binary.right)
            }
            Expr::Unary(unary) => {
                self.line(match unary.op {
                    UnOp::Not(_) => "not",
                    UnOp::Neg(_) => "neg",
                    _ => return refused(unary, "the dialect has no such operator"),
                });
                self.expression(&unary.expr)
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(method) => self.method(method),
            Expr::Lit(literal) => {
                self.line("literal");
                self.literal(literal)
            }
            _ => refused(expression, "the dialect has no such expression"),
        }
    }

    fn signal(&mut self, at: &Expr) -> syn::Result<()> {
        let signal = name(at);
        if signal.ends_with("$next") {
            return refused(at, "read `.val()`, not `.next`");
        }
        self.line(&format!(".{signal}"));
        Ok(())
    }

    /// A literal with the type that it has in Rust: i32 if it says none.
    pub(super) fn literal(&mut self, literal: &ExprLit) -> syn::Result<()> {
        let (ty, value) = match &literal.lit {
            Lit::Bool(value) => ("bool", value.value.to_string()),
            Lit::Int(value) => {
                let ty = match value.suffix() {
                    "" | "i32" => "i32",
                    "u8" => "u8",
                    "u16" => "u16",
                    "u32" => "u32",
                    "u64" => "u64",
                    "u128" => "u128",
                    "usize" => "usize",
                    _ => return refused(literal, "the dialect has no literals of this type"),
                };
                let value = value.base10_parse::<u128>()?;
                if ty == "i32" && value > i32::MAX as u128 {
                    return refused(literal, "write its type, as in `0x8000_0000_u64`");
                }
                (ty, value.to_string())
            }
            _ => return refused(literal, "a literal is a number or a bool"),
        };
        self.line(ty);
        self.line(&value);
        Ok(())
    }

    fn call(&mut self, call: &ExprCall) -> syn::Result<()> {
        let Expr::Path(path) = call.func.as_ref() else {
            return refused(call, "the dialect has no such call");
        };
        let last = path.path.segments.last();
        let called = path.path.segments[0].ident.to_string();
        let (Some(value), 1) = (call.args.first(), call.args.len()) else {
            return refused(call, "a cast has one argument");
        };
        match called.as_str() {
            "signed_bit_cast" | "signed_cast" => {
                self.line("signed");
                self.expression(value)
            }
            "unsigned_cast" => {
                self.line("unsigned");
                self.expression(value)
            }
            "bit_cast" | "bits" | "Bits" => {
                self.line("cast");
                self.expression(value)?;
                // `bit_cast::<M, N>` and `bits::<M>` give M bits; elsewhere the value knows.
                let first = last.and_then(|segment| match &segment.arguments {
                    PathArguments::AngleBracketed(list) => list.args.first(),
                    _ => None,
                });
                match first {
                    Some(width) if ["bit_cast", "bits"].contains(&called.as_str()) => {
                        self.number(constant(width))
                    }
                    _ => self.number(quote!((#call).bits())),
                }
                Ok(())
            }
            _ => refused(call, "a kernel calls nothing but casts"),
        }
    }

    fn method(&mut self, method: &ExprMethodCall) -> syn::Result<()> {
        let called = method.method.to_string();
        let value = method.receiver.as_ref();
        let arguments = match called.as_str() {
            "get_bits" | "get_bit" => 1,
            "replace_bit" => 2,
            _ => 0,
        };
        if method.args.len() != arguments {
            return refused(method, "another number of arguments");
        }
        match called.as_str() {
            "val" | "into" | "index" | "to_bits" => return self.expression(value),
            "get_bits" => {
                let width = method.turbofish.as_ref().and_then(|list| list.args.first());
                let Some(width) = width else {
                    return refused(method, "`get_bits` says how many: `get_bits::<8>(offset)`");
                };
                self.line("bits");
                self.expression(value)?;
                self.number(constant(width));
            }
            "get_bit" => {
                self.line("bit");
                self.expression(value)?;
            }
            "replace_bit" => {
                self.line("replace");
                self.expression(value)?;
            }
            "all" | "any" | "xor" => {
                self.line(&called);
                self.expression(value)?;
            }
            "to_signed_bits" => {
                self.line("signed");
                self.expression(value)?;
            }
            _ => return refused(method, "the dialect has no such method"),
        }
        method
            .args
            .iter()
            .try_for_each(|argument| self.expression(argument))
    }
}

/// A const argument as an expression.
fn constant(argument: &GenericArgument) -> Tokens {
    match argument {
        GenericArgument::Const(Expr::Block(block)) if block.block.stmts.len() == 1 => {
            let inner = &block.block.stmts[0];
            quote!(#inner)
        }
        other => quote!(#other),
    }
}

/// An operator with two operands, as Rust writes it.
fn operator(operator: &BinOp) -> syn::Result<String> {
    Ok(match operator {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        BinOp::And(_) => "&&",
        BinOp::Or(_) => "||",
        BinOp::BitXor(_) => "^",
        BinOp::BitAnd(_) => "&",
        BinOp::BitOr(_) => "|",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        BinOp::Eq(_) => "==",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Ne(_) => "!=",
        BinOp::Ge(_) => ">=",
        BinOp::Gt(_) => ">",
        _ => return refused(operator, "the dialect has no such operator"),
    }
    .to_owned())
}
