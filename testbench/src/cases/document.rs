//! A case file as JSON: no key twice, and where each value stands.

use crate::scenario::{Fault, FaultKind, KeyFault};
use jsonc_parser::ast::{self, ObjectProp};
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
        let shared = Arc::from(text);
        let fault = |span, key: &str, message: String| at(file, &shared, span, key, message);
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

    /// A fault of `key`, as `cases[0].given.rows`: its place is that of the innermost value that is there.
    pub(super) fn fault(&self, key: &str, message: impl Into<String>) -> Box<Fault> {
        let span = self.tree.as_ref().map(|tree| place(tree, key));
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
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
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

/// The place of what `key` names in `value`, as far as it is there. A key of an object may have dots.
fn place(value: &ast::Value, key: &str) -> Range<usize> {
    if key.is_empty() || key.starts_with(':') {
        return span(value);
    }
    let inner = match value {
        ast::Value::Object(object) => {
            let key = key.strip_prefix('.').unwrap_or(key);
            let rest = |property: &ObjectProp| {
                let rest = key.strip_prefix(property.name.as_str())?;
                let ends = rest.is_empty() || rest.starts_with(['.', '[', ':']);
                ends.then_some(rest.len())
            };
            let named = object.properties.iter().filter_map(|property| {
                let rest = rest(property)?;
                Some((&property.value, rest))
            });
            let longest = named.min_by_key(|(_, rest)| *rest);
            longest.map(|(value, rest)| (value, &key[key.len() - rest..]))
        }
        ast::Value::Array(list) => key.strip_prefix('[').and_then(|key| {
            let (index, rest) = key.split_once(']')?;
            let member = list.elements.get(index.parse::<usize>().ok()?)?;
            Some((member, rest))
        }),
        _ => None,
    };
    inner.map_or_else(|| span(value), |(value, rest)| place(value, rest))
}

fn span(node: &impl Ranged) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}
