//! Files of parameters: one type for the whole file, one page that explains it.

use super::fault::{Fault, FaultKind, InputError, KeyFault};
use super::source::Source;
use super::strict;
use serde::de::DeserializeOwned;

/// The fault with what helps: the page, unless the text is not TOML.
fn explained(mut fault: Fault, page: &str) -> InputError {
    let syntax = fault.help.filter(|_| fault.kind == FaultKind::Syntax);
    fault.help = Some(syntax.unwrap_or_else(|| page.to_owned()));
    InputError::Invalid(Box::new(fault))
}

/// What a TOML `text` says; `file` names it in errors, `page` says where its keys are explained. Errors: not TOML, a
/// key that does not exist, a value of the wrong type; with their places.
pub fn read_toml<T: DeserializeOwned>(file: &str, text: &str, page: &str) -> Result<T, InputError> {
    let source = Source::read(file, text).map_err(|fault| explained(*fault, page))?;
    strict::from_toml(source.text).map_err(|error| {
        let fault = Fault::of_toml(file, source.text, FaultKind::Schema, &error);
        explained(fault, page)
    })
}

/// The error of a key in a text that was read whose value makes no sense.
pub fn wrong_value(file: &str, text: &str, key: &str, why: String, page: &str) -> InputError {
    explained(Fault::of_key(file, text, KeyFault::value(key, why)), page)
}
