//! `MessageTable` against plain lists, each rule by name, and exact cycles.

use xtq_catalogue as _;
mod fence;
mod harness;
mod plain_lists;
mod rules;

use rust_hdl::prelude::Block;
use xtq_rtl::messages::message_table::MessageTable;
use xtq_testbench::verilog_tools::accept;

#[test]
fn three_tools_accept_the_verilog() {
    let mut block = MessageTable::<4>::default();
    block.connect_all();
    accept("MessageTable", &block).expect("accepted");
}
