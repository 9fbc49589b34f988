//! What is passed on of a message on its way into a queue: from admission through slot, header and doorbell to its
//! completion.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// Admission to enqueuer, by slot: the queue an XTQ put is for.
    pub struct QueueInfo / QueueInfoUnpack : 306 {
        /// Queue table index.
        index: 16,
        /// Ring id + 1.
        doorbell_plus_one: 1,
        /// Reserve by compare-and-swap.
        shared: 1,
        /// Packets, a power of two.
        size: 32,
        /// Address of packet 0.
        ring_base: 64,
        /// Address of the write index.
        write_index_address: 64,
        /// Address of the read index.
        read_index_address: 64,
        /// Address of the doorbell.
        doorbell_address: 64,
    }
}

wire_struct! {
    /// Payload writer and atomic unit to header writer (shared queues: to enqueuer): all writes of one message are
    /// acknowledged. In the order of the messages' last beats.
    pub struct PayloadDone / PayloadDoneUnpack : 3 {
        /// A write failed, or a read of an atomic.
        error: 1,
        /// A packet had the wrong length.
        bad: 1,
        /// The atomic cannot be done here.
        refused: 1,
    }
}

wire_struct! {
    /// Admission to enqueuer: a message whose last packet was admitted, in that order.
    pub struct MessageRecord / MessageRecordUnpack : 28 {
        /// Message slot.
        slot: 8,
        /// Target context.
        context: 2,
        /// XTQ put.
        xtq: 1,
        /// A [`PayloadDone`] will come.
        has_payload: 1,
        /// See [`status`](super::event::status); not OK: nothing is enqueued.
        status: 8,
        /// See [`access`](super::event::access).
        access: 8,
    }
}

wire_struct! {
    /// Enqueuer to header writer, one a message, in order.
    pub struct HeaderJob / HeaderJobUnpack : 335 {
        /// Message slot.
        slot: 8,
        /// Target context.
        context: 2,
        /// Outcome so far.
        status: 8,
        /// Memory access that failed.
        access: 8,
        /// Write header word and doorbell.
        publish: 1,
        /// Others enqueue too: the slot is repaired if the queue has failed.
        shared: 1,
        /// Wait for the [`PayloadDone`] of this message.
        wait_payload: 1,
        /// Enqueuer writes to wait for first, 0 to 2 (slot body, then write index).
        writes: 2,
        /// First word of the packet: header and setup/type.
        header: 32,
        /// Queue table index.
        queue_index: 16,
        /// Address of the packet's place in the ring.
        slot_address: 64,
        /// Address of the doorbell.
        doorbell_address: 64,
        /// Value to ring.
        doorbell_value: 64,
        /// Packet id.
        packet_id: 64,
    }
}

wire_struct! {
    /// Header writer to doorbell writer, one a message, in order.
    pub struct DoorbellJob / DoorbellJobUnpack : 236 {
        /// Message slot.
        slot: 8,
        /// Target context.
        context: 2,
        /// Outcome so far.
        status: 8,
        /// Memory access that failed.
        access: 8,
        /// A header word was written: wait for it.
        written: 1,
        /// Then ring; only if `written`.
        ring: 1,
        /// Queue table index.
        queue_index: 16,
        /// Address of the doorbell.
        doorbell_address: 64,
        /// Value to ring.
        doorbell_value: 64,
        /// Packet id.
        packet_id: 64,
    }
}

wire_struct! {
    /// Doorbell writer to completer, one a message, in order.
    pub struct Completion / CompletionUnpack : 90 {
        /// Message slot.
        slot: 8,
        /// Target context.
        context: 2,
        /// Outcome.
        status: 8,
        /// Memory access that failed.
        access: 8,
        /// Packet id.
        packet_id: 64,
    }
}
