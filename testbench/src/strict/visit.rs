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

/// Passes values on that have nothing in them.
macro_rules! pass_on {
    ($($visit:ident($kind:ty))*) => {
        $(fn $visit<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.0.$visit(value)
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
        visit_bool(bool)
        visit_i8(i8)
        visit_i16(i16)
        visit_i32(i32)
        visit_i64(i64)
        visit_i128(i128)
        visit_u8(u8)
        visit_u16(u16)
        visit_u32(u32)
        visit_u64(u64)
        visit_u128(u128)
        visit_f32(f32)
        visit_f64(f64)
        visit_char(char)
        visit_str(&str)
        visit_borrowed_str(&'de str)
        visit_string(String)
        visit_bytes(&[u8])
        visit_borrowed_bytes(&'de [u8])
        visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
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
pub(super) struct Name<V>(pub(super) V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Name<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.expecting(f)
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
