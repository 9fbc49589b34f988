//! Both ends of a bundle, from the one that takes.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Fields, GenericArgument, Ident, ItemStruct, PathArguments, Type};

use super::block::taken;

/// A signal of a bundle.
struct Part {
    name: Ident,
    /// It bears the name of the bundle.
    plain: bool,
    /// It goes the way of the data.
    forward: bool,
}

/// The struct, the struct of the other end, and what makes them parts of blocks.
pub fn expand(other: &Ident, mut item: ItemStruct) -> syn::Result<Tokens> {
    let name = item.ident.clone();
    let Fields::Named(fields) = &mut item.fields else {
        return Err(syn::Error::new_spanned(
            &name,
            "a bundle has fields with names",
        ));
    };
    let mut parts = Vec::new();
    for field in &mut fields.named {
        let plain = !taken(&mut field.attrs, "plain")?.is_empty();
        let Some(name) = field.ident.clone() else {
            continue;
        };
        let Some(direction) = direction(&mut field.ty) else {
            return Err(syn::Error::new_spanned(
                &field.ty,
                "a bundle has signals only",
            ));
        };
        let forward = direction == "In";
        parts.push(Part {
            name,
            plain,
            forward,
        });
    }
    let mut turned = item.clone();
    turned.ident = other.clone();
    for field in turned.fields.iter_mut() {
        if let Some(direction) = direction(&mut field.ty) {
            *direction = match direction == "In" {
                true => format_ident!("Out"),
                false => format_ident!("In"),
            };
        }
    }
    let ends = [end(&item, &parts), end(&turned, &parts)];
    let ways = [&name, other].map(|from| [&name, other].map(|to| way(&item, from, to, &parts)));
    let ways = ways.into_iter().flatten();
    Ok(quote!(#(#ends)* #(#ways)*))
}

/// The `In` of `Signal<In, T>`.
fn direction(ty: &mut Type) -> Option<&mut Ident> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last_mut()?;
    let PathArguments::AngleBracketed(arguments) = &mut last.arguments else {
        return None;
    };
    match arguments.args.first_mut()? {
        GenericArgument::Type(Type::Path(direction)) if last.ident == "Signal" => {
            Some(&mut direction.path.segments.last_mut()?.ident)
        }
        _ => None,
    }
}

/// One end: its struct, and how the engine visits it.
fn end(item: &ItemStruct, parts: &[Part]) -> Tokens {
    let name = &item.ident;
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    let fields: Vec<&Ident> = parts.iter().map(|part| &part.name).collect();
    let names = parts.iter().map(|part| {
        let text = part.name.to_string();
        match part.plain {
            true => quote!(name),
            false => quote!(&::xtq_kernel::member(name, #text)),
        }
    });
    let prelude = quote!(::rust_hdl::prelude);
    quote! {
        #[derive(Clone, Debug, Default)]
        #item

        #[automatically_derived]
        impl #generics ::xtq_kernel::Clocked for #name #arguments #bounds {}

        #[automatically_derived]
        impl #generics #prelude::Logic for #name #arguments #bounds {
            fn update(&mut self) {}
        }

        #[automatically_derived]
        impl #generics #prelude::Block for #name #arguments #bounds {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {
                #(#prelude::Block::update_all(&mut self.#fields);)*
            }

            fn has_changed(&self) -> bool {
                #(#prelude::Block::has_changed(&self.#fields))||*
            }

            fn accept(&self, name: &str, probe: &mut dyn #prelude::Probe) {
                probe.visit_start_namespace(name, self);
                #(#prelude::Block::accept(&self.#fields, #names, probe);)*
                probe.visit_end_namespace(name, self);
            }
        }
    }
}

/// What goes from one end to the other.
fn way(item: &ItemStruct, from: &Ident, to: &Ident, parts: &[Part]) -> Tokens {
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    let flows = parts
        .iter()
        .map(|Part { name, forward, .. }| match forward {
            true => quote!(to.#name.next = self.#name.val();),
            false => quote!(self.#name.next = to.#name.val();),
        });
    let marks = parts
        .iter()
        .map(|Part { name, forward, .. }| match forward {
            true => quote!(::xtq_kernel::logic_connect_fn(&mut to.#name);),
            false => quote!(::xtq_kernel::logic_connect_fn(&mut self.#name);),
        });
    let links = parts.iter().map(|part| {
        let (name, forward) = (part.name.to_string(), part.forward);
        quote!(::xtq_kernel::link(from, to, #name, #forward))
    });
    quote! {
        #[automatically_derived]
        impl #generics ::xtq_kernel::Connect<#to #arguments> for #from #arguments #bounds {
            #[inline]
            fn flow(&mut self, to: &mut #to #arguments) {
                #(#flows)*
            }

            fn mark(&mut self, to: &mut #to #arguments) {
                #(#marks)*
            }

            fn links(from: &str, to: &str) -> Vec<::xtq_kernel::VerilogLink> {
                vec![#(#links),*]
            }
        }
    }
}
