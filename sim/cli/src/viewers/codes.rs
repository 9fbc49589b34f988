//! Names of the codes that the hardware passes around, from the constants in its source: `event::status` is the module `status` in
//! `rtl/types/src/event.rs`.

use crate::sources::SOURCES;
use syn::{Expr, File, Item, ItemMod, Lit};

/// Values and names of a code, in the order of the source; nothing if there is no such module, or it has no numbers.
pub fn names(code: &str) -> Vec<(u64, String)> {
    let Some((file, module)) = code.split_once("::") else {
        return Vec::new();
    };
    let Some(file) = source(&format!("rtl/types/src/{file}.rs")) else {
        return Vec::new();
    };
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(found) if found.ident == module => Some(found),
        _ => None,
    });
    modules.flat_map(constants).collect()
}

fn source(path: &str) -> Option<File> {
    let (_, text) = SOURCES.iter().find(|(name, _)| *name == path)?;
    syn::parse_file(text).ok()
}

/// The constants of a module that are plain numbers.
fn constants(module: &ItemMod) -> Vec<(u64, String)> {
    let items = module.content.iter().flat_map(|(_, items)| items);
    let constants = items.filter_map(|item| match item {
        Item::Const(constant) => Some((number(&constant.expr)?, constant.ident.to_string())),
        _ => None,
    });
    constants.collect()
}

fn number(expression: &Expr) -> Option<u64> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::stages::{Form, L2_BANK, LINK, NIC};
    use super::*;

    /// `event::status` as the compiler sees it: what the parser must find, no more and no less.
    #[test]
    fn names_are_those_of_the_constants() {
        use xtq_types::event::status;
        let names = names("event::status");
        assert_eq!(names.len(), usize::from(status::BAD_CONTEXT) + 1);
        for (value, name) in [
            (status::OK, "OK"),
            (status::QUEUE_FULL, "QUEUE_FULL"),
            (status::BAD_CONTEXT, "BAD_CONTEXT"),
        ] {
            assert!(names.contains(&(value.into(), name.to_owned())), "{name}");
        }
    }

    /// A module that was renamed, or whose values are not numbers, would show nothing.
    #[test]
    fn every_code_of_the_table_has_names_and_each_value_one() {
        let stages = NIC.iter().chain(LINK).chain(L2_BANK);
        for (path, form) in stages.flat_map(|stage| stage.signals) {
            let Form::Name(code) = form else { continue };
            let names = names(code);
            assert!(names.len() > 1, "{path}: {code} has no names");
            let mut values: Vec<_> = names.iter().map(|(value, _)| value).collect();
            values.sort();
            values.dedup();
            assert_eq!(values.len(), names.len(), "{code}: a value twice");
        }
    }

    #[test]
    fn what_is_no_code_has_no_names() {
        for code in ["event", "event::nothing", "nothing::status", ""] {
            assert_eq!(names(code), [], "{code}");
        }
    }
}
