//! Reading what a type says, and nothing beside it.
//!
//! Serde alone takes more than the JSON Schema of a type allows: a struct as a list of its values, a list longer than
//! its array, further keys beside the one of an enum, `{ name: null }` for a name. [`Strict`] stands between a type and
//! its source and refuses these. The errors are the source's own, which knows the place.

mod visit;
mod words;

use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, Visitor};
use serde_path_to_error::Segment;
use visit::{Checked, Name, Shape};
pub(crate) use words::plain;

/// What TOML calls a table.
pub(crate) const TABLE: &str = "a table";

/// Reads a TOML text.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, toml::de::Error> {
    T::deserialize(Strict(toml::Deserializer::parse(text)?))
}

/// Reads a value. Errors: the key, as `queues[0].base`, empty if it is the value itself, and what is wrong with it.
pub(crate) fn from_value<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    value: D,
) -> Result<T, (String, D::Error)> {
    serde_path_to_error::deserialize(Strict(value)).map_err(|fault| {
        let key = fault
            .path()
            .iter()
            .fold(String::new(), |outer, part| match part {
                Segment::Seq { index } => format!("{outer}[{index}]"),
                Segment::Map { key } | Segment::Enum { variant: key } => key_in(&outer, shown(key)),
                Segment::Unknown => outer,
            });
        (key, fault.into_inner())
    })
}

/// Reads a value of JSON. Errors: as those of [`from_value`], in words.
pub(crate) fn from_json<'de, T: Deserialize<'de>>(
    value: impl Deserializer<'de, Error = serde_json::Error>,
) -> Result<T, (String, String)> {
    from_value(value).map_err(|(key, fault)| (key, plain(&fault.to_string(), "an object")))
}

/// A key as it is shown in a path: quotation marks, if it is empty.
pub(crate) fn shown(key: &str) -> &str {
    match key {
        "" => "\"\"",
        key => key,
    }
}

/// `inner` in the table or list `outer`, as one key.
pub(crate) fn key_in(outer: &str, inner: &str) -> String {
    match inner.as_bytes().first() {
        Some(_) if outer.is_empty() => inner.to_owned(),
        None => outer.to_owned(),
        Some(b'[') => format!("{outer}{inner}"),
        Some(_) => format!("{outer}.{inner}"),
    }
}

/// A source that gives only what is asked for.
struct Strict<D>(D);

/// What a value in a list or a table is read by, from a strict source.
struct Inner<S>(S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Inner<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(from))
    }
}

/// Requests that any value may answer that the type takes.
macro_rules! ask_for {
    ($($request:ident($($argument:ident: $kind:ty),*))*) => {
        $(fn $request<V: Visitor<'de>>(
            self,
            $($argument: $kind,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            self.0.$request($($argument,)* Checked(visitor, Shape::Any))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    ask_for! {
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_i128()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_u128()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_identifier()
        deserialize_ignored_any()
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Checked(visitor, Shape::Table))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Checked(visitor, Shape::Table);
        self.0.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(Name(visitor, names))
    }

    /// Only the value of a variant that has none is asked for like this.
    fn deserialize_unit<V: Visitor<'de>>(self, _: V) -> Result<V::Value, D::Error> {
        Err(Error::custom("a name stands alone, without a value"))
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}
