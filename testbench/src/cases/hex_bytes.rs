//! Byte strings of case files: hex digits in memory order.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Bytes of any number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HexBytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        hex::decode(text).map(Self).map_err(D::Error::custom)
    }
}

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hex::encode(&self.0))
    }
}

/// Exactly `N` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexArray<const N: usize>(pub [u8; N]);

impl<'de, const N: usize> Deserialize<'de> for HexArray<N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let HexBytes(bytes) = HexBytes::deserialize(from)?;
        let fail = |bytes: Vec<u8>| {
            let got = bytes.len();
            D::Error::custom(format!("{N} bytes of hex expected, {got} found"))
        };
        bytes.try_into().map(Self).map_err(fail)
    }
}

impl<const N: usize> Serialize for HexArray<N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hex::encode(self.0))
    }
}
