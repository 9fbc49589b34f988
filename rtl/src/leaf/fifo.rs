//! `Fifo`: a short queue, one cycle from write to read.
//!
//! **Purpose.** Decouples two blocks where latency counts. For deep or wide queues use [`RamFifo`](super::RamFifo); to
//! cut a ready path only, use [`Skid`](super::Skid).
//!
//! ```text
//!                  +------+
//!   write       -->|      |--> read
//!   write_valid -->| Fifo |--> read_valid
//!   write_ready <--|      |<-- read_ready
//!                  +------+
//! ```
//!
//! **Contract.** Words leave in the order they came; `2^A` of them fit. A word accepted in cycle *n* is on `read` in
//! cycle *n + 1*. Neither ready nor valid depends on the other side's input of the same cycle, so a full FIFO takes no
//! word in the cycle in which one leaves. Reset empties it.
//!
//! **Internals.** A [`LutRam`](super::LutRam) and two pointers of `A + 1` bits: equal is empty, different only in the
//! top bit is full. `N` must be `A + 1`.

use super::{LutRam, Reg};
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A FIFO of `2^A` words of type `T`; `N` = `A + 1` is the width of its pointers.
#[block]
#[check(N == A + 1, "Fifo: pointers of {N} bits for 2^{A} words, must be {}", A + 1)]
pub struct Fifo<T: Synth, const A: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Word to store.
    pub write: StreamIn<T>,
    /// Oldest word.
    pub read: StreamOut<T>,
    mem: LutRam<T, A>,
    head_q: Reg<Bits<N>>,
    tail_q: Reg<Bits<N>>,
    used: Signal<Local, Bits<N>>,
    full: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    #[value((1u64 << A).to_bits())]
    depth: Constant<Bits<N>>,
}

#[kernel]
impl<T: Synth, const A: usize, const N: usize> Logic for Fifo<T, A, N> {
    fn update(&mut self) {
        self.used.next = self.tail_q.q.val() - self.head_q.q.val();
        self.full.next = self.used.val() == self.depth.val();
        self.some.next = self.used.val().any();

        self.write.ready.next = !self.full.val();
        self.mem.write_addr.next = self.tail_q.q.val().get_bits::<A>(0);
        self.mem.write_data.next = self.write.data.val();
        self.mem.write_en.next = self.write.valid.val() & !self.full.val();
        self.tail_q.d.next = self.tail_q.q.val() + 1;
        self.tail_q.en.next = self.write.valid.val() & !self.full.val();

        self.mem.read_addr.next = self.head_q.q.val().get_bits::<A>(0);
        self.read.data.next = self.mem.read_data.val();
        self.read.valid.next = self.some.val();
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.read.ready.val() & self.some.val();
    }
}
