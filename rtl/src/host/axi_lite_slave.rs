//! `AxiLiteSlave`: an AXI4-Lite port that performs one access at a time.
//!
//! **Purpose.** Separates the handshakes of the five channels from what an access does. Not for throughput: an access
//! takes at least three cycles.
//!
//! ```text
//!                +--------------+--> active, write, address, data, whole
//!   s_axil_* <-->| AxiLiteSlave |
//!                +--------------+<-- done, response, value
//! ```
//!
//! **Contract.** A write is taken when address and data wait both. If a read and a write wait they take turns. `active`
//! is up from the cycle after the acceptance until `done`; with `done` come `response` and, for a read, `value`, which
//! are answered from the next cycle on. While an access is under way nothing is accepted. No valid depends on a ready
//! in the same cycle.
//!
//! **Internals.** Three states and registers for the access.

use crate::bundle::AxiLiteIn;
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
    /// AXI4-Lite, registers of the host.
    pub s_axil: AxiLiteIn,
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
        self.both.next = self.s_axil.awvalid.val() & self.s_axil.wvalid.val();
        self.take_write.next = self.idle.val()
            & self.both.val()
            & (!self.write_q.q.val() | !self.s_axil.arvalid.val());
        self.take_read.next = self.idle.val() & self.s_axil.arvalid.val() & !self.take_write.val();
        self.s_axil.awready.next = self.take_write.val();
        self.s_axil.wready.next = self.take_write.val();
        self.s_axil.arready.next = self.take_read.val();
        self.write_q.en.next = self.take_write.val() | self.take_read.val();
        self.write_q.d.next = self.take_write.val();
        self.address_q.en.next = self.take_write.val() | self.take_read.val();
        self.address_q.d.next = self.s_axil.araddr.val();
        if self.take_write.val() {
            self.address_q.d.next = self.s_axil.awaddr.val();
        }
        self.whole_q.en.next = self.take_write.val();
        self.whole_q.d.next = self.s_axil.wstrb.val().all();

        self.performed.next = (self.state_q.q.val() == AxiLiteState::Active) & self.done.val();
        self.data_q.en.next = self.take_write.val() | self.performed.val();
        self.data_q.d.next = self.s_axil.wdata.val();
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
                if (self.write_q.q.val() & self.s_axil.bready.val())
                    | (!self.write_q.q.val() & self.s_axil.rready.val())
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
        self.s_axil.bvalid.next =
            (self.state_q.q.val() == AxiLiteState::Answer) & self.write_q.q.val();
        self.s_axil.rvalid.next =
            (self.state_q.q.val() == AxiLiteState::Answer) & !self.write_q.q.val();
        self.s_axil.bresp.next = self.response_q.q.val();
        self.s_axil.rresp.next = self.response_q.q.val();
        self.s_axil.rdata.next = self.data_q.q.val();
    }
}
