//! Entries and requests that the named tests have in common.

use xtq_types::matching::{match_code, match_op, me_option};

use super::unit::Unit;
use super::words::{Command, Outcome, Request};

/// Both operations.
pub const BOTH: u32 = me_option::OP_PUT | me_option::OP_GET;

/// An entry of context 0 in portal entry 0 that matches everything with these bits: priority list, 1,000 bytes.
pub fn entry(id: u64, bits: u64, options: u32) -> Command {
    Command {
        op: match_op::ME_APPEND,
        id,
        options: BOTH | options,
        any_node: true,
        any_context: true,
        any_user: true,
        bits,
        start: 0x1000 * (id + 1),
        length: 1000,
        counter: id & 255,
        user_ptr: 0xAA00 + id,
        handle: id,
        ..Command::default()
    }
}

/// The same in the overflow list.
pub fn overflow(id: u64, bits: u64, options: u32) -> Command {
    Command {
        list: 1,
        ..entry(id, bits, options)
    }
}

/// A search for headers with these bits.
pub fn search(op: u8, bits: u64, options: u32) -> Command {
    Command {
        op,
        ..entry(0, bits, options)
    }
}

/// A put of 8 bytes with these bits.
pub fn put(bits: u64) -> Request {
    Request {
        bits,
        ..Request::default()
    }
}

/// A put of this length.
pub fn long_put(length: u64) -> Request {
    Request {
        length,
        ..Request::default()
    }
}

/// A unit with portal entry 0, which belongs to context 0.
pub fn unit(flow_control: bool) -> Unit {
    let mut unit = Unit::simple();
    assert_eq!(
        unit.code(Command::alloc(0, 0, flow_control)),
        match_code::OK
    );
    unit
}

/// The entry that took a request.
pub fn taker(told: &Outcome) -> Option<u64> {
    let taken = told.outcome == xtq_types::matching::outcome::MATCHED;
    told.entry.as_ref().filter(|_| taken).map(|entry| entry.id)
}

impl Unit {
    /// Appends an entry, which must be linked.
    pub fn link(&mut self, command: Command) {
        assert_eq!(self.code(command), match_code::LINKED);
    }
}
