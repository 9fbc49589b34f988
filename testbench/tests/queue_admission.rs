//! `QueueAdmission`.

use rust_hdl::prelude::*;
use xtq_rtl::queue_admission::QueueAdmission;
use xtq_testbench::verilog_tools::accept;

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut block = Box::new(QueueAdmission::new(true));
    block.connect_all();
    accept("queue_admission", &generate_verilog(block.as_ref())).unwrap();
}
