//! `SendArbiter`: messages of two blocks, one after the other, to the gather unit and the packetiser.
//!
//! **Purpose.** The bytes of messages must come in the order of their headers. A message is two jobs, which leave when
//! their queues have room; here no job of another message gets between them.
//!
//! ```text
//!   first_send, first_gather   -->+-------------+--> send    (Packetiser)
//!                                 | SendArbiter |
//!   second_send, second_gather -->+-------------+--> gather  (GatherUnit)
//! ```
//!
//! **Contract.** Combinational. A source offers both jobs of a message in the same cycle (`gather` only if it has bytes
//! in memory), each until it is taken. Jobs of one message are taken before those of the next; if both sources wait,
//! they take turns.
//!
//! **Internals.** `held_q`: a message is offered and not taken whole; `second_q`: whose.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::send::{GatherJob, SendJob};

/// Joins the messages of two blocks.
#[block]
pub struct SendArbiter {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; `first` goes first.
    pub rst: Signal<In, Bit>,

    /// From CommandStage: headers of a message.
    pub first_send: StreamIn<SendJob>,
    /// Its bytes.
    pub first_gather: StreamIn<GatherJob>,

    /// From ReplyUnit: headers of a message.
    pub second_send: StreamIn<SendJob>,
    /// Its bytes.
    pub second_gather: StreamIn<GatherJob>,

    /// To Packetiser.
    pub send: StreamOut<SendJob>,
    /// To GatherUnit.
    pub gather: StreamOut<GatherJob>,

    held_q: Delay<Bit>,
    second_q: Reg<Bit>,
    some_first: Signal<Local, Bit>,
    some_second: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    gathers: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
}

#[kernel]
impl Logic for SendArbiter {
    fn update(&mut self) {
        // Whose message: that under way, else of those who wait the one who was not served last.
        self.some_first.next = self.first_send.valid.val() | self.first_gather.valid.val();
        self.some_second.next = self.second_send.valid.val() | self.second_gather.valid.val();
        self.second.next =
            self.some_second.val() & (!self.some_first.val() | !self.second_q.q.val());
        if self.held_q.q.val() {
            self.second.next = self.second_q.q.val();
        }

        self.send.data.next = self.first_send.data.val();
        self.sends.next = self.first_send.valid.val();
        self.gather.data.next = self.first_gather.data.val();
        self.gathers.next = self.first_gather.valid.val();
        if self.second.val() {
            self.send.data.next = self.second_send.data.val();
            self.sends.next = self.second_send.valid.val();
            self.gather.data.next = self.second_gather.data.val();
            self.gathers.next = self.second_gather.valid.val();
        }
        self.send.valid.next = self.sends.val();
        self.gather.valid.next = self.gathers.val();
        self.first_send.ready.next = self.send.ready.val() & !self.second.val();
        self.second_send.ready.next = self.send.ready.val() & self.second.val();
        self.first_gather.ready.next = self.gather.ready.val() & !self.second.val();
        self.second_gather.ready.next = self.gather.ready.val() & self.second.val();

        self.waits.next = (self.sends.val() & !self.send.ready.val())
            | (self.gathers.val() & !self.gather.ready.val());
        self.held_q.d.next = self.waits.val();
        self.second_q.d.next = self.second.val();
        self.second_q.en.next = self.sends.val() | self.gathers.val();
    }
}
