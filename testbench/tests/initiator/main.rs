//! The small blocks of the initiator, each alone.

use xtq_catalogue as _;
#[path = "../by_name/mod.rs"]
mod by_name;
mod command_check;
mod command_choice;
mod event_merge;
mod fired_fence;
mod invalidator;
mod list_commands;
mod receive_splitter;
mod reply_unit;
mod send_arbiter;
mod table_writer;

use std::sync::Arc;

use by_name::Hardware;
use xtq_engine::blocks;
use xtq_engine::{Backend, Body, Compiled};
use xtq_types::Field;

/// The block of this name, out of reset.
fn block(name: &str) -> Hardware {
    let design = blocks::design(name).expect("is a block");
    let body = Body::new(design.as_ref(), Backend::Jit).expect("compiles");
    Hardware::new(Compiled::new(Arc::new(body)))
}

/// A pin of one bit.
fn high(block: &Hardware, name: &str) -> bool {
    block.get(name) == [1]
}

/// A packed format with these fields; the others are 0. Fields have at most 64 bits.
fn pack(fields: &[Field], values: &[(&str, u64)]) -> Vec<u64> {
    let bits = fields.iter().map(|f| f.offset + f.width).max().unwrap_or(0);
    let mut words = vec![0; bits.div_ceil(64)];
    for (name, value) in values {
        let field = fields.iter().find(|field| field.name == *name);
        let field = field.unwrap_or_else(|| panic!("there is no field '{name}'"));
        for i in 0..field.width.min(64) {
            words[(field.offset + i) / 64] |= (value >> i & 1) << ((field.offset + i) % 64);
        }
    }
    words
}

/// The low 64 bits of a field.
fn field(fields: &[Field], words: &[u64], name: &str) -> u64 {
    let field = fields.iter().find(|field| field.name == name);
    let field = field.unwrap_or_else(|| panic!("there is no field '{name}'"));
    let bit = |i: usize| words[i / 64] >> (i % 64) & 1;
    (0..field.width.min(64)).fold(0, |value, i| value | bit(field.offset + i) << i)
}
