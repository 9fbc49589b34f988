//! `AtomicFork` between payload writer, atomic unit and memory ports, against packets performed one after the other.

mod packet;
mod path;
mod random;
mod timing;

use xtq_rtl::atomics::atomic_fork::AtomicFork;
use xtq_testbench::verilog_tools::accept;

use crate::hardware::block;

#[test]
fn the_verilog_is_accepted_by_all_tools() {
    accept("AtomicFork", block::<AtomicFork>().as_ref()).unwrap();
}
