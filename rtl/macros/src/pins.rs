//! Which pins of children a kernel drives itself.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAssign, Member};

/// `child$pin` for each target `self.child.pin.next`; of a list of children without the index.
pub fn own(block: &Block) -> Vec<String> {
    let mut own = Own::default();
    own.visit_block(block);
    own.0.into_iter().collect()
}

#[derive(Default)]
struct Own(BTreeSet<String>);

impl<'ast> Visit<'ast> for Own {
    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        let mut names = Vec::new();
        path(&assign.left, &mut names);
        if let [child, pin, next, ..] = &names[..]
            && next == "next"
        {
            self.0.insert(format!("{child}${pin}"));
        }
        visit::visit_expr_assign(self, assign);
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
