//! Where a key of a scenario stands in its file.
//!
//! The file is parsed a second time into a tree that knows positions, so that the structs of the schema stay plain: a
//! semantic check names a key (`queues[0].base`), the tree gives its place. A fault of the first parse has a place, the
//! tree gives its key.

use super::strict;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of a file with their places.
pub(crate) struct Places<'a> {
    root: Spanned<DeTable<'a>>,
}

impl<'a> Places<'a> {
    /// The places of all keys that can be found, also in a file that is not TOML from some point on.
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            root: DeTable::parse_recoverable(text).0,
        }
    }

    /// Place of the value of `key`; of the innermost table around it if it is left out; `None` if that is the whole
    /// file.
    pub(crate) fn of_key(&self, key: &str) -> Option<Range<usize>> {
        let mut found = None;
        let mut table = self.root.get_ref();
        for part in key.split('.') {
            let (name, indices) = part.split_once('[').unwrap_or((part, ""));
            let Some((at, value)) = table
                .iter()
                .find(|(at, _)| strict::shown(at.get_ref()) == name)
            else {
                return found;
            };
            let mut value = value;
            found = Some(match value.get_ref() {
                DeValue::Table(_) => at.span(),
                _ => value.span(),
            });
            for index in indices.split(['[', ']']).filter(|index| !index.is_empty()) {
                let DeValue::Array(list) = value.get_ref() else {
                    return found;
                };
                let Some(element) = index.parse().ok().and_then(|i: usize| list.get(i)) else {
                    return found;
                };
                value = element;
                found = Some(value.span());
            }
            match value.get_ref() {
                DeValue::Table(inner) => table = inner,
                _ => return found,
            }
        }
        found
    }

    /// The first date or time: its key, and where it stands.
    pub(super) fn first_date(&self) -> Option<(String, Range<usize>)> {
        let mut first: Option<(String, Range<usize>)> = None;
        visit_table(self.root.get_ref(), "", &mut |key, place, value| {
            let is_date = matches!(value, Some(DeValue::Datetime(_)));
            let is_first = first.as_ref().is_none_or(|(_, at)| place.start < at.start);
            if is_date && is_first {
                first = Some((key.to_owned(), place));
            }
        });
        first
    }

    /// Where the name of `key` stands first.
    pub(super) fn first_name(&self, key: &str) -> Option<usize> {
        let mut first: Option<usize> = None;
        visit_table(self.root.get_ref(), "", &mut |found, place, value| {
            if found == key && value.is_none() {
                first = Some(first.map_or(place.start, |first| first.min(place.start)));
            }
        });
        first
    }

    /// The innermost key whose name or value is at `place`; empty if there is none.
    pub(super) fn key_at(&self, place: &Range<usize>) -> String {
        let mut best = (usize::MAX, String::new());
        visit_table(self.root.get_ref(), "", &mut |key, span, _| {
            let inside = span.start <= place.start && place.end <= span.end;
            if inside && span.len() <= best.0 {
                best = (span.len(), key.to_owned());
            }
        });
        best.1
    }
}

/// Sees the place of each name, and of each value with it.
type See<'a> = dyn FnMut(&str, Range<usize>, Option<&DeValue>) + 'a;

fn visit_table(table: &DeTable, prefix: &str, see: &mut See) {
    for (name, value) in table.iter() {
        let key = strict::key_in(prefix, strict::shown(name.get_ref()));
        see(&key, name.span(), None);
        visit_value(value, &key, see);
    }
}

fn visit_value(value: &Spanned<DeValue>, key: &str, see: &mut See) {
    see(key, value.span(), Some(value.get_ref()));
    match value.get_ref() {
        DeValue::Table(table) => visit_table(table, key, see),
        DeValue::Array(list) => {
            for (i, element) in list.iter().enumerate() {
                visit_value(element, &format!("{key}[{i}]"), see);
            }
        }
        _ => {}
    }
}
