//! # xtq-types: formats and codes
//!
//! Types that travel between blocks and over the wire, each defined once and used by hardware, models and documents.
//!
//! [`wire_struct!`](crate::wire_struct) turns a list of `name: width` into a rust-hdl struct, its conversions, and an
//! `Unpack` block. The order of the fields *is* the layout: the first field holds the lowest bits.

#[macro_use]
mod codes;
#[macro_use]
mod wire;

pub use codes::{Code, name_of};
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
pub mod exact_match;
pub mod hash_match;
pub mod l2;
pub mod match_lists;
pub mod matching;
pub mod memory;
pub mod pipe;
pub mod queue;
pub mod register_list;
pub mod register_map;
pub mod send;
pub mod tables;
pub mod wire_header;

/// All numbers with names, by the module of their constants.
pub const CODES: &[(&str, &[Code])] = &[
    ("atomic::operation", atomic::operation::CODES),
    ("atomic::datatype", atomic::datatype::CODES),
    ("command::operation", command::operation::CODES),
    ("command::flag", command::flag::CODES),
    ("command::command_status", command::command_status::CODES),
    ("command::md_option", command::md_option::CODES),
    ("command::me_source", command::me_source::CODES),
    (
        "counter::counter_operation",
        counter::counter_operation::CODES,
    ),
    ("counter::counter_change", counter::counter_change::CODES),
    ("counter::counter_status", counter::counter_status::CODES),
    ("event::kind", event::kind::CODES),
    ("event::status", event::status::CODES),
    ("event::access", event::access::CODES),
    ("hash_match::hash_op", hash_match::hash_op::CODES),
    ("hash_match::hash_mode", hash_match::hash_mode::CODES),
    ("hash_match::hash_outcome", hash_match::hash_outcome::CODES),
    ("l2::op", l2::op::CODES),
    ("l2::status", l2::status::CODES),
    ("l2::cause", l2::cause::CODES),
    ("matching::request_kind", matching::request_kind::CODES),
    ("matching::outcome", matching::outcome::CODES),
    ("matching::me_option", matching::me_option::CODES),
    ("matching::list", matching::list::CODES),
    ("matching::search", matching::search::CODES),
    ("matching::match_op", matching::match_op::CODES),
    ("matching::portal_option", matching::portal_option::CODES),
    ("matching::response_kind", matching::response_kind::CODES),
    ("matching::match_code", matching::match_code::CODES),
    (
        "register_map::portal_word",
        register_map::portal_word::CODES,
    ),
    (
        "register_map::portal_options",
        register_map::portal_options::CODES,
    ),
    (
        "register_map::portal_control",
        register_map::portal_control::CODES,
    ),
    ("tables::table_id", tables::table_id::CODES),
    ("wire_header::opcode", wire_header::opcode::CODES),
    ("wire_header::ack", wire_header::ack::CODES),
    ("wire_header::ni_fail", wire_header::ni_fail::CODES),
];

/// The numbers of the module `path`, as `event::status`; none if there is no such module.
pub fn codes_of(path: &str) -> &'static [Code] {
    let found = CODES.iter().find(|(name, _)| *name == path);
    found.map_or(&[], |(_, codes)| codes)
}
