//! Arrays of bytes for `serde`, which by itself knows those of up to 32: `#[serde(with = "crate::saved::bytes")]`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<const N: usize, S: Serializer>(
    bytes: &[u8; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

pub(crate) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let bytes = Vec::<u8>::deserialize(deserializer)?;
    let length = bytes.len();
    let wrong = |_| D::Error::custom(format_args!("{length} bytes, not {N}"));
    bytes.try_into().map_err(wrong)
}

/// The same for an array that may be missing: `#[serde(with = "crate::saved::bytes::maybe")]`.
pub(crate) mod maybe {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Whole<const N: usize>(#[serde(with = "super")] [u8; N]);

    pub(crate) fn serialize<const N: usize, S: Serializer>(
        bytes: &Option<[u8; N]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        bytes.map(Whole).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<[u8; N]>, D::Error> {
        let bytes = Option::<Whole<N>>::deserialize(deserializer)?;
        Ok(bytes.map(|Whole(bytes)| bytes))
    }
}

/// The same for pages of memory by number: `#[serde(with = "crate::saved::bytes::pages")]`.
pub(crate) mod pages {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type Pages<const N: usize> = BTreeMap<u64, Box<[u8; N]>>;

    #[derive(Serialize, Deserialize)]
    struct Page<const N: usize>(#[serde(with = "super")] [u8; N]);

    pub(crate) fn serialize<const N: usize, S: Serializer>(
        pages: &Pages<N>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(pages.iter().map(|(number, page)| (number, Page(**page))))
    }

    pub(crate) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Pages<N>, D::Error> {
        let pages = BTreeMap::<u64, Page<N>>::deserialize(deserializer)?;
        let pages = pages.into_iter();
        Ok(pages
            .map(|(number, Page(page))| (number, Box::new(page)))
            .collect())
    }
}
