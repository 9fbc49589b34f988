//! What travels between the blocks of the target pipeline, in the order of the data flow.
//!
//! A *slot* is one of 256 message slots: `Admission` gives one to every message it has seen the
//! first packet of, the `Completer` gives it back.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// Parser to match stage to lookup stage to admission: what the header says. One a packet.
    pub struct PacketHead / PacketHeadUnpack : 426 {
        /// XTQ put (without this and the next three: a plain put).
        xtq: 1,
        /// GET: it has no body.
        get: 1,
        /// ATOMIC, FETCH_ATOMIC or SWAP.
        atomic: 1,
        /// FETCH_ATOMIC or SWAP.
        fetch: 1,
        /// SWAP.
        swap: 1,
        /// REPLY to a message of this node.
        reply: 1,
        /// First packet: the lists of the portal entry decide (else its single buffer).
        lists: 1,
        /// First packet of its message.
        first: 1,
        /// Last packet of its message.
        last: 1,
        /// Acknowledgement asked for.
        ack_request: 2,
        /// Target context.
        context: 2,
        /// Bytes of this packet's body, AQL packet included, 0 to 4,096.
        body_bytes: 13,
        /// Sender's node.
        source_node: 16,
        /// Sender's context.
        source_context: 8,
        /// Portal table entry asked for.
        portal_index: 16,
        /// Sender's user id.
        user_id: 32,
        /// Match bits.
        match_bits: 64,
        /// Offset asked for.
        remote_offset: 64,
        /// Header data.
        header_data: 64,
        /// Length of the whole message in bytes.
        message_length: 32,
        /// Offset of this packet in the message in bytes.
        packet_offset: 32,
        /// Sender's message number.
        message_id: 16,
        /// XTQ: AQL packet and arguments in bytes.
        command_length: 16,
        /// Returned in the acknowledgement or reply; REPLY: whose it is.
        initiator_handle: 16,
        /// REPLY: outcome, see [`ni_fail`](super::wire_header::ni_fail).
        ni_fail: 8,
        /// REPLY: [`status`](super::event::status) at the target. Atomics: operation, 255 if the opcode has no such.
        operation: 8,
        /// Atomics: datatype.
        datatype: 8,
    }
}

wire_struct! {
    /// Parser to rewrite engine: one beat of a packet's body (after the AQL packet, which travels with the head).
    pub struct BodyBeat / BodyBeatUnpack : 521 {
        /// Bytes, lane 0 first.
        data: 512,
        /// How many are valid, 0 to 64; 64 except in the last beat.
        bytes: 7,
        /// Last beat of the packet.
        last: 1,
        /// With `last`: the packet was shorter or longer than its header says.
        bad: 1,
    }
}

wire_struct! {
    /// Inside the lookup stage: the two entries a message needs.
    pub struct LookupJob / LookupJobUnpack : 134 {
        /// Place of the head among those that wait.
        place: 3,
        /// Agent dispatch: the task is in the function table, else in the kernel table.
        agent: 1,
        /// Target context.
        context: 2,
        /// Kernel or function index.
        task_index: 64,
        /// Queue index.
        queue_index: 64,
    }
}

wire_struct! {
    /// Lookup stage to lookup cache.
    pub struct LookupRequest / LookupRequestUnpack : 88 {
        /// Returned with the result.
        tag: 4,
        /// Target context.
        context: 2,
        /// Table, see [`table_id`](super::tables::table_id).
        kind: 2,
        /// Entry.
        index: 16,
        /// Address of the entry in memory, 64-byte aligned.
        address: 64,
    }
}

wire_struct! {
    /// Lookup cache to lookup stage.
    pub struct LookupResult / LookupResultUnpack : 518 {
        /// The request's.
        tag: 4,
        /// Served from the cache.
        hit: 1,
        /// The memory read failed; `entry` is not valid.
        error: 1,
        /// The entry, 64 bytes.
        entry: 512,
    }
}

wire_struct! {
    /// Portal table to admission: one entry, a locally managed receive buffer.
    pub struct PortalEntry / PortalEntryUnpack : 196 {
        /// Takes messages.
        enabled: 1,
        /// Exhaustion disables the entry instead of dropping.
        flow_control: 1,
        /// Post an event for a delivered message.
        event_success: 1,
        /// Post an event for a failed message.
        event_failure: 1,
        /// Address of the buffer.
        start: 64,
        /// Local offset: where the next message lands, in bytes from the start.
        offset: 64,
        /// Bytes left after the offset.
        remaining: 64,
    }
}

