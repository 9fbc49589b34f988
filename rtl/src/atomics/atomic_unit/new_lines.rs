//! `NewLines`: writes the lines of an atomic message and waits until they are in memory.
//!
//! **Purpose.** The part of [`AtomicUnit`](super::AtomicUnit) in front of the write port.
//!
//! ```text
//!   fresh, owner, first -->+----------+--> write   (to WritePort)
//!   line                -->| NewLines |<-- write_done, write_error
//!   lines_less_one      -->+----------+--> complete, failed
//! ```
//!
//! **Contract.** `fresh` (pulse) begins a message, all of whose writes before are acknowledged: its first line goes to
//! line `first` of memory, the others follow it. `owner` and `lines_less_one` are steady after `fresh`. `complete`: so
//! many lines are acknowledged, from the cycle after the last pulse on; `failed`: one of them failed. A line is offered
//! in the cycle in which it comes.
//!
//! **Internals.** Each line is a burst of its own, as messages are short and the port takes one in every cycle.

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::AtomicResult;
use xtq_types::memory::WriteRequest;

/// Writes the lines of a message.
#[block]
pub struct NewLines {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset. No write may be under way then.
    pub rst: Signal<In, Bit>,
    /// A message begins.
    pub fresh: Signal<In, Bit>,
    /// Context whose memory it is.
    pub owner: Signal<In, Bits<2>>,
    /// With `fresh`: address of its first line / 64.
    pub first: Signal<In, Bits<58>>,
    /// Lines less one.
    pub lines_less_one: Signal<In, Bits<4>>,
    /// From the ALU: the next line.
    pub line: StreamIn<AtomicResult>,
    /// To the write port: a line.
    pub write: StreamOut<WriteRequest>,
    /// From the write port: a write is acknowledged (pulse).
    pub write_done: Signal<In, Bit>,
    /// With `write_done`: it failed.
    pub write_error: Signal<In, Bit>,
    /// All lines are acknowledged.
    pub complete: Signal<Out, Bit>,
    /// One of them failed.
    pub failed: Signal<Out, Bit>,
    number_q: Reg<Bits<58>>,
    acknowledged_q: Reg<Bits<4>>,
    failed_q: Reg<Bit>,
    updated: Signal<Local, AtomicResult>,
}

#[kernel]
impl Logic for NewLines {
    fn update(&mut self) {
        self.updated.next = self.line.data.val();
        self.write.data.next.first = 1.into();
        self.write.data.next.last = 1.into();
        self.write.data.next.atomic = 0.into();
        self.write.data.next.context = self.owner.val();
        self.write.data.next.length = 0.into();
        self.write.data.next.address = bit_cast::<64, 58>(self.number_q.q.val()) << 6;
        self.write.data.next.strobe = self.updated.val().mask;
        self.write.data.next.data = self.updated.val().updated;
        self.write.valid.next = self.line.valid.val();
        self.line.ready.next = self.write.ready.val();

        self.number_q.en.next = self.fresh.val() | (self.line.valid.val() & self.write.ready.val());
        self.number_q.d.next = self.number_q.q.val() + 1;
        self.acknowledged_q.en.next = self.fresh.val() | self.write_done.val();
        self.acknowledged_q.d.next = self.acknowledged_q.q.val() + 1;
        if self.fresh.val() {
            self.number_q.d.next = self.first.val();
            self.acknowledged_q.d.next = 0.into();
        }
        self.failed_q.en.next = self.fresh.val() | (self.write_done.val() & self.write_error.val());
        self.failed_q.d.next = !self.fresh.val();
        self.complete.next = self.acknowledged_q.q.val() > self.lines_less_one.val();
        self.failed.next = self.failed_q.q.val();
    }
}
