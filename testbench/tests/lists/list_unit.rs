//! `ListUnit` alone: requests and commands in, events, counts and the ends of commands out.

mod named;
mod random;
mod rules;
mod unit;
mod waiting;

use xtq_types::matching::{match_op, me_option};

use crate::match_unit::words::{Command, Request};

/// An entry of context 0 in portal entry 0 that matches everything with these bits: overflow list, 1,000 bytes.
fn overflow(id: u64, bits: u64, options: u32) -> Command {
    Command {
        op: match_op::ME_APPEND,
        list: 1,
        id,
        options: me_option::OP_PUT | me_option::OP_GET | options,
        any_node: true,
        any_context: true,
        any_user: true,
        bits,
        start: 0x1000 * (id + 1),
        length: 1000,
        counter: id,
        user_ptr: 0xAA00 + id,
        ..Command::default()
    }
}

/// The same in the priority list.
fn entry(id: u64, bits: u64, options: u32) -> Command {
    Command {
        list: 0,
        ..overflow(id, bits, options)
    }
}

/// A search for headers with these bits.
fn search(op: u8, bits: u64, options: u32) -> Command {
    Command {
        op,
        ..entry(5, bits, options)
    }
}

/// A message with these bits.
fn message(kind: u8, bits: u64) -> Request {
    Request {
        kind,
        bits,
        node: 77,
        source_context: 2,
        user: 1234,
        length: 30,
        offset: 100,
        header_data: 0xFEED_0000_0000_0001,
        ..Request::default()
    }
}
