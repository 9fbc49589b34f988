//! `for`: tables of a scenario file that stand for many.
//!
//! ```text
//! [[nodes]]                                   64 nodes, of which `rank` is 0 to 63
//! for = { rank = 64 }
//! name = "node {rank}"
//!   { for = { step = [1, 63] }, do = [        the steps in `do`, with `step` from 1 to 62
//!       { ptl_put = { target = "p{(rank + 1) % 64}", remote_offset = "{step * 64}", ... } } ] }
//! ```
//!
//! A table of a list with the key `for` is repeated, first value first; with a key `do` it stands for what is in that
//! list. In the texts of a repeated table `{...}` is an [expression](arithmetic); a text that is nothing but one
//! expression is a number. A text without `{` stays as it is, and so does a file without `for`.

mod arithmetic;
mod described;

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

pub(super) use self::described::described;
use crate::input::KeyFault;
use crate::input::memory::{TABLE_BYTES, too_little};
use crate::input::strict::key_in;

/// Most tables that a file may stand for, however much memory there is.
const MOST: usize = 4_000_000;

/// Most tables that a file may stand for if so many bytes of memory are free.
fn most(free: u64) -> usize {
    MOST.min((free / TABLE_BYTES) as usize)
}

/// Values of the names of `for`.
type Names = BTreeMap<String, i64>;

/// A file with all that it stands for.
pub(super) struct Repeated {
    pub(super) table: Table,
    /// Where elements of lists come from: the key here, and that in the file.
    origins: BTreeMap<String, String>,
}

impl Repeated {
    /// The key in the file of a key of the repeated table.
    pub(super) fn origin(&self, key: &str) -> String {
        let ends = key.match_indices(']').map(|(at, _)| at + 1);
        let known = |end: &usize| self.origins.contains_key(&key[..*end]);
        match ends.rev().find(known) {
            Some(end) => format!("{}{}", self.origins[&key[..end]], &key[end..]),
            None => key.to_owned(),
        }
    }
}

/// Repeats what is to be repeated, as much as fits into the `free` bytes of memory. Errors: the key in the file.
pub(super) fn repeat(table: &Table, free: u64) -> Result<Repeated, KeyFault> {
    let mut work = Work {
        origins: BTreeMap::new(),
        tables: 0,
        most: most(free),
        bytes: 0,
        free,
    };
    let table = work.table(table, &Names::new(), "", "")?;
    Ok(Repeated {
        table,
        origins: work.origins,
    })
}

/// Whether a table of the file has the key `for`.
pub(super) fn repeats(table: &DeTable) -> bool {
    let has_for = |name: &str, value: &DeValue| name == "for" || in_value(value);
    let mut entries = table.iter();
    entries.any(|(name, value)| has_for(name.get_ref(), value.get_ref()))
}

fn in_value(value: &DeValue) -> bool {
    match value {
        DeValue::Table(table) => repeats(table),
        DeValue::Array(list) => list.iter().any(|value| in_value(value.get_ref())),
        _ => false,
    }
}

struct Work {
    origins: BTreeMap<String, String>,
    tables: usize,
    most: usize,
    /// Bytes that the tables describe, and those that there can be.
    bytes: u64,
    free: u64,
}

impl Work {
    fn table(
        &mut self,
        table: &Table,
        names: &Names,
        key: &str,
        origin: &str,
    ) -> Result<Table, KeyFault> {
        let mut made = Table::new();
        for (name, value) in table {
            let (key, origin) = (key_in(key, name), key_in(origin, name));
            made.insert(name.clone(), self.value(value, names, &key, &origin)?);
        }
        self.bytes = self.bytes.saturating_add(described::of_table(&made));
        if let Some(message) = too_little(self.bytes, self.free) {
            let message = format!("what the file describes up to here takes {message}");
            return Err(KeyFault::value(origin, message));
        }
        Ok(made)
    }

    fn value(
        &mut self,
        value: &Value,
        names: &Names,
        key: &str,
        origin: &str,
    ) -> Result<Value, KeyFault> {
        match value {
            Value::String(text) if !names.is_empty() => {
                arithmetic::fill_in(text, names).map_err(|message| KeyFault::value(origin, message))
            }
            Value::Table(table) => Ok(Value::Table(self.table(table, names, key, origin)?)),
            Value::Array(list) => {
                let mut made = Vec::new();
                for (number, element) in list.iter().enumerate() {
                    let origin = format!("{origin}[{number}]");
                    self.element(element, names, key, &origin, &mut made)?;
                }
                Ok(Value::Array(made))
            }
            other => Ok(other.clone()),
        }
    }

