//! `AckFifo`: acknowledgements of writes, each taken once, in the cycle of its pulse if wanted.
//!
//! **Purpose.** The acknowledgements of a requester's writes come as pulses that nobody can hold back, often before
//! what waits for them does; but the one who waits must not lose a cycle. Where a cycle does not matter, a
//! [`Fifo`](crate::leaf::Fifo) of bits is enough.
//!
//! ```text
//!            +---------+
//!   done  -->|         |--> ack
//!   error -->| AckFifo |--> ack_error
//!   take  -->|         |
//!            +---------+
//! ```
//!
//! **Contract.** `ack`: an acknowledgement is there, the oldest that was not taken; it may be that of this cycle's
//! `done`. `ack_error` is its error. `take` takes it at the edge and has no effect while `ack` is low. `take` does not
//! act on the outputs of the same cycle. `2^A` acknowledgements can wait, and another may come in the cycle in which
//! one of them is taken; who writes sees to it that there are not more: one too many would overwrite the oldest. Reset
//! forgets them.
//!
//! **Internals.** A ring in a [`LutRam`](crate::leaf::LutRam), and two pointers of `A + 1` bits. Every pulse goes into
//! the ring; if it is taken at once, both pointers move. `some_q`: they differ. So `take`, which comes late, only
//! enables `head_q` and `some_q`. `N` must be `A + 1`.

use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A queue of `2^A` acknowledgements; `N` = `A + 1`.
#[block]
#[check(N == A + 1, "AckFifo: pointers of {N} bits for 2^{A} acknowledgements, must be {}", A + 1)]
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
    mem: LutRam<Bit, A>,
    head_q: Reg<Bits<N>>,
    tail_q: Reg<Bits<N>>,
    /// `tail_q` and `head_q` differ.
    some_q: Reg<Bit>,
    used: Signal<Local, Bits<N>>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl<const A: usize, const N: usize> Logic for AckFifo<A, N> {
    fn update(&mut self) {
        self.mem.write_addr.next = self.tail_q.q.val().get_bits::<A>(0);
        self.mem.write_data.next = self.error.val();
        self.mem.write_en.next = self.done.val();
        self.tail_q.d.next = self.tail_q.q.val() + 1;
        self.tail_q.en.next = self.done.val();

        self.mem.read_addr.next = self.head_q.q.val().get_bits::<A>(0);
        self.ack.next = self.some_q.q.val() | self.done.val();
        self.ack_error.next = self.error.val();
        if self.some_q.q.val() {
            self.ack_error.next = self.mem.read_data.val();
        }
        self.taken.next = self.take.val() & (self.some_q.q.val() | self.done.val());
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.taken.val();

        self.used.next = self.tail_q.q.val() - self.head_q.q.val();
        self.some_q.d.next = self.done.val() | (self.used.val() != 1);
        self.some_q.en.next = self.done.val() ^ self.taken.val();
    }
}
