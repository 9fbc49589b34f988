//! `Admission` against a naive list of decisions; its parts, each against its own rules.

use xtq_catalogue as _;
#[path = "../by_name/mod.rs"]
mod by_name;
mod commit;
mod cycles;
mod decisions;
mod event_places;
mod hardware;
mod model;
mod portal_check;
mod steps;
mod task_check;
mod tracker;
mod waiting;

use rust_hdl::prelude::*;
use xtq_rtl::admission::admission::Admission;
use xtq_testbench::verilog_tools::accept;

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut admission = Box::new(Admission::<4>::default());
    admission.connect_all();
    accept("admission", admission.as_ref()).unwrap();
}
