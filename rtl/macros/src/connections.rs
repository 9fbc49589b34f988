//! `connect!(a => b);` as the call that it stands for.

use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Stmt, Token};

/// Puts `Connect::flow(&mut a, &mut b);` for each `connect!(a => b);`. Errors: what is connected is not written so.
pub fn resolve(block: &mut Block) -> syn::Result<()> {
    let mut calls = Calls(Ok(()));
    calls.visit_block_mut(block);
    calls.0
}

struct Calls(syn::Result<()>);

impl VisitMut for Calls {
    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        if let Stmt::Macro(call) = statement
            && call.mac.path.is_ident("connect")
        {
            match call.mac.parse_body::<Way>() {
                Ok(Way { from, to }) => {
                    *statement = syn::parse_quote!(
                        ::xtq_kernel::Connect::flow(&mut #from, &mut #to);
                    );
                }
                Err(error) => self.0 = Err(error),
            }
            return;
        }
        visit_mut::visit_stmt_mut(self, statement);
    }
}

/// `from => to`.
struct Way {
    from: Expr,
    to: Expr,
}

impl Parse for Way {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![=>]>()?;
        Ok(Self {
            from,
            to: input.parse()?,
        })
    }
}
