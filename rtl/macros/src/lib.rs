//! # xtq-kernel-macros: the attributes of crate `xtq-kernel`
//!
//! `block` reads the fields of a struct; `connect` lists what a kernel drives, `text` writes its syntax tree;
//! `xtq_kernel::read` reads that again.

mod block;
mod bundle;
mod connect;
mod connections;
mod parts;
mod pins;
mod text;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Block, ImplItem, ImplItemFn, ItemImpl, ItemStruct, parse_macro_input};

/// On the struct of a block: derives `Clone`, `Debug` and `LogicBlock`, and writes `Default` and `Clocked`.
///
/// Every field gets its type's default, or what stands in `#[value(..)]` before it: the number of a `Constant`, which
/// has no default, and the whole value of any other field. `#[check(condition, "message")]` before the struct is an
/// assertion of that `Default`. `Clocked` gives clock and reset to the children: to every field that is neither a
/// signal nor a constant nor a list of these, and whose name does not start with `_`. Errors: a `Constant` without
/// value.
#[proc_macro_attribute]
pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse_macro_input!(arguments as syn::parse::Nothing);
    let item = parse_macro_input!(item as ItemStruct);
    block::expand(item)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// On the struct of a bundle of signals, as it is at the end that takes:
/// `#[bundle(StreamOut)] pub struct StreamIn<T: Synth> { .. }` is both structs, the second with all directions turned.
/// A block has a bundle as one field; signals, waves and Verilog call its members `field_member`, and the one marked
/// `#[plain]` as the field. Kernels write `self.field.member.val()` and connect whole bundles with
/// `connect!(self.a => self.b)`: members that are inputs of the first struct go from `a` to `b`, the others back.
#[proc_macro_attribute]
pub fn bundle(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let other = parse_macro_input!(arguments as syn::Ident);
    let item = parse_macro_input!(item as ItemStruct);
    bundle::expand(&other, item)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// On `impl Logic for Block`, which has nothing but `fn update(&mut self)`: adds what the block drives and its syntax
/// tree. The struct has the attribute `#[block]`: the kernel first drives `clk` and `rst` of every child, but for those
/// that the body drives itself.
///
/// The body is rust-hdl's dialect, but for its macros (`clock!`, `dff_setup!`, `comment!`) and `set_bit`,
/// `set_value_x`, `get_value_x`. What `#[hdl_gen]` drops in silence is refused: attributes, conditions of arms, closed
/// ranges, bounds that are read from signals, functions that are called like casts, literals without a type that do not
/// fit an i32. Errors: what the dialect does not have, at its place.
///
/// A long kernel has parts: `self.part();` stands for the statements of `fn part(&mut self)`, which is in an
/// `impl Block` that has this attribute too, in this file or in one below it. In a loop there is none.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse_macro_input!(arguments as syn::parse::Nothing);
    let item = parse_macro_input!(item as ItemImpl);
    let expanded = match item.trait_ {
        Some(_) => expand(item),
        None => parts::expand(item),
    };
    expanded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

fn expand(mut item: ItemImpl) -> syn::Result<Tokens> {
    let [ImplItem::Fn(update)] = &mut item.items[..] else {
        let message = "a kernel is `fn update(&mut self)` and nothing else";
        return Err(syn::Error::new_spanned(&item.self_ty, message));
    };
    let Kernel { connect, tree, own } = kernel_of(update)?;
    update.block.stmts.insert(
        0,
        syn::parse_quote!(::xtq_kernel::Clocked::drive_children(self);),
    );
    let connect: ImplItemFn = syn::parse_quote! {
        #[allow(dead_code, unused_variables)]
        #[automatically_derived]
        fn connect(&mut self) {
            ::xtq_kernel::Clocked::connect_children(self);
            #connect
        }
    };
    let hdl: ImplItemFn = syn::parse_quote! {
        #[allow(dead_code, unused_variables)]
        #[automatically_derived]
        fn hdl(&self) -> ::xtq_kernel::Verilog {
            ::xtq_kernel::clocked(self, &#own, #tree)
        }
    };
    item.items
        .extend([ImplItem::Fn(connect), ImplItem::Fn(hdl)]);
    Ok(quote!(#item))
}

/// What the statements of a function say.
struct Kernel {
    /// Code that marks what they drive as connected.
    connect: Tokens,
    /// An expression of their tree.
    tree: Tokens,
    /// An expression of the pins of children that they drive.
    own: Tokens,
}

/// Reads the statements, and leaves them as the compiler takes them.
fn kernel_of(function: &mut ImplItemFn) -> syn::Result<Kernel> {
    function
        .attrs
        .push(syn::parse_quote!(#[allow(unreachable_patterns)]));
    let block: &mut Block = &mut function.block;
    connections::resolve(block)?;
    Ok(Kernel {
        connect: connect::connect(block)?,
        tree: text::tree(block)?,
        own: pins::own(block),
    })
}
