//! `LookupStage`: contract tests with exact cycles, and random packets against a naive model.

use xtq_catalogue as _;
#[path = "../lookup/entries.rs"]
mod entries;
mod latency;
mod packet;
mod random_packets;
mod stage;
mod surroundings;
mod tables;
mod waiting;

use rust_hdl::prelude::Block;
use xtq_rtl::lookup::lookup_stage::LookupStage;
use xtq_testbench::verilog_tools::accept;

#[test]
fn the_verilog_is_accepted() {
    let mut stage = LookupStage::default();
    stage.connect_all();
    accept("LookupStage", &stage).unwrap();
}
