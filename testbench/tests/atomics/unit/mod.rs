//! `AtomicUnit` behind the memory ports, against messages performed datum by datum on a memory in which nothing else happens.

mod faults;
pub mod message;
mod path;
pub mod random;
mod timing;

use xtq_rtl::atomics::atomic_unit::{AtomicPlan, AtomicUnit, NewLines, OldLines, OperandLines};
use xtq_testbench::verilog_tools::accept;

use crate::hardware::block;

#[test]
fn the_verilog_is_accepted_by_all_tools() {
    accept("AtomicPlan", block::<AtomicPlan>().as_ref()).unwrap();
    accept("OperandLines", block::<OperandLines>().as_ref()).unwrap();
    accept("OldLines", block::<OldLines>().as_ref()).unwrap();
    accept("NewLines", block::<NewLines>().as_ref()).unwrap();
    accept("AtomicUnit", block::<AtomicUnit>().as_ref()).unwrap();
}