wire_struct! {
    /// What admission finds out about a message and its portal entry in its first cycle.
    pub struct AdmissionFacts / AdmissionFactsUnpack : 42 {
        /// The portal index is out of range.
        no_portal: 1,
        /// No room for another open message.
        full: 1,
        /// The buffer does not start at a multiple of 64.
        misaligned: 1,
        /// Bytes skipped so that the landing address is a multiple of 64.
        pad: 6,
        /// Bytes of the buffer that the message takes.
        need: 33,
    }
}

wire_struct! {
    /// A message of which more packets are to come.
    pub struct OpenMessage / OpenMessageUnpack : 154 {
        /// Message slot.
        slot: 8,
        /// XTQ put.
        xtq: 1,
        /// Sender's message number.
        message_id: 16,
        /// Offset in the message of the next packet in bytes.
        expected: 32,
        /// Address where the next packet's body goes.
        address: 64,
        /// Bytes of the message that are still to be written; what comes after them is cut off.
        left: 32,
        /// Bytes of the message are written.
        writes: 1,
    }
}

wire_struct! {
    /// Admission to completer, by slot: what event and acknowledgement need.
    pub struct MessageInfo / MessageInfoUnpack : 638 {
        /// XTQ put.
        xtq: 1,
        /// GET.
        get: 1,
        /// ATOMIC, FETCH_ATOMIC or SWAP.
        atomic: 1,
        /// FETCH_ATOMIC or SWAP.
        fetch: 1,
        /// REPLY to a message of this node.
        reply: 1,
        /// A match entry took it, or none of the lists did.
        lists: 1,
        /// With `lists`: colour of the message, see `MatchStage`.
        colour: 1,
        /// With `lists`: the list of the entry, 0 priority, 1 overflow.
        list: 1,
        /// With `lists`: an entry took it.
        matched: 1,
        /// It left an unexpected header.
        unexpected: 1,
        /// With `unexpected`: name of the header.
        header: 13,
        /// Post an event if delivered.
        event_success: 1,
        /// Post an event if failed.
        event_failure: 1,
        /// A place in the event ring is held for that event.
        event_reserved: 1,
        /// The entry was unlinked, and a place is held for the event that says so.
        tells_unlink: 1,
        /// Its buffer is free, and a place is held for the event that says so.
        tells_free: 1,
        /// Count the message.
        counted: 1,
        /// Count its bytes (else 1).
        counts_bytes: 1,
        /// Counter of the context.
        counter: 8,
        /// With `lists`: the portal entry has flow control.
        flow_control: 1,
        /// This message made flow control disable the portal entry.
        portal_disabled: 1,
        /// Acknowledgement asked for.
        ack_request: 2,
        /// The acknowledgement only ends the message.
        ack_silent: 1,
        /// Portal table entry.
        portal_index: 16,
        /// Sender's node.
        source_node: 16,
        /// Sender's context.
        source_context: 8,
        /// Sender's user id.
        user_id: 32,
        /// Match bits.
        match_bits: 64,
        /// Header data.
        header_data: 64,
        /// Offset asked for.
        remote_offset: 64,
        /// Landing address (with `pieces` start of the list + offset, which is no address).
        start: 64,
        /// Offset used in the buffer.
        offset: 64,
        /// Pieces of the buffer's list; 0: it has none.
        pieces: 11,
        /// Message length in bytes.
        message_length: 32,
        /// Bytes of it that are delivered.
        delivered_length: 32,
        /// User pointer of the match entry.
        user_pointer: 64,
        /// Sender's message number.
        message_id: 16,
        /// Returned in the acknowledgement or reply; REPLY: whose it is.
        initiator_handle: 16,
        /// XTQ: queue table index.
        queue_index: 16,
        /// REPLY: outcome, see [`ni_fail`](super::wire_header::ni_fail).
        ni_fail: 8,
        /// REPLY: [`status`](super::event::status) at the target.
        operation: 8,
    }
}

