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
        let plain = bundle.parts.iter().any(|part| part.plain);
        let signal = |(at, part): (usize, &Part)| {
            let mut ty = part.ty.clone();
            if bundle.generics.len() == field.ty.args.len() {
                ty.substitute(&bundle.generics, &field.ty.args);
            }
            let named = |line: &String| line.replace("{}", &field.name);
            let own: Vec<_> = part.doc.iter().map(named).collect();
            match part.plain {
                true => FieldInfo {
                    ty,
                    ..field.clone()
                },
                false => FieldInfo {
                    name: member(&field.name, &part.name),
                    doc: match at == 0 && !plain {
                        true => introduced(&field.doc, own),
                        false => own,
                    },
                    ty,
                },
            }
        };
        bundle.parts.iter().enumerate().map(signal).collect()
    };
    *fields = std::mem::take(fields).into_iter().flat_map(flat).collect();
}

/// The words of a signal, after those of the bundle that it is the first signal of: "Packets: bytes, lane 0 first."
fn introduced(bundle: &[String], mut own: Vec<String>) -> Vec<String> {
    let [bundle] = bundle else {
        return bundle.iter().cloned().chain(own).collect();
    };
    let Some(first) = own.first_mut() else {
        return vec![bundle.clone()];
    };
    let mut letters = first.chars();
    // A name in capitals stays as it is.
    let acronym = first.chars().nth(1).is_some_and(char::is_uppercase);
    *first = match letters.next() {
        Some(letter) if !acronym => format!(
            "{}: {}{}",
            bundle.trim_end_matches('.'),
            letter.to_lowercase(),
            letters.as_str()
        ),
        _ => format!("{}: {first}", bundle.trim_end_matches('.')),
    };
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(definition: &str, field: FieldInfo) -> Vec<FieldInfo> {
        let item = syn::parse_str(definition).expect("a struct");
        let mut fields = vec![field];
        flatten(&mut fields, &bundles(&item));
        fields
    }

    fn field(name: &str, doc: &str, ty: &str) -> FieldInfo {
        FieldInfo {
            name: name.into(),
            doc: vec![doc.into()],
            ty: type_ref(&syn::parse_str(ty).expect("a type")),
        }
    }

    fn described(fields: &[FieldInfo]) -> Vec<(&str, String)> {
        fields
            .iter()
            .map(|field| (field.name.as_str(), field.doc.join(" ")))
            .collect()
    }

    #[test]
    fn the_first_signal_of_a_bus_begins_with_the_words_of_the_bus() {
        let bus = "#[bundle(BusOut)] struct BusIn {
            /// Bytes, lane 0 first.
            data: Signal<In, Bits<8>>,
            /// The beat is valid.
            valid: Signal<In, Bit>,
        }";
        let fields = flat(
            bus,
            field("s_axis_net", "Packets from the network.", "BusIn"),
        );
        assert_eq!(
            described(&fields),
            [
                (
                    "s_axis_net_tdata",
                    "Packets from the network: bytes, lane 0 first.".into()
                ),
                ("s_axis_net_tvalid", "The beat is valid.".into()),
            ]
        );
    }

    #[test]
    fn words_in_capitals_keep_them() {
        let bus = "#[bundle(BusOut)] struct BusIn {
            /// ID of a write.
            id: Signal<In, Bits<8>>,
        }";
        let fields = flat(bus, field("m_axi_b", "Responses.", "BusIn"));
        assert_eq!(
            described(&fields),
            [("m_axi_bid", "Responses: ID of a write.".into())]
        );
    }

    #[test]
    fn the_other_end_has_the_other_directions_and_the_plain_signal_the_name_and_the_words() {
        let stream = "#[bundle(StreamOut)] struct StreamIn<T> {
            #[plain]
            data: Signal<In, T>,
            /// `{}` is valid.
            valid: Signal<In, Bit>,
            /// It is taken.
            ready: Signal<Out, Bit>,
        }";
        let fields = flat(stream, field("head", "A head.", "StreamOut<Bits<3>>"));
        assert_eq!(
            described(&fields),
            [
                ("head", "A head.".into()),
                ("head_valid", "`head` is valid.".into()),
                ("head_ready", "It is taken.".into()),
            ]
        );
        let directions: Vec<_> = fields
            .iter()
            .map(|field| field.ty.args[0].name.as_str())
            .collect();
        assert_eq!(directions, ["Out", "Out", "In"]);
        assert_eq!(fields[0].ty.args[1].name, "Bits");
    }

    #[test]
    fn what_is_no_bundle_stays() {
        let other = field("clk", "Clock.", "Signal<In, Clock>");
        let fields = flat(
            "#[bundle(BusOut)] struct BusIn { id: Signal<In, Bit> }",
            other,
        );
        assert_eq!(described(&fields), [("clk", "Clock.".into())]);
    }
}
