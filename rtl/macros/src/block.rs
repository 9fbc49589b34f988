//! What a struct's fields say: which are children, what they are made with.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, Expr, Field, Fields, GenericArgument, Ident, ItemStruct, PathArguments, Type,
};

/// The struct with its derives, its `Default`, and clock and reset of its children.
pub fn expand(mut item: ItemStruct) -> syn::Result<Tokens> {
    let checks = taken(&mut item.attrs, "check")?;
    let checks = checks.iter().map(|check| quote!(assert!(#check);));
    let Fields::Named(fields) = &mut item.fields else {
        let message = "a block is a struct whose fields have names";
        return Err(syn::Error::new_spanned(&item.ident, message));
    };
    let mut values = Vec::new();
    for field in &mut fields.named {
        values.push(value(field)?);
    }
    let clocking = clocking(fields.named.iter());
    let name = &item.ident;
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    Ok(quote! {
        #[derive(Clone, Debug, ::xtq_kernel::LogicBlock)]
        #item

        #[automatically_derived]
        impl #generics ::core::default::Default for #name #arguments #bounds {
            fn default() -> Self {
                #(#checks)*
                Self { #(#values),* }
            }
        }

        #[automatically_derived]
        impl #generics ::xtq_kernel::Clocked for #name #arguments #bounds {
            #clocking
        }
    })
}

/// Takes the attributes of this name away, and gives what is in their parentheses.
pub fn taken(attributes: &mut Vec<Attribute>, name: &str) -> syn::Result<Vec<Tokens>> {
    let (own, others) = std::mem::take(attributes)
        .into_iter()
        .partition(|attribute| attribute.path().is_ident(name));
    *attributes = others;
    let own: Vec<Attribute> = own;
    let inside = |attribute: &Attribute| match &attribute.meta {
        syn::Meta::Path(_) => Ok(Tokens::new()),
        other => Ok(other.require_list()?.tokens.clone()),
    };
    own.iter().map(inside).collect()
}

/// The initial value of a field: of `#[value(..)]` if it has that, else its type's default.
fn value(field: &mut Field) -> syn::Result<Tokens> {
    let given = taken(&mut field.attrs, "value")?;
    let name = field.ident.as_ref();
    let of = kind(&field.ty);
    match &given[..] {
        [] if of == Kind::Constant => {
            let message = "a Constant needs `#[value(..)]`";
            Err(syn::Error::new_spanned(&field.ident, message))
        }
        [] => Ok(quote!(#name: ::core::default::Default::default())),
        [value] => {
            let value: Expr = syn::parse2(value.clone())?;
            Ok(match of {
                Kind::Constant => quote!(#name: ::rust_hdl::prelude::Constant::new(#value)),
                _ => quote!(#name: #value),
            })
        }
        [_, second, ..] => Err(syn::Error::new_spanned(second, "a field has one value")),
    }
}

/// What a field is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constant,
    /// A signal, or a list of signals or constants.
    Signal,
    Child,
}

fn kind(ty: &Type) -> Kind {
    match ty {
        // The type is an argument of a macro.
        Type::Group(group) => kind(&group.elem),
        Type::Paren(paren) => kind(&paren.elem),
        Type::Array(list) => of_list(&list.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return Kind::Child;
            };
            match (last.ident.to_string().as_str(), &last.arguments) {
                ("Constant", _) => Kind::Constant,
                ("Signal", _) => Kind::Signal,
                ("Vec", PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
                    Some(GenericArgument::Type(element)) => of_list(element),
                    _ => Kind::Child,
                },
                _ => Kind::Child,
            }
        }
        _ => Kind::Child,
    }
}

fn of_list(element: &Type) -> Kind {
    match kind(element) {
        Kind::Child => Kind::Child,
        Kind::Signal | Kind::Constant => Kind::Signal,
    }
}

/// The methods of `Clocked`.
fn clocking<'a>(fields: impl Iterator<Item = &'a Field> + Clone) -> Tokens {
    let has = |port: &str| {
        let is_port = |field: &Field| field.ident.as_ref().is_some_and(|name| name == port);
        fields.clone().any(is_port)
    };
    let (clk, rst) = (has("clk"), has("rst"));
    // Fields whose names start with `_` are what the Rust of a leaf remembers.
    let children: Vec<&Ident> = (fields.clone())
        .filter(|field| kind(&field.ty) == Kind::Child)
        .filter_map(|field| field.ident.as_ref())
        .filter(|name| !name.to_string().starts_with('_'))
        .collect();
    let names: Vec<String> = children.iter().map(|name| name.to_string()).collect();
    let of = |there: bool, port: Tokens| match there {
        true => quote!(Some(self.#port.val())),
        false => quote!(None),
    };
    let (clock, reset) = (of(clk, quote!(clk)), of(rst, quote!(rst)));
    let when = |there: bool, code: Tokens| if there { code } else { Tokens::new() };
    let drive_clk = when(
        clk,
        quote!(if let Some(clk) = clk {
            self.clk.next = clk;
        }),
    );
    let drive_rst = when(
        rst,
        quote!(if let Some(rst) = rst {
            self.rst.next = rst;
        }),
    );
    let connect = quote!(::xtq_kernel::logic_connect_fn);
    let connect_clk = when(clk, quote!(if clk { #connect(&mut self.clk); }));
    let connect_rst = when(rst, quote!(if rst { #connect(&mut self.rst); }));
    let pin = |port: &str, value: Tokens| {
        quote!(pins.push(::xtq_kernel::Pin {
            name: format!(concat!("{}$", #port), name),
            value: ::xtq_kernel::Value::#value,
        });)
    };
    let (clk_pin, rst_pin) = (
        when(clk, pin("clk", quote!(Clock))),
        when(rst, pin("rst", quote!(Reset))),
    );
    // A parent without the port does not drive it.
    let mut missing = Vec::new();
    missing.extend((!clk).then(|| quote!(Clock)));
    missing.extend((!rst).then(|| quote!(Reset)));
    let pins = quote!(pins: &mut Vec<::xtq_kernel::Pin>);
    let ports = when(
        clk || rst,
        quote! {
            #[allow(unused_variables)]
            #[inline]
            fn drive_clock(&mut self, clk: Option<::rust_hdl::prelude::Clock>, rst: Option<::rust_hdl::prelude::Bit>) {
                #drive_clk
                #drive_rst
            }

            #[allow(unused_variables)]
            fn connect_clock(&mut self, clk: bool, rst: bool) {
                #connect_clk
                #connect_rst
            }

            fn clock_pins(&self, name: &str, #pins) {
                #clk_pin
                #rst_pin
            }
        },
    );
    let wiring = when(
        !children.is_empty(),
        quote! {
            #[inline]
            fn drive_children(&mut self) {
                #(::xtq_kernel::Clocked::drive_clock(&mut self.#children, #clock, #reset);)*
            }

            fn connect_children(&mut self) {
                #(::xtq_kernel::Clocked::connect_clock(&mut self.#children, #clk, #rst);)*
            }

            fn children_pins(&self, #pins) {
                #(::xtq_kernel::Clocked::clock_pins(&self.#children, #names, pins);)*
                #(pins.retain(|pin| pin.value != ::xtq_kernel::Value::#missing);)*
            }
        },
    );
    quote!(#ports #wiring)
}
