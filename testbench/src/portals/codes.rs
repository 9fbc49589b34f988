//! Names and numbers of the API (`portals.md` 1 and 8). Serialised by their names in the specification without `PTL_`.

use serde::{Deserialize, Serialize};

/// Which acknowledgement a put or an atomic asks for (`portals.md` 1, 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AckRequest {
    /// None.
    #[default]
    None,
    /// Event and count at the initiator.
    Ack,
    /// Count at the initiator.
    Ct,
    /// Count of operations at the initiator, whatever became of the message.
    Oc,
}

/// What became of a message (`portals.md` 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NiFail {
    /// Done.
    #[default]
    Ok,
    /// There is no such node.
    Undeliverable,
    /// No entry, no portal, or no unexpected header.
    Dropped,
    /// The portal is disabled, perhaps by this message.
    PtDisabled,
    /// The user may not use the entry that matched.
    PermViolation,
    /// The operation is not allowed on the entry that matched.
    OpViolation,
    /// A search found nothing.
    NoMatch,
    /// Memory that does not exist.
    Segv,
}

/// The two lists of a portal (`portals.md` 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum List {
    /// Looked at first.
    #[default]
    Priority,
    /// For messages that nobody expected.
    Overflow,
}

/// What a search does with what it finds (`portals.md` 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SearchKind {
    /// Leaves it.
    Only,
    /// Removes it.
    Delete,
}

/// Kind of an event (`portals.md` 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)] // the names are the specification's
pub enum EventKind {
    Get,
    GetOverflow,
    Put,
    PutOverflow,
    Atomic,
    AtomicOverflow,
    FetchAtomic,
    FetchAtomicOverflow,
    Reply,
    Send,
    Ack,
    PtDisabled,
    Link,
    AutoUnlink,
    AutoFree,
    Search,
    XtqPut,
}

impl EventKind {
    /// Whether it tells of an unexpected message that was taken.
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

/// Options of a match entry; the number is the bit of API 4.2 (`portals.md` 1).
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
    /// Messages land one behind the other.
    ManageLocal,
    /// Matches only what fits.
    NoTruncate,
    /// A hint.
    MayAlign,
    /// API 4.3: unexpected headers that are taken move the local offset.
    LocalIncUhRlength,
}

/// Options of a memory descriptor; the number is the bit of API 4.2 (`portals.md` 1).
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

/// An atomic operation; the order is that of its code (`portals.md` 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)] // the names are the specification's
pub enum AtomicOp {
    Min,
    Max,
    Sum,
    Prod,
    Lor,
    Land,
    Bor,
    Band,
    Lxor,
    Bxor,
    Swap,
    Cswap,
    CswapNe,
    CswapLe,
    CswapLt,
    CswapGe,
    CswapGt,
    Mswap,
}

impl AtomicOp {
    /// All of them, in the order of their codes (`portals.md` 8).
    pub const ALL: [Self; 18] = [
        Self::Min,
        Self::Max,
        Self::Sum,
        Self::Prod,
        Self::Lor,
        Self::Land,
        Self::Bor,
        Self::Band,
        Self::Lxor,
        Self::Bxor,
        Self::Swap,
        Self::Cswap,
        Self::CswapNe,
        Self::CswapLe,
        Self::CswapLt,
        Self::CswapGe,
        Self::CswapGt,
        Self::Mswap,
    ];
}

/// Type of the items of an atomic operation; the order is that of its code (`portals.md` 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)] // the names are the specification's
pub enum Datatype {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float,
    Int64,
    Uint64,
    Double,
    FloatComplex,
    DoubleComplex,
    LongDouble,
    LongDoubleComplex,
}

impl Datatype {
    /// All of them, in the order of their codes (`portals.md` 8).
    pub const ALL: [Self; 14] = [
        Self::Int8,
        Self::Uint8,
        Self::Int16,
        Self::Uint16,
        Self::Int32,
        Self::Uint32,
        Self::Float,
        Self::Int64,
        Self::Uint64,
        Self::Double,
        Self::FloatComplex,
        Self::DoubleComplex,
        Self::LongDouble,
        Self::LongDoubleComplex,
    ];

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
