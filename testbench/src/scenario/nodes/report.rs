//! What a run of several nodes reports: a row a message, a block a node. The same data as JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message_row::MessageRow;
use super::outcome::{kind_name, outcome};
use crate::host::Event;
use crate::scenario::report::{QueueState, SignalState};

/// Everything about a run of several nodes. Cycles count from the end of the reset, and mean the same on all nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodesReport {
    /// Title of the scenario.
    pub title: String,
    /// Engine that ran the hardware.
    pub engine: String,
    /// Whether all programs have ended, everything was as they expect, no command failed that they do not know of, and
    /// no rule was broken.
    pub passed: bool,
    /// Why the run stopped early: a broken protocol rule, programs that wait for ever or too long, or what interrupted
    /// it; empty if it did not.
    pub failure: String,
    /// Whether it was ended from outside before it came to rest, as by a signal: the report says how far it came.
    pub interrupted: bool,
    /// What is not as the programs expect, and commands that failed without a program that waits for that.
    pub differences: Vec<String>,
    /// The messages that the programs send, in the order in which they left.
    pub messages: Vec<MessageRow>,
    /// The nodes.
    pub nodes: Vec<NodeState>,
    /// The links between leaves and spines; none of a star.
    pub spine_links: Vec<SpineLinkState>,
    /// Clock cycles up to the last event of all nodes, setup included; if the run is not over, those that it has run.
    /// An event is a beat sent or taken, a write or a register access that was answered, a step of a program.
    pub cycles: u64,
    /// Clock cycles of the setup.
    pub setup_cycles: u64,
    /// Cycle from which on it went on from a checkpoint; 0: it ran from the beginning. Rates and what was asleep are of
    /// the cycles after it.
    pub resumed: u64,
    /// What happened at all nodes, as one number of 16 hexadecimal digits: two runs with the same digest did the same
    /// in the same cycles.
    pub digest: String,
    /// Share of the cycles in which the engines had nothing to compute, 0 to 1.
    pub asleep: f64,
    /// Wall-clock seconds that building the engines took.
    pub build_seconds: f64,
    /// Wall-clock seconds that opening the processes took.
    pub open_seconds: f64,
    /// Wall-clock seconds of the programs, without building and opening.
    pub seconds: f64,
    /// Cycles a second of the programs, all nodes in each.
    pub cycles_per_second: f64,
    /// The same, the cycles of each node counted.
    pub node_cycles_per_second: f64,
    /// Share of `seconds` in which each worker, a thread or a rank, waited for the others, 0 to 1.
    pub waiting: Vec<f64>,
    /// Bytes of memory that a node took when it was built; 0 if it is not known.
    pub node_bytes: u64,
    /// Waveforms that ranks wrote, each of its own nodes; empty if a single process ran all nodes.
    pub waves: Vec<String>,
    /// Whether each message was followed. If not, there are no messages and no events here.
    pub followed: bool,
}

/// A node at the end.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct NodeState {
    /// Number.
    pub number: usize,
    /// Name.
    pub name: String,
    /// What happened at it, of 16 hexadecimal digits.
    pub digest: String,
    /// Share of the programs' cycles in which its link to the network was in use, 0 to 1.
    pub sending: f64,
    /// The same of the link from the network.
    pub receiving: f64,
    /// Packets that it sent to the network, acknowledgements and replies too.
    pub packets_sent: u64,
    /// Packets to itself, which did not leave it.
    pub packets_inside: u64,
    /// Data beats written on the memory port.
    pub write_beats: u64,
    /// Data beats read on the memory port.
    pub read_beats: u64,
    /// Its processes.
    pub processes: Vec<ProcessState>,
    /// The queues that programs registered.
    pub queues: Vec<QueueState>,
    /// The signals.
    pub signals: Vec<SignalState>,
}

/// A link between a leaf and a spine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SpineLinkState {
    /// Number of the leaf.
    pub leaf: usize,
    /// Number of the spine.
    pub spine: usize,
    /// Share of the programs' cycles in which it was in use from the leaf to the spine, 0 to 1.
    pub up: f64,
    /// The same from the spine to the leaf.
    pub down: f64,
}

/// A process at the end.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProcessState {
    /// Name.
    pub name: String,
    /// Context.
    pub context: u8,
    /// Steps of its program.
    pub steps: usize,
    /// Steps that are done.
    pub done: usize,
    /// Cycle in which the last step was done; null if it was not.
    pub ended: Option<u64>,
    /// What it waits for; empty if it has ended.
    pub waits_for: String,
    /// The steps of its program, in order.
    pub timeline: Vec<StepRow>,
    /// All events that the NIC wrote for it.
    pub events: Vec<EventRow>,
}

/// When a process was at a step of its program.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepRow {
    /// Name of the step, or its number, counted from 1.
    pub name: String,
    /// Call.
    pub call: String,
    /// Cycle in which it began; null if it was not reached.
    pub begun: Option<u64>,
    /// Cycle in which it was done; null if it was not.
    pub done: Option<u64>,
}

/// An event.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EventRow {
    /// Cycle in which it was visible.
    pub cycle: u64,
    /// What happened.
    pub kind: String,
    /// Outcome.
    pub status: String,
    /// Bytes moved.
    pub length: u32,
    /// User pointer of the match entry or command that it is about.
    pub user_ptr: Option<u64>,
}

/// JSON Schema of the report of several nodes.
pub fn nodes_report_schema() -> serde_json::Value {
    schemars::schema_for!(NodesReport).to_value()
}

/// An event in the report.
pub(super) fn event_row(cycle: u64, event: &Event) -> EventRow {
    EventRow {
        cycle,
        kind: kind_name(event.kind),
        status: outcome(event),
        length: event.mlength,
        user_ptr: event.user_ptr(),
    }
}
