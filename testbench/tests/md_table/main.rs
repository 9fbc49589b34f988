//! `MdTable` against a plain table, each rule by name, and exact cycles.

use xtq_catalogue as _;
mod harness;
mod plain_table;
mod rules;

use rust_hdl::prelude::Block;
use xtq_rtl::commands::md_table::MdTable;
use xtq_testbench::verilog_tools::accept;

#[test]
fn three_tools_accept_the_verilog() {
    let mut block = MdTable::default();
    block.connect_all();
    accept("MdTable", &block).expect("accepted");
}
