//! Structs that macros make, as far as the calls show: `name! { /// doc  struct Block ... }`, and `Other` of
//! `struct Format / Other`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{BlockInfo, plain};

/// The structs that a call of a macro names, without fields. The definition of a macro names none.
pub(super) fn made(item: &syn::ItemMacro, file: &str, head: &[String]) -> Vec<BlockInfo> {
    if item.ident.is_some() {
        return Vec::new();
    }
    let tokens: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
    let (mut found, mut doc) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                doc.extend(text(group.stream()));
            }
            TokenTree::Ident(word) if word == "struct" => {
                let mut names: Vec<&TokenTree> = tokens.get(at + 1).into_iter().collect();
                if let Some([TokenTree::Punct(slash), other]) = tokens.get(at + 2..at + 4)
                    && slash.as_char() == '/'
                {
                    names.push(other);
                }
                found.extend(names.into_iter().map(|name| BlockInfo {
                    name: name.to_string(),
                    file: file.into(),
                    line: name.span().start().line,
                    doc: doc.clone(),
                    head: head.to_vec(),
                    fields: Vec::new(),
                    comments: Vec::new(),
                    generics: Vec::new(),
                }));
                doc.clear();
            }
            _ => {}
        }
    }
    found
}

/// The line of `doc = "text"`.
fn text(attribute: TokenStream) -> Option<String> {
    let meta: syn::MetaNameValue = syn::parse2(attribute).ok()?;
    match meta.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) if meta.path.is_ident("doc") => Some(plain(&text.value())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::source_info::SourceInfo;

    #[test]
    fn a_call_names_its_structs_and_a_definition_none() {
        const SOURCE: &str = "
macro_rules! make { (pub struct $name:ident) => { pub struct $name; } }
make! {
    /// Some codes.
    pub struct Codes : 8 { a = 1; }
}
make! { /// A format.
    pub struct Format / Unpack : 8 { a: 8 } }
";
        let source = SourceInfo::new([("made.rs", SOURCE)]).expect("it is Rust");
        let found: Vec<_> = source
            .made
            .iter()
            .map(|b| (b.name.as_str(), b.line))
            .collect();
        assert_eq!(found, [("Codes", 5), ("Format", 8), ("Unpack", 8)]);
        assert_eq!(source.made[0].doc, ["Some codes."]);
    }
}
