//! The blocks that join the lists to the target pipeline, each against its rules.

use xtq_catalogue as _;
#[path = "../by_name/mod.rs"]
mod by_name;

mod body_cut;
mod match_stage;
mod portal_stop;

use rust_hdl::prelude::Block;
use xtq_testbench::verilog_tools::accept;

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut cut = xtq_rtl::delivery::body_cut::BodyCut::default();
    cut.connect_all();
    accept("body_cut", &cut).unwrap();
    let mut stage = xtq_rtl::lists::match_stage::MatchStage::default();
    stage.connect_all();
    accept("match_stage", &stage).unwrap();
    let mut stop = xtq_rtl::admission::portal_stop::PortalStop::default();
    stop.connect_all();
    accept("portal_stop", &stop).unwrap();
}
