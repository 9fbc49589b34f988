//! Changes of one value that most types do not take.

use crate::json_change::any_json;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What becomes of a value. `value` is any other.
#[derive(Clone, Debug)]
pub struct Mutation {
    pub kind: Kind,
    pub value: Value,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A table gets a key that nobody knows.
    Surplus,
    /// A key of a table gets another name.
    Renamed,
    /// A table loses a key.
    Missing,
    /// A table becomes a list of its values.
    TableAsList,
    /// A list becomes a table.
    ListAsTable,
    /// A list becomes longer by a copy of its last member.
    Longer,
    /// A list becomes longer by any value.
    Appended,
    /// A list becomes shorter.
    Shorter,
    /// A value becomes a list of itself.
    Wrapped,
    /// A name becomes a table with the name as its key.
    NameAsTable,
    /// A number becomes negative.
    Negative,
    /// A number becomes a string, and a string a number.
    NumberAsText,
    /// Any other value.
    Replaced,
}

impl Mutation {
    pub const KINDS: [Kind; 13] = [
        Kind::Surplus,
        Kind::Renamed,
        Kind::Missing,
        Kind::TableAsList,
        Kind::ListAsTable,
        Kind::Longer,
        Kind::Appended,
        Kind::Shorter,
        Kind::Wrapped,
        Kind::NameAsTable,
        Kind::Negative,
        Kind::NumberAsText,
        Kind::Replaced,
    ];

    pub fn any() -> impl Strategy<Value = Self> {
        let value = any_json(["[0-9a-f]{0,8}", "(cu0|load|hsa|.{0,3})"], "[a-z_]{1,4}");
        let kind = prop::sample::select(Self::KINDS.to_vec());
        (kind, value).prop_map(|(kind, value)| Self { kind, value })
    }

    /// Changes a value, if it is one that can be changed like this.
    pub fn change(&self, at: &mut Value) -> bool {
        let changed = match (self.kind, &*at) {
            (Kind::Surplus, Value::Object(table)) => {
                let mut table = table.clone();
                table.insert("surplus".to_owned(), self.value.clone());
                Value::Object(table)
            }
            (Kind::Renamed, Value::Object(table)) => {
                let mut keys = table.clone().into_iter();
                let first = keys.next().map(|(key, value)| (key + "_", value));
                first.into_iter().chain(keys).collect()
            }
            (Kind::Missing, Value::Object(table)) => table.clone().into_iter().skip(1).collect(),
            (Kind::TableAsList, Value::Object(table)) => table.values().cloned().collect(),
            (Kind::ListAsTable, Value::Array(list)) => {
                let numbered = list.iter().enumerate();
                numbered
                    .map(|(i, member)| (i.to_string(), member.clone()))
                    .collect()
            }
            (Kind::Longer, Value::Array(list)) => list.iter().chain(list.last()).cloned().collect(),
            (Kind::Appended, Value::Array(list)) => {
                list.iter().chain([&self.value]).cloned().collect()
            }
            (Kind::Shorter, Value::Array(list)) => list.iter().skip(1).cloned().collect(),
            (Kind::Wrapped, value) => json!([value]),
            (Kind::NameAsTable, Value::String(name)) => json!({ name: self.value }),
            (Kind::Negative, Value::Number(number)) => {
                let positive = number.as_f64().unwrap_or(0.0);
                match number.is_f64() {
                    true => json!(-1.0 - positive),
                    false => json!(-1 - (positive as i64)),
                }
            }
            (Kind::NumberAsText, Value::Number(number)) => Value::from(number.to_string()),
            (Kind::NumberAsText, Value::String(_)) => Value::from(1),
            (Kind::Replaced, _) => self.value.clone(),
            _ => return false,
        };
        *at = changed;
        true
    }
}
