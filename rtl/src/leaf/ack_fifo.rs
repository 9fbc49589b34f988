//! `AckFifo`: acknowledgements of writes, each taken once, in the cycle of its pulse if wanted.
//!
//! **Purpose.** The acknowledgements of a requester's writes come as pulses that nobody can hold back, often before what waits for them does; but the
//! one who waits must not lose a cycle. Where a cycle does not matter, a [`Fifo`](super::Fifo) of bits is enough.
//!
//! ```text
//!            +---------+
//!   done  -->|         |--> ack
//!   error -->| AckFifo |--> ack_error
//!   take  -->|         |
//!            +---------+
//! ```
//!
//! **Contract.** `ack`: an acknowledgement is there, the oldest that was not taken; it may be that of this cycle's `done`. `ack_error` is its error. `take`
//! takes it at the edge and has no effect while `ack` is low. `take` does not act on the outputs of the same cycle. `2^A` acknowledgements can wait; who writes
//! sees to it that there are not more. Reset forgets them.
//!
//! **Internals.** A [`Fifo`](super::Fifo) that takes a pulse unless it is empty and the pulse is taken at once. `N` must be `A + 1`.

use super::Fifo;
use rust_hdl::prelude::*;

/// A queue of `2^A` acknowledgements; `N` = `A + 1`.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct AckFifo<const A: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// A write is acknowledged (pulse).
    pub done: Signal<In, Bit>,
    /// With `done`: it failed.
    pub error: Signal<In, Bit>,
    /// An acknowledgement is there.
    pub ack: Signal<Out, Bit>,
    /// With `ack`: its write failed.
    pub ack_error: Signal<Out, Bit>,
    /// Take it.
    pub take: Signal<In, Bit>,
    waiting: Fifo<Bit, A, N>,
}

impl<const A: usize, const N: usize> Logic for AckFifo<A, N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();

        self.ack.next = self.waiting.read_valid.val() | self.done.val();
        self.ack_error.next = self.error.val();
        if self.waiting.read_valid.val() {
            self.ack_error.next = self.waiting.read.val();
        }
        self.waiting.read_ready.next = self.take.val();
        self.waiting.write.next = self.error.val();
        self.waiting.write_valid.next =
            self.done.val() & (self.waiting.read_valid.val() | !self.take.val());
    }
}
