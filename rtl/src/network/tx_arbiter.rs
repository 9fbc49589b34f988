//! `TxArbiter`: acknowledgements and messages on one stream to the network, a packet at a time.
//!
//! **Purpose.** Two sources of packets, one link.
//!
//! ```text
//!                +-----------+
//!   ack       -->|           |
//!                | TxArbiter |--> tx
//!   put       -->|           |
//!                +-----------+
//! ```
//!
//! **Contract.** Round robin by packet: where both wait for the beginning of a packet, who was not served last goes first. A packet that has been offered
//! stays, and goes out whole. Adds no cycle; one beat a cycle, no bubble between packets. `tx` and `tx_valid` do not depend on `tx_ready`.
//!
//! **Internals.** `put_q` says whose packet was on `tx` last, `held_q` that it is not through.

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
    /// Synchronous reset; where both wait, `put` comes first again.
    pub rst: Signal<In, Bit>,

    /// From the completer: a packet of one beat.
    pub ack: Signal<In, WireHeader>,
    /// `ack` is valid.
    pub ack_valid: Signal<In, Bit>,
    /// `ack` is taken.
    pub ack_ready: Signal<Out, Bit>,

    /// From the packetiser: a beat of a packet.
    pub put: Signal<In, TxBeat>,
    /// `put` is valid.
    pub put_valid: Signal<In, Bit>,
    /// `put` is taken.
    pub put_ready: Signal<Out, Bit>,

    /// To the network.
    pub tx: Signal<Out, TxBeat>,
    /// `tx` is valid.
    pub tx_valid: Signal<Out, Bit>,
    /// `tx` is taken.
    pub tx_ready: Signal<In, Bit>,

    put_q: Reg<Bit>,
    held_q: Reg<Bit>,
    choose_put: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    out: Signal<Local, TxBeat>,
}

#[kernel]
impl Logic for TxArbiter {
    fn update(&mut self) {
        self.choose_put.next = self.put_valid.val() & (!self.ack_valid.val() | !self.put_q.q.val());
        if self.held_q.q.val() {
            self.choose_put.next = self.put_q.q.val();
        }
        self.out.next.data = self.ack.val().into();
        self.out.next.keep = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
        self.out.next.last = 1.into();
        self.offered.next = self.ack_valid.val();
        if self.choose_put.val() {
            self.out.next = self.put.val();
            self.offered.next = self.put_valid.val();
        }
        self.tx.next = self.out.val();
        self.tx_valid.next = self.offered.val();
        self.ack_ready.next = self.tx_ready.val() & !self.choose_put.val();
        self.put_ready.next = self.tx_ready.val() & self.choose_put.val();

        self.put_q.d.next = self.choose_put.val();
        self.put_q.en.next = self.offered.val();
        self.held_q.d.next = !(self.tx_ready.val() & self.out.val().last.any());
        self.held_q.en.next = self.offered.val();
    }
}
