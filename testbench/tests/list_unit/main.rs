//! `ListUnit` alone: requests and commands in, events, counts and the ends of commands out.

use xtq_catalogue as _;
#[allow(dead_code, reason = "the tests of the match unit use all of it")]
#[path = "../match_unit/model.rs"]
mod model;
mod named;
mod random;
mod rules;
mod unit;
mod waiting;
#[allow(dead_code, reason = "the tests of the match unit use all of it")]
#[path = "../match_unit/words.rs"]
mod words;

use xtq_engine::blocks;
use xtq_testbench::verilog_tools::accept;
use xtq_types::matching::{match_op, me_option};

use words::{Command, Request};

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

#[test]
fn third_party_tools_accept_the_verilog() {
    for name in [
        "list_arbiter",
        "list_waits",
        "list_responses",
        "list_completer",
        "list_unit",
    ] {
        let design = blocks::design(name).expect("a block of this name");
        accept(name, design.as_ref()).expect("accepted");
    }
}
