//! Values of a scenario that TOML has no type for: bytes and ranges of cycles.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

/// Longest byte string a scenario may describe with `fill` or `count`.
pub const LONGEST: u64 = 1 << 24;

/// Bytes, given as hex digits, as a list of 64-bit words, or as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data(pub Vec<u8>);

/// The forms of [`Data`] that are a table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum Table {
    /// The bytes of this UTF-8 text.
    Text(String),
    /// One byte, many times.
    Fill(Fill),
    /// The bytes 0, 1, 2, ... 255, 0, ..., so many of them.
    Count(u64),
}

/// One byte, many times.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fill {
    /// The byte.
    byte: u8,
    /// How often.
    length: u64,
}

/// `length` as a size in memory, if it is not beyond [`LONGEST`].
fn size<E: Error>(length: u64) -> Result<usize, E> {
    let fits = usize::try_from(length).ok().filter(|_| length <= LONGEST);
    fits.ok_or_else(|| E::custom(format!("{length} bytes are more than {LONGEST}")))
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes: hex digits, a list of 64-bit words, { text = \"...\" }, { fill = { byte, length } } or { count = n }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Data, E> {
        let digits: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '_')
            .collect();
        hex::decode(digits).map(Data).map_err(|fault| {
            E::custom(format!(
                "not hex digits ({fault}); text is {{ text = \"...\" }}"
            ))
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Data, A::Error> {
        let mut bytes = Vec::new();
        while let Some(word) = list.next_element::<u64>()? {
            bytes.extend(word.to_le_bytes());
        }
        Ok(Data(bytes))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Data, A::Error> {
        let bytes = match Table::deserialize(MapAccessDeserializer::new(map))? {
            Table::Text(text) => text.into_bytes(),
            Table::Fill(Fill { byte, length }) => vec![byte; size(length)?],
            Table::Count(count) => (0..size(count)?).map(|i| i as u8).collect(),
        };
        Ok(Data(bytes))
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(DataVisitor)
    }
}

impl JsonSchema for Data {
    fn schema_name() -> Cow<'static, str> {
        "Data".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = Table::json_schema(generator);
        json_schema!({
            "description": "Bytes in memory order: hex digits (white space and _ are ignored), a list of 64-bit words, { text = \"...\" }, { fill = { byte = 0xaa, length = 64 } } or { count = 256 } (bytes 0, 1, 2, ...).",
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "integer", "minimum": 0 } },
                table
            ]
        })
    }
}

/// A number of cycles, or a list of the least and the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// Least.
    pub least: u32,
    /// Most.
    pub most: u32,
}

struct CyclesVisitor;

impl<'de> Visitor<'de> for CyclesVisitor {
    type Value = Cycles;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cycles: a number from 1, or a list [least, most]")
    }

    fn visit_u64<E: Error>(self, cycles: u64) -> Result<Cycles, E> {
        let most = u32::try_from(cycles)
            .ok()
            .filter(|cycles| *cycles > 0)
            .ok_or_else(|| E::custom(format!("{cycles} is not from 1 to {}", u32::MAX)))?;
        Ok(Cycles { least: most, most })
    }

    fn visit_i64<E: Error>(self, cycles: i64) -> Result<Cycles, E> {
        self.visit_u64(u64::try_from(cycles).unwrap_or(0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cycles, A::Error> {
        let ends = (list.next_element::<u32>()?, list.next_element::<u32>()?);
        let more = list.next_element::<u32>()?.is_some();
        match ends {
            (Some(least), Some(most)) if !more && least > 0 && least <= most => {
                Ok(Cycles { least, most })
            }
            _ => Err(A::Error::custom(
                "not a list [least, most] with 1 <= least <= most",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Cycles {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CyclesVisitor)
    }
}

impl JsonSchema for Cycles {
    fn schema_name() -> Cow<'static, str> {
        "Cycles".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Cycles: a number from 1, or [least, most].",
            "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 2, "maxItems": 2 }
            ]
        })
    }
}