    /// Adds an element of the list `key`, or what it stands for.
    fn element(
        &mut self,
        element: &Value,
        names: &Names,
        key: &str,
        origin: &str,
        made: &mut Vec<Value>,
    ) -> Result<(), KeyFault> {
        let Value::Table(table) = element else {
            let value = self.value(element, names, &format!("{key}[{}]", made.len()), origin)?;
            made.push(value);
            return Ok(());
        };
        let Some(given) = table.get("for") else {
            self.tables += 1;
            if self.tables > self.most {
                let why = match self.most < MOST {
                    true => ", for which there is memory",
                    false => "",
                };
                let message = format!("the file stands for more than {} tables{why}", self.most);
                return Err(KeyFault::value(origin, message));
            }
            let key = format!("{key}[{}]", made.len());
            self.origins.insert(key.clone(), origin.to_owned());
            made.push(Value::Table(self.table(table, names, &key, origin)?));
            return Ok(());
        };
        let mut rest = table.clone();
        rest.remove("for");
        let for_key = format!("{origin}.for");
        let (name, from, to) = range(given, names, &for_key)?;
        for value in from..to {
            let mut names = names.clone();
            names.insert(name.clone(), value);
            match rest.get("do") {
                Some(Value::Array(list)) if rest.len() == 1 => {
                    for (number, inner) in list.iter().enumerate() {
                        let origin = format!("{origin}.do[{number}]");
                        self.element(inner, &names, key, &origin, made)?;
                    }
                }
                Some(_) => {
                    let message = "is a list, and nothing stands beside it and 'for'";
                    return Err(KeyFault::value(format!("{origin}.do"), message));
                }
                None => {
                    self.element(&Value::Table(rest.clone()), &names, key, origin, made)?;
                }
            }
        }
        Ok(())
    }
}

/// Name and values of a `for`: `{ rank = 64 }` from 0 to 63, `{ step = [1, 64] }` from 1 to 63. A number may be an
/// expression. Errors: at `key`.
fn range(given: &Value, names: &Names, key: &str) -> Result<(String, i64, i64), KeyFault> {
    let fault = || {
        let message =
            "one name with a count, or with [first, end]: { rank = 64 }, { step = [1, 64] }";
        KeyFault::value(key, message)
    };
    let Value::Table(table) = given else {
        return Err(fault());
    };
    let mut entries = table.iter();
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        return Err(fault());
    };
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !name.chars().all(is_word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(KeyFault::value(key, format!("'{name}' is no name")));
    }
    let number = |value: &Value| match value {
        Value::Integer(number) => Ok(*number),
        Value::String(text) => match arithmetic::fill_in(text, names) {
            Ok(Value::Integer(number)) => Ok(number),
            Ok(_) => Err(fault()),
            Err(message) => Err(KeyFault::value(key, message)),
        },
        _ => Err(fault()),
    };
    let (from, to) = match value {
        Value::Array(ends) if ends.len() == 2 => (number(&ends[0])?, number(&ends[1])?),
        Value::Array(_) => return Err(fault()),
        count => (0, number(count)?),
    };
    if to.saturating_sub(from) > MOST as i64 {
        return Err(KeyFault::value(key, format!("more than {MOST} times")));
    }
    Ok((name.clone(), from, to))
}

#[cfg(test)]
mod tests {
    use super::{MOST, TABLE_BYTES, most, repeat, repeats};
    use toml::de::DeTable;

    #[test]
    fn a_file_stands_for_no_more_tables_than_there_is_memory_for() {
        let table = "a = [{ for = { i = 5 }, x = 1 }]".parse().unwrap();
        assert!(repeat(&table, 5 * TABLE_BYTES).is_ok());
        let fault = repeat(&table, 4 * TABLE_BYTES).err().unwrap();
        let message = "the file stands for more than 4 tables, for which there is memory";
        assert_eq!(
            (fault.key.as_str(), fault.message.as_str()),
            ("a[0]", message)
        );
        assert_eq!(most(u64::MAX), MOST);
        assert_eq!(most(60_000), 9);
    }

