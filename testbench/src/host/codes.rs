//! The codes of Portals 4.2 that commands carry, and the bits of options.

pub use xtq_types::command::md_option;
use xtq_types::matching::list;
pub use xtq_types::matching::{me_option, portal_option};
use xtq_types::wire_header::ack;

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
    Priority = list::PRIORITY,
    /// Searched behind the priority list; its messages are unexpected.
    Overflow = list::OVERFLOW,
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

impl AtomicOp {
    /// All of them, in the order of their codes.
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
    LongDouble = 12,
    LongDoubleComplex = 13,
}

impl Datatype {
    /// All of them, in the order of their codes.
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
}
