//! How many bytes `fill` and `count` describe, before there are any.

use toml::de::{DeInteger, DeTable, DeValue};
use toml::{Table, Value};

use crate::scenario::values::LONGEST;

/// Bytes that all tables of a file describe.
pub(in crate::scenario) fn described(table: &DeTable) -> u64 {
    let in_values = table.values().map(|value| in_value(value.get_ref()));
    in_values.fold(of_plain(table), u64::saturating_add)
}

fn in_value(value: &DeValue) -> u64 {
    match value {
        DeValue::Table(table) => described(table),
        DeValue::Array(list) => {
            let bytes = list.iter().map(|value| in_value(value.get_ref()));
            bytes.fold(0, u64::saturating_add)
        }
        _ => 0,
    }
}

/// Bytes that a table describes itself, without those in it.
fn of_plain(table: &DeTable) -> u64 {
    let only = |name: &str| table.get(name).filter(|_| table.len() == 1);
    let length = match (only("count"), only("fill")) {
        (Some(count), _) => count.get_ref().as_integer(),
        (None, Some(fill)) => fill
            .get_ref()
            .get("length")
            .and_then(|l| l.get_ref().as_integer()),
        (None, None) => None,
    };
    length.map_or(0, |length: &DeInteger| {
        let number = i64::from_str_radix(length.as_str(), length.radix());
        counted(number.unwrap_or(0))
    })
}

/// The same of a table that is repeated.
pub(super) fn of_table(table: &Table) -> u64 {
    let only = |name: &str| table.get(name).filter(|_| table.len() == 1);
    let length = match (only("count"), only("fill")) {
        (Some(count), _) => count.as_integer(),
        (None, Some(fill)) => fill.get("length").and_then(Value::as_integer),
        (None, None) => None,
    };
    length.map_or(0, counted)
}

/// What is beyond [`LONGEST`] is refused elsewhere.
fn counted(length: i64) -> u64 {
    let length = u64::try_from(length).unwrap_or(0);
    if length > LONGEST { 0 } else { length }
}

#[cfg(test)]
mod tests {
    use super::described;
    use toml::de::DeTable;

    #[test]
    fn bytes_are_counted_wherever_they_stand() {
        let text = r#"
            a = { fill = { byte = 1, length = 0x100 } }
            fault = { address = 3, count = 50 }
            [[nodes]]
            data = [{ bytes = { count = 7 } }, { bytes = { text = "none" } }]
            program = [{ expect_memory = { bytes = { fill = { length = 2_000, byte = 2 } } } }]
            late = { count = 99_999_999_999 }
        "#;
        let table = DeTable::parse(text).unwrap();
        assert_eq!(described(table.get_ref()), 0x100 + 7 + 2000);
    }
}