    #[test]
    fn a_file_describes_no_more_bytes_than_there_is_memory_for() {
        for bytes in [
            "fill = { byte = 1, length = 0x10_0000 }",
            "count = 0x10_0000",
        ] {
            let text = format!("a = [{{ for = {{ i = 4000 }}, x = {{ {bytes} }} }}]");
            let table = text.parse().unwrap();
            assert!(repeat(&table, 4000 << 20).is_ok());
            let fault = repeat(&table, 100 << 20).err().unwrap();
            let message = "what the file describes up to here takes about 101 MiB of memory, 100 MiB are free";
            assert_eq!(
                (fault.key.as_str(), fault.message.as_str()),
                ("a[0].x", message)
            );
        }
    }

    fn made(text: &str) -> Result<String, String> {
        let table = text.parse().unwrap();
        match repeat(&table, u64::MAX) {
            Ok(made) => Ok(toml::to_string(&made.table).unwrap()),
            Err(fault) => Err(format!("{}: {}", fault.key, fault.message)),
        }
    }

    #[test]
    fn a_table_is_repeated_with_its_rank_in_texts_and_numbers() {
        let text = r#"
            [[nodes]]
            for = { rank = 3 }
            name = "n{rank}"
            to = "p{(rank + 1) % 3}"
            at = "{rank * 64 + 0x100}"
            steps = [{ a = 1 }, { for = { k = [1, "{rank + 1}"] }, do = [{ b = "{k}" }, { c = "x" }] }]
        "#;
        let wanted = r#"
            [[nodes]]
            name = "n0"
            to = "p1"
            at = 256
            steps = [{ a = 1 }]
            [[nodes]]
            name = "n1"
            to = "p2"
            at = 320
            steps = [{ a = 1 }, { b = 1 }, { c = "x" }]
            [[nodes]]
            name = "n2"
            to = "p0"
            at = 384
            steps = [{ a = 1 }, { b = 1 }, { c = "x" }, { b = 2 }, { c = "x" }]
        "#;
        let wanted: toml::Table = wanted.parse().unwrap();
        assert_eq!(made(text), Ok(toml::to_string(&wanted).unwrap()));
        for (text, wanted) in [
            ("a = '{rank}'", false),
            (text, true),
            ("a = [{ for = 1 }]", true),
        ] {
            let table = DeTable::parse(text).unwrap();
            assert_eq!(repeats(table.get_ref()), wanted, "{text}");
        }
    }

    #[test]
    fn keys_lead_back_to_the_file() {
        let text = r#"
            [[nodes]]
            name = "first"
            [[nodes]]
            for = { rank = 4 }
            steps = [{ for = { k = 5 }, do = [{ a = 1 }, { b = "{k}" }] }, { c = 1 }]
        "#;
        let made = repeat(&text.parse().unwrap(), u64::MAX).ok().unwrap();
        assert_eq!(made.origin("nodes[0].name"), "nodes[0].name");
        assert_eq!(made.origin("nodes[4].name"), "nodes[1].name");
        assert_eq!(
            made.origin("nodes[2].steps[7].b"),
            "nodes[1].steps[0].do[1].b"
        );
        assert_eq!(
            made.origin("nodes[2].steps[10].c.d"),
            "nodes[1].steps[1].c.d"
        );
    }

    #[test]
    fn what_is_wrong_with_a_for_is_said_at_its_key() {
        let of = |given: &str| {
            made(&format!("[[nodes]]\nfor = {given}\nname = '{{rank}}'")).unwrap_err()
        };
        for given in [
            "3",
            "{}",
            "{ a = 1, b = 2 }",
            "{ rank = 'x' }",
            "{ rank = [1] }",
        ] {
            assert!(
                of(given).starts_with("nodes[0].for: one name"),
                "{given}: {}",
                of(given)
            );
        }
        assert_eq!(
            of("{ rank = 5_000_000 }"),
            "nodes[0].for: more than 4000000 times"
        );
        assert_eq!(
            of("{ other = 1 }"),
            "nodes[0].name: there is no 'rank' here; known: other"
        );
        let twice =
            made("[[a]]\nfor = { i = 3000 }\nl = [{ for = { k = 3000 }, x = 1 }]").unwrap_err();
        assert!(
            twice.ends_with("the file stands for more than 4000000 tables"),
            "{twice}"
        );
        let done = made("[[a]]\nfor = { i = 1 }\ndo = 3").unwrap_err();
        assert!(done.starts_with("a[0].do: is a list"), "{done}");
    }
}
