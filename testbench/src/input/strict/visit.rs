//! The answers of a source, on their way to the type that asked.

use super::{Inner, Strict};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, Visitor,
};
use std::fmt;

/// What a type takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// What its visitor takes.
    Any,
    /// A table, although serde's derived visitors take a list too.
    Table,
}

/// A visitor that sees all of a list or a table, or there is an error.
pub(super) struct Checked<V>(pub(super) V, pub(super) Shape);

/// Passes values on that have nothing in them, and are no tables.
macro_rules! pass_on {
    ($($visit:ident($value:ident: $kind:ty) $what:expr;)*) => {
        $(fn $visit<E: Error>(self, $value: $kind) -> Result<V::Value, E> {
            match self.1 {
                Shape::Any => self.0.$visit($value),
                Shape::Table => Err(Error::invalid_type($what, &self)),
            }
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Checked<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.1 {
            Shape::Any => self.0.expecting(f),
            Shape::Table => f.write_str("a table"),
        }
    }

    pass_on! {
        visit_bool(value: bool) Unexpected::Bool(value);
        visit_i8(value: i8) Unexpected::Signed(value.into());
        visit_i16(value: i16) Unexpected::Signed(value.into());
        visit_i32(value: i32) Unexpected::Signed(value.into());
        visit_i64(value: i64) Unexpected::Signed(value);
        visit_i128(value: i128) Unexpected::Other("integer");
        visit_u8(value: u8) Unexpected::Unsigned(value.into());
        visit_u16(value: u16) Unexpected::Unsigned(value.into());
        visit_u32(value: u32) Unexpected::Unsigned(value.into());
        visit_u64(value: u64) Unexpected::Unsigned(value);
        visit_u128(value: u128) Unexpected::Other("integer");
        visit_f32(value: f32) Unexpected::Float(value.into());
        visit_f64(value: f64) Unexpected::Float(value);
        visit_char(value: char) Unexpected::Char(value);
        visit_str(value: &str) Unexpected::Str(value);
        visit_borrowed_str(value: &'de str) Unexpected::Str(value);
        visit_string(value: String) Unexpected::Str(&value);
        visit_bytes(value: &[u8]) Unexpected::Bytes(value);
        visit_borrowed_bytes(value: &'de [u8]) Unexpected::Bytes(value);
        visit_byte_buf(value: Vec<u8>) Unexpected::Bytes(&value);
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        match self.1 {
            Shape::Any => self.0.visit_unit(),
            Shape::Table => Err(Error::invalid_type(Unexpected::Unit, &self)),
        }
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Strict(from))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Strict(from))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        if self.1 == Shape::Table {
            return Err(Error::invalid_type(Unexpected::Seq, &self));
        }
        let mut list = List { list, seen: 0 };
        let value = self.0.visit_seq(&mut list)?;
        let taken = list.seen;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        if list.seen > taken {
            let expected = format!("a list of {taken}");
            return Err(Error::invalid_length(list.seen, &expected.as_str()));
        }
        Ok(value)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<V::Value, A::Error> {
        read_all(table, |table| self.0.visit_map(table))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(data)
    }
}

/// A visitor of an enum: a name, or a table whose only key is the name.
pub(super) struct Name<V>(pub(super) V, pub(super) &'static [&'static str]);

impl<'de, V: Visitor<'de>> Visitor<'de> for Name<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<_> = self.1.iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [name] => write!(f, "{name}"),
            names => write!(f, "one of {}", names.join(", ")),
        }
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.0.visit_enum(name.into_deserializer())
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<V::Value, A::Error> {
        read_all(table, |table| {
            self.0.visit_enum(MapAccessDeserializer::new(table))
        })
    }
}

/// Reads a table. Errors: a key was left over.
fn read_all<'de, A: MapAccess<'de>, T>(
    table: A,
    read: impl FnOnce(&mut Table<A>) -> Result<T, A::Error>,
) -> Result<T, A::Error> {
    let mut table = Table(table);
    let value = read(&mut table)?;
    table.next_key_seed(NoKey)?;
    Ok(value)
}

/// Reads a key where there should be none; the error is one of the key, so that its place is named.
struct NoKey;

impl<'de> DeserializeSeed<'de> for NoKey {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let key = String::deserialize(from)?;
        let message = format!("`{key}` is too much, only one key belongs here");
        Err(Error::custom(message))
    }
}

/// A list, and how many of its members were read.
struct List<A> {
    list: A,
    seen: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for List<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let member = self.list.next_element_seed(Inner(seed))?;
        self.seen += usize::from(member.is_some());
        Ok(member)
    }

    fn size_hint(&self) -> Option<usize> {
        self.list.size_hint()
    }
}

/// A table.
struct Table<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Table<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Inner(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}
