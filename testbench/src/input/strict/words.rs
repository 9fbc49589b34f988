//! What serde says of a wrong value, in the words of the file: serde names types of the program.

/// What is wrong, with no type of the program in it. `table` is what the language of the file calls one. What stands in
/// the file stays.
pub(crate) fn plain(message: &str, table: &str) -> String {
    let starts = ["invalid type: ", "invalid value: ", "invalid length "];
    let split = starts.iter().find_map(|start| {
        let rest = message.strip_prefix(start)?;
        let (found, expected) = rest.rsplit_once(", expected ")?;
        Some((start, found, expected))
    });
    match split {
        Some((start, found, expected)) => {
            let found = match found {
                "map" => table,
                "sequence" => "a list",
                // An integer that 64 bits do not hold.
                found if found.starts_with("integer `") => found
                    .strip_suffix(" as i128")
                    .or(found.strip_suffix(" as u128"))
                    .unwrap_or(found),
                found => found,
            };
            format!("{start}{found}, expected {}", wanted(expected, table))
        }
        None => message.to_owned(),
    }
}

/// What was expected, which is stated by types alone.
fn wanted(expected: &str, table: &str) -> String {
    if let Some(range) = range_of(expected) {
        return format!("a whole number from {range}");
    }
    let length = ["an array of length ", "a tuple of size "]
        .iter()
        .find_map(|start| expected.strip_prefix(start));
    if let Some(length) = length {
        return format!("a list of {length}");
    }
    match expected {
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "an empty array" => "an empty list",
        "a map" | "a table" => table,
        expected => expected,
    }
    .to_owned()
}

/// The numbers of an integer type.
fn range_of(name: &str) -> Option<String> {
    macro_rules! ranges {
        ($($kind:ident)*) => {
            match name {
                $(stringify!($kind) => Some(format!("{} to {}", $kind::MIN, $kind::MAX)),
                concat!("a nonzero ", stringify!($kind)) => Some(format!("1 to {}", $kind::MAX)),)*
                _ => None,
            }
        };
    }
    ranges!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize)
}

#[cfg(test)]
mod tests {
    use super::plain;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    fn said<T: DeserializeOwned + std::fmt::Debug>(value: Value) -> String {
        let error = serde_json::from_value::<T>(value).unwrap_err();
        plain(&error.to_string(), "an object")
    }

    #[test]
    fn types_are_said_in_words() {
        for (said, expected) in [
            (
                said::<u8>(json!(1_111_111_111)),
                "integer `1111111111`, expected a whole number from 0 to 255",
            ),
            (
                said::<u64>(json!(1.5)),
                "floating point `1.5`, expected a whole number from 0 to 18446744073709551615",
            ),
            (
                said::<i8>(json!("x")),
                "string \"x\", expected a whole number from -128 to 127",
            ),
            (
                plain("invalid type: integer `-7` as i128, expected u8", ""),
                "integer `-7`, expected a whole number from 0 to 255",
            ),
            (
                plain("invalid type: string \"` as i128\", expected u8", ""),
                "string \"` as i128\", expected a whole number from 0 to 255",
            ),
            (said::<f64>(json!([])), "a list, expected a number"),
            (said::<Vec<u8>>(json!({})), "an object, expected a list"),
            (
                said::<[u8; 2]>(json!([1])),
                "invalid length 1, expected a list of 2",
            ),
            (
                said::<(u8, u8)>(json!([1])),
                "invalid length 1, expected a list of 2",
            ),
            (
                said::<std::collections::BTreeMap<String, u8>>(json!([])),
                "a list, expected an object",
            ),
        ] {
            assert!(said.ends_with(expected), "{said}");
        }
    }

    #[test]
    fn what_stands_in_the_file_stays() {
        let text = "map, expected u8";
        assert_eq!(
            said::<u8>(json!(text)),
            format!("invalid type: string \"{text}\", expected a whole number from 0 to 255")
        );
        for message in ["invalid type: map, expected", "a sequence, expected u8", ""] {
            assert_eq!(plain(message, "a table"), message);
        }
    }
}
