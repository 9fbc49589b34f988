//! What a NIC's target side and its GPU do with a message, as tracks and slices.

use super::{Group, Slice, Trace, Track};
use serde_json::{Value, json};
use xtq_testbench::scenario::Row;
use xtq_testbench::scenario::nodes::MessageRow;

/// Cycles of the stations that a message reaches at its target.
pub struct Stations {
    arrived: Option<u64>,
    parsed: Option<u64>,
    admitted: Option<u64>,
    rewritten: Option<u64>,
    payload_written: Option<u64>,
    enqueued: Option<u64>,
    doorbell: Option<u64>,
    launched: Option<u64>,
    signal: Option<u64>,
    done: Option<u64>,
    event: Option<u64>,
}

impl Stations {
    /// Of a message between nodes.
    pub fn between_nodes(row: &MessageRow) -> Self {
        Self {
            arrived: row.arrived,
            parsed: row.parsed,
            admitted: row.admitted,
            rewritten: row.rewritten,
            payload_written: row.payload_written,
            enqueued: row.enqueued,
            doorbell: row.doorbell,
            launched: row.launched,
            signal: row.signal,
            done: row.done,
            event: row.event,
        }
    }

    /// Of a message that a scenario of one NIC sends.
    pub fn at_target(row: &Row) -> Self {
        Self {
            arrived: row.arrived,
            parsed: row.parsed,
            admitted: row.admitted,
            rewritten: row.rewritten,
            payload_written: row.payload_written,
            enqueued: row.enqueued,
            doorbell: row.doorbell,
            launched: row.launched,
            signal: row.signal,
            done: row.done,
            event: None,
        }
    }
}

/// The tracks of a target side and its GPU, in the order in which a message passes them.
pub struct Target {
    parse: Track,
    decide: Track,
    rewrite: Track,
    payload: Track,
    enqueue: Track,
    doorbell: Track,
    finish: Track,
    launch: Track,
    task: Track,
}

impl Target {
    pub fn new(trace: &mut Trace, group: Group) -> Self {
        let mut track = |name| trace.track(group, name);
        Self {
            parse: track("NIC receives: parse"),
            decide: track("NIC receives: match, look up, decide"),
            rewrite: track("NIC receives: rewrite"),
            payload: track("NIC receives: write payload"),
            enqueue: track("NIC receives: enqueue"),
            doorbell: track("NIC receives: ring doorbell"),
            finish: track("NIC receives: finish, report"),
            launch: track("GPU: launch"),
            task: track("GPU: task"),
        }
    }

    /// Adds what becomes of a message; its slices.
    pub fn add(&self, trace: &mut Trace, name: &str, at: &Stations, args: &Value) -> Vec<Slice> {
        let before_enqueue = at.rewritten.or(at.admitted);
        let stages = [
            (self.parse, "nic", at.arrived, at.parsed),
            (self.decide, "nic", at.parsed, at.admitted),
            (self.rewrite, "nic", at.admitted, at.rewritten),
            (self.payload, "nic", at.admitted, at.payload_written),
            (self.enqueue, "nic", before_enqueue, at.enqueued),
            (self.doorbell, "nic", at.enqueued, at.doorbell),
            (self.finish, "nic", at.admitted, at.event.or(at.done)),
            (self.launch, "gpu", at.doorbell, at.launched),
            (self.task, "gpu", at.launched, at.signal),
        ];
        let stages = stages.into_iter();
        stages
            .filter_map(|(track, category, start, end)| {
                trace.slice(track, name, category, (start, end), args.clone())
            })
            .collect()
    }
}

/// What a viewer shows of a message when one of its slices is chosen.
pub fn message_args(bytes: u64, status: &str, more: Value) -> Value {
    let mut args = json!({ "bytes": bytes, "status": status });
    if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
        args.extend(more);
    }
    args
}
