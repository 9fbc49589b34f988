//! Bundles: fields of blocks that stand for several signals.

use xtq_kernel::member;

use super::{FieldInfo, TypeRef, doc, generics, type_ref};

/// One end of a bundle.
pub(super) struct Bundle {
    name: String,
    generics: Vec<String>,
    parts: Vec<Part>,
}

/// A signal of it.
#[derive(Clone)]
struct Part {
    name: String,
    /// It bears the name of the bundle.
    plain: bool,
    /// Documentation; `{}` is the name of the bundle.
    doc: Vec<String>,
    ty: TypeRef,
}

/// Whether a struct is the definition of a bundle.
pub(super) fn is_bundle(item: &syn::ItemStruct) -> bool {
    other_end(item).is_some()
}

/// The name in `#[bundle(Name)]`.
fn other_end(item: &syn::ItemStruct) -> Option<String> {
    let mut attributes = item.attrs.iter();
    let attribute = attributes.find(|attribute| attribute.path().is_ident("bundle"))?;
    let name: syn::Ident = attribute.parse_args().ok()?;
    Some(name.to_string())
}

/// Both ends of the bundle that an item defines.
pub(super) fn bundles(item: &syn::Item) -> Vec<Bundle> {
    let syn::Item::Struct(item) = item else {
        return Vec::new();
    };
    let Some(other) = other_end(item) else {
        return Vec::new();
    };
    let part = |field: &syn::Field| {
        Some(Part {
            name: field.ident.as_ref()?.to_string(),
            plain: (field.attrs.iter()).any(|attribute| attribute.path().is_ident("plain")),
            doc: doc(&field.attrs),
            ty: type_ref(&field.ty),
        })
    };
    let taking = Bundle {
        name: item.ident.to_string(),
        generics: generics(&item.generics),
        parts: item.fields.iter().filter_map(part).collect(),
    };
    let mut giving = Bundle {
        name: other,
        generics: taking.generics.clone(),
        parts: taking.parts.clone(),
    };
    for part in &mut giving.parts {
        if let Some(direction) = part.ty.args.first_mut() {
            direction.name = match direction.name.as_str() {
                "In" => "Out".into(),
                _ => "In".into(),
            };
        }
    }
    vec![taking, giving]
}

/// Puts the signals of bundles in place of the bundles.
pub(super) fn flatten(fields: &mut Vec<FieldInfo>, bundles: &[Bundle]) {
    let flat = |field: FieldInfo| {
        let Some(bundle) = bundles.iter().find(|bundle| bundle.name == field.ty.name) else {
            return vec![field];
        };
        let signal = |part: &Part| {
            let mut ty = part.ty.clone();
            if bundle.generics.len() == field.ty.args.len() {
                ty.substitute(&bundle.generics, &field.ty.args);
            }
            let named = |line: &String| line.replace("{}", &field.name);
            match part.plain {
                true => FieldInfo {
                    ty,
                    ..field.clone()
                },
                false => FieldInfo {
                    name: member(&field.name, &part.name),
                    doc: part.doc.iter().map(named).collect(),
                    ty,
                },
            }
        };
        bundle.parts.iter().map(signal).collect()
    };
    *fields = std::mem::take(fields).into_iter().flat_map(flat).collect();
}
