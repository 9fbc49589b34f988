//! `MessageRow`: what a report says of a message.

use schemars::JsonSchema;
use serde::Serialize;

use crate::scenario::report::Lookup;

/// A message, from the ring of its sender to its end. A station that was not reached is null.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MessageRow {
    /// Name of the step, or process and number of the step.
    pub name: String,
    /// Call.
    pub call: String,
    /// Process that sends it.
    pub from: String,
    /// Process that it is for.
    pub to: String,
    /// Bytes after the headers: command, arguments, payload.
    pub length: u64,
    /// Cycle in which the NIC took the command from the ring. A triggered one waits then.
    pub command: Option<u64>,
    /// Cycle in which its first beat went to the link.
    pub first_beat: Option<u64>,
    /// Cycle in which its last beat went to the link.
    pub last_beat: Option<u64>,
    /// Cycle in which the target took its header beat.
    pub arrived: Option<u64>,
    /// Cycle in which the target's parser gave its head.
    pub parsed: Option<u64>,
    /// Lookup of the kernel or function; null if there was none.
    pub task_lookup: Option<Lookup>,
    /// Lookup of the queue; null if there was none.
    pub queue_lookup: Option<Lookup>,
    /// Cycle in which it was matched and admitted, or refused.
    pub admitted: Option<u64>,
    /// Cycle in which its AQL packet was rewritten.
    pub rewritten: Option<u64>,
    /// Cycle in which all its bytes were visible in the target's memory; of a put null without an event, which says
    /// where it landed.
    pub payload_written: Option<u64>,
    /// Cycle in which the header word of its queue slot was visible.
    pub enqueued: Option<u64>,
    /// Cycle in which a doorbell that announces it was visible.
    pub doorbell: Option<u64>,
    /// Cycle in which its task started.
    pub launched: Option<u64>,
    /// Cycle in which its task was complete and the signal decremented.
    pub signal: Option<u64>,
    /// Cycle in which it left the target's pipeline.
    pub done: Option<u64>,
    /// Cycle in which the target's event was visible.
    pub event: Option<u64>,
    /// Cycle in which the sender took the acknowledgement.
    pub acknowledged: Option<u64>,
    /// Outcome at the target, or the error of the command; `waits` if its counter was not reached, `not sent` if its
    /// step was not reached.
    pub status: String,
    /// Queue table index of the packet, if it was enqueued.
    pub queue: Option<u16>,
    /// Packet id in that queue.
    pub packet_id: Option<u64>,
}
