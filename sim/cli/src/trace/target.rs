//! The trace of one NIC's target side: messages arrive, and its GPU runs their tasks.

use super::Trace;
use super::stages::{Stations, Target, message_args};
use serde_json::json;
use xtq_testbench::scenario::Report;

/// The trace of a run.
pub fn of_target(report: &Report) -> Trace {
    let mut trace = Trace::new(&report.title, &report.engine);
    let node = trace.group("node");
    let target = Target::new(&mut trace, node);
    for row in &report.messages {
        let more = json!({ "from node": row.source_node, "context": row.context });
        let args = message_args(row.length, &row.status, more);
        let slices = target.add(&mut trace, &row.name, &Stations::at_target(row), &args);
        trace.flow(&row.name, slices);
    }
    trace
}
