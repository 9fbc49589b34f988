//! Parts of kernels: functions whose statements a kernel takes in as `self.part();`.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Expr, ExprMethodCall, FnArg, Ident, ImplItem, ItemImpl, ReturnType};

use super::{Kernel, kernel_of};

/// The part that a call takes in: `self.part()`.
pub fn called(call: &ExprMethodCall) -> Option<&Ident> {
    let Expr::Path(receiver) = call.receiver.as_ref() else {
        return None;
    };
    (receiver.path.is_ident("self") && call.args.is_empty()).then_some(&call.method)
}

/// The functions that give what a kernel needs of a part: what it connects, its tree, its pins.
pub fn names(part: &Ident) -> [Ident; 3] {
    ["connect", "hdl", "pins"].map(|what| format_ident!("{part}_{what}"))
}

/// The functions, each followed by those of [`names`].
pub fn expand(mut item: ItemImpl) -> syn::Result<Tokens> {
    let mut items = Vec::new();
    for one in item.items {
        let mut part = match one {
            ImplItem::Fn(part) if is_part(&part.sig) => part,
            other => {
                let message = "a part of a kernel is `fn part(&mut self)`";
                return Err(syn::Error::new_spanned(other, message));
            }
        };
        let Kernel { connect, tree, own } = kernel_of(&mut part)?;
        let ([connects, hdl, pins], vis) = (names(&part.sig.ident), &part.vis);
        let more: [ImplItem; 3] = [
            syn::parse_quote! {
                #[allow(unused_variables)]
                #[automatically_derived]
                #vis fn #connects(&mut self) { #connect }
            },
            syn::parse_quote! {
                #[allow(unused_variables)]
                #[automatically_derived]
                #vis fn #hdl(&self) -> ::xtq_kernel::Verilog { #tree }
            },
            syn::parse_quote! {
                #[automatically_derived]
                #vis fn #pins() -> ::std::vec::Vec<&'static str> { #own }
            },
        ];
        items.push(ImplItem::Fn(part));
        items.extend(more);
    }
    item.items = items;
    Ok(quote!(#item))
}

fn is_part(signature: &syn::Signature) -> bool {
    let receiver = |input: &FnArg| matches!(input, FnArg::Receiver(own) if own.reference.is_some() && own.mutability.is_some());
    signature.inputs.len() == 1
        && signature.inputs.iter().all(receiver)
        && signature.generics.params.is_empty()
        && matches!(signature.output, ReturnType::Default)
}
