//! `Enqueuer`.

use rust_hdl::prelude::*;
use xtq_rtl::enqueuer::Enqueuer;
use xtq_testbench::verilog_tools::accept;

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut block = Box::new(Enqueuer::default());
    block.connect_all();
    accept("enqueuer", &generate_verilog(block.as_ref())).unwrap();
}
