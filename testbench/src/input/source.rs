//! The text of a TOML file, looked at before its types are: one mark of the byte order at most, each key once, no
//! dates.

use super::fault::{Fault, FaultKind, KeyFault};
use super::place::Places;
use super::strict;
use super::utf8::{BYTE_ORDER_MARK, SECOND_MARK};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeTable;

/// A text that is TOML.
pub(crate) struct Source<'a> {
    /// The text, without a mark of the byte order.
    pub(crate) text: &'a str,
    /// What it says, with places.
    pub(crate) table: Spanned<DeTable<'a>>,
}

impl<'a> Source<'a> {
    /// Reads `text`; `file` names it in errors.
    pub(crate) fn read(file: &str, text: &'a str) -> Result<Self, Box<Fault>> {
        // Editors of some systems put a mark of the byte order before the text; it is not part of line 1.
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let at = |span, fault| Box::new(Fault::at(file, &text.into(), span, fault));
        if text.starts_with(BYTE_ORDER_MARK) {
            let fault = KeyFault::syntax("", SECOND_MARK);
            return Err(at(0..BYTE_ORDER_MARK.len_utf8(), fault));
        }
        let table = DeTable::parse(text).map_err(|error| match error.span() {
            Some(span) if error.message() == "duplicate key" => {
                let fault = stands_twice(text, &span, "");
                at(span, fault)
            }
            Some(span) if error.message().starts_with("cannot extend value") => {
                let fault = stands_twice(text, &span, ", as a table here");
                at(span, fault)
            }
            _ => Box::new(Fault::of_toml(file, text, FaultKind::Syntax, &error)),
        })?;
        if let Some((key, span)) = Places::of(text).first_date() {
            let fault = KeyFault {
                kind: FaultKind::Schema,
                ..KeyFault::value(key, "a date or time, which no key has as its value")
            };
            return Err(at(span, fault));
        }
        Ok(Self { text, table })
    }
}

/// The fault of a key that stands at `second`, and before; `here` says what it is at `second`.
fn stands_twice(text: &str, second: &Range<usize>, here: &str) -> KeyFault {
    // The reader leaves it out. By another name it keeps it, in its table.
    let mut other = "other".to_owned();
    while text.contains(&other) {
        other.push('_');
    }
    let renamed = [&text[..second.start], &other, &text[second.end..]].concat();
    let places = Places::of(&renamed);
    let path = places.key_at(&(second.start..second.start + other.len()));
    let key = format!(
        "{}{}",
        path.strip_suffix(other.as_str()).unwrap_or_default(),
        name(&text[second.clone()])
    );
    let first = places.first_name(&key).map(|place| {
        let line = text[..place].matches('\n').count() + 1;
        format!(", first in line {line}")
    });
    let message = format!("stands twice{here}{}", first.unwrap_or_default());
    KeyFault::syntax(key, message)
}

/// The name that a key has as it is written.
fn name(written: &str) -> String {
    let alone = format!("{written} = 0");
    let table = DeTable::parse(&alone).ok();
    let name = table
        .as_ref()
        .and_then(|table| table.get_ref().keys().next());
    name.map_or(written, |name| strict::shown(name.get_ref()))
        .to_owned()
}
