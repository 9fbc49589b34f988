//! The codes of Portals 4.2 that commands carry, and the bits of options.

pub use xtq_rtl::types::command::md_option;
use xtq_rtl::types::wire_header::ack;

/// Acknowledgement asked for (`ptl_ack_req_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum AckRequest {
    /// None.
    #[default]
    None = ack::NONE,
    /// An event and a count, with failure code, length and offset.
    Ack = ack::ACK,
    /// A count only.
    Ct = ack::CT,
    /// A count only, of operations also where bytes are counted.
    Oc = ack::OC,
}

/// List of a portal entry (`ptl_list_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum List {
    /// Searched first.
    #[default]
    Priority = 0,
    /// Searched behind the priority list; its messages are unexpected.
    Overflow = 1,
}

/// What a search does with what it finds (`ptl_search_op_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Search {
    /// Leaves it.
    #[default]
    Only = 0,
    /// Takes it.
    Delete = 1,
}

/// Atomic operation (`ptl_op_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it
pub enum AtomicOp {
    Min = 0,
    Max = 1,
    #[default]
    Sum = 2,
    Prod = 3,
    Lor = 4,
    Land = 5,
    Bor = 6,
    Band = 7,
    Lxor = 8,
    Bxor = 9,
    /// Of [`ptl_swap`](super::ptl_swap) only, as all below.
    Swap = 10,
    Cswap = 11,
    CswapNe = 12,
    CswapLe = 13,
    CswapLt = 14,
    CswapGe = 15,
    CswapGt = 16,
    /// Swap of the bits that the operand has.
    Mswap = 17,
}

/// Datatype of an atomic operation (`ptl_datatype_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it
pub enum Datatype {
    Int8 = 0,
    Uint8 = 1,
    Int16 = 2,
    Uint16 = 3,
    Int32 = 4,
    Uint32 = 5,
    Float = 6,
    Int64 = 7,
    #[default]
    Uint64 = 8,
    Double = 9,
    FloatComplex = 10,
    DoubleComplex = 11,
}

/// Bits of the options of a match entry (Portals 4.2; bit 19 is of 4.3).
pub mod me_option {
    /// Puts, atomics, fetches and swaps are allowed.
    pub const OP_PUT: u32 = 1 << 1;
    /// Gets, fetches and swaps are allowed.
    pub const OP_GET: u32 = 1 << 2;
    /// Unlinked by the first message.
    pub const USE_ONCE: u32 = 1 << 3;
    /// Never acknowledges.
    pub const ACK_DISABLE: u32 = 1 << 4;
    /// In the overflow list: messages leave no header.
    pub const UNEXPECTED_HDR_DISABLE: u32 = 1 << 5;
    /// No LINK event.
    pub const LINK_DISABLE: u32 = 1 << 7;
    /// No event for a message.
    pub const COMM_DISABLE: u32 = 1 << 8;
    /// No PT_DISABLED event.
    pub const FLOWCTRL_DISABLE: u32 = 1 << 9;
    /// No event for what succeeded.
    pub const SUCCESS_DISABLE: u32 = 1 << 10;
    /// No event for a header taken.
    pub const OVER_DISABLE: u32 = 1 << 11;
    /// Neither AUTO_UNLINK nor AUTO_FREE.
    pub const UNLINK_DISABLE: u32 = 1 << 12;
    /// Messages count.
    pub const CT_COMM: u32 = 1 << 13;
    /// Headers taken count.
    pub const CT_OVERFLOW: u32 = 1 << 14;
    /// Bytes count instead of messages.
    pub const CT_BYTES: u32 = 1 << 15;
    /// The entry keeps the offset: messages land one behind the other.
    pub const MANAGE_LOCAL: u32 = 1 << 16;
    /// A message that does not fit does not match.
    pub const NO_TRUNCATE: u32 = 1 << 17;
    /// Headers taken by an append move the local offset by their requested lengths.
    pub const LOCAL_INC_UH_RLENGTH: u32 = 1 << 19;
}

/// Bits of the options of a portal entry.
pub mod pt_option {
    /// Exhaustion disables the entry.
    pub const FLOW_CONTROL: u32 = 1 << 0;
    /// Its entries match; else the first takes every message.
    pub const MATCHING: u32 = 1 << 1;
    /// Starts disabled.
    pub const DISABLED: u32 = 1 << 2;
}
