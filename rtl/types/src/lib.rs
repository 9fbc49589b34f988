//! # xtq-types: formats and codes
//!
//! Types that travel between blocks and over the wire, each defined once and used by hardware, models and documents.
//!
//! [`wire_struct!`](crate::wire_struct) turns a list of `name: width` into a rust-hdl struct, its conversions, and an
//! `Unpack` block. The order of the fields *is* the layout: the first field holds the lowest bits.

#[macro_use]
mod wire;

pub use wire::Wire;

/// One field of a packed format.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name, as in the struct.
    pub name: &'static str,
    /// Lowest bit.
    pub offset: usize,
    /// Width in bits.
    pub width: usize,
    /// What it means.
    pub doc: &'static str,
}

/// Gives each field its offset: the sum of the widths before it.
#[doc(hidden)]
pub const fn place<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let (mut i, mut offset) = (0, 0);
    while i < N {
        fields[i].offset = offset;
        offset += fields[i].width;
        i += 1;
    }
    fields
}

pub mod aql;
pub mod atomic;
pub mod command;
pub mod counter;
pub mod event;
pub mod l2;
pub mod match_lists;
pub mod matching;
pub mod pipe;
pub mod register_map;
pub mod send;
pub mod tables;
pub mod wire_header;
