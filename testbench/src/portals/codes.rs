//! Options of the API, and what its codes mean (rules 1 and 8 of `docs/portals-model.md`). Serialised by their names in
//! the specification without `PTL_`.

use crate::tables::{Datatype, EventKind};
use serde::{Deserialize, Serialize};

impl EventKind {
    /// Whether it reports an unexpected message that was taken.
    pub fn is_overflow(self) -> bool {
        matches!(
            self,
            Self::GetOverflow
                | Self::PutOverflow
                | Self::AtomicOverflow
                | Self::FetchAtomicOverflow
        )
    }
}

/// Options of a match entry; the number is the bit of API 4.2 (rules 1 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[repr(u8)]
pub enum MeOption {
    /// The buffer is a list of buffers: not modelled.
    Iovec,
    /// Puts and atomics may use it.
    OpPut,
    /// Gets may use it.
    OpGet,
    /// Unlinked by its first message.
    UseOnce,
    /// No acknowledgement, even if one is asked for.
    AckDisable,
    /// An overflow entry that keeps no unexpected headers.
    UnexpectedHdrDisable,
    /// A hint.
    IsAccessible,
    /// No LINK.
    #[serde(alias = "EVENT_LINK_DISABLE")]
    LinkDisable,
    /// No event of a message, and no SEARCH.
    #[serde(alias = "EVENT_COMM_DISABLE")]
    CommDisable,
    /// No PT_DISABLED when a message that matched this entry disables the portal.
    #[serde(alias = "EVENT_FLOWCTRL_DISABLE")]
    FlowctrlDisable,
    /// No event of a message that succeeded.
    #[serde(alias = "EVENT_SUCCESS_DISABLE")]
    SuccessDisable,
    /// No overflow event.
    #[serde(alias = "EVENT_OVER_DISABLE")]
    OverDisable,
    /// No AUTO_UNLINK and no AUTO_FREE.
    #[serde(alias = "EVENT_UNLINK_DISABLE")]
    UnlinkDisable,
    /// Messages count.
    #[serde(alias = "EVENT_CT_COMM")]
    CtComm,
    /// Unexpected messages that are taken count.
    #[serde(alias = "EVENT_CT_OVERFLOW")]
    CtOverflow,
    /// Counts are bytes.
    #[serde(alias = "EVENT_CT_BYTES")]
    CtBytes,
    /// Messages land one after the other.
    ManageLocal,
    /// Matches only what fits.
    NoTruncate,
    /// A hint.
    MayAlign,
    /// API 4.3: unexpected headers that are taken move the local offset.
    LocalIncUhRlength,
}

/// Options of a memory descriptor; the number is the bit of API 4.2 (rules 1 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[repr(u8)]
pub enum MdOption {
    /// The buffer is a list of buffers: not modelled.
    Iovec,
    /// Messages sent count.
    #[serde(alias = "EVENT_CT_SEND")]
    CtSend,
    /// Replies count.
    #[serde(alias = "EVENT_CT_REPLY")]
    CtReply,
    /// Acknowledgements count.
    #[serde(alias = "EVENT_CT_ACK")]
    CtAck,
    /// A hint.
    Unordered,
    /// No event of what succeeded.
    #[serde(alias = "EVENT_SUCCESS_DISABLE")]
    SuccessDisable,
    /// The buffer may be changed at once; limits the length.
    Volatile,
    /// No SEND.
    #[serde(alias = "EVENT_SEND_DISABLE")]
    SendDisable,
    /// Counts are bytes.
    #[serde(alias = "EVENT_CT_BYTES")]
    CtBytes = 15,
}

/// A set of [`MeOption`], as the bits of API 4.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeOptions(pub u32);

impl MeOptions {
    /// Whether the option is in the set.
    pub fn has(self, option: MeOption) -> bool {
        self.0 & 1 << option as u8 != 0
    }
}

impl FromIterator<MeOption> for MeOptions {
    fn from_iter<T: IntoIterator<Item = MeOption>>(options: T) -> Self {
        Self(
            options
                .into_iter()
                .fold(0, |set, option| set | 1 << option as u8),
        )
    }
}

/// A set of [`MdOption`], as the bits of API 4.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MdOptions(pub u32);

impl MdOptions {
    /// Whether the option is in the set.
    pub fn has(self, option: MdOption) -> bool {
        self.0 & 1 << option as u8 != 0
    }
}

impl FromIterator<MdOption> for MdOptions {
    fn from_iter<T: IntoIterator<Item = MdOption>>(options: T) -> Self {
        Self(
            options
                .into_iter()
                .fold(0, |set, option| set | 1 << option as u8),
        )
    }
}

impl Datatype {
    /// Bytes of an item.
    pub fn size(self) -> usize {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
            Self::Int64 | Self::Uint64 | Self::Double | Self::FloatComplex => 8,
            Self::DoubleComplex | Self::LongDouble => 16,
            Self::LongDoubleComplex => 32,
        }
    }
}
