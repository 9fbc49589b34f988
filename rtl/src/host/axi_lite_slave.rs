//! `AxiLiteSlave`: an AXI4-Lite port that performs one access at a time.
//!
//! **Purpose.** Separates the handshakes of the five channels from what an access does. Not for throughput: an access takes at least three cycles.
//!
//! ```text
//!                +--------------+--> active, write, address, data, whole
//!   s_axil_* <-->| AxiLiteSlave |
//!                +--------------+<-- done, response, value
//! ```
//!
//! **Contract.** A write is taken when address and data wait both. If a read and a write wait they take turns. `active` is up from the cycle behind the
//! acceptance until `done`; with `done` come `response` and, for a read, `value`, which are answered from the next cycle on. While an access is
//! under way nothing is accepted. No valid depends on a ready in the same cycle.
//!
//! **Internals.** Three states and registers for the access.

use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// States of [`AxiLiteSlave`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AxiLiteState {
    /// Wait for an access.
    Idle,
    /// It is performed.
    Active,
    /// Wait for the master to take the answer.
    Answer,
}

/// The port.
#[block]
pub struct AxiLiteSlave {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Write address.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Write address valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address taken.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Bytes to write.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data taken.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Write response valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Write response taken.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Read address valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address taken.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Read response.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Read data valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Read data taken.
    pub s_axil_rready: Signal<In, Bit>,
    /// An access is to be performed.
    pub active: Signal<Out, Bit>,
    /// It is a write.
    pub write: Signal<Out, Bit>,
    /// Its address.
    pub address: Signal<Out, Bits<16>>,
    /// What is written.
    pub data: Signal<Out, Bits<32>>,
    /// All four bytes are written.
    pub whole: Signal<Out, Bit>,
    /// The access is performed.
    pub done: Signal<In, Bit>,
    /// How it went, with `done`.
    pub response: Signal<In, Bits<2>>,
    /// What was read, with `done`.
    pub value: Signal<In, Bits<32>>,
    state_q: Delay<AxiLiteState>,
    write_q: Reg<Bit>,
    address_q: Reg<Bits<16>>,
    /// What is written, then what was read.
    data_q: Reg<Bits<32>>,
    whole_q: Reg<Bit>,
    response_q: Reg<Bits<2>>,
    both: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    performed: Signal<Local, Bit>,
    take_write: Signal<Local, Bit>,
    take_read: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AxiLiteSlave {
    fn update(&mut self) {
        // write_q still says what the last access was: the other kind goes first.
        self.idle.next = self.state_q.q.val() == AxiLiteState::Idle;
        self.both.next = self.s_axil_awvalid.val() & self.s_axil_wvalid.val();
        self.take_write.next = self.idle.val()
            & self.both.val()
            & (!self.write_q.q.val() | !self.s_axil_arvalid.val());
        self.take_read.next = self.idle.val() & self.s_axil_arvalid.val() & !self.take_write.val();
        self.s_axil_awready.next = self.take_write.val();
        self.s_axil_wready.next = self.take_write.val();
        self.s_axil_arready.next = self.take_read.val();
        self.write_q.en.next = self.take_write.val() | self.take_read.val();
        self.write_q.d.next = self.take_write.val();
        self.address_q.en.next = self.take_write.val() | self.take_read.val();
        self.address_q.d.next = self.s_axil_araddr.val();
        if self.take_write.val() {
            self.address_q.d.next = self.s_axil_awaddr.val();
        }
        self.whole_q.en.next = self.take_write.val();
        self.whole_q.d.next = self.s_axil_wstrb.val().all();

        self.performed.next = (self.state_q.q.val() == AxiLiteState::Active) & self.done.val();
        self.data_q.en.next = self.take_write.val() | self.performed.val();
        self.data_q.d.next = self.s_axil_wdata.val();
        if self.performed.val() {
            self.data_q.d.next = self.value.val();
        }
        self.response_q.en.next = self.performed.val();
        self.response_q.d.next = self.response.val();

        self.state_q.d.next = self.state_q.q.val();
        match self.state_q.q.val() {
            AxiLiteState::Idle => {
                if self.take_write.val() | self.take_read.val() {
                    self.state_q.d.next = AxiLiteState::Active;
                }
            }
            AxiLiteState::Active => {
                if self.done.val() {
                    self.state_q.d.next = AxiLiteState::Answer;
                }
            }
            AxiLiteState::Answer => {
                if (self.write_q.q.val() & self.s_axil_bready.val())
                    | (!self.write_q.q.val() & self.s_axil_rready.val())
                {
                    self.state_q.d.next = AxiLiteState::Idle;
                }
            }
            _ => {
                self.state_q.d.next = AxiLiteState::Idle;
            }
        }
        self.active.next = self.state_q.q.val() == AxiLiteState::Active;
        self.write.next = self.write_q.q.val();
        self.address.next = self.address_q.q.val();
        self.data.next = self.data_q.q.val();
        self.whole.next = self.whole_q.q.val();
        self.s_axil_bvalid.next =
            (self.state_q.q.val() == AxiLiteState::Answer) & self.write_q.q.val();
        self.s_axil_rvalid.next =
            (self.state_q.q.val() == AxiLiteState::Answer) & !self.write_q.q.val();
        self.s_axil_bresp.next = self.response_q.q.val();
        self.s_axil_rresp.next = self.response_q.q.val();
        self.s_axil_rdata.next = self.data_q.q.val();
    }
}
