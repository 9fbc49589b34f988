//! What a kernel drives: the targets of its assignments and both sides of its joins.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Block, Expr, Member, Stmt};

/// Code that connects each target of a block once.
pub fn connect(block: &Block) -> syn::Result<Tokens> {
    let mut calls = Vec::new();
    statements(block, &mut calls)?;
    let mut seen = std::collections::BTreeSet::new();
    calls.retain(|call| seen.insert(call.to_string()));
    Ok(quote!(#(#calls)*))
}

fn statements(block: &Block, calls: &mut Vec<Tokens>) -> syn::Result<()> {
    for statement in &block.stmts {
        match statement {
            Stmt::Expr(expression, _) => inner(expression, calls)?,
            // `text` refuses what is no statement of the dialect.
            _ => return Ok(()),
        }
    }
    Ok(())
}

fn inner(expression: &Expr, calls: &mut Vec<Tokens>) -> syn::Result<()> {
    match expression {
        Expr::Assign(assign) => calls.extend(driven(&assign.left)),
        Expr::If(conditional) => {
            statements(&conditional.then_branch, calls)?;
            if let Some((_, otherwise)) = &conditional.else_branch {
                inner(otherwise, calls)?;
            }
        }
        Expr::Block(block) => statements(&block.block, calls)?,
        Expr::Match(choice) => {
            for arm in &choice.arms {
                inner(&arm.body, calls)?;
            }
        }
        Expr::ForLoop(repeated) => {
            let (index, range) = (&repeated.pat, &repeated.expr);
            let body = connect(&repeated.body)?;
            calls.push(quote!(for #index in #range { #body }));
        }
        Expr::Call(call) => {
            let Some((name, [from, to])) = super::text::join(call) else {
                return Ok(());
            };
            calls.push(match name {
                "flow" => quote!(::xtq_kernel::Connect::mark(#from, #to);),
                "join" => quote!(::xtq_kernel::logic_connect_join_fn(#from, #to);),
                _ => quote!(::xtq_kernel::logic_connect_link_fn(#from, #to);),
            });
        }
        Expr::MethodCall(call) => {
            if let Some(part) = super::parts::called(call) {
                let [connect, ..] = super::parts::names(part);
                calls.push(quote!(self.#connect();));
            }
        }
        _ => {}
    }
    Ok(())
}

/// The signal in front of `.next`.
fn driven(target: &Expr) -> Option<Tokens> {
    let Expr::Field(field) = target else {
        return None;
    };
    let base = &field.base;
    match &field.member {
        Member::Named(name) if name == "next" => {
            Some(quote!(::xtq_kernel::logic_connect_fn(&mut #base);))
        }
        _ => driven(base),
    }
}
