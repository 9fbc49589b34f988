//! The trace of a bank of the L2: who asks for what, and which lines are locked.

use super::{Trace, Track};
use serde_json::json;
use std::collections::BTreeMap;
use xtq_testbench::scenario::L2Report;

/// The trace of a run.
pub fn of_l2(report: &L2Report) -> Trace {
    let mut trace = Trace::new(&report.title, &report.engine);
    let requesters = trace.group("requesters");
    let mut tracks: BTreeMap<&str, Track> = BTreeMap::new();
    for row in &report.steps {
        let track = *tracks
            .entry(&row.requester)
            .or_insert_with(|| trace.track(requesters, &row.requester));
        let args = json!({
            "op": row.op, "address": format!("{:#x}", row.address), "hit": row.hit, "status": row.status,
        });
        trace.slice(track, &row.name, "l2", (row.taken, row.answered), args);
    }
    let bank = trace.group("bank");
    let locks = trace.track(bank, "locks");
    for lock in &report.locks {
        let name = format!("line {:#x}", lock.line);
        let span = (lock.cycle.checked_sub(lock.cycles), Some(lock.cycle));
        let args = json!({ "owner": lock.owner, "ended by": lock.cause });
        trace.slice(locks, name, "l2", span, args);
    }
    trace
}
