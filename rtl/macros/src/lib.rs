//! # xtq-kernel-macros: the attribute of crate `xtq-kernel`
//!
//! `connect` lists what a kernel drives, `text` writes its syntax tree; `xtq_kernel::read` reads that again.

mod connect;
mod text;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{ImplItem, ImplItemFn, ItemImpl, parse_macro_input};

/// On `impl Logic for Block`, which has nothing but `fn update(&mut self)`: adds what the block drives and its syntax tree.
///
/// The body is rust-hdl's dialect, but for its macros (`clock!`, `dff_setup!`, `comment!`) and `set_bit`, `set_value_x`, `get_value_x`. What
/// `#[hdl_gen]` drops in silence is refused: attributes, conditions of arms, closed ranges, bounds that are read from signals, functions that are
/// called like casts, literals without a type that do not fit an i32. Errors: what the dialect does not have, at its place.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse_macro_input!(arguments as syn::parse::Nothing);
    let item = parse_macro_input!(item as ItemImpl);
    expand(item)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

fn expand(mut item: ItemImpl) -> syn::Result<Tokens> {
    let [ImplItem::Fn(update)] = &mut item.items[..] else {
        let message = "a kernel is `fn update(&mut self)` and nothing else";
        return Err(syn::Error::new_spanned(&item.self_ty, message));
    };
    update
        .attrs
        .push(syn::parse_quote!(#[allow(unreachable_patterns)]));
    let connect = connect::connect(&update.block)?;
    let tree = text::tree(&update.block)?;
    let connect: ImplItemFn = syn::parse_quote! {
        #[allow(dead_code, unused_variables)]
        #[automatically_derived]
        fn connect(&mut self) { #connect }
    };
    let hdl: ImplItemFn = syn::parse_quote! {
        #[allow(dead_code, unused_variables)]
        #[automatically_derived]
        fn hdl(&self) -> ::xtq_kernel::Verilog { #tree }
    };
    item.items
        .extend([ImplItem::Fn(connect), ImplItem::Fn(hdl)]);
    Ok(quote!(#item))
}
