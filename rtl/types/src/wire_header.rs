//! The wire format: the header beat of every packet (architecture: "Wire format").
//!
//! A packet is one header beat and up to 4,096 body bytes; every packet of a message but the last is full. The body of
//! the first packet of an XTQ put is [AQL packet, 64 bytes][kernel arguments][payload]; of an atomic with an operand
//! (CSWAP to MSWAP) it is always 16 bytes: the datum, zeros up to byte 8, the operand. Where the MAC has checked the
//! frame (`link_checked`, the only mode so far) no CRC trailer follows and `header_crc` is 0.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// Wire format version this hardware speaks.
pub const VERSION: u8 = 1;
/// Largest body of a packet in bytes.
pub const MTU: usize = 4096;

codes! {
    /// `opcode` values.
    pub mod opcode: u8 {
        /// One-sided write.
        PUT = 1,
        /// One-sided read: no body comes, a REPLY goes.
        GET = 2,
        /// Answer to a GET, FETCH_ATOMIC or SWAP: the bytes asked for, or why there are none.
        REPLY = 3,
        /// Atomic update.
        ATOMIC = 4,
        /// Atomic update; a REPLY brings the old data.
        FETCH_ATOMIC = 5,
        /// Swap, conditional or not; a REPLY brings the old data.
        SWAP = 6,
        /// Acknowledgement of a message.
        ACK = 7,
        /// Put that launches a task.
        XTQ_PUT = 8,
    }
}

codes! {
    ($)
    /// `ack_request` values (Portals `ptl_ack_req_t`).
    pub mod ack: u8 as ack_requests {
        /// No acknowledgement.
        NONE = 0 => None,
        /// Acknowledgement with failure code, length and offset.
        ACK = 1 => Ack,
        /// Counting acknowledgement: failure code and length.
        CT = 2 => Ct,
        /// Operation completed.
        OC = 3 => Oc,
    }
}

codes! {
    ($)
    /// `ni_fail` values (Portals `ptl_ni_fail_t`).
    pub mod ni_fail: u8 as ni_fails {
        /// Delivered.
        OK = 0 => Ok,
        /// Not delivered: the target could not use it, or nobody takes messages there.
        UNDELIVERABLE = 1 => Undeliverable,
        /// Dropped at the target.
        DROPPED = 2 => Dropped,
        /// The portal entry is disabled.
        PT_DISABLED = 3 => PtDisabled,
        /// The match entry is for another user.
        PERM_VIOLATION = 4 => PermViolation,
        /// The match entry does not allow the operation.
        OP_VIOLATION = 5 => OpViolation,
        /// A search found nothing.
        NO_MATCH = 6 => NoMatch,
        /// A memory access at the target failed.
        SEGV = 7 => Segv,
    }
}

wire_struct! {
    /// Header beat of a packet, 64 bytes.
    pub struct WireHeader / WireHeaderUnpack : 512 {
        /// Format version, [`VERSION`].
        version: 8,
        /// Operation, see [`opcode`].
        opcode: 8,
        /// Acknowledgement asked for, see [`ack`]; ACK: 1 if it only ends the message and is reported to nobody
        /// (ACK_DISABLE), else 0.
        ack_request: 8,
        /// ACK, REPLY: outcome, see [`ni_fail`]; else 0.
        ni_fail: 8,
        /// Node that sent the packet.
        source_node: 16,
        /// Node the packet is for.
        target_node: 16,
        /// Context that sent it.
        source_context: 8,
        /// Context it is for.
        target_context: 8,
        /// Portal table entry in the target context.
        portal_index: 16,
        /// User id of the sender, inserted by its NIC.
        user_id: 32,
        /// Match bits; ACK, REPLY: 0.
        match_bits: 64,
        /// Offset asked for; ACK, REPLY: offset used, in bytes.
        remote_offset: 64,
        /// Out-of-band data for the event.
        header_data: 64,
        /// Length of the whole message in bytes, XTQ command included; GET: bytes asked for; ACK: bytes delivered.
        message_length: 32,
        /// Offset of this packet's body in the message in bytes, a multiple of the MTU.
        packet_offset: 32,
        /// Message, counted by the sender.
        message_id: 16,
        /// XTQ put: AQL packet and kernel arguments in bytes; else 0.
        command_length: 16,
        /// Packet sequence number between this pair of nodes (link-level retransmission; 0 when `link_checked`).
        sequence: 16,
        /// Cumulative acknowledgement (as `sequence`).
        cumulative_ack: 16,
        /// Opaque to the target, returned in the ACK or REPLY.
        initiator_handle: 16,
        /// Atomics: operation; ACK, REPLY: [`status`](super::event::status) of the message at its target.
        operation: 8,
        /// Atomics: datatype; else 0.
        datatype: 8,
        /// CRC-32 of the header; 0 when `link_checked`.
        header_crc: 32,
    }
}
