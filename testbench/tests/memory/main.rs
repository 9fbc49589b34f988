//! The ports to memory, and lists of pieces.

use xtq_catalogue as _;
#[path = "../leaf/beats.rs"]
mod beats;
mod gather_memory;
mod gather_unit;
mod gather_unit_cycles;
mod iovec;
mod read_port;
mod write_port;
