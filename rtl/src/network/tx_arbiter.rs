//! `TxArbiter`: acknowledgements and replies on one stream to the network, a packet at a time.
//!
//! **Purpose.** Both are answers, and answers have one stream.
//!
//! ```text
//!                +-----------+
//!   ack       -->|           |
//!                | TxArbiter |--> tx
//!   reply     -->|           |
//!                +-----------+
//! ```
//!
//! **Contract.** Round robin by packet: where both wait for the beginning of a packet, who was not served last goes
//! first. A packet that has been offered stays, and goes out whole. Adds no cycle; one beat a cycle, no bubble between
//! packets. `tx` and `tx_valid` do not depend on `tx_ready`.
//!
//! **Internals.** `reply_q` says whose packet was on `tx` last, `held_q` that it is not through.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::TxBeat;
use xtq_types::wire_header::WireHeader;

/// The arbiter of the transmit stream.
#[block]
pub struct TxArbiter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; where both wait, `reply` comes first again.
    pub rst: Signal<In, Bit>,

    /// From the completer: a packet of one beat.
    pub ack: StreamIn<WireHeader>,

    /// From the packetiser of replies: a beat of a packet.
    pub reply: StreamIn<TxBeat>,

    /// To the network.
    pub tx: StreamOut<TxBeat>,

    reply_q: Reg<Bit>,
    held_q: Reg<Bit>,
    choose_reply: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    out: Signal<Local, TxBeat>,
}

#[kernel]
impl Logic for TxArbiter {
    fn update(&mut self) {
        self.choose_reply.next =
            self.reply.valid.val() & (!self.ack.valid.val() | !self.reply_q.q.val());
        if self.held_q.q.val() {
            self.choose_reply.next = self.reply_q.q.val();
        }
        self.out.next.data = self.ack.data.val().into();
        self.out.next.keep = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
        self.out.next.last = 1.into();
        self.offered.next = self.ack.valid.val();
        if self.choose_reply.val() {
            self.out.next = self.reply.data.val();
            self.offered.next = self.reply.valid.val();
        }
        self.tx.data.next = self.out.val();
        self.tx.valid.next = self.offered.val();
        self.ack.ready.next = self.tx.ready.val() & !self.choose_reply.val();
        self.reply.ready.next = self.tx.ready.val() & self.choose_reply.val();

        self.reply_q.d.next = self.choose_reply.val();
        self.reply_q.en.next = self.offered.val();
        self.held_q.d.next = !(self.tx.ready.val() & self.out.val().last.any());
        self.held_q.en.next = self.offered.val();
    }
}
