//! `Admission` and its parts.

use rust_hdl::prelude::*;
use xtq_rtl::admission::Admission;
use xtq_rtl::packet_store::PacketStore;
use xtq_testbench::verilog_tools::accept;

#[test]
fn third_party_tools_accept_the_verilog() {
    let mut admission = Box::new(Admission::default());
    admission.connect_all();
    accept("admission", &generate_verilog_unchecked(admission.as_ref())).unwrap();
    let mut store = Box::new(PacketStore::default());
    store.connect_all();
    accept("packet_store", &generate_verilog_unchecked(store.as_ref())).unwrap();
}
