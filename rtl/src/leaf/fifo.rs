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
//! **Contract.** Words leave in the order they came; `2^A` of them fit. A word accepted in cycle *n* is on `read` in cycle
//! *n + 1*. Neither ready nor valid depends on the other side's input of the same cycle, so a full FIFO takes no word in
//! the cycle in which one leaves. Reset empties it.
//!
//! **Internals.** A [`LutRam`](super::LutRam) and two pointers of `A + 1` bits: equal is empty, different only in the top bit
//! is full. `N` must be `A + 1`.

use super::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::kernel;

/// A FIFO of `2^A` words of type `T`; `N` = `A + 1` is the width of its pointers.
#[derive(Clone, Debug, LogicBlock)]
pub struct Fifo<T: Synth, const A: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Word to store.
    pub write: Signal<In, T>,
    /// `write` is valid.
    pub write_valid: Signal<In, Bit>,
    /// There is room.
    pub write_ready: Signal<Out, Bit>,
    /// Oldest word.
    pub read: Signal<Out, T>,
    /// `read` is valid.
    pub read_valid: Signal<Out, Bit>,
    /// Take the word.
    pub read_ready: Signal<In, Bit>,
    mem: LutRam<T, A>,
    head_q: Reg<Bits<N>>,
    tail_q: Reg<Bits<N>>,
    used: Signal<Local, Bits<N>>,
    full: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    depth: Constant<Bits<N>>,
}

impl<T: Synth, const A: usize, const N: usize> Default for Fifo<T, A, N> {
    fn default() -> Self {
        assert!(
            N == A + 1,
            "Fifo: pointers of {N} bits for 2^{A} words, must be {}",
            A + 1
        );
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            write: Signal::default(),
            write_valid: Signal::default(),
            write_ready: Signal::default(),
            read: Signal::default(),
            read_valid: Signal::default(),
            read_ready: Signal::default(),
            mem: LutRam::default(),
            head_q: Reg::default(),
            tail_q: Reg::default(),
            used: Signal::default(),
            full: Signal::default(),
            some: Signal::default(),
            depth: Constant::new((1u64 << A).to_bits()),
        }
    }
}

#[kernel]
impl<T: Synth, const A: usize, const N: usize> Logic for Fifo<T, A, N> {
    fn update(&mut self) {
        self.mem.clk.next = self.clk.val();
        self.head_q.clk.next = self.clk.val();
        self.head_q.rst.next = self.rst.val();
        self.tail_q.clk.next = self.clk.val();
        self.tail_q.rst.next = self.rst.val();

        self.used.next = self.tail_q.q.val() - self.head_q.q.val();
        self.full.next = self.used.val() == self.depth.val();
        self.some.next = self.used.val().any();

        self.write_ready.next = !self.full.val();
        self.mem.write_addr.next = self.tail_q.q.val().get_bits::<A>(0);
        self.mem.write_data.next = self.write.val();
        self.mem.write_en.next = self.write_valid.val() & !self.full.val();
        self.tail_q.d.next = self.tail_q.q.val() + 1;
        self.tail_q.en.next = self.write_valid.val() & !self.full.val();

        self.mem.read_addr.next = self.head_q.q.val().get_bits::<A>(0);
        self.read.next = self.mem.read_data.val();
        self.read_valid.next = self.some.val();
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.read_ready.val() & self.some.val();
    }
}
