//! What a run reports: the rows of the table, totals, the scoreboard's verdict. The same data as JSON.

use crate::tables;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_types::event;

/// Result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lookup {
    /// The entry was in the lookup cache.
    Hit,
    /// It was read from memory.
    Miss,
}

/// Everything about a run of `xtq run`. Cycles count from the end of the reset.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Title of the scenario.
    pub title: String,
    /// Engine that ran the hardware.
    pub engine: String,
    /// Whether the run was compared, the scoreboard found no difference and the run came to rest without breaking a
    /// rule.
    pub passed: bool,
    /// Why the run stopped early: a broken protocol rule, no rest, or what interrupted it; empty if it did not.
    pub failure: String,
    /// Whether it was ended from outside before it came to rest, as by a signal: the report says how far it came.
    pub interrupted: bool,
    /// Whether the run was compared with the golden model; not if a fault has a `count` and strikes accesses whose
    /// order depends on time, so that the model does not know which of them fail.
    pub compared: bool,
    /// What differs from the golden model: memory, queues, doorbells, events, acknowledgements, order of writes.
    pub differences: Vec<String>,
    /// The messages in order of arrival.
    pub messages: Vec<Row>,
    /// The queues at the end.
    pub queues: Vec<QueueState>,
    /// The signals of the scenario at the end.
    pub signals: Vec<SignalState>,
    /// Clock cycles run, setup included.
    pub cycles: u64,
    /// Share of the cycles in which the engine had nothing to compute, 0 to 1.
    pub asleep: f64,
    /// Wall-clock seconds that building the engine took: elaboration and compilation.
    pub build_seconds: f64,
    /// Wall-clock seconds of the run, without the building.
    pub seconds: f64,
    /// Cycles a second of the run.
    pub cycles_per_second: f64,
    /// Share of the active cycles in which the memory port's W channel carried a beat, 0 to 1.
    pub write_utilisation: f64,
    /// Data beats written on the memory port.
    pub write_beats: u64,
    /// Data beats read on the memory port.
    pub read_beats: u64,
    /// Cycles from the first message's arrival to the last write on the memory port.
    pub active_cycles: u64,
    /// Packets that were dropped whole because they were malformed, as the golden model counts.
    pub dropped_packets: u64,
}

/// One message. A station that was not reached is null.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Row {
    /// Name in the scenario, or its number.
    pub name: String,
    /// Phase.
    pub phase: u32,
    /// Node that sent it.
    pub source_node: u16,
    /// Number of the message on the wire.
    pub message_id: u16,
    /// Context it is for.
    pub context: u8,
    /// Bytes after the header: command, arguments, payload.
    pub length: u64,
    /// Cycle in which its header beat was accepted.
    pub arrived: Option<u64>,
    /// Cycle in which the parser gave its head.
    pub parsed: Option<u64>,
    /// Lookup of the kernel or function; null if there was none.
    pub task_lookup: Option<Lookup>,
    /// Lookup of the queue; null if there was none.
    pub queue_lookup: Option<Lookup>,
    /// Cycle in which it was admitted or refused.
    pub admitted: Option<u64>,
    /// Cycle in which its AQL packet was rewritten.
    pub rewritten: Option<u64>,
    /// Cycle in which packet, arguments and payload in the receive buffer were visible.
    pub payload_written: Option<u64>,
    /// Cycle in which the header word of its queue slot was visible.
    pub enqueued: Option<u64>,
    /// Cycle in which a doorbell that announces it was visible.
    pub doorbell: Option<u64>,
    /// Cycle in which its task started.
    pub launched: Option<u64>,
    /// Cycle in which its task was complete and the signal decremented.
    pub signal: Option<u64>,
    /// Cycle in which it left the NIC.
    pub done: Option<u64>,
    /// Outcome: `ok`, the name of the error, or `dropped` for a malformed packet.
    pub status: String,
    /// Queue table index of the packet, if it was enqueued.
    pub queue: Option<u16>,
    /// Packet id in that queue.
    pub packet_id: Option<u64>,
}

/// A queue at the end.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueueState {
    /// Context.
    pub context: u8,
    /// Index in the queue table.
    pub index: u8,
    /// Next packet id to be written.
    pub write_index: u64,
    /// Oldest packet id not retired.
    pub read_index: u64,
    /// What the packet processor found wrong with a packet; empty if nothing.
    pub error: String,
}

/// A signal at the end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SignalState {
    /// Context.
    pub context: u8,
    /// Handle.
    pub handle: u64,
    /// Value at the start.
    pub before: i64,
    /// Value at the end.
    pub after: i64,
}

/// JSON Schema of the report.
pub fn report_schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}

/// Name of a status.
pub fn status_name(status: u8) -> String {
    tables::small_name(event::status::CODES, "status", status)
}
