//! `Saved`: what changes in a model while cycles run, as bytes and back, so that a run can go on in another process.
//!
//! A checkpoint is loaded into models that are built as those were of which it was saved: pins, names and times are
//! there already and stay. What has no such things is a value with `serde`, and is saved as a whole. [`saved!`] names
//! every field of a model, so a new one that nobody thought of does not compile.
//!
//! The bytes have no names and no types in them (postcard): whoever reads them must have been compiled from the same
//! source, which the head of the file has to say.

pub(crate) mod bytes;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// Bytes that are not what was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the state of a node is damaged")]
pub struct Damaged;

/// What loading gives.
pub(crate) type Loaded = Result<(), Damaged>;

/// Something of which the state can leave the process.
pub(crate) trait Saved {
    /// Adds the state.
    fn save(&self, to: &mut Writer);
    /// Takes a state over that [`save`](Self::save) gave. Errors: the bytes are no such state; what was taken until
    /// then stays.
    fn load(&mut self, from: &mut Reader) -> Loaded;
}

impl<T: Serialize + DeserializeOwned> Saved for T {
    fn save(&self, to: &mut Writer) {
        to.value(self);
    }

    fn load(&mut self, from: &mut Reader) -> Loaded {
        *self = from.value()?;
        Ok(())
    }
}

/// Collects states.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    failed: bool,
}

impl Writer {
    /// Adds a value.
    pub(crate) fn value(&mut self, value: &impl Serialize) {
        match postcard::to_extend(value, std::mem::take(&mut self.bytes)) {
            Ok(bytes) => self.bytes = bytes,
            Err(_) => self.failed = true,
        }
    }

    /// All that was added. Errors: a value cannot be saved.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Damaged> {
        match self.failed {
            true => Err(Damaged),
            false => Ok(self.bytes),
        }
    }
}

/// Gives back what a [`Writer`] collected, in the same order.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of what [`Writer::finish`] gave.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next value. Errors: there is none of this type.
    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Result<T, Damaged> {
        let (value, rest) = postcard::take_from_bytes(self.rest).map_err(|_| Damaged)?;
        self.rest = rest;
        Ok(value)
    }

    /// Errors: there is more.
    pub(crate) fn finish(self) -> Result<(), Damaged> {
        match self.rest {
            [] => Ok(()),
            _ => Err(Damaged),
        }
    }
}

/// Implements [`Saved`] for a model: the fields that are saved, `each` part of those that hold several models or none,
/// and those that the model `keeps`.
macro_rules! saved {
    ($type:ty {
        $($part:ident),* $(,)?
        $(; each $($several:ident),+)?
        $(; keeps $($kept:ident),+ $(,)?)?
    }) => {
        impl $crate::saved::Saved for $type {
            fn save(&self, to: &mut $crate::saved::Writer) {
                let Self { $($part,)* $($($several,)+)? $($($kept: _,)+)? } = self;
                $($crate::saved::Saved::save($part, to);)*
                $($(for part in $several.iter() {
                    $crate::saved::Saved::save(part, to);
                })+)?
            }

            fn load(&mut self, from: &mut $crate::saved::Reader) -> $crate::saved::Loaded {
                let Self { $($part,)* $($($several,)+)? $($($kept: _,)+)? } = self;
                $($crate::saved::Saved::load($part, from)?;)*
                $($(for part in $several.iter_mut() {
                    $crate::saved::Saved::load(part, from)?;
                })+)?
                Ok(())
            }
        }
    };
}
pub(crate) use saved;

#[cfg(test)]
mod tests {
    use super::{Damaged, Reader, Saved, Writer};

    /// A model with something that is its own.
    struct Model {
        pin: u8,
        words: Vec<u64>,
        parts: [Option<u8>; 2],
    }

    saved!(Model { words; each parts; keeps pin });

    fn model(pin: u8, first: u64) -> Model {
        Model {
            pin,
            words: vec![first, u64::MAX],
            parts: [Some(first as u8), None],
        }
    }

    #[test]
    fn a_model_takes_a_state_over_and_keeps_what_is_its_own() {
        let mut writer = Writer::default();
        model(1, 7).save(&mut writer);
        let bytes = writer.finish().unwrap();
        let mut other = model(2, 9);
        let mut reader = Reader::new(&bytes);
        other.load(&mut reader).unwrap();
        reader.finish().unwrap();
        assert_eq!(other.pin, 2);
        assert_eq!(other.words, [7, u64::MAX]);
        assert_eq!(other.parts, [Some(7), None]);
    }

    #[test]
    fn bytes_that_end_too_early_or_too_late_are_damaged() {
        let mut writer = Writer::default();
        model(1, 7).save(&mut writer);
        let mut bytes = writer.finish().unwrap();
        for length in 0..bytes.len() {
            let load = model(2, 9).load(&mut Reader::new(&bytes[..length]));
            assert_eq!(load, Err(Damaged), "{length}");
        }
        bytes.push(0);
        let mut reader = Reader::new(&bytes);
        model(2, 9).load(&mut reader).unwrap();
        assert_eq!(reader.finish(), Err(Damaged));
    }
}
