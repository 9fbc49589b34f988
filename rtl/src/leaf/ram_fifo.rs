//! `RamFifo`: a deep queue in block RAM, two cycles from write to read.
//!
//! **Purpose.** Queues of many or wide words. Where one cycle counts use [`Fifo`](super::Fifo).
//!
//! ```text
//!                  +---------+
//!   write       -->|         |--> read
//!   write_valid -->| RamFifo |--> read_valid
//!   write_ready <--|         |<-- read_ready
//!                  +---------+
//! ```
//!
//! **Contract.** Words leave in the order they came; at least `2^A - 1` of them fit. A word accepted in cycle *n* by an
//! empty FIFO is on `read` in cycle *n + 2*; one word a cycle in and out. `write_ready` does not depend on
//! `read_ready`. Reset empties it.
//!
//! **Internals.** The output register of the [`Ram`](super::Ram) holds the oldest word. It is loaded (`fetch`) when it
//! is empty or its word leaves; else the same address is read again, so that it keeps its word. That address must not
//! be overwritten meanwhile, which is why one place of the memory stays free.

use super::{Ram, Reg};
use crate::bundle::{StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A FIFO of `2^A - 1` words of type `T` and one in the output register.
#[block]
pub struct RamFifo<T: Synth, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Word to store.
    pub write: StreamIn<T>,
    /// Oldest word.
    pub read: StreamOut<T>,
    mem: Ram<T, A>,
    head_q: Reg<Bits<A>>,
    tail_q: Reg<Bits<A>>,
    loaded_q: Reg<Bit>,
    used: Signal<Local, Bits<A>>,
    full: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    #[value(((1u64 << A) - 1).to_bits())]
    last: Constant<Bits<A>>,
}

#[kernel]
impl<T: Synth, const A: usize> Logic for RamFifo<T, A> {
    fn update(&mut self) {
        self.used.next = self.tail_q.q.val() - self.head_q.q.val();
        self.full.next = self.used.val() == self.last.val();
        self.fetch.next = self.used.val().any() & (!self.loaded_q.q.val() | self.read.ready.val());

        self.write.ready.next = !self.full.val();
        self.mem.write_addr.next = self.tail_q.q.val();
        self.mem.write_data.next = self.write.data.val();
        self.mem.write_en.next = self.write.valid.val() & !self.full.val();
        self.tail_q.d.next = self.tail_q.q.val() + 1;
        self.tail_q.en.next = self.write.valid.val() & !self.full.val();

        self.mem.read_addr.next = self.head_q.q.val() - 1;
        if self.fetch.val() {
            self.mem.read_addr.next = self.head_q.q.val();
        }
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.fetch.val();
        self.loaded_q.d.next = self.fetch.val();
        self.loaded_q.en.next = self.fetch.val() | self.read.ready.val();

        self.read.data.next = self.mem.read_data.val();
        self.read.valid.next = self.loaded_q.q.val();
    }
}
