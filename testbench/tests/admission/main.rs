//! `Admission` against a naive list of decisions; `TaskCheck` against the rules one by one.

mod decisions;
mod hardware;
mod model;
mod task_check;

use rust_hdl::prelude::*;
use xtq_rtl::admission::Admission;
use xtq_testbench::verilog_tools::accept;

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut admission = Box::new(Admission::default());
    admission.connect_all();
    accept("admission", &generate_verilog(admission.as_ref())).unwrap();
}
