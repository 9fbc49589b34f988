//! A case file as JSON: no key twice, and where each value stands.

use crate::input::utf8::{BYTE_ORDER_MARK, SECOND_MARK};
use crate::input::{Fault, FaultKind, KeyFault, strict};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A file that is JSON, and in which each key of an object stands once.
pub(super) struct Document<'a> {
    file: &'a str,
    text: Arc<str>,
    /// The value.
    pub(super) value: Value,
    /// The same with places.
    tree: Option<ast::Value<'a>>,
}

impl<'a> Document<'a> {
    /// Reads `text`; `file` names it in errors.
    pub(super) fn read(file: &'a str, text: &'a str) -> Result<Self, Box<Fault>> {
        // Editors of some systems put a mark of the byte order before the text; it is not part of line 1.
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let shared = Arc::from(text);
        let fault = |span, key: &str, message: String| at(file, &shared, span, key, message);
        if text.starts_with(BYTE_ORDER_MARK) {
            let span = 0..BYTE_ORDER_MARK.len_utf8();
            return Err(fault(span, "", SECOND_MARK.to_owned()));
        }
        let value = serde_json::from_str(text).map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = error.to_string();
            let cause = message.strip_suffix(&place).unwrap_or(&message);
            fault(offset(text, &error), "", format!("not JSON: {cause}"))
        })?;
        // This reader takes more than JSON, and does not mind a key that stands twice; it is here for the places.
        let tree = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let tree = tree.map_err(|error| {
            let range = error.range();
            fault(
                range.start..range.end,
                "",
                format!("not JSON: {}", error.kind()),
            )
        })?;
        if let Some((key, first, second)) = tree.value.as_ref().and_then(|tree| twice(tree, "")) {
            let before = &text[..first.start];
            let line = before.matches('\n').count() + 1;
            let message = format!("stands twice, first in line {line}");
            return Err(fault(second, &key, message));
        }
        Ok(Self {
            file,
            text: shared,
            value,
            tree: tree.value,
        })
    }

    /// The key that a reason names at its start, and the rest: `outer` and as much of `steps[0]: pt: is no number` as
    /// is there.
    pub(super) fn named<'r>(&self, outer: &str, reason: &'r str) -> (String, &'r str) {
        let is_there = |key: &str| {
            let tree = self.tree.as_ref();
            tree.is_some_and(|tree| find(tree, key).1.is_empty())
        };
        let (mut key, mut rest) = (outer.to_owned(), reason);
        while let Some((part, after)) = rest.split_once(": ") {
            let inner = strict::key_in(&key, part);
            // What is missing is named too, in its place.
            let is_first = key == outer && !part.contains(char::is_whitespace);
            if !is_first && !is_there(&inner) {
                break;
            }
            (key, rest) = (inner, after);
        }
        (key, rest)
    }

    /// A fault of `key`, as `cases[0].given.rows`: its place is that of the innermost value that is there.
    pub(super) fn fault(&self, key: &str, message: impl Into<String>) -> Box<Fault> {
        let span = self.tree.as_ref().map(|tree| find(tree, key).0);
        at(self.file, &self.text, span.unwrap_or(0..0), key, message)
    }
}

fn at(
    file: &str,
    text: &Arc<str>,
    span: Range<usize>,
    key: &str,
    message: impl Into<String>,
) -> Box<Fault> {
    let fault = KeyFault {
        kind: FaultKind::Case,
        ..KeyFault::value(key, message).help("docs/cases.md describes case files")
    };
    Box::new(Fault::at(file, text, span, fault))
}

/// Where `serde_json` stopped.
fn offset(text: &str, error: &serde_json::Error) -> Range<usize> {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let line: usize = lines.map(str::len).sum();
    let place = line + error.column().saturating_sub(1);
    place..place
}

/// The first key that stands a second time in its object: its path, both places.
fn twice(value: &ast::Value, path: &str) -> Option<(String, Range<usize>, Range<usize>)> {
    match value {
        ast::Value::Object(object) => {
            let mut seen = BTreeMap::new();
            object.properties.iter().find_map(|property| {
                let name = property.name.as_str();
                let path = strict::key_in(path, strict::shown(name));
                match seen.insert(name, span(&property.name)) {
                    Some(first) => Some((path, first, span(&property.name))),
                    None => twice(&property.value, &path),
                }
            })
        }
        ast::Value::Array(list) => {
            let mut members = list.elements.iter().enumerate();
            members.find_map(|(i, member)| twice(member, &format!("{path}[{i}]")))
        }
        _ => None,
    }
}

/// The place of what `key` names in `value`, and what of the key is not there. A key of an object may have dots.
fn find<'k>(value: &ast::Value, key: &'k str) -> (Range<usize>, &'k str) {
    let inner = match value {
        _ if key.is_empty() => None,
        ast::Value::Object(object) => {
            let key = key.strip_prefix('.').unwrap_or(key);
            let named = object.properties.iter().filter_map(|property| {
                let rest = key.strip_prefix(strict::shown(property.name.as_str()))?;
                let ends = rest.is_empty() || rest.starts_with(['.', '[']);
                ends.then_some((&property.value, rest))
            });
            named.min_by_key(|(_, rest)| rest.len())
        }
        ast::Value::Array(list) => key.strip_prefix('[').and_then(|key| {
            let (index, rest) = key.split_once(']')?;
            let member = list.elements.get(index.parse::<usize>().ok()?)?;
            Some((member, rest))
        }),
        _ => None,
    };
    match inner {
        Some((inner, rest)) => find(inner, rest),
        None => (span(value), key),
    }
}

fn span(node: &impl Ranged) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}