wire_struct! {
    /// Admission to rewrite engine: what to do with one packet.
    pub struct RewriteJob / RewriteJobUnpack : 879 {
        /// Message slot.
        slot: 8,
        /// Target context.
        context: 2,
        /// Bytes of this packet that are written at most, 0 to 4,096.
        limit: 13,
        /// Take the body off the stream, write nothing.
        discard: 1,
        /// Body beats follow (one of them is last).
        has_body: 1,
        /// Last packet of the message.
        message_last: 1,
        /// First packet of an XTQ put: write the AQL packet in front of the body.
        command: 1,
        /// Kernel dispatch (else agent dispatch).
        kernel: 1,
        /// Rewrite two words of the arguments.
        patch: 1,
        /// `buffer_pointer` is written.
        buffer_valid: 1,
        /// `completion_signal` is written.
        signal_valid: 1,
        /// Where the two words stand, bytes after the AQL packet, a multiple of 8.
        rewrite_offset: 16,
        /// Where the first byte goes (XTQ: 64-byte aligned).
        address: 64,
        /// Address of the payload.
        payload_address: 64,
        /// kernel_object or function pointer.
        target: 64,
        /// Target buffer.
        buffer_pointer: 64,
        /// Signal.
        completion_signal: 64,
        /// AQL packet as received.
        aql: 512,
    }
}

wire_struct! {
    /// Rewrite engine to payload writer: bytes that go to consecutive addresses, one beat a cycle.
    pub struct WriteBeat / WriteBeatUnpack : 611 {
        /// Message slot.
        slot: 8,
        /// Target context.
        context: 2,
        /// With `first`: bytes of the packet that are written at most.
        limit: 13,
        /// First beat of a packet; `address` counts.
        first: 1,
        /// Last beat of a packet.
        last: 1,
        /// The packet is the last of its message.
        message_last: 1,
        /// With `last`: the packet had the wrong length.
        bad: 1,
        /// With `last`: nobody knows where bytes of the packet go.
        lost: 1,
        /// Valid bytes, 64 except in the last beat (there 0 to 64).
        bytes: 7,
        /// With `first`: byte address of lane 0; in front of the iovec scatter, of a message that goes to a list, the
        /// offset in the list.
        address: 64,
        /// Bytes, lane 0 first.
        data: 512,
    }
}

wire_struct! {
    /// Admission to iovec scatter, by slot: the list that a message goes to.
    pub struct IovecNote / IovecNoteUnpack : 75 {
        /// Its pieces; 0: the message goes to one place.
        pieces: 11,
        /// Address of the list.
        list: 64,
    }
}

wire_struct! {
    /// Admission to atomic fork, by slot: what is done with the message's bytes.
    pub struct AtomicNote / AtomicNoteUnpack : 18 {
        /// It is an atomic; else its bytes are written.
        atomic: 1,
        /// The old bytes are wanted.
        fetch: 1,
        /// What is done, see [`operation`](super::atomic::operation).
        operation: 8,
        /// Of what, see [`datatype`](super::atomic::datatype).
        datatype: 8,
    }
}

wire_struct! {
    /// Completer to reply unit and back: what became of a GET or fetch.
    pub struct ReplyOutcome / ReplyOutcomeUnpack : 18 {
        /// Target context.
        context: 2,
        /// Outcome.
        status: 8,
        /// Memory access that failed.
        access: 8,
    }
}

wire_struct! {
    /// Completer to list unit: what became of an unexpected message.
    pub struct HeaderOutcome / HeaderOutcomeUnpack : 24 {
        /// Outcome, see [`status`](super::event::status).
        status: 8,
        /// Memory access that failed.
        access: 8,
        /// Outcome, see [`ni_fail`](super::wire_header::ni_fail).
        ni_fail: 8,
    }
}

wire_struct! {
    /// Completer to initiator completer: a REPLY to a message of this node is in memory, or failed.
    pub struct ReplyEnd / ReplyEndUnpack : 136 {
        /// Generation and place of the message.
        handle: 16,
        /// Outcome, see [`status`](super::event::status).
        status: 8,
        /// Memory access that failed.
        access: 8,
        /// Outcome, see [`ni_fail`](super::wire_header::ni_fail).
        ni_fail: 8,
        /// Bytes delivered.
        delivered_length: 32,
        /// Offset used at the target.
        offset: 64,
    }
}
