//! GETs between nodes: bytes, lengths, refusals, order, events and counts at both ends.

mod at_once;
mod counted;
mod delivered;
mod order;
mod refused;

use xtq_testbench::host::{Command, Get, Md};

use super::fixture::{LISTS, SHARED, SOURCE, TARGET, World, pattern};

/// Where replies go: descriptor 0.
pub const REPLIES: u64 = SOURCE;

pub fn get(offset: u64, length: u64, remote_offset: u64) -> Get {
    Get {
        md: Md(0),
        local_offset: offset,
        length,
        target: TARGET,
        pt_index: LISTS,
        match_bits: 5,
        remote_offset,
        user_ptr: 7,
    }
}

/// Two nodes with lists, the second with these commands and bytes to offer.
pub fn with(seed: Option<u64>, commands: &[Command]) -> World {
    let mut world = World::with_lists(seed, commands);
    for node in 0..2 {
        world.write(node, SHARED, &pattern(40_000, 3 + node as u64));
    }
    world
}
