//! Which pins of children a kernel drives itself.

use std::collections::BTreeSet;

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAssign, ExprMethodCall, Ident, Member};

use super::parts;

/// A vector with `child$pin` for each target `self.child.pin.next`, also of the block's parts; of a list of children
/// without the index.
pub fn own(block: &Block) -> Tokens {
    let mut own = Own::default();
    own.visit_block(block);
    let Own { pins, parts } = own;
    let pins = pins.into_iter();
    match parts.is_empty() {
        true => quote!(::std::vec![#(#pins),*]),
        false => quote!([::std::vec![#(#pins),*], #(Self::#parts()),*].concat()),
    }
}

#[derive(Default)]
struct Own {
    pins: BTreeSet<String>,
    /// Functions that give those of the parts.
    parts: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Own {
    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        let mut names = Vec::new();
        path(&assign.left, &mut names);
        if let [child, pin, next, ..] = &names[..]
            && next == "next"
        {
            self.pins.insert(format!("{child}${pin}"));
        }
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if let Some(part) = parts::called(call) {
            let [_, _, pins] = parts::names(part);
            self.parts.push(pins);
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// The names of `self.a[i].b.next`: `a`, `b`, `next`.
fn path(place: &Expr, names: &mut Vec<String>) {
    match place {
        Expr::Field(field) => {
            path(&field.base, names);
            if let Member::Named(name) = &field.member {
                names.push(name.to_string());
            }
        }
        Expr::Index(index) => path(&index.expr, names),
        _ => {}
    }
}
