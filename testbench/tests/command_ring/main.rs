//! `CommandRing` against plain rings, each rule by name, and exact cycles.

use xtq_catalogue as _;
mod doorbell;
mod fetch;
mod harness;
mod plain_rings;
mod restart;

use rust_hdl::prelude::Block;
use xtq_rtl::commands::command_ring::CommandRing;
use xtq_testbench::verilog_tools::accept;

#[test]
fn three_tools_accept_the_verilog() {
    let mut block = CommandRing::<4>::default();
    block.connect_all();
    accept("CommandRing", &block).expect("accepted");
}
