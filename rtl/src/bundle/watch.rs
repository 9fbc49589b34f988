//! What can be seen of the NIC at work: pulses that Registers count, and what happens to each message.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// Packets that the parser drops (pulses), at Registers.
#[bundle(DropsOut)]
pub struct DropsIn {
    /// Version of the wire format.
    pub version: Signal<In, Bit>,
    /// Opcode.
    pub opcode: Signal<In, Bit>,
    /// For another node.
    pub target: Signal<In, Bit>,
    /// Context: there is none, or it takes no messages.
    pub context: Signal<In, Bit>,
    /// Dropped or damaged: length.
    pub length: Signal<In, Bit>,
}

/// Requests that the lists refuse (pulses), at Registers.
#[bundle(RefusalsOut)]
pub struct RefusalsIn {
    /// Dropped, or refused by a disabled portal entry.
    pub drop: Signal<In, Bit>,
    /// The match entry is for another user.
    pub permission: Signal<In, Bit>,
    /// The match entry does not allow the operation.
    pub operation: Signal<In, Bit>,
    /// Context of these pulses.
    pub context: Signal<In, Bits<2>>,
}

/// What happens to each message, at test benches and logic analysers.
#[bundle(TraceOut)]
pub struct TraceIn {
    /// A packet head leaves the parser (pulse).
    pub parse: Signal<In, Bit>,
    /// Its source node.
    pub parse_source: Signal<In, Bits<16>>,
    /// Its message id.
    pub parse_message: Signal<In, Bits<16>>,
    /// A message is admitted or refused (pulse).
    pub admit: Signal<In, Bit>,
    /// Its slot.
    pub admit_slot: Signal<In, Bits<8>>,
    /// Its source node.
    pub admit_source: Signal<In, Bits<16>>,
    /// Its message id.
    pub admit_message: Signal<In, Bits<16>>,
    /// Outcome so far.
    pub admit_status: Signal<In, Bits<8>>,
    /// Kernel or function entry came from the cache.
    pub admit_task_hit: Signal<In, Bit>,
    /// Queue entry came from the cache.
    pub admit_queue_hit: Signal<In, Bit>,
    /// A packet is rewritten (pulse).
    pub rewrite: Signal<In, Bit>,
    /// Its slot.
    pub rewrite_slot: Signal<In, Bits<8>>,
    /// Everything of a message but its event is acknowledged (pulse).
    pub done: Signal<In, Bit>,
    /// Its slot.
    pub done_slot: Signal<In, Bits<8>>,
    /// Outcome.
    pub done_status: Signal<In, Bits<8>>,
    /// Packet id.
    pub done_packet_id: Signal<In, Bits<64>>,
    /// The event that reports a message takes its place in the ring (pulse); not if it says that a portal entry was
    /// disabled.
    pub tell: Signal<In, Bit>,
    /// Its context.
    pub tell_context: Signal<In, Bits<2>>,
    /// Source node of the message.
    pub tell_source: Signal<In, Bits<16>>,
    /// Message id.
    pub tell_message: Signal<In, Bits<16>>,
}
